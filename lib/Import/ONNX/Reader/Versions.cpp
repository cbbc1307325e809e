//===- Versions.cpp - The versions of ONNX's operators --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Reader/Versions.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
/// The form of an operator from one version of the operator set on.
struct Version {
  StringLiteral name;
  int64_t since;
  unsigned maxInputs, maxOutputs;
  /// The names of the attributes, separated by spaces.
  StringLiteral attributes;
  /// Whether the operator was removed in this version.
  bool isGone;
};
} // namespace

static constexpr unsigned many = std::numeric_limits<unsigned>::max();

static constexpr Version versions[] = {
#define ONNX_VERSION(NAME, SINCE, INPUTS, OUTPUTS, ATTRIBUTES)                 \
  {#NAME, SINCE, INPUTS, OUTPUTS, ATTRIBUTES, false},
#define ONNX_DEPRECATED(NAME, SINCE) {#NAME, SINCE, 0, 0, "", true},
#include "Reader/Versions.def"
};

/// Returns all versions of an operator, beginning with the oldest.
static ArrayRef<Version> getVersions(StringRef name) {
  struct Order {
    bool operator()(const Version &version, StringRef name) const {
      return version.name < name;
    }
    bool operator()(StringRef name, const Version &version) const {
      return name < version.name;
    }
  };
  auto [begin, end] =
      std::equal_range(std::begin(versions), std::end(versions), name, Order());
  return ArrayRef(begin, end);
}

/// Returns the newest version in `all` that is not newer than `opset`.
static const Version *findVersion(ArrayRef<Version> all, int64_t opset) {
  const Version *found = nullptr;
  for (const Version &version : all)
    if (version.since <= opset)
      found = &version;
  return found;
}

int64_t dml::onnx::getOperatorVersion(StringRef name, int64_t opset) {
  const Version *version = findVersion(getVersions(name), opset);
  return version ? version->since : 0;
}

static bool hasAttribute(const Version &version, StringRef name) {
  for (StringRef known : split(version.attributes, ' '))
    if (known == name)
      return true;
  return false;
}

/// Describes in which versions an operator has an attribute.
static std::string describeAttribute(ArrayRef<Version> all,
                                     const Version &version, StringRef name,
                                     int64_t opset) {
  std::string model = (", but the model is of version " + Twine(opset)).str();
  for (const Version &other : all)
    if (other.since > version.since && hasAttribute(other, name))
      return ("its attribute " + name + " came with version " +
              Twine(other.since) + " of ONNX's operator set" + model)
          .str();
  const Version *last = nullptr;
  for (const Version &other : all) {
    if (other.since > version.since)
      break;
    if (hasAttribute(other, name))
      last = nullptr;
    else if (!last)
      last = &other;
  }
  bool wasThere = any_of(
      all, [&](const Version &other) { return hasAttribute(other, name); });
  if (wasThere && last)
    return ("its attribute " + name + " went with version " +
            Twine(last->since) + " of ONNX's operator set" + model)
        .str();
  return ("it has the attribute '" + name +
          "', which ONNX's operator does not have")
      .str();
}

std::string dml::onnx::findVersionError(const NodeProto &proto, int64_t opset) {
  ArrayRef<Version> all = getVersions(proto.opType);
  if (all.empty())
    return {};
  const Version *version = findVersion(all, opset);
  std::string model = ", but the model is of version " + std::to_string(opset);
  if (!version)
    return "the operator came with version " + std::to_string(all[0].since) +
           " of ONNX's operator set" + model;
  if (version->isGone)
    return "the operator went with version " + std::to_string(version->since) +
           " of ONNX's operator set" + model;
  for (const AttributeProto &attribute : proto.attributes)
    // ONNX reserves names that begin with two underscores for producers of
    // models.
    if (!hasAttribute(*version, attribute.name) &&
        !attribute.name.starts_with("__"))
      return describeAttribute(all, *version, attribute.name, opset);
  auto count = [](ArrayRef<StringRef> names) {
    while (!names.empty() && names.back().empty())
      names = names.drop_back();
    return names.size();
  };
  auto describe = [&](StringRef what, size_t found, unsigned most) {
    return ("it has " + Twine(found) + " " + what + ", but version " +
            Twine(version->since) + " of the operator has " + Twine(most) +
            " at most")
        .str();
  };
  if (size_t inputs = count(proto.inputs); inputs > version->maxInputs)
    return describe("inputs", inputs, version->maxInputs);
  if (size_t outputs = count(proto.outputs); outputs > version->maxOutputs)
    return describe("outputs", outputs, version->maxOutputs);
  return {};
}
