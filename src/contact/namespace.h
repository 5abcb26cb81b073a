// The namespace of this folder, and whose names it uses: the arrows of the house.
#pragma once

#include "bodies/namespace.h"
#include "grid/namespace.h"
#include "solve/namespace.h"

namespace pliant::contact {

using namespace grid;
using namespace bodies;
using namespace solve;

}  // namespace pliant::contact
