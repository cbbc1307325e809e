//===- Dump.h - A partition as an ONNX model --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_DUMP_H
#define DML_LIB_PROVIDER_DUMP_H

#include "Model.h"

namespace dml::provider {

/// Returns a part of a graph as the bytes of an ONNX model. Weights of more
/// than `mostBytes` bytes are inputs of the model.
std::string encodePart(const Graph &graph, const Part &part,
                       uint64_t mostBytes);

/// Returns the elements of a weight. Throws a Failure if a file cannot be read.
std::string readElements(const WeightPlace &weight);

/// Writes a part of a graph, with its weights, as an ONNX model to the file
/// `path`, which dml's tools read. Throws a Failure if the file cannot be
/// written, or if the weights have more bytes than an ONNX file may have.
void dumpPart(const Graph &graph, const Part &part, const std::string &path);

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_DUMP_H
