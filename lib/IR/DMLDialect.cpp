//===- DMLDialect.cpp - The dml dialect -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/DML.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>
#include <tuple>

using namespace mlir;
using namespace dml;

#include "dml/IR/DMLDialect.cpp.inc"
#include "dml/IR/DMLInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dml/IR/DMLAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "dml/IR/DMLOps.cpp.inc"

namespace {
/// Operators are pure: they can stand wherever their function is called.
struct DMLInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Attributes that an operator does not have
//===----------------------------------------------------------------------===//

/// What an error says of `attribute`, which the operator `op` does not have:
/// the attribute that was probably meant, or all that there are.
static std::string describeUnknownAttribute(OperationName op,
                                            StringRef attribute) {
  std::string text = ("has no attribute '" + attribute + "'").str();
  StringRef nearest;
  unsigned nearestDistance = std::numeric_limits<unsigned>::max();
  for (StringRef known : op.getAttributeNames()) {
    unsigned distance = attribute.edit_distance(known);
    if (distance < nearestDistance) {
      nearest = known;
      nearestDistance = distance;
    }
  }
  // A third of the letters may be wrong, missing or too many.
  if (3 * nearestDistance <= std::max(nearest.size(), attribute.size()))
    return text + "; did you mean '" + nearest.str() + "'?";
  if (op.getAttributeNames().empty())
    return text + "; it has none";
  return text + "; it has " + llvm::join(op.getAttributeNames(), ", ");
}

/// An attribute that an operator does not have is a misspelt one, and another
/// one is silently left at its default. Only those with the prefix of a dialect
/// may stand on any operation.
static LogicalResult verifyAttributeNames(Operation *op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (!attribute.getName().getValue().contains('.'))
      return op->emitOpError()
             << describeUnknownAttribute(op->getName(), attribute.getName());
  return success();
}

namespace {
/// The operator `OpTy` as it is registered. What the generic form of operations
/// has between "<{" and "}>" becomes the operator's properties before there is
/// an operation to verify, and the generated code drops what it does not know.
template <typename OpTy> struct Strict : OpTy {
  using OpTy::OpTy;

  static LogicalResult
  setPropertiesFromAttr(typename OpTy::Properties &properties, Attribute from,
                        llvm::function_ref<InFlightDiagnostic()> emitError) {
    // Builders, which want no error, hand over all of an operation's attributes
    // here. These are verified later.
    auto attributes = dyn_cast_or_null<DictionaryAttr>(from);
    if (attributes && emitError)
      for (NamedAttribute attribute : attributes)
        if (!llvm::is_contained(OpTy::getAttributeNames(),
                                attribute.getName().getValue()))
          return emitError()
                 << "'" << OpTy::getOperationName() << "' op "
                 << describeUnknownAttribute(
                        OperationName(OpTy::getOperationName(),
                                      from.getContext()),
                        attribute.getName());
    return OpTy::setPropertiesFromAttr(properties, from, emitError);
  }
};
} // namespace

/// `Strict<OpTy>` is `OpTy` for whoever asks.
template <typename OpTy>
struct mlir::detail::TypeIDResolver<Strict<OpTy>>
    : mlir::detail::TypeIDResolver<OpTy> {};

template <typename... OpTys>
static void addStrictOperations(DMLDialect &dialect) {
  (RegisteredOperationName::insert<Strict<OpTys>>(dialect), ...);
}

void DMLDialect::initialize() {
  addInterfaces<DMLInlinerInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dml/IR/DMLAttributes.cpp.inc"
      >();
  addStrictOperations<
#define GET_OP_LIST
#include "dml/IR/DMLOps.cpp.inc"
      >(*this);
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

//===----------------------------------------------------------------------===//
// FeatureLevelOpInterface
//===----------------------------------------------------------------------===//

const OperatorSupport *dml::getOperatorSupport(OperationName name) {
  auto *interface = name.getInterface<FeatureLevelOpInterface>();
  return interface ? &interface->getOperatorSupport() : nullptr;
}

// The table names all tensors; an op that is not verified may have more or
// fewer.
unsigned FeatureLevelOpInterface::getNumTensors() {
  Operation *op = getOperation();
  return std::min<size_t>(op->getNumOperands() + op->getNumResults(),
                          getOperatorSupport().levels.front().tensors.size());
}

StringRef FeatureLevelOpInterface::getTensorName(unsigned index) {
  return getOperatorSupport().levels.front().tensors[index].tensor;
}

bool FeatureLevelOpInterface::isResultTensor(unsigned index) {
  return index >= getOperation()->getNumOperands();
}

Type FeatureLevelOpInterface::getTensorType(unsigned index) {
  Operation *op = getOperation();
  return isResultTensor(index)
             ? op->getResult(index - op->getNumOperands()).getType()
             : op->getOperand(index).getType();
}

SmallVector<Requirement> FeatureLevelOpInterface::getRequirements() {
  SmallVector<Requirement> requirements = {{Requirement::Kind::Operator}};
  StringRef seen;
  for (const EnumCaseSupport &enumCase : getOperatorSupport().enumCases) {
    StringRef attribute = enumCase.attribute;
    if (attribute == std::exchange(seen, attribute))
      continue;
    if (std::optional<uint32_t> value = getEnumCaseValue(attribute))
      requirements.push_back({Requirement::Kind::EnumCase, attribute, *value});
  }
  for (unsigned i = 0; i < getNumTensors(); ++i) {
    auto type = dyn_cast<RankedTensorType>(getTensorType(i));
    if (!type)
      continue;
    if (std::optional<DataType> dataType = getDataType(type.getElementType()))
      requirements.push_back({Requirement::Kind::DataType, getTensorName(i),
                              static_cast<int64_t>(*dataType)});
    requirements.push_back(
        {Requirement::Kind::Rank, getTensorName(i), type.getRank()});
  }
  return requirements;
}

SmallVector<Requirement>
FeatureLevelOpInterface::getViolations(FeatureLevel level) {
  const OperatorSupport &support = getOperatorSupport();
  if (!support.getRow(level))
    return {{Requirement::Kind::Operator}};
  SmallVector<Requirement> violations = getRequirements();
  llvm::erase_if(violations, [&](const Requirement &requirement) {
    return support.supports(requirement, level);
  });
  return violations;
}

FeatureLevelOpInterface::MinimumLevel
FeatureLevelOpInterface::getMinimumLevel() {
  // What the level below lacks decides; at the oldest level, the operator.
  Requirement deciding = {Requirement::Kind::Operator};
  for (const FeatureLevelInfo &info : getFeatureLevels()) {
    SmallVector<Requirement> violations = getViolations(info.level);
    if (violations.empty())
      return {info.level, deciding};
    deciding = violations.front();
  }
  return {std::nullopt, deciding};
}

LogicalResult FeatureLevelOpInterface::verifyFeatureLevel(FeatureLevel level) {
  SmallVector<Requirement> violations = getViolations(level);
  if (violations.empty())
    return success();
  return emitViolation(violations.front(), level);
}

InFlightDiagnostic
FeatureLevelOpInterface::emitViolation(const Requirement &violation,
                                       FeatureLevel level) {
  const OperatorSupport &support = getOperatorSupport();
  InFlightDiagnostic diagnostic =
      getOperation()->emitOpError()
      << support.describeViolation(violation, level);
  diagnostic.attachNote() << "according to " << support.getSource(violation);
  return diagnostic;
}

/// What holds for every DirectML tensor at every level.
static LogicalResult verifyTensor(FeatureLevelOpInterface op, StringRef name,
                                  RankedTensorType type) {
  constexpr int64_t maxElements = std::numeric_limits<uint32_t>::max();
  if (!getDataType(type.getElementType()))
    return op->emitOpError()
           << name << " has element type " << type.getElementType()
           << ", which is no DirectML data type (f16, f32, "
              "f64, i8 to i64, ui8 to ui64)";
  if (type.getEncoding())
    return op->emitOpError()
           << name << " has the encoding " << type.getEncoding()
           << ", but DirectML tensors have none";
  int64_t elements = 1;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (ShapedType::isDynamic(size))
      return op->emitOpError()
             << name << " has a dynamic size in dimension " << dim << " of "
             << type << ", but DirectML tensors have static sizes";
    if (size < 1 || size > maxElements)
      return op->emitOpError()
             << name << " has size " << size << " in dimension " << dim
             << ", but DirectML sizes range from 1 to " << maxElements;
    // Both factors are below 2^32: the product cannot overflow.
    uint64_t product =
        static_cast<uint64_t>(elements) * static_cast<uint64_t>(size);
    if (product > static_cast<uint64_t>(maxElements))
      return op->emitOpError()
             << name << " has type " << type << " of more than " << maxElements
             << " elements, DirectML's limit";
    elements = static_cast<int64_t>(product);
  }
  return success();
}

/// Checks the results against the types that the operands and attributes
/// determine, with one message that names the result. (InferTypeOpInterface's
/// own verifier runs later and finds nothing left to say.)
static LogicalResult verifyInferredTypes(FeatureLevelOpInterface op) {
  auto inferable = dyn_cast<InferTypeOpInterface>(op.getOperation());
  if (!inferable)
    return success();
  SmallVector<Type> inferred;
  if (failed(inferable.inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(),
          op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
          op->getRegions(), inferred)))
    return failure();
  for (auto [index, found, wanted] :
       llvm::enumerate(op->getResultTypes(), inferred))
    if (found != wanted)
      return op->emitOpError()
             << op.getTensorName(op->getNumOperands() + index) << " has type "
             << found << ", but wants " << wanted;
  return success();
}

LogicalResult dml::detail::verifyOperator(Operation *operation) {
  auto op = cast<FeatureLevelOpInterface>(operation);
  if (failed(verifyAttributeNames(op)))
    return failure();
  for (unsigned i = 0; i < op.getNumTensors(); ++i) {
    StringRef name = op.getTensorName(i);
    auto type = dyn_cast<RankedTensorType>(op.getTensorType(i));
    if (!type)
      return op->emitOpError() << name << " has type " << op.getTensorType(i)
                               << ", but wants a ranked tensor";
    if (failed(verifyTensor(op, name, type)))
      return failure();
  }
  // First what is plainly wrong, then what is wrong at the newest level. A
  // lower level is verified where it is stated.
  if (failed(verifyInferredTypes(op)))
    return failure();
  return op.verifyFeatureLevel(newestFeatureLevel);
}
