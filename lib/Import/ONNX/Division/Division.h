//===- Division.h - Dividing a model ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_DIVISION_DIVISION_H
#define DML_LIB_IMPORT_ONNX_DIVISION_DIVISION_H

#include "Division/Cutter.h"

namespace dml::onnx {

/// Divides `model`. `own` is the structure that `model` refers to, if no other
/// object owns it.
llvm::Expected<std::unique_ptr<Division>>
makeDivision(std::unique_ptr<ModelProto> own, const DividedModel &model,
             const ImportOptions &options);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_DIVISION_DIVISION_H
