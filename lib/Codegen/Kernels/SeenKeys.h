//===- SeenKeys.h - The keys that a query sees ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_SEENKEYS_H
#define DML_LIB_CODEGEN_KERNELS_SEENKEYS_H

#include "Analysis/Attention.h"
#include "Emit/TileBuilder.h"

namespace dml {

/// Builds the index of the last key that the query at `coordinates` sees. The
/// query sees all keys up to this one. `attention.isSeen` must not be null: the
/// condition compares a key with this index. `builder` must be new.
mlir::Value buildLastSeen(mlir::ImplicitLocOpBuilder &b, TileBuilder &builder,
                          const Attention &attention,
                          const llvm::SmallVector<LinearForm> &coordinates);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_SEENKEYS_H
