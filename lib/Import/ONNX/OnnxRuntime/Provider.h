//===- Provider.h - What ONNX Runtime does not take -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_ONNXRUNTIME_PROVIDER_H
#define DML_LIB_IMPORT_ONNX_ONNXRUNTIME_PROVIDER_H

#include "Reader/NodeReader.h"

namespace dml::onnx {

/// Returns the reason why ONNX Runtime's DirectML provider does not accept
/// `node`, of the domain `domain`. Returns "" if it does, as far as the
/// importer knows.
llvm::StringRef findWhyNotTaken(llvm::StringRef domain, const NodeReader &node);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_ONNXRUNTIME_PROVIDER_H
