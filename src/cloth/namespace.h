// The namespace of this folder, and whose names it uses: the arrows of the house.
#pragma once

#include "grid/namespace.h"
#include "scene/namespace.h"

namespace pliant::cloth {

using namespace grid;
using namespace scene;

}  // namespace pliant::cloth
