// A step of Newton's method, bent where nodes have contacts of their own.
//
// Boundaries hold single nodes by laws with sharp kinks, and a straight step is good only up to the first of them. So
// each such node goes its own way x, to where its laws answer the push that the straight step s stands for:
//   B x + l'(u + x) - l'(u) = (B + l'') s,      B: block of the matter's matrix
// Where no kink is met x = s.
#pragma once

#include "solve/contact_weights.h"
#include "solve/namespace.h"
#include "solve/strong_problem.h"

#include <span>
#include <vector>

namespace pliant::solve {

// the laws at the start of the step, by block of all contacts
struct LawsAtStart {
  const Buffer<Vec3Lanes>& u;
  const Buffer<Vec3Lanes>& gradient;
  const Buffer<Block3<Lanes>>& hessian;
};

class PerNodeNewton {
 public:
  // the contacts that are of one node; the problem must live as long as this is used
  void begin(const StrongProblem& problem);
  bool empty() const { return held_.empty(); }
  // trial: v and a straight step; bent on return. blocks: B, by node
  void bend(const LawsAtStart& start, std::span<const Block3<double>> blocks, std::span<const NodeVector<double>> v,
            Buffer<NodeVector<double>>& trial);

 private:
  // a node and its contacts
  struct Held {
    std::uint32_t node, first, last;
    Vec3d push, x;
  };
  bool improve(const LawsAtStart& start, std::span<const Block3<double>> blocks);

  const StrongProblem* problem_ = nullptr;
  std::vector<Held> held_;
  Buffer<Vec3Lanes> u_, gradient_;
  Buffer<Block3<Lanes>> hessian_;
};

}  // namespace pliant::solve
