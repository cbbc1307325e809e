//===- Interpreter.cpp - What dml programs mean ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Reference/Interpreter.h"
#include "Operators/Evaluators.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dml::reference {

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

/// Returns all evaluators, by the names of their operations.
static const Evaluators &getEvaluators() {
  static const Evaluators evaluators = [] {
    Evaluators evaluators;
#define DML_FAMILY(name) add##name##Evaluators(evaluators);
#include "dml/IR/Families.def"
    addUpstreamEvaluators(evaluators);
    addLoopEvaluators(evaluators);
    return evaluators;
  }();
  return evaluators;
}

std::vector<StringRef> getMissingOperators(MLIRContext *context) {
  std::vector<StringRef> missing;
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.hasInterface<FeatureLevelOpInterface>() &&
        !getEvaluators().find(name.getStringRef()))
      missing.push_back(name.getStringRef());
  return missing;
}

SmallVector<Value> getUsedValues(Operation *op) {
  SmallVector<Value> used(op->getOperands());
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(op->getRegions(), above);
  llvm::append_range(used, above);
  return used;
}

FailureOr<std::vector<Estimate>> evaluate(Operation *op,
                                          ArrayRef<Estimate> operands) {
  const Evaluators::Function *function =
      getEvaluators().find(op->getName().getStringRef());
  if (!function)
    return op->emitOpError("is unknown to the interpreter, which knows dml "
                           "operators, arith.constant and views");
  std::vector<Estimate> outputs;
  if (failed((*function)(op, operands, outputs)))
    return failure();
  return outputs;
}

/// Forgets the values of `block` that only `op` and operations before it read.
static void release(Operation &op, ArrayRef<Value> operands, Block &block,
                    llvm::DenseMap<Value, Estimate> &values) {
  for (Value operand : operands)
    if (operand.getParentBlock() == &block &&
        llvm::all_of(operand.getUsers(), [&](Operation *user) {
          Operation *reader = block.findAncestorOpInBlock(*user);
          return reader == &op || reader->isBeforeInBlock(&op);
        }))
      values.erase(operand);
}

FailureOr<std::vector<Estimate>> evaluateBlock(
    Block &block, llvm::DenseMap<Value, Estimate> &values,
    llvm::function_ref<FailureOr<std::vector<Estimate>>(Operation *,
                                                        ArrayRef<Estimate>)>
        evaluateOp) {
  for (Operation &op : block) {
    SmallVector<Value> used = getUsedValues(&op);
    std::vector<Estimate> operands;
    for (Value operand : used) {
      auto value = values.find(operand);
      if (value == values.end())
        return op.emitOpError("uses a value from outside of its function");
      operands.push_back(value->second);
    }
    if (op.hasTrait<OpTrait::IsTerminator>())
      return operands;
    FailureOr<std::vector<Estimate>> outputs = evaluateOp(&op, operands);
    if (failed(outputs))
      return failure();
    for (auto [value, output] : llvm::zip_equal(op.getResults(), *outputs))
      values.insert_or_assign(value, std::move(output));
    release(op, used, block, values);
  }
  llvm_unreachable("a block ends in a terminator");
}

FailureOr<std::vector<Estimate>>
interpret(func::FuncOp function, ArrayRef<Tensor> inputs,
          llvm::function_ref<void(Operation *)> begin) {
  // The error is reported at the function's location without printing the whole
  // function.
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

  llvm::DenseMap<Value, Estimate> values;
  for (auto [argument, input] : llvm::zip_equal(block.getArguments(), inputs)) {
    if (!hasType(input, argument.getType()))
      return emitFunctionError()
             << "takes a " << argument.getType() << " as input "
             << argument.getArgNumber() << ", but got a '"
             << describeType(input) << "'";
    values.insert({argument, Estimate(input)});
  }
  if (!isa<func::ReturnOp>(block.back()))
    return emitFunctionError() << "does not end in a func.return";
  return evaluateBlock(block, values,
                       [&](Operation *op, ArrayRef<Estimate> operands) {
                         if (begin)
                           begin(op);
                         return evaluate(op, operands);
                       });
}

FailureOr<SmallVector<Tensor>> interpretValues(func::FuncOp function,
                                               ArrayRef<Tensor> inputs) {
  FailureOr<std::vector<Estimate>> estimates = interpret(function, inputs);
  if (failed(estimates))
    return failure();
  return llvm::map_to_vector(
      *estimates, [](const Estimate &estimate) { return estimate.value; });
}

} // namespace dml::reference
