//===- Rotary.h - Rotary embeddings -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//
// A rotary embedding rotates pairs of numbers by angles. There is an angle for
// each position and pair, whose cosine and sine are in tables.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_ONNX_NODES_ROTARY_H
#define DML_LIB_IMPORT_ONNX_NODES_ROTARY_H

#include "Graph/NodeImporter.h"

namespace dml::onnx {

/// The sizes of a tensor whose heads are rotated.
struct Rotation {
  int64_t batch, steps, heads, size, pairs;
  bool isInterleaved;
};

/// Fails unless the inputs `cosine` and `cosine` + 1 are tables of `rank`
/// dimensions with equal shapes.
llvm::LogicalResult verifyTables(NodeImporter &node, unsigned cosine,
                                 size_t rank);

/// Returns the rows of the table in input `index` at `positions`, which have
/// the shape {1, 1, B or 1, S}. The result has the shape {B or 1, S, 1, pairs}.
mlir::Value lookUp(NodeImporter &node, const Rotation &rotation, unsigned index,
                   mlir::Value positions);

/// Returns `input`, {B, S, heads, size}, with the first 2 * pairs elements of
/// each head rotated. The cosines and sines have the shape
/// {B or 1, S, 1, pairs}.
mlir::Value turnHeads(NodeImporter &node, const Rotation &rotation,
                      mlir::Value input, mlir::Value cosine, mlir::Value sine);

} // namespace dml::onnx

#endif // DML_LIB_IMPORT_ONNX_NODES_ROTARY_H
