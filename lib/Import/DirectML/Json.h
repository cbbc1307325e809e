//===- Json.h - Values of a JSON file and where they stand ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_DIRECTML_JSON_H
#define DML_LIB_IMPORT_DIRECTML_JSON_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <type_traits>

namespace dml::directml {

/// A location in a file, such as "dispatchables.relu.desc.Sizes[2]".
class Path {
public:
  Path() = default;
  explicit Path(const llvm::Twine &text) : text(text.str()) {}

  Path operator[](llvm::StringRef field) const {
    return Path(text.empty() ? llvm::Twine(field) : text + "." + field);
  }
  Path operator[](size_t index) const {
    return Path(text + "[" + llvm::Twine(index) + "]");
  }
  const std::string &str() const { return text; }

  /// Returns the error "PATH: MESSAGE".
  llvm::Error fail(const llvm::Twine &message) const;
  /// Returns the error "PATH: found X, wanted Y".
  llvm::Error fail(const llvm::Twine &found, const llvm::Twine &wanted) const {
    return fail("found " + found + ", wanted " + wanted);
  }
  llvm::Error fail(const llvm::json::Value &found,
                   const llvm::Twine &wanted) const;

private:
  std::string text;
};

/// A value and its location. The value is null if it is absent.
class Json {
public:
  Json(const llvm::json::Value *value, Path path)
      : value(value && value->kind() == llvm::json::Value::Null ? nullptr
                                                                : value),
        path(std::move(path)) {}

  /// Whether there is a value that is not null.
  explicit operator bool() const { return value; }
  const llvm::json::Value &operator*() const { return *value; }
  const Path &getPath() const { return path; }
  bool isString() const {
    return value && value->kind() == llvm::json::Value::String;
  }

  /// Return an error if the value has another type or is absent.
  llvm::Expected<const llvm::json::Object *> getObject() const;
  llvm::Expected<const llvm::json::Array *> getArray() const;
  llvm::Expected<llvm::StringRef> getString() const;
  llvm::Expected<bool> getBool() const;
  /// Returns a number, which may be written as "nan", "inf" or "-inf".
  llvm::Expected<double> getFloat() const;
  llvm::Expected<int64_t> getInteger(int64_t min, int64_t max) const;
  llvm::Expected<uint64_t> getUnsigned(uint64_t max = UINT64_MAX) const;

  llvm::Error fail(const llvm::Twine &wanted) const;

private:
  const llvm::json::Value *value;
  Path path;
};

/// Return a number as a value. JSON cannot represent infinities, which become
/// texts.
llvm::json::Value toJson(double number);
template <typename T, typename = std::enable_if_t<std::is_integral_v<T>>>
llvm::json::Value toJson(T number) {
  return number;
}

/// Returns the field `name` of `object`, which has the location `path`.
inline Json getField(const llvm::json::Object &object, const Path &path,
                     llvm::StringRef name) {
  return Json(object.get(name), path[name]);
}

/// Returns an error if `object` has a field that is not in `known`.
llvm::Error wantKnown(const llvm::json::Object &object, const Path &path,
                      llvm::ArrayRef<llvm::StringRef> known);

/// Parses JSON like DxDispatch, which allows comments, and commas before a
/// closing bracket. Returns an error if brackets are nested deeply, or if an
/// object has two fields with the same name.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace dml::directml

#endif // DML_LIB_IMPORT_DIRECTML_JSON_H
