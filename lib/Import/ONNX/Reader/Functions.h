//===- Functions.h - Functions of a model in place of calls -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_READER_FUNCTIONS_H
#define DML_LIB_IMPORT_ONNX_READER_FUNCTIONS_H

#include "Reader/Model.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"
#include <map>
#include <tuple>

namespace dml::onnx {

/// Versions of operator sets by domain.
using OperatorSets = llvm::StringMap<int64_t>;

/// ONNX's own domain has two names.
inline llvm::StringRef normalizeDomain(llvm::StringRef domain) {
  return domain == "ai.onnx" ? "" : domain;
}

/// The domain of ONNX Runtime's own operators.
inline constexpr llvm::StringLiteral contribDomain = "com.microsoft";

/// A node with the operator sets that it is of.
struct PlacedNode {
  NodeProto node;
  const OperatorSets *sets;
  /// The optimization of ONNX Runtime that made it of others, or "".
  llvm::StringRef fusion;
};

/// The nodes of a graph, with those of functions in place of the nodes that
/// call them.
class FunctionExpander {
public:
  explicit FunctionExpander(const ModelProto &model);

  /// Fails where functions call themselves, or come to more nodes than
  /// maxExpanded.
  llvm::Error run();
  llvm::ArrayRef<PlacedNode> getNodes() const { return nodes; }
  /// The same, to fuse some, with what keeps the names of others.
  std::vector<PlacedNode> &getMutableNodes() { return nodes; }
  llvm::StringSaver &getStrings() { return strings; }
  /// The operator sets of the model, and those of its functions.
  llvm::ArrayRef<OperatorSets> getSets() const { return sets; }

private:
  struct Scope;
  llvm::Error expand(llvm::ArrayRef<NodeProto> from, const OperatorSets &of,
                     Scope *scope);
  llvm::Error call(const NodeProto &node, size_t function, Scope *scope);

  /// A bound of what functions come to, in nodes and in the numbers of their
  /// attributes: calls of calls grow as powers do.
  static constexpr size_t maxExpanded = 1 << 18;
  static constexpr unsigned maxDepth = 64;

  const ModelProto &model;
  std::vector<OperatorSets> sets;
  std::map<std::tuple<llvm::StringRef, llvm::StringRef, llvm::StringRef>,
           size_t>
      functions;
  std::vector<PlacedNode> nodes;
  /// What the model states in two ways, or "".
  std::string contradiction;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver strings{allocator};
  size_t expanded = 0, calls = 0;
};

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_READER_FUNCTIONS_H
