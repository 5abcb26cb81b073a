#include "bodies/bodies.h"

#include "bodies/names.h"
#include "bodies/state_check.h"
#include "core/error.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace pliant::bodies {
namespace {

constexpr mjtWarning bad_numbers[] = {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC, mjWARN_BADCTRL};

std::shared_ptr<mjData> make_data(const mjModel* model) {
  MujocoLog log;
  mjData* data = nullptr;
  if (!log.run([&] { data = mj_makeData(model); })) {
    fail(ErrorCode::too_large, "no memory for the data of the bodies: {}; lower <size memory>", log.error());
  }
  return std::shared_ptr<mjData>(data, mj_deleteData);
}

std::string joint_name(const mjModel* m, int joint) {
  const char* name = mj_id2name(m, mjOBJ_JOINT, joint);
  return name && *name ? fmt::format("joint '{}'", name) : fmt::format("joint {}", joint);
}

int joint_of_qpos(const mjModel* m, int address) {
  return int(std::upper_bound(m->jnt_qposadr, m->jnt_qposadr + m->njnt, address) - m->jnt_qposadr) - 1;
}

// in a keyframe of one file, the numbers of the other files are their defaults
void take_nonzero(const double* key, int count, double* to) {
  for (int i = 0; i < count; ++i) {
    if (key[i] != 0) to[i] = key[i];
  }
}

// of a keyframe of one file. A free body stays where the scene has put it: the file does not know that place.
void take_home_of_file(const mjModel* m, mjData* d, int key) {
  for (int j = 0; j < m->njnt; ++j) {
    if (m->jnt_type[j] == mjJNT_FREE) continue;
    const int at = m->jnt_qposadr[j];
    const int count = m->jnt_type[j] == mjJNT_BALL ? 4 : 1;
    const double* values = m->key_qpos + key * m->nq + at;
    // all four of a ball joint or none
    if (!std::equal(values, values + count, m->qpos0 + at)) std::copy_n(values, count, d->qpos + at);
  }
  take_nonzero(m->key_ctrl + key * m->nu, int(m->nu), d->ctrl);
  take_nonzero(m->key_act + key * m->na, int(m->na), d->act);
}

// MuJoCo does not move sleeping bodies' parts again, so their last bits depend on how they came to rest
void check_model(const mjModel* m) {
  if (m->opt.enableflags & mjENBL_SLEEP) {
    fail(ErrorCode::bad_input,
         "bodies: sleep is on, and sleeping bodies cannot be restored exactly; disable the flag 'sleep'");
  }
}

std::shared_ptr<mjModel> with_own_options(const std::shared_ptr<const mjModel>& base) {
  return std::shared_ptr<mjModel>(new mjModel(*base), [base](mjModel* own) { delete own; });
}

// MuJoCo spends as long on the parts that a model lacks as on small ones
int parts_of_state(const mjModel* m) {
  int parts = 0;
  for (int bit = 0; bit < mjNSTATE; ++bit)
    if ((mjSTATE_INTEGRATION >> bit & 1) && mj_stateSize(m, 1 << bit) > 0) parts |= 1 << bit;
  return parts;
}

// some camera or light
bool looks_at_com(const mjModel* m) {
  const auto by_com = [](int mode) { return mode == mjCAMLIGHT_TRACKCOM || mode == mjCAMLIGHT_TARGETBODYCOM; };
  return std::any_of(m->cam_mode, m->cam_mode + m->ncam, by_com) ||
         std::any_of(m->light_mode, m->light_mode + m->nlight, by_com);
}

bool ends_with_home(const std::string& name) {
  constexpr std::string_view ending = "/home";
  return name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending;
}

void check_numbers(const char* what, std::span<const double> values, mjtSize wanted) {
  if (values.size() != std::size_t(wanted))
    fail(ErrorCode::bad_input, "bodies: {} numbers for {}; give {}", values.size(), what, wanted);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(std::abs(values[i]) < mjMAXVAL))
      fail(ErrorCode::bad_input, "bodies: {}[{}] is {}; give a finite number below {:g}", what, i, values[i], mjMAXVAL);
}

}  // namespace

