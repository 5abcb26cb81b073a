// What liquids need beside their stress: README.md of implicit says why.
#pragma once

#include "step/part.h"

namespace pliant::step {

// What a particle stretches and shears within itself is forgotten; how it turns stays.
template <class S>
void calm_liquids(StepPart<3, S>& part);

// Particles of a piece in one cell share their volume ratio. They are in the order of the layout.
template <class S>
void even_liquids(StepPart<3, S>& part);

// Volume ratios go towards those of the mass around the particles, as they would over dt. The grid has their masses.
template <class S>
void relieve_liquids(StepPart<3, S>& part, double dt);

// both of these, in a step of substeps whose walls are known; the second one now and then
template <class S>
void even_before_substeps(StepPart<3, S>& part);
template <class S>
void relieve_in_substeps(StepPart<3, S>& part);

}  // namespace pliant::step
