//===- DMLDialect.cpp - The dml dialect -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/DML.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;
using namespace dml;

#include "dml/IR/DMLDialect.cpp.inc"
#include "dml/IR/DMLInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dml/IR/DMLAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "dml/IR/DMLOps.cpp.inc"

void DMLDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dml/IR/DMLAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dml/IR/DMLOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

LogicalResult DMLDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == targetAttrName) {
    if (!isa<TargetAttr>(attribute.getValue()))
      return op->emitError("attribute '")
             << targetAttrName << "' is " << attribute.getValue()
             << ", but wants a #dml.target";
    if (!isa<ModuleOp, FunctionOpInterface>(op))
      return op->emitError("attribute '")
             << targetAttrName
             << "' stands on a module or a function, but found it on '"
             << op->getName() << "'";
    return success();
  }
  if (attribute.getName() == labelAttrName) {
    if (!isa<StringAttr>(attribute.getValue()))
      return op->emitError("attribute '")
             << labelAttrName << "' is " << attribute.getValue()
             << ", but wants a string";
    return success();
  }
  return op->emitError("unknown attribute '") << attribute.getName() << "'";
}

/// Verifies an attribute of an argument or result of `op`.
static LogicalResult verifyTensorAttribute(Operation *op, unsigned index,
                                           NamedAttribute attribute,
                                           StringRef kind) {
  if (attribute.getName() == typeAttrName) {
    auto type = dyn_cast<TypeAttr>(attribute.getValue());
    if (!type || !isa<RankedTensorType>(type.getValue()))
      return op->emitError("attribute '")
             << typeAttrName << "' on " << kind << " " << index << " is "
             << attribute.getValue() << ", but wants a ranked tensor type";
    return success();
  }
  if (attribute.getName() != nameAttrName)
    return op->emitError("unknown attribute '")
           << attribute.getName() << "' on " << kind << " " << index;
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (!name || name.getValue().empty())
    return op->emitError("attribute '")
           << nameAttrName << "' on " << kind << " " << index << " is "
           << attribute.getValue() << ", but wants a non-empty string";
  return success();
}

LogicalResult DMLDialect::verifyRegionArgAttribute(Operation *op,
                                                   unsigned regionIndex,
                                                   unsigned argIndex,
                                                   NamedAttribute attribute) {
  return verifyTensorAttribute(op, argIndex, attribute, "argument");
}

LogicalResult
DMLDialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                        unsigned resultIndex,
                                        NamedAttribute attribute) {
  return verifyTensorAttribute(op, resultIndex, attribute, "result");
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

StringRef dml::getTensorName(FeatureLevelOpInterface op, unsigned index) {
  return op.getOperatorSupport().levels.front().tensors[index].tensor;
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
             << getTensorName(op, op->getNumOperands() + index) << " has type "
             << found << ", but wants " << wanted;
  return success();
}

LogicalResult dml::detail::verifyOperator(Operation *operation) {
  auto op = cast<FeatureLevelOpInterface>(operation);
  SmallVector<Type> types(operation->getOperandTypes());
  llvm::append_range(types, operation->getResultTypes());
  for (auto [index, type] : llvm::enumerate(types)) {
    StringRef name = getTensorName(op, index);
    auto tensorType = dyn_cast<RankedTensorType>(type);
    if (!tensorType)
      return op->emitOpError()
             << name << " has type " << type << ", but wants a ranked tensor";
    if (failed(verifyTensor(op, name, tensorType)))
      return failure();
  }
  return verifyInferredTypes(op);
}
