#include "step/own_moduli.h"

#include "core/error.h"
#include "material/law_info.h"
#include "material/laws.h"

#include <algorithm>

namespace pliant::step {

bool takes_own_moduli(const Material& material) {
  return std::visit([]<class L>(const L&) { return takes_moduli<L>; }, make_law<double>(material));
}

template <class S>
std::shared_ptr<const OwnModuli<S>> own_moduli(const Model<S>& model, const Inputs& inputs,
                                               std::shared_ptr<const OwnModuli<S>> last) {
  if (!inputs.elasticity) return nullptr;
  if (model.scene.step.method == Method::strong)
    fail(ErrorCode::bad_input,
         "particles have an E of their own, which the strong step does not read; use 'method: async' or 'one_way', or "
         "give pieces of matter their own materials");
  if (last && last->from == inputs.elasticity) return last;
  auto own = std::make_shared<OwnModuli<S>>();
  own->from = inputs.elasticity;
  own->of_particles.allocate(inputs.elasticity->size());
  own->has.assign(model.groups.size(), 0);
  own->waves.assign(model.groups.size(), 0);
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    Material material = model.materials[g];
    const Lame common = lame(material);
    for (std::size_t i = model.groups[g].begin; i < model.groups[g].end; ++i) {
      const Elasticity& e = (*inputs.elasticity)[i];
      own->of_particles[i] = {S(common.mu), S(common.lambda)};
      if (!(e.E > 0)) continue;
      material.E = e.E;
      material.nu = e.nu;
      const Lame l = lame(material);
      own->of_particles[i] = {S(l.mu), S(l.lambda)};
      own->has[g] = 1;
      own->waves[g] = std::max(own->waves[g], sound_speed(material, 0));
    }
  }
  return own;
}

template std::shared_ptr<const OwnModuli<float>> own_moduli(const Model<float>&, const Inputs&,
                                                            std::shared_ptr<const OwnModuli<float>>);
template std::shared_ptr<const OwnModuli<double>> own_moduli(const Model<double>&, const Inputs&,
                                                             std::shared_ptr<const OwnModuli<double>>);

}  // namespace pliant::step
