#include "bodies/ik.h"

#include "bodies/motion.h"
#include "bodies/names.h"
#include "bodies/rotation.h"
#include "core/error.h"
#include "core/stop.h"

#include <mujoco/mujoco.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant::bodies {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;

// a joint with a servo: force = gain control + offset + slope length, length = gear q
struct Servo {
  int actuator, position, dof;  // the last two: addresses in qpos and qvel
  double gear, gain, offset, slope;
  double low, high;  // of q

  double control(double q) const { return -(offset + slope * gear * q) / gain; }
  double angle(double control) const { return -(gain * control + offset) / (slope * gear); }
};

bool is_position_servo(const mjModel* m, int a, int joint) {
  return m->actuator_trntype[a] == mjTRN_JOINT && m->actuator_trnid[2 * a] == joint && m->actuator_ctrlnum[a] == 1 &&
         m->actuator_gaintype[a] == mjGAIN_FIXED && m->actuator_biastype[a] == mjBIAS_AFFINE &&
         m->actuator_gainprm[mjNGAIN * a] > 0 && m->actuator_biasprm[mjNBIAS * a + 1] < 0 &&
         m->actuator_gear[6 * m->actuator_outadr[a]] != 0;
}

Servo make_servo(const mjModel* m, int a, int joint) {
  Servo servo;
  servo.actuator = a;
  servo.position = m->jnt_qposadr[joint];
  servo.dof = m->jnt_dofadr[joint];
  servo.gear = m->actuator_gear[6 * m->actuator_outadr[a]];
  servo.gain = m->actuator_gainprm[mjNGAIN * a];
  servo.offset = m->actuator_biasprm[mjNBIAS * a];
  servo.slope = m->actuator_biasprm[mjNBIAS * a + 1];
  servo.low = -std::numeric_limits<double>::infinity();
  servo.high = std::numeric_limits<double>::infinity();
  const auto narrow = [&](double x, double y) {
    servo.low = std::max(servo.low, std::min(x, y));
    servo.high = std::min(servo.high, std::max(x, y));
  };
  if (m->jnt_limited[joint]) narrow(m->jnt_range[2 * joint], m->jnt_range[2 * joint + 1]);
  const int control = m->actuator_ctrladr[a];
  if (m->actuator_ctrllimited[control]) {
    narrow(servo.angle(m->actuator_ctrlrange[2 * control]), servo.angle(m->actuator_ctrlrange[2 * control + 1]));
  }
  return servo;
}

// from the site down to the world
std::vector<Servo> servos_of(const mjModel* m, int site) {
  std::vector<Servo> servos;
  for (int body = m->site_bodyid[site]; body > 0; body = m->body_parentid[body]) {
    for (int joint = m->body_jntadr[body]; joint < m->body_jntadr[body] + m->body_jntnum[body]; ++joint) {
      if (m->jnt_type[joint] != mjJNT_HINGE && m->jnt_type[joint] != mjJNT_SLIDE) continue;
      for (int a = 0; a < m->nactuator; ++a) {
        if (!is_position_servo(m, a, joint)) continue;
        servos.push_back(make_servo(m, a, joint));
        break;
      }
    }
  }
  return servos;
}

// an arm that reaches for poses of its site, by damped least squares on MuJoCo's Jacobians
class Arm {
 public:
  Arm(const Bodies& start, int site, const ReachOptions& options)
      : model_(start.model()), bodies_(start.shared_model()), site_(site), options_(options) {
    servos = servos_of(model_, site);
    bodies_.restore(start.save());
    for (const Servo& servo : servos) {
      double& q = bodies_.data()->qpos[servo.position];
      q = std::clamp(q, servo.low, servo.high);
    }
    bodies_.update_kinematics();
  }

  // position and quaternion of the site now
  std::vector<double> pose() const {
    const double* p = bodies_.data()->site_xpos + 3 * site_;
    double q[4];
    mju_mat2Quat(q, bodies_.data()->site_xmat + 9 * site_);
    return {p[0], p[1], p[2], q[0], q[1], q[2], q[3]};
  }

