#include "contact/memory.h"

#include <algorithm>

namespace pliant::contact {

void MemoryIndex::build(const std::vector<ContactMemory>& entries, std::size_t particles) {
  if (head_.size() != particles) {
    head_.resize(particles);
    std::fill(head_.begin(), head_.end(), -1);
    touched_.clear();
  }
  for (std::uint32_t p : touched_) head_[p] = -1;
  touched_.clear();
  next_.resize(entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const std::uint32_t p = entries[k].particle;
    if (head_[p] < 0) touched_.push_back(p);
    next_[k] = head_[p];
    head_[p] = std::int32_t(k);
  }
}

int MemoryIndex::find(const std::vector<ContactMemory>& entries, std::uint32_t particle, std::uint32_t geom) const {
  for (std::int32_t k = head_[particle]; k >= 0; k = next_[std::size_t(k)])
    if (entries[std::size_t(k)].geom == geom) return k;
  return -1;
}

}  // namespace pliant::contact
