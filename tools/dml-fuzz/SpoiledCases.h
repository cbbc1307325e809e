//===- SpoiledCases.h - Cases that nobody should write ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Spoiled programs, bytecode, executables and models end in a result or in a
// diagnostic, and nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLFUZZ_SPOILEDCASES_H
#define DML_TOOLS_DMLFUZZ_SPOILEDCASES_H

#include "Testing/Differential/Differential.h"
#include <string>

namespace dml::fuzz {

class Device;

/// The part of a case that is spoiled.
enum class Damage {
  /// Attributes, shapes, types and operands of programs.
  Program,
  /// The text or the bytes of programs, bytecode and executables.
  File,
  /// The fields of ONNX models.
  Model,
};

/// A file that a tool may be given.
struct SpoiledFile {
  std::string bytes;
  /// ".mlir", ".mlirbc", ".dmlx" or ".onnx".
  llvm::StringRef extension;
};

/// Draws case `seed`. `context` has the dialects that compilation needs.
SpoiledFile drawSpoiledFile(mlir::MLIRContext *context, Damage damage,
                            uint64_t seed);

/// Draws case `seed` of Damage::Model: takes one of `models`, which are the
/// bytes of ONNX models, and changes some of its fields.
SpoiledFile drawSpoiledModel(llvm::ArrayRef<std::string> models, uint64_t seed);

/// Imports an ONNX model, both unchanged and with ONNX Runtime's optimizations,
/// and compiles the imported module if `compiles` is set.
Outcome surviveModel(mlir::MLIRContext *context, llvm::StringRef bytes,
                     bool compiles, Device *device);

/// Processes a file like the tools: reads, verifies and compiles it, and, if it
/// is small enough, runs the program and compares the results. Executables are
/// only read and checked against the device, and not run, since the runtime
/// trusts their shaders (runtime/README.md). `device` may be null.
Outcome survive(mlir::MLIRContext *context, llvm::StringRef bytes,
                uint64_t valueSeed, Device *device);

} // namespace dml::fuzz

#endif // DML_TOOLS_DMLFUZZ_SPOILEDCASES_H