  // moves the joints; what remains, in m and rad
  Vector6 reach(const std::array<double, 7>& target) {
    Vector6 error = error_to(target);
    double damping = 1e-3;
    for (int i = 0; i < options_.iterations && error.norm() > exact && damping < 1e12; ++i) {
      check_stop();
      const std::vector<double> before = joints();
      move(step_towards(error, damping * error.squaredNorm()));
      const Vector6 moved = error_to(target);
      if (moved.norm() < error.norm()) {
        error = moved;
        damping = std::max(damping / 4, 1e-6);
      } else {
        set_joints(before);
        damping *= 8;
      }
    }
    return error;
  }

  double control(const Servo& servo) const { return servo.control(bodies_.data()->qpos[servo.position]); }

  std::vector<Servo> servos;

 private:
  static constexpr double exact = 1e-11;       // where round-off begins
  static constexpr double longest_step = 0.3;  // rad or m, of one joint in one iteration, to stay on its branch

  Vector6 error_to(const std::array<double, 7>& target) const {
    const std::vector<double> now = pose();
    const std::array<double, 3> turn = turn_between(quaternion_at(now.data() + 3), quaternion_at(target.data() + 3));
    Vector6 error;
    for (int i = 0; i < 3; ++i) error[i] = target[std::size_t(i)] - now[std::size_t(i)];
    for (int i = 0; i < 3; ++i) error[3 + i] = turn[std::size_t(i)];
    return error;
  }

  std::vector<double> joints() const {
    std::vector<double> q;
    for (const Servo& servo : servos) q.push_back(bodies_.data()->qpos[servo.position]);
    return q;
  }

  void set_joints(const std::vector<double>& q) {
    for (std::size_t i = 0; i < q.size(); ++i) bodies_.data()->qpos[servos[i].position] = q[i];
    bodies_.update_kinematics();
  }

  void move(const Eigen::VectorXd& step) {
    std::vector<double> q = joints();
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i] = std::clamp(q[i] + step[Eigen::Index(i)], servos[i].low, servos[i].high);
    }
    set_joints(q);
  }

  // 6 x number of servos
  Eigen::MatrixXd jacobian() const {
    std::vector<double> linear(std::size_t(3 * model_->nv)), angular(linear.size());
    mj_jacSite(model_, bodies_.data(), linear.data(), angular.data(), site_);
    Eigen::MatrixXd J(6, Eigen::Index(servos.size()));
    for (std::size_t k = 0; k < servos.size(); ++k) {
      for (int i = 0; i < 3; ++i) {
        const std::size_t at = std::size_t(i * model_->nv + servos[k].dof);
        J(i, Eigen::Index(k)) = linear[at];
        J(3 + i, Eigen::Index(k)) = angular[at];
      }
    }
    return J;
  }

  // J^T (J J^T + damping)^-1 error; a joint that it would push through its end stop is left out and the rest tries
  // again
  Eigen::VectorXd step_towards(const Vector6& error, double damping) const {
    Eigen::MatrixXd J = jacobian();
    const std::vector<double> q = joints();
    for (;;) {
      const Eigen::Matrix<double, 6, 6> A = J * J.transpose() + damping * Eigen::Matrix<double, 6, 6>::Identity();
      Eigen::VectorXd step = J.transpose() * A.ldlt().solve(error);
      if (!step.allFinite()) return Eigen::VectorXd::Zero(step.size());
      const double longest = step.cwiseAbs().maxCoeff();
      if (longest > longest_step) step *= longest_step / longest;
      bool free = true;
      for (std::size_t k = 0; k < q.size(); ++k) {
        const double s = step[Eigen::Index(k)];
        if ((s > 0 && q[k] >= servos[k].high) || (s < 0 && q[k] <= servos[k].low)) {
          J.col(Eigen::Index(k)).setZero();
          free = false;
        }
      }
      if (free) return step;
    }
  }

  const mjModel* model_;
  Bodies bodies_;  // a copy to move about
  int site_;
  ReachOptions options_;
};