std::shared_ptr<mjData> copy_of(const mjModel* model, const mjData* data) {
  MujocoLog log;
  mjData* copy = nullptr;
  if (!log.run([&] { copy = mj_copyData(nullptr, model, data); }))
    fail(ErrorCode::too_large, "no memory for the data of the bodies: {}; lower <size memory>", log.error());
  return std::shared_ptr<mjData>(copy, mj_deleteData);
}

Bodies::Bodies(std::shared_ptr<const mjModel> model)
    : base_(std::move(model)),
      model_(with_own_options(base_)),
      data_(make_data(model_.get())),
      state_parts_(parts_of_state(model_.get())),
      state_size_(std::size_t(mj_stateSize(model_.get(), state_parts_))),
      looks_at_com_(looks_at_com(model_.get())) {
  check_model(model_.get());
  set_home();
}

Bodies::Bodies(std::shared_ptr<const mjModel> model, std::shared_ptr<mjData> data)
    : base_(std::move(model)),
      model_(with_own_options(base_)),
      data_(std::move(data)),
      state_parts_(parts_of_state(model_.get())),
      state_size_(std::size_t(mj_stateSize(model_.get(), state_parts_))),
      looks_at_com_(looks_at_com(model_.get())) {
  check_model(model_.get());
  if (data_->signature != model_->signature) {
    fail(ErrorCode::bad_input, "the data of the bodies was not made for this model; make it by mj_makeData(model)");
  }
}

int Bodies::dofs() const { return int(model_->nv); }
double Bodies::time() const { return data_->time; }
std::size_t Bodies::body_count() const { return std::size_t(model_->nbody); }

// for calls that do not change the state
template <class Call>
void Bodies::call_mujoco(const char* doing, const Call& call) {
  if (log_.run(call)) return;
  const std::string words = log_.error();
  scratch_.reset();
  reset_to(save());
  fail(ErrorCode::bad_input, "{} of the bodies at {} s: {}; correct the model", doing, data_->time, words);
}

void Bodies::set_home() {
  const mjModel* m = model_.get();
  mjData* d = data_.get();
  const int whole = find_part(m, Part::key, "home");
  call_mujoco("reset", [&] { whole < 0 ? mj_resetData(m, d) : mj_resetDataKeyframe(m, d, whole); });
  for (int key = 0; key < m->nkey; ++key) {
    const char* name = mj_id2name(m, mjOBJ_KEY, key);
    if (name && ends_with_home(name)) take_home_of_file(m, d, key);
  }
  forward();
}

void Bodies::update_poses() {
  const mjModel* m = model_.get();
  mjData* d = data_.get();
  // mj_fwdKinematics, without centres of mass where no camera or light goes by them
  call_mujoco("kinematics", [&] {
    mj_kinematics(m, d);
    if (looks_at_com_) mj_comPos(m, d);
    mj_camlight(m, d);
    mj_flex(m, d);
    mj_tendon(m, d);
  });
}

