//===- SelectKernels.cpp - Which kernel computes what ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Selection/KernelKinds.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/Passes.h"
<<<<<<< HEAD
=======
#include "dml/Target/CostModel.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "dml/Target/MatrixCosts.h"
>>>>>>> bcddc07a6576c60065cc0fb14bf8c4ec25a6bef9
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
<<<<<<< HEAD
    FailureOr<DeviceProfile> profile =
        DeviceProfile::parse(deviceProfile, getOperation());
    KernelWishes wishes;
    if (failed(profile) ||
        failed(wishes.add("matrix-tile", matrixTile, getOperation())) ||
        failed(
            wishes.add("contraction-tile", contractionTile, getOperation())) ||
        failed(wishes.add("row-tile", rowTile, getOperation())))
      return signalPassFailure();
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->hasAttr(kernelAttrName))
        return;
      std::optional<Contraction> contraction = Contraction::match(op);
      std::optional<KernelTile> tile = chooseKernel(
          {op, *profile, contraction ? &*contraction : nullptr}, wishes);
      if (tile)
        op->setAttr(kernelAttrName, getKernelAttr(*tile, &getContext()));
=======
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    std::optional<MatrixTile> wantedMatrixTile;
    if (matrixTile != "auto" && matrixTile != "none") {
      wantedMatrixTile = parseMatrixTile(matrixTile, &getContext());
      if (!wantedMatrixTile) {
        getOperation().emitError("matrix-tile is '")
            << matrixTile
            << "', but wants to be 'auto', 'none', rows, columns and terms of "
               "a workgroup and rows and columns of its subgroups, such as "
               "'128x128x32x64x64', or a 'dml.kernel' with a matrix_tile";
        return signalPassFailure();
      }
    }
    std::optional<Wanted> wanted;
    if (contractionTile != "auto" && contractionTile != "none") {
      wanted = Wanted::parse(contractionTile, &getContext());
      if (!wanted) {
        getOperation().emitError("contraction-tile is '")
            << contractionTile
            << "', but wants to be 'auto', 'none', rows and columns that "
            << DeviceProfile::workgroupSize
            << " threads can share, such as '64x64', or a 'dml.kernel' of a "
               "contraction, such as '{contraction_tile = array<i64: 64, 64, "
               "16>, ahead}'";
        return signalPassFailure();
      }
    }
    FailureOr<std::optional<RowTile>> wantedRow = parseRowTile(rowTile);
    if (failed(wantedRow)) {
      getOperation().emitError("row-tile is '")
          << rowTile
          << "', but wants to be 'auto', 'none', or a power of two of at most "
          << DeviceProfile::workgroupSize
          << " threads and the vectors that each has, such as '32x4'";
      return signalPassFailure();
    }
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->hasAttr(kernelAttrName))
        return;
      if (Attribute choice =
              chooseContraction(op, profile, wantedMatrixTile, wanted))
        op->setAttr(kernelAttrName, choice);
      else if (Attribute choice = chooseRow(op, profile.getSpeed(), *wantedRow))
        op->setAttr(kernelAttrName, choice);
>>>>>>> bcddc07a6576c60065cc0fb14bf8c4ec25a6bef9
    });
  }
};
} // namespace
