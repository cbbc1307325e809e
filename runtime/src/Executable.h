//===- Executable.h - A verified executable -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Plain data, filled once from untrusted bytes and trusted from then on. What
// readExecutable returns fulfils every rule of schema/executable.fbs: indices
// and ranges are in bounds, sizes do not overflow, kernels bind the buffers
// that the file lists for them, and the requirements of every variant cover
// what its steps use.
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_EXECUTABLE_H
#define DML_RUNTIME_EXECUTABLE_H

#include "Status.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dml::runtime {

using Extent = std::array<uint32_t, 3>;

struct Requirements {
  uint32_t apiVersion = 0;
  DmlFeatureFlags features = 0;
  uint64_t maxStorageBufferRange = 0;
  uint32_t maxPerStageDescriptorStorageBuffers = 0;
  uint32_t maxComputeWorkGroupInvocations = 0;
  Extent maxComputeWorkGroupSize{};
  Extent maxComputeWorkGroupCount{};
  uint32_t maxComputeSharedMemorySize = 0;
  uint64_t maxLoopIterations = 0;
  /// Threads of a subgroup, or 0 where they may be any number.
  uint32_t subgroupSize = 0;
  /// The largest number of subgroups in a workgroup, among the kernels that
  /// state the size of subgroups. The reader computes this number, which is not
  /// stored in the executable.
  uint32_t maxComputeWorkgroupSubgroups = 0;
  /// Cooperative matrices.
  std::vector<DmlMatrixShape> matrixShapes;
};

/// Values that lie in another's memory.
template <typename T> class View {
public:
  View() = default;
  View(const T *values, size_t count) : values(values), count(count) {}
  const T *data() const { return values; }
  size_t size() const { return count; }
  const T *begin() const { return values; }
  const T *end() const { return values + count; }

private:
  const T *values = nullptr;
  size_t count = 0;
};

struct ShaderModule {
  std::string name;
  /// In the file, or in `changed`.
  View<uint32_t> code;
  /// The words where the reader has changed them.
  std::vector<uint32_t> changed;
};

struct Kernel {
  uint32_t shaderModule;
  std::string entryPoint;
  Extent workgroupSize;
  uint32_t sharedMemorySize;
  uint32_t bindingCount;
  /// Threads of a subgroup, or 0 where they may be any number.
  uint32_t subgroupSize;
};

struct Tensor {
  std::string name;
  DmlDataType dataType;
  std::vector<uint32_t> sizes;
  std::vector<uint64_t> strides;
  uint64_t elementCount;
  uint64_t byteSize;
  uint64_t bufferSize;
};

enum class BufferKind : uint8_t { Input, Output, Temporary, Constant };

struct BufferRange {
  BufferKind kind;
  uint32_t index;
  uint64_t offset;
  uint64_t size;
  /// Whether the step may write the range.
  bool isWritten = false;
  /// In iteration i of a loop, the range begins stride * i bytes behind its
  /// offset, or stride * (i % period) bytes where the period is not 0.
  int64_t stride = 0;
  uint32_t period = 0;
  /// The bytes of all iterations: the first byte, and the byte behind the end.
  uint64_t begin = offset;
  uint64_t end = offset + size;

  bool advances() const { return stride != 0; }
  uint64_t offsetIn(uint32_t iteration) const {
    uint64_t place = period != 0 ? iteration % period : iteration;
    // A product with a negative stride is right modulo 2^64.
    return offset + static_cast<uint64_t>(stride) * place;
  }
};

struct Step {
  DmlStepKind kind;
  bool barrier;
  std::string label;
  /// The kernel of a dispatch.
  uint32_t kernel = 0;
  Extent workgroupCount{};
  /// A dispatch's bindings, or a copy's source and destination.
  std::vector<BufferRange> ranges;
};

/// Consecutive steps that are run `count` times.
struct Loop {
  uint32_t firstStep;
  uint32_t stepCount;
  uint32_t count;
  /// The number of runs of steps before the loop.
  uint32_t firstRun;
};

/// A step of a variant, in one iteration of its loop. The iteration is 0 for a
/// step outside of loops.
struct StepRun {
  uint32_t step;
  uint32_t iteration;
};

