// What a contact remembers from substep to substep, and how it is found again. Part of the state.
#pragma once

#include "contact/namespace.h"
#include "core/buffer.h"
#include "core/small.h"

#include <cstdint>
#include <vector>

namespace pliant::contact {

struct ContactMemory {
  std::uint32_t particle;    // id
  std::uint32_t geom;        // number in the model
  Vector<double, 3> anchor;  // m, in the geom's frame, on its surface where the contact holds fast
  Vector<double, 3> normal;  // unit, in the geom's frame
  Vector<double, 3> force;   // N, on the matter, last, in the geom's frame
  double stiffness;          // N/m, for as long as the contact lives
  double wall;               // m, how thick the geom is behind the place where it began, at most a cell
  double radius;             // m, of the ball that the particle is here; 0: a point
};

// what a boundary gave to a node in the last strong step: its law starts from it
struct BoundaryMemory {
  std::int32_t slot[3];    // coordinates of the slot
  std::int32_t node;       // in the slot
  std::int64_t boundary;   // of the scene
  Vector<double, 3> push;  // m/s, impulse over the node's inertia
};

// entries by particle and geom
class MemoryIndex {
 public:
  void build(const std::vector<ContactMemory>& entries, std::size_t particles);
  bool has(std::uint32_t particle) const { return head_[particle] >= 0; }
  int find(const std::vector<ContactMemory>& entries, std::uint32_t particle, std::uint32_t geom) const;
  std::size_t bytes() const { return head_.bytes() + next_.capacity() * sizeof(int); }

 private:
  Buffer<std::int32_t> head_;           // by particle: its first entry, -1: none
  std::vector<std::int32_t> next_;      // by entry: the next of the same particle
  std::vector<std::uint32_t> touched_;  // particles whose head is set
};

}  // namespace pliant::contact
