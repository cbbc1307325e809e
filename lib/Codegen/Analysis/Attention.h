//===- Attention.h - Products with a softmax of products --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_ANALYSIS_ATTENTION_H
#define DML_LIB_CODEGEN_ANALYSIS_ATTENTION_H

#include "Analysis/Contraction.h"

namespace dml {

/// A linalg.generic, on buffers or tensors, whose body adds up the products of
/// values with the softmax of scores. The scores are sums of products, too:
///
///   largest = the maximum of score(query, key), over all keys,
///   total   = the sum of exp(score(query, key) - largest), over all keys,
///   output  = the sum of exp(score(query, key) - largest) / total *
///             value(key, column), over all keys,
///
/// in three loops over the keys. The output has a row for each query. Where a
/// query sees only some of the keys, the loops ignore the other keys.
///
/// Attention is recognized by these loops and not by the name of an operator.
/// Any operations may compute the score from the sum of products, such as a
/// scale, a mask and a bias.
struct Attention {
  /// The number of iterations of each of the three loops.
  int64_t keys = 0;
  /// The induction variables of two of the three loops over keys. `key` is that
  /// of the loop that adds up the exponentials of scores, and is used by the
  /// operations in `scoreSlice` and `isSeenSlice`. `keyOfValue` is that of the
  /// loop that adds up the products of weights and values, and is used by the
  /// operations that compute values.
  mlir::Value key, keyOfValue;

  /// The sums of products from which scores are computed. The rows are queries.
  /// The columns are keys, which are not a dimension of the output.
  Contraction scores;
  /// The sum of products of a query and a key, the score that is computed from
  /// this sum, and the operations that compute the score from the sum. All
  /// three loops over keys compute the same scores. The values and operations
  /// listed are those of the loop that adds up the exponentials of scores.
  mlir::Value sum, score;
  llvm::SmallVector<mlir::Operation *> scoreSlice;
  /// The condition that the query sees the key, and the operations that compute
  /// the condition. The condition is null if each query sees all keys. match()
  /// accepts only conditions that hold for key 0, such as `key <= query`, so
  /// that no softmax is over an empty set of keys.
  mlir::Value isSeen;
  llvm::SmallVector<mlir::Operation *> isSeenSlice;
  /// Whether a kernel may round weights to f16 before it multiplies them with
  /// values, as cooperative matrices of f16 require. The lowering of the
  /// operator permits this if the values are f16 (roundableAttrName).
  bool isRoundable = false;
  /// Whether the body itself rounds weights to f16: it multiplies values with
  /// the rounded quotients of exponentials and their sum. A kernel must then
  /// know the sum over all keys before it multiplies the first value.
  bool isRounded = false;

  /// The number of neighbouring heads of queries that read the same keys and
  /// values (grouped-query attention): 4 if 32 heads of queries share 8 heads
  /// of keys.
  int64_t sharingHeads = 1;

  /// The sums of weights times values. The rows are queries, and the columns
  /// are the columns of the values. The factors of the rows are the weights.
  /// The operations that compute the weights are not listed here, since they
  /// are found from the scores.
  Contraction products;

  /// Matches `op` as attention. Returns nothing if `op` computes anything else.
  static std::optional<Attention> match(mlir::linalg::GenericOp op);
};

} // namespace dml

#endif // DML_LIB_CODEGEN_ANALYSIS_ATTENTION_H
