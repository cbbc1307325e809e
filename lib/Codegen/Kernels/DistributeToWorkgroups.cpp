//===- DistributeToWorkgroups.cpp - linalg to GPU launches ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/Attention.h"
#include "Analysis/Contraction.h"
#include "Analysis/RowReduction.h"
#include "Kernels/MapKernel.h"
#include "Kernels/MatrixKernel.h"
#include "dml/Codegen/IR/BufferOps.h"
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

namespace {
/// A generic with the kernel that it becomes.
struct Chosen {
  linalg::GenericOp op;
  /// The description of what a contraction kernel, a sliced kernel, a row
  /// kernel or an attention kernel computes. A map kernel needs none.
  std::optional<Contraction> contraction;
  std::optional<RowReduction> rowReduction;
  std::optional<Attention> attention;
  KernelChoice choice = {};
};
} // namespace

/// Reads which kernel `op` becomes. Fails, with a diagnostic, if it cannot
/// become that.
static FailureOr<Chosen> readChoice(linalg::GenericOp op,
                                    const DeviceProfile &profile) {
  Chosen chosen;
  chosen.op = op;
  std::optional<KernelChoice> choice;
  if (Attribute attribute = op->getAttr(kernelAttrName))
    choice = KernelChoice::get(attribute);
  if (choice && choice->matrixTile) {
    std::optional<Contraction> contraction = Contraction::match(op);
    MatrixSchedule schedule;
    std::string problem =
        contraction ? MatrixSchedule::get(*contraction, *choice->matrixTile,
                                          profile, schedule)
                    : "stands on no contraction";
    if (!problem.empty())
      return op.emitOpError("has a matrix_tile that ") << problem;
    chosen.choice = *choice;
    return chosen;
  }
  if (choice && (choice->tile || choice->sliceTile)) {
    chosen.contraction = Contraction::match(op);
    chosen.choice = *choice;
    std::string problem =
        !chosen.contraction ? "stands on no contraction"
        : choice->tile
            ? findTileProblem(*chosen.contraction, *choice->tile, profile)
            : findTileProblem(*chosen.contraction, *choice->sliceTile);
    if (!problem.empty())
      return op.emitOpError("has a ")
             << (choice->tile ? "contraction_tile" : "slice_tile") << " that "
             << problem;
    return chosen;
  }
  if (choice && choice->rowTile) {
    if (op.hasPureBufferSemantics())
      chosen.rowReduction = RowReduction::match(op);
    chosen.choice = *choice;
    std::string problem =
        chosen.rowReduction
            ? findRowTileProblem(*chosen.rowReduction,
                                 RowLayout::get(op, *chosen.rowReduction),
                                 *choice->rowTile)
            : "stands on no reduction of rows";
    if (!problem.empty())
      return op.emitOpError("has a row_tile that ") << problem;
    return chosen;
  }
  if (choice && choice->matrixAttentionTile) {
    std::optional<Attention> attention;
    if (op.hasPureBufferSemantics())
      attention = Attention::match(op);
    MatrixAttentionLayout layout;
    std::string problem =
        attention ? MatrixAttentionLayout::get(*attention,
                                               *choice->matrixAttentionTile,
                                               profile, layout)
                  : "stands on no products with a softmax of products";
    if (!problem.empty())
      return op.emitOpError("has a matrix_attention_tile that ") << problem;
    chosen.choice = *choice;
    return chosen;
  }
  if (choice && choice->attentionTile) {
    if (op.hasPureBufferSemantics())
      chosen.attention = Attention::match(op);
    chosen.choice = *choice;
    std::string problem =
        chosen.attention ? findTileProblem(*chosen.attention,
                                           *choice->attentionTile, profile)
                         : "stands on no products with a softmax of products";
    if (!problem.empty())
      return op.emitOpError("has an attention_tile that ") << problem;
    return chosen;
  }
  if (std::string problem = findMapProblem(op); !problem.empty())
    return op.emitOpError(problem);
  if (!choice || !choice->mapTile) {
    chosen.choice.mapTile = getPlainTile(op);
    return chosen;
  }
  chosen.choice = *choice;
  if (std::string problem = findTileProblem(op, *choice->mapTile);
      !problem.empty())
    return op.emitOpError("has a map_tile that ") << problem;
  return chosen;
}

/// Whether `buffer` is a part of a larger buffer, without being a view of all
/// of that. A kernel that loaded element 0 of a part would get element 0 of the
/// larger buffer.
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

namespace {
struct DistributeToWorkgroups
    : dml::impl::DistributeToWorkgroupsBase<DistributeToWorkgroups> {
  using Base::Base;

  void runOnOperation() override {
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    std::vector<Chosen> kernels;
    WalkResult result = getOperation().walk([&](linalg::GenericOp op) {
      FailureOr<Chosen> chosen = readChoice(op, profile);
      if (failed(chosen))
        return WalkResult::interrupt();
      kernels.push_back(*chosen);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (Chosen &kernel : kernels) {
      if (kernel.choice.matrixTile)
        buildMatrixKernel(kernel.op, *kernel.choice.matrixTile, profile);
      else if (kernel.choice.matrixAttentionTile)
        buildMatrixAttentionKernel(kernel.op,
                                   *kernel.choice.matrixAttentionTile, profile);
      else if (kernel.choice.tile)
        buildContractionKernel(kernel.op, *kernel.contraction,
                               *kernel.choice.tile);
      else if (kernel.choice.sliceTile)
        buildSlicedKernel(kernel.op, *kernel.contraction,
                          *kernel.choice.sliceTile);
      else if (kernel.choice.rowTile)
        buildRowKernel(kernel.op, *kernel.rowReduction, *kernel.choice.rowTile,
                       profile);
      else if (kernel.choice.attentionTile)
        buildAttentionKernel(kernel.op, *kernel.attention,
                             *kernel.choice.attentionTile);
      else
        buildMapKernel(kernel.op, *kernel.choice.mapTile);
    }
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