void Bodies::update_kinematics() {
  call_mujoco("kinematics", [this] {
    mj_fwdKinematics(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
  });
}

void Bodies::forward() {
  call_mujoco("forces", [this] { mj_forward(model_.get(), data_.get()); });
}

void Bodies::step() {
  save_to(before_step_);
  step_from(before_step_);
}

void Bodies::step_from(const BodiesState& before) {
  mjData* d = data_.get();
  int counts[std::size(bad_numbers)];
  for (std::size_t i = 0; i < std::size(bad_numbers); ++i)
    counts[i] = std::exchange(d->warning[bad_numbers[i]].number, 0);

  const bool ok = log_.run([this] { mj_step(model_.get(), data_.get()); });

  try {
    if (!ok) fail(ErrorCode::bad_input, "step of the bodies at {} s: {}; correct the model", time(), log_.error());
    check_step();
  } catch (const Error&) {
    reset_to(before);
    throw;
  }
  for (std::size_t i = 0; i < std::size(bad_numbers); ++i) d->warning[bad_numbers[i]].number = counts[i];
}

void Bodies::step(std::span<const Wrench> wrenches) {
  double* applied = data_->xfrc_applied;
  own_forces_.assign(applied, applied + 6 * model_->nbody);
  for (std::size_t b = 0; b < wrenches.size(); ++b)
    for (std::size_t d = 0; d < 3; ++d) {
      applied[6 * b + d] += wrenches[b].force[d];
      applied[6 * b + 3 + d] += wrenches[b].torque[d];
    }
  const auto take_back = [&] { std::copy(own_forces_.begin(), own_forces_.end(), data_->xfrc_applied); };
  try {
    step();
  } catch (...) {
    take_back();
    throw;
  }
  take_back();
}

// MuJoCo itself looks only at the start of the next step, and resets or zeroes in silence what it finds
void Bodies::check_step() const {
  const mjModel* m = model_.get();
  const mjData* d = data_.get();
  constexpr const char* cure = "the motion is unstable: take a smaller step, or softer servos and contacts";
  for (mjtWarning kind : bad_numbers) {
    if (d->warning[kind].number == 0) continue;
    const int at = d->warning[kind].lastinfo;
    if (kind == mjWARN_BADCTRL) {
      fail(ErrorCode::not_finite, "bodies: control {} is not finite or huge; set d.ctrl to finite numbers", at);
    }
    const int joint = kind == mjWARN_BADQPOS ? joint_of_qpos(m, at) : m->dof_jntid[at];
    const char* what = kind == mjWARN_BADQPOS ? "position" : kind == mjWARN_BADQVEL ? "velocity" : "acceleration";
    fail(ErrorCode::not_finite, "bodies: the {} of {} is not finite or huge; {}", what, joint_name(m, joint), cure);
  }
  const auto bad = [](double x) { return !(std::abs(x) < mjMAXVAL); };
  for (int i = 0; i < m->nq; ++i) {
    if (!bad(d->qpos[i])) continue;
    fail(ErrorCode::not_finite, "bodies: the position of {} became {}; {}", joint_name(m, joint_of_qpos(m, i)),
         d->qpos[i], cure);
  }
  for (int i = 0; i < m->nv; ++i) {
    if (!bad(d->qvel[i])) continue;
    fail(ErrorCode::not_finite, "bodies: the velocity of {} became {}; {}", joint_name(m, m->dof_jntid[i]), d->qvel[i],
         cure);
  }
  for (int i = 0; i < m->na; ++i) {
    if (!bad(d->act[i])) continue;
    fail(ErrorCode::not_finite, "bodies: activation {} became {}; {}", i, d->act[i], cure);
  }
}

void Bodies::take_options(int parts) {
  model_->opt = base_->opt;
  model_->opt.timestep /= parts;
}

void Bodies::set(std::span<const double> qpos, std::span<const double> qvel, std::span<const double> act) {
  const mjModel* m = model_.get();
  mjData* d = data_.get();
  if (!qpos.empty()) {
    check_numbers("qpos", qpos, m->nq);
    const std::string wrong = wrong_quaternions(m, qpos);
    if (!wrong.empty()) fail(ErrorCode::bad_input, "{}; give one of length 1", wrong);
  }
  if (!qvel.empty()) check_numbers("qvel", qvel, m->nv);
  if (!act.empty()) check_numbers("act", act, m->na);
  std::copy(qpos.begin(), qpos.end(), d->qpos);
  std::copy(qvel.begin(), qvel.end(), d->qvel);
  std::copy(act.begin(), act.end(), d->act);
  update_kinematics();
}

void Bodies::read(BodyInputs& inputs) const {
  const mjModel* m = model_.get();
  const mjData* d = data_.get();
  inputs.ctrl.assign(d->ctrl, d->ctrl + m->nu);
  inputs.qfrc_applied.assign(d->qfrc_applied, d->qfrc_applied + m->nv);
  inputs.xfrc_applied.assign(d->xfrc_applied, d->xfrc_applied + 6 * m->nbody);
  inputs.mocap_pos.assign(d->mocap_pos, d->mocap_pos + 3 * m->nmocap);
  inputs.mocap_quat.assign(d->mocap_quat, d->mocap_quat + 4 * m->nmocap);
  inputs.userdata.assign(d->userdata, d->userdata + m->nuserdata);
  inputs.eq_active.assign(d->eq_active, d->eq_active + m->neq);
}

void Bodies::apply(const BodyInputs& inputs) {
  mjData* d = data_.get();
  std::copy(inputs.ctrl.begin(), inputs.ctrl.end(), d->ctrl);
  std::copy(inputs.qfrc_applied.begin(), inputs.qfrc_applied.end(), d->qfrc_applied);
  std::copy(inputs.xfrc_applied.begin(), inputs.xfrc_applied.end(), d->xfrc_applied);
  std::copy(inputs.mocap_pos.begin(), inputs.mocap_pos.end(), d->mocap_pos);
  std::copy(inputs.mocap_quat.begin(), inputs.mocap_quat.end(), d->mocap_quat);
  std::copy(inputs.userdata.begin(), inputs.userdata.end(), d->userdata);
  std::copy(inputs.eq_active.begin(), inputs.eq_active.end(), d->eq_active);
}

BodiesState Bodies::save() const {
  BodiesState state;
  save_to(state);
  return state;
}

void Bodies::save_to(BodiesState& state) const {
  const mjModel* m = model_.get();
  const mjData* d = data_.get();
  state.numbers.resize(state_size_ + 2 * std::size_t(m->nflexvert));
  double* to = state.numbers.data();
  const auto take = [&to](const auto* from, mjtSize count) {
    for (mjtSize i = 0; i < count; ++i) to[i] = double(from[i]);
    to += count;
  };
  // mj_getState of mjSTATE_INTEGRATION, which looks up each part and takes twice as long
  take(&d->time, 1), take(d->qpos, m->nq), take(d->qvel, m->nv), take(d->act, m->na), take(d->history, m->nhistory);
  take(d->qacc_warmstart, m->nv), take(d->ctrl, m->nu), take(d->qfrc_applied, m->nv);
  take(d->xfrc_applied, 6 * m->nbody), take(d->eq_active, m->neq);
  take(d->mocap_pos, 3 * m->nmocap), take(d->mocap_quat, 4 * m->nmocap);
  take(d->userdata, m->nuserdata), take(d->plugin_state, m->npluginstate), take(d->plastic, m->nplastic);
  // what MuJoCo carries from step to step outside of its own state
  take(d->flexvert_lambda, m->nflexvert), take(d->flexvert_conage, m->nflexvert);
}

void Bodies::check_size(const BodiesState& state) const {
  const std::size_t size = state_size_ + 2 * std::size_t(model_->nflexvert);
  if (state.numbers.size() == size) return;
  fail(ErrorCode::bad_input,
       "a state of bodies has {} numbers, but these bodies have {}; use a state of the same model",
       state.numbers.size(), size);
}

void Bodies::restore(const BodiesState& state) {
  check_size(state);
  reset_to(state);
}

void Bodies::load(const BodiesState& state) {
  check_size(state);
  put(state);
}

void Bodies::copy_to(mjData* data) {
  call_mujoco("copy", [&] { mj_copyData(data, model_.get(), data_.get()); });
}

void Bodies::put(const BodiesState& state) {
  const mjModel* m = model_.get();
  mjData* d = data_.get();
  mj_setState(m, d, state.numbers.data(), state_parts_);
  const double* more = state.numbers.data() + state_size_;
  std::copy_n(more, m->nflexvert, d->flexvert_lambda);
  std::copy_n(more + m->nflexvert, m->nflexvert, d->flexvert_conage);
}

// also cleans up after an error that left MuJoCo's stack in mid-call
void Bodies::reset_to(const BodiesState& state) {
  const mjModel* m = model_.get();
  mjData* d = data_.get();
  log_.run([&] { mj_resetData(m, d); });
  put(state);

  // places and forces for whoever looks; callbacks of a user may change the state, so it is put once more
  log_.run([&] { mj_forward(m, d); });
  d->pstack = d->pbase = 0;
  put(state);
}

Pose Bodies::geom_pose(int geom) const {
  Pose pose;
  std::copy_n(data_->geom_xpos + 3 * geom, 3, pose.position.a);
  std::copy_n(data_->geom_xmat + 9 * geom, 9, pose.rotation.a);
  return pose;
}

Vector<double, 3> Bodies::center_of_mass(int body) const {
  const double* x = data_->xipos + 3 * body;
  return {x[0], x[1], x[2]};
}

Vector<double, 3> Bodies::angular_velocity(int body) const {
  const double* w = data_->cvel + 6 * body;
  return {w[0], w[1], w[2]};
}

Vector<double, 3> Bodies::velocity_at(int body, const Vector<double, 3>& point) const {
  // MuJoCo gives the velocity of the body's point at the centre of mass of its tree
  const double* w = data_->cvel + 6 * body;
  const double* centre = data_->subtree_com + 3 * model_->body_rootid[body];
  const double r[3] = {point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]};
  return {w[3] + w[1] * r[2] - w[2] * r[1], w[4] + w[2] * r[0] - w[0] * r[2], w[5] + w[0] * r[1] - w[1] * r[0]};
}

