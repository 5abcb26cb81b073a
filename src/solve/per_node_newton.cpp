#include "solve/per_node_newton.h"

namespace pliant::solve {
namespace {

constexpr int most_improvements = 20;
constexpr double good_enough = 1e-2;  // of the push

Vec3d vector_of(const NodeVector<double>& x) { return {{x[0], x[1], x[2]}}; }

}  // namespace

void PerNodeNewton::begin(const StrongProblem& p) {
  problem_ = &p;
  held_.clear();
  for (std::size_t c = p.first_of_one_node; c < p.bias.size(); ++c) {
    if (p.begins[c] == p.begins[c + 1]) continue;
    const std::uint32_t node = p.nodes[p.begins[c]];
    if (!held_.empty() && held_.back().node == node && held_.back().last == c)
      ++held_.back().last;
    else
      held_.push_back({node, std::uint32_t(c), std::uint32_t(c + 1), Vec3d::zero(), Vec3d::zero()});
  }
}

// one step of Newton's method for every node, on laws that are never too flat; true: all are good
bool PerNodeNewton::improve(const LawsAtStart& start, std::span<const Block3<double>> blocks) {
  const StrongProblem& p = *problem_;
  const BlockRange local = {p.first_of_one_node / 4, blocks_of(p.bias.size())};
  for (std::size_t b = local.first; b < local.last; ++b) u_[b] = start.u[b];
  for (const Held& h : held_)
    for (std::size_t c = h.first; c < h.last; ++c)
      for (int d = 0; d < 3; ++d) u_[c / 4][d].set(int(c % 4), u_[c / 4][d][int(c % 4)] + h.x[d]);
  p.potential->evaluate(local, u_.data(), gradient_.data(), hessian_.data());
  p.potential->add_majorizer(local, u_.data(), hessian_.data());
  bool good = true;
  for (Held& h : held_) {
    Mat3d matrix = full(blocks[h.node]);
    Vec3d rest = h.push - matrix * h.x;
    for (std::size_t c = h.first; c < h.last; ++c) {
      rest -= vector_of(gradient_.data(), c) - vector_of(start.gradient.data(), c);
      matrix += full(lane_of(hessian_[c / 4], int(c % 4)));
    }
    if (dot(rest, rest) <= good_enough * good_enough * dot(h.push, h.push)) continue;
    good = false;
    h.x += inverse(matrix) * rest;
  }
  return good;
}

void PerNodeNewton::bend(const LawsAtStart& start, std::span<const Block3<double>> blocks,
                         std::span<const NodeVector<double>> v, Buffer<NodeVector<double>>& trial) {
  const std::size_t size = blocks_of(problem_->bias.size());
  u_.resize(size);
  gradient_.resize(size);
  hessian_.resize(size);
  for (Held& h : held_) {
    Mat3d matrix = full(blocks[h.node]);
    for (std::size_t c = h.first; c < h.last; ++c) matrix += full(lane_of(start.hessian[c / 4], int(c % 4)));
    h.x = vector_of(trial[h.node] - v[h.node]);
    h.push = matrix * h.x;
  }
  for (int n = 0; n < most_improvements && !improve(start, blocks); ++n) {
  }
  for (const Held& h : held_)
    for (int d = 0; d < 3; ++d) trial[h.node].set(d, v[h.node][d] + h.x[d]);
}

}  // namespace pliant::solve
