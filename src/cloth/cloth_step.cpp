#include "cloth/cloth_step.h"

#include "cloth/hinge.h"

namespace pliant {
namespace {

constexpr std::size_t grain = 512;  // vertices or hinges

// rows of numbers, one lane per triangle
template <class S, int Count>
struct Rows {
  static constexpr int lanes = Wide<S>::lanes;
  alignas(64) S row[Count][lanes];

  Vector<Wide<S>, 3> vector(int first) const {
    return {{Wide<S>::load(row[first]), Wide<S>::load(row[first + 1]), Wide<S>::load(row[first + 2])}};
  }
  void set(int first, const Vector<Wide<S>, 3>& v) {
    for (int d = 0; d < 3; ++d) v[d].store(row[first + d]);
  }
};

}  // namespace

template <class S>
ClothStep<S>::ClothStep(const Sheet<S>& sheet, const Cloth<S>& law, const Group& group)
    : sheet_(sheet), law_(law), group_(group) {
  place_.resize(group.end - group.begin);
  at_.resize(sheet.vertices);
  forces_.resize(3 * sheet.elements.size() + 4 * sheet.hinges.size());
  is_held_.resize(sheet.vertices);
}

template <class S>
void ClothStep<S>::take_order(const Buffer<Point<3, S>>& points, Workers& workers) {
  workers.for_each(group_.end - group_.begin, grain, [&](std::size_t i) {
    place_[std::size_t(points[group_.begin + i].id) - group_.begin] = std::uint32_t(group_.begin + i);
  });
}

template <class S>
void ClothStep<S>::hold(std::span<const PinNow> pins, Particles<3, S>& particles, std::span<Vec> impulses) {
  for (const PinnedVertex& p : sheet_.pinned) {
    const PinNow& pin = pins[p.pin];
    is_held_[p.vertex] = pin.held;
    if (!pin.held) continue;
    Point<3, S>& point = particles.points[place_[p.vertex]];
    Rates<3, S>& rates = particles.rates[place_[p.vertex]];
    for (int d = 0; d < 3; ++d) {
      impulses[p.pin][d] += double(point.mass) * (double(S(pin.velocity[d])) - double(rates.v[d]));
      point.x[d] = S(p.start[d] + pin.offset[d]);
      rates.v[d] = S(pin.velocity[d]);
    }
  }
}

template <class S>
template <bool settles>
void ClothStep<S>::run_elements(std::size_t first, Buffer<Point<3, S>>& points) {
  using P = Wide<S>;
  const std::size_t count = std::min(std::size_t(P::lanes), sheet_.elements.size() - first);
  Rows<S, 14> in;  // two edges, d3, inverse, volume
  for (int l = 0; l < P::lanes; ++l) {
    // lanes past the end repeat the last triangle
    const std::size_t e = first + std::min(std::size_t(l), count - 1);
    const Element<S>& element = sheet_.elements[e];
    const Quad &a = at_[element.corner[0]], &b = at_[element.corner[1]], &c = at_[element.corner[2]];
    const S* F = points[place_[sheet_.vertices + e]].F;
    for (int d = 0; d < 3; ++d) {
      in.row[d][l] = b.a[d] - a.a[d];
      in.row[3 + d][l] = c.a[d] - a.a[d];
      in.row[6 + d][l] = F[3 * d + 2];
    }
    for (int k = 0; k < 4; ++k) in.row[9 + k][l] = element.inverse[k];
    in.row[13][l] = element.volume;
  }

  const Vector<P, 3> d1 = in.vector(0), d2 = in.vector(3);
  const P i00 = P::load(in.row[9]), i01 = P::load(in.row[10]), i10 = P::load(in.row[11]), i11 = P::load(in.row[12]);
  Matrix<P, 3> F;
  for (int d = 0; d < 3; ++d) {
    F(d, 0) = d1[d] * i00 + d2[d] * i10;
    F(d, 1) = d1[d] * i01 + d2[d] * i11;
    F(d, 2) = P::load(in.row[6 + d]);
  }
  if constexpr (settles) law_.settle(F);

  // forces on the corners: minus the volume times the derivative by the edges
  const Matrix<P, 3> stress = law_.stress(F, Memory<P, 3>{F, P(0)});
  const P scale = P(0) - P::load(in.row[13]);
  Rows<S, 6> out;
  for (int d = 0; d < 3; ++d) {
    (scale * (stress(d, 0) * i00 + stress(d, 1) * i01)).store(out.row[d]);
    (scale * (stress(d, 0) * i10 + stress(d, 1) * i11)).store(out.row[3 + d]);
  }
  Rows<S, 9> settled;
  for (int k = 0; k < 9 && settles; ++k) F.a[k].store(settled.row[k]);
  for (int l = 0; l < int(count); ++l) {
    const std::size_t e = first + std::size_t(l);
    Quad* f = &forces_[3 * e];
    for (int d = 0; d < 3; ++d) {
      f[1].a[d] = out.row[d][l];
      f[2].a[d] = out.row[3 + d][l];
      f[0].a[d] = -out.row[d][l] - out.row[3 + d][l];
    }
    if constexpr (!settles) continue;
    Point<3, S>& point = points[place_[sheet_.vertices + e]];
    const std::uint32_t* corner = sheet_.elements[e].corner;
    for (int k = 0; k < 9; ++k) point.F[k] = settled.row[k][l];
    for (int d = 0; d < 3; ++d)
      point.x[d] = (at_[corner[0]].a[d] + at_[corner[1]].a[d] + at_[corner[2]].a[d]) * S(1.0 / 3);
  }
}

template <class S>
void ClothStep<S>::run_hinges(std::size_t first) {
  using P = Wide<S>;
  const std::size_t count = std::min(std::size_t(P::lanes), sheet_.hinges.size() - first);
  Rows<S, 14> in;  // four corners, stiffness, rest angle
  for (int l = 0; l < P::lanes; ++l) {
    // lanes past the end repeat the last hinge
    const Hinge<S>& hinge = sheet_.hinges[first + std::min(std::size_t(l), count - 1)];
    for (int k = 0; k < 4; ++k)
      for (int d = 0; d < 3; ++d) in.row[3 * k + d][l] = at_[hinge.corner[k]].a[d];
    in.row[12][l] = hinge.stiffness;
    in.row[13][l] = hinge.rest_angle;
  }
  const Vector<P, 3> x[4] = {in.vector(0), in.vector(3), in.vector(6), in.vector(9)};
  const HingeAngle<P> now = hinge_angle(x);
  const P moment = P::load(in.row[12]) * (P::load(in.row[13]) - now.angle);
  Rows<S, 12> out;
  for (int k = 0; k < 4; ++k) out.set(3 * k, moment * now.gradient[k]);
  for (int l = 0; l < int(count); ++l) {
    Quad* f = &forces_[3 * sheet_.elements.size() + 4 * (first + std::size_t(l))];
    for (int k = 0; k < 4; ++k)
      for (int d = 0; d < 3; ++d) f[k].a[d] = out.row[3 * k + d][l];
  }
}

template <class S>
template <bool settles>
void ClothStep<S>::run(Buffer<Point<3, S>>& points, Workers& workers) {
  workers.for_each(sheet_.vertices, grain, [&](std::size_t v) {
    Point<3, S>& point = points[place_[v]];
    for (int d = 0; d < 3; ++d) at_[v].a[d] = point.x[d];
    // vertices have no F; the grid has moved it
    for (int k = 0; k < 9 && settles; ++k) point.F[k] = S(k % 4 == 0);
  });
  constexpr std::size_t lanes = std::size_t(Wide<S>::lanes);
  workers.for_each((sheet_.elements.size() + lanes - 1) / lanes, grain / lanes,
                   [&](std::size_t k) { run_elements<settles>(k * lanes, points); });
  workers.for_each((sheet_.hinges.size() + lanes - 1) / lanes, grain / lanes,
                   [&](std::size_t k) { run_hinges(k * lanes); });
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
Vector<S, 3> ClothStep<S>::force_on(std::size_t vertex) const {
  auto sum = Vector<S, 3>::zero();
  for (std::uint32_t k = sheet_.share_starts[vertex]; k < sheet_.share_starts[vertex + 1]; ++k) {
    const Quad& f = forces_[sheet_.shares[k]];
    for (int d = 0; d < 3; ++d) sum[d] += f.a[d];
  }
  return sum;
}

template <class S>
void ClothStep<S>::push(double dt, Particles<3, S>& particles, Workers& workers, std::span<Vec> impulses) {
  workers.for_each(sheet_.vertices, grain, [&](std::size_t v) {
    if (is_held_[v]) return;
    const S per_mass = S(dt) / particles.points[place_[v]].mass;
    const Vector<S, 3> force = force_on(v);
    Rates<3, S>& rates = particles.rates[place_[v]];
    for (int d = 0; d < 3; ++d) rates.v[d] += per_mass * force[d];
  });
  // pins bear what pulls at their vertices
  for (const PinnedVertex& p : sheet_.pinned) {
    if (!is_held_[p.vertex]) continue;
    const Vector<S, 3> force = force_on(p.vertex);
    for (int d = 0; d < 3; ++d) impulses[p.pin][d] -= dt * double(force[d]);
  }
}

template <class S>
double ClothStep<S>::bending_energy(const Buffer<Point<3, S>>& points) const {
  double sum = 0;
  for (const Hinge<S>& hinge : sheet_.hinges) {
    Vec x[4];
    for (int k = 0; k < 4; ++k)
      for (int d = 0; d < 3; ++d) x[k][d] = points[place_[hinge.corner[k]]].x[d];
    const double bend = hinge_angle(x).angle - double(hinge.rest_angle);
    sum += 0.5 * double(hinge.stiffness) * bend * bend;
  }
  return sum;
}

template class ClothStep<float>;
template class ClothStep<double>;

}  // namespace pliant
