//===- Json.cpp - The report as JSON --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Explain/Explain.h"

using namespace mlir;
using namespace dml;
using namespace dml::explain;

/// Returns text from a file for JSON, which must be UTF-8: invalid bytes become
/// U+FFFD.
static llvm::json::Value fromFile(StringRef text) {
  return llvm::json::fixUTF8(text);
}

static llvm::json::Value orNull(StringRef text) {
  if (text.empty())
    return nullptr;
  return text;
}

static llvm::json::Object toJson(const Requirement &requirement,
                                 const OperatorSupport &support) {
  llvm::json::Object object{
      {"kind", stringifyRequirementKind(requirement.kind)},
      {"text", support.describe(requirement)},
      {"source", support.getSource(requirement)}};
  if (requirement.kind == Requirement::Kind::EnumCase)
    object["attribute"] = requirement.subject;
  else if (requirement.kind == Requirement::Kind::Rule)
    object["rule"] = requirement.subject;
  else if (requirement.kind != Requirement::Kind::Operator)
    object["tensor"] = requirement.subject;
  if (requirement.kind == Requirement::Kind::Rank)
    object["rank"] = requirement.value;
  else if (requirement.kind == Requirement::Kind::EnumCase ||
           requirement.kind == Requirement::Kind::DataType)
    object["value"] = support.describeValue(requirement);
  if (std::optional<FeatureLevel> level = support.getMinimumLevel(requirement))
    object["level"] = getFeatureLevelNumber(*level);
  return object;
}

/// Returns the function of an operation, and its place in the file.
static llvm::json::Object locate(Operation *op) {
  llvm::json::Object object{{"function", fromFile(getFunctionName(op))}};
  Place place(op);
  if (place.line != 0) {
    object["line"] = place.line;
    object["column"] = place.column;
  } else if (!place.node.empty()) {
    object["node"] = fromFile(place.node);
  }
  return object;
}

static llvm::json::Object toJson(const OpReport &opReport) {
  FeatureLevelOpInterface op = opReport.op;
  const OperatorSupport &support = op.getOperatorSupport();
  llvm::json::Array tensors, violations;
  for (const FeatureLevelOpInterface::Tensor &tensor : op.getTensors()) {
    std::string type;
    llvm::raw_string_ostream(type) << tensor.type;
    tensors.push_back(
        llvm::json::Object{{"name", tensor.getName()},
                           {"role", tensor.info->isResult ? "output" : "input"},
                           {"type", fromFile(type)}});
  }
  for (const Requirement &violation : opReport.violations) {
    llvm::json::Object object = toJson(violation, support);
    object["message"] = support.describeViolation(violation, *opReport.target);
    violations.push_back(std::move(object));
  }
  llvm::json::Object object = locate(op);
  object["op"] = op->getName().getStringRef();
  object["operator"] = support.operatorType;
  object["level"] = getFeatureLevelNumber(*opReport.minimum.level);
  object["deciding"] = toJson(opReport.minimum.deciding, support);
  object["tensors"] = std::move(tensors);
  if (opReport.target) {
    object["target"] = getFeatureLevelNumber(*opReport.target);
    object["violations"] = std::move(violations);
  }
  return object;
}

static llvm::json::Object toJson(const NotTakenNode &node) {
  llvm::json::Array names;
  for (Operation *op : node.ops)
    names.push_back(op->getName().getStringRef());
  llvm::json::Object object = locate(node.ops.front());
  object["reason"] = fromFile(node.reason);
  object["ops"] = std::move(names);
  return object;
}

static llvm::json::Object toJson(const Legalization &entry) {
  Operation *op = FeatureLevelOpInterface(entry.op);
  llvm::json::Array made;
  for (OperationName name : entry.made)
    made.push_back(name.getStringRef());
  llvm::json::Object object = locate(op);
  object["op"] = op->getName().getStringRef();
  object["becomes"] = std::move(made);
  if (!entry.whyNot.empty())
    object["whyNot"] = entry.whyNot;
  return object;
}

static llvm::json::Object describeOptimizations(const Report &report) {
  llvm::json::Object fused;
  for (auto [name, number] : report.fused)
    fused[llvm::json::fixUTF8(name)] = number;
  llvm::json::Array open;
  for (auto [name, level] : report.open)
    open.push_back(llvm::json::Object{
        {"name", fromFile(name)},
        {"level", orNull(level ? getFeatureLevelNumber(*level) : "")}});
  return llvm::json::Object{{"applied", report.isOptimized ? "all" : "none"},
                            {"fused", std::move(fused)},
                            {"notModelled", std::move(open)}};
}

/// Adds the level of the whole file, and whether the file fits.
static void addVerdict(const Report &report, llvm::json::Object &object) {
  auto orUnknown = [&](StringRef text) {
    return orNull(report.hasLevel() ? text : "");
  };
  object["level"] = orUnknown(getFeatureLevelNumber(report.level));
  object["directml"] =
      orUnknown(getFeatureLevelInfo(report.level).directMLVersion);
  object["windows"] = orUnknown(getFirstWindowsRelease(report.level));
  switch (report.getVerdict()) {
  case Verdict::None:
    break;
  case Verdict::Fits:
    object["fits"] = true;
    break;
  case Verdict::DoesNotFit:
    object["fits"] = false;
    break;
  case Verdict::Undecided:
    object["fits"] = nullptr;
    break;
  }
}

llvm::json::Value dml::explain::toJson(const Report &report) {
  llvm::json::Array ops, foreign, notTaken, unread, onHost;
  for (const OpReport &opReport : report.ops)
    ops.push_back(::toJson(opReport));
  for (Operation *op : report.foreign) {
    llvm::json::Object object = locate(op);
    object["op"] = fromFile(op->getName().getStringRef());
    foreign.push_back(std::move(object));
  }
  for (const NotTakenNode &node : report.notTaken)
    notTaken.push_back(::toJson(node));
  for (StringRef kind : report.unread)
    unread.push_back(fromFile(kind));
  for (StringRef kind : report.onHost)
    onHost.push_back(fromFile(kind));
  llvm::json::Object object{{"ops", std::move(ops)},
                            {"unread", std::move(unread)},
                            {"onHost", std::move(onHost)},
                            {"foreign", std::move(foreign)},
                            {"notTaken", std::move(notTaken)}};
  if (report.isONNX || report.isOptimized)
    object["ortOptimizations"] = describeOptimizations(report);
  if (report.asked) {
    llvm::json::Array entries;
    for (const Legalization &entry : report.legalizations)
      entries.push_back(::toJson(entry));
    object["legalization"] = std::move(entries);
  }
  addVerdict(report, object);
  return object;
}
