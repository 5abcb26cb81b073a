// One list of all that a world's next steps start from, as named runs of bytes: it serves hash, snapshot, comparison and
// fuzzing.
#pragma once

#include "step/inputs.h"
#include "step/model.h"
#include "step/state.h"
#include "world/namespace.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace pliant::world {

// A list of entries. How many is fixed by the scene, unless it has a `resize`.
struct Field {
  const char* name;
  void* data;
  std::size_t size;   // bytes of all
  std::size_t entry;  // bytes of each
  // what is wrong with what stands in it now, if someone else has written it; empty: nothing
  std::function<std::string()> check;
  // gives room for so many entries; there are never more than `most`
  std::function<void*(std::size_t)> resize = nullptr;
  std::size_t most = 0;
};

// Of this state and these inputs; the list is good until one of them changes its size. `known` are particles of the
// model in a state that is surely right, perhaps this one.
template <int D, class S>
std::vector<Field> fields_of(const Model<S>& model, State<D, S>& state, Inputs& inputs, const Particles<D, S>& known);

}  // namespace pliant::world
