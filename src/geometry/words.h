// Cuts the text of a file into words and knows the line of each.
#pragma once

#include "geometry/namespace.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace pliant::geometry {

class Words {
 public:
  Words(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  // next word of the text, empty at its end
  std::string_view next();
  // next word of the current line, empty at its end; a lone backslash joins lines
  std::string_view next_in_line();
  void skip_line();
  bool at_end() const { return at_ == text_.size(); }

  // the word as a finite number of magnitude up to 1e12
  double number(std::string_view word) const;

  const std::string& file() const { return file_; }
  std::uint32_t line() const { return line_; }  // of the last word

 private:
  std::string_view take_word();

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace pliant::geometry
