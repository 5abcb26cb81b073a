#include "contact/piece_surface.h"

#include <algorithm>
#include <cmath>

namespace pliant::contact {
namespace {

// a vertex counts with at least and at most this part of its area at rest, so that no contact is without a spring
constexpr double least_part = 0.05, most_part = 4;

}  // namespace

// areas follow the cofactors of F
template <class S>
double facing_area(const PieceSurface& piece, std::uint32_t vertex, const S* F, const Vector<double, 3>& n) {
  Matrix<double, 3> deformation;
  std::copy_n(F, 9, deformation.a);
  const double area = piece.areas[vertex];
  return std::clamp(-dot(cofactor(deformation) * piece.facing[vertex], n), least_part * area, most_part * area);
}

template double facing_area(const PieceSurface&, std::uint32_t, const float*, const Vector<double, 3>&);
template double facing_area(const PieceSurface&, std::uint32_t, const double*, const Vector<double, 3>&);

}  // namespace pliant::contact
