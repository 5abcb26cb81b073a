// The namespace of this folder, and whose names it uses: the arrows of the house.
#pragma once

#include "step/namespace.h"

namespace pliant::gradient {

using namespace step;

}  // namespace pliant::gradient
