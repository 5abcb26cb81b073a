// The bodies of a world: a MuJoCo model and its data, with what a step of matter needs to know about them.
#pragma once

#include "bodies/mujoco_log.h"
#include "geometry/shape.h"
#include "pliant/contact.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

typedef struct mjModel_ mjModel;
typedef struct mjData_ mjData;

namespace pliant {

// all that decides the next steps of the bodies, warm start included, as numbers in MuJoCo's order
struct BodiesState {
  std::vector<double> numbers;
};

class Bodies {
 public:
  // makes its own data, at the model's home (see set_home)
  explicit Bodies(std::shared_ptr<mjModel> model);
  // works on a user's own model and data, which are shared, not copied, and kept as they are; Error(bad_input) if its
  // flag sleep is on
  Bodies(std::shared_ptr<mjModel> model, std::shared_ptr<mjData> data);

  const mjModel* model() const { return model_.get(); }
  mjData* data() const { return data_.get(); }
  const std::shared_ptr<mjModel>& shared_model() const { return model_; }
  const std::shared_ptr<mjData>& shared_data() const { return data_; }
  int dofs() const;  // nv
  std::size_t body_count() const;
  double time() const;  // s

  // to the reset state, with the keyframe "home" if there is one, and with the joints and controls of each "NAME/home"
  // (free bodies stay where the scene has put them)
  void set_home();

  // places and velocities of all parts for the current qpos and qvel; mj_step leaves those of the start of its step
  void update_kinematics();
  // all of mj_forward: also forces, constraints, qacc
  void forward();

  // exactly mj_step. Error(not_finite) if a number is not finite or huge; then, and after any error of MuJoCo, the
  // state is as before the step
  void step();
  // the same, with these wrenches added to what else pushes the bodies, for this step; by number of the body
  void step(std::span<const Wrench> wrenches);

  // s, of the steps to come
  void set_timestep(double dt);

  BodiesState save() const;
  void save_to(BodiesState& state) const;
  // continuing from here gives the same bits as it did from save()
  void restore(const BodiesState& state);

  // warnings of MuJoCo since the last take
  std::vector<std::string> take_warnings() { return log_.take_warnings(); }

  // after update_kinematics() or forward():
  Pose geom_pose(int geom) const;
  Vector<double, 3> center_of_mass(int body) const;  // m, of the body alone
  // of the point of a body that is at `point`, m/s
  Vector<double, 3> velocity_at(int body, const Vector<double, 3>& point) const;
  Vector<double, 3> angular_velocity(int body) const;  // rad/s
  // 3 x nv, row-major: velocity_at = jacobian qvel
  std::vector<double> jacobian(int body, const Vector<double, 3>& point) const;
  // 6 x nv: the same, and below it angular_velocity = rows qvel
  void twist_jacobian(int body, const Vector<double, 3>& point, std::span<double> rows) const;

  const double* velocity() const;  // qvel
  // N, in world axes: what other bodies pushed it with by their contacts, after step() or forward()
  Vector<double, 3> contact_force(int body) const;

  // after forward(); nv x nv, row-major
  void mass_matrix(std::vector<double>& out) const;

  enum class Damping {
    explicit_forces,  // v + dt M^-1 f
    as_integrator     // v + dt (M - dt D)^-1 f: joint damping and servos as MuJoCo's integrator takes them
  };
  // qvel at the end of the step if there were no constraints, after forward(); as_integrator needs Euler, implicit or
  // implicitfast
  void free_velocity(Damping damping, std::vector<double>& out);
  // M - dt D of the integrator implicitfast, nv x nv, symmetric, after forward(). (MuJoCo 4 also takes the gyroscopic
  // moment of single free bodies implicitly; that part is not symmetric: it is in free_velocity and not in this
  // matrix.)
  void implicit_mass_matrix(std::vector<double>& out);
  bool takes_damping_implicitly() const;  // the integrator is implicitfast

 private:
  template <class Call>
  void call_mujoco(const char* doing, const Call& call);
  void reset_to(const BodiesState& state);
  void check_step() const;
  mjData* scratch_copy();

  std::shared_ptr<mjModel> model_;
  std::shared_ptr<mjData> data_;
  std::shared_ptr<mjData> scratch_;  // for what MuJoCo computes only while it integrates
  BodiesState before_step_;
  std::vector<double> own_forces_;  // xfrc_applied without what a step adds
  MujocoLog log_;
};

}  // namespace pliant
