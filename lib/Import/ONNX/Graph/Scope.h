//===- Scope.h - The names within a graph of a node -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_GRAPH_SCOPE_H
#define DML_LIB_IMPORT_ONNX_GRAPH_SCOPE_H

#include "Reader/Model.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <memory>

namespace dml::onnx {

/// The names that a graph within a node defines, with their unique names among
/// all tensors, since two branches may use one name for different tensors.
struct Scope {
  std::shared_ptr<const Scope> outer;
  unsigned depth;
  std::string prefix;
  llvm::StringMap<llvm::StringRef> names;
};
using ScopePointer = std::shared_ptr<const Scope>;

/// Returns the unique name for `name`, as read within `scope`, which may be
/// null.
llvm::StringRef resolve(const Scope *scope, llvm::StringRef name);

/// Adds the names that a node reads, and those that graphs within the node
/// read, to `names`.
llvm::Error collectReads(const NodeProto &node, const Scope *scope,
                         llvm::StringSet<> &names);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_SCOPE_H
