// A scene is what a user wrote, as plain structs. World checks it and turns it into particles.
#pragma once

#include "pliant/material.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace pliant {

using Vec3 = std::array<double, 3>;  // in 2-D the third number is 0 and unused

enum class Precision { float32, float64 };
enum class Kernel { linear, quadratic, compact };  // compact: CK on a dual grid
enum class Transfer { pic, apic, mls };

// A solid to fill with particles, or a sheet of cloth. In 2-D box and sphere are rectangle and disc.
struct Shape {
  enum class Kind { box, sphere, cylinder, capsule, mesh, cloth };
  Kind kind = Kind::box;
  Vec3 center = {0, 0, 0};                        // m
  Vec3 size = {1, 1, 1};                          // m, edge lengths; box; the third is not used in 2-D
  double radius = 0.5;                            // m; sphere, cylinder, capsule
  double length = 1;                              // m, along the axis z; of a capsule: of its cylindrical part
  std::array<double, 4> rotation = {1, 0, 0, 0};  // unit quaternion w, x, y, z, about the centre
  std::string mesh_file;  // closed triangle mesh, .stl or .obj, whose origin is put at the centre; mesh
  double mesh_scale = 1;  // m per unit of the file
  // cloth: the triangles of mesh_file, an open mesh; without a file a rectangle of size[0] x size[1] about the axis z
  double spacing = 0;       // m, between the vertices of the rectangle; 0: the cell
  double thickness = 1e-3;  // m
};

// whether a piece of matter in 3-D has a surface: triangles whose vertices are particles, and touch for it
enum class SurfaceLayer {
  by_law,  // matter that lasts has one: elastic solids that do not yield
  yes,
  no,
};

struct Sampling {
  enum class Method { by_law, lattice, poisson };
  // by_law: poisson for matter that lasts and in 2-D, lattice for matter that flows, which then starts flush with walls
  Method method = Method::by_law;
  double particles_per_cell = 8;  // 3-D default; use 4 in 2-D
  std::uint64_t seed = 1;
  double jitter = 0;  // lattice only: uniform offset as a part of the spacing, 0..1
  SurfaceLayer surface_layer = SurfaceLayer::by_law;
};

// The vertices of a sheet that are within a ball at the start: they stay where they are, or follow a motion
struct Pin {
  std::string name;         // a motion calls it "matter/pin"
  Vec3 center = {0, 0, 0};  // m
  double radius = 0.01;     // m
  double until = 1e300;     // s; then they are free
};

// A piece of matter: one material, one shape or a list of points
struct Matter {
  std::string name;
  std::string material;  // name of a Material of the scene
  Shape shape;
  Sampling sampling;
  Vec3 velocity = {0, 0, 0};          // m/s
  Vec3 angular_velocity = {0, 0, 0};  // rad/s, about the centre of mass; in 2-D the third
  std::vector<Vec3> points;           // m; if given, these are the particles and the shape is not used
  double point_volume = 0;            // m^3 (m^2 in 2-D), rest volume of each of `points`
  std::vector<Pin> pins;              // of cloth
};

// Pulls a piece of matter together, or pushes it apart (S5: Kirchhoff stress F sigma F^T): its value times its strength is
// a stress in the material frame. A robot is several pieces side by side on the grid, some of them with actuators.
struct Actuator {
  std::string name;
  std::string matter;  // the piece that it acts in
  Vec3 direction = {0, 0,
                    0};  // along which it acts, as the piece lay at first; 0 0 0: along all alike, as pressure does
  double strength = 1;   // Pa that a value of 1 stands for; > 0 pulls together
};