std::vector<double> Bodies::jacobian(int body, const Vector<double, 3>& point) const {
  std::vector<double> result(std::size_t(3 * model_->nv));
  mj_jac(model_.get(), data_.get(), result.data(), nullptr, point.a, body);
  return result;
}

void Bodies::twist_jacobian(int body, const Vector<double, 3>& point, std::span<double> rows) const {
  mj_jac(model_.get(), data_.get(), rows.data(), rows.data() + 3 * model_->nv, point.a, body);
}

const double* Bodies::velocity() const { return data_->qvel; }

Vector<double, 3> Bodies::contact_force(int body) const {
  const mjModel* m = model_.get();
  const mjData* d = data_.get();
  Vector<double, 3> sum = {0, 0, 0};
  for (int i = 0; i < d->ncon; ++i) {
    const mjContact& contact = d->contact[i];
    const auto body_of = [&](int side) { return contact.geom[side] < 0 ? -1 : m->geom_bodyid[contact.geom[side]]; };
    // the frame's x points from the first geom to the second, which the force pushes; the first feels the reaction
    const double sign = double(body_of(1) == body) - double(body_of(0) == body);
    if (sign == 0) continue;
    double force[6], world[3];
    mj_contactForce(m, d, i, force);
    mju_mulMatTVec3(world, contact.frame, force);
    for (int k = 0; k < 3; ++k) sum[k] += sign * world[k];
  }
  return sum;
}

