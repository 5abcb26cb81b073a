// The elements of an XML text, without what stands between them. It takes what MuJoCo's reader takes and refuses the
// rest, so that nothing is hidden from a check. The text is untrusted: depth and counts are limited.
#pragma once

#include "scene/namespace.h"

#include <string>
#include <string_view>
#include <vector>

namespace pliant::scene {

struct XmlLimits {
  std::size_t file_bytes = std::size_t(32) << 20;
  std::size_t elements = 200'000;
  int depth = 256;
  int attributes = 200;  // of one element
};

struct XmlTag {
  std::string name;  // in lower case
  int line = 1;
  int parent = -1;                                                // number of the element around it
  std::vector<std::pair<std::string, std::string>> attributes{};  // as written, entities not decoded

  // null if it is not there
  const std::string* find(std::string_view attribute) const;
};

struct XmlProblem {
  int line = 1;
  std::string message, cure;
};

// Elements in the order of the text; of their attributes only those that `wanted` names. False and a problem if the
// text is no XML or passes a limit.
bool read_xml_tags(std::string_view text, const std::vector<std::string_view>& wanted, const XmlLimits& limits,
                   std::vector<XmlTag>& tags, XmlProblem& problem);

// the value of an attribute with its entities (&amp; &#46; ...) decoded; false if one of them is not known
bool decode_xml(std::string_view value, std::string& decoded);

}  // namespace pliant::scene
