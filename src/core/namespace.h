// The namespace of this folder, and whose names it uses: the arrows of the house.
#pragma once

namespace pliant {

namespace core {}
using namespace core;

}  // namespace pliant
