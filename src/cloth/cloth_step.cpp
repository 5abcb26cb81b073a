#include "cloth/cloth_step.h"

#include <algorithm>

namespace pliant::cloth {
namespace {

constexpr std::size_t grain = 512;  // vertices or triangles

}  // namespace

template <class S>
ClothStep<S>::ClothStep(const Sheet<S>& sheet, const Cloth<S>& law, const Group& group)
    : sheet_(sheet), group_(group), forces_(sheet, law) {
  place_.resize(group.end - group.begin);
  is_held_.resize(sheet.vertices);
  held_.reserve(sheet.pinned.size());
}

template <class S>
void ClothStep<S>::on_sorted(const Buffer<Point<3, S>>& points, Workers& workers) {
  workers.for_each(group_.end - group_.begin, grain, [&](std::size_t i) {
    place_[std::size_t(points[group_.begin + i].id) - group_.begin] = std::uint32_t(group_.begin + i);
  });
}

template <class S>
void ClothStep<S>::hold(std::span<const PinNow> pins, Particles<3, S>& particles, std::span<Vec> impulses) {
  held_.clear();
  for (const PinnedVertex& p : sheet_.pinned) {
    const PinNow& pin = pins[p.pin];
    is_held_[p.vertex] = pin.held;
    if (!pin.held) continue;
    held_.push_back({p.vertex, p.pin, pin.velocity});
    Point<3, S>& point = particles.points[place_[p.vertex]];
    ParticleVelocity<3, S>& velocities = particles.velocities[place_[p.vertex]];
    for (int d = 0; d < 3; ++d) {
      impulses[p.pin][d] += double(point.mass) * (double(S(pin.velocity[d])) - double(velocities.v[d]));
      point.x[d] = S(p.start[d] + pin.offset[d]);
      velocities.v[d] = S(pin.velocity[d]);
    }
  }
}

template <class S>
template <bool settles>
void ClothStep<S>::run_elements(std::size_t first, Buffer<Point<3, S>>& points) {
  TrianglePack<S> pack;
  pack.count = int(std::min(std::size_t(pack.lanes), sheet_.elements.size() - first));
  for (int l = 0; l < pack.lanes; ++l) {
    pack.number[l] = std::uint32_t(first) + std::uint32_t(std::min(l, pack.count - 1));
    const S* F = points[place_[sheet_.vertices + pack.number[l]]].F;
    for (int d = 0; d < 3; ++d) pack.director[d].set(l, F[3 * d + 2]);
  }
  forces_.template pull<settles>(pack);
  for (int l = 0; l < pack.count && settles; ++l) {
    Point<3, S>& point = points[place_[sheet_.vertices + pack.number[l]]];
    const std::uint32_t* corner = sheet_.elements[pack.number[l]].corner;
    for (int k = 0; k < 9; ++k) point.F[k] = pack.F.a[k][l];
    for (int d = 0; d < 3; ++d)
      point.x[d] = (forces_.at(corner[0]).a[d] + forces_.at(corner[1]).a[d] + forces_.at(corner[2]).a[d]) * S(1.0 / 3);
  }
}

template <class S>
template <bool settles>
void ClothStep<S>::run(Buffer<Point<3, S>>& points, Workers& workers) {
  workers.for_each(sheet_.vertices, grain, [&](std::size_t v) {
    Point<3, S>& point = points[place_[v]];
    for (int d = 0; d < 3; ++d) forces_.at(v).a[d] = point.x[d];
    // vertices have no F; the grid has moved it
    for (int k = 0; k < 9 && settles; ++k) point.F[k] = S(k % 4 == 0);
  });
  constexpr std::size_t lanes = std::size_t(Wide<S>::lanes);
  workers.for_each((sheet_.elements.size() + lanes - 1) / lanes, grain / lanes,
                   [&](std::size_t k) { run_elements<settles>(k * lanes, points); });
  forces_.bend(workers);
}

template <class S>
void ClothStep<S>::follow(Buffer<Point<3, S>>& points, Workers& workers) {
  run<true>(points, workers);
}

template <class S>
void ClothStep<S>::stress(Buffer<Point<3, S>>& points, Workers& workers) {
  run<false>(points, workers);
}

template <class S>
void ClothStep<S>::shift(const InnerSheet<S>& inner, Buffer<Point<3, S>>& points, Workers& workers) const {
  workers.for_each(place_.size(), grain, [&](std::size_t i) {
    S* x = points[place_[i]].x;
    if (i < sheet_.vertices) {
      for (int d = 0; d < 3; ++d) x[d] += inner.shift_of(i).a[d];
      return;
    }
    for (const std::uint32_t v : sheet_.elements[i - sheet_.vertices].corner)
      for (int d = 0; d < 3; ++d) x[d] += S(1.0 / 3) * inner.shift_of(v).a[d];
  });
}

template <class S>
void ClothStep<S>::take_shifts(const InnerSheet<S>& inner, Buffer<Point<3, S>>& points, Workers& workers) {
  workers.for_each(place_.size(), grain, [&](std::size_t i) {
    Point<3, S>& point = points[place_[i]];
    for (int d = 0; d < 3; ++d)
      if (i < sheet_.vertices)
        point.x[d] += inner.shift_of(i).a[d];
      else
        point.F[3 * d + 2] += inner.turn_of(i - sheet_.vertices).a[d];
  });
}

template <class S>
void ClothStep<S>::push(double dt, Particles<3, S>& particles, Workers& workers, std::span<Vec> impulses) {
  workers.for_each(sheet_.vertices, grain, [&](std::size_t v) {
    if (is_held_[v]) return;
    const S per_mass = S(dt) / particles.points[place_[v]].mass;
    const Pack<S, 4> force = forces_.pull_on(v) + forces_.bend_on(v);
    ParticleVelocity<3, S>& velocities = particles.velocities[place_[v]];
    for (int d = 0; d < 3; ++d) velocities.v[d] += per_mass * force[d];
  });
  bear(dt, dt, impulses);
}

template <class S>
void ClothStep<S>::bear(double dt, double bend_dt, std::span<Vec> impulses) const {
  for (const HeldVertex& h : held_) {
    const Pack<S, 4> pull = forces_.pull_on(h.vertex), bend = forces_.bend_on(h.vertex);
    for (int d = 0; d < 3; ++d) impulses[h.pin][d] -= dt * double(pull[d]) + bend_dt * double(bend[d]);
  }
}

template <class S>
double ClothStep<S>::bending_energy(const Buffer<Point<3, S>>& points, Workers& workers) {
  workers.for_each(sheet_.vertices, grain, [&](std::size_t v) {
    for (int d = 0; d < 3; ++d) forces_.at(v).a[d] = points[place_[v]].x[d];
  });
  return forces_.bending_energy(workers);
}

template class ClothStep<float>;
template class ClothStep<double>;

}  // namespace pliant::cloth
