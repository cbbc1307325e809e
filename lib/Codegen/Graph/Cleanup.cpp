//===- Cleanup.cpp - Simplification between passes ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Codegen/Cleanup.h"
#include "dml/Codegen/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

std::unique_ptr<Pass> dml::createCanonicalization() {
  return createCanonicalizerPass(
      GreedyRewriteConfig().setRegionSimplificationLevel(
          GreedySimplifyRegionLevel::Disabled));
}

void dml::addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalization());
  pm.addPass(createCSEPass());
}

void dml::addGenericCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalization());
  pm.addNestedPass<func::FuncOp>(createMergeEqualOps());
}
