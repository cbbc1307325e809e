//===- MatrixProducts.h - A kernel that multiplies matrices -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLBENCH_MATRIXPRODUCTS_H
#define DML_TOOLS_DMLBENCH_MATRIXPRODUCTS_H

#include "dml/runtime.h"

#include <cstdint>
#include <vector>

namespace dml::tools {

/// A kernel that multiplies cooperative matrices without waiting for memory.
/// Each workgroup is one subgroup. The kernel has a buffer to read and a buffer
/// to write, each with a vector of 16 bytes for each thread.
struct MatrixProducts {
  /// SPIR-V with the entry point `main`. The tool assembles this code itself,
  /// since common compilers of shaders do not support cooperative matrices.
  std::vector<uint32_t> code;
  /// Bytes of workgroup memory.
  uint32_t sharedMemorySize;
  /// The products and sums of a workgroup.
  double operations;
};

/// Creates the kernel for subgroups of `threads` threads. The number of columns
/// of `shape` is a multiple of 4, and its sums have 32 bits.
MatrixProducts makeMatrixProducts(const DmlMatrixShape &shape,
                                  uint32_t threads);

} // namespace dml::tools

#endif // DML_TOOLS_DMLBENCH_MATRIXPRODUCTS_H
