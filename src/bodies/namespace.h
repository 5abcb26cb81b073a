// The namespace of this folder, and whose names it uses: the arrows of the house.
#pragma once

#include "core/namespace.h"
#include "geometry/namespace.h"
#include "scene/namespace.h"

namespace pliant::bodies {

using namespace geometry;
using namespace scene;

}  // namespace pliant::bodies
