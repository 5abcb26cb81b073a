#include "bodies/assemble.h"

#include "bodies/mujoco_log.h"
#include "bodies/names.h"
#include "core/error.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <set>

namespace pliant::bodies {
namespace {

struct DeleteSpec {
  void operator()(mjSpec* spec) const { mj_deleteSpec(spec); }
};
using Spec = std::unique_ptr<mjSpec, DeleteSpec>;

std::string source(const Body& body) {
  return body.file.empty() ? fmt::format("body '{}' (text)", body.name)
                           : fmt::format("body '{}' ({})", body.name, body.file);
}

// what a user can do about MuJoCo's words
const char* cure(const std::string& words) {
  const std::vector<std::pair<const char*, const char*>> cures = {
      {"package:/", "package:// paths of ROS are not known here: write the path relative to the URDF file"},
      {"A + B >= C",
       "no solid has such an inertia: correct it, or let MuJoCo do so by <compiler balanceinertia=\"true\"/> "
       "(in URDF inside <mujoco> under <robot>)"},
      {"mass and inertia of moving bodies", "give each moving body a mass: a geom with density, or <inertial>"},
      {"inertia", "correct the <inertial> of that body: mass in kg, inertia in kg m^2, positive definite"},
      {"opening file", "check the file's name; paths are relative to the body's file and to meshdir of its <compiler>"},
      {"included", "a file may be included once only, and not by itself"},
      {"repeated name", "give each part of the file a name of its own"},
      {"Attach conflict", "give the same value in the <option> of all files, or none"},
      {"implicitfast", "choose another integrator for this scene"},
      {"mocap", "a mocap body must stand in the world: do not attach it to a site"},
  };
  for (const auto& [part, text] : cures) {
    if (words.find(part) != std::string::npos) return text;
  }
  return "correct the file; these are the words of MuJoCo's reader, which knows MJCF and URDF";
}

[[noreturn]] void refuse(const Body& body, std::string words) {
  std::replace(words.begin(), words.end(), '\n', ' ');
  while (!words.empty() && words.back() == ' ') words.pop_back();
  fail(ErrorCode::bad_file, "{}: {}; {}", source(body), words, cure(words));
}

void check_file(const Body& body) {
  if (body.file.empty() == body.text.empty()) {
    fail(ErrorCode::bad_input, "body '{}': give either a file or a text", body.name);
  }
  if (body.file.empty()) return;
  std::string extension = std::filesystem::path(body.file).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (extension != ".xml" && extension != ".mjcf" && extension != ".urdf") {
    fail(ErrorCode::bad_file, "{}: unknown kind of file '{}'; give MJCF (.xml) or URDF (.urdf)", source(body),
         extension);
  }
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(body.file, ignored)) {
    fail(ErrorCode::bad_file, "{}: there is no such file; check its path", source(body));
  }
}

void check_pose(const Body& body) {
  double square = 0;
  for (double q : body.rotation) square += q * q;
  if (!(std::abs(std::sqrt(square) - 1) < 1e-3)) {
    fail(ErrorCode::bad_input, "body '{}': rotation has length {}; give a unit quaternion w, x, y, z", body.name,
         std::sqrt(square));
  }
  for (double x : body.position) {
    if (!(std::abs(x) < 1e6)) {
      fail(ErrorCode::bad_input, "body '{}': position has the number {}; give metres below 1e6", body.name, x);
    }
  }
}

void check_names(const std::vector<Body>& bodies) {
  std::set<std::string> seen;
  for (const Body& body : bodies) {
    if (body.name.empty() || body.name.find('/') != std::string::npos) {
      fail(ErrorCode::bad_input, "body '{}': a name must not be empty and must not hold '/'; give another", body.name);
    }
    if (!seen.insert(body.name).second) {
      fail(ErrorCode::bad_input, "body '{}': two bodies have this name; give each its own", body.name);
    }
  }
}

void check_options(const BodyOptions& options) {
  if (!(options.timestep > 0 && options.timestep < 10)) {
    fail(ErrorCode::bad_input, "timestep of bodies is {} s; give a positive number below 10", options.timestep);
  }
  for (double g : options.gravity) {
    if (!(std::abs(g) < 1e6)) {
      fail(ErrorCode::bad_input, "gravity of bodies has the number {}; give m/s^2 below 1e6", g);
    }
  }
}

int mujoco_integrator(Integrator integrator) {
  switch (integrator) {
    case Integrator::euler: return mjINT_EULER;
    case Integrator::implicit: return mjINT_IMPLICIT;
    case Integrator::implicitfast: return mjINT_IMPLICITFAST;
  }
  return mjINT_EULER;
}

// given to every file too, so that attaching finds no conflict in them
void set_options(mjSpec* spec, const BodyOptions& options) {
  spec->option.timestep = options.timestep;
  std::copy(options.gravity.begin(), options.gravity.end(), spec->option.gravity);
  spec->option.integrator = mujoco_integrator(options.integrator);
  spec->option.disableflags &= ~mjDSBL_GRAVITY;
  spec->option.enableflags &= ~mjENBL_SLEEP;
  spec->compiler.conflict = mjCONFLICT_MERGE;
}

Spec empty_spec(const BodyOptions& options) {
  Spec spec(mj_makeSpec());
  mjs_setDeepCopy(spec.get(), 1);
  set_options(spec.get(), options);
  return spec;
}

// MuJoCo takes this memory when it compiles
void check_memory(const Body& body, const mjSpec* spec) {
  constexpr double most = double(std::size_t(8) << 30);
  if (double(spec->memory) <= most) return;
  fail(ErrorCode::too_large, "{}: <size memory> asks for {:.3g} bytes, the limit is {:.3g}; give less, or leave it out",
       source(body), double(spec->memory), most);
}

Spec parse(const Body& body, const BodyOptions& options, MujocoLog& log) {
  char words[2048] = "";
  mjSpec* spec = nullptr;
  const bool ok = log.run([&] {
    spec = body.file.empty() ? mj_parseXMLString(body.text.c_str(), nullptr, words, sizeof words)
                             : mj_parseXML(body.file.c_str(), nullptr, words, sizeof words);
  });
  if (!ok) refuse(body, log.error());
  if (!spec) refuse(body, words);
  Spec owned(spec);
  check_memory(body, spec);
  set_options(spec, options);
  return owned;
}

std::shared_ptr<mjModel> compile(mjSpec* spec, MujocoLog& log, std::string& words) {
  mjModel* model = nullptr;
  words.clear();
  if (!log.run([&] { model = mj_compile(spec, nullptr); })) {
    words = log.error();
  } else if (!model) {
    words = mjs_getError(spec);
  }
  return std::shared_ptr<mjModel>(model, mj_deleteModel);
}

// where a body goes: a frame of the world, or a site of one before it
mjsElement* place_of(const Body& body, mjSpec* world) {
  if (body.attach_to.empty()) return mjs_addFrame(mjs_findBody(world, "world"), nullptr)->element;
  if (mjsElement* site = mjs_findElement(world, mjOBJ_SITE, body.attach_to.c_str())) return site;
  std::vector<std::string> known;
  for (mjsElement* s = mjs_firstElement(world, mjOBJ_SITE); s; s = mjs_nextElement(world, s)) {
    const std::string name = mjs_getString(mjs_getName(s));
    if (!name.empty()) known.push_back(name);
  }
  fail(ErrorCode::bad_input, "body '{}': attach_to names the site '{}', which no body before it has; {}", body.name,
       body.attach_to, suggest(body.attach_to, known));
}

void attach(const Body& body, mjSpec* child, mjSpec* world, MujocoLog& log) {
  mjsElement* place = place_of(body, world);
  mjsElement* added = nullptr;
  mjsElement* root = mjs_findBody(child, "world")->element;
  const std::string prefix = body.name + "/";
  if (!log.run([&] { added = mjs_attach(place, root, prefix.c_str(), ""); })) refuse(body, log.error());
  if (!added) refuse(body, mjs_getError(world));

  // the world of the file came along as a body; made a frame, it is the pose of what it holds
  mjsBody* copied_world = mjs_asBody(added);
  mjsFrame* frame = mjs_bodyToFrame(&copied_world);
  std::copy(body.position.begin(), body.position.end(), frame->pos);
  std::copy(body.rotation.begin(), body.rotation.end(), frame->quat);
}

// names the file that MuJoCo refuses, if it is one alone
[[noreturn]] void refuse_assembly(const std::vector<Body>& bodies, const BodyOptions& options,
                                  const std::string& words) {
  MujocoLog log;
  for (const Body& body : bodies) {
    const Spec spec = parse(body, options, log);
    std::string own_words;
    if (!compile(spec.get(), log, own_words)) refuse(body, own_words);
  }
  refuse(bodies.back(), "together with the other bodies: " + words);
}

// what merging options did is documented above and no news to a user
std::vector<std::string> without_merges(std::vector<std::string> warnings) {
  std::erase_if(warnings, [](const std::string& text) { return text.rfind("Attach conflict", 0) == 0; });
  return warnings;
}

}  // namespace

Assembly assemble(const std::vector<Body>& bodies, const BodyOptions& options) {
  check_options(options);
  check_names(bodies);
  MujocoLog log;
  Spec world = empty_spec(options);

  // MuJoCo may look into the files' specs until the model is made
  std::vector<Spec> used;
  for (const Body& body : bodies) {
    check_file(body);
    check_pose(body);
    used.push_back(parse(body, options, log));
    attach(body, used.back().get(), world.get(), log);
  }

  // merging may have touched them
  set_options(world.get(), options);
  std::string words;
  Assembly assembly;
  assembly.model = compile(world.get(), log, words);
  if (!assembly.model && bodies.empty()) fail(ErrorCode::bad_input, "an empty world: {}", words);
  if (!assembly.model) refuse_assembly(bodies, options, words);
  for (int i = 0; i < mjs_numWarnings(world.get()); ++i) log.add_warning(mjs_getWarning(world.get(), i));
  assembly.warnings = without_merges(log.take_warnings());
  return assembly;
}

Assembly assemble(const Scene& scene) {
  BodyOptions options;
  options.timestep = scene.step.dt;
  options.gravity = scene.step.gravity;
  return assemble(scene.bodies, options);
}

}  // namespace pliant::bodies
