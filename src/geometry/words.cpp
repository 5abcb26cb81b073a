#include "geometry/words.h"

#include "core/error.h"

#include <charconv>
#include <cmath>

namespace pliant::geometry {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

}  // namespace

std::string_view Words::take_word() {
  const std::size_t start = at_;
  while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '\n') ++at_;
  return text_.substr(start, at_ - start);
}

std::string_view Words::next() {
  for (; at_ < text_.size(); ++at_) {
    if (text_[at_] == '\n') {
      ++line_;
    } else if (!is_blank(text_[at_])) {
      return take_word();
    }
  }
  return {};
}

std::string_view Words::next_in_line() {
  while (true) {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    const std::string_view word = take_word();
    if (word != "\\") return word;
    skip_line();
  }
}

void Words::skip_line() {
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  if (at_ < text_.size()) {
    ++at_;
    ++line_;
  }
}

double Words::number(std::string_view word) const {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = error == std::errc() && end == word.data() + word.size() && !word.empty();
  if (!whole || !(std::fabs(value) <= 1e12)) {
    fail(ErrorCode::bad_file, "{}:{}: '{}' is not a finite number of magnitude up to 1e12; export the mesh again",
         file_, line_, word.substr(0, 40));
  }
  return value;
}

}  // namespace pliant::geometry
