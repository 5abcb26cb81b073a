// Plastic flow inside of an implicit step: energies whose derivative is the stress after the return mapping. Of the
// deviator e of the strain it is mu |e|^2 up to the yield strain r and goes on straight, with the slope 2 mu r; of the
// volume it is a parabola that goes on straight where matter bears no more tension. Equations: implicit/README.md.
#pragma once

#include "material/law.h"
#include "material/namespace.h"
#include "material/principal.h"
#include "material/rotation.h"
#include "material/stretch_log.h"

namespace pliant::material {

// a strain that nothing reaches
inline constexpr double never_yields = 1e18;

// Pa: |dev tau|_F of matter that yields. Pulled along one axis by the yield stress s, dev tau is s (2/3, -1/3, -1/3).
inline double yield_deviator(const Material& material) { return std::sqrt(2.0 / 3) * material.yield; }

// Of each particle, at a strain of this size: the energy, its first derivative over the size, and what its second
// derivative is less than that.
template <class P>
struct YieldingSpring {
  P energy, slope, missing;
};
template <class P>
inline YieldingSpring<P> yielding_spring(P mu, P size, P yield) {
  const Truth<P> flows = size > yield;
  const P kept = min(size, yield), safe = select(flows, size, P(1));
  const P slope = P(2) * mu * select(flows, kept / safe, P(1));
  return {mu * kept * (size + (size - kept)), slope, select(flows, slope, P(0))};
}

// hencky or sand in principal axes, with the limits of each particle
template <class P>
struct LogarithmicFlow {
  P mu, bulk;  // Pa
  P yield;     // largest |dev l|
  P gained;    // volume strain that is given back before there is pressure
  P largest;   // volume strain, counted from there, at which tension no longer grows

  // the energy at stretches s, and its derivatives by their logarithms l: `pull`, and the matrix
  // bulk 1 1^T + slope (1 - 1 1^T / 3) - missing n n^T
  struct Point {
    Jet<P> l[3];
    P n[3], pull[3];
    P energy, bulk, slope, missing;
  };
  Point at(const Vector<P, 3>& s) const {
    using S = Scalar<P>;
    Point r;
    for (int i = 0; i < 3; ++i) r.l[i] = stretch_log(s[i]);
    const P sum = r.l[0].value + r.l[1].value + r.l[2].value, mean = sum * P(S(1) / S(3));
    P square = P(0);
    for (int i = 0; i < 3; ++i) {
      r.n[i] = r.l[i].value - mean;
      square += r.n[i] * r.n[i];
    }
    const P size = sqrt(square), volume = sum + gained, held = min(volume, largest);
    const YieldingSpring<P> shape = yielding_spring(mu, size, yield);
    for (int i = 0; i < 3; ++i) {
      r.pull[i] = shape.slope * r.n[i] + bulk * held;
      r.n[i] = r.n[i] / max(size, P(S(1e-30)));
    }
    r.energy = shape.energy + bulk * held * (volume - P(S(0.5)) * held);
    r.bulk = select(volume > largest, P(0), bulk);
    r.slope = shape.slope;
    r.missing = shape.missing;
    return r;
  }

  Stressed<P> stressed(const Matrix<P, 3>& F) const {
    const Svd<P, 3> f = svd(F);
    const Point p = at(f.sigma);
    Matrix<P, 3> scaled;
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) scaled(i, k) = f.U(i, k) * (p.l[k].first * p.pull[k]);
    return {p.energy, scaled * transpose(f.V)};
  }

  PrincipalDifferential<P> principal_differential(const Vector<P, 3>& s, const P&) const {
    using S = Scalar<P>;
    const Point p = at(s);
    const P mixed = p.bulk - P(S(1) / S(3)) * p.slope;
    PrincipalDifferential<P> r;
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) {
        const P slopes = p.l[i].first * p.l[j].first;
        const P both = slopes * (mixed - p.missing * p.n[i] * p.n[j]);
        if (i == j) {
          r.stretch(i, i) = p.l[i].second * p.pull[i] + p.slope * slopes + both;
          continue;
        }
        r.stretch(i, j) = r.stretch(j, i) = both;
        const LogSlopes<P> log = stretch_log_slopes(s[i], s[j]);
        r.pairs(i, j) = p.slope * p.l[i].first * log.value + p.pull[j] * log.first;
        r.pairs(j, i) = (p.l[i].first * p.pull[i] + p.l[j].first * p.pull[j]) / guarded_sum(s[i], s[j]);
      }
    return r;
  }
};

}  // namespace pliant::material
