#include "contact/wrenches.h"

#include <algorithm>

namespace pliant::contact {

void Wrenches::forget_touches() {
  touches_.clear();
  weights_.clear();
}

void Wrenches::begin(const std::vector<ContactMemory>& memory, const MemoryIndex& index) {
  // a contact that lives on adds to its last touch
  touch_of_.assign(memory.size(), -1);
  for (std::size_t k = 0; k < touches_.size(); ++k) {
    const int entry = index.find(memory, touches_[k].particle, std::uint32_t(touches_[k].partner));
    if (entry >= 0) touch_of_[std::size_t(entry)] = int(k);
  }
  std::fill(impulses_.begin(), impulses_.end(), GeomImpulse{});
}

void Wrenches::add(std::uint32_t path, const Vec3d& impulse, const Vec3d& moment) {
  impulses_[path].linear -= impulse;
  impulses_[path].angular -= moment;
}

int Wrenches::note_touch(const ContactData& c, std::uint32_t particle) {
  int known = c.remembered < 0 ? -1 : touch_of_[std::size_t(c.remembered)];
  if (known < 0) {
    known = int(touches_.size());
    touches_.push_back({});
    weights_.push_back(0);
    touches_.back().particle = particle;
    const Geom& geom = paths_[c.partner].geom;
    touches_.back().geom = geom.boundary < 0 ? geom.id : -1;
    touches_.back().body = geom.body;
    touches_.back().boundary = geom.boundary;
    touches_.back().partner = geom.id;
  }
  Touch& touch = touches_[std::size_t(known)];
  double& weight = weights_[std::size_t(known)];
  const double more = norm(c.exchanged);
  for (std::size_t d = 0; d < 3; ++d) {
    const double x = c.position[int(d)];
    touch.position[d] = weight + more > 0 ? (weight * touch.position[d] + more * x) / (weight + more) : x;
    touch.impulse[d] -= c.exchanged[int(d)];
  }
  weight += more;
  touch.normal = {c.normal[0], c.normal[1], c.normal[2]};
  touch.gap = c.gap;
  touch.slides = c.slips;
  return known;
}

}  // namespace pliant::contact
