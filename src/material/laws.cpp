#include "material/laws.h"

#include <cmath>

namespace pliant {

template <class S>
AnyLaw<S> make_law(const Material& material) {
  switch (material.law) {
    case Law::linear: return Linear<S>::make(material);
    case Law::linear_corotated: return LinearCorotated<S>::make(material);
    case Law::fixed_corotated: return FixedCorotated<S>::make(material);
    case Law::neo_hookean: return NeoHookean<S>::make(material);
    case Law::hencky: return Hencky<S>::make(material);
    case Law::sand: return Sand<S>::make(material);
    case Law::liquid: return Liquid<S>::make(material);
    case Law::eraser: return Eraser<S>::make(material);
    case Law::snow: return Snow<S>::make(material);
    case Law::cloth: return Cloth<S>::make(material);
  }
  return NeoHookean<S>::make(material);
}
template AnyLaw<float> make_law<float>(const Material&);
template AnyLaw<double> make_law<double>(const Material&);

// of the stiffest of its springs, whose mass is that of the vertices or of the centroids alone
static double cloth_speed(const Material& m) {
  const auto law = Cloth<double>::make(m);
  const double plane = m.E / (1 - m.nu * m.nu);
  const double share = min(Cloth<double>::centroid_share, 1 - Cloth<double>::centroid_share);
  return std::sqrt(max(plane, max(law.normal, law.shear)) / (share * m.density));
}

double sound_speed(const Material& material, double plastic) {
  const Lame l = lame(material);
  switch (material.law) {
    case Law::liquid: return std::sqrt(material.bulk_modulus / material.density);
    // the bulk modulus lambda + 2 mu/D, larger in the plane
    case Law::eraser: return std::sqrt((l.lambda + l.mu) / material.density);
    case Law::snow:
      return std::sqrt((l.lambda + 2 * l.mu) * snow_stiffening(material.hardening, plastic) / material.density);
    case Law::cloth: return cloth_speed(material);
    default: return std::sqrt((l.lambda + 2 * l.mu) / material.density);
  }
}

double momentum_diffusivity(const Material& material) {
  return material.law == Law::liquid ? material.viscosity / material.density : 0;
}

}  // namespace pliant
