#include "step/body_pace.h"

#include "contact/partners.h"
#include "material/law_info.h"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pliant::step {
namespace {

// 1/kg, of the body at the contact; as MuJoCo has it for the model's home
double inverse_mass(const mjModel& model, const ContactMemory& m) {
  const int geom = int(m.geom), body = model.geom_bodyid[geom];
  double anchor[3] = {m.anchor[0], m.anchor[1], m.anchor[2]}, normal[3] = {m.normal[0], m.normal[1], m.normal[2]};
  mju_rotVecQuat(anchor, anchor, model.geom_quat + 4 * geom);
  mju_rotVecQuat(normal, normal, model.geom_quat + 4 * geom);
  Vec3d arm, n;
  for (int d = 0; d < 3; ++d) {
    arm[d] = anchor[d] + model.geom_pos[3 * geom + d] - model.body_ipos[3 * body + d];
    n[d] = normal[d];
  }
  const Vec3d lever = cross(arm, n);
  return model.body_invweight0[2 * body] + dot(lever, lever) * model.body_invweight0[2 * body + 1];
}

bool presses(const ContactMemory& m) { return dot(m.force, m.normal) > 0; }

// Cloth gives way as a whole, but not where it is between two: by id, how many press on each of its vertices.
template <int D, class S>
void find_pinched(const Model<S>& model, const State<D, S>& now, std::vector<std::uint8_t>& pressed) {
  pressed.clear();
  if (model.sheets.empty()) return;
  pressed.assign(model.particle_count(), 2);
  for (const ModelSheet<S>& s : model.sheets) {
    const Group& group = model.groups[s.matter];
    std::fill(pressed.begin() + std::ptrdiff_t(group.begin), pressed.begin() + std::ptrdiff_t(group.end), 0);
  }
  for (const ContactMemory& m : now.contacts)
    if (presses(m) && pressed[m.particle] < 2) ++pressed[m.particle];
}

// 1/s^2 by body and group: stiffness of the springs of contacts that press over the body's mass there
template <int D, class S>
void add_up(const Model<S>& model, const State<D, S>& now, PaceWork& work) {
  const mjModel& bodies = *model.bodies.mujoco;
  const std::size_t groups = model.groups.size();
  find_pinched(model, now, work.pressed);
  work.rates.assign(std::size_t(bodies.nbody) * groups, 0);
  for (const ContactMemory& m : now.contacts) {
    if (m.geom >= std::size_t(bodies.ngeom) || !presses(m)) continue;
    if (!work.pressed.empty() && work.pressed[m.particle] < 2) continue;
    const auto body = std::size_t(bodies.geom_bodyid[m.geom]);
    if (bodies.body_invweight0[2 * body] > 0)  // those that stand still have 0
      work.rates[body * groups + model.group_of(m.particle)] += m.stiffness * inverse_mass(bodies, m);
  }
}

}  // namespace

template <int D, class S>
BodyPace body_pace(const Model<S>& model, const State<D, S>& now, int most, PaceWork& work) {
  BodyPace pace;
  if (!model.bodies.mujoco || now.contacts.empty()) return pace;
  add_up(model, now, work);
  const std::vector<double>& rates = work.rates;
  const StepOptions& o = model.scene.step;
  const std::size_t groups = model.groups.size();
  for (;; ++pace.parts) {
    const double dt = o.dt / pace.parts;
    pace.quality = 0;
    for (std::size_t body = 0; body < rates.size() / groups; ++body) {
      double rate = 0;
      for (std::size_t g = 0; g < groups; ++g) {
        // behind the spring is matter, as far as a wave comes, but not beyond the piece
        const double depth = std::min(model.thicknesses[g], dt * sound_speed(model.materials[g], 0));
        rate += rates[body * groups + g] / (1 + contact::stiffer_than_matter(model.materials[g]) * depth / o.cell);
      }
      if (rate * dt * dt > pace.quality) pace = {pace.parts, rate * dt * dt, int(body)};
    }
    if (pace.quality <= good_pace || pace.parts >= most) return pace;
  }
}

std::string too_light(const BodyModel& bodies, int body) {
  const char* name = mj_id2name(bodies.mujoco.get(), mjOBJ_BODY, body);
  return fmt::format(
      "body '{}' is too light for the stiff matter that it touches: both shake in explicit substeps; use step.method: "
      "strong",
      name ? name : "");
}

template BodyPace body_pace(const Model<float>&, const State<2, float>&, int, PaceWork&);
template BodyPace body_pace(const Model<float>&, const State<3, float>&, int, PaceWork&);
template BodyPace body_pace(const Model<double>&, const State<2, double>&, int, PaceWork&);
template BodyPace body_pace(const Model<double>&, const State<3, double>&, int, PaceWork&);

}  // namespace pliant::step
