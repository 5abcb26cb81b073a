#include "gradient/parameters.h"

#include "material/lame.h"
#include "material/law_info.h"

#include <cmath>

namespace pliant::gradient {
namespace {

constexpr double degree = 3.14159265358979323846 / 180;

Material nothing() {
  Material zero;
  zero.density = 0;
  for (const ListedParameter& p : all_parameters()) zero.*p.parameter.member = 0;
  return zero;
}

}  // namespace

// mu = E / (2 (1 + nu)), lambda = E nu / q, q = (1 + nu)(1 - 2 nu)
ElasticBar elastic_bar(double E, double nu, double mu_bar, double lambda_bar) {
  const double q = (1 + nu) * (1 - 2 * nu);
  return {mu_bar / (2 * (1 + nu)) + lambda_bar * nu / q,
          -mu_bar * E / (2 * (1 + nu) * (1 + nu)) + lambda_bar * E * (1 + 2 * nu * nu) / (q * q)};
}

Material material_bar(const Material& material, double loss_viscosity, const PieceSums& sums) {
  Material bar = nothing();
  const LawBar<double>& law = sums.law;
  bar.density = sums.density;
  if (material.law == Law::liquid) {
    bar.bulk_modulus = law[0];
    bar.gamma = law[1];
    bar.viscosity = law[2];
    return bar;
  }
  double mu_bar = law[0];
  // 2 loss size sqrt(mu density)/pi
  if (loss_viscosity > 0) {
    bar.loss = sums.loss_viscosity * loss_viscosity / material.loss;
    bar.density += sums.loss_viscosity * loss_viscosity / (2 * material.density);
    mu_bar += sums.loss_viscosity * loss_viscosity / (2 * lame(material).mu);
  }
  const ElasticBar elastic = elastic_bar(material.E, material.nu, mu_bar, law[1]);
  bar.E = elastic.E;
  bar.nu = elastic.nu;
  if (reads(material.law, parameter::yield)) bar.yield = std::sqrt(2.0 / 3) * law[2];
  if (material.law == Law::sand) {
    bar.friction_angle = law[2] * std::cos(material.friction_angle * degree) * degree;
    bar.cohesion = law[3];
  }
  if (material.law == Law::snow) {
    bar.hardening = law[2];
    bar.critical_compression = -law[3];
    bar.critical_stretch = law[4];
  }
  return bar;
}

}  // namespace pliant::gradient
