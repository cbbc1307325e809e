//===- Scope.h - The names within a graph of a node -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_GRAPH_SCOPE_H
#define DML_LIB_IMPORT_ONNX_GRAPH_SCOPE_H

#include "llvm/ADT/StringMap.h"
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

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_GRAPH_SCOPE_H
