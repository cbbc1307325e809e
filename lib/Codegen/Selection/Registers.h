//===- Registers.h - Registers of a kernel's threads ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_CODEGEN_SELECTION_REGISTERS_H
#define DML_LIB_CODEGEN_SELECTION_REGISTERS_H

#include "mlir/IR/Block.h"
#include <cstdint>

namespace dml {

/// Returns the largest number of registers of 4 bytes that the values of
/// `block` take at a time, if a compiler keeps the order of the operations
/// (DeviceSpeed::computesInOrder). `block` holds the launch of a kernel, whose
/// nested operations count as well.
int64_t countRegistersInOrder(mlir::Block &block);

} // namespace dml

#endif // DML_LIB_CODEGEN_SELECTION_REGISTERS_H
