//===- Survival.h - Programs that nobody should write -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Spoiled programs, bytecode and executables end in a result or in a
// diagnostic, and nothing else. Cases run in child processes, so that a crash,
// a hang or a sanitizer's report ends one case and not the run.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLFUZZ_SURVIVAL_H
#define DML_TOOLS_DMLFUZZ_SURVIVAL_H

#include "Testing/Differential/Differential.h"
#include <string>

namespace dml::fuzz {

class Device;

/// What is spoiled.
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

/// Draws case `seed`. `context` has all that compilation needs.
SpoiledFile drawSpoiledFile(mlir::MLIRContext *context, Damage damage,
                            uint64_t seed);

/// Draws case `seed` of Damage::Model: one of `models`, which are the bytes of
/// ONNX models, with other fields.
SpoiledFile drawSpoiledModel(llvm::ArrayRef<std::string> models, uint64_t seed);

/// Imports an ONNX model, as it stands and with ONNX Runtime's optimizations,
/// and, where `compiles` says so, compiles what the importer makes of it.
Outcome surviveModel(mlir::MLIRContext *context, llvm::StringRef bytes,
                     bool compiles, Device *device);

/// Does with a file all that the tools do: reads it, verifies, compiles, and,
/// if it is small enough, runs and compares. Executables are read and held
/// against the device only: their shaders are believed (runtime/README.md).
/// `device` may be null.
Outcome survive(mlir::MLIRContext *context, llvm::StringRef bytes,
                uint64_t valueSeed, Device *device);

struct SurvivalOptions {
  uint64_t seed;
  /// The number of cases; 0 stands for no end.
  uint64_t count;
  unsigned maxSeconds;
  unsigned maxDefects;
  /// The cases that a child runs, unless one ends it.
  uint64_t casesPerChild;
  /// The memory that a child may have, but where a sanitizer reserves its own.
  unsigned maxMegabytes;
  /// How a child is called, less the options of its cases.
  std::vector<std::string> command;
};

/// Runs cases in children and counts what came of them.
int runSurvival(const SurvivalOptions &options);

/// Runs cases in this process, up to one after which `run` wants a new process,
/// and prints a line for each, for runSurvival.
int runSurvivalChild(
    uint64_t seed, uint64_t count,
    llvm::function_ref<Outcome(uint64_t seed, bool &isLast)> run);

} // namespace dml::fuzz

#endif // DML_TOOLS_DMLFUZZ_SURVIVAL_H
