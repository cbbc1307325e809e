//===- SplitAttentionKernel.h - Keys split over workgroups ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_KERNELS_SPLITATTENTIONKERNEL_H
#define DML_LIB_CODEGEN_KERNELS_SPLITATTENTIONKERNEL_H

#include "Analysis/Attention.h"
#include "dml/Target/DeviceProfile.h"
#include <string>

namespace dml {

/// The numbers of workgroups of a split attention kernel, the distribution of
/// factors to threads, and the workgroup memory.
struct SplitAttentionLayout {
  /// A group consists of the heads of queries that share a head of keys.
  /// `queries` is the number of queries in all heads of a group. `groups` is
  /// the number of groups. `rowTiles` is the number of workgroups that share
  /// out the queries of a group. `parts` is the number of parts of the keys.
  int64_t queries = 0, groups = 0, rowTiles = 0, parts = 0;
  /// The number of rows and the number of keys of a workgroup. A row is a query
  /// of one of the group's heads.
  int64_t rows = 0, keys = 0;
  /// A thread loads `terms` neighbouring terms of a key at a time. `lanes`
  /// threads share the terms of a key. Each of these threads has `keysOfThread`
  /// keys.
  int64_t terms = 0, lanes = 0, keysOfThread = 0;
  /// A thread adds up `columns` neighbouring columns of the output.
  /// `columnThreads` threads share the columns, and `keyThreads` threads share
  /// the keys.
  int64_t columns = 0, columnThreads = 0, keyThreads = 0;
  /// The number of keys whose values a thread loads at a time.
  int64_t keysTogether = 0;
  /// The number of rows whose sums are exchanged through workgroup memory at a
  /// time.
  int64_t rowsTogether = 0;

  int64_t getTermVectors(const Attention &attention) const {
    return attention.scores.getTerms() / terms;
  }
  /// Returns the number of times that a thread loads terms of its keys.
  int64_t getTrips(const Attention &attention) const;
  /// Whether the products of a thread are unrolled over all terms, so that the
  /// loads of all terms are begun together.
  bool isWrittenOut(const Attention &attention) const;
  /// Returns the approximate number of registers of a thread.
  int64_t getRegisters() const;
  /// Returns the number of keys for which a thread multiplies weights with
  /// values.
  int64_t getKeysOfColumns() const;
  /// The sizes of workgroup memory. getVectors() is the number of vectors of 4
  /// numbers, which hold the queries and later the exchanged sums. getNumbers()
  /// is the number of single numbers, which are sums of products, scores, and
  /// results of reductions. getBytes() is the size of both.
  int64_t getVectors(const Attention &attention) const;
  int64_t getNumbers() const;
  int64_t getBytes(const Attention &attention) const;

  /// If no split attention kernel with `tile` can compute `attention` on
  /// devices of `profile`, returns the reason. Otherwise sets `layout` and
  /// returns an empty text.
  static std::string get(const Attention &attention,
                         const SplitAttentionTile &tile,
                         const DeviceProfile &profile,
                         SplitAttentionLayout &layout);
};

/// Returns the number of bits of the elements from which the factors of
/// `operand` are computed. Returns 32 if the operand loads no elements.
int64_t getLoadedBits(const ContractionOperand &operand);

/// Replaces `op`, which computes `attention`, by two launches.
void buildSplitAttentionKernel(mlir::linalg::GenericOp op,
                               const Attention &attention,
                               const SplitAttentionLayout &layout);

} // namespace dml

#endif // DML_LIB_CODEGEN_KERNELS_SPLITATTENTIONKERNEL_H
