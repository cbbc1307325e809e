//===- Section.h - Nodes that are still to be computed ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_DIVISION_SECTION_H
#define DML_LIB_IMPORT_ONNX_DIVISION_SECTION_H

#include "Graph/Scope.h"
#include "Reader/Constant.h"
#include "Reader/Functions.h"
#include "dml/Import/Division.h"
#include "llvm/ADT/StringSet.h"

namespace dml::onnx {

/// A node of a section. Its inputs and outputs have unique names; the names in
/// graphs within the node are those of the scope.
struct SectionNode {
  PlacedNode placed;
  /// The number of the node in its graph.
  unsigned number;
  ScopePointer scope;
};

/// What the names in a section refer to.
struct NameStore {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver strings{allocator};
  std::vector<std::shared_ptr<const GraphProto>> graphs;
};

/// Nodes of a graph that are still to be computed.
class Section {
public:
  /// Returns an error if graphs within a node cannot be decoded.
  static llvm::Expected<SectionPointer>
  create(std::vector<SectionNode> nodes, std::vector<std::string> outputs,
         llvm::StringMap<const TensorProto *> initializers,
         std::vector<std::shared_ptr<const NameStore>> stores);

  std::vector<SectionNode> nodes;
  /// The tensors that something else reads.
  std::vector<std::string> outputs;
  /// The initializers that the nodes may read.
  llvm::StringMap<const TensorProto *> initializers;
  std::vector<std::shared_ptr<const NameStore>> stores;
  /// A digest of the nodes and the outputs. Unique names tell nodes apart, so
  /// that equal sections have equal keys, however they were cut.
  std::string key;
  /// The names that the nodes, graphs within the nodes and the outputs read.
  llvm::StringSet<> read;
  /// Those of them that the section does not define, sorted.
  std::vector<std::string> readNames;
};

/// Return the same tensor in the other form.
Constant toConstant(const PresentTensor &tensor);
PresentTensor toPresent(const Constant &constant, bool isBool);

/// Hashes texts, each with its length.
class KeyMaker {
public:
  KeyMaker &add(llvm::StringRef text);
  /// Adds the type, the shape and the place of a tensor, and the elements of a
  /// constant.
  KeyMaker &add(llvm::StringRef name, const PresentTensor &tensor);
  std::string finish() const;

private:
  std::string text;
};

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_DIVISION_SECTION_H
