// checks of what users say of a material
#include "core/error.h"
#include "material/law_info.h"

namespace pliant {

using namespace material;

static void check_value(const Material& material, const Parameter& p) {
  const double value = material.*p.member;
  if (p.holds(value)) return;
  fail(ErrorCode::bad_input, "material '{}': {} is {} {}; give a number {} {:g} and {} {:g}", material.name, p.name,
       value, *p.unit ? p.unit : "(no unit)", p.range.open_from ? "above" : "of at least", p.range.from,
       p.range.open_to ? "below" : "of at most", p.range.to);
}

void check(const Material& material) {
  const LawInfo& law = info(material.law);
  check_value(material, parameter::density);
  for (const Parameter& parameter : law.parameters) check_value(material, parameter);
}

}  // namespace pliant
