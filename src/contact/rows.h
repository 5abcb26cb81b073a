// The matter's side of contacts: which nodes of the grid a point moves with, and by which weights; and which unknowns of
// the problem these nodes are.
#pragma once

#include "contact/contacts.h"
#include "contact/detect.h"
#include "contact/namespace.h"
#include "grid/grid.h"
#include "pliant/scene.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace pliant::contact {

// of one particle
struct WeightRow {
  static constexpr int most = 27;
  int count = 0;
  std::uint32_t numbers[most];  // of the grid's nodes
  double weights[most];
  double inner[most];  // at the particle's centre
  Vec velocity;        // m/s, at the free velocities
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

// the rows of particles, at the skin of those that are balls: the weights are those of the transfer
template <class S>
class ParticleRows {
 public:
  // of all that was found, on a grid after its own step: masses and velocities
  void weigh(const WeightBase<S>& base, const ContactFinder<S>& finder, const std::vector<FoundContact>& found,
             Workers& workers);
  const WeightRow& operator[](std::size_t i) const { return rows_[i]; }
  // 1/kg, sum of w^2 / m
  double mobility(std::size_t i, const Grid<3, S>& grid) const;

 private:
  Buffer<WeightRow> rows_;
};

// Which unknowns of a problem the grid's nodes are. Those that are fixed, or too light to take part, have none.
class NodeUnknowns {
 public:
  virtual ~NodeUnknowns() = default;
  virtual std::int32_t unknown(std::uint32_t node) const = 0;  // -1: none
  // The row goes into the pool, for the contact that is added next. The velocity of nodes without an unknown is given: it
  // is taken off the partner's.
  virtual void add_row(const WeightRow& row, Contacts& contacts, Vec& given) = 0;
};

// The unknowns of explicit substeps: nodes that contacts touch, numbered as they come.
template <class S>
class TouchedNodes final : public NodeUnknowns {
 public:
  void begin(Grid<3, S>& grid);
  std::int32_t unknown(std::uint32_t node) const override { return place_[node]; }
  void add_row(const WeightRow& row, Contacts& contacts, Vec& given) override;

  std::span<const std::uint32_t> numbers() const { return numbers_; }  // of the grid's nodes
  std::span<const double> mass() const { return mass_; }
  std::span<const Vec3d> free_velocity() const { return free_velocity_; }

 private:
  Grid<3, S>* grid_ = nullptr;
  Buffer<std::int32_t> place_;          // by the grid's number: ours, -1: none
  std::vector<std::uint32_t> numbers_;  // by ours: the grid's
  std::vector<double> mass_;
  std::vector<Vec3d> free_velocity_;
};

// The unknowns of a strong step: matter has numbered its nodes.
template <class S>
class SolvedNodes final : public NodeUnknowns {
 public:
  // numbers: by the grid's; below 0: none
  SolvedNodes(std::span<const std::int32_t> numbers, const Grid<3, S>& grid) : numbers_(numbers), grid_(grid) {}
  std::int32_t unknown(std::uint32_t node) const override { return std::max(numbers_[node], -1); }
  void add_row(const WeightRow& row, Contacts& contacts, Vec& given) override;

 private:
  std::span<const std::int32_t> numbers_;
  const Grid<3, S>& grid_;
};

}  // namespace pliant::contact
