//===- ONNXRuntime.h - ONNX models as ONNX Runtime changes them -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IMPORT_ONNXRUNTIME_H
#define DML_IMPORT_ONNXRUNTIME_H

#include "dml/Import/ONNX.h"

namespace dml::onnx {

/// Imports like importModel(), and fuses operators as ONNX Runtime does for its
/// DirectML provider when its optimizations are enabled. The module lists the
/// fusions, and those that would have been possible, in `optimizedAttrName`
/// (dml/IR/Origin.h).
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importOptimizedModel(std::unique_ptr<llvm::MemoryBuffer> file,
                     mlir::MLIRContext *context,
                     const ImportOptions &options = {});

} // namespace dml::onnx

#endif // DML_IMPORT_ONNXRUNTIME_H
