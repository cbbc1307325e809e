//===- FuseAttention.cpp - Attention without its scores -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/AttentionFusion.h"
#include "Selection/AttentionTime.h"
#include "Selection/KernelKinds.h"
#include "dml/Codegen/Passes.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dml {
#define GEN_PASS_DEF_FUSEATTENTION
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
struct FuseAttention : dml::impl::FuseAttentionBase<FuseAttention> {
  using FuseAttentionBase::FuseAttentionBase;

  void runOnOperation() override {
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    KernelWishes wishes;
    if (failed(wishes.add("attention-tile", attentionTile, getOperation())))
      return signalPassFailure();
    if (attentionTile == "none")
      return;
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) {
      if (!op->hasAttr(kernelAttrName))
        generics.push_back(op);
    });
    // The generics are visited from the last to the first. The product of
    // weights and values is thus visited before the generics that compute its
    // weights and scores. If the product becomes an attention kernel, these
    // generics are fused into the kernel and erased, and the loop skips them.
    llvm::SmallPtrSet<Operation *, 8> erased;
    for (linalg::GenericOp op : llvm::reverse(generics)) {
      if (erased.contains(op))
        continue;
      AttentionFusion fusion(op, profile);
      std::optional<Attention> attention = fusion.build();
      if (!attention)
        continue;
      std::optional<KernelTile> tile = chooseKernel(
          {fusion.getFused(), profile, /*contraction=*/nullptr, &*attention},
          wishes, getTimeApart(*attention, profile));
      if (!tile)
        continue;
      for (linalg::GenericOp producer : fusion.getProducers())
        erased.insert(producer);
      fusion.apply()->setAttr(kernelAttrName,
                              getKernelAttr(*tile, &getContext()));
    }
  }
};
} // namespace
