// All laws under one type, and what a step must know of a material to choose its substep.
#pragma once

#include "material/cloth.h"
#include "material/eraser.h"
#include "material/fixed_corotated.h"
#include "material/hencky.h"
#include "material/linear.h"
#include "material/linear_corotated.h"
#include "material/liquid.h"
#include "material/neo_hookean.h"
#include "material/sand.h"
#include "material/snow.h"

#include <variant>

namespace pliant {

// in the order of enum class Law
template <class S>
using AnyLaw = std::variant<Linear<S>, LinearCorotated<S>, FixedCorotated<S>, NeoHookean<S>, Hencky<S>, Sand<S>,
                            Liquid<S>, Eraser<S>, Snow<S>, Cloth<S>>;

// the law of a material that has passed `check`
template <class S>
AnyLaw<S> make_law(const Material& material);

// m/s, the fastest wave in matter at rest whose memory has this plastic value
double sound_speed(const Material& material, double plastic);

// m^2/s, viscosity over density; 0 for matter without viscosity
double momentum_diffusivity(const Material& material);

}  // namespace pliant
