// Linear corotated elasticity with von Mises yield (S1, Sec. VI): quadratic in F about the rotation R0 that the
// particle had at the start of the step, so that an implicit step is one linear solve. With memory.start = F it is the
// usual corotated law.
#pragma once

#include "material/flow.h"
#include "material/jet.h"
#include "material/law.h"
#include "material/namespace.h"
#include "material/turned.h"

namespace pliant::material {

template <class S>
struct LinearCorotated : ElasticSolid {
  S mu, lambda;
  S deviator;  // Pa, largest |dev tau|_F; 0: never yields

  // a particle that turned by more than acos(this) in one step is mapped back about its new rotation instead of R0
  static constexpr S least_cosine = S(0.1);
  static constexpr const char* name = "linear_corotated";
  static constexpr const char* what =
      "quadratic about the rotation at the start of the step, von Mises yield (S1, Sec. VI)";
  static constexpr std::array parameters = {parameter::E, parameter::nu, parameter::loss, parameter::friction,
                                            parameter::yield};
  static constexpr bool plastic = true;
  static constexpr bool quadratic = true;
  static constexpr bool about_start = true;
  static constexpr Flow flows = Flow::if_asked;  // S1's law stays quadratic unless it is asked for more

  static LinearCorotated make(const Material& material) {
    const Lame l = lame(material);
    return {{}, S(l.mu), S(l.lambda), S(yield_deviator(material))};
  }

  template <class T, int D>
  T energy(const Matrix<T, D>& F, const Memory<T, D>& memory) const {
    const Matrix<T, D> strain = add_diagonal(stretch(rotation_of(memory.start), F), T(-1));
    const T volume = trace(strain);
    return T(mu) * inner(strain, strain) + T(lambda / 2) * (volume * volume);
  }

  template <class T, int D>
  Matrix<T, D> stress(const Matrix<T, D>& F, const Memory<T, D>& memory) const {
    const Matrix<T, D> R0 = rotation_of(memory.start);
    const Matrix<T, D> strain = add_diagonal(stretch(R0, F), T(-1));
    return R0 * add_diagonal(T(2 * mu) * strain, T(lambda) * trace(strain));
  }

  // with A = R0 F^T: mu (F F^T + A A) + (lambda (tr A - D) - 2 mu) A
  template <class T, int D>
  [[gnu::flatten]] Matrix<T, D> kirchhoff(const Matrix<T, D>& F, const Memory<T, D>& memory) const {
    const Matrix<T, D> A = rotation_of(memory.start) * transpose(F);
    const T pull = T(lambda) * (trace(A) - T(D)) - T(2 * mu);
    return symmetric_product(T(mu), F, F) + T(mu) * (A * A) + pull * A;
  }

  template <class T, int D>
  Matrix<T, D> differential(const Matrix<T, D>&, const Matrix<T, D>& dF, const Memory<T, D>& memory) const {
    const Matrix<T, D> R0 = rotation_of(memory.start);
    const Matrix<T, D> dE = stretch(R0, dF);
    return R0 * add_diagonal(T(2 * mu) * dE, T(lambda) * trace(dE));
  }

  // S1, Algorithm 1. The projection of the eigenvalues of S (Eq. 25) shrinks its deviator; no eigenvectors are needed.
  template <class T, int D>
  [[gnu::flatten]] void return_map(Matrix<T, D>& F, Memory<T, D>& memory) const {
    if (!(deviator > 0)) return;
    const T radius = T(deviator / (2 * mu));
    const Matrix<T, D> R0 = rotation_of(memory.start);
    Matrix<T, D> stretched = stretch(R0, F);
    Truth<T> yields = norm_of_deviator(stretched) > radius;
    if (!any_of(yields)) return;

    // the turn M = R0^T R of the step; where it is too large for Eq. 26, R0 = R
    const Matrix<T, D> R = rotation_of(F);
    Matrix<T, D> M = transpose(R0) * R;
    const Truth<T> lost = cosine_of(M) < T(least_cosine);
    M = select(lost, Matrix<T, D>::identity(), M);
    stretched = select(lost, stretch(R, F), stretched);

    const T size = norm_of_deviator(stretched);
    yields = yields & (size > radius);
    const T kept = radius / max(size, radius);
    const T mean = trace(stretched) * T(S(1) / S(D));
    const Matrix<T, D> projected = add_diagonal(kept * add_diagonal(stretched, -mean), mean);
    F = select(yields, R * turned_back(M, projected), F);
    memory.plastic = select(yields, memory.plastic + (size - radius), memory.plastic);
  }

  // strains of the strong step are of l A^T
  template <class T>
  Matrix<T, 3> frame(const StepStart<T>& start) const {
    return start.rotation * transpose(start.F);
  }

  // R0 is known there
  template <class T>
  Stressed<T> stressed(const Matrix<T, 3>& F, const StepStart<T>& start) const {
    const Matrix<T, 3> e = add_diagonal(symmetric_part(transpose(start.rotation) * F), T(-1));
    const T volume = trace(e);
    return {T(mu) * inner(e, e) + T(lambda / 2) * (volume * volume),
            start.rotation * add_diagonal(T(2 * mu) * e, T(lambda) * volume)};
  }

  bool yields() const { return deviator > 0; }

  template <class T>
  T yield_strain(const Matrix<T, 3>&, const T&) const {
    return T(deviator > 0 ? deviator / (2 * mu) : S(never_yields));
  }

  // the strain about R0 in the frame of the end: its volume, its deviator and what that costs
  template <class T>
  struct Flowing {
    T volume;
    Matrix<T, 3> deviator;
    T size;
    YieldingSpring<T> spring;
  };
  template <class T>
  Flowing<T> flow_in_step(const Matrix<T, 3>& F, const StepStart<T>& start) const {
    Flowing<T> r;
    r.deviator = symmetric_part(F * transpose(start.rotation));
    const T stretch = trace(r.deviator);
    r.deviator = add_diagonal(r.deviator, T(S(-1) / 3) * stretch);
    r.volume = stretch - T(3);
    r.size = sqrt(inner(r.deviator, r.deviator));
    r.spring = yielding_spring(T(mu), r.size, start.yield);
    return r;
  }

  template <class T>
  Stressed<T> flowing(const Matrix<T, 3>& F, const StepStart<T>& start) const {
    const Flowing<T> at = flow_in_step(F, start);
    const T pressure = T(bulk()) * at.volume;
    return {at.spring.energy + T(S(0.5)) * pressure * at.volume,
            add_diagonal(at.spring.slope * at.deviator, pressure) * start.rotation};
  }

  S bulk() const { return lambda + 2 * mu / 3; }

 private:
  // S of Eq. 23, the symmetric part of R0^T F
  template <class T, int D>
  static Matrix<T, D> stretch(const Matrix<T, D>& R0, const Matrix<T, D>& F) {
    return symmetric_part(transpose(R0) * F);
  }
  template <class T, int D>
  static T norm_of_deviator(const Matrix<T, D>& A) {
    const Matrix<T, D> dev = add_diagonal(A, trace(A) * T(S(-1) / S(D)));
    return sqrt(inner(dev, dev));
  }
};

}  // namespace pliant::material
