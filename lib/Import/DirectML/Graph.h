//===- Graph.h - Graphs of DirectML's operators -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Builds functions of graphs, wherever these were read from: a file, or the
// memory of a program.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_DIRECTML_GRAPH_H
#define DML_LIB_IMPORT_DIRECTML_GRAPH_H

#include "OperatorDesc.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <vector>

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

/// A graph of operators. The names of tensors, which differ, connect its parts.
struct Graph {
  /// An input or an output of the graph.
  struct Port {
    std::string tensor;
    /// The name of the function's argument or result.
    std::string name;
    /// The location of the input or output in the file.
    Path path;
  };
  /// An operator. Each node reads what stands before it.
  struct Node {
    /// The name of the node in messages, or "".
    std::string name;
    OperatorDesc desc;
    /// The tensors of `desc` that are there, in order.
    llvm::SmallVector<std::string> inputs, outputs;
  };
  struct Constant {
    llvm::ArrayRef<char> data;
    /// Keeps the data.
    std::shared_ptr<const void> owner;
    std::string name;
    Path path;
  };
  std::vector<Port> inputs, outputs;
  std::vector<Node> nodes;
  llvm::StringMap<Constant> constants;
};

/// Builds the function `name` at the insertion point. An input has the type
/// that its first reader states, and is bound once if its readers have the flag
/// OWNED_BY_DML.
llvm::Expected<mlir::func::FuncOp> buildFunction(mlir::OpBuilder &builder,
                                                 llvm::StringRef name,
                                                 const Graph &graph);

} // namespace dml::directml

#endif // DML_LIB_IMPORT_DIRECTML_GRAPH_H
