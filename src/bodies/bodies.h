// Bodies on their way through a step: a MuJoCo model and a data to work in, with what matter needs to know about them.
#pragma once

#include "bodies/mujoco_log.h"
#include "bodies/namespace.h"
#include "geometry/shape.h"
#include "pliant/contact.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

typedef struct mjModel_ mjModel;
typedef struct mjData_ mjData;

namespace pliant::bodies {

// all that decides the next steps of the bodies, warm start included, as numbers in MuJoCo's order
struct BodiesState {
  std::vector<double> numbers;
};

// what a user says for the next step; each as in mjData
struct BodyInputs {
  std::vector<double> ctrl, qfrc_applied, xfrc_applied, mocap_pos, mocap_quat, userdata;
  std::vector<std::uint8_t> eq_active;
};

// a data of its own with all that another one of the model holds
std::shared_ptr<mjData> copy_of(const mjModel* model, const mjData* data);

class Bodies {
 public:
  // The model's arrays are shared with whoever else uses it; its options are copied, so that a timestep can be set here
  // alone. Makes its own data, at the model's home (see set_home). Error(bad_input) if its flag sleep is on.
  explicit Bodies(std::shared_ptr<const mjModel> model);
  // works in this data, which is shared and kept as it is
  Bodies(std::shared_ptr<const mjModel> model, std::shared_ptr<mjData> data);

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
  // places alone, of bodies, geoms, sites, cameras, tendons; centres of mass stay those of the start of the step
  void update_poses();
  // all of mj_forward: also forces, constraints, qacc
  void forward();

  // exactly mj_step. Error(not_finite) if a number is not finite or huge; then, and after any error of MuJoCo, the
  // state is as before the step
  void step();
  // the same; after an error the state is this one
  void step_from(const BodiesState& before);
  // step() with these wrenches added to what else pushes the bodies, for this step; by number of the body
  void step(std::span<const Wrench> wrenches);

  // takes the model's options as they are now, with its timestep cut into so many parts
  void take_options(int parts);

  // Joint positions, velocities and activations; an empty list leaves them as they are. Error(bad_input) for another
  // number of them, for what is not finite or huge, and for quaternions that are not of length 1.
  void set(std::span<const double> qpos, std::span<const double> qvel, std::span<const double> act);

  // the user's part of the data
  void read(BodyInputs& inputs) const;
  void apply(const BodyInputs& inputs);

  BodiesState save() const;
  void save_to(BodiesState& state) const;
  // continuing from here gives the same bits as it did from save()
  void restore(const BodiesState& state);
  // the same, without what follows from the state: for who calls update_kinematics or forward next
  void load(const BodiesState& state);
  // all of this data, with what MuJoCo has found on the way, into another one
  void copy_to(mjData* data);

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
  void put(const BodiesState& state);
  void check_size(const BodiesState& state) const;
  void check_step() const;
  mjData* scratch_copy();

  std::shared_ptr<const mjModel> base_;
  std::shared_ptr<mjModel> model_;  // the base's arrays, options of its own
  std::shared_ptr<mjData> data_;
  int state_parts_;                  // of mjSTATE_INTEGRATION, those that are not empty
  std::size_t state_size_;           // numbers in them
  bool looks_at_com_;
  std::shared_ptr<mjData> scratch_;  // for what MuJoCo computes only while it integrates
  BodiesState before_step_;
  std::vector<double> own_forces_;  // xfrc_applied without what a step adds
  MujocoLog log_;
};

}  // namespace pliant::bodies
