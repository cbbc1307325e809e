//===- Survival.h - Cases in child processes --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Spoiled cases run in child processes, so that a crash, a hang or a
// sanitizer's report ends one case and not the run.
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLFUZZ_SURVIVAL_H
#define DML_TOOLS_DMLFUZZ_SURVIVAL_H

#include "Testing/Differential/Differential.h"
#include <string>

namespace dml::fuzz {

struct SurvivalOptions {
  uint64_t seed;
  /// The number of cases; 0 stands for no end.
  uint64_t count;
  unsigned maxSeconds;
  unsigned maxDefects;
  /// The cases that a child runs, unless one ends it.
  uint64_t casesPerChild;
  /// The largest memory of a child in megabytes, except with a sanitizer that
  /// reserves memory.
  unsigned maxMegabytes;
  /// The command that starts a child, without the options for its cases.
  std::vector<std::string> command;
};

/// Runs cases in child processes, and counts their outcomes.
int runSurvival(const SurvivalOptions &options);

/// Runs cases in this process, which is a child of runSurvival(), and prints a
/// line for each. Ends early after a case for which `run` sets `isLast`, since
/// it needs a new process.
int runSurvivalChild(
    uint64_t seed, uint64_t count,
    llvm::function_ref<Outcome(uint64_t seed, bool &isLast)> run);

} // namespace dml::fuzz

#endif // DML_TOOLS_DMLFUZZ_SURVIVAL_H
