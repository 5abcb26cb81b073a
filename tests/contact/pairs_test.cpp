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
  return pair_law(contact, "dough", {}, partner_of(pad())).friction;
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

TEST(Pairs, AStarStandsForAnyLetters) {
  for (const char* name : {"*", "l*", "*/rubber", "left/*", "hand/*er", "*an*", "**m", "l*t/r*r"})
    EXPECT_EQ(friction_with({{"", name, 0.7}}), 0.7) << name;
  for (const char* name : {"*x", "r*", "l*t/x*", "*gripper"}) EXPECT_EQ(friction_with({{"", name, 0.7}}), 0.1) << name;
  EXPECT_EQ(friction_with({{"d*h", "left", 0.3}, {"w*", "left", 0.7}}), 0.3);
}

// pairs, then what the scene says for all, then the larger of what matter and partner have
TEST(Pairs, FrictionIsThatOfTheFirstWhoSaysIt) {
  Contact contact;
  Material rubber, water;
  water.law = Law::liquid;
  Geom geom = pad();
  geom.friction = 0.8;
  const auto friction = [&](const Material& m) { return pair_law(contact, "dough", m, partner_of(geom)).friction; };
  EXPECT_EQ(friction(rubber), 0.8);
  EXPECT_EQ(friction(water), 0);
  rubber.friction = 0.6;
  EXPECT_EQ(friction(rubber), 0.8);
  rubber.friction = 0.9;
  EXPECT_EQ(friction(rubber), 0.9);
  // as MuJoCo has it for two geoms
  geom.priority = 1;
  EXPECT_EQ(friction(rubber), 0.8);
  geom.priority = -1, geom.friction = 1;
  EXPECT_EQ(friction(rubber), 0.9);
  contact.friction = 0.4;
  EXPECT_EQ(friction(rubber), 0.4);
  EXPECT_EQ(friction(water), 0);
  // a pair that does not say it leaves it as it was
  contact.pairs = {{"", "left", 0.3}, {"dough", "hand", -1, 1e8}};
  EXPECT_EQ(friction(rubber), 0.4);
  contact.pairs = {{"dough", "hand", -1, 1e8}, {"", "left", 0.3}};
  EXPECT_EQ(friction(rubber), 0.3);
  EXPECT_EQ(friction(water), 0.3);
}

}  // namespace
}  // namespace pliant
