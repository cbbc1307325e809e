//===- DistributeToWorkgroups.cpp - linalg to GPU launches ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/ElementMap.h"
#include "Selection/KernelKinds.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/IR/Placement.h"
#include "dml/Codegen/Passes.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace dml {
#define GEN_PASS_DEF_DISTRIBUTETOWORKGROUPS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

/// Replaces `op` by the launch of the kernel that its attribute `dml.kernel`
/// describes, or of a map kernel if there is no such attribute. Fails, with a
/// diagnostic, if the kernel cannot compute `op`.
static LogicalResult distribute(linalg::GenericOp op,
                                const DeviceProfile &profile) {
  std::optional<KernelTile> tile;
  if (Attribute attribute = op->getAttr(kernelAttrName))
    tile = getKernelTile(attribute);
  if (!tile)
    tile = MapTile();
  std::string problem = getKernelKind(*tile).build(op, *tile, profile);
  return problem.empty() ? success() : op.emitOpError(problem);
}

/// Whether `buffer` lies within a larger buffer, and is not accessed through a
/// view of the whole larger buffer (BufferViewOp::getWhole()). In a kernel, an
/// access to such a buffer is an error. The kernel binds the larger buffer, so
/// that index 0 of `buffer` would reach element 0 of the larger buffer.
static bool isPart(Value buffer) {
  std::optional<Placement> placement = getPlacement(buffer);
  if (placement && placement->strips.empty())
    return false;
  for (Operation *op = buffer.getDefiningOp(); isBufferView(op);
       op = op->getOperand(0).getDefiningOp())
    if (auto view = dyn_cast<BufferViewOp>(op); view && view.getWhole())
      return false;
  return true;
}

static Value getRootBuffer(Value buffer) {
  while (isBufferView(buffer.getDefiningOp()))
    buffer = buffer.getDefiningOp()->getOperand(0);
  return buffer;
}

/// Verifies that each thread of `launch` loads elements of the buffers
/// `outputs`, to which it also stores, only at indices at which it stores. No
/// thread then loads an element that another thread stores.
static LogicalResult
verifyOwnPlaces(gpu::LaunchOp launch,
                const llvm::SmallPtrSetImpl<Value> &outputs) {
  llvm::SmallDenseSet<std::pair<Value, Value>> places;
  launch.walk([&](memref::StoreOp store) {
    if (store.getIndices().size() == 1)
      places.insert({store.getMemRef(), store.getIndices().front()});
  });
  WalkResult result = launch.walk([&](memref::LoadOp load) {
    if (!outputs.contains(getRootBuffer(load.getMemRef())) ||
        (load.getIndices().size() == 1 &&
         places.contains({load.getMemRef(), load.getIndices().front()})))
      return WalkResult::advance();
    load.emitOpError("is of an output, at another place than a store of the "
                     "same thread");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct DistributeToWorkgroups
    : dml::impl::DistributeToWorkgroupsBase<DistributeToWorkgroups> {
  using Base::Base;

  void runOnOperation() override {
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    // `outputs` are the roots of the outputs that kernels both read and write.
    llvm::SmallPtrSet<Value, 4> outputs;
    for (linalg::GenericOp op : generics)
      if (op.hasPureBufferSemantics() && mapsElements(op) && readsOutput(op))
        outputs.insert(getRootBuffer(op.getOutputs().front()));
    for (linalg::GenericOp op : generics)
      if (failed(distribute(op, profile)))
        return signalPassFailure();
    getOperation().walk([&](gpu::LaunchOp launch) {
      if (!outputs.empty() && failed(verifyOwnPlaces(launch, outputs)))
        signalPassFailure();
    });
    getOperation().walk([&](gpu::LaunchOp launch) {
      launch.walk([&](Operation *op) {
        if (!isa<memref::LoadOp, memref::StoreOp>(op) ||
            !isPart(op->getOperand(isa<memref::LoadOp>(op) ? 0 : 1)))
          return;
        op->emitOpError("is of a part of a buffer, but a kernel wants places "
                        "in all of it");
        signalPassFailure();
      });
    });
  }
};
} // namespace
