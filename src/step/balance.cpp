#include "step/balance.h"

#include "implicit/spin.h"

#include <cmath>

namespace pliant::step {
namespace {

constexpr std::size_t piece = 1024;  // particles

// what the affine velocities carry, per mass and square of C
struct AffineInertia {
  double stretch, spin;
};

AffineInertia affine_inertia(const StepOptions& step, double volume) {
  if (step.transfer == Transfer::pic || step.kernel != Kernel::quadratic) return {0, 0};
  const double all = inertia_on_nodes(step.cell);
  const bool own = step.method == Method::strong && step.transfer == Transfer::mls;
  return {all, own ? inertia_of_cube(volume, step.cell) : all};
}

template <int D, class S>
void add_particle(const Point<D, S>& p, const ParticleVelocity<D, S>& q, const StepOptions& step, Balance& b) {
  const double m = p.mass;
  const AffineInertia inertia = affine_inertia(step, p.volume);
  double x[3] = {0, 0, 0}, v[3] = {0, 0, 0}, affine_energy = 0;
  for (int d = 0; d < D; ++d) {
    x[d] = p.x[d];
    v[d] = q.v[d];
  }
  const auto C = [&](int i, int j) { return i < D && j < D ? double(q.C[i * D + j]) : 0.0; };
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) {
      const double stretch = (C(i, j) + C(j, i)) / 2, spin = (C(i, j) - C(j, i)) / 2;
      affine_energy += inertia.stretch * stretch * stretch + inertia.spin * spin * spin;
    }
  b.mass += m;
  for (int d = 0; d < 3; ++d) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    b.momentum[d] += m * v[d];
    b.angular_momentum[d] += m * (x[e] * v[f] - x[f] * v[e]) + m * inertia.spin * (C(f, e) - C(e, f));
    b.gravity_energy -= d < D ? m * step.gravity[d] * x[d] : 0;
  }
  b.kinetic_energy += 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + affine_energy);
}

// elastic energy and volume of a run of particles of one law
template <class L, int D, class S>
void add_law(const L& law, const Moduli<S>* moduli, const Point<D, S>* points, std::size_t count, Balance& b) {
  using P = Wide<S>;
  // the volume in which a particle's stress acts, over its own
  double reach = 1;
  if constexpr (requires { L::centroid_share; }) reach = 1 / L::centroid_share;
  for (std::size_t i = 0; i < count; i += P::lanes) {
    auto F = Matrix<P, D>::zero();
    P plastic = 0;
    for (int l = 0; l < P::lanes; ++l) {
      const Point<D, S>& p = points[std::min(i + std::size_t(l), count - 1)];
      for (int k = 0; k < D * D; ++k) F.a[k].set(l, p.F[k]);
      plastic.set(l, p.plastic);
    }
    P energy = law.energy(F, Memory<P, D>{F, plastic});
    if constexpr (takes_moduli<L>)
      if (moduli) {
        Moduli<P> own = {P(0), P(0)};
        for (int l = 0; l < P::lanes; ++l) {
          const Moduli<S>& m = moduli[std::size_t(points[std::min(i + std::size_t(l), count - 1)].id)];
          own.mu.set(l, m.mu);
          own.lambda.set(l, m.lambda);
        }
        energy = energy_of(law, own, F);
      }
    const P J = determinant(F);
    for (std::size_t l = 0; l < std::min<std::size_t>(P::lanes, count - i); ++l) {
      b.elastic_energy += reach * double(points[i + l].volume) * double(energy[int(l)]);
      b.volume += double(points[i + l].volume) * double(J[int(l)]);
    }
  }
}

void add(Balance& total, const Balance& part) {
  total.mass += part.mass;
  for (int d = 0; d < 3; ++d) {
    total.momentum[d] += part.momentum[d];
    total.angular_momentum[d] += part.angular_momentum[d];
  }
  total.kinetic_energy += part.kinetic_energy;
  total.elastic_energy += part.elastic_energy;
  total.gravity_energy += part.gravity_energy;
  total.volume += part.volume;
}

}  // namespace

template <int D, class S>
Balance balance(const Model<S>& model, const State<D, S>& state, Workspace<D, S>& work) {
  Balance total;
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    const Group group = model.groups[g];
    const std::size_t pieces = (group.end - group.begin + piece - 1) / piece;
    work.partial_balances.assign(pieces, Balance{});
    work.workers.for_each(pieces, 4, [&](std::size_t k) {
      const std::size_t begin = group.begin + k * piece, end = std::min(group.end, begin + piece);
      Balance& b = work.partial_balances[k];
      for (std::size_t i = begin; i < end; ++i)
        add_particle(state.particles.points[i], state.particles.velocities[i], model.scene.step, b);
      const Moduli<S>* moduli = work.own_moduli ? work.own_moduli->of(g) : nullptr;
      std::visit([&](const auto& law) { add_law(law, moduli, state.particles.points.data() + begin, end - begin, b); },
                 model.laws[g]);
    });
    for (const Balance& b : work.partial_balances) add(total, b);
  }
  if constexpr (D == 3) total.elastic_energy += work.sheets.bending_energy(state.particles.points, work.workers);
  return total;
}

template Balance balance(const Model<float>&, const State<2, float>&, Workspace<2, float>&);
template Balance balance(const Model<float>&, const State<3, float>&, Workspace<3, float>&);
template Balance balance(const Model<double>&, const State<2, double>&, Workspace<2, double>&);
template Balance balance(const Model<double>&, const State<3, double>&, Workspace<3, double>&);

}  // namespace pliant::step
