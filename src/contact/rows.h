// The nodes that particles in contact touch, numbered 0, 1, 2, ..., and the weights of each such particle: the same as
// those of the transfer.
#pragma once

#include "grid/grid.h"
#include "pliant/scene.h"
#include "solve/contact_problem.h"

#include <cstdint>
#include <vector>

namespace pliant {

struct RowSums {
  Vec velocity;     // m/s, of the particle at the free velocities
  double mobility;  // 1/kg, sum of w^2 / m
};

template <class S>
class NodeRows {
 public:
  // of a grid after its own step: masses and velocities
  void begin(Grid<3, S>& grid);

  // adds the row of the particle at x, which lives in this block
  RowSums add(Kernel kernel, const Block<3>& block, const Vec& x, double h);
  void drop_last();

  std::size_t rows() const { return begins_.size() - 1; }
  std::size_t nodes() const { return numbers_.size(); }
  std::span<const std::uint32_t> numbers() const { return numbers_; }  // of the grid's nodes
  // mass, free velocity, rows; the rest is for the caller to fill in
  ContactProblem problem() const;

 private:
  template <Kernel K>
  RowSums add_row(const Block<3>& block, const Vec& x, double h);

  Grid<3, S>* grid_ = nullptr;
  Buffer<std::int32_t> place_;          // by the grid's number: ours, -1: none
  std::vector<std::uint32_t> numbers_;  // by ours: the grid's
  std::vector<double> mass_;
  std::vector<Vec3d> free_velocity_;
  std::vector<std::uint32_t> begins_ = {0}, nodes_;
  std::vector<double> weights_;
};

}  // namespace pliant
