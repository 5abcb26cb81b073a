// All laws under one type.
#pragma once

// made by CMake from the list in CMakeLists.txt: AnyLaw<S>, a std::variant of them in its order
#include "law_list.h"
#include "material/namespace.h"

namespace pliant::material {

// the law of a material that has passed `check`
template <class S>
AnyLaw<S> make_law(const Material& material);

}  // namespace pliant::material
