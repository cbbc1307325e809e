//===- SerializedGraph.h - Graphs as functions ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_DIRECTML_SERIALIZEDGRAPH_H
#define DML_LIB_IMPORT_DIRECTML_SERIALIZEDGRAPH_H

#include "OperatorDesc.h"
#include "Support/ExternalFiles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace dml::directml {

/// What a function returns.
struct Results {
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<std::string> names;
};

/// Builds a function at the insertion point: `types` and `names` of its
/// arguments, and what `build` makes of these.
llvm::Expected<mlir::func::FuncOp> buildFunction(
    mlir::OpBuilder &builder, llvm::StringRef name, const Path &path,
    llvm::ArrayRef<mlir::Type> types, llvm::ArrayRef<std::string> names,
    llvm::function_ref<llvm::Expected<Results>(mlir::ValueRange)> build);

/// The module of the file `path`, in which `builder` builds from then on.
mlir::OwningOpRef<mlir::ModuleOp> createModule(mlir::OpBuilder &builder,
                                               llvm::StringRef path);

/// Fails with what the verifier says of `op`.
llvm::Error verifyModule(mlir::Operation *op);

/// Builds the function `name` of a serialized graph, whose weights are beside
/// `file`, and are appended to `opened`, if that is not null.
llvm::Expected<mlir::func::FuncOp>
buildGraph(mlir::OpBuilder &builder, llvm::StringRef name,
           std::shared_ptr<llvm::MemoryBuffer> file,
           reader::OpenedFiles *opened = nullptr);

} // namespace dml::directml

#endif // DML_LIB_IMPORT_DIRECTML_SERIALIZEDGRAPH_H
