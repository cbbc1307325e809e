//===- Status.h - Results with a message ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_STATUS_H
#define DML_RUNTIME_STATUS_H

#include "../schema/executable_names.h"
#include "dml/runtime.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace dml::runtime {

/// Joins its arguments, printed as streams print them.
template <typename... Ts> std::string concat(const Ts &...args) {
  std::ostringstream stream;
  // If there is no memory, the stream throws an exception. Otherwise it would
  // omit words.
  stream.exceptions(std::ios::badbit);
  (stream << ... << args);
  return stream.str();
}

/// Returns a name from a file for a message, in which the name is a part of a
/// line: control characters, which a terminal would obey, become \xHH.
inline std::string escape(std::string_view text) {
  return executable::escapeControls(text, /*kept=*/"");
}

/// Escapes a message in which names from files may stand. The message keeps its
/// line breaks, but each further line is indented by two spaces, so that no
/// name can pass for a message of its own.
inline std::string escapeMessage(std::string_view text) {
  size_t end = text.find('\n');
  std::string escaped = escape(text.substr(0, end));
  while (end != std::string_view::npos) {
    text.remove_prefix(end + 1);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    end = text.find('\n');
    escaped += "\n  " + escape(text.substr(0, end));
  }
  return escaped;
}

/// Success, or a result code with one message for people.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(DmlResult result, std::string message)
      : code(result), text(std::move(message)) {}

  bool ok() const { return code == DML_SUCCESS; }
  DmlResult result() const { return code; }
  const std::string &message() const { return text; }

  /// The same result, its message standing after "context: ".
  Status in(std::string_view context) const {
    return ok() ? *this : Status(code, std::string(context) + ": " + text);
  }

private:
  DmlResult code = DML_SUCCESS;
  std::string text;
};

template <typename... Ts> Status makeError(DmlResult result, const Ts &...ts) {
  return Status(result, concat(ts...));
}

/// A value, or the Status that says why there is none.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : value(std::move(value)) {}
  Expected(Status status) : error(std::move(status)) {}

  explicit operator bool() const { return value.has_value(); }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }
  const Status &status() const { return error; }

private:
  std::optional<T> value;
  Status error;
};

/// Returns from the calling function where `expression` is an error.
#define DML_TRY(expression)                                                    \
  do {                                                                         \
    if (::dml::runtime::Status dmlStatus = (expression); !dmlStatus.ok())      \
      return dmlStatus;                                                        \
  } while (false)

/// The same, the message standing after what the other arguments are joined to.
#define DML_TRY_IN(expression, ...)                                            \
  do {                                                                         \
    if (::dml::runtime::Status dmlStatus = (expression); !dmlStatus.ok())      \
      return dmlStatus.in(::dml::runtime::concat(__VA_ARGS__));                \
  } while (false)

} // namespace dml::runtime

#endif // DML_RUNTIME_STATUS_H
