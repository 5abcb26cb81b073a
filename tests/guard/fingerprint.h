// What the guard looks at after a step: a short hash of each quantity, with particles in the order of their ids.
#pragma once

#include "pliant/world.h"

#include <string>
#include <vector>

namespace pliant::guard {

// the first is no hash: the number of substeps of the step, or the name of its error
const std::vector<std::string>& quantities();

// one word for each of `quantities`; "-" where there is nothing to hash
std::vector<std::string> fingerprint(const World& world, const std::string& outcome);

}  // namespace pliant::guard
