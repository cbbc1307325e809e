//===- CrosswiseKernel.h - Kernels that read down columns -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A map kernel that reads its input along another dimension of the output than
// the innermost one, as a transpose does. A group of threads that computed
// neighbours of a row would read elements that lie far apart, of which memory
// brings whole lines. In a crosswise kernel the threads of a workgroup compute
// vectors down the columns of a tile instead, so that they read what lies side
// by side, and the workgroup turns the tile in its memory before it stores
// rows.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_CROSSWISEKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_CROSSWISEKERNEL_H

#include "dml/IR/KernelAttr.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dml {

/// The output as rows and columns. The columns are the innermost dimension of
/// several elements; the rows are the dimensions up to one that is chosen, and
/// what lies between the two is the batch.
///
/// An example: of an output of 8x56x56x64 elements that is read along dimension
/// 2, the 64 columns are dimension 3, and 25088 rows the others. Read along
/// dimension 1, it has 448 rows, and a batch of 56.
struct CrosswiseShape {
  CrosswiseShape(mlir::linalg::GenericOp op, int64_t rowDim)
      : type(mlir::cast<mlir::MemRefType>(op.getOutputs().front().getType())),
        rowDim(rowDim), columnDim(getColumnDim(type)) {
    numColumns = type.getDimSize(columnDim);
    for (int64_t dim = 0; dim < columnDim; ++dim)
      (dim <= rowDim ? numRows : numBatches) *= type.getDimSize(dim);
  }
  static int64_t getColumnDim(mlir::MemRefType type) {
    int64_t dim = type.getRank() - 1;
    while (dim > 0 && type.getDimSize(dim) == 1)
      --dim;
    return dim;
  }

  mlir::MemRefType type;
  int64_t rowDim, columnDim;
  int64_t numRows = 1, numBatches = 1, numColumns;
};

/// Says why `tile`, which is crosswise, cannot be the tile of `op`, or nothing
/// if it can.
std::string findCrosswiseProblem(mlir::linalg::GenericOp op,
                                 const MapTile &tile);

/// Replaces `op` by the launch that computes it with `tile`.
void buildCrosswiseKernel(mlir::linalg::GenericOp op, const MapTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_CROSSWISEKERNEL_H
