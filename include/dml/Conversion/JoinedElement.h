//===- JoinedElement.h - An element of a concatenation ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_CONVERSION_JOINEDELEMENT_H
#define DML_CONVERSION_JOINEDELEMENT_H

#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dml {

/// The largest number of tensors that one kernel concatenates. Together with
/// the output, these are as many storage buffers as every Vulkan device can
/// bind.
inline constexpr int64_t maxJoinedInputs =
    DeviceProfile::promisedMaxStorageBuffers - 1;

/// The label of kernels that move the inputs of a concatenation.
inline constexpr llvm::StringLiteral joinLabel = "dml.join";

/// Builds the element at `indices` of the concatenation of `inputs` along
/// `axis`. Each input is read at a valid coordinate. The element belongs to the
/// last input that begins at or before it.
inline mlir::Value buildJoinedElement(mlir::ImplicitLocOpBuilder &b,
                                      mlir::ValueRange inputs, int64_t axis,
                                      mlir::ValueRange indices) {
  using namespace mlir;
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value result;
  int64_t start = 0;
  for (Value input : inputs) {
    int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(axis);
    SmallVector<Value> coordinates(indices);
    Value offset = b.createOrFold<arith::AddIOp>(indices[axis], index(-start));
    coordinates[axis] = b.createOrFold<arith::MinSIOp>(
        b.createOrFold<arith::MaxSIOp>(offset, index(0)), index(size - 1));
    Value element = tensor::ExtractOp::create(b, input, coordinates);
    Value begun = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge,
                                                offset, index(0));
    result = result ? b.createOrFold<arith::SelectOp>(begun, element, result)
                    : element;
    start += size;
  }
  return result;
}

} // namespace dml

#endif // DML_CONVERSION_JOINEDELEMENT_H
