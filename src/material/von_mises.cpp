#include "material/von_mises.h"

#include "core/error.h"
#include "material/laws.h"

#include <cmath>

namespace pliant::material {
namespace {

// matter that is pressed or turned inside out further than this counts as if it had this volume
constexpr double least_volume_ratio = 1e-6;

template <int D, class L>
double von_mises_of(const L& law, const double* numbers, double plastic) {
  Matrix<double, D> F;
  for (int k = 0; k < D * D; ++k) F.a[k] = numbers[k];
  const Matrix<double, D> tau = law.kirchhoff(F, Memory<double, D>{F, plastic});
  const Matrix<double, D> dev = add_diagonal(tau, trace(tau) / -double(D));
  return std::sqrt(1.5 * inner(dev, dev)) / std::max(std::fabs(determinant(F)), least_volume_ratio);
}

}  // namespace

std::vector<double> von_mises(const Material& material, int dimension, std::span<const double> F,
                              std::span<const double> plastic) {
  check(material);
  const std::size_t size = std::size_t(dimension) * std::size_t(dimension);
  if ((dimension != 2 && dimension != 3) || F.size() != size * plastic.size()) {
    fail(ErrorCode::bad_input,
         "von Mises stress: {} numbers of F for {} of plastic in {} dimensions; give 4 numbers each in 2, 9 in 3",
         F.size(), plastic.size(), dimension);
  }
  std::vector<double> stress(plastic.size());
  const auto fill = [&](const auto& law) {
    for (std::size_t i = 0; i < stress.size(); ++i) {
      const double* numbers = F.data() + size * i;
      stress[i] =
          dimension == 2 ? von_mises_of<2>(law, numbers, plastic[i]) : von_mises_of<3>(law, numbers, plastic[i]);
    }
  };
  std::visit(fill, make_law<double>(material));
  return stress;
}

}  // namespace pliant::material
