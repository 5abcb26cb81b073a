// E and nu of single particles, as a user gave them, ready for a step: their stress goes by them. Contact and the loss of a
// piece go by what its material says.
#pragma once

#include "core/buffer.h"
#include "material/moduli.h"
#include "step/inputs.h"
#include "step/model.h"
#include "step/namespace.h"

#include <memory>
#include <vector>

namespace pliant::step {

template <class S>
struct OwnModuli {
  std::shared_ptr<const std::vector<Elasticity>> from;
  Buffer<Moduli<S>> of_particles;  // by id
  std::vector<char> has;           // by group: some of its particles have their own
  std::vector<double> waves;       // m/s, by group: the fastest of them, 0: none

  // nullptr: as the law says
  const Moduli<S>* of(std::size_t group) const { return has[group] ? of_particles.data() : nullptr; }
};

// whether the particles of such a piece may have their own
bool takes_own_moduli(const Material& material);

// nullptr: there are none. `last` is given back if it is of the same. Error(bad_input) for a strong step.
template <class S>
std::shared_ptr<const OwnModuli<S>> own_moduli(const Model<S>& model, const Inputs& inputs,
                                               std::shared_ptr<const OwnModuli<S>> last);

}  // namespace pliant::step
