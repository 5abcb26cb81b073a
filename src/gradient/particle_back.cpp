#include "gradient/particle_back.h"

#include "material/return_back.h"

namespace pliant::gradient {
namespace {

template <int D, class S>
void add(const Matrix<S, D>& m, S* a) {
  for (int k = 0; k < D * D; ++k) a[k] += m.a[k];
}

template <int D, class S>
Matrix<S, D> shear_of(const Matrix<S, D>& A) {
  return add_diagonal(symmetric_part(A), trace(A) * (S(-1) / S(D)));
}

// the law with the particle's own moduli, if it has some
template <class L, int D, class S>
L own_law(const L& law, const PieceStep<D, S>& step, const Point<D, S>& p) {
  if constexpr (takes_moduli<L>)
    if (step.moduli) return with_moduli(law, step.moduli[std::size_t(p.id)]);
  return law;
}

// the stress of grid/advance.cpp
template <class L, int D, class S>
Matrix<S, D> stress_of(const L& law, const PieceStep<D, S>& step, const Point<D, S>& p, const Matrix<S, D>& C) {
  const Matrix<S, D> F = matrix_of<D>(p.F);
  Matrix<S, D> tau = F * step.actuation * transpose(F) + (2 * step.shear_viscosity) * shear_of(C);
  if constexpr (!L::sheet) tau += law.kirchhoff(F, Memory<S, D>{F, p.plastic});
  if constexpr (L::viscous) tau += law.viscous_kirchhoff(determinant(F), C);
  return tau;
}

template <class L, int D, class S>
void stress_of_back(const L& law, const PieceStep<D, S>& step, const Point<D, S>& p, const Matrix<S, D>& C,
                    const Matrix<S, D>& X, PointBar<D, S>& bar, PieceBar<D>& piece) {
  const Matrix<S, D> F = matrix_of<D>(p.F);
  if constexpr (!L::sheet) {
    const StressBack<S, D> back = kirchhoff_back(law, F, p.plastic, X);
    add<D>(back.F, bar.F);
    bar.plastic += back.plastic;
    for (int k = 0; k < law_numbers; ++k) bar.law[k] += back.law[k];
  }
  if constexpr (std::is_same_v<L, Liquid<S>>) {
    const ViscousBack<S, D> back = viscous_back(law.viscosity, F, C, X);
    add<D>(back.F, bar.F);
    add<D>(back.C, bar.C);
    bar.law[2] += back.viscosity;
  }
  // shear of the loss, and actuation F a F^T
  add<D>((2 * step.shear_viscosity) * shear_of(X), bar.C);
  piece.shear_viscosity += 2 * double(inner(X, shear_of(C)));
  const Matrix<S, D> Fa = F * step.actuation, a_bar = transpose(F) * X * F;
  add<D>(transpose(X) * Fa + X * (F * transpose(step.actuation)), bar.F);
  for (int k = 0; k < D * D; ++k) piece.actuation.a[k] += double(a_bar.a[k]);
}

template <class L>
constexpr bool known_return = !L::plastic;
template <class S>
constexpr bool known_return<Hencky<S>> = true;
template <class S>
constexpr bool known_return<Sand<S>> = true;
template <class S>
constexpr bool known_return<Liquid<S>> = true;
template <class S>
constexpr bool known_return<Eraser<S>> = true;
template <class S>
constexpr bool known_return<Snow<S>> = true;
template <class S>
constexpr bool known_return<LinearCorotated<S>> = true;

}  // namespace

template <class S>
bool goes_back(const AnyLaw<S>& law) {
  return std::visit(
      []<class L>(const L&) {
        constexpr bool known_viscosity = !L::viscous || std::is_same_v<L, Liquid<S>>;
        return !L::sheet && known_return<L> && known_viscosity;
      },
      law);
}

template <int D, class S>
Matrix<S, D> advect_back(const AnyLaw<S>& law, S dt, const Point<D, S>& p, const Matrix<S, D>& gradient,
                         PointBar<D, S>& bar) {
  const Matrix<S, D> F = matrix_of<D>(p.F), grow = add_diagonal(dt * gradient, S(1));
  const ReturnBack<S, D> back = std::visit(
      [&]<class L>(const L& l) {
        if constexpr (known_return<L> && !L::sheet)
          return return_back(l, grow * F, Memory<S, D>{F, p.plastic}, matrix_of<D>(bar.F), bar.plastic);
        else
          return unchanged_back(matrix_of<D>(bar.F), bar.plastic);
      },
      law);
  const Matrix<S, D> F_bar = transpose(grow) * back.F + back.start;
  for (int k = 0; k < D * D; ++k) bar.F[k] = F_bar.a[k];
  bar.plastic = back.plastic;
  for (int k = 0; k < law_numbers; ++k) bar.law[k] += back.law[k];
  return dt * (back.F * transpose(F));
}

template <int D, class S>
Matrix<S, D> stress_impulse_of(const AnyLaw<S>& law, const PieceStep<D, S>& step, const Point<D, S>& p,
                               const Matrix<S, D>& C) {
  const Matrix<S, D> tau = std::visit([&](const auto& l) { return stress_of(own_law(l, step, p), step, p, C); }, law);
  return (step.dt * p.volume) * tau;
}

template <int D, class S>
void stress_impulse_back(const AnyLaw<S>& law, const PieceStep<D, S>& step, const Point<D, S>& p, const Matrix<S, D>& C,
                         const Matrix<S, D>& impulse_bar, PointBar<D, S>& bar, PieceBar<D>& piece) {
  const Matrix<S, D> X = (step.dt * p.volume) * impulse_bar;
  std::visit([&](const auto& l) { stress_of_back(own_law(l, step, p), step, p, C, X, bar, piece); }, law);
}

template bool goes_back(const AnyLaw<float>&);
template bool goes_back(const AnyLaw<double>&);
template Matrix<float, 2> advect_back(const AnyLaw<float>&, float, const Point<2, float>&, const Matrix<float, 2>&,
                                      PointBar<2, float>&);
template Matrix<float, 2> stress_impulse_of(const AnyLaw<float>&, const PieceStep<2, float>&, const Point<2, float>&,
                                            const Matrix<float, 2>&);
template void stress_impulse_back(const AnyLaw<float>&, const PieceStep<2, float>&, const Point<2, float>&,
                                  const Matrix<float, 2>&, const Matrix<float, 2>&, PointBar<2, float>&, PieceBar<2>&);
template Matrix<double, 2> advect_back(const AnyLaw<double>&, double, const Point<2, double>&, const Matrix<double, 2>&,
                                       PointBar<2, double>&);
template Matrix<double, 2> stress_impulse_of(const AnyLaw<double>&, const PieceStep<2, double>&,
                                             const Point<2, double>&, const Matrix<double, 2>&);
template void stress_impulse_back(const AnyLaw<double>&, const PieceStep<2, double>&, const Point<2, double>&,
                                  const Matrix<double, 2>&, const Matrix<double, 2>&, PointBar<2, double>&,
                                  PieceBar<2>&);
template Matrix<float, 3> advect_back(const AnyLaw<float>&, float, const Point<3, float>&, const Matrix<float, 3>&,
                                      PointBar<3, float>&);
template Matrix<float, 3> stress_impulse_of(const AnyLaw<float>&, const PieceStep<3, float>&, const Point<3, float>&,
                                            const Matrix<float, 3>&);
template void stress_impulse_back(const AnyLaw<float>&, const PieceStep<3, float>&, const Point<3, float>&,
                                  const Matrix<float, 3>&, const Matrix<float, 3>&, PointBar<3, float>&, PieceBar<3>&);
template Matrix<double, 3> advect_back(const AnyLaw<double>&, double, const Point<3, double>&, const Matrix<double, 3>&,
                                       PointBar<3, double>&);
template Matrix<double, 3> stress_impulse_of(const AnyLaw<double>&, const PieceStep<3, double>&,
                                             const Point<3, double>&, const Matrix<double, 3>&);
template void stress_impulse_back(const AnyLaw<double>&, const PieceStep<3, double>&, const Point<3, double>&,
                                  const Matrix<double, 3>&, const Matrix<double, 3>&, PointBar<3, double>&,
                                  PieceBar<3>&);

}  // namespace pliant::gradient
