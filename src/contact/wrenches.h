// What contacts gave to bodies, for the bodies and for people to read: sums per geom, and touches of particles.
#pragma once

#include "bodies/geom_paths.h"
#include "contact/contact_data.h"
#include "contact/memory.h"
#include "contact/namespace.h"
#include "pliant/contact.h"
#include "solve/contact_problem.h"

#include <vector>

namespace pliant::contact {

// on a body, about the origin of the world
struct GeomImpulse {
  Vec3d linear = Vec3d::zero();   // N s
  Vec3d angular = Vec3d::zero();  // N m s
};

class Wrenches {
 public:
  explicit Wrenches(const GeomPaths& paths) : paths_(paths), impulses_(paths.size()) {}

  // a step begins
  void forget_touches();
  // so does a part of it: sums start from zero, while touches go on
  void begin(const std::vector<ContactMemory>& memory, const MemoryIndex& index);

  // an impulse on matter, and its moment about the origin, come from a geom
  void add(std::uint32_t path, const Vec3d& impulse, const Vec3d& moment);
  // contact by contact after a solve: adds to the touch of the contact that it goes on from; gives the touch
  int note_touch(const ContactData& contact, std::uint32_t particle);
  // the memory has been replaced; entry by entry, the touch of each
  void swap_touches_of_memory(std::vector<int>& touches) { touch_of_.swap(touches); }

  const std::vector<Touch>& touches() const { return touches_; }
  const std::vector<GeomImpulse>& impulses() const { return impulses_; }  // by path

 private:
  const GeomPaths& paths_;
  std::vector<GeomImpulse> impulses_;
  std::vector<Touch> touches_;
  std::vector<double> weights_;  // by touch
  std::vector<int> touch_of_;    // by memory; -1: none in this step
};

}  // namespace pliant::contact
