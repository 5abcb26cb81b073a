// Names of the parts of a MuJoCo model, and what to say when one is not there.
#pragma once

#include "bodies/namespace.h"

#include <string>
#include <vector>

typedef struct mjModel_ mjModel;

namespace pliant::bodies {

// kinds of parts, as MuJoCo's mjtObj
enum class Part { body, joint, geom, site, actuator, sensor, key };

// names of all parts of a kind; unnamed ones are left out
std::vector<std::string> names_of(const mjModel* model, Part part);

// -1 if there is none
int find_part(const mjModel* model, Part part, const std::string& name);

// its number; Error(bad_input) that begins with `who` and names the nearest known name
int require_part(const mjModel* model, Part part, const std::string& name, const std::string& who);

// "did you mean 'x'?", "known: 'a', 'b'", or "there is none"
std::string suggest(const std::string& wrong, const std::vector<std::string>& known);

}  // namespace pliant::bodies
