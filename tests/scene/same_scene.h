// Scenes are equal key by key, numbers to the last bit.
#pragma once

#include "scene/scene_lines.h"

#include <gtest/gtest.h>

namespace pliant {

using namespace scene;

inline void expect_same(const Scene& a, const Scene& b) {
  EXPECT_EQ(difference(scene_lines(a), "the first", scene_lines(b), "the second"), "");
  EXPECT_TRUE(same_scene(a, b));
}

}  // namespace pliant
