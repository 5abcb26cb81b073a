// The namespace of this folder, and whose names it uses: the arrows of the house.
#pragma once

#include "core/namespace.h"

namespace pliant::material {}  // namespace pliant::material
