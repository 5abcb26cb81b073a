#include "bodies/mujoco_log.h"

#include <mujoco/mujoco.h>

#include <csetjmp>
#include <cstdio>
#include <new>
#include <utility>

// the handler of the calling thread: not in MuJoCo's headers, but exported for its own Python bindings
extern "C" mjfLogHandler _mjPRIVATE_setTlsLogHandler(mjfLogHandler handler);

namespace pliant::bodies {
namespace {

struct Capture {
  std::jmp_buf escape;
  char error[2048];
  std::vector<std::string>* warnings;
};

thread_local Capture* current = nullptr;

// MuJoCo's text without the end of line that some have
std::string text_of(const mjLogMessage& message) {
  std::string text = message.subject;
  if (message.body && *message.body) text += std::string("\n") + message.body;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

void keep_warning(const mjLogMessage& message) {
  // no exception may pass through MuJoCo; without memory a warning is lost
  try {
    current->warnings->push_back(text_of(message));
  } catch (const std::bad_alloc&) {
  }
}

// this frame owns nothing: it is left by a jump
void handle(const mjLogMessage* message) {
  if (message->level == mjLOG_WARNING) keep_warning(*message);
  if (message->level != mjLOG_ERROR) return;
  if (message->func) {
    std::snprintf(current->error, sizeof current->error, "%s: %s", message->func, message->subject);
  } else {
    std::snprintf(current->error, sizeof current->error, "%s", message->subject);
  }
  std::longjmp(current->escape, 1);
}

// sets our handler, and puts the one before it back
class Listening {
 public:
  explicit Listening(Capture* capture) : outer_(current) {
    current = capture;
    before_ = _mjPRIVATE_setTlsLogHandler(handle);
  }
  ~Listening() {
    _mjPRIVATE_setTlsLogHandler(before_);
    current = outer_;
  }
  Listening(const Listening&) = delete;

 private:
  Capture* outer_;
  mjfLogHandler before_;
};

// alone in its frame, so that nothing changes between setjmp and the jump
[[gnu::noinline]] bool returns(Capture& capture, void (*call)(const void*), const void* context) {
  if (setjmp(capture.escape)) return false;
  call(context);
  return true;
}

}  // namespace

bool MujocoLog::run_plain(void (*call)(const void*), const void* context) {
  error_.clear();
  Capture capture;
  capture.error[0] = 0;
  capture.warnings = &warnings_;
  const Listening listening(&capture);
  if (returns(capture, call, context)) return true;
  error_ = capture.error;
  return false;
}

std::vector<std::string> MujocoLog::take_warnings() { return std::exchange(warnings_, {}); }

}  // namespace pliant::bodies
