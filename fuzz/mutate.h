// Spoils texts at random, in ways that people, editors and attackers do. The same seed spoils in the same way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pliant {

class Mutator {
 public:
  explicit Mutator(std::vector<std::string> corpus) : corpus_(std::move(corpus)) {}

  // one of the texts after one to eight changes
  std::string make(std::uint64_t seed);

 private:
  std::uint64_t below(std::uint64_t limit);
  const std::string& any_text() { return corpus_[below(corpus_.size())]; }
  void change(std::string& text);
  void flip_bit(std::string& text);
  void set_byte(std::string& text);
  void cut(std::string& text);
  void erase(std::string& text);
  void repeat(std::string& text);
  void change_lines(std::string& text);
  void replace_token(std::string& text);
  void insert_token(std::string& text);
  void splice(std::string& text);

  std::vector<std::string> corpus_;
  std::uint64_t state_ = 0;
};

}  // namespace pliant
