//===- Interpreter.cpp - What dml programs mean ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Reference/Interpreter.h"
#include "Operators.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dml::reference {

/// A tensor of zeros of type `type`.
static FailureOr<Tensor> createTensor(Operation *op, Type type) {
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

static bool hasType(const Tensor &tensor, Type type) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  return tensorType && tensorType.getShape() == tensor.getShape() &&
         getDataType(tensorType.getElementType()) == tensor.getDataType();
}

static std::string describeType(const Tensor &tensor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "tensor<";
  for (int64_t size : tensor.getShape())
    os << size << "x";
  os << stringifyDataType(tensor.getDataType()) << ">";
  return text;
}

FailureOr<SmallVector<Tensor>>
evaluate(Operation *op, ArrayRef<Tensor> operands, Result result) {
  SmallVector<Tensor> outputs;
  for (Type type : op->getResultTypes()) {
    FailureOr<Tensor> output = createTensor(op, type);
    if (failed(output))
      return failure();
    outputs.push_back(std::move(*output));
  }
  auto view = [&] {
    outputs[0] =
        operands[0].view(outputs[0].getDataType(), outputs[0].getShape());
    return success();
  };
  // Where an operation enters the interpreter.
  LogicalResult status =
      llvm::TypeSwitch<Operation *, LogicalResult>(op)
          .Case([&](PaddingOp op) {
            return evaluate(op, operands[0], outputs[0]);
          })
          .Case(
              [&](TileOp op) { return evaluate(op, operands[0], outputs[0]); })
          .Case([&](MaxPoolingGradOp op) {
            return evaluate(op, operands[0], operands[1], outputs[0]);
          })
          .Case([&](ResampleOp op) {
            return evaluate(op, result, operands[0], outputs[0]);
          })
          .Case([&](arith::ConstantOp op) { return evaluate(op, outputs[0]); })
          .Case<tensor::BitcastOp, tensor::CastOp, tensor::CollapseShapeOp,
                tensor::ExpandShapeOp>([&](auto) { return view(); })
          .Case([&](tensor::ConcatOp op) {
            return evaluate(op, operands, outputs[0]);
          })
          .Case([&](tensor::ExtractSliceOp op) {
            return evaluate(op, operands[0], outputs[0]);
          })
          .Case([&](tensor::InsertSliceOp op) {
            return evaluate(op, operands[0], operands[1], outputs[0]);
          })
          .Default([](Operation *op) {
            return op->emitOpError("is unknown to the interpreter");
          });
  if (failed(status))
    return failure();
  return outputs;
}

FailureOr<SmallVector<Tensor>>
interpret(func::FuncOp function, ArrayRef<Tensor> inputs, Result result) {
  // Errors of the location: those of the function would print all of it.
  auto emitFunctionError = [&] {
    return emitError(function.getLoc(), "function '")
           << function.getName() << "' ";
  };
  if (!function.getBody().hasOneBlock())
    return emitFunctionError()
           << "has " << function.getBody().getBlocks().size()
           << " blocks, but the interpreter wants one";
  Block &block = function.getBody().front();
  if (inputs.size() != block.getNumArguments())
    return emitFunctionError()
           << "takes " << block.getNumArguments() << " input"
           << (block.getNumArguments() == 1 ? "" : "s") << ", but got "
           << inputs.size();

  llvm::DenseMap<Value, Tensor> values;
  for (auto [argument, input] : llvm::zip_equal(block.getArguments(), inputs)) {
    if (!hasType(input, argument.getType()))
      return emitFunctionError()
             << "takes a " << argument.getType() << " as input "
             << argument.getArgNumber() << ", but got a '"
             << describeType(input) << "'";
    values.insert({argument, input});
  }
  for (Operation &op : block) {
    SmallVector<Tensor> operands;
    for (Value operand : op.getOperands()) {
      auto value = values.find(operand);
      if (value == values.end())
        return op.emitOpError("uses a value from outside of its function");
      operands.push_back(value->second);
    }
    if (isa<func::ReturnOp>(op))
      return operands;
    FailureOr<SmallVector<Tensor>> outputs = evaluate(&op, operands, result);
    if (failed(outputs))
      return failure();
    for (auto [value, output] : llvm::zip_equal(op.getResults(), *outputs))
      values.insert({value, std::move(output)});
    // Let go of tensors after their last use.
    for (Value operand : op.getOperands())
      if (llvm::all_of(operand.getUsers(), [&](Operation *user) {
            return user->getBlock() == &block &&
                   (user == &op || user->isBeforeInBlock(&op));
          }))
        values.erase(operand);
  }
  return emitFunctionError() << "does not end in a func.return";
}

bool isMovement(Operation *op) {
  if (auto resample = dyn_cast<ResampleOp>(op))
    return resample.getMode() == InterpolationMode::nearest_neighbor;
  return !isa<MaxPoolingGradOp>(op);
}

} // namespace dml::reference
