//===- Problems.h - Nodes that cannot be imported ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_GRAPH_PROBLEMS_H
#define DML_LIB_IMPORT_ONNX_GRAPH_PROBLEMS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>

namespace dml::onnx {

/// The unsupported nodes of a graph, grouped by operator and reason.
class Problems {
public:
  void add(llvm::StringRef domain, llvm::StringRef type, llvm::StringRef name,
           llvm::StringRef reason);
  /// Counts a node that is not checked because it depends on an unsupported
  /// node.
  void addBehind() { ++numBehind; }

  bool empty() const { return problems.empty(); }
  unsigned getNumBehind() const { return numBehind; }

  /// Returns a line for each operator and reason, such as "Foo: 2 nodes, the
  /// first 'a': ...".
  llvm::SmallVector<std::string> list() const;
  /// Returns the error for a graph with `numNodes` nodes.
  std::string describe(size_t numNodes) const;

private:
  struct Problem {
    unsigned count = 0;
    std::string firstNode;
  };
  std::map<std::pair<std::string, std::string>, Problem> problems;
  unsigned numBehind = 0;
};

/// Returns the reason why an operator is not in the registry.
llvm::StringRef describeUnknown(llvm::StringRef domain, llvm::StringRef type);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_PROBLEMS_H
