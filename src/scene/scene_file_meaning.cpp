#include "scene/scene_file_meaning.h"

#include "scene/spelling.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace pliant::scene {

namespace {

// names of a kind of thing, in their order
struct Known {
  Names names;
  std::map<std::string, std::size_t> places;  // of the first with that name

  template <class Thing>
  explicit Known(const std::vector<Thing>& things) {
    for (const Thing& thing : things) {
      if (thing.name.empty()) continue;
      places.emplace(thing.name, names.size());
      names.push_back(thing.name);
    }
  }
  bool has(const std::string& name) const { return places.count(name) > 0; }
};

// pins by the names that motions use
std::vector<Pin> pin_names(const Scene& scene) {
  std::vector<Pin> pins;
  for (const Matter& matter : scene.matter)
    for (const Pin& pin : matter.pins) pins.push_back({.name = matter.name + "/" + pin.name});
  return pins;
}

class Meaning {
 public:
  Meaning(const Scene& scene, const SceneMarks& marks, Findings& findings)
      : scene_(scene),
        marks_(marks),
        findings_(findings),
        materials_(scene.materials),
        matter_(scene.matter),
        boundaries_(scene.boundaries),
        bodies_(scene.bodies),
        pins_(pin_names(scene)),
        actuators_(scene.actuators) {}

  void check_all() {
    check_unique("material", materials_);
    check_unique("matter", matter_);
    check_unique("actuator", actuators_);
    check_unique("boundary", boundaries_);
    check_unique("body", bodies_);
    for (const Matter& matter : scene_.matter) {
      if (!matter.material.empty()) known(part("matter", matter.name), "material", matter.material, materials_);
    }
    for (const Actuator& a : scene_.actuators)
      if (!a.matter.empty()) known(part("actuator", a.name), "matter", a.matter, matter_);
    for (std::size_t i = 0; i < scene_.bodies.size(); ++i) check_body(scene_.bodies[i], i);
    for (std::size_t i = 0; i < scene_.contact.pairs.size(); ++i) check_pair(scene_.contact.pairs[i], i);
    for (std::size_t i = 0; i < scene_.motion.size(); ++i) check_motion(scene_.motion[i], i);
    for (std::size_t i = 0; i < scene_.expect.size(); ++i) check_expect(scene_.expect[i], i);
  }

 private:
  static std::string part(const char* called, const std::string& name) {
    return fmt::format("{} '{}'", called, shown(name));
  }

  void say(const std::string& part, const std::string& key, const std::string& message, const std::string& cure) {
    auto found = marks_.find(part + ": " + key);
    if (found == marks_.end()) found = marks_.find(part);
    findings_.add(found == marks_.end() ? YamlMark{} : found->second, part + ": " + message, cure);
  }

  void check_unique(const char* called, const Known& things) {
    std::set<std::string> seen;
    for (const std::string& name : things.names) {
      if (name.empty() || seen.insert(name).second) continue;
      say(part(called, name), "name", "the name is used twice", "rename one");
    }
  }

