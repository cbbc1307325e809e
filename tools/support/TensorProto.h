//===- TensorProto.h - ONNX's files of one tensor ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_SUPPORT_TENSORPROTO_H
#define DML_TOOLS_SUPPORT_TENSORPROTO_H

#include "support/HostTensor.h"

namespace dml::tools {

/// Reads a .pb file with one tensor, as ONNX's test data have them
/// (test_data_set_0/input_0.pb). A bool is a byte of 0 or 1. Returns nothing,
/// with `error` set, if this fails.
std::optional<HostTensor> readTensorProto(const std::string &path,
                                          std::string &error);

} // namespace dml::tools

#endif // DML_TOOLS_SUPPORT_TENSORPROTO_H
