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

/// A kernel whose workgroups are one subgroup each, which multiplies
/// cooperative matrices that wait for no memory. It has buffers of a vector of
/// 16 bytes for each thread, one to read and one to write.
struct MatrixProducts {
  /// SPIR-V with the entry point `main`. It is assembled here, since the
  /// compilers of shaders in wide use do not know cooperative matrices.
  std::vector<uint32_t> code;
  /// Bytes of workgroup memory.
  uint32_t sharedMemorySize;
  /// The products and sums of a workgroup.
  double operations;
};

/// `threads` are those of a subgroup. The columns of `shape` are a multiple of
/// 4, and its sums of 32 bits.
MatrixProducts makeMatrixProducts(const DmlMatrixShape &shape,
                                  uint32_t threads);

} // namespace dml::tools

#endif // DML_TOOLS_DMLBENCH_MATRIXPRODUCTS_H
