// One robot's file, with what it includes and attaches.
#pragma once

#include "scene/namespace.h"
#include "scene/robot_file.h"

namespace pliant::scene {

// what the models of one robot share
struct RobotContext {
  const RobotRules& rules;
  Findings& findings;
  RobotTotals& totals;
  std::string part;  // "body 'arm'"
  int files = 0;
  int models = 0;                              // that are being read, each attached by the one before
  std::vector<std::filesystem::path> chain{};  // files that are being read, each named by the one before
};

// where an element stands
struct RobotPlace {
  YamlMark mark;
  bool in_text = false;  // mark is that of the whole text
  int line = 1;
};

class RobotModel {
 public:
  explicit RobotModel(RobotContext& context) : context_(context) {}

  // `place` is where it is named
  void check_file(const std::string& path, const RobotPlace& place);
  void check_text(const std::string& text, const YamlMark& mark);

  // replicas written out, attached models included
  double parts() const { return parts_; }

 private:
  struct Document {
    std::vector<XmlTag> tags{};
    std::vector<double> times{};  // how often each is made
    std::filesystem::path folder{};
    YamlMark mark{};
    bool is_text = false;
  };
  // how the file of an attribute is looked for
  enum class Search { beside, mesh, texture };

  bool read_document(const std::string& path, double times, const RobotPlace& place);
  bool add_document(std::string_view text, double times, Document document);
  bool open_file(const std::string& path, const RobotPlace& place, std::string& text);
  void include(std::size_t number, std::size_t tag);
  void check_documents();
  void read_compiler(const XmlTag& tag);
  void check_files(const Document& document, const XmlTag& tag);
  void check_amounts(const Document& document, std::size_t tag);
  void attach_model(const Document& document, const XmlTag& tag);
  bool is_ignored(const Document& document, const XmlTag& tag) const;

  RobotPlace place_of(const Document& document, const XmlTag& tag) const;
  void say(const RobotPlace& place, const std::string& message, const std::string& cure);
  void add_bytes(const RobotPlace& place, const std::string& kind, double bytes);
  bool read_name(const RobotPlace& place, const std::string& kind, const std::string& value, std::string& name);
  std::vector<std::filesystem::path> candidates(const Document& document, const std::string& name, Search search) const;
  // empty, with a finding, if it may not be used
  std::string find(const Document& document, const XmlTag& tag, std::string_view attribute, Search search);
  void check_asset(const RobotPlace& place, const std::string& kind, const std::string& path);

  RobotContext& context_;
  std::vector<Document> documents_;  // the first is the main one
  std::set<std::filesystem::path> read_;
  std::vector<std::string> mesh_folders_, texture_folders_;
  bool is_urdf_ = false, strips_ = false, keeps_ = false, has_visuals_ = false;
  std::map<std::string, double> models_;  // parts of those that may be attached
  double largest_model_ = 0;
  double parts_ = 0;
  int depth_ = 0;  // of includes
};

// counts what a robot has among the parts of the scene
void add_robot_parts(RobotContext& context, const RobotPlace& place, double parts);

}  // namespace pliant::scene
