#include "contact/pairs.h"

#include <gtest/gtest.h>

namespace pliant {

using namespace contact;

namespace {

// a pad that a hand carries, which an arm carries
Geom pad() {
  Geom geom;
  geom.name = "left/rubber";
  geom.body_name = "left/pad";
  geom.carriers = {"hand/finger", "hand/palm", "arm/flange"};
  return geom;
}

double friction_with(const std::vector<ContactPair>& pairs) {
  Contact contact;
  contact.friction = 0.1;
  contact.pairs = pairs;
  return pair_law(contact, "dough", pad()).friction;
}

TEST(Pairs, NameABodyWithAllThatItCarries) {
  for (const char* name : {"", "left", "left/pad", "left/rubber", "hand", "hand/finger", "arm", "arm/flange"})
    EXPECT_EQ(friction_with({{"", name, 0.7}}), 0.7) << name;
  for (const char* name : {"lef", "hand/fing", "right", "arm/flange/x", "pad"})
    EXPECT_EQ(friction_with({{"", name, 0.7}}), 0.1) << name;
}

TEST(Pairs, TheLastThatFitsCounts) {
  EXPECT_EQ(friction_with({{"", "hand", 0.7}, {"", "left", 0.3}}), 0.3);
  EXPECT_EQ(friction_with({{"", "left", 0.3}, {"", "hand", 0.7}}), 0.7);
  EXPECT_EQ(friction_with({{"dough", "left", 0.3}, {"water", "left", 0.7}}), 0.3);
}

}  // namespace
}  // namespace pliant
