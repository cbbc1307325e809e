//===- Tuning.h - Kernels from which a tuner chooses ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A dispatch is a function with one linalg.generic on buffers, as the pass
// dml-outline-dispatches makes it. A tuner measures the kernels that are
// proposed for a dispatch, and writes a table of the fastest ones, which the
// pass dml-apply-tuning reads (dml/Target/TuningTable.h).
//
//===----------------------------------------------------------------------===//

#ifndef DML_CODEGEN_TUNING_H
#define DML_CODEGEN_TUNING_H

#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>
#include <string>

namespace dml {

/// Returns the generic of `function`, or null if `function` is no dispatch.
mlir::linalg::GenericOp getGenericOfDispatch(mlir::func::FuncOp function);

/// Returns the key of a dispatch in tables of kernels, 32 hexadecimal digits:
/// two dispatches have one key if they have the same operations, attributes,
/// types and constants. Names, labels and locations do not count.
std::string getDispatchKey(mlir::func::FuncOp dispatch);

/// The values of the compiler's options that choose between kernels.
struct KernelOptions {
  std::string matrixTile = "auto", contractionTile = "auto", rowTile = "auto",
              attentionTile = "auto";
};

/// Returns the values of `dml.kernel` that are proposed for a dispatch, at most
/// `most` of them. The kernel that the compiler chooses comes first. Then come
/// the best kernel of each other kind, and the best kernel of each shape of a
/// tile. All other kernels follow in the order of their estimated times.
/// Returns nothing if the generic has no choice.
llvm::SmallVector<mlir::Attribute> proposeKernels(mlir::func::FuncOp dispatch,
                                                  const DeviceProfile &profile,
                                                  const KernelOptions &options,
                                                  size_t most);

} // namespace dml

#endif // DML_CODEGEN_TUNING_H
