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

  /// Notes that a session can run a node that was added.
  void noteSession() { ++numForSession; }
  /// Whether there are such nodes, and no others.
  bool isForSession() const {
    return numForSession != 0 && numForSession == countNodes();
  }

  bool empty() const { return problems.empty(); }
  unsigned getNumBehind() const { return numBehind; }

  /// Returns a line for each operator and reason, such as "Foo: 2 nodes, the
  /// first 'a': ...".
  llvm::SmallVector<std::string> list() const;
  /// What a user can do about nodes that a session runs.
  static constexpr llvm::StringLiteral sessionNote =
      "a session (dml/session.h, python3 -m dml) runs such a model as several "
      "programs";
  /// Returns the error for a graph with `numNodes` nodes.
  std::string describe(size_t numNodes) const;

private:
  unsigned countNodes() const;

  struct Problem {
    unsigned count = 0;
    std::string firstNode;
  };
  std::map<std::pair<std::string, std::string>, Problem> problems;
  unsigned numBehind = 0, numForSession = 0;
};

/// Whether a node repeats a graph: ONNX's Loop and Scan.
bool isLoop(llvm::StringRef domain, llvm::StringRef type);
/// Whether the size of a node's result depends on the elements of its inputs,
/// so that only a host can compute the node.
bool isRunByHost(llvm::StringRef domain, llvm::StringRef type);

/// Returns the reason why an operator is not in the registry.
llvm::StringRef describeUnknown(llvm::StringRef domain, llvm::StringRef type);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_PROBLEMS_H
