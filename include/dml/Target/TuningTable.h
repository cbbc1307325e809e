//===- TuningTable.h - Kernels that were measured -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The kernels that were the fastest on a device, by the dispatches that they
// compute, as a text in JSON:
//
//   {
//     "format": "dml-tuning",
//     "version": 1,
//     "profile": "full,+shaderFloat16,subgroupSize=32",
//     "device": "Example GPU",
//     "uuid": "00112233445566778899aabbccddeeff",
//     "driver": "Example 1.2.3",
//     "kernels": [
//       {"dispatch": "8f14e45fceea167a5a36dedd4bea2543",
//        "operators": "dml.gemm+dml.activation_relu",
//        "kernel": "{slice_tile = array<i64: 2, 2, 16, 4, 4>}",
//        "model": "{contraction_tile = array<i64: 32, 32, 16>}",
//        "microseconds": 3.211, "modelMicroseconds": 4.002,
//        "candidates": 8, "uses": 12}
//     ]
//   }
//
// "model" is the kernel that the models of time choose. Nobody has to believe
// what a table says: the compiler checks that a kernel can compute a dispatch.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TARGET_TUNINGTABLE_H
#define DML_TARGET_TUNINGTABLE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace dml {

/// A dispatch with the kernel that was measured to be the fastest.
struct TunedKernel {
  /// The key of the dispatch: 32 hexadecimal digits.
  std::string dispatch;
  /// The operators that the dispatch computes, for people.
  std::string operators;
  /// The values of `dml.kernel` of the fastest kernel, and of the one that the
  /// models of time choose.
  std::string kernel, model;
  /// The times of both kernels.
  double microseconds = 0, modelMicroseconds = 0;
  /// The number of kernels that were measured, and the number of times that the
  /// model that was tuned runs the dispatch.
  uint32_t candidates = 0, uses = 0;
};

class TuningTable {
public:
  /// The most bytes of a table's text, and the most kernels.
  static constexpr uint64_t maxBytes = uint64_t(16) << 20;
  static constexpr size_t maxKernels = 65536;

  /// Parses a text, which anybody may have written. The error says what is
  /// found and what is wanted.
  static llvm::Expected<TuningTable> parse(llvm::StringRef text);
  /// Reads a file, which anybody may have written.
  static llvm::Expected<TuningTable> read(llvm::StringRef path);
  /// Returns the text of the table, whose kernels stand in the order of their
  /// dispatches.
  std::string str() const;

  /// Returns the kernel of the dispatch `key`, or null.
  const TunedKernel *find(llvm::StringRef key) const;
  /// Adds a kernel, in the place of one of the same dispatch. A table that is
  /// full stays as it is.
  void add(TunedKernel kernel);
  llvm::ArrayRef<TunedKernel> getKernels() const { return kernels; }

  /// The profile of the devices for which the kernels were measured.
  std::string profile;
  /// The device and its driver, for people.
  std::string device, uuid, driver;

private:
  std::vector<TunedKernel> kernels;
  llvm::StringMap<size_t> places;
};

} // namespace dml

#endif // DML_TARGET_TUNINGTABLE_H
