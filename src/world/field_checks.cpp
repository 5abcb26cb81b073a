#include "world/field_checks.h"

#include "bodies/motion.h"
#include "contact/memory.h"
#include "step/warm_start.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>

namespace pliant::world {
namespace {

template <class T>
T read(const std::byte* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

}  // namespace

std::string wrong_warm(std::size_t size) {
  return size % sizeof(WarmSlot) == 0 ? "" : fmt::format("{} bytes are no whole number of slots", size);
}

std::string wrong_held(const std::byte* data, std::size_t size, std::size_t boundaries) {
  if (size % sizeof(BoundaryMemory) != 0) return fmt::format("{} bytes are no whole number of nodes", size);
  for (std::size_t at = 0; at < size; at += sizeof(BoundaryMemory)) {
    const auto m = read<BoundaryMemory>(data + at);
    const bool there =
        m.node >= 0 && m.node < block_nodes<3> && m.boundary >= 0 && std::size_t(m.boundary) < boundaries;
    if (!there || !std::isfinite(dot(m.push, m.push)))
      return fmt::format("node {} in boundary {}, which is not there or has no finite impulse", m.node, m.boundary);
  }
  return "";
}

std::string wrong_contacts(const std::byte* data, std::size_t size, std::size_t particles, std::size_t geoms) {
  if (size % sizeof(ContactMemory) != 0) return fmt::format("{} bytes are no whole number of contacts", size);
  for (std::size_t at = 0; at < size; at += sizeof(ContactMemory)) {
    const auto m = read<ContactMemory>(data + at);
    if (m.particle >= particles || m.geom >= geoms)
      return fmt::format("a contact of particle {} and geom {}, which are not there", m.particle, m.geom);
  }
  return "";
}

std::string wrong_holds(const std::byte* data, std::size_t size) {
  for (std::size_t at = 0; at + sizeof(MotionHold) <= size; at += sizeof(MotionHold)) {
    const auto hold = read<MotionHold>(data + at);
    if (!std::isfinite(hold.control) || !std::isfinite(hold.since))
      return fmt::format("a control held at {} since {} s", hold.control, hold.since);
  }
  return "";
}

}  // namespace pliant::world
