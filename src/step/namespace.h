// The namespace of this folder, and whose names it uses: the arrows of the house.
#pragma once

#include "grid/namespace.h"
#include "bodies/namespace.h"
#include "scene/namespace.h"
#include "contact/namespace.h"
#include "implicit/namespace.h"
#include "cloth/namespace.h"

namespace pliant::step {

using namespace grid;
using namespace bodies;
using namespace scene;
using namespace contact;
using namespace implicit;
using namespace cloth;

}  // namespace pliant::step
