// Parameters, their checks, the names of laws and what a step must know of a material.
#include "check_law.h"
#include "pliant/error.h"

#include <limits>

namespace pliant {

using namespace material;

namespace {

// the text of the error that `check` throws
std::string refusal(const Material& material) {
  try {
    check(material);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    return error.what();
  }
  return "accepted";
}

struct BadValue {
  Law law;
  double Material::*parameter;
  double value;
  const char* text;  // what the error must say
};

TEST(Check, RefusesBadValuesWithNameValueAndUnit) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const BadValue bad_values[] = {
      {Law::linear, &Material::E, nan, "E is nan Pa"},
      {Law::neo_hookean, &Material::E, -3, "E is -3 Pa"},
      {Law::sand, &Material::E, 0, "E is 0 Pa"},
      {Law::snow, &Material::E, inf, "E is inf Pa"},
      {Law::fixed_corotated, &Material::nu, 0.5, "nu is 0.5 (no unit); give a number above -1 and below 0.5"},
      {Law::eraser, &Material::nu, -1, "nu is -1"},
      {Law::hencky, &Material::nu, nan, "nu is nan"},
      {Law::neo_hookean, &Material::density, 0, "density is 0 kg/m^3"},
      {Law::liquid, &Material::density, -1, "density is -1 kg/m^3"},
      {Law::liquid, &Material::density, nan, "density is nan kg/m^3"},
      {Law::linear_corotated, &Material::yield, -5, "yield is -5 Pa"},
      {Law::hencky, &Material::yield, nan, "yield is nan Pa"},
      {Law::sand, &Material::friction_angle, 90, "friction_angle is 90 degrees"},
      {Law::sand, &Material::friction_angle, -1, "friction_angle is -1 degrees"},
      {Law::sand, &Material::friction_angle, nan, "friction_angle is nan degrees"},
      {Law::sand, &Material::cohesion, -0.1, "cohesion is -0.1"},
      {Law::liquid, &Material::bulk_modulus, 0, "bulk_modulus is 0 Pa"},
      {Law::liquid, &Material::gamma, 0.5, "gamma is 0.5"},
      {Law::liquid, &Material::viscosity, -1, "viscosity is -1 Pa s"},
      {Law::snow, &Material::hardening, -1, "hardening is -1"},
      {Law::snow, &Material::critical_compression, 1, "critical_compression is 1"},
      {Law::snow, &Material::critical_stretch, -1e-3, "critical_stretch is -0.001"},
  };
  for (const BadValue& bad : bad_values) {
    Material material = usual_material(bad.law);
    material.name = "dough";
    material.*bad.parameter = bad.value;
    const std::string text = refusal(material);
    EXPECT_EQ(text.rfind("material 'dough': ", 0), 0u) << text;
    EXPECT_NE(text.find(bad.text), std::string::npos) << text << "\nshould say: " << bad.text;
  }
}

TEST(Check, AcceptsUsualMaterialsAndIgnoresWhatTheLawDoesNotRead) {
  for (const Law law : all_laws) {
    EXPECT_EQ(refusal(usual_material(law)), "accepted");
    Material material;
    material.law = law;
    EXPECT_EQ(refusal(material), "accepted");
  }
  Material liquid = usual_material(Law::liquid);
  liquid.E = -1;
  liquid.friction_angle = 1000;
  EXPECT_EQ(refusal(liquid), "accepted");
  Material stiff = usual_material(Law::linear_corotated);
  stiff.yield = 0;
  EXPECT_EQ(refusal(stiff), "accepted");
}

TEST(Check, RefusesALawThatDoesNotExist) {
  Material material;
  material.law = Law{77};
  EXPECT_NE(refusal(material).find("law number 77"), std::string::npos);
}

TEST(LawName, GoesThereAndBack) {
  for (const Law law : all_laws) EXPECT_EQ(law_from_name(name(law)), law);
  EXPECT_STREQ(name(Law::neo_hookean), "neo_hookean");
  EXPECT_STREQ(name(Law::snow), "snow");
}

TEST(LawName, UnknownNamesAreRefusedWithTheKnownOnes) {
  try {
    law_from_name("jelly");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    const std::string text = error.what();
    EXPECT_NE(text.find("'jelly'"), std::string::npos);
    for (const Law law : all_laws) EXPECT_NE(text.find(name(law)), std::string::npos);
  }
}

TEST(MakeLaw, GivesTheLawThatWasAskedFor) {
  for (const Law law : all_laws) EXPECT_EQ(make_law<float>(usual_material(law)).index(), std::size_t(law.number));
}

TEST(SoundSpeed, IsThatOfPressureWaves) {
  const double mu = 1e5 / 2.6, lambda = 1e5 * 0.3 / (1.3 * 0.4);
  const double solid = std::sqrt((lambda + 2 * mu) / 1000);
  EXPECT_DOUBLE_EQ(sound_speed(usual_material(Law::neo_hookean), 0), solid);
  EXPECT_DOUBLE_EQ(sound_speed(usual_material(Law::sand), 0.3), solid);
  EXPECT_DOUBLE_EQ(sound_speed(usual_material(Law::liquid), 0), std::sqrt(2e5 / 1000));
  EXPECT_DOUBLE_EQ(sound_speed(usual_material(Law::snow), 1), solid);
  EXPECT_DOUBLE_EQ(sound_speed(usual_material(Law::snow), 0.9), solid * std::exp(0.5));
  // no more than e^5 times as stiff
  EXPECT_DOUBLE_EQ(sound_speed(usual_material(Law::snow), 0.1), solid * std::exp(2.5));
}

TEST(MomentumDiffusivity, IsThatOfTheLiquid) {
  EXPECT_DOUBLE_EQ(momentum_diffusivity(usual_material(Law::liquid)), 3e-3);
  EXPECT_EQ(momentum_diffusivity(usual_material(Law::sand)), 0);
}

}  // namespace
}  // namespace pliant
