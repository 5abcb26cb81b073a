// With what a piece of matter touches bodies, and so how its shape is sampled.
#pragma once

#include "pliant/scene.h"
#include "scene/namespace.h"

namespace pliant::scene {

enum class TouchBy {
  centers,  // of its particles: cloth, and what asks for no surface
  surface,  // particles that are the vertices of its surface; those inside touch nothing
  balls,    // its particles are balls of radius 1/2 V^(1/3), of the rest volume, that do not stick out of its shape
};

TouchBy touch_by(const Matter& matter, const Material& material, int dimension);

// how its shape is filled: nothing is left to the law
Sampling sampling_of(const Matter& matter, const Material& material, int dimension);

}  // namespace pliant::scene
