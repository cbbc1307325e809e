//===- DMLDialect.cpp - The dml dialect -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/DML.h"
#include "dml/IR/KernelAttr.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include <tuple>

using namespace mlir;
using namespace dml;

#include "dml/IR/DMLDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dml/IR/DMLAttributes.cpp.inc"

namespace {
/// Operators are pure: they can stand wherever their function is called.
struct DMLInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void DMLDialect::initialize() {
  addInterfaces<DMLInlinerInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dml/IR/DMLAttributes.cpp.inc"
      >();
#define DML_FAMILY(name) register##name##Ops();
#include "dml/IR/Families.def"
}

LogicalResult
ScaleBiasAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                      FloatAttr scale, FloatAttr bias) {
  for (auto [name, value] : {std::pair("scale", scale), {"bias", bias}})
    if (!value.getType().isF32())
      return emitError() << name << " has type " << value.getType()
                         << ", but wants f32";
  return success();
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

/// Checks the operators in `holder` against the target it states. Those under a
/// nested target are left to that one.
static LogicalResult verifyTarget(Operation *holder, TargetAttr target) {
  WalkResult result = holder->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != holder && op->hasAttr(targetAttrName))
      return WalkResult::skip();
    if (auto dmlOp = dyn_cast<FeatureLevelOpInterface>(op))
      if (failed(dmlOp.verifyFeatureLevel(target.getFeatureLevel())))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult DMLDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == targetAttrName) {
    if (!isa<TargetAttr>(attribute.getValue()))
      return emitError(op->getLoc(), "attribute '")
             << targetAttrName << "' is " << attribute.getValue()
             << ", but wants a #dml.target";
    if (!isa<ModuleOp, FunctionOpInterface>(op))
      return emitError(op->getLoc(), "attribute '")
             << targetAttrName
             << "' stands on a module or a function, but found it on '"
             << op->getName() << "'";
    return verifyTarget(op, cast<TargetAttr>(attribute.getValue()));
  }
  if (attribute.getName() == executableAttrName) {
    if (!isa<ModuleOp>(op) || !isa<DenseIntElementsAttr>(attribute.getValue()))
      return emitError(op->getLoc(), "attribute '")
             << executableAttrName
             << "' wants to be bytes, as a dense tensor, on a module";
    return success();
  }
  if (attribute.getName() == labelAttrName) {
    auto label = dyn_cast<StringAttr>(attribute.getValue());
    if (!label || !isName(label.getValue()))
      return emitError(op->getLoc(), "attribute '")
             << labelAttrName << "' is " << attribute.getValue()
             << ", but wants a non-empty string without control characters";
    return success();
  }
  if (attribute.getName() == kernelAttrName) {
    if (!KernelChoice::get(attribute.getValue()))
      return emitError(op->getLoc(), "attribute '")
             << kernelAttrName << "' is " << attribute.getValue()
             << ", but wants \"map\" or {contraction_tile = array<i64: rows, "
                "columns, terms>} with three positive sizes";
    return success();
  }
  return emitError(op->getLoc(), "unknown attribute '")
         << attribute.getName().getValue() << "'";
}

namespace {
/// An argument or a result of a function.
struct Parameter {
  bool isResult;
  unsigned index;

  bool operator<(const Parameter &other) const {
    return std::tie(isResult, index) < std::tie(other.isResult, other.index);
  }
};
} // namespace

static std::string describe(Parameter parameter) {
  return (parameter.isResult ? "result " : "argument ") +
         std::to_string(parameter.index);
}

/// The first argument or result before `parameter` with the name `name`.
static std::optional<Parameter> findNamesake(FunctionOpInterface function,
                                             Parameter parameter,
                                             StringAttr name) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (Parameter other = {false, i};
        other < parameter && function.getArgAttr(i, nameAttrName) == name)
      return other;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (Parameter other = {true, i};
        other < parameter && function.getResultAttr(i, nameAttrName) == name)
      return other;
  return std::nullopt;
}

/// Verifies an attribute of an argument or result of `op`. (Errors of the
/// location, as those of `op` would print a whole function.)
static LogicalResult verifyTensorAttribute(Operation *op, Parameter parameter,
                                           NamedAttribute attribute) {
  if (attribute.getName() == typeAttrName) {
    auto type = dyn_cast<TypeAttr>(attribute.getValue());
    if (!type || !isa<RankedTensorType>(type.getValue()))
      return emitError(op->getLoc(), "attribute '")
             << typeAttrName << "' on " << describe(parameter) << " is "
             << attribute.getValue() << ", but wants a ranked tensor type";
    return success();
  }
  if (attribute.getName() != nameAttrName)
    return emitError(op->getLoc(), "unknown attribute '")
           << attribute.getName().getValue() << "' on " << describe(parameter);
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (!name || !isName(name.getValue()))
    return emitError(op->getLoc(), "attribute '")
           << nameAttrName << "' on " << describe(parameter) << " is "
           << attribute.getValue()
           << ", but wants a non-empty string without control characters";
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    if (auto namesake = findNamesake(function, parameter, name))
      return emitError(op->getLoc(), "attribute '")
             << nameAttrName << "' on " << describe(parameter) << " is " << name
             << ", which is the name of " << describe(*namesake) << " already";
  return success();
}

void dml::keepTensorTypes(FunctionOpInterface function,
                          llvm::function_ref<bool(Type)> isChanged) {
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isChanged(type) && !function.getArgAttr(i, typeAttrName))
      function.setArgAttr(i, typeAttrName, TypeAttr::get(type));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (isChanged(type) && !function.getResultAttr(i, typeAttrName))
      function.setResultAttr(i, typeAttrName, TypeAttr::get(type));
}

LogicalResult DMLDialect::verifyRegionArgAttribute(Operation *op,
                                                   unsigned regionIndex,
                                                   unsigned argIndex,
                                                   NamedAttribute attribute) {
  return verifyTensorAttribute(op, {/*isResult=*/false, argIndex}, attribute);
}

LogicalResult
DMLDialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                        unsigned resultIndex,
                                        NamedAttribute attribute) {
  return verifyTensorAttribute(op, {/*isResult=*/true, resultIndex}, attribute);
}

bool dml::isName(StringRef text) {
  return !text.empty() && llvm::none_of(text, [](unsigned char c) {
    return c < 0x20 || c == 0x7f;
  });
}

FeatureLevel dml::getTargetFeatureLevel(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(targetAttrName))
      return target.getFeatureLevel();
  return newestFeatureLevel;
}
