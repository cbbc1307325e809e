//===- EqualOperators.cpp - Operators that are lowered together -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "EqualOperators.h"
#include "LoweringUtils.h"
#include "dml/IR/DML.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dml;

/// The smallest number of equal operators for which a function is created.
/// (Fewer cost little, and a small module is easier to read in its original
/// form.)
static constexpr size_t minEqualOps = 4;

/// Returns the number of the first operand that is the same tensor as operand
/// `index`.
static size_t findFirst(Operation *op, size_t index) {
  return std::distance(op->operand_begin(),
                       llvm::find(op->getOperands(), op->getOperand(index)));
}

namespace {
/// Compares operators by everything except their operand tensors.
struct EqualOpInfo : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(Operation *op) {
    llvm::hash_code hash = llvm::hash_combine(
        op->getName(), op->getDiscardableAttrDictionary(), op->hashProperties(),
        llvm::hash_combine_range(op->getResultTypes()),
        llvm::hash_combine_range(op->getOperandTypes()));
    for (size_t i = 0, e = op->getNumOperands(); i != e; ++i)
      hash = llvm::hash_combine(hash, findFirst(op, i));
    return hash;
  }

  static bool isEqual(Operation *lhs, Operation *rhs) {
    if (lhs == rhs)
      return true;
    auto isNone = [](Operation *op) {
      return op == getEmptyKey() || op == getTombstoneKey();
    };
    if (isNone(lhs) || isNone(rhs) || lhs->getName() != rhs->getName() ||
        lhs->getDiscardableAttrDictionary() !=
            rhs->getDiscardableAttrDictionary() ||
        lhs->getResultTypes() != rhs->getResultTypes() ||
        !llvm::equal(lhs->getOperandTypes(), rhs->getOperandTypes()) ||
        !lhs->getName().compareOpProperties(lhs->getPropertiesStorage(),
                                            rhs->getPropertiesStorage()))
      return false;
    for (size_t i = 0, e = lhs->getNumOperands(); i != e; ++i)
      if (findFirst(lhs, i) != findFirst(rhs, i))
        return false;
    return true;
  }
};
} // namespace

/// Whether the lowering of `op` does not depend on its context. If an operator
/// reads a constant with equal elements, its lowering depends on the constant,
/// which simplifies the kernel.
static bool isSelfContained(Operation *op) {
  return isa_and_nonnull<DMLDialect>(op->getDialect()) &&
         op->getNumRegions() == 0 && op->getNumSuccessors() == 0 &&
         llvm::none_of(op->getOperands(), isSplat);
}

/// Creates a function that applies `op` to its arguments.
static func::FuncOp outline(Operation *op) {
  llvm::SmallSetVector<Value, 4> inputs(op->operand_begin(), op->operand_end());
  OpBuilder builder(op->getContext());
  auto function = func::FuncOp::create(
      builder, op->getLoc(), "lowering",
      builder.getFunctionType(TypeRange(ValueRange(inputs.getArrayRef())),
                              op->getResultTypes()));
  function.setPrivate();
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  IRMapping mapping;
  mapping.map(inputs.getArrayRef(), body->getArguments());
  Operation *clone = builder.clone(*op, mapping);
  func::ReturnOp::create(builder, op->getLoc(), clone->getResults());
  return function;
}

void EqualOperators::outline() {
  llvm::MapVector<Operation *, SmallVector<Operation *, 1>,
                  llvm::DenseMap<Operation *, unsigned, EqualOpInfo>>
      kinds;
  module.walk([&](Operation *op) {
    if (isSelfContained(op))
      kinds[op].push_back(op);
  });
  SymbolTable symbols(module);
  for (auto &[first, ops] : kinds) {
    if (ops.size() < minEqualOps)
      continue;
    func::FuncOp function = ::outline(first);
    symbols.insert(function);
    functions.push_back(function);
    for (Operation *op : ops) {
      llvm::SmallSetVector<Value, 4> inputs(op->operand_begin(),
                                            op->operand_end());
      OpBuilder builder(op);
      auto call = func::CallOp::create(builder, op->getLoc(), function,
                                       inputs.getArrayRef());
      op->replaceAllUsesWith(call);
      op->erase();
    }
  }
}

void EqualOperators::inlineAll() {
  SymbolTable symbols(module);
  llvm::SmallPtrSet<Operation *, 16> inlined(functions.begin(),
                                             functions.end());
  for (auto caller : llvm::to_vector(module.getOps<func::FuncOp>())) {
    if (inlined.contains(caller) || caller.isExternal())
      continue;
    // Each constant is created only once, in front of all its readers.
    Block &entry = caller.getBody().front();
    llvm::DenseMap<Attribute, Value> known;
    caller.walk([&](func::CallOp call) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!inlined.contains(callee))
        return;
      OpBuilder builder(call);
      IRMapping mapping;
      mapping.map(callee.getArguments(), call.getOperands());
      Block &body = callee.getBody().front();
      for (Operation &op : body.without_terminator()) {
        if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
          Value &value = known[constant.getValue()];
          if (!value)
            value = OpBuilder::atBlockBegin(&entry).clone(op)->getResult(0);
          mapping.map(constant.getResult(), value);
          continue;
        }
        builder.clone(op, mapping)->walk([&](Operation *nested) {
          nested->setLoc(call.getLoc());
        });
      }
      for (auto [result, returned] : llvm::zip_equal(
               call.getResults(), body.getTerminator()->getOperands()))
        result.replaceAllUsesWith(mapping.lookupOrDefault(returned));
      call.erase();
    });
  }
  for (func::FuncOp function : functions)
    symbols.erase(function);
  functions.clear();
}
