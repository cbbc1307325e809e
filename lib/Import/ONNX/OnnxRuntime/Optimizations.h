//===- Optimizations.h - What ONNX Runtime fuses for DirectML ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_ONNXRUNTIME_OPTIMIZATIONS_H
#define DML_LIB_IMPORT_ONNX_ONNXRUNTIME_OPTIMIZATIONS_H

#include "Graph/Runtime.h"

namespace dml::onnx {

/// Fuses operators of `function` as ONNX Runtime does for its DirectML provider
/// with all optimizations enabled, as far as the fusions affect the calls of
/// DirectML and the importer implements them. Lists the applied optimizations,
/// beginning with those in `notes`, in the attribute `dml.optimized` of the
/// module that contains `function`.
void optimize(mlir::func::FuncOp function, NodeOrigins origins,
              OptimizationNotes notes);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_ONNXRUNTIME_OPTIMIZATIONS_H
