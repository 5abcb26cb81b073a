// What `expect:` can measure, of what, in which unit.
#include "pliant/scene_file.h"

namespace pliant {

const std::vector<Quantity>& expect_quantities() {
  using Of = Quantity::Of;
  static const std::vector<Quantity> list = {
      {"time", Of::run, "s", "simulated time"},
      {"steps", Of::run, "", "number of steps"},
      {"failed_steps", Of::run, "", "number of steps that failed"},
      {"particles", Of::run, "", "number of particles"},
      {"momentum_error", Of::run, "",
       "most momentum that a step made from nothing, over the most that the motion holds"},
      {"crossings", Of::run, "", "pairs of triangles of all cloth that pass through each other"},
      {"most_crossings", Of::run, "", "the most of them in all frames"},
      {"mass", Of::matter, "kg", "its mass, in 2-D kg/m"},
      {"volume", Of::matter, "m^3", "its volume as it is deformed now, in 2-D m^2"},
      {"volume_ratio", Of::matter, "", "its volume now over its volume at rest"},
      {"volume_change", Of::matter, "", "volume_ratio - 1"},
      {"inside", Of::matter, "", "part of its mass inside `box`, 0 to 1"},
      {"least_inside", Of::matter, "", "the same, and the least of all steps so far"},
      {"center_x", Of::matter, "m", "x of its centre of mass"},
      {"center_y", Of::matter, "m", "y of its centre of mass"},
      {"center_z", Of::matter, "m", "z of its centre of mass"},
      {"lowest", Of::matter, "m", "least height of its particles: z, in 2-D y"},
      {"highest", Of::matter, "m", "greatest height of its particles: z, in 2-D y"},
      {"speed", Of::matter, "m/s", "greatest speed of its particles"},
      {"kinetic_energy", Of::matter, "J", "of its particles"},
      {"components", Of::matter, "", "number of large pieces that it is in"},
      {"area", Of::matter, "m^2", "of the triangles of cloth"},
      {"area_ratio", Of::matter, "", "the same over that at the start"},
      {"flat_area", Of::matter, "m^2", "of the shadow of cloth, light from straight above"},
      {"flat_area_ratio", Of::matter, "", "the same over that at the start"},
      {"x", Of::body, "m", "x of the body, geom or site"},
      {"y", Of::body, "m", "y of the body, geom or site"},
      {"z", Of::body, "m", "z of the body, geom or site"},
      {"height", Of::body, "m", "z of the centre of mass of the body and all that it carries; of a geom or site: z"},
      {"tilt_degrees", Of::body, "degrees", "angle between its axis z and up"},
      {"speed", Of::body, "m/s", "speed of the body, geom or site"},
      {"contacts", Of::body, "", "number of particles that touch the body or geom"},
      {"deepest", Of::body, "m", "greatest depth of a particle in the body or geom, of all steps so far"},
      {"force_x", Of::body, "N", "x of the force of matter on the body, mean of the last tenth of the run"},
      {"force_y", Of::body, "N", "y of the force of matter on the body, mean of the last tenth of the run"},
      {"force_z", Of::body, "N", "z of the force of matter on the body, mean of the last tenth of the run"},
      {"most_force", Of::body, "N", "greatest force of matter on the body in a step of the run"},
      {"position", Of::joint, "rad or m", "of the joint"},
      {"velocity", Of::joint, "rad/s or m/s", "of the joint"},
      {"value", Of::sensor, "of the sensor", "first number of the sensor"},
      {"magnitude", Of::sensor, "of the sensor", "length of the vector that it measures"},
  };
  return list;
}

}  // namespace pliant
