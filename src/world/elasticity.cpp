#include "world/elasticity.h"

#include "core/error.h"
#include "material/law_info.h"
#include "step/own_moduli.h"

#include <cmath>

namespace pliant::world {
namespace {

// float has no such numbers beyond
constexpr double most = 1e30;

template <class S>
void check_piece(const Model<S>& model, std::size_t g) {
  const std::string& matter = model.scene.matter[g].name;
  if (!takes_own_moduli(model.materials[g]))
    fail(ErrorCode::bad_input,
         "elasticity of '{}': particles of law '{}' have that of their material; give it another law (linear, "
         "fixed_corotated, neo_hookean), or cut it into pieces of several materials",
         matter, name(model.materials[g].law));
  if (model.scene.step.method == Method::strong)
    fail(ErrorCode::bad_input,
         "elasticity of '{}': the strong step does not read that of particles; use 'method: async' or 'one_way'",
         matter);
}

}  // namespace

bool is_elasticity(const Elasticity& e) { return e.E > 0 && e.E < most && e.nu > -1 && e.nu < 0.5; }

template <class S>
std::shared_ptr<const std::vector<Elasticity>> with_elasticity(const Model<S>& model, std::size_t g,
                                                               std::span<const double> E, std::span<const double> nu,
                                                               const Inputs& inputs) {
  check_piece(model, g);
  const std::string& matter = model.scene.matter[g].name;
  const Group group = model.groups[g];
  const std::size_t count = group.end - group.begin;
  const std::pair<const char*, std::span<const double>> columns[] = {{"E", E}, {"nu", nu}};
  for (const auto& [what, list] : columns)
    if (!list.empty() && list.size() != count)
      fail(ErrorCode::bad_input, "{} of '{}': {} numbers for {} particles; give one of each", what, matter, list.size(),
           count);
  const std::vector<std::array<double, 2>> present = elasticity_of(model, g, inputs);
  auto all = inputs.elasticity ? std::make_shared<std::vector<Elasticity>>(*inputs.elasticity)
                               : std::make_shared<std::vector<Elasticity>>(model.particle_count());
  for (std::size_t i = 0; i < count; ++i) {
    const Elasticity e = {E.empty() ? present[i][0] : E[i], nu.empty() ? present[i][1] : nu[i]};
    if (!is_elasticity(e))
      fail(ErrorCode::bad_input,
           "elasticity of '{}': particle {} has E = {} Pa and nu = {}; give E > 0 and nu between -1 and 0.5", matter, i,
           e.E, e.nu);
    (*all)[group.begin + i] = e;
  }
  return all;
}

template <class S>
std::vector<std::array<double, 2>> elasticity_of(const Model<S>& model, std::size_t g, const Inputs& inputs) {
  std::vector<std::array<double, 2>> list;
  for (std::size_t i = model.groups[g].begin; i < model.groups[g].end; ++i) {
    const bool own = inputs.elasticity && (*inputs.elasticity)[i].E > 0;
    list.push_back({own ? (*inputs.elasticity)[i].E : model.materials[g].E,
                    own ? (*inputs.elasticity)[i].nu : model.materials[g].nu});
  }
  return list;
}

template std::shared_ptr<const std::vector<Elasticity>> with_elasticity(const Model<float>&, std::size_t,
                                                                        std::span<const double>,
                                                                        std::span<const double>, const Inputs&);
template std::shared_ptr<const std::vector<Elasticity>> with_elasticity(const Model<double>&, std::size_t,
                                                                        std::span<const double>,
                                                                        std::span<const double>, const Inputs&);
template std::vector<std::array<double, 2>> elasticity_of(const Model<float>&, std::size_t, const Inputs&);
template std::vector<std::array<double, 2>> elasticity_of(const Model<double>&, std::size_t, const Inputs&);

}  // namespace pliant::world
