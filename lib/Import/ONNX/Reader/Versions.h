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

/// The version of ONNX's operator set, `opset` or older, that an operator of
/// ONNX's own domain came with or last changed at; 0 where ONNX does not
/// describe it.
int64_t getOperatorVersion(llvm::StringRef name, int64_t opset);

/// Why a node of ONNX's own domain is none of version `opset` of the operator
/// set: the operator came later or went earlier, or an attribute did, or the
/// node has too many inputs or outputs. Empty where the node is one.
std::string findVersionError(const NodeProto &node, int64_t opset);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_READER_VERSIONS_H
