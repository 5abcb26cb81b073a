// A world is a scene in motion.
#pragma once

#include "pliant/contact.h"
#include "pliant/report.h"
#include "pliant/scene.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

// MuJoCo's own, see mujoco/mujoco.h
typedef struct mjModel_ mjModel;
typedef struct mjData_ mjData;

namespace pliant {

// robots and things of MuJoCo, shared with whoever made them
struct SharedBodies {
  std::shared_ptr<mjModel> model;
  std::shared_ptr<mjData> data;
  std::vector<std::string> warnings;  // from making them, told in the first report
};

// A strided view of one attribute of the particles of one piece of matter. Valid until the next step or restore;
// the order of particles changes when they are sorted, `ids` tells who is who.
struct View {
  const void* data = nullptr;
  Precision precision = Precision::float32;  // of the numbers; ids are uint32
  std::size_t count = 0;
  std::vector<std::size_t> shape;  // of one particle: {} for a number, {D}, {D, D}
  std::size_t stride = 0;          // bytes from one particle to the next
};

// The surface with which a piece of matter touches. Its vertices are the particles of smallest id of the piece.
struct Surface {
  std::vector<Vec3> vertices;                          // m, now
  std::vector<std::array<std::int32_t, 3>> triangles;  // by vertex, counter-clockwise seen from outside; constant
  std::vector<double> area;                            // m^2, at rest, that each vertex stands for; constant
  // mean over the last step, from contact
  std::vector<double> pressure;  // Pa
  std::vector<Vec3> traction;    // Pa, force on the matter over area
};

enum class Attribute { position, velocity, affine, deformation_gradient, plastic, mass, volume, id };

class World {
 public:
  // threads 0: all that the machine has
  explicit World(const Scene& scene, int threads = 0);
  // With your own bodies, as they are, instead of those of the scene; dt is the model's timestep. The data is read when
  // a step begins and written when it has ended well. In between, bodies move in a data of the world's own, and that is
  // what callbacks of MuJoCo see; without matter they move in yours.
  World(const Scene& scene, const SharedBodies& bodies, int threads = 0);
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  // Advances by StepOptions::dt. On an Error nothing has changed. A strong step that fails is first repeated in parts,
  // see StepOptions::max_cuts.
  const StepReport& step();
  const StepReport& report() const;  // of the last step

  // A second world in the same state, from which both give the same bits: it shares all that is constant. It may be
  // stepped at the same time on another thread. threads 0: as many. Its bodies are in the given data of the same model,
  // or in one of its own.
  World clone(int threads = 0, std::shared_ptr<mjData> data = nullptr) const;
  // back to how it was made, actuations, elasticities, velocities of boundaries and bodies included
  void reset();

  // The bodies, for reading and for setting controls between steps; nullptr if there are none. After a step all that
  // depends on positions and velocities is up to date; forces are those of the start of the step.
  const mjModel* model() const;
  mjData* data() const;

  double time() const;
  const Scene& scene() const;
  int threads() const;
  std::size_t particle_count() const;
  std::size_t memory() const;  // bytes held by states and workspace

  // hash of the whole state
  std::uint64_t state_hash() const;

  View view(const std::string& matter, Attribute attribute) const;
  // Triangles of a sheet of cloth, by its vertices, which are the particles of smallest id: id less the smallest id of
  // the piece. Empty for other matter.
  std::vector<std::array<std::int32_t, 3>> triangles(const std::string& matter) const;
  // Pieces of matter that have a surface: of laws that last, in 3-D. Empty arrays for the others.
  std::vector<std::string> surface_names() const;
  Surface surface(const std::string& matter) const;
  // Von Mises stress of each particle, Pa (Cauchy, of the law alone), in the order of the views; computed when asked
  // for.
  std::vector<double> von_mises(const std::string& matter) const;

  // Values of one attribute (position, velocity, affine, deformation_gradient or plastic) of all particles of a piece of
  // matter, by id, row after row. Error if they are not finite, too many or few, out of the grid's range, or turn a
  // particle inside out; then nothing has changed.
  void set(const std::string& matter, Attribute attribute, std::span<const double> values);
  // Joint positions, velocities and activations of the bodies, as in mjData; an empty list leaves them as they are.
  // The same errors, and for quaternions that are not of length 1.
  void set_bodies(std::span<const double> qpos, std::span<const double> qvel, std::span<const double> act = {});
  // actuation stress of one piece of matter, symmetric, in its material frame, Pa (S5: Kirchhoff stress F sigma F^T)
  void set_actuation(const std::string& matter, const std::array<double, 9>& stress);
  // value of an actuator of matter, which the scene names; it adds to the stress of its piece
  void set_actuation(const std::string& actuator, double value);
  // Young's moduli (Pa) and Poisson's ratios of all particles of a piece of matter, by id, in place of those of its
  // material; an empty list leaves them as they are. Stress goes by them, contact and loss by the material. For laws
  // without memory (linear, fixed_corotated, neo_hookean) and explicit steps. The same errors.
  void set_elasticity(const std::string& matter, std::span<const double> E, std::span<const double> nu);
  // what they are now, by id: E and nu in turn
  std::vector<std::array<double, 2>> elasticity(const std::string& matter) const;
  // velocity of a boundary, m/s
  void set_boundary_velocity(const std::string& boundary, const Vec3& velocity);
  std::vector<Vec3> boundary_centers() const;  // m, now, in the order of the scene

  Balance balance() const;

  // What matter did to bodies and boundaries in the last step, by the names of the model and the scene. A boundary that
  // keeps matter inside has sides: "tank/-x" .. "tank/+z", of a cylinder "/round" and the two of z. The impulses of all contacts of a body, over dt, are its wrench's
  // force, and so is the sum of the taxels of its geoms.
  const std::vector<Touch>& contacts() const;
  Wrench wrench(const std::string& body) const;
  Taxels taxels(const std::string& geom, int rows, int columns) const;

  // The state as bytes with version and checksum, exact. restore refuses, with Error(bad_file), bytes that are truncated
  // or altered, numbers that no state of this world can hold, and another scene, by the first key that differs. How a
  // step is taken (dt, gravity, method, tolerances), names, limits, record and expect may differ.
  std::vector<std::byte> save() const;
  void restore(std::span<const std::byte> bytes);

  class Impl;

 private:
  friend class Tape;
  explicit World(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// the same through files
void save_file(const World& world, const std::string& path);
void restore_file(World& world, const std::string& path);

}  // namespace pliant
