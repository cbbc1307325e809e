//===- Measurement.h - The times of kernels ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Measures functions that compute the same by different kernels, as a network
// would meet them: each run waits for the run before, finds its weights in
// memory, and all other inputs in a cache.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_SESSION_MEASUREMENT_H
#define DML_LIB_SESSION_MEASUREMENT_H

#include "Support.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <vector>

namespace dml::session {

/// How often a function runs a kernel, and with which buffers.
struct RunPlan {
  /// The number of runs in a call of the function. Weights are others in each
  /// run.
  unsigned runs = 0;
  /// The number of sets of weights between which runs alternate, so that no
  /// cache holds the weights of the next run.
  unsigned sets = 1;
  /// For each input of a run, whether it is a weight. The function has all
  /// inputs of the first run, and then the weights of each further run.
  llvm::SmallVector<bool> areWeights;

  /// Returns the plan for inputs of `bytes` bytes on a device whose last cache
  /// has `cacheBytes` bytes.
  static RunPlan get(llvm::ArrayRef<uint64_t> bytes,
                     llvm::ArrayRef<bool> areWeights, double cacheBytes);
};

/// Buffers on a device with elements that are random, finite and not 0, which
/// all measurements share.
class DeviceData {
public:
  explicit DeviceData(DmlDevice device) : device(device) {}

  /// Returns a buffer of at least `size` bytes for elements of `type`. An
  /// earlier buffer of this type is destroyed.
  Expected<DmlBuffer> get(DmlDataType type, uint64_t size);
  /// Returns a buffer of at least `size` bytes for outputs.
  Expected<DmlBuffer> getOutput(uint64_t size);
  /// Writes random elements to the first `size` bytes of `buffer`.
  Status fill(DmlBuffer buffer, uint64_t size, DmlDataType type);

  DmlDevice getDevice() const { return device; }

private:
  struct Block {
    BufferHandle buffer;
    uint64_t size = 0;
  };
  Expected<DmlBuffer> getBlock(Block &block, uint64_t size);
  const std::vector<uint8_t> &getBytes(DmlDataType type);

  DmlDevice device;
  std::map<DmlDataType, Block> inputs;
  std::map<DmlDataType, std::vector<uint8_t>> bytes;
  Block output;
};

/// What was measured of several functions.
struct MeasuredTimes {
  /// The median of the times of a kernel, for each function.
  std::vector<double> microseconds;
  /// The fastest function that is right: the first one, unless another one is
  /// faster by more than the measurements vary.
  size_t fastest = 0;
  /// Functions whose results differ from those of the first one by more than
  /// rounding.
  std::vector<size_t> wrong;
};

class Measurement {
public:
  /// Prepares the functions of an executable, all of which follow `plan`. The
  /// caller keeps the bytes.
  static Expected<std::unique_ptr<Measurement>>
  create(DmlDevice device, llvm::ArrayRef<uint8_t> bytes, const RunPlan &plan);

  /// Measures the functions in turn for about `seconds`. The first measurement
  /// on a device runs for a while before that, since an idle device has a low
  /// clock.
  Expected<MeasuredTimes> run(DeviceData &data, double seconds, bool isFirst);

private:
  struct Function {
    TableHandle table;
    uint32_t stepCount = 0;
    bool isWrong = false, isSlow = false;
    /// The times of the candidate's runs so far, in nanoseconds.
    std::vector<double> times;
  };
  struct Input {
    DmlDataType type;
    /// The bytes from one weight to the next, or 0 if all runs have one input.
    uint64_t stride = 0;
    /// The place in the buffer of the type.
    uint64_t offset = 0;
    uint64_t size = 0;
    /// The set of the weights, in a call that begins with the first set.
    unsigned set = 0;
  };

  Status bind(DeviceData &data);
  Status bindSet(Function &function, unsigned firstSet);
  Status runOnce(Function &function, unsigned firstSet);
  Expected<std::vector<uint8_t>> getResult(Function &function,
                                           DeviceData &data);
  Status findWrong(DeviceData &data);

  RunPlan plan;
  ExecutableHandle executable;
  ProgramHandle program;
  std::vector<Function> functions;
  std::vector<Input> inputs;
  std::map<DmlDataType, DmlBuffer> buffers;
  DmlBuffer output = nullptr;
  DmlDataType outputType = DML_DATA_TYPE_UNKNOWN;
  uint64_t outputSize = 0, outputBufferSize = 0;
};

} // namespace dml::session

#endif // DML_LIB_SESSION_MEASUREMENT_H
