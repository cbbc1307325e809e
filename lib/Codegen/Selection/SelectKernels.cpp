//===- SelectKernels.cpp - The choice of a kernel for each generic --------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Selection/KernelKinds.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/Passes.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace dml {
#define GEN_PASS_DEF_SELECTKERNELS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

namespace {
struct SelectKernels : dml::impl::SelectKernelsBase<SelectKernels> {
  using SelectKernelsBase::SelectKernelsBase;

  void runOnOperation() override {
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    KernelWishes wishes;
    if (failed(wishes.add("matrix-tile", matrixTile, getOperation())) ||
        failed(
            wishes.add("contraction-tile", contractionTile, getOperation())) ||
        failed(wishes.add("row-tile", rowTile, getOperation())))
      return signalPassFailure();
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->hasAttr(kernelAttrName))
        return;
      std::optional<Contraction> contraction = Contraction::match(op);
      std::optional<KernelTile> tile = chooseKernel(
          {op, profile, contraction ? &*contraction : nullptr}, wishes);
      if (tile)
        op->setAttr(kernelAttrName, getKernelAttr(*tile, &getContext()));
    });
  }
};
} // namespace
