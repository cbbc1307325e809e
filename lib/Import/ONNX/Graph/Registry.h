//===- Registry.h - The operators of ONNX that are known --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//
// Each row of the registry contains an import function for one ONNX operator.
// The function reads a node through a NodeImporter, builds dml operators, and
// sets the outputs of the node.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_GRAPH_REGISTRY_H
#define DML_LIB_IMPORT_ONNX_GRAPH_REGISTRY_H

#include "Graph/NodeImporter.h"
#include <functional>
#include <map>

namespace dml::onnx {

using ImportFunction = std::function<llvm::LogicalResult(NodeImporter &)>;

struct Operator {
  /// The DirectML operators to which a node is converted, for the
  /// documentation.
  std::string becomes;
  ImportFunction import;
};

/// Operators by domain and name. The domain of ONNX's own operators is "".
class Registry {
public:
  void add(llvm::StringRef name, llvm::StringRef becomes, ImportFunction import,
           llvm::StringRef domain = "") {
    operators[{domain.str(), name.str()}] = {becomes.str(), std::move(import)};
  }
  const Operator *find(llvm::StringRef domain, llvm::StringRef name) const {
    auto found = operators.find({domain.str(), name.str()});
    return found == operators.end() ? nullptr : &found->second;
  }
  const std::map<std::pair<std::string, std::string>, Operator> &
  getAll() const {
    return operators;
  }

private:
  std::map<std::pair<std::string, std::string>, Operator> operators;
};

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_REGISTRY_H
