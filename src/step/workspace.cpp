#include "step/workspace.h"

#include "core/error.h"

namespace pliant::step {

template <int D, class S>
Workspace<D, S>::Workspace(const Model<S>& model, Workers& workers_, std::shared_ptr<mjData> data)
    : workers(workers_),
      paths(model.bodies.geoms),
      grid(model.scene.step.kernel == Kernel::compact ? 2 : 1),
      sweep(model.scene.step.kernel, model.scene.step.transfer, workers_.threads()),
      sheets(model.sheets),
      one_way_(model.scene.step.method == Method::one_way) {
  const Method method = model.scene.step.method;
  if (method == Method::strong && D == 2)
    fail(ErrorCode::bad_input, "step.method is strong, but the scene is 2-D; use 'method: async'");
  if (model.bodies.mujoco) bodies = std::make_unique<BodyStepper>(model.bodies, model.scene, paths, std::move(data));
  if constexpr (D == 3) {
    if (method == Method::strong)
      strong = std::make_unique<StrongStep<S>>(model.scene, model.materials, paths);
    else if (method == Method::async && paths.size() > 0)
      contact = std::make_unique<ContactStep<S>>(model.scene, model.materials, paths);
    if (strong) strong->set_budget(budget);
    if (contact) contact->set_budget(budget);
    if (BodyContacts<S>* all = contacts()) all->set_pieces(model.surfaces);
  }
}

template <int D, class S>
BodyContacts<S>* Workspace<D, S>::contacts() {
  if (contact) return &contact->bodies();
  return strong ? &strong->body_contacts() : nullptr;
}

template <int D, class S>
std::span<const Obstacle* const> Workspace<D, S>::obstacles() const {
  if (!bodies || !one_way_) return {};
  return bodies->obstacles().obstacles();
}

template <int D, class S>
std::size_t Workspace<D, S>::bytes() const {
  return layout.bytes() + next_layout.bytes() + grid.bytes() + sweep.bytes() + sheets.bytes() + points.bytes() +
         partial_balances.capacity() * sizeof(Balance) + between.particles.bytes();
}

template struct Workspace<2, float>;
template struct Workspace<2, double>;
template struct Workspace<3, float>;
template struct Workspace<3, double>;

}  // namespace pliant::step
