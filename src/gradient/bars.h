// Derivatives of a loss: by all that a particle is, and by what acts on all of them. "Bar" is the mark that such a
// derivative has in formulas.
#pragma once

#include "gradient/namespace.h"
#include "grid/boundary.h"
#include "material/laws_back.h"

#include <vector>

namespace pliant::gradient {

// numbers of a record
template <int D, class S>
Matrix<S, D> matrix_of(const S* a) {
  Matrix<S, D> m;
  for (int k = 0; k < D * D; ++k) m.a[k] = a[k];
  return m;
}
template <int D, class S>
Vector<S, D> vector_of(const S* a) {
  Vector<S, D> v;
  for (int k = 0; k < D; ++k) v[k] = a[k];
  return v;
}

template <int D, class S>
struct PointBar {
  S x[D], v[D];
  S F[D * D], C[D * D];
  S plastic, mass;
  S law[law_numbers];  // by the numbers of its law
};

// of the particles of a piece in one step
template <int D>
struct PieceBar {
  Matrix<double, D> actuation = Matrix<double, D>::zero();  // by the stress in the material frame
  double shear_viscosity = 0;                               // by that of the loss

  void add(const PieceBar& other) {
    actuation += other.actuation;
    shear_viscosity += other.shear_viscosity;
  }
};

// besides particles, of one step
template <int D>
struct StepBar {
  std::vector<PieceBar<D>> pieces;
  std::vector<Vec> boundary_velocities;  // where the nodes inside of a boundary are taken as they are
  std::vector<double> frictions;         // of boundaries
  Vec gravity = Vec::zero();
};

}  // namespace pliant::gradient
