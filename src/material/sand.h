// Drucker-Prager sand on logarithmic strain (Klar et al. 2016) with the volume correction of Tampubolon et al. 2017.
#pragma once

#include "material/flow.h"
#include "material/logarithmic.h"
#include "material/namespace.h"

#include <cmath>

namespace pliant::material {

template <class S>
struct Sand : LogarithmicElasticity<S> {
  S sine;      // of the friction angle
  S cohesion;  // logarithmic strain at the apex of the cone

  static constexpr const char* name = "sand";
  static constexpr const char* what = "Drucker-Prager on hencky, with volume correction";
  static constexpr std::array parameters = {
      parameter::E, parameter::nu, parameter::friction,
      Parameter{"friction_angle", &Material::friction_angle, "degrees", {0, 90, false, true}, "of sand on sand"},
      Parameter{"cohesion", &Material::cohesion, "", {0, 1}, "logarithmic strain that it bears in tension"}};
  static constexpr bool plastic = true;
  static constexpr Flow flows = Flow::in_step;
  static constexpr bool flows_in_windows = true;
  static constexpr bool yields_by_pressure = true;

  static bool lasts(const Material&) { return false; }
  static Sand make(const Material& material) {
    const Lame l = lame(material);
    constexpr double degree = 3.14159265358979323846 / 180;
    return {{{}, S(l.mu), S(l.lambda)}, S(std::sin(material.friction_angle * degree)), S(material.cohesion)};
  }

  // Yield |dev tau| = -friction tr tau. In space: the cone through the Mohr-Coulomb law in triaxial compression. In the
  // plane: Mohr-Coulomb itself.
  template <int D>
  S friction() const {
    if constexpr (D == 2) return sine * S(0.70710678118654752440);
    return S(0.81649658092772603273) * 2 * sine / (3 - sine);
  }

  // memory.plastic is the logarithm of the volume gained while apart, which is given back before sand is pressed again
  template <class T, int D>
  [[gnu::flatten]] void return_map(Matrix<T, D>& F, Memory<T, D>& memory) const {
    const S mu = this->mu, lambda = this->lambda;
    const LogStrain<T, D> e(F);
    // volume strain from the apex of the cone
    const T sum = e.sum + memory.plastic - T(S(D) * cohesion);
    const T allowed = T((S(D) * lambda + 2 * mu) / (2 * mu) * friction<D>()) * max(-sum, T(0));
    const Truth<T> apart = sum > T(0), slides = e.deviator > allowed;
    const Truth<T> moves = apart | slides | !(memory.plastic == T(0));
    if (!any_of(moves)) return;

    // apart: to the apex; sliding: onto the cone at the same volume
    const T kept = select(slides, allowed / max(e.deviator, T(S(1e-30))), T(1));
    F = select(moves, e.changed(F, kept, min(sum, T(0)) + T(S(D) * cohesion)), F);
    memory.plastic = max(sum, T(0));
  }

  bool yields() const { return true; }

  // by the pressure of F
  template <class T>
  T yield_strain(const Matrix<T, 3>& F, const T& plastic) const {
    const S cone = (3 * this->lambda + 2 * this->mu) / (2 * this->mu) * friction<3>();
    return T(cone) * max(T(3 * cohesion) - plastic - LogStrain<T, 3>(F).sum, T(0));
  }

  template <class T>
  LogarithmicFlow<T> flow_in_step(const StepStart<T>& start) const {
    return {T(this->mu), T(this->lambda + 2 * this->mu / 3), start.yield, start.plastic, T(3 * cohesion)};
  }
  template <class T>
  Stressed<T> flowing(const Matrix<T, 3>& F, const StepStart<T>& start) const {
    return flow_in_step(start).stressed(F);
  }
};

}  // namespace pliant::material