// pieces of a stretch between two waypoints; one if nothing moves or it jumps
std::size_t pieces(const Motion& motion, std::size_t i, double spacing) {
  if (motion.path == Motion::Path::hold || motion.values[i] == motion.values[i + 1]) return 1;
  constexpr double most = 10'000;
  return std::size_t(std::clamp(std::ceil((motion.times[i + 1] - motion.times[i]) / spacing - 1e-9), 1.0, most));
}

// what one gripper motion becomes
class Plan {
 public:
  Plan(const Motion& motion, Arm& arm, const mjModel* model) : motion_(motion), arm_(arm) {
    for (const Servo& servo : arm.servos) {
      Motion result;
      result.target = mj_id2name(model, mjOBJ_ACTUATOR, servo.actuator);
      result.path = motion.path == Motion::Path::hold ? Motion::Path::hold : Motion::Path::linear;
      motions.push_back(result);
    }
  }

  // to the first waypoint in small moves, so that the arm keeps its posture; places on the way need not be reached
  void start(double tolerance) {
    Motion approach = motion_;
    approach.path = Motion::Path::linear;
    approach.times = {0, 1};
    approach.values = {arm_.pose(), motion_.values.front()};
    constexpr int moves = 50;
    for (int i = 1; i < moves; ++i) arm_.reach(sample_motion(approach, double(i) / moves).value);
    go_to(0, motion_.times.front(), tolerance);
  }

  void follow(std::size_t i, const ReachOptions& options) {
    const std::size_t count = pieces(motion_, i, options.spacing);
    const double from = motion_.times[i], to = motion_.times[i + 1];
    for (std::size_t k = 1; k <= count; ++k) {
      const double time = k == count ? to : from + (to - from) * double(k) / double(count);
      go_to(i + 1, time, options.tolerance);
    }
  }

  std::vector<Motion> motions;

 private:
  void go_to(std::size_t waypoint, double time, double tolerance) {
    const Vector6 error = arm_.reach(sample_motion(motion_, time).value);
    const double distance = error.head<3>().norm(), angle = error.tail<3>().norm();
    if (!(distance <= tolerance && angle <= tolerance)) {
      const char* where = time == motion_.times[waypoint] ? "" : "the way to ";
      fail(ErrorCode::bad_input,
           "motion of '{}': {}waypoint {} is out of reach at {:.6g} s: {:.3g} m and {:.3g} rad remain; move it closer "
           "or turn it",
           motion_.target, where, waypoint + 1, time, distance, angle);
    }
    for (std::size_t k = 0; k < motions.size(); ++k) {
      motions[k].times.push_back(time);
      motions[k].values.push_back({arm_.control(arm_.servos[k])});
    }
  }

  const Motion& motion_;
  Arm& arm_;
};

std::vector<Motion> plan(const Motion& motion, const Bodies& start, const ReachOptions& options) {
  check_motion(motion);
  const mjModel* m = start.model();
  const int site = require_part(m, Part::site, motion.target, fmt::format("motion of '{}'", motion.target));
  Arm arm(start, site, options);
  if (arm.servos.empty()) {
    fail(ErrorCode::bad_input,
         "motion of '{}': no position servo moves this site; give the joints below it <position> actuators",
         motion.target);
  }
  for (const Servo& servo : arm.servos) {
    const char* name = mj_id2name(m, mjOBJ_ACTUATOR, servo.actuator);
    if (name && *name) continue;
    fail(ErrorCode::bad_input, "motion of '{}': actuator {} of its arm has no name; give it one", motion.target,
         servo.actuator);
  }
  Plan result(motion, arm, m);
  result.start(options.tolerance);
  for (std::size_t i = 0; i + 1 < motion.times.size(); ++i) result.follow(i, options);
  return result.motions;
}

}  // namespace

std::vector<Motion> plan_grippers(const std::vector<Motion>& motions, const Bodies& start,
                                  const ReachOptions& options) {
  std::vector<Motion> result;
  for (const Motion& motion : motions) {
    if (motion.kind != Motion::Kind::gripper) {
      result.push_back(motion);
      continue;
    }
    const std::vector<Motion> planned = plan(motion, start, options);
    result.insert(result.end(), planned.begin(), planned.end());
  }
  return result;
}

}  // namespace pliant::bodies
