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

/// The results of a function.
struct Results {
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<std::string> names;
};

/// Builds a function at the insertion point. `types` and `names` describe its
/// arguments, and `build` computes its results from these arguments.
llvm::Expected<mlir::func::FuncOp> buildFunction(
    mlir::OpBuilder &builder, llvm::StringRef name, const Path &path,
    llvm::ArrayRef<mlir::Type> types, llvm::ArrayRef<std::string> names,
    llvm::function_ref<llvm::Expected<Results>(mlir::ValueRange)> build);

/// Creates the module for the file `path`, and moves `builder` into the module.
mlir::OwningOpRef<mlir::ModuleOp> createModule(mlir::OpBuilder &builder,
                                               llvm::StringRef path);

/// Returns the verifier's diagnostic for `op` as an error.
llvm::Error verifyModule(mlir::Operation *op);

/// Builds the function `name` from a serialized graph. The graph's weights are
/// in files beside `file`, which are appended to `opened`, if that is not null.
llvm::Expected<mlir::func::FuncOp>
buildGraph(mlir::OpBuilder &builder, llvm::StringRef name,
           std::shared_ptr<llvm::MemoryBuffer> file,
           reader::OpenedFiles *opened = nullptr);

} // namespace dml::directml

#endif // DML_LIB_IMPORT_DIRECTML_SERIALIZEDGRAPH_H
