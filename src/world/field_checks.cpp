#include "world/field_checks.h"

#include "step/own_moduli.h"
#include "world/elasticity.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace pliant::world {
namespace {

// no world gets there by counting
constexpr std::uint64_t most_steps = std::uint64_t(1) << 53;
constexpr double unit_slack = 1e-6;
// coordinates of slots: those of blocks, and one around them
constexpr int last_slot = max_cell / block_side + 2;

template <class S>
bool all_finite(const S* numbers, std::size_t count) {
  return std::all_of(numbers, numbers + count, [](S x) { return std::isfinite(x); });
}
bool is_finite(const Vec& v) { return all_finite(v.a, 3); }

std::string text_of(const Vec& v) { return fmt::format("({} {} {})", v[0], v[1], v[2]); }

bool is_slot(const std::int32_t* coord) {
  return std::all_of(coord, coord + 3, [](std::int32_t c) { return c >= -last_slot && c <= last_slot; });
}

// the first place of a list that comes a second time, by a key; its size: none does
template <class T, class Key>
std::size_t first_double(std::span<const T> list, const Key& key) {
  std::vector<std::size_t> order(list.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(list[a]) < key(list[b]); });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (key(list[order[i - 1]]) == key(list[order[i]])) return order[i];
  return list.size();
}

std::string wrong_contact(const ContactMemory& m, std::size_t particles, std::size_t geoms) {
  if (m.particle >= particles || m.geom >= geoms)
    return fmt::format("particle {} and geom {}, which are not there", m.particle, m.geom);
  if (!is_finite(m.anchor) || !is_finite(m.force))
    return fmt::format("an anchor at {} m with a force of {} N", text_of(m.anchor), text_of(m.force));
  if (!(std::fabs(norm(m.normal) - 1) < unit_slack))
    return fmt::format("a normal {} that is not of length 1", text_of(m.normal));
  if (!(m.stiffness >= 0) || !std::isfinite(m.stiffness)) return fmt::format("a stiffness of {} N/m", m.stiffness);
  if (!(m.wall >= 0) || !std::isfinite(m.wall)) return fmt::format("a wall of {} m", m.wall);
  if (!(m.radius >= 0) || !std::isfinite(m.radius)) return fmt::format("a ball of radius {} m", m.radius);
  return "";
}

template <int D, class S>
std::string wrong_point(const Point<D, S>& p, double reach) {
  for (int d = 0; d < D; ++d)
    if (!(std::fabs(double(p.x[d])) < reach))
      return fmt::format("a position of {} m, beyond the grid's {} m", p.x[d], reach);
  if (!all_finite(p.F, D * D)) return "a deformation gradient that is not finite";
  if (!std::isfinite(p.plastic)) return fmt::format("a plastic state of {}", p.plastic);
  return "";
}

// by id
template <int D, class S>
std::vector<const Point<D, S>*> by_id(const Buffer<Point<D, S>>& points) {
  std::vector<const Point<D, S>*> list(points.size());
  for (const Point<D, S>& p : points) list[std::size_t(p.id)] = &p;
  return list;
}

}  // namespace

std::string wrong_time(double time) {
  return time >= 0 && std::isfinite(time) ? "" : fmt::format("the time is {} s", time);
}

std::string wrong_steps(std::uint64_t steps, double time) {
  const bool fits = steps < most_steps && (steps == 0) == (time == 0);
  return fits ? "" : fmt::format("{} steps were taken in {} s", steps, time);
}

std::string wrong_boundaries(std::span<const BoundaryMotion> boundaries) {
  for (std::size_t i = 0; i < boundaries.size(); ++i)
    if (!is_finite(boundaries[i].center) || !is_finite(boundaries[i].velocity))
      return fmt::format("boundary {} is at {} m with {} m/s", i, text_of(boundaries[i].center),
                         text_of(boundaries[i].velocity));
  return "";
}

std::string wrong_actuations(std::span<const std::array<double, 9>> stresses) {
  for (std::size_t g = 0; g < stresses.size(); ++g) {
    const std::array<double, 9>& s = stresses[g];
    if (!all_finite(s.data(), 9) || s[1] != s[3] || s[2] != s[6] || s[5] != s[7])
      return fmt::format("the stress of piece of matter {} is not finite and symmetric", g);
  }
  return "";
}

std::string wrong_actuator_values(std::span<const double> values) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k])) return fmt::format("the value of actuator {} is {}", k, values[k]);
  return "";
}

template <class S>
std::string wrong_elasticity(const Model<S>& model, const Inputs& inputs) {
  if (!inputs.elasticity) return "";
  const std::vector<Elasticity>& all = *inputs.elasticity;
  if (all.size() != model.particle_count())
    return fmt::format("{} entries for {} particles", all.size(), model.particle_count());
  for (std::size_t g = 0; g < model.groups.size(); ++g)
    for (std::size_t i = model.groups[g].begin; i < model.groups[g].end; ++i) {
      const Elasticity& e = all[i];
      if (e.E == 0 && e.nu == 0) continue;
      if (!takes_own_moduli(model.materials[g]) || !is_elasticity(e))
        return fmt::format("particle {} has E = {} Pa and nu = {}", i, e.E, e.nu);
    }
  return "";
}
template std::string wrong_elasticity(const Model<float>&, const Inputs&);
template std::string wrong_elasticity(const Model<double>&, const Inputs&);

std::string wrong_boundary_velocities(std::span<const Vec> velocities) {
  for (std::size_t i = 0; i < velocities.size(); ++i)
    if (!is_finite(velocities[i])) return fmt::format("boundary {} has {} m/s", i, text_of(velocities[i]));
  return "";
}

