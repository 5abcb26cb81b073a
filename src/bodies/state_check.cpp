#include "bodies/state_check.h"

#include <fmt/core.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <limits>

namespace pliant::bodies {
namespace {

using Numbers = std::span<const double>;

// how a part of the state may be wrong
enum class Kind {
  number,  // finite and not huge, as MuJoCo wants it
  force,   // finite
  free     // anything: the user's own, or a plugin's
};

struct StatePart {
  mjtState bit;
  const char* name;
  Kind kind;
};

// in the order of mj_getState
constexpr StatePart parts[] = {{mjSTATE_TIME, "time", Kind::number},
                               {mjSTATE_QPOS, "qpos", Kind::number},
                               {mjSTATE_QVEL, "qvel", Kind::number},
                               {mjSTATE_ACT, "act", Kind::number},
                               {mjSTATE_HISTORY, "history", Kind::force},
                               {mjSTATE_WARMSTART, "qacc_warmstart", Kind::number},
                               {mjSTATE_CTRL, "ctrl", Kind::force},
                               {mjSTATE_QFRC_APPLIED, "qfrc_applied", Kind::force},
                               {mjSTATE_XFRC_APPLIED, "xfrc_applied", Kind::force},
                               {mjSTATE_EQ_ACTIVE, "eq_active", Kind::number},
                               {mjSTATE_MOCAP_POS, "mocap_pos", Kind::number},
                               {mjSTATE_MOCAP_QUAT, "mocap_quat", Kind::number},
                               {mjSTATE_USERDATA, "userdata", Kind::free},
                               {mjSTATE_PLUGIN, "plugin_state", Kind::free},
                               {mjSTATE_PLASTIC, "plastic", Kind::number}};

constexpr unsigned all_parts() {
  unsigned bits = 0;
  for (const StatePart& part : parts) bits |= unsigned(part.bit);
  return bits;
}
static_assert(all_parts() == unsigned(mjSTATE_INTEGRATION));

std::string wrong_number(const StatePart& part, Numbers values) {
  const double limit = part.kind == Kind::number ? mjMAXVAL : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < values.size() && part.kind != Kind::free; ++i)
    if (!(std::fabs(values[i]) < limit))
      return fmt::format("{}[{}] of the bodies is {}, which is not finite or huge", part.name, i, values[i]);
  return "";
}

std::string wrong_active(Numbers active) {
  for (std::size_t i = 0; i < active.size(); ++i)
    if (active[i] != 0 && active[i] != 1)
      return fmt::format("eq_active[{}] of the bodies is {}, neither 0 nor 1", i, active[i]);
  return "";
}

// A ring of samples: the user's number, the place of the newest sample, then times and values. MuJoCo reads at that
// place.
std::string wrong_ring(Numbers history, int address, int samples, const char* of, int number) {
  if (address < 0) return "";
  const double newest = history[std::size_t(address) + 1];
  if (newest >= 0 && newest < samples && newest == std::floor(newest)) return "";
  return fmt::format("the history of {} {} of the bodies has its newest sample at {}, but has {} of them", of, number,
                     newest, samples);
}

std::string wrong_history(const mjModel* m, Numbers history) {
  std::string wrong;
  for (int i = 0; i < m->nactuator && wrong.empty(); ++i)
    wrong = wrong_ring(history, m->actuator_historyadr[i], m->actuator_history[2 * i], "actuator", i);
  for (int i = 0; i < m->nsensor && wrong.empty(); ++i)
    wrong = wrong_ring(history, m->sensor_historyadr[i], m->sensor_history[2 * i], "sensor", i);
  return wrong;
}

// what MuJoCo carries from step to step outside of its own state: multipliers, then ages, which are integers
std::string wrong_flex(const mjModel* m, Numbers rest) {
  const auto count = std::size_t(m->nflexvert);
  constexpr double most = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(rest[i])) return fmt::format("flexvert_lambda[{}] of the bodies is {}", i, rest[i]);
    const double age = rest[count + i];
    if (!(std::fabs(age) <= most) || age != std::floor(age))
      return fmt::format("flexvert_conage[{}] of the bodies is {}, which is no count", i, age);
  }
  return "";
}

}  // namespace

std::string wrong_quaternions(const mjModel* m, std::span<const double> qpos) {
  constexpr double slack = 1e-6;
  for (int j = 0; j < m->njnt; ++j) {
    const bool free = m->jnt_type[j] == mjJNT_FREE;
    if (!free && m->jnt_type[j] != mjJNT_BALL) continue;
    const double* q = qpos.data() + m->jnt_qposadr[j] + (free ? 3 : 0);
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(std::fabs(length - 1) < slack))
      return fmt::format("the quaternion of joint {} of the bodies has length {}, not 1", j, length);
  }
  return "";
}

std::string wrong_state(const mjModel* model, const BodiesState& state) {
  Numbers rest = state.numbers;
  const auto size = std::size_t(mj_stateSize(model, mjSTATE_INTEGRATION) + 2 * model->nflexvert);
  if (rest.size() != size) return fmt::format("{} numbers of the bodies, which have {}", rest.size(), size);
  for (const StatePart& part : parts) {
    const Numbers values = rest.first(std::size_t(mj_stateSize(model, part.bit)));
    rest = rest.subspan(values.size());
    std::string wrong = wrong_number(part, values);
    if (wrong.empty() && part.bit == mjSTATE_QPOS) wrong = wrong_quaternions(model, values);
    if (wrong.empty() && part.bit == mjSTATE_HISTORY) wrong = wrong_history(model, values);
    if (wrong.empty() && part.bit == mjSTATE_EQ_ACTIVE) wrong = wrong_active(values);
    if (!wrong.empty()) return wrong;
  }
  return wrong_flex(model, rest);
}

}  // namespace pliant::bodies
