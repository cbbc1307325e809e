//===- Versions.h - The versions of ONNX's operators ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_READER_VERSIONS_H
#define DML_LIB_IMPORT_ONNX_READER_VERSIONS_H

#include "Reader/Model.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace dml::onnx {

/// Returns the newest version of ONNX's operator set, up to `opset`, in which
/// an operator of ONNX's own domain was added or changed. Returns 0 if ONNX
/// does not specify the operator.
int64_t getOperatorVersion(llvm::StringRef name, int64_t opset);

/// Returns the reason why a node of ONNX's own domain is invalid in version
/// `opset` of the operator set: the operator or an attribute was added later or
/// removed earlier, or the node has too many inputs or outputs. Returns an
/// empty text if the node is valid.
std::string findVersionError(const NodeProto &node, int64_t opset);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_READER_VERSIONS_H
