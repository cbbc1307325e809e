//===- TuningTable.cpp - Kernels that were measured -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Target/TuningTable.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace dml;
namespace json = llvm::json;

static constexpr llvm::StringLiteral formatName = "dml-tuning";
static constexpr int64_t formatVersion = 1;
/// The number of hexadecimal digits of a dispatch's key.
static constexpr size_t keyDigits = 32;

static llvm::Error makeTableError(const llvm::Twine &message) {
  return llvm::createStringError(
      std::make_error_code(std::errc::invalid_argument), message);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Whether brackets nest more deeply than those of a table. The parser calls
/// itself for each level.
static bool isNestedTooDeeply(llvm::StringRef text) {
  constexpr int most = 8;
  int depth = 0;
  bool isInString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (isInString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        isInString = false;
    } else if (c == '"') {
      isInString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most)
        return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

namespace {
/// Reads the members of an object. The first one that is missing or has another
/// type becomes the error.
class MemberReader {
public:
  MemberReader(const json::Object &object, std::string place)
      : object(object), place(std::move(place)) {}

  void read(llvm::StringRef name, std::string &text) {
    if (std::optional<llvm::StringRef> found = object.getString(name))
      text = found->str();
    else
      fail(name, "a text");
  }
  void read(llvm::StringRef name, double &number) {
    std::optional<double> found = object.getNumber(name);
    if (found && std::isfinite(*found) && *found >= 0)
      number = *found;
    else
      fail(name, "a number of at least 0");
  }
  void read(llvm::StringRef name, uint32_t &number) {
    std::optional<int64_t> found = object.getInteger(name);
    if (found && *found >= 0 && *found <= UINT32_MAX)
      number = static_cast<uint32_t>(*found);
    else
      fail(name, "an integer of 0 to 4294967295");
  }
  void fail(llvm::StringRef name, llvm::StringRef wanted) {
    if (!error.empty())
      return;
    const json::Value *found = object.get(name);
    error = place + " has ";
    if (found)
      error +=
          llvm::formatv("\"{0}\" = {1}", name, *found).str().substr(0, 100);
    else
      error += ("no \"" + name + "\"").str();
    error += (", but wanted is " + wanted).str();
  }
  llvm::Error take() const {
    return error.empty() ? llvm::Error::success() : makeTableError(error);
  }

private:
  const json::Object &object;
  std::string place, error;
};
} // namespace

static llvm::Error readKernel(const json::Value &value, size_t index,
                              TunedKernel &kernel) {
  std::string place = "kernel " + std::to_string(index) + " of the table";
  const json::Object *object = value.getAsObject();
  if (!object)
    return makeTableError(place + " is no object");
  MemberReader reader(*object, place);
  reader.read("dispatch", kernel.dispatch);
  reader.read("operators", kernel.operators);
  reader.read("kernel", kernel.kernel);
  reader.read("model", kernel.model);
  reader.read("microseconds", kernel.microseconds);
  reader.read("modelMicroseconds", kernel.modelMicroseconds);
  reader.read("candidates", kernel.candidates);
  reader.read("uses", kernel.uses);
  if (kernel.dispatch.size() != keyDigits ||
      !llvm::all_of(kernel.dispatch, llvm::isHexDigit))
    reader.fail("dispatch", "32 hexadecimal digits");
  return reader.take();
}

llvm::Expected<TuningTable> TuningTable::parse(llvm::StringRef text) {
  if (text.size() > maxBytes)
    return makeTableError("the table has " + llvm::Twine(text.size()) +
                          " bytes, but wanted are at most " +
                          llvm::Twine(maxBytes));
  if (isNestedTooDeeply(text))
    return makeTableError(
        "it is no table of dml-tune: its brackets nest too deeply");
  llvm::Expected<json::Value> root = json::parse(text);
  if (!root)
    return makeTableError("it is no table of dml-tune: it is no JSON: " +
                          llvm::toString(root.takeError()));
  const json::Object *object = root->getAsObject();
  if (!object || object->getString("format") != formatName)
    return makeTableError("it is no table of dml-tune: it has no \"format\" = "
                          "\"" +
                          formatName + "\"");
  MemberReader reader(*object, "the table");
  if (object->getInteger("version") != formatVersion)
    reader.fail("version", std::to_string(formatVersion));
  TuningTable table;
  reader.read("profile", table.profile);
  reader.read("device", table.device);
  reader.read("uuid", table.uuid);
  reader.read("driver", table.driver);
  const json::Array *kernels = object->getArray("kernels");
  if (!kernels)
    reader.fail("kernels", "an array");
  if (llvm::Error error = reader.take())
    return error;
  if (kernels->size() > maxKernels)
    return makeTableError("the table has " + llvm::Twine(kernels->size()) +
                          " kernels, but wanted are at most " +
                          llvm::Twine(maxKernels));
  for (const auto &[index, value] : llvm::enumerate(*kernels)) {
    TunedKernel kernel;
    if (llvm::Error error = readKernel(value, index, kernel))
      return error;
    if (table.find(kernel.dispatch))
      return makeTableError("kernel " + llvm::Twine(index) +
                            " of the table is a second one for the dispatch " +
                            kernel.dispatch);
    table.add(std::move(kernel));
  }
  return table;
}

llvm::Expected<TuningTable> TuningTable::read(llvm::StringRef path) {
  auto fail = [&](const llvm::Twine &message) {
    return llvm::createStringError(
        std::make_error_code(std::errc::invalid_argument),
        "the table of kernels '" + path + "': " + message);
  };
  // A file whose size is not known, such as a pipe, is read no further than a
  // table can be long.
  llvm::Expected<llvm::sys::fs::file_t> file =
      llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return fail(llvm::toString(file.takeError()));
  auto close = llvm::scope_exit([&] { llvm::sys::fs::closeFile(*file); });
  std::vector<char> text(size_t(1) << 16);
  size_t size = 0;
  while (true) {
    llvm::Expected<size_t> count = llvm::sys::fs::readNativeFile(
        *file, llvm::MutableArrayRef<char>(text).drop_front(size));
    if (!count)
      return fail(llvm::toString(count.takeError()));
    size += *count;
    if (*count == 0 || size > maxBytes)
      break;
    if (size == text.size())
      text.resize(2 * size);
  }
  llvm::Expected<TuningTable> table = parse({text.data(), size});
  if (!table)
    return fail(llvm::toString(table.takeError()));
  return table;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string TuningTable::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  json::OStream out(os, /*IndentSize=*/2);
  auto addText = [&](llvm::StringRef name, llvm::StringRef value) {
    out.attribute(name, json::fixUTF8(value));
  };
  // Times have nanoseconds, and the same digits in each text.
  auto addTime = [&](llvm::StringRef name, double value) {
    out.attributeBegin(name);
    out.rawValue(llvm::formatv("{0:f3}", value).str());
    out.attributeEnd();
  };
  std::vector<const TunedKernel *> ordered;
  for (const TunedKernel &kernel : kernels)
    ordered.push_back(&kernel);
  llvm::sort(ordered, [](const TunedKernel *a, const TunedKernel *b) {
    return a->dispatch < b->dispatch;
  });
  out.object([&] {
    addText("format", formatName);
    out.attribute("version", formatVersion);
    addText("profile", profile);
    addText("device", device);
    addText("uuid", uuid);
    addText("driver", driver);
    out.attributeArray("kernels", [&] {
      for (const TunedKernel *kernel : ordered)
        out.object([&] {
          addText("dispatch", kernel->dispatch);
          addText("operators", kernel->operators);
          addText("kernel", kernel->kernel);
          addText("model", kernel->model);
          addTime("microseconds", kernel->microseconds);
          addTime("modelMicroseconds", kernel->modelMicroseconds);
          out.attribute("candidates", kernel->candidates);
          out.attribute("uses", kernel->uses);
        });
    });
  });
  text += "\n";
  return text;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

const TunedKernel *TuningTable::find(llvm::StringRef key) const {
  auto found = places.find(key);
  return found == places.end() ? nullptr : &kernels[found->second];
}

void TuningTable::add(TunedKernel kernel) {
  auto found = places.find(kernel.dispatch);
  if (found != places.end()) {
    kernels[found->second] = std::move(kernel);
    return;
  }
  if (kernels.size() == maxKernels)
    return;
  places[kernel.dispatch] = kernels.size();
  kernels.push_back(std::move(kernel));
}
