//===- Json.cpp - Values of a JSON file and where they stand --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>
#include <vector>

using namespace dml::directml;
using llvm::Twine;

llvm::Error Path::fail(const Twine &message) const {
  return llvm::createStringError((text.empty() ? "the model" : text) + ": " +
                                 message);
}

/// Returns `value` for a message, in a short single line.
static std::string describe(const llvm::json::Value &value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  switch (value.kind()) {
  case llvm::json::Value::Object:
    return "an object";
  case llvm::json::Value::Array:
    os << "an array of " << value.getAsArray()->size() << " values";
    return text;
  default:
    os << value;
    if (text.size() > 64)
      return "a text of " + std::to_string(text.size() - 2) + " bytes";
    return text;
  }
}

llvm::Error Path::fail(const llvm::json::Value &found,
                       const Twine &wanted) const {
  return fail(Twine(describe(found)), wanted);
}

llvm::Error Json::fail(const Twine &wanted) const {
  return value ? path.fail(*value, wanted)
               : path.fail(Twine("nothing"), wanted);
}

llvm::Expected<const llvm::json::Object *> Json::getObject() const {
  if (value)
    if (const llvm::json::Object *object = value->getAsObject())
      return object;
  return fail("an object");
}

llvm::Expected<const llvm::json::Array *> Json::getArray() const {
  if (value)
    if (const llvm::json::Array *array = value->getAsArray())
      return array;
  return fail("an array");
}

llvm::Expected<llvm::StringRef> Json::getString() const {
  if (value)
    if (std::optional<llvm::StringRef> text = value->getAsString())
      return *text;
  return fail("a string");
}

llvm::Expected<bool> Json::getBool() const {
  if (value)
    if (std::optional<bool> flag = value->getAsBoolean())
      return *flag;
  return fail("true or false");
}

llvm::Expected<double> Json::getFloat() const {
  if (value) {
    // A number with too many digits is rejected, since it cannot be represented
    // as intended.
    if (std::optional<double> number = value->getAsNumber();
        number && std::isfinite(*number))
      return *number;
    if (std::optional<llvm::StringRef> text = value->getAsString()) {
      constexpr double infinity = std::numeric_limits<double>::infinity();
      if (text->equals_insensitive("inf"))
        return infinity;
      if (text->equals_insensitive("-inf"))
        return -infinity;
      if (text->equals_insensitive("nan"))
        return std::numeric_limits<double>::quiet_NaN();
    }
  }
  return fail("a number, or \"nan\", \"inf\" or \"-inf\"");
}

llvm::Expected<int64_t> Json::getInteger(int64_t min, int64_t max) const {
  if (value)
    if (std::optional<int64_t> number = value->getAsInteger())
      if (*number >= min && *number <= max)
        return *number;
  return fail("an integer from " + Twine(min) + " to " + Twine(max));
}

llvm::Expected<uint64_t> Json::getUnsigned(uint64_t max) const {
  if (value)
    if (std::optional<uint64_t> number = value->getAsUINT64())
      if (*number <= max)
        return *number;
  return fail("an integer from 0 to " + Twine(max));
}

llvm::Error dml::directml::wantKnown(const llvm::json::Object &object,
                                     const Path &path,
                                     llvm::ArrayRef<llvm::StringRef> known) {
  // The fields of an object are unordered, so that the first one by name is
  // reported.
  std::optional<llvm::StringRef> unknown;
  for (const auto &field : object)
    if (!llvm::is_contained(known, llvm::StringRef(field.first)) &&
        (!unknown || llvm::StringRef(field.first) < *unknown))
      unknown = llvm::StringRef(field.first);
  if (!unknown)
    return llvm::Error::success();
  return path[*unknown].fail(Twine("an unknown field"),
                             "one of " + llvm::join(known, ", "));
}

llvm::json::Value dml::directml::toJson(double number) {
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number < 0 ? "-inf" : "inf";
  return number;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
/// Converts the JSON dialect of DxDispatch to the JSON that LLVM accepts,
/// without changing the number of bytes. LLVM's parser is recursive, and keeps
/// only the last of several fields with equal names. The preprocessor therefore
/// detects deep nesting and duplicate fields.
class Preprocessor {
public:
  explicit Preprocessor(llvm::StringRef text) : text(text) {}
  llvm::Expected<std::string> run();

private:
  /// No part of a model is nested more deeply than the fields of a fused
  /// operator.
  static constexpr size_t maxDepth = 32;
  struct Level {
    bool isObject;
    llvm::StringSet<> fields;
  };

  llvm::Error fail(const Twine &message) const {
    size_t line = llvm::StringRef(text).take_front(position).count('\n') + 1;
    return llvm::createStringError("line " + Twine(line) + ": " + message);
  }
  llvm::Error skipString();
  bool skipComment();

  std::string text;
  size_t position = 0;
  std::vector<Level> levels;
  /// The position of the last byte that is neither white space nor part of a
  /// comment.
  std::optional<size_t> last;
};
} // namespace

/// Skips a string, and records it if it is the name of a field.
llvm::Error Preprocessor::skipString() {
  size_t begin = ++position;
  while (position < text.size() && text[position] != '"')
    position += text[position] == '\\' ? 2 : 1;
  if (position >= text.size()) {
    position = begin;
    return fail("a string does not end");
  }
  llvm::StringRef name = llvm::StringRef(text).substr(begin, position - begin);
  bool isField = !levels.empty() && levels.back().isObject && last &&
                 (text[*last] == '{' || text[*last] == ',');
  if (isField && !levels.back().fields.insert(name).second)
    return fail("the field \"" + name + "\" appears twice");
  return llvm::Error::success();
}

/// Overwrites a comment that begins here with blanks. Returns false if there is
/// none.
bool Preprocessor::skipComment() {
  llvm::StringRef rest = llvm::StringRef(text).substr(position);
  size_t end = llvm::StringRef::npos;
  if (rest.starts_with("//"))
    end = std::min(rest.find('\n'), rest.size());
  else if (rest.starts_with("/*") && rest.find("*/", 2) != rest.npos)
    end = rest.find("*/", 2) + 2;
  if (end == llvm::StringRef::npos)
    return false;
  for (size_t index = position; index < position + end; ++index)
    if (text[index] != '\n')
      text[index] = ' ';
  position += end;
  return true;
}

llvm::Expected<std::string> Preprocessor::run() {
  while (position < text.size()) {
    char byte = text[position];
    if (byte == '/' && skipComment())
      continue;
    if (byte == '"') {
      if (llvm::Error error = skipString())
        return error;
    } else if (byte == '{' || byte == '[') {
      if (levels.size() == maxDepth)
        return fail("brackets nest more than " + Twine(maxDepth) +
                    " levels deep");
      levels.push_back({byte == '{', {}});
    } else if (byte == '}' || byte == ']') {
      if (!levels.empty())
        levels.pop_back();
      if (last && text[*last] == ',')
        text[*last] = ' ';
    }
    if (byte != ' ' && byte != '\t' && byte != '\n' && byte != '\r')
      last = position;
    ++position;
  }
  return std::move(text);
}

llvm::Expected<llvm::json::Value>
dml::directml::parseJson(llvm::StringRef text) {
  // Windows editors may begin files with a byte order mark.
  text.consume_front("\xEF\xBB\xBF");
  llvm::Expected<std::string> plain = Preprocessor(text).run();
  if (!plain)
    return plain.takeError();
  return llvm::json::parse(*plain);
}
