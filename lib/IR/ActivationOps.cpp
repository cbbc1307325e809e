//===- ActivationOps.cpp - Activation functions ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ActivationOps.h"

using namespace mlir;
using namespace dml;

#define GET_OP_CLASSES
#include "dml/IR/ActivationOps.cpp.inc"

void DMLDialect::registerActivationOps() {
  addOperations<
#define GET_OP_LIST
#include "dml/IR/ActivationOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Fused activations
//===----------------------------------------------------------------------===//

static std::string getActivationName(ActivationFunction value) {
  return (value == ActivationFunction::clip ? "element_wise_" : "activation_") +
         stringifyActivationFunction(value).str();
}

std::string ActivationAttr::getOperatorName() const {
  return getActivationName(getValue());
}

std::optional<uint32_t>
ActivationAttr::getFusedCase(const OperatorSupport &support,
                             StringRef attribute) const {
  StringRef name = stringifyActivationFunction(getValue());
  if (getValue() == ActivationFunction::softplus &&
      getParameters().getAs<FloatAttr>("steepness").getValueAsDouble() < 1)
    name = "softplus_below_1";
  for (const EnumCaseSupport &enumCase : support.enumCases)
    if (enumCase.attribute == attribute && enumCase.enumCase == name)
      return enumCase.value;
  return std::nullopt;
}

std::optional<uint32_t>
dml::detail::getNewestFusedCase(ArrayAttr activations,
                                const OperatorSupport &support,
                                StringRef attribute) {
  const EnumCaseSupport *newest = nullptr;
  for (Attribute element : activations) {
    // The function may be called before the operation is verified.
    auto activation = dyn_cast_or_null<ActivationAttr>(element);
    if (!activation)
      continue;
    std::optional<uint32_t> value = activation.getFusedCase(support, attribute);
    const EnumCaseSupport *found =
        value ? support.getEnumCase(attribute, *value) : nullptr;
    if (found && (!newest || found->level > newest->level))
      newest = found;
  }
  return newest ? std::optional(newest->value) : std::nullopt;
}

/// The parameters must be attributes of the operator of the activation, with
/// the same names.
LogicalResult
ActivationAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                       ActivationFunction value, DictionaryAttr parameters) {
  StringRef name = stringifyActivationFunction(value);
  std::optional<RegisteredOperationName> op = RegisteredOperationName::lookup(
      "dml." + getActivationName(value), parameters.getContext());
  if (!op)
    return emitError() << name << " is no operator of the dialect";
  // A parameter that is misspelt is told before the one that lacks for it.
  for (NamedAttribute parameter : parameters)
    if (!llvm::is_contained(op->getAttributeNames(), parameter.getName()))
      return emitError() << name << " "
                         << detail::describeUnknownAttribute(
                                *op, parameter.getName());
  for (StringAttr wanted : op->getAttributeNames()) {
    Attribute found = parameters.get(wanted);
    if (wanted == "scale_bias") {
      if (found && !isa<ScaleBiasAttr>(found))
        return emitError() << name << " has the scale_bias " << found
                           << ", but wants a #dml.scale_bias";
      continue;
    }
    bool isArray = wanted == "axes";
    StringRef kind = isArray ? "an array of i64" : "an f32";
    if (!found)
      return emitError() << name << " has no " << wanted.getValue()
                         << ", but wants " << kind;
    if (isArray && isa<DenseI64ArrayAttr>(found))
      continue;
    auto number = dyn_cast<FloatAttr>(found);
    if (isArray || !number || !number.getType().isF32())
      return emitError() << name << " has the " << wanted.getValue() << " "
                         << found << ", but wants " << kind;
  }
  return detail::verifyActivation(emitError, value, parameters);
}

LogicalResult dml::detail::verifyActivation(
    llvm::function_ref<InFlightDiagnostic()> emitError,
    ActivationFunction activation, DictionaryAttr parameters) {
  auto get = [&](StringRef name) {
    return parameters.getAs<FloatAttr>(name).getValueAsDouble();
  };
  if (activation == ActivationFunction::softplus && !(get("steepness") > 0))
    return emitError() << "steepness is " << get("steepness")
                       << ", but wants a number above 0";
  if (activation == ActivationFunction::celu && get("alpha") == 0)
    return emitError() << "alpha is 0, but wants another number: elements are "
                          "divided by it";
  return success();
}

LogicalResult dml::detail::verifyFusedActivation(Operation *op,
                                                 ActivationAttr activation,
                                                 StringRef attribute,
                                                 std::optional<size_t> index) {
  const OperatorSupport &support = *getOperatorSupport(op->getName());
  if (!activation || activation.getFusedCase(support, attribute))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError();
  diagnostic << attribute;
  if (index)
    diagnostic << "[" << *index << "]";
  diagnostic << " is " << stringifyActivationFunction(activation.getValue())
             << ", but the operator fuses ";
  llvm::interleaveComma(
      llvm::make_filter_range(support.enumCases,
                              [&](const EnumCaseSupport &enumCase) {
                                return enumCase.attribute == attribute &&
                                       symbolizeActivationFunction(
                                           enumCase.enumCase);
                              }),
      diagnostic, [&](const EnumCaseSupport &enumCase) {
        diagnostic << StringRef(enumCase.enumCase);
      });
  return diagnostic;
}

/// Verifies the numeric attributes of an activation operator, by the rules for
/// a fused activation.
static LogicalResult verifyNumbers(Operation *op,
                                   ActivationFunction activation) {
  return dml::detail::verifyActivation(
      [op] { return op->emitOpError(); }, activation,
      cast<DictionaryAttr>(op->getPropertiesAsAttribute()));
}

LogicalResult ActivationCeluOp::verify() {
  return verifyNumbers(*this, ActivationFunction::celu);
}

LogicalResult ActivationSoftplusOp::verify() {
  return verifyNumbers(*this, ActivationFunction::softplus);
}
