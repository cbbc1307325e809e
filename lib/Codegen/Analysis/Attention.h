//===- Attention.h - Products with a softmax of products --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_ANALYSIS_ATTENTION_H
#define DML_LIB_CODEGEN_ANALYSIS_ATTENTION_H

#include "Analysis/Contraction.h"

namespace dml {

/// A linalg.generic, on buffers or tensors, whose body adds up products of
/// values with the softmax of scores, which are sums of products themselves:
///
///   largest = the maximum of score(query, key), over all keys,
///   total   = the sum of exp(score(query, key) - largest), over all keys,
///   output  = the sum of exp(score(query, key) - largest) / total *
///             value(key, column), over all keys,
///
/// in three loops over the keys. The rows of the output are those of queries.
/// Where a query sees some of the keys alone, the others take part in none of
/// the loops.
///
/// That is what the loops say, whatever operators they were made of: a score is
/// whatever the body makes of a sum of products, with scales, masks and biases.
struct Attention {
  /// How often each of the three loops runs.
  int64_t keys = 0;
  /// The key that iterations of the second loop have, of which scores are read,
  /// and that iterations of the third have, of which values are.
  mlir::Value key, keyOfValue;

  /// The sums that scores are made of. Rows are queries, and columns are keys,
  /// which are no dimension of the output.
  Contraction scores;
  /// Such a sum, what is made of it, and the operations that make it.
  mlir::Value sum, score;
  llvm::SmallVector<mlir::Operation *> scoreSlice;
  /// Whether the query sees the key, and the operations that tell; null where
  /// all keys are seen. The first key always is.
  mlir::Value isSeen;
  llvm::SmallVector<mlir::Operation *> isSeenSlice;
  /// Whether weights may be rounded to f16 before they are multiplied.
  bool isRoundable = false;

  /// The sums of the third loop. Rows are queries, and columns are those of
  /// values: the only factor that has operations is that of the columns.
  Contraction products;

  /// Nothing if `op` is none.
  static std::optional<Attention> match(mlir::linalg::GenericOp op);
};

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_ATTENTION_H
