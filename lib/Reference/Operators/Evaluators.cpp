//===- Evaluators.cpp - How operations are evaluated ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Operators/Evaluators.h"

using namespace mlir;

namespace dml::reference {

FailureOr<Tensor> createTensor(Operation *op, Type type) {
  // The number of an iteration, and what slices compute of it.
  if (isa<IndexType>(type))
    return Tensor::create(DataType::INT64, {});
  auto tensorType = dyn_cast<RankedTensorType>(type);
  std::optional<DataType> dataType;
  if (tensorType && tensorType.hasStaticShape())
    dataType = getDataType(tensorType.getElementType());
  if (!dataType)
    return op->emitError("the interpreter knows ranked tensors of static shape "
                         "and DirectML data types, but found ")
           << type;
  FailureOr<Tensor> tensor = Tensor::create(*dataType, tensorType.getShape());
  if (failed(tensor))
    return op->emitError("the interpreter finds no memory for a ") << type;
  return tensor;
}

FailureOr<Estimate> createBounds(Operation *op, Type type) {
  FailureOr<Tensor> value = createTensor(op, type),
                    lower = createTensor(op, type),
                    upper = createTensor(op, type);
  if (failed(value) || failed(lower) || failed(upper))
    return failure();
  return Estimate(std::move(*value), std::move(*lower), std::move(*upper));
}

SmallVector<int64_t> getAxes(Operation *op) {
  std::optional<Attribute> axes = op->getInherentAttr("axes");
  if (auto array =
          dyn_cast_or_null<DenseI64ArrayAttr>(axes.value_or(Attribute())))
    return SmallVector<int64_t>(array.asArrayRef());
  return {cast<RankedTensorType>(op->getOperand(0).getType()).getRank() - 1};
}

static FailureOr<SmallVector<Tensor>> createOutputs(Operation *op) {
  SmallVector<Tensor> outputs;
  for (Type type : op->getResultTypes()) {
    FailureOr<Tensor> output = createTensor(op, type);
    if (failed(output))
      return failure();
    outputs.push_back(std::move(*output));
  }
  return outputs;
}

LogicalResult Evaluators::evaluateEach(
    Operation *op, ArrayRef<Estimate> operands, Estimates &outputs,
    llvm::function_ref<LogicalResult(ArrayRef<Tensor>, MutableArrayRef<Tensor>,
                                     Bound)>
        function,
    bool isCertain) {
  auto run = [&](Tensor Estimate::*part,
                 Bound bound) -> FailureOr<SmallVector<Tensor>> {
    FailureOr<SmallVector<Tensor>> tensors = createOutputs(op);
    auto inputs = llvm::map_to_vector(
        operands, [&](const Estimate &operand) { return operand.*part; });
    if (failed(tensors) || failed(function(inputs, *tensors, bound)))
      return failure();
    return tensors;
  };
  FailureOr<SmallVector<Tensor>> value = run(&Estimate::value, Bound::Value);
  if (failed(value))
    return failure();
  bool isBitExact = isCertain && llvm::all_of(operands, [](const Estimate &e) {
                      return e.isBitExact;
                    });
  bool isExact = isCertain && llvm::all_of(operands, [](const Estimate &e) {
                   return e.isExact();
                 });
  if (isExact) {
    for (Tensor &tensor : *value)
      outputs.push_back(Estimate(std::move(tensor), isBitExact));
    return success();
  }
  FailureOr<SmallVector<Tensor>> lower = run(&Estimate::lower, Bound::Lower);
  FailureOr<SmallVector<Tensor>> upper = run(&Estimate::upper, Bound::Upper);
  if (failed(lower) || failed(upper))
    return failure();
  for (auto [tensor, low, high] : llvm::zip_equal(*value, *lower, *upper))
    outputs.push_back(Estimate(tensor, low, high));
  return success();
}

} // namespace dml::reference
