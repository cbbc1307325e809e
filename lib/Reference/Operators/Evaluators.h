//===- Evaluators.h - How operations are evaluated --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// An evaluator is a function with three arguments: an operation, its operands
// and its outputs. The outputs have the shapes and types of the results, and
// contain zeros. The operation has been verified, and the operands have its
// types.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_OPERATORS_EVALUATORS_H
#define DML_LIB_REFERENCE_OPERATORS_EVALUATORS_H

#include "dml/IR/DML.h"
#include "dml/Reference/Interpreter.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <vector>

namespace dml::reference {

/// Creates a tensor of zeros of type `type`, or reports an error at `op`. An
/// index is an i64 without dimensions.
llvm::FailureOr<Tensor> createTensor(mlir::Operation *op, mlir::Type type);

/// Creates an estimate of type `type` whose value and bounds are separate
/// tensors of zeros, or reports an error at `op`.
llvm::FailureOr<Estimate> createBounds(mlir::Operation *op, mlir::Type type);

/// Gives access to the operands of an operation by the names in its
/// description: `NamedOperands(op, operands).getBias()` is a pointer to the
/// bias, or null if the operation has none.
template <typename OpTy>
class NamedOperands
    : private std::vector<const Estimate *>,
      public OpTy::template GenericAdaptor<llvm::ArrayRef<const Estimate *>> {
  using Storage = std::vector<const Estimate *>;
  using Adaptor =
      typename OpTy::template GenericAdaptor<llvm::ArrayRef<const Estimate *>>;

public:
  NamedOperands(OpTy op, llvm::ArrayRef<Estimate> operands)
      : Storage(llvm::make_pointer_range(operands).begin(),
                llvm::make_pointer_range(operands).end()),
        Adaptor(llvm::ArrayRef<const Estimate *>(
                    static_cast<const Storage &>(*this)),
                op) {}
  NamedOperands(const NamedOperands &) = delete;
};

class Evaluators {
public:
  using Estimates = std::vector<Estimate>;
  using Function = std::function<llvm::LogicalResult(
      mlir::Operation *op, llvm::ArrayRef<Estimate> operands,
      Estimates &outputs)>;

  /// Adds an evaluator that computes bounds: it appends an estimate for each
  /// result to `outputs`.
  void add(llvm::StringRef name, Function function) {
    functions[name] = std::move(function);
  }
  template <typename OpTy>
  void add(llvm::LogicalResult (*function)(OpTy op,
                                           llvm::ArrayRef<Estimate> operands,
                                           Estimates &outputs)) {
    add(OpTy::getOperationName(),
        [function](mlir::Operation *op, llvm::ArrayRef<Estimate> operands,
                   Estimates &outputs) {
          return function(mlir::cast<OpTy>(op), operands, outputs);
        });
  }

  /// Adds the evaluator of an operation that only moves elements. Bits do not
  /// change, and bounds are moved like values.
  template <typename OpTy>
  void addMovement(
      llvm::LogicalResult (*function)(OpTy op, llvm::ArrayRef<Tensor> operands,
                                      llvm::MutableArrayRef<Tensor> outputs)) {
    add(OpTy::getOperationName(),
        [function](mlir::Operation *op, llvm::ArrayRef<Estimate> operands,
                   Estimates &outputs) {
          return evaluateEach(
              op, operands, outputs,
              [&](llvm::ArrayRef<Tensor> in, llvm::MutableArrayRef<Tensor> out,
                  Bound) { return function(mlir::cast<OpTy>(op), in, out); });
        });
  }

  /// Adds the evaluator of an operation that moves elements to or from places
  /// which its operands `indices` determine. These operands must be exact.
  template <typename OpTy>
  void addIndexedMovement(
      llvm::LogicalResult (*function)(OpTy op, llvm::ArrayRef<Tensor> operands,
                                      llvm::MutableArrayRef<Tensor> outputs),
      std::initializer_list<unsigned> indices) {
    addMovement<OpTy>(function);
    std::vector<unsigned> positions(indices);
    Function move = functions[OpTy::getOperationName()];
    add(OpTy::getOperationName(),
        [move, positions](mlir::Operation *op,
                          llvm::ArrayRef<Estimate> operands,
                          Estimates &outputs) -> llvm::LogicalResult {
          for (unsigned position : positions)
            if (!operands[position].isExact())
              return op->emitOpError("takes operand ")
                     << position
                     << " for coordinates, but it is known within bounds only";
          return move(op, operands, outputs);
        });
  }

  /// Evaluates `op` separately for the value, the lower bound and the upper
  /// bound, or only once if all operands are exact. The operation must be
  /// monotonic in each operand. The results are bit-exact if the operands are.
  enum class Bound { Value, Lower, Upper };
  static llvm::LogicalResult
  evaluateEach(mlir::Operation *op, llvm::ArrayRef<Estimate> operands,
               Estimates &outputs,
               llvm::function_ref<llvm::LogicalResult(
                   llvm::ArrayRef<Tensor> operands,
                   llvm::MutableArrayRef<Tensor> outputs, Bound bound)>
                   function,
               bool isCertain = true);

  const Function *find(llvm::StringRef name) const {
    auto found = functions.find(name);
    return found == functions.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<Function> functions;
};

/// Returns the axes of `op`: its attribute `axes`, or the last dimension of its
/// input if there is no such attribute.
llvm::SmallVector<int64_t> getAxes(mlir::Operation *op);

/// Each function adds the evaluators of one family of operators.
#define DML_FAMILY(name) void add##name##Evaluators(Evaluators &evaluators);
#include "dml/IR/Families.def"

/// Adds the evaluators of the upstream operations that programs use.
void addUpstreamEvaluators(Evaluators &evaluators);
/// Adds the evaluator of scf.for.
void addLoopEvaluators(Evaluators &evaluators);

/// Evaluates the operations of `block`, each by `evaluateOp`, and returns the
/// operands of its terminator. `values` has the arguments of the block and the
/// values from outside of the block, and gets those of the block.
llvm::FailureOr<std::vector<Estimate>>
evaluateBlock(mlir::Block &block, llvm::DenseMap<mlir::Value, Estimate> &values,
              llvm::function_ref<llvm::FailureOr<std::vector<Estimate>>(
                  mlir::Operation *op, llvm::ArrayRef<Estimate> operands)>
                  evaluateOp);

/// Copies the slice that is the first of `operands`, those of `op`, to its
/// place in `output`.
llvm::LogicalResult insertSlice(mlir::tensor::InsertSliceOp op,
                                llvm::ArrayRef<Tensor> operands,
                                Tensor &output);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_OPERATORS_EVALUATORS_H
