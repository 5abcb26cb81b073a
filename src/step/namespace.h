// The namespace of this folder, and whose names it uses: the arrows of the house.
#pragma once

#include "bodies/namespace.h"
#include "cloth/namespace.h"
#include "contact/namespace.h"
#include "grid/namespace.h"
#include "implicit/namespace.h"
#include "scene/namespace.h"

namespace pliant::step {

using namespace grid;
using namespace bodies;
using namespace scene;
using namespace contact;
using namespace implicit;
using namespace cloth;

}  // namespace pliant::step
