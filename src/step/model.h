// What is constant after loading.
#pragma once

#include "cloth/sheets.h"
#include "grid/boundary.h"
#include "grid/particles.h"
#include "material/laws.h"
#include "pliant/scene.h"

#include <vector>

namespace pliant {

template <class S>
struct Model {
  Scene scene;
  std::vector<Group> groups;        // by piece of matter
  std::vector<Material> materials;  // by group
  std::vector<AnyLaw<S>> laws;      // by group
  std::vector<BoundaryShape> boundaries;
  std::vector<ModelSheet<S>> sheets;  // the groups that are cloth
};

}  // namespace pliant
