// A batch of particles on its way back through the scatter of one substep and the gather of the one before: what goes lane
// by lane. What goes by nodes: field_packs.h and grid/transfer_packs.h. Equations and their names: README.md.
#pragma once

#include "gradient/bars.h"
#include "gradient/field_packs.h"
#include "gradient/laws_packs_back.h"
#include "gradient/namespace.h"

#include <limits>

namespace pliant::gradient {

// numbers beyond this are on their way to infinity
template <class S>
constexpr S huge = std::numeric_limits<S>::max() / 16;

template <int D, class S>
struct BatchBack {
  static constexpr int stride = Batch<D, S>::stride;
  Batch<D, S> now;             // particles when the substep before began, and the flow that they then took
  Batch<D, S> bars;            // derivatives, in a record of the shape of a particle
  Batch<D, S> flow_bars;       // by v and C
  PackRows<D, S> at, to;       // places when the substep before began, and when this one did
  FieldRows<D, S> flow, pull;  // what is taken there of velocities, and of the derivatives by momenta and masses
  alignas(64) S mu[stride] = {}, lambda[stride] = {};  // of each particle, where they differ

  // derivatives by mu and lambda have the places of two numbers that no law without memory has
  S* mu_bar() { return bars.plastic(); }
  S* lambda_bar() { return bars.volume(); }
  // rows end with a whole pack
  void fill_up() {
    fill_up(now.word, Batch<D, S>::words);
    fill_up(bars.word, Batch<D, S>::words);
  }
  // velocities that were loaded
  void fill_up(Batch<D, S>& moving) {
    fill_up(moving.v, D);
    fill_up(moving.affine, D * D);
  }

 private:
  // a batch that is loaded ends with a whole pack of half the width
  void fill_up(S (*rows)[stride], int number) {
    const int end = (now.count + Wide<S>::lanes - 1) / Wide<S>::lanes * Wide<S>::lanes;
    if (end % Broad<S>::lanes == 0) return;
    for (int k = 0; k < number; ++k) Wide<S>(rows[k][now.count - 1]).store(rows[k] + end);
  }
};

// where the nodes were filled in: a place that was taken again may be off by the last bit and fall into the next cell,
// with weights that are nothing there
template <int D, class S>
struct PackBounds {
  S low[D], high[D];  // of a first node

  explicit PackBounds(unsigned overhang) {
    for (int d = 0; d < D; ++d) {
      low[d] = overhang >> (2 * d) & 1u ? S(0) : S(arena_margin);
      high[d] = overhang >> (2 * d) & 2u ? S(arena_side - 3) : S(arena_margin + block_side - 1);
    }
  }
};

// of the piece that a batch is of
template <int D, class S>
struct PieceOfBatch {
  S dt, h;
  Matrix<S, D> actuation;
  S shear_viscosity;
  const Moduli<S>* moduli;  // by id, where particles have their own

  bool is_actuated() const { return inner(actuation, actuation) > 0; }
};

// what the particles of a piece in a block sum up to
template <int D, class P>
struct PieceLanes {
  Matrix<P, D> actuation;
  P shear_viscosity;

