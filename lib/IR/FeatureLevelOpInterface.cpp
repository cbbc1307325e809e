//===- FeatureLevelOpInterface.cpp - What every operator shares -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "OpUtils.h"
#include "dml/IR/Suggestions.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Threading.h"
#include <limits>

using namespace mlir;
using namespace dml;

#include "dml/IR/DMLInterfaces.cpp.inc"

const OperatorSupport *dml::getOperatorSupport(OperationName name) {
  auto *interface = name.getInterface<FeatureLevelOpInterface>();
  return interface ? &interface->getOperatorSupport() : nullptr;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

std::string FeatureLevelOpInterface::Tensor::getName() const {
  std::string name = info->name.str();
  if (position)
    name += "[" + std::to_string(*position) + "]";
  return name;
}

SmallVector<FeatureLevelOpInterface::Tensor>
FeatureLevelOpInterface::getTensors() {
  Operation *op = getOperation();
  SmallVector<Tensor> tensors;
  for (auto [index, info] : llvm::enumerate(getOperatorSupport().tensors)) {
    auto [first, count] = getTensorRange(index);
    unsigned end = info.isResult ? op->getNumResults() : op->getNumOperands();
    // Before verification, an operation may have fewer tensors than its table.
    for (unsigned i = 0; i < count && first + i < end; ++i)
      tensors.push_back({&info, static_cast<unsigned>(index),
                         info.count == TensorInfo::Count::Variadic
                             ? std::optional(i)
                             : std::nullopt,
                         first + i,
                         info.isResult ? op->getResult(first + i).getType()
                                       : op->getOperand(first + i).getType()});
  }
  return tensors;
}

std::optional<FeatureLevelOpInterface::Tensor>
FeatureLevelOpInterface::getTensor(StringRef name) {
  for (const Tensor &tensor : getTensors())
    if (tensor.info->name == name)
      return tensor;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Requirements
//===----------------------------------------------------------------------===//

std::optional<uint32_t> FeatureLevelOpInterface::getSelected() {
  StringRef selector = getOperatorSupport().selector;
  return selector.empty() ? std::nullopt : getEnumCaseValue(selector);
}

const LevelSupport *FeatureLevelOpInterface::getRow(FeatureLevel level) {
  return getOperatorSupport().getRow(level, getSelected());
}

SmallVector<Requirement> FeatureLevelOpInterface::getRequirements() {
  std::optional<uint32_t> selected = getSelected();
  SmallVector<Requirement> requirements;
  auto add = [&](Requirement::Kind kind, StringRef subject, int64_t value,
                 std::optional<unsigned> position = std::nullopt) {
    requirements.push_back({kind, subject, value, position, selected});
  };
  add(Requirement::Kind::Operator, {}, 0);
  StringRef seen;
  for (const EnumCaseSupport &enumCase : getOperatorSupport().enumCases) {
    StringRef attribute = enumCase.attribute;
    if (attribute == std::exchange(seen, attribute))
      continue;
    if (std::optional<uint32_t> value = getEnumCaseValue(attribute))
      add(Requirement::Kind::EnumCase, attribute, *value);
  }
  for (const Tensor &tensor : getTensors()) {
    auto type = dyn_cast<RankedTensorType>(tensor.type);
    if (!type)
      continue;
    if (std::optional<DataType> dataType = getDataType(type.getElementType()))
      add(Requirement::Kind::DataType, tensor.info->name,
          static_cast<int64_t>(*dataType), tensor.position);
    add(Requirement::Kind::Rank, tensor.info->name, type.getRank(),
        tensor.position);
  }
  for (auto [i, rule] : llvm::enumerate(getOperatorSupport().rules))
    if (meetsCondition(i))
      add(Requirement::Kind::Rule, rule.name, 0);
  return requirements;
}

SmallVector<Requirement>
FeatureLevelOpInterface::getViolations(FeatureLevel level) {
  const OperatorSupport &support = getOperatorSupport();
  if (!getRow(level))
    return {{Requirement::Kind::Operator, {}, 0, std::nullopt, getSelected()}};
  SmallVector<Requirement> violations = getRequirements();
  llvm::erase_if(violations, [&](const Requirement &requirement) {
    return support.supports(requirement, level);
  });
  return violations;
}

FeatureLevelOpInterface::MinimumLevel
FeatureLevelOpInterface::getMinimumLevel() {
  // The deciding requirement is the one that the next older level does not
  // support. At the oldest level, it is the operator itself.
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

//===----------------------------------------------------------------------===//
// Conditions of rules
//===----------------------------------------------------------------------===//

bool dml::detail::isAnyAbsent(FeatureLevelOpInterface op,
                              ArrayRef<StringRef> names) {
  return llvm::any_of(
      names, [&](StringRef name) { return !op.getTensor(name).has_value(); });
}

bool dml::detail::areAllAbsent(FeatureLevelOpInterface op,
                               ArrayRef<StringRef> names) {
  return llvm::none_of(
      names, [&](StringRef name) { return op.getTensor(name).has_value(); });
}

/// Returns the types of the present tensors among `names`, or of all tensors if
/// `names` is empty.
static SmallVector<RankedTensorType>
getTensorTypes(FeatureLevelOpInterface op, ArrayRef<StringRef> names = {}) {
  SmallVector<RankedTensorType> types;
  for (const FeatureLevelOpInterface::Tensor &tensor : op.getTensors())
    if (names.empty() || llvm::is_contained(names, tensor.info->name))
      if (auto type = dyn_cast<RankedTensorType>(tensor.type))
        types.push_back(type);
  return types;
}

bool dml::detail::haveDifferentRanks(FeatureLevelOpInterface op) {
  return !llvm::all_equal(
      llvm::map_range(getTensorTypes(op),
                      [](RankedTensorType type) { return type.getRank(); }));
}

bool dml::detail::haveDifferentTypes(FeatureLevelOpInterface op,
                                     ArrayRef<StringRef> names) {
  return !llvm::all_equal(
      llvm::map_range(getTensorTypes(op, names), [](RankedTensorType type) {
        return type.getElementType();
      }));
}

bool dml::detail::areRepeated(FeatureLevelOpInterface op,
                              ArrayRef<StringRef> names,
                              ArrayRef<int64_t> dims) {
  SmallVector<RankedTensorType> input = getTensorTypes(op, {"input"});
  return !input.empty() &&
         llvm::any_of(getTensorTypes(op, names), [&](RankedTensorType type) {
           int64_t rank = type.getRank();
           return rank == input.front().getRank() &&
                  llvm::any_of(dims, [&](int64_t dim) {
                    dim += dim < 0 ? rank : 0;
                    return 0 <= dim && dim < rank &&
                           type.getDimSize(dim) !=
                               input.front().getDimSize(dim);
                  });
         });
}

//===----------------------------------------------------------------------===//
// Array attributes
//===----------------------------------------------------------------------===//

LogicalResult dml::verifyArrays(const ArrayVerifier &verifier) {
  for (const ArraySupport &array : verifier.support.arrays) {
    Attribute attribute = verifier.attributes.get(array.attribute);
    auto integers = dyn_cast_or_null<DenseI64ArrayAttr>(attribute);
    auto floats = dyn_cast_or_null<DenseF32ArrayAttr>(attribute);
    auto single = dyn_cast_or_null<IntegerAttr>(attribute);
    // An optional array may be absent. The code that ODS generates verifies the
    // kind of a present array.
    if (!integers && !floats && !single)
      continue;
    size_t found = integers ? integers.size() : floats ? floats.size() : 1;
    StringRef values = found == 1 ? " value" : " values";
    int64_t max = array.max;
    switch (array.kind) {
    case ArraySupport::Kind::PerDimension: {
      std::optional<int64_t> rank = verifier.getRank(array.tensor);
      if (!rank)
        continue;
      size_t wanted =
          std::max<int64_t>(*rank - int64_t(array.firstDimension), 0);
      if (found != wanted)
        return emitOptionalError(
            verifier.location, "'", verifier.opName, "' op ", array.attribute,
            " has ", found, values, ", but wants ", wanted, ", one for each ",
            array.firstDimension ? "spatial dimension of " : "dimension of ",
            array.tensor);
      break;
    }
    case ArraySupport::Kind::Axes: {
      std::optional<int64_t> rank = verifier.getRank(array.tensor);
      if (!rank)
        continue;
      max = *rank - 1;
      break;
    }
    case ArraySupport::Kind::Fixed:
      if (found != array.length)
        return emitOptionalError(verifier.location, "'", verifier.opName,
                                 "' op ", array.attribute, " has ", found,
                                 values, ", but wants ", array.length);
      break;
    case ArraySupport::Kind::Free:
      break;
    }
    if (single) {
      int64_t value = single.getInt();
      if (value < array.min || value > max)
        return emitOptionalError(
            verifier.location, "'", verifier.opName, "' op ", array.attribute,
            " is ", value, ", but wants a value from ", array.min, " to ", max);
    }
    if (!integers)
      continue;
    llvm::SmallBitVector seen(64);
    for (auto [i, value] : llvm::enumerate(integers.asArrayRef())) {
      if (value < array.min || value > max)
        return emitOptionalError(verifier.location, "'", verifier.opName,
                                 "' op ", array.attribute, "[", i, "] is ",
                                 value, ", but wants a value from ", array.min,
                                 " to ", max);
      if (array.kind != ArraySupport::Kind::Axes)
        continue;
      if (seen.test(value))
        return emitOptionalError(
            verifier.location, "'", verifier.opName, "' op ", array.attribute,
            "[", i, "] is ", value, ", but the dimension is listed before it");
      seen.set(value);
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes that an operator does not have
//===----------------------------------------------------------------------===//

/// Returns a text for an error about `attribute`, which the operator `op` does
/// not have: the attribute that was probably meant, or the list of all
/// attributes.
std::string dml::detail::describeUnknownAttribute(OperationName op,
                                                  StringRef attribute) {
  std::string text = ("has no attribute '" + attribute + "'").str();
  SmallVector<StringRef> names;
  for (StringAttr name : op.getAttributeNames())
    names.push_back(name);
  if (std::string nearest = suggestNearest(attribute, names); !nearest.empty())
    return text + nearest;
  if (names.empty())
    return text + "; it has none";
  return text + "; it has " + llvm::join(names, ", ");
}

LogicalResult dml::detail::verifyAttributeNames(Operation *op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (!attribute.getName().getValue().contains('.'))
      return op->emitOpError() << dml::detail::describeUnknownAttribute(
                 op->getName(), attribute.getName());
  return success();
}

//===----------------------------------------------------------------------===//
// The verifier
//===----------------------------------------------------------------------===//

LogicalResult dml::verifyTensor(Operation *op, const Twine &name,
                                RankedTensorType type) {
  constexpr int64_t maxElements = std::numeric_limits<uint32_t>::max();
  if (!getDataType(type.getElementType()))
    return op->emitOpError()
           << name << " has element type " << type.getElementType()
           << ", which is no DirectML data type (f16, f32, "
              "f64, i4 to i64, ui4 to ui64)";
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
    // Both factors are less than 2^32, so that the product does not overflow.
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

/// Checks that the tensors of each group have the element type and the shape of
/// the group's first tensor.
static LogicalResult
verifyGroups(FeatureLevelOpInterface op,
             ArrayRef<FeatureLevelOpInterface::Tensor> tensors) {
  llvm::SmallDenseMap<unsigned, unsigned> types, shapes;
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    auto type = cast<RankedTensorType>(tensor.type);
    if (unsigned group = tensor.info->typeGroup) {
      const auto &first = tensors[types.try_emplace(group, i).first->second];
      Type wanted = cast<RankedTensorType>(first.type).getElementType();
      if (type.getElementType() != wanted)
        return op->emitOpError() << tensor.getName() << " has element type "
                                 << type.getElementType() << ", but "
                                 << first.getName() << " has " << wanted;
    }
    if (unsigned group = tensor.info->shapeGroup) {
      const auto &first = tensors[shapes.try_emplace(group, i).first->second];
      auto firstType = cast<RankedTensorType>(first.type);
      if (type.getRank() != firstType.getRank())
        return op->emitOpError()
               << tensor.getName() << " has rank " << type.getRank() << ", but "
               << first.getName() << " has rank " << firstType.getRank();
      for (auto [dim, found, wanted] :
           llvm::enumerate(type.getShape(), firstType.getShape()))
        if (found != wanted)
          return op->emitOpError()
                 << tensor.getName() << " has size " << found
                 << " in dimension " << dim << ", but " << first.getName()
                 << " has " << wanted
                 << " there (the operator does not broadcast)";
    }
  }
  return success();
}

/// Checks the results against the types that operands and attributes determine.
/// The error names the result. (The verifier of InferTypeOpInterface runs
/// later, and finds nothing else.)
static LogicalResult
verifyInferredTypes(FeatureLevelOpInterface op,
                    ArrayRef<FeatureLevelOpInterface::Tensor> tensors) {
  auto inferable = dyn_cast<InferTypeOpInterface>(op.getOperation());
  if (!inferable)
    return success();
  SmallVector<Type> inferred;
  if (failed(inferable.inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(),
          op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
          op->getRegions(), inferred)))
    return failure();
  for (const FeatureLevelOpInterface::Tensor &tensor : tensors)
    if (tensor.info->isResult && tensor.number < inferred.size() &&
        tensor.type != inferred[tensor.number])
      return op->emitOpError()
             << tensor.getName() << " has type " << tensor.type
             << ", but wants " << inferred[tensor.number];
  return success();
}

/// Verifies the constraints that apply to all operators.
static LogicalResult verifyTensors(FeatureLevelOpInterface op) {
  SmallVector<FeatureLevelOpInterface::Tensor> tensors = op.getTensors();
  for (const FeatureLevelOpInterface::Tensor &tensor : tensors) {
    auto type = dyn_cast<RankedTensorType>(tensor.type);
    if (!type)
      return op->emitOpError() << tensor.getName() << " has type "
                               << tensor.type << ", but wants a ranked tensor";
    if (failed(verifyTensor(op, tensor.getName(), type)))
      return failure();
  }
  // Checks constraints of all levels first, and then those of the newest level.
  // A lower level is verified where it is stated.
  auto getRank = [&](StringRef name) -> std::optional<int64_t> {
    std::optional<FeatureLevelOpInterface::Tensor> tensor = op.getTensor(name);
    if (!tensor)
      return std::nullopt;
    return cast<RankedTensorType>(tensor->type).getRank();
  };
  Attribute properties = op->getPropertiesAsAttribute();
  auto attributes = dyn_cast_or_null<DictionaryAttr>(properties);
  if (attributes &&
      failed(verifyArrays({op->getLoc(), op->getName().getStringRef(),
                           op.getOperatorSupport(), attributes, getRank})))
    return failure();
  if (failed(verifyInferredTypes(op, tensors)) ||
      failed(verifyGroups(op, tensors)))
    return failure();
  return op.verifyFeatureLevel(newestFeatureLevel);
}

using Verifier = llvm::function_ref<LogicalResult(Operation *)>;

/// Whether `op`, which is invalid, would be valid if its operands `lhs` and
/// `rhs` were exchanged.
static bool fitsWhenSwapped(Operation *op, unsigned lhs, unsigned rhs,
                            Verifier verify) {
  // The diagnostics of this attempt are discarded. Other threads may be
  // verifying at the same time, and their diagnostics are kept.
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &) {
    return success(llvm::get_threadid() == thread);
  });
  Operation *swapped = op->clone();
  swapped->setOperand(lhs, op->getOperand(rhs));
  swapped->setOperand(rhs, op->getOperand(lhs));
  bool fits = succeeded(verify(swapped));
  swapped->erase();
  return fits;
}

void dml::detail::noteSwappedOperands(Operation *operation, Verifier verify) {
  // dml.view is not an operator of DirectML, and has only one operand.
  auto op = dyn_cast<FeatureLevelOpInterface>(operation);
  if (!op)
    return;
  SmallVector<FeatureLevelOpInterface::Tensor> tensors = op.getTensors();
  llvm::erase_if(tensors, [](const FeatureLevelOpInterface::Tensor &tensor) {
    return tensor.info->isResult || !isa<RankedTensorType>(tensor.type);
  });
  for (size_t i = 0; i < tensors.size(); ++i)
    for (size_t j = i + 1; j < tensors.size(); ++j)
      if (tensors[i].type != tensors[j].type &&
          fitsWhenSwapped(op, tensors[i].number, tensors[j].number, verify)) {
        // The error has already been reported, so that no note can be added to
        // it.
        mlir::emitRemark(op->getLoc())
            << "the types fit if " << tensors[i].getName() << " and "
            << tensors[j].getName() << " change places";
        return;
      }
}

LogicalResult dml::detail::verifyOperator(Operation *op) {
  return verifyTensors(cast<FeatureLevelOpInterface>(op));
}
