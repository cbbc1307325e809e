//===- CrosswiseKernel.h - Kernels that read down columns -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A crosswise kernel is a map kernel for a body whose loads run along a
// dimension other than the innermost one, as in a transpose. If neighbouring
// threads computed neighbouring elements of a row, they would load elements
// that are far apart, and memory would transfer a whole cache line for each of
// them. Instead, the threads compute vectors along the columns of a tile, so
// that neighbouring threads load neighbouring elements. The workgroup
// transposes the tile in workgroup memory, and then stores rows.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_CROSSWISEKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_CROSSWISEKERNEL_H

#include "dml/IR/KernelAttr.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dml {

/// The output of a crosswise kernel as a batch of matrices. The columns of a
/// matrix are the innermost dimension of size greater than 1. The rows are the
/// dimensions from 0 to `rowDim`. The dimensions between the rows and the
/// columns are the batch.
///
/// For example, if an output of 8x56x56x64 elements is read along dimension 2,
/// it has the 64 columns of dimension 3 and the 25,088 rows of dimensions 0 to
/// 2. If the output is read along dimension 1, it has 448 rows and a batch of
/// 56.
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

/// Returns the reason why no kernel with the crosswise tile `tile` can compute
/// `op`, or an empty text if there is such a kernel.
std::string findCrosswiseProblem(mlir::linalg::GenericOp op,
                                 const MapTile &tile);

/// Replaces `op` by the launch of a kernel with the crosswise tile `tile`.
void buildCrosswiseKernel(mlir::linalg::GenericOp op, const MapTile &tile);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_CROSSWISEKERNEL_H
