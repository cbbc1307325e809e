//===- StructuralHash.cpp - Hashes of operations and regions --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/StructuralHash.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

llvm::hash_code dml::hashWithRegions(Operation *op, ValueNumbers &numbers) {
  auto hashOperand = [&](Value value) {
    auto found = numbers.find(value);
    return found == numbers.end() ? hash_value(value)
                                  : llvm::hash_value(found->second);
  };
  auto define = [&](ValueRange values) {
    for (Value value : values)
      numbers.try_emplace(value, numbers.size());
  };
  llvm::hash_code hash = OperationEquivalence::computeHash(
      op, hashOperand, OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      define(block.getArguments());
      for (Operation &nested : block)
        hash = llvm::hash_combine(hash, hashWithRegions(&nested, numbers));
    }
  define(op->getResults());
  return hash;
}