bool Bodies::takes_damping_implicitly() const { return model_->opt.integrator == mjINT_IMPLICITFAST; }

void Bodies::mass_matrix(std::vector<double>& out) const {
  out.resize(std::size_t(model_->nv * model_->nv));
  mj_fullM(model_.get(), data_.get(), out.data());
}

mjData* Bodies::scratch_copy() {
  if (!scratch_) scratch_ = make_data(model_.get());
  call_mujoco("copy", [this] { mj_copyData(scratch_.get(), model_.get(), data_.get()); });
  return scratch_.get();
}

void Bodies::free_velocity(Damping damping, std::vector<double>& out) {
  const mjModel* m = model_.get();
  const mjData* d = data_.get();
  out.assign(d->qvel, d->qvel + m->nv);
  if (damping == Damping::explicit_forces) {
    for (int i = 0; i < m->nv; ++i) out[std::size_t(i)] += m->opt.timestep * d->qacc_smooth[i];
    return;
  }
  const int integrator = m->opt.integrator;
  if (integrator != mjINT_EULER && integrator != mjINT_IMPLICIT && integrator != mjINT_IMPLICITFAST) {
    fail(ErrorCode::bad_input, "bodies: integrator {} has no free velocity; use Euler, implicit or implicitfast",
         integrator);
  }

  // the integrator itself, in a copy without constraint forces
  mjData* s = scratch_copy();
  std::fill_n(s->qfrc_constraint, m->nv, 0.0);
  std::copy_n(s->qacc_smooth, m->nv, s->qacc);
  call_mujoco("free velocity", [&] { integrator == mjINT_EULER ? mj_Euler(m, s) : mj_implicit(m, s); });
  out.assign(s->qvel, s->qvel + m->nv);
}

void Bodies::implicit_mass_matrix(std::vector<double>& out) {
  const mjModel* m = model_.get();
  if (m->opt.integrator != mjINT_IMPLICITFAST) {
    fail(ErrorCode::bad_input, "bodies: integrator {} has no implicit mass matrix; use implicitfast",
         m->opt.integrator);
  }
  mass_matrix(out);
  mjData* s = scratch_copy();
  call_mujoco("implicit mass", [&] { mj_implicit(m, s); });
  for (int i = 0; i < m->nv; ++i) {
    for (int k = m->D_rowadr[i]; k < m->D_rowadr[i] + m->D_rownnz[i]; ++k) {
      out[std::size_t(i * m->nv + m->D_colind[k])] -= m->opt.timestep * s->qDeriv[k];
    }
  }
}

}  // namespace pliant::bodies