std::string wrong_contacts(std::span<const ContactMemory> contacts, std::size_t particles, std::size_t geoms) {
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (const std::string wrong = wrong_contact(contacts[i], particles, geoms); !wrong.empty())
      return fmt::format("contact {} has {}", i, wrong);
  const std::size_t twice = first_double(contacts, [](const ContactMemory& m) { return std::tie(m.particle, m.geom); });
  if (twice == contacts.size()) return "";
  return fmt::format("contact {}: particle {} and geom {} are there twice", twice, contacts[twice].particle,
                     contacts[twice].geom);
}

std::string wrong_warm(std::span<const WarmSlot> slots) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!is_slot(slots[i].coord)) return fmt::format("slot {} lies outside of the grid", i);
    if (!all_finite(slots[i].change[0], std::size(slots[i].change) * 3))
      return fmt::format("slot {} has changes of velocity that are not finite", i);
  }
  const std::size_t twice =
      first_double(slots, [](const WarmSlot& s) { return std::tie(s.coord[0], s.coord[1], s.coord[2]); });
  return twice == slots.size() ? "" : fmt::format("slot {} is there twice", twice);
}

std::string wrong_held(std::span<const BoundaryMemory> held, std::size_t boundaries) {
  for (std::size_t i = 0; i < held.size(); ++i) {
    const BoundaryMemory& m = held[i];
    if (!is_slot(m.slot) || m.node < 0 || m.node >= block_nodes<3>)
      return fmt::format("entry {}: node {} lies outside of the grid", i, m.node);
    if (m.boundary < 0 || std::size_t(m.boundary) >= boundaries)
      return fmt::format("entry {}: boundary {} is not there", i, m.boundary);
    if (!is_finite(m.push)) return fmt::format("entry {}: an impulse of {} m/s", i, text_of(m.push));
  }
  const std::size_t twice = first_double(
      held, [](const BoundaryMemory& m) { return std::tie(m.slot[0], m.slot[1], m.slot[2], m.node, m.boundary); });
  return twice == held.size() ? "" : fmt::format("entry {}: its node and boundary are there twice", twice);
}

std::string wrong_holds(std::span<const MotionHold> holds) {
  for (std::size_t i = 0; i < holds.size(); ++i)
    if (!std::isfinite(holds[i].control) || !std::isfinite(holds[i].since) || holds[i].since < 0)
      return fmt::format("motion {} has a control held at {} since {} s", i, holds[i].control, holds[i].since);
  return "";
}

template <int D, class S>
std::string wrong_max_speed(double max_speed, const Particles<D, S>& particles, bool has_cloth) {
  double fastest = 0;
  for (const ParticleVelocity<D, S>& q : particles.velocities)
    for (int d = 0; d < D; ++d) fastest = std::max(fastest, std::fabs(double(q.v[d])));
  // cloth pulls at its particles after the largest speed was found
  const bool fits = has_cloth ? max_speed >= 0 && std::isfinite(max_speed) : max_speed == fastest;
  if (fits) return "";
  return fmt::format("the largest speed is {} m/s, but that of the fastest particle {} m/s", max_speed, fastest);
}

template <int D, class S>
std::string wrong_points(const Model<S>& model, const Buffer<Point<D, S>>& points, const Buffer<Point<D, S>>& known) {
  const double reach = max_cell * model.scene.step.cell;
  std::vector<const Point<D, S>*> mates = by_id(known);
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    const auto [begin, end] = model.groups[g];
    for (std::size_t k = begin; k < end; ++k) {
      const Point<D, S>& p = points[k];
      if (p.id < begin || p.id >= end || !mates[std::size_t(p.id)])
        return fmt::format("particle {} has id {}, which is another's; '{}' has {} to {}, each once", k, p.id,
                           model.scene.matter[g].name, begin, end - 1);
      const Point<D, S>& mate = *std::exchange(mates[std::size_t(p.id)], nullptr);
      if (p.mass != mate.mass || p.volume != mate.volume)
        return fmt::format("particle {} has {} kg and a volume of {}, not its own {} kg and {}", k, p.mass, p.volume,
                           mate.mass, mate.volume);
      if (const std::string wrong = wrong_point(p, reach); !wrong.empty())
        return fmt::format("particle {} has {}", k, wrong);
    }
  }
  return "";
}

template <int D, class S>
std::string wrong_velocities(const Buffer<ParticleVelocity<D, S>>& velocities) {
  for (std::size_t k = 0; k < velocities.size(); ++k)
    if (!all_finite(velocities[k].v, D) || !all_finite(velocities[k].C, D * D))
      return fmt::format("particle {} has a velocity that is not finite", k);
  return "";
}

template std::string wrong_max_speed(double, const Particles<2, float>&, bool);
template std::string wrong_max_speed(double, const Particles<3, float>&, bool);
template std::string wrong_max_speed(double, const Particles<2, double>&, bool);
template std::string wrong_max_speed(double, const Particles<3, double>&, bool);
template std::string wrong_points(const Model<float>&, const Buffer<Point<2, float>>&, const Buffer<Point<2, float>>&);
template std::string wrong_points(const Model<float>&, const Buffer<Point<3, float>>&, const Buffer<Point<3, float>>&);
template std::string wrong_points(const Model<double>&, const Buffer<Point<2, double>>&,
                                  const Buffer<Point<2, double>>&);
template std::string wrong_points(const Model<double>&, const Buffer<Point<3, double>>&,
                                  const Buffer<Point<3, double>>&);
template std::string wrong_velocities(const Buffer<ParticleVelocity<2, float>>&);
template std::string wrong_velocities(const Buffer<ParticleVelocity<3, float>>&);
template std::string wrong_velocities(const Buffer<ParticleVelocity<2, double>>&);
template std::string wrong_velocities(const Buffer<ParticleVelocity<3, double>>&);

}  // namespace pliant::world
