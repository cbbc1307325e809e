//===- Optimizations.h - What ONNX Runtime fuses for DirectML ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_ONNXRUNTIME_OPTIMIZATIONS_H
#define DML_LIB_IMPORT_ONNX_ONNXRUNTIME_OPTIMIZATIONS_H

#include "Graph/Runtime.h"

namespace dml::onnx {

/// Fuses operators of `function` as ONNX Runtime does with all of its
/// optimizations on for its DirectML provider, as far as that changes what
/// DirectML is asked for and the importer knows how. Says what was done, that
/// of `notes` first, in the attribute `dml.optimized` of the module around
/// `function`.
void optimize(mlir::func::FuncOp function, NodeOrigins origins,
              OptimizationNotes notes);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_ONNXRUNTIME_OPTIMIZATIONS_H
