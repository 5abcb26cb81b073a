// Which particles may touch which shapes: boxes around groups of neighbouring particles against boxes around shapes,
// then the distance of a group's middle.
#pragma once

#include "bodies/namespace.h"
#include "core/parallel.h"
#include "geometry/distance.h"

#include <cstdint>
#include <span>
#include <vector>

namespace pliant::bodies {

struct PosedShape {
  const RigidShape* shape;
  Pose pose;
};

// particles [begin, end) that may be closer to the shape than the margin
struct TouchCandidate {
  std::uint32_t shape, begin, end;

  bool operator==(const TouchCandidate&) const = default;
};

// positions of particles: number i starts at first[i * stride]; in 2-D the third coordinate is 0
template <class S>
struct PositionsView {
  const S* first;
  std::size_t stride, count;
  int dimension;
};

class BroadPhase {
 public:
  static constexpr std::uint32_t group_size = 64;

  // boxes of groups of consecutive particles, in one pass over the positions; sorted particles make small boxes
  template <class S>
  void build(const PositionsView<S>& positions, Workers& workers);

  // boxes that are known: group g holds the particles [begins[g], begins[g + 1])
  void build(std::span<const Bounds> boxes, std::span<const std::uint32_t> begins);

  // Sorted by shape, then by particle; neighbouring ranges are joined. Whoever is not named is farther than the margin
  // (m).
  void query(std::span<const PosedShape> shapes, double margin, std::vector<TouchCandidate>& found) const;

  std::size_t groups() const { return begins_.empty() ? 0 : begins_.size() - 1; }

 private:
  void resize(std::size_t groups);
  bool is_near(const PosedShape& shape, std::size_t group, double margin) const;

  // rounded outward, padded to whole packs with boxes that touch nothing, not even a plane
  std::vector<float> lower_[3], upper_[3];
  std::vector<std::uint32_t> begins_;
};

}  // namespace pliant::bodies
