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

/// The versions of operator sets, by domain.
using OperatorSets = llvm::StringMap<int64_t>;

/// Returns the canonical name of a domain, since ONNX's own domain has two
/// names.
inline llvm::StringRef normalizeDomain(llvm::StringRef domain) {
  return domain == "ai.onnx" ? "" : domain;
}

/// The domain of ONNX Runtime's own operators.
inline constexpr llvm::StringLiteral contribDomain = "com.microsoft";
/// The domain of the nodes into which ONNX Runtime's DirectML provider fuses
/// others.
inline constexpr llvm::StringLiteral fusedDomain = "com.microsoft.dml";

/// A node with the operator sets to which it belongs.
struct PlacedNode {
  NodeProto node;
  const OperatorSets *sets;
  /// The optimization of ONNX Runtime that created the node, or "".
  llvm::StringRef fusion;

  /// Makes a node of `type` with one output that does a part of the work of the
  /// node `name`, whose name it has. The attribute "axis" is `axis`, if that is
  /// given.
  static PlacedNode makePart(llvm::StringRef name, const OperatorSets &sets,
                             llvm::StringRef type,
                             llvm::ArrayRef<llvm::StringRef> inputs,
                             llvm::StringRef output,
                             std::optional<int64_t> axis);
};

/// The nodes of a graph, in which calls of functions are replaced by the nodes
/// of the functions.
class FunctionExpander {
public:
  explicit FunctionExpander(const ModelProto &model);

  /// Expands the functions. Returns an error if functions are recursive, or if
  /// the expansion exceeds maxExpanded.
  llvm::Error run();
  llvm::ArrayRef<PlacedNode> getNodes() const { return nodes; }
  /// Returns the nodes for modification, and the owner of their names.
  std::vector<PlacedNode> &getMutableNodes() { return nodes; }
  llvm::StringSaver &getStrings() { return strings; }
  /// Returns the operator sets of the model and of its functions.
  llvm::ArrayRef<OperatorSets> getSets() const { return sets; }

private:
  struct Scope;
  llvm::Error expand(llvm::ArrayRef<NodeProto> from, const OperatorSets &of,
                     Scope *scope);
  llvm::Error call(const NodeProto &node, size_t function, Scope *scope);

  /// The limit on the size of the expansion, in nodes and in numbers in their
  /// attributes. Without it, nested calls could grow exponentially.
  static constexpr size_t maxExpanded = 1 << 18;
  static constexpr unsigned maxDepth = 64;

  const ModelProto &model;
  std::vector<OperatorSets> sets;
  std::map<std::tuple<llvm::StringRef, llvm::StringRef, llvm::StringRef>,
           size_t>
      functions;
  std::vector<PlacedNode> nodes;
  /// A contradiction in the model, or "".
  std::string contradiction;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver strings{allocator};
  size_t expanded = 0, calls = 0;
};

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_READER_FUNCTIONS_H
