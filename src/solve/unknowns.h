// The unknowns of a strong step, numbered once: nodes of matter, three velocities each, then degrees of freedom of
// bodies. The nodes of each cost of matter are one range; which node of which field of the grid (later: of which mesh)
// a number stands for is the cost's own knowledge. What is fixed, or too light to be felt, has no number.
#pragma once

#include "core/buffer.h"
#include "solve/namespace.h"
#include "solve/node_vector.h"

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace pliant::solve {

struct NodeRange {
  std::size_t first = 0, last = 0;
  std::size_t size() const { return last - first; }
};

struct Unknowns {
  std::vector<NodeRange> matter;  // by cost
  std::size_t dofs = 0;           // of bodies

  std::size_t nodes() const { return matter.empty() ? 0 : matter.back().last; }
  void clear() {
    matter.clear();
    dofs = 0;
  }
  // the range of the next cost of matter
  NodeRange add_nodes(std::size_t count) { return matter.emplace_back(nodes(), nodes() + count); }
};

// a number for each unknown; those of bodies always in double
template <class T>
struct UnknownVector {
  Buffer<NodeVector<T>> nodes;
  Eigen::VectorXd dofs;

  void resize(const Unknowns& unknowns) {
    nodes.resize(unknowns.nodes());
    dofs.resize(Eigen::Index(unknowns.dofs));
  }
  std::size_t bytes() const { return nodes.bytes() + std::size_t(dofs.size()) * sizeof(double); }
};

}  // namespace pliant::solve