  void known(const std::string& part, const std::string& key, const std::string& name, const Known& things) {
    if (things.has(name) || findings_.full()) return;
    const Names& names = things.names;
    const std::string near = nearest(name, names);
    std::string list;
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 10); ++i) {
      list += fmt::format("{}'{}'", i ? ", " : "", shown(names[i]));
    }
    say(part, key, fmt::format("{} '{}' does not exist", key, shown(name)),
        !near.empty()  ? fmt::format("did you mean '{}'?", shown(near))
        : list.empty() ? "the scene has none: add it"
                       : "the scene has " + list);
  }

  // "body/part": only a robot's file knows its parts
  void known_body(const std::string& part, const std::string& key, const std::string& name, bool needs_part) {
    const std::size_t slash = name.find('/');
    const std::string body = name.substr(0, slash);
    if (!bodies_.has(body)) return known(part, key, body, bodies_);
    const bool has_part = slash != std::string::npos && slash + 1 < name.size();
    if (needs_part && !has_part) {
      say(part, key, fmt::format("{} '{}' names no part", key, shown(name)),
          fmt::format("give '{}/PART', a part of the body", shown(body)));
    }
  }

  void check_body(const Body& body, std::size_t number) {
    const std::string here = part("body", body.name);
    if (!marks_.count(here)) return;
    if (body.name.find('/') != std::string::npos) {
      say(here, "name", "its name holds a '/'", "use another name: parts are called 'body/part'");
    }
    const bool has_file = marks_.count(here + ": file"), has_text = marks_.count(here + ": text");
    if (has_file == has_text) {
      say(here, "text", has_file ? "both file and text are given" : "it has neither file nor text",
          has_file ? "keep one of them" : "add 'file: NAME.xml'");
    }
    if (body.attach_to.empty()) return;
    const std::string carrier = body.attach_to.substr(0, body.attach_to.find('/'));
    if (bodies_.has(carrier) && bodies_.places.at(carrier) >= number) {
      say(here, "attach_to", fmt::format("'{}' is not named before it", shown(carrier)),
          "move the body that carries it to the front");
    } else {
      known_body(here, "attach_to", body.attach_to, true);
    }
  }

  void check_pair(const ContactPair& pair, std::size_t number) {
    const std::string here = fmt::format("contact pair {}", number + 1);
    const auto is_pattern = [](const std::string& name) { return name.find('*') != std::string::npos; };
    if (!pair.matter.empty() && !is_pattern(pair.matter)) known(here, "matter", pair.matter, matter_);
    if (pair.partner.empty() || is_pattern(pair.partner) || boundaries_.has(pair.partner)) return;
    known_body(here, marks_.count(here + ": with") ? "with" : "body", pair.partner, false);
  }

  void check_motion(const Motion& motion, std::size_t number) {
    static const char* const kinds[] = {"actuator", "mocap", "boundary", "gripper", "pin", "actuation"};
    const std::string here = fmt::format("motion {}", number + 1);
    const char* kind = kinds[int(motion.kind)];
    if (!motion.target.empty() && motion.kind == Motion::Kind::boundary) {
      known(here, kind, motion.target, boundaries_);
    } else if (!motion.target.empty() && motion.kind == Motion::Kind::pin) {
      known(here, kind, motion.target, pins_);
    } else if (!motion.target.empty() && motion.kind == Motion::Kind::actuation) {
      known(here, kind, motion.target, actuators_);
    } else if (!motion.target.empty()) {
      known_body(here, kind, motion.target, true);
    }
    if (!motion.until_force.body.empty()) known_body(here, "body", motion.until_force.body, false);
    if (motion.times.empty() && marks_.count(here + ": waypoints"))
      say(here, "waypoints", "it has no waypoints", "add some");
    for (std::size_t i = 1; i < motion.times.size(); ++i) {
      if (motion.times[i] > motion.times[i - 1]) continue;
      say(fmt::format("{}, waypoint {}", here, i + 1), "time",
          fmt::format("time is {} s, the one before is at {} s", motion.times[i], motion.times[i - 1]),
          "order waypoints by time, each later than the one before");
    }
  }

  void check_expect(const Expect& expect, std::size_t number) {
    const std::string here = fmt::format("expect {}", number + 1);
    bool of_run = false, of_matter = false, of_body = false, of_part = false;
    for (const Quantity& quantity : expect_quantities()) {
      if (expect.quantity != quantity.name) continue;
      of_run |= quantity.of == Quantity::Of::run;
      of_matter |= quantity.of == Quantity::Of::matter;
      of_body |= quantity.of == Quantity::Of::body;
      of_part |= quantity.of == Quantity::Of::joint || quantity.of == Quantity::Of::sensor;
    }
    if (expect.of.empty() != of_run && !expect.quantity.empty()) {
      say(here, expect.of.empty() ? "quantity" : "of",
          fmt::format("{} is {}", expect.quantity, expect.of.empty() ? "not of the whole run" : "of the whole run"),
          expect.of.empty() ? "add 'of: NAME'" : "remove 'of'");
    } else if (of_matter && !(of_body && bodies_.has(expect.of.substr(0, expect.of.find('/'))))) {
      known(here, "of", expect.of, matter_);
    } else if (of_body || of_part) {
      known_body(here, "of", expect.of, !of_body);
    }
    const std::string with_min = here + ": min", with_max = here + ": max";
    if (!marks_.count(with_min) && !marks_.count(with_max)) {
      say(here, "quantity", "it has neither min nor max", "add one of them, or both");
    }
    if (expect.min > expect.max) {
      say(here, "min", fmt::format("min {} is above max {}", expect.min, expect.max), "swap them");
    }
    const bool needs_box = expect.quantity == "inside" || expect.quantity == "least_inside";
    if (needs_box && !marks_.count(here + ": box")) {
      say(here, "quantity", expect.quantity + " needs a box", "add 'box: {center: [x, y, z], size: [x, y, z]}'");
    }
  }

  const Scene& scene_;
  const SceneMarks& marks_;
  Findings& findings_;
  Known materials_, matter_, boundaries_, bodies_, pins_, actuators_;
};

}  // namespace

void check_meaning(const Scene& scene, const SceneMarks& marks, Findings& findings) {
  Meaning(scene, marks, findings).check_all();
}

}  // namespace pliant::scene
