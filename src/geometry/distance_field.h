// Signed distance to a closed triangle mesh, concave ones too, as a smooth function that is quick to ask.
//
// A cube around the mesh is cut into 4^3 cells; an eighth of such a block (2^3 cells) whose values are not good enough
// is cut into a block of its own, and so on. Nodes hold the exact distance and its gradient; between them phi is a
// tricubic Hermite polynomial, so phi and its gradient are continuous. Where a fine block ends at a coarser cell, its
// nodes take the values of that cell's polynomial.
//
// How good: an eighth is cut until, at the 98 nodes that cutting would add, phi errs by less than 0.3 tolerances,
// or a small part of |phi| (a tenth outside, a fifth inside). So phi errs by less than the tolerance near the surface,
// its sign is right everywhere else, and a wall thicker than twice the tolerance does not leak.
#pragma once

#include "core/parallel.h"
#include "geometry/distance.h"
#include "geometry/namespace.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pliant::geometry {

struct Mesh;

struct DistanceFieldOptions {
  double tolerance = 1e-3;                      // m, 1e-5..1e-1 of the mesh's size
  std::size_t memory = std::size_t(256) << 20;  // bytes, limit
};

class DistanceField {
 public:
  // Same bits for any number of threads. Throws Error(bad_file) for a mesh that is not closed, Error(bad_input) for a
  // tolerance that is not allowed, Error(too_large) with a tolerance that fits into the memory. `name` is told in
  // texts.
  static DistanceField build(const Mesh& mesh, const std::string& name, const DistanceFieldOptions& options,
                             Workers& workers);

  // in the mesh's frame; outside the cube phi is what the cube's nearest point allows at least
  ShapeDistance distance(const Vector<double, 3>& x) const;

  // no point of the mesh is closer than this, m
  double at_least(const Vector<double, 3>& x) const;

  const Bounds& bounds() const { return bounds_; }  // of the mesh
  double tolerance() const { return tolerance_; }   // m
  std::size_t blocks() const { return children_.size(); }
  std::size_t bytes() const;
  std::uint64_t hash() const;  // of all that decides its answers

  // a number that tells meshes and tolerances apart
  static std::uint64_t key(const Mesh& mesh, double tolerance);

  // Throws Error(bad_file): save if the file cannot be written, load if it cannot be read, is damaged, was made by
  // another version or from another key, or is larger than the memory allowed.
  void save(const std::string& path, std::uint64_t key) const;
  static DistanceField load(const std::string& path, std::uint64_t key, std::size_t memory);

 private:
  friend class DistanceFieldBuilder;

  static constexpr int cells = 4;                         // per edge of a block
  static constexpr int side = cells + 1;                  // nodes per edge of a block
  static constexpr int block_nodes = side * side * side;  // x fastest

  // phi and its derivatives, lengths counted in cells of the block: bit 0 of the index says once along x, bit 1 y, bit
  // 2 z
  struct alignas(32) Node {
    float d[8];
  };
  using Children = std::array<std::int32_t, 8>;  // blocks, by eighth (x fastest); -1: none
  static constexpr std::size_t block_bytes = sizeof(Children) + block_nodes * sizeof(Node);

  struct Place {
    std::int32_t block;
    double cell;  // m
    float x[3];   // in cells from the block's corner
  };
  Place find(const Vector<double, 3>& x) const;
  ShapeDistance inside_cube(const Vector<double, 3>& x, Vector<double, 3>& gradient) const;

  Vector<double, 3> corner_ = {};  // of the cube
  double edge_ = 0;                // m, of the cube
  Bounds bounds_ = {};
  double tolerance_ = 0;
  std::vector<Children> children_;  // block 0 is the cube
  std::vector<Node> nodes_;
};

struct CachedField {
  std::shared_ptr<const DistanceField> field;
  bool from_file = false;
  std::string note;  // why the file was not read or not written; empty if it was or is new
};

// From a file in the folder if it is there and whole, else built and written there.
CachedField cached_distance_field(const Mesh& mesh, const std::string& name, const DistanceFieldOptions& options,
                                  const std::string& folder, Workers& workers);

}  // namespace pliant::geometry
