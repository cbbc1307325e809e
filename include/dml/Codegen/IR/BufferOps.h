//===- BufferOps.h - Buffers as kernels see them ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_CODEGEN_IR_BUFFEROPS_H
#define DML_CODEGEN_IR_BUFFEROPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dml/Codegen/IR/BufferDialect.h.inc"

#define GET_OP_CLASSES
#include "dml/Codegen/IR/BufferOps.h.inc"

#endif // DML_CODEGEN_IR_BUFFEROPS_H
