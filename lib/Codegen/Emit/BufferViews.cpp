//===- BufferViews.cpp - Buffers as arrays of vectors ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Emit/BufferViews.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

Value BufferViews::getView(ImplicitLocOpBuilder &b, Value buffer, Type element,
                           int64_t elementBits) {
  Value &view = views[{buffer, element}];
  if (!view) {
    auto type = cast<MemRefType>(buffer.getType());
    int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(launch);
    view = BufferViewOp::create(
        b,
        MemRefType::get({llvm::divideCeilSigned(bits, elementBits)}, element),
        buffer, /*whole=*/false);
  }
  return view;
}

Value BufferViews::getRoot(ImplicitLocOpBuilder &b, Value buffer) {
  Value &root = roots[buffer];
  if (root)
    return root;
  std::optional<Placement> placement = getPlacement(buffer);
  if (!placement || placement->strips.empty())
    return root = buffer;
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(launch);
  auto type = MemRefType::get(
      {getNumBytes(cast<MemRefType>(placement->root.getType())) * 8 /
       element.getIntOrFloatBitWidth()},
      element);
  return root = BufferViewOp::create(b, type, buffer, /*whole=*/true);
}

LinearForm dml::getPlace(IndexForms &forms, ImplicitLocOpBuilder &b,
                         const Placement &placement, LinearForm position,
                         int64_t bytes) {
  for (const Strip &strip : placement.strips) {
    LinearForm row = 0;
    if (strip.count > 1)
      std::tie(row, position) = forms.divide(b, position, strip.run / bytes);
    position = forms.add(b, forms.mul(b, row, strip.stride / bytes),
                         forms.add(b, position, strip.offset / bytes));
  }
  return position;
}

Value BufferViews::getElements(ImplicitLocOpBuilder &b, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return getView(b, buffer, type.getElementType(),
                 type.getElementTypeBitWidth());
}

Value BufferViews::getVectors(ImplicitLocOpBuilder &b, Value buffer,
                              const Packing &packing) {
  return getView(b, buffer, packing.getVectorType(), packing.bytes * 8);
}

OutputVectors::OutputVectors(ImplicitLocOpBuilder &b, BufferViews &views,
                             Value output, const Packing &packing)
    : placement(getPlacement(output).value_or(Placement())),
      buffer(views.getVectors(b, views.getRoot(b, output), packing)),
      bytes(packing.bytes) {}

Value OutputVectors::getPlace(IndexForms &forms, ImplicitLocOpBuilder &b,
                              const LinearForm &number) const {
  return forms.materialize(b,
                           ::dml::getPlace(forms, b, placement, number, bytes));
}