  void clear() {
    actuation = Matrix<P, D>::zero();
    shear_viscosity = 0;
  }
  static double sum(const P& x) {
    double sum = 0;
    for (int l = 0; l < P::lanes; ++l) sum += double(x[l]);
    return sum;
  }
  void add_to(PieceBar<D>& piece) const {
    for (int k = 0; k < D * D; ++k) piece.actuation.a[k] += sum(actuation.a[k]);
    piece.shear_viscosity += sum(shear_viscosity);
  }
};

template <class P, int D>
inline Matrix<P, D> deviator(const Matrix<P, D>& A) {
  return add_diagonal(symmetric_part(A), trace(A) * P(Scalar<P>(-1) / Scalar<P>(D)));
}

// lanes from row i on that are particles, of `count`
template <class P>
inline Truth<P> counting(int i, int count) {
  P lane;
  for (int l = 0; l < P::lanes; ++l) lane.set(l, Scalar<P>(l));
  return lane < P(Scalar<P>(count - i));
}

// places of a pack of particles at x; gives the first nodes
template <int D, class S>
inline Vector<Broad<S>, D> locate_pack(const Vector<Broad<S>, D>& x, const PackStep<D, S>& step,
                                       const PackBounds<D, S>& bounds, PackRows<D, S>& rows, int i) {
  using P = Broad<S>;
  Vector<P, D> base;
  P index = 0;
#pragma GCC unroll 3
  for (int d = 0; d < D; ++d) {
    const P y = x[d] * step.inv_h - P(step.origin[d]);
    base[d] = max(min(floor(y - P(S(0.5))), P(bounds.high[d])), P(bounds.low[d]));
    (y - base[d]).store(rows.f[d] + i);
    index = index * S(arena_side) + base[d];
  }
  index.store(rows.index + i);
  return base;
}

// weights of a pack in its place
template <int D, class S>
inline void weigh_pack(PackRows<D, S>& rows, int i) {
  using P = Broad<S>;
  P w[3 * D];
#pragma GCC unroll 3
  for (int d = 0; d < D; ++d) {
    const P f = P::load(rows.f[d] + i), a = P(S(1.5)) - f, b = f - P(1), c = f - P(S(0.5));
    w[3 * d] = S(0.5) * a * a;
    w[3 * d + 1] = S(0.75) - b * b;
    w[3 * d + 2] = S(0.5) * c * c;
  }
  store_weights(w, rows, i);
}

template <int D, class S>
inline void place_before(BatchBack<D, S>& b, const PackStep<D, S>& step, const PackBounds<D, S>& bounds,
                         PackReach<D, S, Broad<S>>& reach) {
  using P = Broad<S>;
  for (int i = 0; i < b.now.count; i += P::lanes) {
    Vector<P, D> x;
    for (int d = 0; d < D; ++d) x[d] = P::load(b.now.x(d) + i);
    const Vector<P, D> base = locate_pack<D, S>(x, step, bounds, b.at, i);
    for (int d = 0; d < D; ++d) {
      reach.low[d] = min(reach.low[d], base[d]);
      reach.high[d] = max(reach.high[d], base[d]);
    }
    weigh_pack(b.at, i);
  }
}

// v and C from what was taken of the nodes
template <int D, class S>
inline void take_flow(BatchBack<D, S>& b, const PackStep<D, S>& step) {
  using P = Broad<S>;
  const P scale = 4 * step.inv_h;
  for (int i = 0; i < b.now.count; i += P::lanes) {
    const FieldPack<D, S> flow(b.flow, b.at, i);
#pragma GCC unroll 3
    for (int k = 0; k < D; ++k) {
      flow.value(k).store(b.now.v[k] + i);
#pragma GCC unroll 3
      for (int d = 0; d < D; ++d) (scale * flow.moment(k, d)).store(b.now.affine[D * k + d] + i);
    }
  }
}

// x + dt v; dt = 0: there was no substep before
template <int D, class S>
inline void place_after(BatchBack<D, S>& b, const PackStep<D, S>& step, const PackBounds<D, S>& bounds) {
  using P = Broad<S>;
  for (int i = 0; i < b.now.count; i += P::lanes) {
    Vector<P, D> x;
    for (int d = 0; d < D; ++d) x[d] = P::load(b.now.x(d) + i) + P(step.dt) * P::load(b.now.v[d] + i);
    locate_pack<D, S>(x, step, bounds, b.to, i);
  }
}

// Particles from row i on gave w (q + A d) and w m to the nodes: takes back what these have of it, to x, v and mass.
template <int D, class S>
inline void given_back(BatchBack<D, S>& b, const FieldPack<D, S>& pull, const Matrix<Broad<S>, D>& A, S inv_h, int i) {
  using P = Broad<S>;
  using Sums = FieldSums<D>;
  const P m = P::load(b.now.mass() + i);
  P q[D], by[D], by_mass = P::load(b.bars.mass() + i) + P::load(b.pull.mass[Sums::value] + i);
#pragma GCC unroll 3
  for (int k = 0; k < D; ++k) {
    const P v = P::load(b.now.v[k] + i), u = pull.value(k);
    q[k] = m * v;
    by_mass = by_mass + u * v;
    (m * u).store(b.flow_bars.v[k] + i);
  }
  pull.slopes(q, A, by);
#pragma GCC unroll 3
  for (int d = 0; d < D; ++d)
    (P::load(b.bars.x(d) + i) + P(inv_h) * (by[d] + m * P::load(b.pull.mass[Sums::slope(d)] + i)))
        .store(b.bars.x(d) + i);
  by_mass.store(b.bars.mass() + i);
}

// What a particle gave is w (m v + A d), A = m h C - (4/h) dt V tau, and w m: takes the derivatives by it to all that it
// was made of. `moved`: the dt that F went along with the flow, 0 if it did not.
template <class L, int D, class S>
void scatter_rows_back(const L& law, const PieceOfBatch<D, S>& piece, const PackStep<D, S>& step, BatchBack<D, S>& b,
                       PieceLanes<D, Broad<S>>& sums) {
  using P = Broad<S>;
  const P h = piece.h, shear = piece.shear_viscosity;
  const bool viscous = piece.shear_viscosity > 0, actuated = piece.is_actuated();
  for (int i = 0; piece.moduli && i < b.now.count; ++i) {
    b.mu[i] = piece.moduli[b.now.id(i)].mu;
    b.lambda[i] = piece.moduli[b.now.id(i)].lambda;
  }
  Matrix<P, D> a;
  for (int k = 0; k < D * D; ++k) a.a[k] = piece.actuation.a[k];
  for (int i = 0; i < b.now.count; i += P::lanes) {
    // lanes past the end count nowhere
    const P m = P::load(b.now.mass() + i),
            scale = select(counting<P>(i, b.now.count), P(-4 * piece.dt / piece.h) * P::load(b.now.volume() + i), P(0));
    const FieldPack<D, S> pull(b.pull, b.to, i);
    const Matrix<P, D> C = load_matrix<P, D>(b.now.affine, i);
    Matrix<P, D> F = load_matrix<P, D>(b.now.word + D, i), A_bar;
    F += P(step.dt) * (C * F);
#pragma GCC unroll 3
    for (int k = 0; k < D; ++k)
#pragma GCC unroll 3
      for (int d = 0; d < D; ++d) A_bar(k, d) = pull.moment(k, d);
    (P::load(b.bars.mass() + i) + h * inner(C, A_bar)).store(b.bars.mass() + i);
    const Matrix<P, D> X = scale * (L::tells_turns ? symmetric_part(A_bar) : A_bar);
    const Moduli<P> moduli = {piece.moduli ? P::load(b.mu + i) : P(law.mu),
                              piece.moduli ? P::load(b.lambda + i) : P(law.lambda)};
    PackStressBack<P, D> back = stress_back(law, moduli, F, X);
    (P::load(b.mu_bar() + i) + back.mu).store(b.mu_bar() + i);
    (P::load(b.lambda_bar() + i) + back.lambda).store(b.lambda_bar() + i);
    Matrix<P, D> C_bar = (m * h) * A_bar;
    // of which the symmetric part is asked for
    const Matrix<P, D> Y = transpose((L::tells_turns ? X : symmetric_part(X)) * F);
    sums.actuation += symmetric_product(P(1), transpose(F), Y);
    if (actuated) {
      back.tau += F * a * transpose(F);
      back.F += (X + transpose(X)) * F * a;
    }
    if (viscous) {
      back.tau += (P(2) * shear) * deviator(C);
      C_bar += (P(2) * shear) * deviator(X);
      sums.shear_viscosity += P(2) * inner(X, deviator(C));
    }
    store_matrix<D>(C_bar, b.flow_bars.affine, i);
    store_matrix<D>(load_matrix<P, D>(b.bars.word + D, i) + back.F, b.bars.word + D, i);
    given_back(b, pull, (m * h) * C + scale * back.tau, step.inv_h, i);
  }
}

// out[l] = lane l of a, b, c, d
template <class S>
inline void zip_broad(Broad<S> a, Broad<S> b, Broad<S> c, Broad<S> d, S (*out)[4]) {
  using P = Broad<S>;
  using Half = Wide<S>;
  if constexpr (std::is_same_v<P, Half>) {
    zip<S>(a, b, c, d, out);
  } else {
    const auto half = [](const P& x, int k) {
      Half h;
      std::memcpy(&h.v, reinterpret_cast<const char*>(&x.v) + std::size_t(k) * sizeof h.v, sizeof h.v);
      return h;
    };
    for (int k = 0; k < 2; ++k) zip<S>(half(a, k), half(b, k), half(c, k), half(d, k), out + k * Half::lanes);
  }
}

// x += dt v and F <- (1 + dt C) F backwards, and the places at which the flow was taken: leaves what goes to the nodes
template <int D, class S>
inline void flow_rows_back(BatchBack<D, S>& b, const PackStep<D, S>& step, int i) {
  using P = Broad<S>;
  const P dt = step.dt, scale = 4 * step.inv_h;
  const Matrix<P, D> F = load_matrix<P, D>(b.now.word + D, i), C = load_matrix<P, D>(b.now.affine, i),
                     F_bar = load_matrix<P, D>(b.bars.word + D, i);
  const Matrix<P, D> B = scale * (load_matrix<P, D>(b.flow_bars.affine, i) + dt * (F_bar * transpose(F)));
  store_matrix<D>(F_bar + dt * (transpose(C) * F_bar), b.bars.word + D, i);
  P q[D], by[D];
#pragma GCC unroll 3
  for (int k = 0; k < D; ++k) q[k] = P::load(b.flow_bars.v[k] + i) + dt * P::load(b.bars.x(k) + i);
  FieldPack<D, S>(b.flow, b.at, i).slopes(q, B, by);
#pragma GCC unroll 3
  for (int d = 0; d < D; ++d) (P::load(b.bars.x(d) + i) + P(step.inv_h) * by[d]).store(b.bars.x(d) + i);
    // from the particle to the first node
#pragma GCC unroll 3
  for (int k = 0; k < D; ++k)
#pragma GCC unroll 3
    for (int d = 0; d < D; ++d) q[k] = q[k] - B(k, d) * P::load(b.at.f[d] + i);
  zip_broad<S>(q[0], q[1], D == 2 ? P(0) : q[D - 1], P(0), b.at.q[0] + i);
#pragma GCC unroll 3
  for (int d = 0; d < D; ++d) zip_broad<S>(B(0, d), B(1, d), D == 2 ? P(0) : B(D - 1, d), P(0), b.at.q[1 + d] + i);
}

template <int D, class S>
inline bool is_finite(BatchBack<D, S>& b) {
  using P = Broad<S>;
  Truth<P> good = P(0) < P(1);
  for (int i = 0; i < b.now.count; i += P::lanes)
    for (int d = 0; d < D; ++d) good = good & (abs(P::load(b.bars.x(d) + i)) < P(huge<S>));
  return all_of(good);
}

}  // namespace pliant::gradient
