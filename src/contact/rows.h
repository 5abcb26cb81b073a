// The nodes that particles in contact touch, numbered 0, 1, 2, ..., and the weights of each such particle: the same as
// those of the transfer.
#pragma once

#include "contact/namespace.h"
#include "contact/finder.h"
#include "grid/grid.h"
#include "pliant/scene.h"
#include "solve/contact_problem.h"

#include <cstdint>
#include <vector>

namespace pliant::contact {

// of one particle
struct WeightRow {
  static constexpr int most = 27;
  int count = 0;
  std::uint32_t numbers[most];  // of the grid's nodes
  double weights[most];
  Vec velocity;     // m/s, at the free velocities
  double mobility;  // 1/kg, sum of w^2 / m
};

// particles and their grid
template <class S>
struct WeightBase {
  Kernel kernel;
  double h;  // m
  const Layout<3, S>& layout;
  Grid<3, S>& grid;
  const Buffer<Point<3, S>>& points;
};

template <class S>
class NodeRows {
 public:
  // weights of all that was found, on a grid after its own step: masses and velocities
  void weigh(const WeightBase<S>& base, const ContactFinder<S>& finder, const std::vector<FoundContact>& found,
             Workers& workers);
  const WeightRow& weighed(std::size_t i) const { return weighed_[i]; }

  // makes row i of those weighed the next row of the problem
  void take(std::size_t i);

  std::size_t nodes() const { return numbers_.size(); }
  std::span<const std::uint32_t> numbers() const { return numbers_; }  // of the grid's nodes
  // mass, free velocity, rows; the rest is for the caller to fill in
  ContactProblem problem() const;

 private:
  Grid<3, S>* grid_ = nullptr;
  Buffer<WeightRow> weighed_;
  Buffer<std::int32_t> place_;          // by the grid's number: ours, -1: none
  std::vector<std::uint32_t> numbers_;  // by ours: the grid's
  std::vector<double> mass_;
  std::vector<Vec3d> free_velocity_;
  std::vector<std::uint32_t> begins_ = {0}, nodes_;
  std::vector<double> weights_;
};

}  // namespace pliant::contact
