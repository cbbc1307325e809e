//===- Builder.cpp - Building operators by their names --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Support/Builder.h"

#include "dml/IR/FileMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace dml;

llvm::Expected<Operation *>
reader::buildOperator(OpBuilder &builder, Location loc, OperationName name,
                      ArrayRef<Operand> operands,
                      ArrayRef<NamedAttribute> attributes, TypeRange results,
                      llvm::function_ref<void(Operation *)> adjust) {
  const OperatorSupport *support = getOperatorSupport(name);
  assert(support && "dml has the operator");
  OperationState state(loc, name);
  SmallVector<int32_t> segments;
  size_t used = 0;
  for (const TensorInfo &info : support->tensors) {
    if (info.isResult)
      continue;
    segments.push_back(0);
    for (const Operand &operand : operands)
      if (operand.name == info.name) {
        state.addOperands(operand.values);
        segments.back() = static_cast<int32_t>(operand.values.size());
        ++used;
      }
  }
  // Operands with unknown names would be ignored.
  if (used != operands.size())
    return llvm::createStringError(name.getStringRef() + " lacks one of the " +
                                   llvm::Twine(operands.size()) +
                                   " operands that the reader gives it");
  if (name.hasTrait<OpTrait::AttrSizedOperandSegments>())
    state.addAttribute("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr(segments));
  state.addAttributes(attributes);
  state.addTypes(results);

  std::string message;
  ScopedDiagnosticHandler handler(builder.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    if (message.empty())
                                      message = diagnostic.str();
                                    return success();
                                  });
  Operation *op = builder.create(state);
  if (adjust)
    adjust(op);
  if (failed(verify(op))) {
    // A rewriter undoes what was built, and must find it.
    if (!builder.getListener())
      op->erase();
    return llvm::createStringError(message);
  }
  return op;
}

Value reader::buildConstant(OpBuilder &builder, Location loc, DataType type,
                            ArrayRef<int64_t> shape, ArrayRef<char> data,
                            std::shared_ptr<const void> owner, StringRef name,
                            bool isResource) {
  Type elementType = getElementType(type, builder.getContext());
  // An arith.constant cannot have unsigned integers.
  Type signless = elementType;
  if (auto integer = dyn_cast<IntegerType>(elementType))
    signless = builder.getIntegerType(integer.getWidth());
  auto tensorType = RankedTensorType::get(shape, signless);
  ElementsAttr elements;
  if (!isResource) {
    FileMemory::want(data);
    elements = DenseElementsAttr::getFromRawBuffer(tensorType, data);
  } else {
    AsmResourceBlob blob(
        data, /*dataAlignment=*/1,
        [owner = std::move(owner)](void *, size_t, size_t) mutable {
          owner.reset();
        },
        /*dataIsMutable=*/false);
    elements =
        DenseResourceElementsAttr::get(tensorType, name, std::move(blob));
  }
  Value value = arith::ConstantOp::create(builder, loc, elements);
  if (signless != elementType)
    value = tensor::BitcastOp::create(
        builder, loc, RankedTensorType::get(shape, elementType), value);
  return value;
}

std::vector<char> reader::unpackFourBits(ArrayRef<char> packed, int64_t count) {
  FileMemory::want(packed);
  std::vector<char> elements(count);
  for (auto [index, element] : llvm::enumerate(elements)) {
    auto pair = static_cast<uint8_t>(packed[index / 2]);
    element = static_cast<char>(index % 2 ? pair >> 4 : pair & 0xf);
  }
  return elements;
}

Value reader::reshape(OpBuilder &builder, Location loc, Value value,
                      ArrayRef<int64_t> to) {
  // A view of a view is replaced by a view of the original value.
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto type = cast<RankedTensorType>(value.getType());
  ArrayRef<int64_t> from = type.getShape();
  if (from == to)
    return value;
  // Groups of neighbouring dimensions with the same number of elements in both
  // shapes.
  SmallVector<ReassociationIndices> fromGroups, toGroups;
  SmallVector<int64_t> groupSizes;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    ReassociationIndices fromGroup, toGroup;
    int64_t fromSize = from[i], toSize = to[j];
    fromGroup.push_back(i++);
    toGroup.push_back(j++);
    while (fromSize != toSize) {
      if (fromSize < toSize) {
        assert(i < from.size() && "a view has as many elements");
        fromSize *= from[i];
        fromGroup.push_back(i++);
      } else {
        assert(j < to.size() && "a view has as many elements");
        toSize *= to[j];
        toGroup.push_back(j++);
      }
    }
    fromGroups.push_back(fromGroup);
    toGroups.push_back(toGroup);
    groupSizes.push_back(fromSize);
  }
  // The remaining dimensions have size 1.
  for (; i < from.size(); ++i)
    fromGroups.back().push_back(i);
  for (; j < to.size(); ++j)
    toGroups.back().push_back(j);
  if (groupSizes.size() < from.size())
    value = tensor::CollapseShapeOp::create(
        builder, loc, type.clone(groupSizes), value, fromGroups);
  if (groupSizes.size() < to.size())
    value = tensor::ExpandShapeOp::create(builder, loc, type.clone(to), value,
                                          toGroups);
  return value;
}
