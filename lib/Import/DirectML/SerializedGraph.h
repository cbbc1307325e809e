//===- SerializedGraph.h - Graphs as functions ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_DIRECTML_SERIALIZEDGRAPH_H
#define DML_LIB_IMPORT_DIRECTML_SERIALIZEDGRAPH_H

#include "Graph.h"
#include "Support/ExternalFiles.h"
#include "llvm/Support/MemoryBuffer.h"

namespace dml::directml {

/// Builds the function `name` from a serialized graph. The graph's weights are
/// in files beside `file`, which are appended to `opened`, if that is not null.
llvm::Expected<mlir::func::FuncOp>
buildGraph(mlir::OpBuilder &builder, llvm::StringRef name,
           std::shared_ptr<llvm::MemoryBuffer> file,
           reader::OpenedFiles *opened = nullptr);

} // namespace dml::directml

#endif // DML_LIB_IMPORT_DIRECTML_SERIALIZEDGRAPH_H