/// One way to compute a function.
struct Variant {
  Requirements requirements;
  uint64_t temporarySize;
  std::vector<Step> steps;
  std::string deviceProfile;
  /// The loops, in the order of their steps. No step is in two loops.
  std::vector<Loop> loops;
  /// The number of runs of steps. Each iteration of a loop runs its steps anew:
  /// a loop of 3 steps with 5 iterations, and a step behind it, are 16 runs.
  uint32_t runCount = 0;

  /// Returns what is run as number `number`, which is less than runCount.
  StepRun findRun(uint32_t number) const {
    const Loop *loop =
        findLast([&](const Loop &loop) { return loop.firstRun <= number; });
    if (!loop)
      return {number, 0};
    uint32_t place = number - loop->firstRun;
    uint32_t runs = loop->stepCount * loop->count;
    if (place >= runs)
      return {loop->firstStep + loop->stepCount + place - runs, 0};
    return {loop->firstStep + place % loop->stepCount, place / loop->stepCount};
  }
  /// Returns the loop that a step is in, or null.
  const Loop *findLoop(uint32_t step) const {
    const Loop *loop =
        findLast([&](const Loop &loop) { return loop.firstStep <= step; });
    return loop && step - loop->firstStep < loop->stepCount ? loop : nullptr;
  }
  /// Returns the ranges of one kind that steps use, each with the bytes of all
  /// iterations. Each has its first byte and the byte behind its end.
  std::vector<std::pair<uint64_t, uint64_t>> getRanges(BufferKind kind) const {
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    for (const Step &step : steps)
      for (const BufferRange &range : step.ranges)
        if (range.kind == kind)
          ranges.emplace_back(range.begin, range.end);
    return ranges;
  }

private:
  /// Returns the last loop of those, at the beginning of the list, that
  /// `isBefore` takes, or null.
  template <typename IsBefore> const Loop *findLast(IsBefore isBefore) const {
    auto behind = std::partition_point(loops.begin(), loops.end(), isBefore);
    return behind == loops.begin() ? nullptr : &*std::prev(behind);
  }
};

struct Function {
  std::string name;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  /// For each output, the number of the input whose place it takes, or nothing.
  std::vector<std::optional<uint32_t>> inPlace;
  /// For each input, whether an output takes its place.
  std::vector<bool> isReplaced;
  /// The variants, in order of preference. The last variant consists of the
  /// function's own steps, which always exist.
  std::vector<Variant> variants;
  uint32_t featureLevel;
};

/// A tensor whose bytes the caller binds, and the place of the bytes in the
/// buffer of constants.
struct Weight {
  Tensor tensor;
  uint64_t offset;
};

struct Executable {
  uint16_t versionMajor;
  uint16_t versionMinor;
  std::string producer;
  /// The requirements of the last variant of every function.
  Requirements requirements;
  std::vector<ShaderModule> shaderModules;
  std::vector<Kernel> kernels;
  /// The file's bytes; none where they are the caller's, which must stay.
  std::vector<uint8_t> file;
  /// In the file.
  View<uint8_t> constants;
  /// Of the buffer that begins with `constants`.
  uint64_t constantSize = 0;
  std::vector<Weight> weights;
  /// The functions that callers can run, followed by the initialization, if
  /// there is one.
  std::vector<Function> functions;
  std::optional<uint32_t> initialization;

  uint32_t functionCount() const {
    return static_cast<uint32_t>(functions.size()) - (initialization ? 1 : 0);
  }
  /// Returns an error if callers have no function `index`.
  Status checkFunction(uint32_t index) const {
    if (index < functionCount())
      return Status();
    return makeError(DML_ERROR_INVALID_ARGUMENT, "function ", index,
                     " does not exist; there are ", functionCount());
  }
};

/// Verifies an executable, and copies it. If `borrows` is true and `data` is
/// aligned as FlatBuffers requires, the constants and the shaders are not
/// copied.
Expected<std::shared_ptr<const Executable>>
readExecutable(const void *data, size_t size, bool borrows = false);

/// The same with the contents of a file.
Expected<std::shared_ptr<const Executable>>
readExecutableFile(const std::string &path);

} // namespace dml::runtime

#endif // DML_RUNTIME_EXECUTABLE_H
