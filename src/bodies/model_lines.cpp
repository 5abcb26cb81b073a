#include "bodies/model_lines.h"

#include "bodies/names.h"

#include <fmt/core.h>
#include <mujoco/mujoco.h>

namespace pliant::bodies {
namespace {

class Lines {
 public:
  std::vector<SceneLine> lines;

  void count(const char* name, mjtSize value) { lines.push_back({key(name), fmt::format("{}", value)}); }
  template <class T>
  void numbers(const char* name, const T* data, mjtSize entries, int each) {
    const auto many = std::size_t(entries) * std::size_t(each);
    lines.push_back({key(name), hash_text(data, many * sizeof(T), many, "numbers")});
  }
  void names(const char* name, const std::vector<std::string>& list) {
    std::string all;
    for (const std::string& n : list) all += n + '\n';
    lines.push_back({key(name), hash_text(all.data(), all.size(), list.size(), "names")});
  }

 private:
  static std::string key(const char* name) { return std::string("bodies.compiled.") + name; }
};

void add_counts(const mjModel* m, Lines& to) {
  to.count("nq", m->nq);
  to.count("nv", m->nv);
  to.count("nu", m->nu);
  to.count("na", m->na);
  to.count("nbody", m->nbody);
  to.count("njnt", m->njnt);
  to.count("ngeom", m->ngeom);
  to.count("nmocap", m->nmocap);
  to.count("neq", m->neq);
  to.count("ntendon", m->ntendon);
  to.count("nactuator", m->nactuator);
  to.count("nhistory", m->nhistory);
  to.count("nflexvert", m->nflexvert);
  to.names("names of bodies", names_of(m, Part::body));
  to.names("names of joints", names_of(m, Part::joint));
  to.names("names of geoms", names_of(m, Part::geom));
  to.names("names of actuators", names_of(m, Part::actuator));
}

void add_bodies(const mjModel* m, Lines& to) {
  to.numbers("body_parentid", m->body_parentid, m->nbody, 1);
  to.numbers("body_mass", m->body_mass, m->nbody, 1);
  to.numbers("body_inertia", m->body_inertia, m->nbody, 3);
  to.numbers("body_pos", m->body_pos, m->nbody, 3);
  to.numbers("body_quat", m->body_quat, m->nbody, 4);
  to.numbers("body_ipos", m->body_ipos, m->nbody, 3);
  to.numbers("body_iquat", m->body_iquat, m->nbody, 4);
  to.numbers("body_gravcomp", m->body_gravcomp, m->nbody, 1);
}

void add_joints(const mjModel* m, Lines& to) {
  to.numbers("jnt_type", m->jnt_type, m->njnt, 1);
  to.numbers("jnt_bodyid", m->jnt_bodyid, m->njnt, 1);
  to.numbers("jnt_pos", m->jnt_pos, m->njnt, 3);
  to.numbers("jnt_axis", m->jnt_axis, m->njnt, 3);
  to.numbers("jnt_stiffness", m->jnt_stiffness, m->njnt, 1);
  to.numbers("jnt_limited", m->jnt_limited, m->njnt, 1);
  to.numbers("jnt_range", m->jnt_range, m->njnt, 2);
  to.numbers("dof_frictionloss", m->dof_frictionloss, m->nv, 1);
  to.numbers("dof_armature", m->dof_armature, m->nv, 1);
  to.numbers("dof_damping", m->dof_damping, m->nv, 1);
}

void add_geoms(const mjModel* m, Lines& to) {
  to.numbers("geom_type", m->geom_type, m->ngeom, 1);
  to.numbers("geom_bodyid", m->geom_bodyid, m->ngeom, 1);
  to.numbers("geom_contype", m->geom_contype, m->ngeom, 1);
  to.numbers("geom_conaffinity", m->geom_conaffinity, m->ngeom, 1);
  to.numbers("geom_condim", m->geom_condim, m->ngeom, 1);
  to.numbers("geom_size", m->geom_size, m->ngeom, 3);
  to.numbers("geom_pos", m->geom_pos, m->ngeom, 3);
  to.numbers("geom_quat", m->geom_quat, m->ngeom, 4);
  to.numbers("geom_friction", m->geom_friction, m->ngeom, 3);
  to.numbers("geom_margin", m->geom_margin, m->ngeom, 1);
  to.numbers("geom_gap", m->geom_gap, m->ngeom, 1);
  to.numbers("geom_solref", m->geom_solref, m->ngeom, mjNREF);
  to.numbers("geom_solimp", m->geom_solimp, m->ngeom, mjNIMP);
  to.numbers("mesh_vert", m->mesh_vert, m->nmeshvert, 3);
  to.numbers("hfield_data", m->hfield_data, m->nhfielddata, 1);
}

void add_rest(const mjModel* m, Lines& to) {
  to.numbers("actuator_trntype", m->actuator_trntype, m->nactuator, 1);
  to.numbers("actuator_trnid", m->actuator_trnid, m->nactuator, 2);
  to.numbers("actuator_dynprm", m->actuator_dynprm, m->nactuator, mjNDYN);
  to.numbers("actuator_gainprm", m->actuator_gainprm, m->nactuator, mjNGAIN);
  to.numbers("actuator_biasprm", m->actuator_biasprm, m->nactuator, mjNBIAS);
  to.numbers("actuator_forcerange", m->actuator_forcerange, m->nactuator, 2);
  to.numbers("actuator_ctrlrange", m->actuator_ctrlrange, m->nu, 2);
  to.numbers("eq_type", m->eq_type, m->neq, 1);
  to.numbers("eq_obj1id", m->eq_obj1id, m->neq, 1);
  to.numbers("eq_obj2id", m->eq_obj2id, m->neq, 1);
  to.numbers("eq_data", m->eq_data, m->neq, mjNEQDATA);
  to.numbers("tendon_stiffness", m->tendon_stiffness, m->ntendon, 1);
  to.numbers("tendon_damping", m->tendon_damping, m->ntendon, 1);
  to.numbers("tendon_range", m->tendon_range, m->ntendon, 2);
}

}  // namespace

std::vector<SceneLine> model_lines(const mjModel* model) {
  Lines to;
  if (!model) return {};
  add_counts(model, to);
  add_bodies(model, to);
  add_joints(model, to);
  add_geoms(model, to);
  add_rest(model, to);
  return std::move(to.lines);
}

}  // namespace pliant::bodies
