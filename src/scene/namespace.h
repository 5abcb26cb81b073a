// The namespace of this folder, and whose names it uses: the arrows of the house.
#pragma once

#include "core/namespace.h"
#include "geometry/namespace.h"
#include "material/namespace.h"

namespace pliant::scene {

using namespace material;
using namespace geometry;

}  // namespace pliant::scene
