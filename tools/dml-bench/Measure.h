//===- Measure.h - Running a function again and again ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_TOOLS_DMLBENCH_MEASURE_H
#define DML_TOOLS_DMLBENCH_MEASURE_H

#include "support/Signature.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace dml::tools {

/// A function of an executable, with what is known of the variant that is run.
struct RunSignature : Signature {
  DmlExecutable executable = nullptr;
  DmlVariantInfo variant{};
  uint32_t dispatches = 0;
  uint32_t copies = 0;
  /// The bytes of all buffers that the steps bind, which go through memory.
  uint64_t boundBytes = 0;

  /// Every input read once and every output written once.
  uint64_t bytes() const;
};

/// Describes the variant for `device`, which can run it, or the last one.
RunSignature readRunSignature(DmlExecutable executable, uint32_t index,
                              const DmlDeviceInfo *device = nullptr);

/// Random elements that are finite and not zero. Each run of the program draws
/// the same elements.
class RandomData {
public:
  explicit RandomData(DmlDevice device);
  /// Fills a range of `buffer` with elements of a type.
  void fill(DmlBuffer buffer, const DmlBufferRange &range, DmlDataType type);
  /// Binds random elements to the weights that `executable` lacks, and then
  /// initializes `program`, which was created from it.
  void bindWeights(DmlProgram program, DmlExecutable executable);

private:
  /// What ranges are filled with, again and again.
  struct Block {
    std::vector<uint8_t> bytes;
    Buffer buffer;
  };
  /// The bytes of a block of elements of a type, drawn once.
  const std::vector<uint8_t> &getBytes(DmlDataType type);
  Block &getBlock(DmlDataType type);

  DmlDevice device;
  /// Copies a block: the host would take a second for a gigabyte.
  Executable executable;
  Program copy;
  std::map<DmlDataType, Block> blocks;
};

/// A function with several sets of buffers, which runs use in turn, so that no
/// run finds its data in a cache. Inputs contain random elements other than 0,
/// and so do the weights that the executable lacks, of which there is only one
/// set.
class Workload {
public:
  /// Creates sets of buffers with `target` bytes in total, but at least two
  /// sets if they fit into `limit` bytes. If `timesSteps`, there are timestamps
  /// around each step, and otherwise around the whole run alone.
  Workload(DmlDevice device, const RunSignature &signature, RandomData &random,
           uint64_t target, uint64_t limit, bool timesSteps = false);

  /// Runs the function with the next set of buffers. Returns the nanoseconds
  /// that the device took, which include the waits of timestamps.
  double runOnDevice();
  /// Runs the function with the first set of buffers, without timestamps.
  /// Returns the nanoseconds from before the submission until the host knows
  /// that the run has finished.
  double runFromHost();

  /// Runs the function twice, after filling its outputs with one of two
  /// patterns, and returns a description of the first byte of an output that no
  /// run has written, or "" if there is none.
  std::string findUnwritten();

  size_t setCount() const { return sets.size(); }

private:
  struct Range {
    size_t slab;
    DmlBufferRange range;
  };
  struct Set {
    std::vector<Range> inputs;
    std::vector<Range> outputs;
    std::vector<Range> temporary;
    BindingTable table;
  };

  void makeSets(size_t count, RandomData &random);
  Range allocate(uint64_t size);
  /// The input in whose place an output is, or UINT32_MAX.
  uint32_t getInPlaceInput(uint32_t output) const;
  void bind(DmlBindingTable table, const Set &set);

  DmlDevice device;
  RunSignature signature;
  bool timesSteps;
  Program program;
  // Buffers that ranges are cut from, before what uses them.
  std::vector<Buffer> slabs;
  uint64_t slabUsed = 0;
  uint64_t unallocated = 0;
  std::vector<Set> sets;
  BindingTable untimed;
  size_t next = 0;
};

/// Keeps a device busy while the host prepares the next measurement: a thread
/// runs `work` again and again. A GPU lowers its clock when it is idle for a
/// second, and takes a while to raise it.
class Load {
public:
  /// Runs from now on.
  explicit Load(Workload work);
  /// Waits for the last run.
  ~Load();

  /// A pause of the load, if there is a load. When the pause begins, the device
  /// has finished the load's work, and when the pause ends, the load continues.
  class Pause {
  public:
    explicit Pause(std::optional<Load> &load) : load(load) {
      if (load)
        load->pause();
    }
    ~Pause() {
      if (load)
        load->resume();
    }
    Pause(const Pause &) = delete;
    Pause &operator=(const Pause &) = delete;

  private:
    std::optional<Load> &load;
  };

private:
  void pause();
  void resume();
  void run();

  Workload work;
  std::mutex mutex;
  std::condition_variable changed;
  bool wanted = true;
  bool busy = false;
  bool ended = false;
  std::thread thread;
};

struct Statistics {
  double median = 0;
  double shortest = 0;
  double longest = 0;
  size_t count = 0;
};
Statistics summarize(std::vector<double> values);

/// How long to measure.
struct Effort {
  /// The number of seconds for which the same work runs before measurements
  /// begin. After a pause (while buffers are filled and shaders compiled), a
  /// GPU runs at a fraction of its clock: an H200 at 345 MHz instead of 1980.
  double warmUp = 0;
  /// The number of measurements, or 0 for as many as fit into `seconds`, but at
  /// least kLeast.
  uint32_t repeats = 0;
  double seconds = 0;
  static constexpr size_t kLeast = 9;
};

/// Measures `runs` in turn, so that changes over time (of clocks, temperature
/// and other users) affect all of them alike. Each run is called twice, and
/// only the second call counts: it finds in the caches the data that the first
/// call of the same run has left there. The time of a first call would include
/// writing to memory the data that another run has left in the caches.
template <typename... Runs>
std::vector<Statistics> measure(const Effort &effort, Runs... runs);

struct Work;

/// The nanoseconds in which the device runs `work`, with one set of buffers and
/// with timestamps around each step.
double measureTime(DmlDevice device, const Work &work, RandomData &random,
                   const Effort &effort);

/// Returns how much of its amount `work` does in a second.
double measureRate(DmlDevice device, const Work &work, RandomData &random,
                   const Effort &effort);

} // namespace dml::tools

//===----------------------------------------------------------------------===//

#include <chrono>

template <typename... Runs>
std::vector<dml::tools::Statistics> dml::tools::measure(const Effort &effort,
                                                        Runs... runs) {
  auto runTwice = [](auto &run) {
    run();
    return run();
  };
  auto begin = std::chrono::steady_clock::now();
  auto getSeconds = [&] {
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - begin;
    return passed.count();
  };
  while (getSeconds() < effort.warmUp)
    (runTwice(runs), ...);
  begin = std::chrono::steady_clock::now();
  std::vector<std::vector<double>> values(sizeof...(Runs));
  for (size_t count = 0;;) {
    size_t i = 0;
    (values[i++].push_back(runTwice(runs)), ...);
    ++count;
    if (effort.repeats
            ? count == effort.repeats
            : count >= Effort::kLeast && getSeconds() >= effort.seconds)
      break;
  }
  std::vector<Statistics> result;
  for (std::vector<double> &each : values)
    result.push_back(summarize(std::move(each)));
  return result;
}

#endif // DML_TOOLS_DMLBENCH_MEASURE_H
