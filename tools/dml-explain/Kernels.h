//===- Kernels.h - What a model's operators become on a device --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLEXPLAIN_KERNELS_H
#define DML_TOOLS_DMLEXPLAIN_KERNELS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace dml::tools {

/// A step of a function, after fusion. The iterations of a loop are one step.
struct KernelStep {
  /// The number of the step in the executable, in the first iteration; the
  /// number of iterations; and the number of steps in each of them. Step 3 of a
  /// loop with two steps and 5 iterations is also the steps 5, 7, 9 and 11.
  uint32_t number = 0, count = 1, stride = 0;
  /// The operators that it computes; "copy" where it computes none.
  std::string operators;
  /// The entry point; "" for a copy.
  std::string kernel;
  /// The kernel's number in the executable, which steps share.
  uint32_t kernelIndex = 0;
  uint64_t workgroups = 0;
  /// The bytes of all that it binds.
  uint64_t bytes = 0;
  /// The operations of the module, as it was before compilation, that the step
  /// computes entirely or in part.
  llvm::SetVector<mlir::Operation *> ops;
  /// How long the step took in a run, in all iterations, if there was a run.
  std::optional<double> microseconds;
};

struct KernelFunction {
  std::string name;
  /// The inputs and outputs, as printFunction() prints them.
  std::string signature;
  std::vector<KernelStep> steps;
  /// The number of steps in all iterations.
  uint32_t stepCount = 0;
  /// The different kernels of the steps.
  unsigned kernelCount = 0;
};

/// Compiles a copy of `module` for the devices of `profile`. Returns the
/// compiler's error if the compilation fails.
llvm::Expected<std::vector<KernelFunction>>
compileKernels(mlir::ModuleOp module, llvm::StringRef profile);

/// A step that was run, and for how long.
struct TimedStep {
  std::string operators;
  double microseconds = 0;
  /// The function; "" where the file has none.
  std::string function;
};

/// What dml-run --trace wrote.
struct Trace {
  std::vector<TimedStep> steps;
  /// The fingerprint of what was run: the function's inputs and outputs, and
  /// the device profile for which it was compiled; "" where the file has none.
  std::string signature, profile;
};

/// Reads what dml-run --trace wrote.
llvm::Expected<Trace> readTrace(llvm::StringRef path);

/// What a driver's compiler made of a kernel, and its numbers in the driver's
/// words, sorted by name.
struct DriverKernel {
  uint64_t index = 0, subgroupSize = 0, spills = 0;
  std::string entryPoint;
  std::vector<std::pair<std::string, std::string>> statistics;
};

/// What dml-inspect --driver --json wrote. `profile` is the device profile for
/// which the kernels were compiled; "" where the file has none.
struct DriverReport {
  std::string device, driver, profile;
  std::vector<DriverKernel> kernels;
};

/// Reads what dml-inspect --driver --json wrote.
llvm::Expected<DriverReport> readDriverReport(llvm::StringRef path);

/// Returns why the kernels of `report` are not those of `functions`, or "" if
/// they can be.
std::string describeOtherKernels(llvm::ArrayRef<KernelFunction> functions,
                                 const DriverReport &report);

/// Returns why `trace` is not one of `functions`, which were compiled for
/// `profile`, or "" if it can be one.
std::string describeOtherModel(llvm::ArrayRef<KernelFunction> functions,
                               llvm::StringRef profile, const Trace &trace);

/// Sets the times of the steps of `functions` to those of the run `times`. If
/// the run had other steps, sets no times, and returns a text that describes
/// the difference.
std::string assignTimes(llvm::MutableArrayRef<KernelFunction> functions,
                        llvm::ArrayRef<TimedStep> times);

} // namespace dml::tools

#endif // DML_TOOLS_DMLEXPLAIN_KERNELS_H
