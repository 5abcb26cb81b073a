// One list of all that a world's next steps start from, as named runs of bytes: it serves hash, snapshot, comparison and
// fuzzing.
#pragma once

#include "world/namespace.h"
#include "step/inputs.h"
#include "step/model.h"
#include "step/state.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace pliant::world {

// Its size is fixed by the scene, unless it has a `resize`.
struct Field {
  const char* name;
  void* data;
  std::size_t size;
  // gives room for so many bytes
  std::function<void*(std::size_t)> resize = nullptr;
  // what is wrong with bytes that someone else has written; empty: nothing
  std::function<std::string(const std::byte*, std::size_t)> check = nullptr;
};

// of this state and these inputs; the list is good until one of them changes its size
template <int D, class S>
std::vector<Field> fields_of(const Model<S>& model, State<D, S>& state, Inputs& inputs);

}  // namespace pliant::world
