#include "fingerprint.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

namespace pliant::guard {
namespace {

// a hash of words of 32 bits, shown as 8 hexadecimal digits
class Hash {
 public:
  void add(const void* bytes, std::size_t size) {
    for (std::size_t at = 0; at < size; at += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, static_cast<const char*>(bytes) + at, std::min<std::size_t>(4, size - at));
      value_ = (value_ ^ word) * 0x9E3779B97F4A7C15u;
      value_ ^= value_ >> 31;
      empty_ = false;
    }
  }
  void add(double number) { add(&number, sizeof number); }
  void add(const Vec3& v) { add(v.data(), sizeof v); }
  void add(const std::vector<Vec3>& list) {
    for (const Vec3& v : list) add(v);
  }

  std::string text() const {
    if (empty_) return "-";
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", unsigned(value_ ^ (value_ >> 32)));
    return digits;
  }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325u;
  bool empty_ = true;
};

const char* at(const View& view, std::size_t particle) {
  return static_cast<const char*>(view.data) + particle * view.stride;
}

std::vector<std::size_t> order_by_id(const View& ids) {
  std::vector<std::uint32_t> id(ids.count);
  for (std::size_t p = 0; p < ids.count; ++p) std::memcpy(&id[p], at(ids, p), sizeof id[p]);
  std::vector<std::size_t> order(ids.count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return id[a] < id[b]; });
  return order;
}

std::string hash_of(const World& world, Attribute attribute) {
  Hash hash;
  for (const Matter& matter : world.scene().matter) {
    const View view = world.view(matter.name, attribute);
    std::size_t size = view.precision == Precision::float64 ? 8 : 4;
    for (std::size_t n : view.shape) size *= n;
    for (std::size_t p : order_by_id(world.view(matter.name, Attribute::id))) hash.add(at(view, p), size);
  }
  return hash.text();
}

std::string hash_of(const mjtNum* numbers, int count) {
  Hash hash;
  for (int i = 0; i < count; ++i) hash.add(numbers[i]);
  return hash.text();
}

std::string hash_of_wrenches(const World& world) {
  Hash hash;
  for (int b = 0; b < world.model()->nbody; ++b) {
    const char* name = mj_id2name(world.model(), mjOBJ_BODY, b);
    if (!name || !*name) continue;
    const Wrench wrench = world.wrench(name);
    hash.add(wrench.force);
    hash.add(wrench.torque);
  }
  return hash.text();
}

std::string hash_of_contacts(const World& world) {
  std::vector<Touch> touches = world.contacts();
  std::sort(touches.begin(), touches.end(), [](const Touch& a, const Touch& b) {
    return a.particle != b.particle ? a.particle < b.particle : a.geom < b.geom;
  });
  Hash hash;
  for (const Touch& t : touches) {
    hash.add(&t.particle, sizeof t.particle);
    hash.add(&t.geom, sizeof t.geom);
    for (const Vec3& v : {t.position, t.normal, t.impulse}) hash.add(v);
    hash.add(t.gap);
    hash.add(t.slides);
  }
  return hash.text();
}

std::string hash_of_impulses(const StepReport& report) {
  Hash hash;
  hash.add(report.gravity_impulse);
  hash.add(report.boundary_impulses);
  hash.add(report.pin_impulses);
  hash.add(report.body_impulses);
  return hash.text();
}

std::string hash_of_boundaries(const World& world) {
  Hash hash;
  hash.add(world.boundary_centers());
  return hash.text();
}

}  // namespace

const std::vector<std::string>& quantities() {
  static const std::vector<std::string> names = {"outcome",  "positions", "velocities", "affine",
                                                 "F",        "plastic",   "qpos",       "qvel",
                                                 "wrenches", "contacts",  "impulses",   "boundaries"};
  return names;
}

std::vector<std::string> fingerprint(const World& world, const std::string& outcome) {
  std::vector<std::string> words = {outcome};
  for (Attribute attribute : {Attribute::position, Attribute::velocity, Attribute::affine,
                              Attribute::deformation_gradient, Attribute::plastic})
    words.push_back(hash_of(world, attribute));
  if (const mjModel* model = world.model()) {
    words.push_back(hash_of(world.data()->qpos, int(model->nq)));
    words.push_back(hash_of(world.data()->qvel, int(model->nv)));
    words.push_back(hash_of_wrenches(world));
    words.push_back(hash_of_contacts(world));
  } else {
    words.insert(words.end(), 4, "-");
  }
  words.push_back(hash_of_impulses(world.report()));
  words.push_back(hash_of_boundaries(world));
  return words;
}

}  // namespace pliant::guard
