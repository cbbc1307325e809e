//===- Evaluators.h - How operations are evaluated --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// An evaluator is a function of an operation, its operands and its outputs. The
// outputs have the results' shapes and types, and hold zeros; the operation is
// verified, and the operands fit its types.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_REFERENCE_OPERATORS_EVALUATORS_H
#define DML_LIB_REFERENCE_OPERATORS_EVALUATORS_H

#include "dml/IR/DML.h"
#include "dml/Reference/Interpreter.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <vector>

namespace dml::reference {

/// A tensor of zeros of type `type`, or an error at `op`.
llvm::FailureOr<Tensor> createTensor(mlir::Operation *op, mlir::Type type);

/// An estimate of type `type` whose bounds are tensors of their own, all zeros,
/// or an error at `op`.
llvm::FailureOr<Estimate> createBounds(mlir::Operation *op, mlir::Type type);

/// The operands of an operation by the names of its description:
/// `NamedOperands(op, operands).getBias()` is a pointer to the bias, or null
/// where the operation has none.
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

  /// Adds an evaluator that knows of bounds: it appends an estimate for each
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

  /// Adds an evaluator of an operation that only moves elements, so that their
  /// bits arrive unchanged, and bounds are moved like values.
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

  /// The same for an operation that takes where to move elements from its
  /// operands `indices`, which must be certain.
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

  /// Evaluates `op` for the value, the lower and the upper bound apart, or once
  /// where no operand is uncertain. Right for what is monotonic in every
  /// operand. The estimates are bit-exact if the operands are.
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

/// The axes of `op`: its attribute `axes`, or the last dimension of its input
/// where it has no such attribute.
llvm::SmallVector<int64_t> getAxes(mlir::Operation *op);

/// Each adds the evaluators of one family of operators.
#define DML_FAMILY(name) void add##name##Evaluators(Evaluators &evaluators);
#include "dml/IR/Families.def"

/// Adds the evaluators of MLIR's own operations that programs use.
void addUpstreamEvaluators(Evaluators &evaluators);

} // namespace dml::reference

#endif // DML_LIB_REFERENCE_OPERATORS_EVALUATORS_H
