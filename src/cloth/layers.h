// Layers of cloth come no nearer to each other than the cloth is thick.
//
// The grid keeps layers about a cell apart. What presses them harder, as the pads of a gripper do, would drive the
// triangles of one through those of another. So at the start of a step all vertices near a triangle and edges near an
// edge are found, and at its end those that have come nearer than the thickness are moved apart. See README.md.
#pragma once

#include "cloth/bins.h"
#include "cloth/cloth_step.h"
#include "cloth/namespace.h"
#include "cloth/nearest.h"

#include <array>
#include <vector>

namespace pliant::cloth {

// two places of cloth that are near each other: a vertex and a triangle, or two edges
struct NearPair {
  std::array<std::uint32_t, 4> corner;
  double weight[4];
  Vec normal;       // unit, from the second to the first
  double distance;  // m, at the start of the step
};

template <class S>
class Layers {
 public:
  void add(const Sheet<S>& sheet);  // in the order of the steps below

  // at the start of a step: what is near what, and on which side
  void look(const std::vector<ClothStep<S>>& steps, const Buffer<Point<3, S>>& points, Workers& workers);
  // at its end: vertices move, mass times displacement adds up to 0; held ones stay
  void part(const std::vector<ClothStep<S>>& steps, Buffer<Point<3, S>>& points, Workers& workers);

  const std::vector<NearPair>& pairs() const { return pairs_; }
  double keep(const NearPair& pair) const;  // m, the distance that its two places should have at least
  std::size_t bytes() const;

 private:
  using Found = std::vector<NearPair>;
  using Edge = std::array<std::uint32_t, 2>;
  void take_places(const std::vector<ClothStep<S>>& steps, const Buffer<Point<3, S>>& points, Workers& workers);
  template <class F>
  void collect(std::size_t count, Workers& workers, const F& find);
  template <std::size_t N>
  Box box_of(const std::array<std::uint32_t, N>& corner, double margin) const;
  void note(const std::array<std::uint32_t, 4>& corner, const Between& between, Found& found) const;
  void find_vertices(std::size_t triangle, Found& found) const;
  void find_edges(std::size_t edge, Found& found) const;
  void pick_edges(Workers& workers);
  bool push(const NearPair& pair);

  std::vector<std::uint32_t> starts_ = {0};  // by sheet, its first vertex among those of all
  std::vector<double> keep_;                 // m, by sheet
  std::vector<double> reach_;                // m, by sheet: how far apart its things are that are looked at
  std::vector<std::uint32_t> sheet_of_;      // by vertex
  std::vector<std::array<std::uint32_t, 3>> triangles_;
  std::vector<Edge> edges_;
  std::vector<std::array<std::uint32_t, 2>> beside_;  // by edge: its triangles; twice the same at a rim
  double most_reach_ = 0;                             // m
  double side_ = 0;                                   // m, of the bins

  std::vector<Vec> at_;                // m, where the vertices are
  std::vector<double> lightness_;      // 1/kg, of the vertices; 0: held
  std::vector<std::uint8_t> marks_;    // by vertex: near something; later: moved
  std::vector<std::uint32_t> picked_;  // edges that are looked at
  std::vector<Vec> normals_;           // m^2, of the triangles, twice their area
  Bins bins_;
  std::vector<Found> found_;  // by piece of the search
  Found pairs_;
};

}  // namespace pliant::cloth
