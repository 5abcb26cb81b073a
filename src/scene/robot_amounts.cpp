#include "scene/robot_amounts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>

namespace pliant::scene {

namespace {

using Triple = std::array<double, 3>;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Up to three numbers, what is missing is 1, what is negative 0. False if the first words are no numbers.
bool read_numbers(std::string_view text, Triple& numbers) {
  numbers = {1, 1, 1};
  const char *at = text.data(), *const end = at + text.size();
  for (double& number : numbers) {
    while (at != end && is_space(*at)) ++at;
    if (at != end && *at == '+') ++at;
    if (at == end) return true;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (next != end && !is_space(*next)) || !std::isfinite(number)) return false;
    number = std::max(number, 0.0);
    at = next;
  }
  return true;
}

// "16M" in bytes
bool read_memory(std::string_view text, double& bytes) {
  const std::string_view units = "KMGTPE";
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  double factor = 1;
  const char last = text.empty() ? ' ' : char(text.back() & ~0x20);
  if (const std::size_t unit = units.find(last); unit != std::string_view::npos) {
    factor = std::pow(1024.0, double(unit + 1));
    text.remove_suffix(1);
  }
  Triple numbers;
  if (text.empty() || !read_numbers(text, numbers)) return false;
  bytes = numbers[0] * factor;
  return true;
}

// Reads the numbers of one element and remembers what was unclear.
class Reader {
 public:
  explicit Reader(const XmlTag& tag) : tag_(tag) {}
  RobotAmount amount;

  Triple numbers(std::string_view attribute, const Triple& standard) {
    const std::string* value = tag_.find(attribute);
    Triple result = standard;
    if (value && !read_numbers(*value, result)) {
      amount.unclear = attribute;
      return standard;
    }
    return result;
  }
  double number(std::string_view attribute, double standard = 0) { return numbers(attribute, {standard, 1, 1})[0]; }
  double product(std::string_view attribute, const Triple& standard) {
    const Triple n = numbers(attribute, standard);
    return std::max(n[0], 1.0) * std::max(n[1], 1.0) * std::max(n[2], 1.0);
  }
  std::string_view word(std::string_view attribute) const {
    const std::string* value = tag_.find(attribute);
    return value ? std::string_view(*value) : std::string_view();
  }

  void read_size() {
    double memory = 0;
    if (const std::string* text = tag_.find("memory"); text && *text != "-1" && !read_memory(*text, memory)) {
      amount.unclear = "memory";
    }
    // what MuJoCo 4.0.0 sets aside for the numbers of older models, as measured
    const double njmax = number("njmax");
    amount.bytes =
        memory + 8 * number("nstack") + 52 * njmax * njmax + 640 * number("nconmax") + 8 * number("nuserdata");
    for (const std::string_view name : amount_attributes()) {
      const bool is_per_part = name == "nkey" || name.rfind("nuser_", 0) == 0;
      if (is_per_part) amount.per_part = std::max(amount.per_part, number(name));
    }
  }

  void read_mesh() {
    const std::string_view kind = word("builtin");
    if (kind.empty()) return;
    const Triple n = numbers("params", {1, 1, 1});
    const bool is_square = kind == "supersphere" || kind == "supertorus";
    const bool is_flat = kind == "wedge" || kind == "plate";
    amount.parts = std::max(n[0], 1.0) * std::max(is_square ? n[0] : n[1], 1.0);
    if (!is_square && !is_flat) amount.parts *= std::max(n[2], 1.0);
  }

  void read_texture() {
    if (tag_.find("file")) return;
    const double width = number("width"), height = number("height");
    const bool is_flat = word("type") == "2d";
    amount.bytes = 4 * width * (is_flat ? height : std::max(height, 6 * width));
  }

 private:
  const XmlTag& tag_;
};

std::uint32_t big_endian(const unsigned char* bytes) {
  return std::uint32_t(bytes[0]) << 24 | std::uint32_t(bytes[1]) << 16 | std::uint32_t(bytes[2]) << 8 | bytes[3];
}

}  // namespace

const std::vector<std::string_view>& amount_attributes() {
  static const std::vector<std::string_view> names = {
      "count",     "cellcount",    "params",         "builtin",     "nrow",       "ncol",
      "width",     "height",       "type",           "size",        "dim",        "nsample",
      "num",       "resolution",   "memory",         "nstack",      "njmax",      "nconmax",
      "nuserdata", "nkey",         "nuser_body",     "nuser_jnt",   "nuser_geom", "nuser_site",
      "nuser_cam", "nuser_tendon", "nuser_actuator", "nuser_sensor"};
  return names;
}

RobotAmount amount_of(const XmlTag& tag) {
  Reader reader(tag);
  RobotAmount& amount = reader.amount;
  amount.parts = 1;
  if (tag.name == "size") {
    reader.read_size();
  } else if (tag.name == "mesh") {
    reader.read_mesh();
  } else if (tag.name == "texture") {
    reader.read_texture();
  } else if (tag.name == "replicate") {
    reader.number("count");
  } else if (tag.name == "composite") {
    amount.parts = reader.product("count", {1, 1, 1});
  } else if (tag.name == "flexcomp" || tag.name == "flex") {
    const Triple standard = tag.name == "flexcomp" ? Triple{10, 10, 10} : Triple{1, 1, 1};
    amount.parts = reader.product("count", standard) + reader.product("cellcount", {1, 1, 1});
  } else if (tag.name == "hfield") {
    amount.bytes = 8 * reader.number("nrow") * reader.number("ncol");
  } else if (tag.name == "numeric") {
    amount.bytes = 8 * reader.number("size");
  } else if (tag.name == "user") {
    amount.bytes = 8 * reader.number("dim") * std::max(reader.number("nsample"), 1.0);
  } else if (tag.name == "camera") {
    // a range finder has a value per pixel
    amount.bytes = 8 * reader.product("resolution", {1, 1, 1});
  } else {
    amount.bytes = 256 * (reader.number("nsample") + (tag.name == "contact" ? reader.number("num") : 0));
  }
  return amount;
}

double replicas_of(const XmlTag& tag) {
  return tag.name == "replicate" ? std::max(Reader(tag).number("count", 1), 1.0) : 1;
}

double asset_memory(const std::filesystem::path& path) {
  std::error_code error;
  const double size = double(std::filesystem::file_size(path, error));
  if (error) return 0;
  std::array<unsigned char, 24> start{};
  std::ifstream stream(path, std::ios::binary);
  stream.read(reinterpret_cast<char*>(start.data()), std::streamsize(start.size()));
  const std::array<unsigned char, 8> png = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  if (!stream || !std::equal(png.begin(), png.end(), start.begin())) return size;
  return size + 4.0 * big_endian(&start[16]) * big_endian(&start[20]);
}

}  // namespace pliant::scene
