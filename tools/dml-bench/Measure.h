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

/// Elements that are random, finite and not zero, the same in each run of the
/// program.
class RandomData {
public:
  explicit RandomData(DmlDevice device);
  /// Fills a range of `buffer` with elements of a type.
  void fill(DmlBuffer buffer, const DmlBufferRange &range, DmlDataType type);
  /// Binds random elements to the weights that `executable` lacks, and then
  /// initializes `program`, which was made of it.
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

/// A function with several sets of buffers, which take turns so that no run
/// finds its data in a cache. Inputs hold random data without zeros, and so do
/// weights that the executable lacks, of which there is one set.
class Workload {
public:
  /// Makes as many sets as have `target` bytes together, two or more where
  /// `limit` bytes allow that.
  Workload(DmlDevice device, const RunSignature &signature, RandomData &random,
           uint64_t target, uint64_t limit);

  /// Runs the next set; the nanoseconds it took on the device.
  double runOnDevice();
  /// Runs the first set without timestamps; the nanoseconds from before its
  /// submission until the host knew that it had finished.
  double runFromHost();

  /// Runs the first set over results of two patterns: the first byte of a
  /// result that a run leaves as it was, in words; "" where there is none.
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
  Program program;
  // Buffers that ranges are cut from, before what uses them.
  std::vector<Buffer> slabs;
  uint64_t slabUsed = 0;
  uint64_t unallocated = 0;
  std::vector<Set> sets;
  BindingTable untimed;
  size_t next = 0;
};

/// Keeps a device at work while the host prepares what is measured next: `work`
/// runs again and again in a thread of its own. A GPU lowers its clock within a
/// second without work, and takes a while to raise it.
class Load {
public:
  /// Runs from now on.
  explicit Load(Workload work);
  /// Waits for the last run.
  ~Load();

  /// The device has finished with the load, where there is one, when a pause
  /// begins; the load goes on when it ends.
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
  /// Seconds of the same work before anything counts. A GPU that was idle for a
  /// while (buffers were filled, shaders compiled) starts at a fraction of its
  /// clock: an H200 at 345 MHz instead of 1980.
  double warmUp = 0;
  /// The number of measurements; 0 stands for as many as `seconds` have room
  /// for, kLeast or more.
  uint32_t repeats = 0;
  double seconds = 0;
  static constexpr size_t kLeast = 9;
};

/// Calls each of `runs` in turn, so that what changes with time (clocks,
/// temperature, other users) meets all alike. Each runs twice, and the second
/// counts: it finds in the caches what it leaves there itself. Whoever runs
/// after another writes to memory what that left unwritten.
template <typename... Runs>
std::vector<Statistics> measure(const Effort &effort, Runs... runs);

struct Work;

/// The nanoseconds in which the device runs `work`, with one set of buffers.
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