// A solid that matter cannot enter
struct Boundary {
  enum class Kind { plane, box, sphere, cylinder };
  enum class Condition {
    stick,
    slip,
    separate
  };  // stick: v = 0; slip: v_n = 0; separate: v_n >= 0; friction in the last two
  // Where matter feels it: at its surface, as it feels bodies; or by the nodes of the grid inside of it, which hold matter up
  // to a cell away and make friction act there. In 2-D and one way it is always the nodes.
  enum class At { surfaces, nodes };
  std::string name;
  Kind kind = Kind::plane;
  At at = At::surfaces;
  Condition condition = Condition::separate;
  double friction = 0;                            // Coulomb coefficient
  Vec3 center = {0, 0, 0};                        // m, a point of the plane
  Vec3 normal = {0, 0, 1};                        // outward normal of a plane; axis of a cylinder
  Vec3 size = {1, 1, 1};                          // m, edge lengths; box
  double radius = 0.5;                            // m; sphere, cylinder
  double length = 1;                              // m; cylinder
  std::array<double, 4> rotation = {1, 0, 0, 0};  // box
  bool inside_out = false;                        // matter is kept inside instead of outside
  Vec3 velocity = {0, 0, 0};                      // m/s: the boundary moves
  Vec3 angular_velocity = {0, 0, 0};              // rad/s, about its centre; at surfaces only
};

// A robot or a thing, in a file of MuJoCo's MJCF or of URDF
struct Body {
  std::string name;                               // its parts are called "name/part"
  std::string file;                               // .xml (MJCF) or .urdf
  std::string text;                               // MJCF itself, instead of a file
  Vec3 position = {0, 0, 0};                      // m
  std::array<double, 4> rotation = {1, 0, 0, 0};  // unit quaternion w, x, y, z
  std::string attach_to;  // "other/site": a site of a body named before, which carries this one; empty: the world
};

// How matter and what it meets touch. A pair overrides the default for one piece of matter and one partner; of several
// pairs that fit, the last one counts. A * in a name stands for any letters.
struct ContactPair {
  std::string matter;    // name of a piece of matter; empty: all
  std::string partner;   // a boundary, "name" or "name/part": a body and all that it carries, or one geom; empty: all
  double friction = -1;  // Coulomb coefficient; below 0: as without the pair
  double stiffness = 0;  // N/m^3; 0: as Contact says
  double dissipation = -1;  // s/m; below 0: as Contact says
};
struct Contact {
  enum class Law { lagged, sap };  // see src/contact/README.md
  // what friction of the lagged law goes by: the normal impulse of the same moment, or that of the solve before
  enum class Radius { following, lagged };
  Law law = Law::lagged;
  Radius radius = Radius::following;
  // Coulomb coefficient; below 0: the larger of the material's and of the partner's own, the geom's or the boundary's. It
  // is not for liquids: they have none unless a pair says so.
  double friction = -1;
  double stiffness = 0;    // N/m^3, pressure per depth; 0: 10 E / cell, of what lasts 30 E / cell
  double dissipation = 0;  // s/m, of Hunt and Crossley; lagged
  double relaxation = 0;   // s, of the spring; sap
  bool memory = true;      // friction holds a spring at an anchor, so that it does not creep under load
  double stiction = 1e-4;  // m/s, slip that friction without memory has at rest
  std::vector<ContactPair> pairs;
};

// Stops an actuator on its way to a waypoint, as a hand that closes, once a body is pushed hard enough. The control
// then stays as it is until the stretch to a waypoint of Motion::release, which starts from there. No force stops a
// motion that rests, or that lets go.
struct UntilForce {
  std::string body;   // "name/part"; empty: no force stops the motion
  double newton = 0;  // N, norm of the sum of the contact forces on the body alone, of matter and of other bodies
};

// Where something should be at given times; smooth in between, at rest before the first and after the last.
struct Motion {
  enum class Kind { actuator, mocap, boundary, gripper, pin, actuation };
  enum class Path { smooth, linear, hold };  // smooth: each stretch starts and ends at rest; hold: jumps at the time
  Kind kind = Kind::actuator;
  std::string
      target;  // name of an actuator of a body, a mocap body, a boundary, a site that a gripper's arm carries, "matter/pin",
               // or an actuator of matter
  Path path = Path::smooth;
  std::vector<double> times;  // s, ascending
  // per time: actuator, its control, and actuation, its value (1); mocap and gripper, position and quaternion (7: x y z, w x y z); boundary and
  // pin, its centre (3)
  std::vector<std::vector<double>> values;
  UntilForce until_force = {};  // actuator only
  std::vector<bool> release =
      {};  // per time: on the way there the control lets go of where until_force holds it; empty: never
};

