// The namespace of this folder, and whose names it uses: the arrows of the house.
#pragma once

#include "grid/namespace.h"
#include "solve/namespace.h"

namespace pliant::implicit {

using namespace grid;
using namespace solve;

}  // namespace pliant::implicit
