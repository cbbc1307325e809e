//===- ONNXRuntime.h - ONNX models as ONNX Runtime changes them -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IMPORT_ONNXRUNTIME_H
#define DML_IMPORT_ONNXRUNTIME_H

#include "dml/Import/ONNX.h"

namespace dml::onnx {

/// As importModel, with operators fused as ONNX Runtime does for its DirectML
/// provider when its optimizations are on. What was fused, and what could have
/// been, the module says in `optimizedAttrName` (dml/IR/Origin.h).
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importOptimizedModel(std::unique_ptr<llvm::MemoryBuffer> file,
                     mlir::MLIRContext *context,
                     const ImportOptions &options = {});

} // namespace dml::onnx

#endif // DML_IMPORT_ONNXRUNTIME_H
