//===- LoopResults.cpp - The results of loops in SPIR-V -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SPIRV/LoopResults.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dml;

/// Whether `store` is the only operation in `loop` that accesses its variable,
/// and no other operation stores to the variable.
static bool isOnlyStore(spirv::StoreOp store, spirv::LoopOp loop) {
  auto variable = store.getPtr().getDefiningOp<spirv::VariableOp>();
  return variable && !loop->isAncestor(variable) &&
         llvm::all_of(variable->getUsers(), [&](Operation *user) {
           return user == store ||
                  (isa<spirv::LoadOp>(user) && !loop->isAncestor(user));
         });
}

/// Moves the stores of results in `loop`.
static void storeResultsAtBeginning(spirv::LoopOp loop) {
  Block *header = loop.getHeaderBlock(), *last = loop.getContinueBlock();
  auto next = dyn_cast<spirv::BranchOp>(last->getTerminator());
  if (!next || next.getTarget() != header)
    return;
  // The stores have the order of the values that the loop carries.
  OperandRange carried = next.getTargetOperands();
  size_t number = 0;
  for (auto store :
       llvm::make_early_inc_range(last->getOps<spirv::StoreOp>())) {
    if (!isOnlyStore(store, loop))
      continue;
    auto rest = carried.drop_front(number);
    auto found = llvm::find(rest, store.getValue());
    if (found == rest.end())
      continue;
    number += std::distance(rest.begin(), found);
    store->setOperand(1, header->getArgument(number));
    store->moveBefore(header, header->begin());
    ++number;
  }
}

void dml::storeResultsAtBeginning(spirv::ModuleOp module) {
  module.walk([](spirv::LoopOp loop) { ::storeResultsAtBeginning(loop); });
}
