// The keys of a motion.
#pragma once

#include "scene/scene_keys.h"

namespace pliant::scene {

void motion_keys(Keys& keys, Motion& motion);

}  // namespace pliant::scene