struct Record {
  double rate = 60;          // frames per second of simulated time
  bool deformation = false;  // also F and the plastic state of each particle
};

// A check at the end of a run: min <= value <= max.
struct Expect {
  std::string name;
  std::string of;               // a piece of matter, a body, a sensor or a joint by name; empty: the whole run
  std::string quantity;         // see docs/expect.md
  Vec3 box_center = {0, 0, 0};  // m; quantities inside and least_inside: the part of the mass in this box
  Vec3 box_size = {0, 0, 0};    // m
  double min = -1e300, max = 1e300;
  double at = -1;  // s, when it is measured; below 0: at the end
};

// how bodies and matter act on each other
enum class Method {
  async,    // explicit substeps of matter with convex contact in each; their impulses go to the bodies (S2)
  strong,   // elasticity, friction and bodies balanced in one implicit solve, for large steps (S1)
  one_way,  // bodies are moving boundaries for the grid and do not feel it
};

// when matter flows in the strong step
enum class PlasticFlow {
  by_law,    // linear_corotated: lagged, all others: implicit
  lagged,    // after the solve, in which matter is elastic (S1, Algorithm 1)
  implicit,  // in the solve: its stresses are those after the return mapping
};

struct StepOptions {
  double dt = 1e-3;              // s, one call of World::step
  double cell = 0.02;            // m, grid spacing h
  Vec3 gravity = {0, 0, -9.81};  // m/s^2; in 2-D set {0, -9.81, 0}: a third number is refused
  double courant = 0.4;          // substep <= courant * h / (wave speed + speed), 0..1
  int max_substeps = 1000;       // the user's cap; more is an error that names the needed count
  int substeps = 0;              // 0: automatic
  Kernel kernel = Kernel::quadratic;
  Transfer transfer = Transfer::mls;
  bool balance = true;  // fill in the balance of the report
  Method method = Method::async;
  double tolerance = 0;       // of the solver, relative, 1e-10..1; 0: by the method, see solver_tolerance
  int max_iterations = 1000;  // of the solver; more is an error
  int budget = 20'000;        // iterations of all solves of a step, linear ones and repeats included; more is an error
  // of the strong step
  int max_cuts = 3;            // a step that fails is repeated in 2, 4, ... 2^max_cuts parts, 0..10; 0: never
  bool exact_rotation = true;  // stretch is told from turning within the step: angular momentum is kept
  PlasticFlow plastic_flow = PlasticFlow::by_law;
  double mass_damping = 0;       // 1/s, Rayleigh's
  double stiffness_damping = 0;  // s, Rayleigh's
};

// what `tolerance` stands for. Explicit substeps solve for contact alone, to a part of its impulses (S2 has 5e-2 of all
// momentum: what moves fast is then not solved for, and slides with too much friction); the strong step solves for
// elasticity too, to a part of the momentum: at 5e-2 a block that friction should hold slides.
inline double solver_tolerance(const StepOptions& step) {
  if (step.tolerance > 0) return step.tolerance;
  return step.method == Method::strong ? 1e-4 : 1e-2;
}

struct Scene {
  std::string name;
  int dimension = 3;
  Precision precision = Precision::float32;
  StepOptions step;
  std::vector<Material> materials;
  std::vector<Matter> matter;
  std::vector<Actuator> actuators;  // of matter
  std::vector<Boundary> boundaries;
  std::vector<Body> bodies;
  Contact contact;
  std::vector<Motion> motion;
  Record record;
  std::vector<Expect> expect;
  double duration = 1;       // s, of a run
  std::string cache_folder;  // for what takes long to make (distance fields of meshes); empty: nothing is kept
  std::size_t max_particles = 20'000'000;
  std::size_t max_memory = std::size_t(8) << 30;  // bytes
};

// Throws Error(bad_input, too_large, or bad_file for a mesh) naming the part, the value, its unit and the cure. Reads
// mesh files, but makes no particles. Without matter a scene needs bodies: its own, or others that a World is given.
void check(const Scene& scene, bool other_bodies = false);

}  // namespace pliant
