//===- dml-fuzz-reader.cpp - Executables from strangers, many of them -----===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Creates cases from seeds and passes them to the reader, in child processes
// that may crash. A case is identified by one number, with which it can be
// created again.
//
//===----------------------------------------------------------------------===//

#include "AllocationCounter.h"
#include "Mutator.h"

#include "Executable.h"
#include "SPIRVModule.h"
#include "support/CommandLine.h"
#include "support/File.h"
#include "support/Input.h"
#include "support/Runtime.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace dml::fuzz;
using namespace dml::tools;

namespace {

constexpr char kHelp[] =
    R"(dml-fuzz-reader: tries the runtime's reader with damaged executables

usage: dml-fuzz-reader [options] [FILE.dmlx | FOLDER]...

Makes executables that are almost right, from kernels that it draws and from the
files that are given, and reads each. Wrong are: a process that ends, a case that
takes too long or too much memory for its size, a message that a terminal would
obey, and a shader that is changed again when it is read again. A case is made
from --seed and its number alone (and from the files): --first=N --count=1 makes
one again.

examples
  dml-fuzz-reader --count=1000000 --jobs=4
  dml-fuzz-reader build/suite --count=1000000 --save=found
  dml-fuzz-reader build/suite --run --accepted=10000 --save=found

options
  --seed=N         of all cases (1)
  --first=N        the number of the first case (0)
  --count=N        how many cases are made (100000)
  --accepted=N     stop after so many that the reader accepts
  --jobs=N         processes that work at the same time (1)
  --run            run those that the reader accepts on a device
  --device=NAME    which, as for dml-run (the first)
  --limit=SECONDS  how much of the processor one case may take (10)
  --save=FOLDER    write cases in which something is wrong there
  --save-accepted  write all that the reader accepts, too
  --messages       print why each case is refused
  --help

)";

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The memory that reading a file may need: for small files, a message and some
/// tables. Each word of a shader that defines an id takes many bytes, and
/// offsets may refer to the same bytes up to 32 times.
constexpr size_t kMostMemory = 64 << 10;
constexpr size_t kMostMemoryByte = 128;
/// Microseconds of the processor. The sanitizers and a busy machine have room.
constexpr double kMostTime = 50000;
constexpr double kMostTimeByte = 20;

//===----------------------------------------------------------------------===//
// What a process says to the one that watches it
//===----------------------------------------------------------------------===//

enum class Stage : uint32_t { Make, Read, Run };

/// The memory that both processes have.
struct Shared {
  std::atomic<uint64_t> current, begun, made, accepted, refused;
  std::atomic<uint64_t> wrong, ran, unfit, unrun, overtime;
  /// The bytes of the last case that was wrong.
  std::atomic<uint64_t> bytes;
  std::atomic<Stage> stage;
  double mostTimeByte, mostMemoryByte, time;
};

struct Options {
  bool help = false, run = false, saveAccepted = false, messages = false;
  uint64_t seed = 1, first = 0, count = 100000, accepted = UINT64_MAX, jobs = 1,
           limit = 10;
  std::string device, save;
  std::vector<std::string> files;
};

/// The exit code of a process that cannot continue with its device, for example
/// after work that takes too long.
constexpr int kExitAgain = 40;
constexpr int kExitFailed = 41;

double getProcessorTime() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 +
         static_cast<double>(now.tv_nsec) / 1e3;
}

bool isPrintable(const std::string &message) {
  return std::none_of(message.begin(), message.end(), [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

void save(const Options &options, const std::string &kind, uint64_t index,
          const Bytes &bytes) {
  if (options.save.empty())
    return;
  std::string path = options.save + "/" + kind + "-" +
                     std::to_string(options.seed) + "-" +
                     std::to_string(index) + ".dmlx";
  std::string error;
  if (!writeFile(path, {{bytes.data(), bytes.size()}}, error))
    fail(error, kExitNotWritten);
}

//===----------------------------------------------------------------------===//
// The process that works
//===----------------------------------------------------------------------===//

class Worker {
public:
  Worker(const Options &options, Mutator &mutator, Shared &shared)
      : options(options), mutator(mutator), shared(shared) {}

  /// Cases from `first` to before `end`, of all families each `jobs`th.
  void work(uint64_t first, uint64_t end, uint64_t jobs, uint64_t job) {
    for (uint64_t i = first; i < end; ++i) {
      if (i / Mutator::kFamily % jobs != job)
        continue;
      shared.stage = Stage::Make;
      shared.current = i;
      ++shared.begun;
      Bytes bytes =
          mutator.makeCase(options.seed, i, /*forDevice=*/options.run);
      ++shared.made;
      shared.bytes += bytes.size();
      shared.stage = Stage::Read;
      if (!read(i, bytes))
        continue;
      if (options.saveAccepted)
        save(options, "accepted", i, bytes);
      if (options.run) {
        shared.stage = Stage::Run;
        run(bytes);
      }
    }
    shared.stage = Stage::Make;
  }

private:
  void report(uint64_t index, const Bytes &bytes, const std::string &what) {
    ++shared.wrong;
    std::fprintf(stderr, "case %llu: %s\n",
                 static_cast<unsigned long long>(index), what.c_str());
    save(options, "wrong", index, bytes);
  }

  bool read(uint64_t index, const Bytes &bytes) {
    dml::test::Allocations &allocations = dml::test::allocations;
    size_t live = allocations.peak = allocations.live;
    double begin = getProcessorTime();
    // The bytes have an allocation of exactly their size, so that a sanitizer
    // reports every read beyond them.
    std::unique_ptr<uint8_t[]> exact(new uint8_t[bytes.size() + 1]);
    if (!bytes.empty())
      std::memcpy(exact.get(), bytes.data(), bytes.size());
    auto result = dml::runtime::readExecutable(exact.get(), bytes.size());
    double time = getProcessorTime() - begin;
    size_t memory = allocations.peak - live;
    auto size = static_cast<double>(bytes.size() + 1);
    // If a virtual machine stands still for a moment, the time counts for the
    // program that runs. A case is slow only if it is slow each time.
    const double mostTime = kMostTime + kMostTimeByte * size;
    for (int again = 0; again < 3 && time > mostTime; ++again) {
      begin = getProcessorTime();
      (void)dml::runtime::readExecutable(exact.get(), bytes.size());
      time = std::min(time, getProcessorTime() - begin);
    }
    shared.time += time;
    if (bytes.size() >= 1024) {
      shared.mostTimeByte = std::max(shared.mostTimeByte, time / size);
      shared.mostMemoryByte =
          std::max(shared.mostMemoryByte, static_cast<double>(memory) / size);
    }
    if (memory > kMostMemory + kMostMemoryByte * bytes.size())
      report(index, bytes,
             "to read " + std::to_string(bytes.size()) + " bytes took " +
                 std::to_string(memory) + " bytes of memory");
    if (time > mostTime)
      report(index, bytes,
             "to read " + std::to_string(bytes.size()) + " bytes took " +
                 std::to_string(time) + " microseconds");
    if (!result) {
      ++shared.refused;
      const std::string &message = result.status().message();
      if (options.messages)
        std::printf("case %llu: %s\n", static_cast<unsigned long long>(index),
                    message.c_str());
      if (result.status().result() != DML_ERROR_INVALID_EXECUTABLE)
        report(index, bytes, "is refused as no invalid executable: " + message);
      if (message.empty() || !isPrintable(message))
        report(index, bytes, "is refused with what is no message for people");
      return false;
    }
    ++shared.accepted;
    // Shaders may have been changed. What a driver gets is right as it stands.
    for (const dml::runtime::ShaderModule &module : (*result)->shaderModules) {
      std::vector<uint32_t> again(module.code.begin(), module.code.end());
      auto second = dml::runtime::readSPIRVModule(again);
      if (!second)
        report(index, bytes,
               "a shader is refused when it is read again: " +
                   second.status().message());
      else if (!std::equal(again.begin(), again.end(), module.code.begin(),
                           module.code.end()))
        report(index, bytes, "a shader is changed when it is read again");
    }
    return true;
  }

  void run(const Bytes &bytes) {
    if (!device) {
      instance = createInstance(nullptr);
      requireDevices(instance);
      DmlDeviceCreateInfo info{};
      info.selector = options.device.empty() ? nullptr : options.device.c_str();
      info.robustBufferAccess = true;
      DML_CHECK(dmlCreateDevice, instance, &info, device.out());
      dmlSetWaitLimit(device, options.limit * 1000000000);
    }
    DmlResult result = DML_SUCCESS;
    {
      Executable executable;
      Program program;
      DmlError error = nullptr;
      result = dmlCreateExecutable(bytes.data(), bytes.size(), nullptr,
                                   executable.out(), &error);
      if (result == DML_SUCCESS)
        result = dmlCreateProgram(device, executable, program.out(), &error);
      dmlDestroyError(error);
      if (result != DML_SUCCESS) {
        ++shared.unfit;
        return;
      }
      auto read = dml::runtime::readExecutable(bytes.data(), bytes.size());
      result = bindWeights(program, **read);
      for (uint32_t i = 0; i < (*read)->functionCount(); ++i) {
        if (result == DML_ERROR_TIMEOUT)
          break;
        result = runFunction(program, (*read)->functions[i], i);
      }
    }
    if (result == DML_ERROR_TIMEOUT) {
      ++shared.overtime;
      // Its work goes on, and would slow down what follows.
      std::_Exit(kExitAgain);
    }
    ++shared.ran;
  }

  static constexpr uint64_t kMostBytes = 1 << 20;

  /// The bytes of a tensor: small numbers, some that are none, and extremes.
  static Bytes makeValues(uint64_t size) {
    Bytes bytes(size);
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<uint8_t>(i / 4 % 7 == 0 ? 0xff
                                      : i % 4 == 3   ? 0x3f + i / 4 % 65
                                                     : i / 4);
    return bytes;
  }

  /// Binds all weights and initializes the program, where the weights are not
  /// too large. Functions of a program without weights say so when they are
  /// run.
  static DmlResult bindWeights(DmlProgram program,
                               const dml::runtime::Executable &executable) {
    const std::vector<dml::runtime::Weight> &weights = executable.weights;
    if (weights.empty() || executable.constantSize > kMostBytes)
      return DML_SUCCESS;
    DmlError error = nullptr;
    DmlResult result = DML_SUCCESS;
    for (uint32_t i = 0; i < weights.size() && result == DML_SUCCESS; ++i) {
      Bytes bytes = makeValues(weights[i].tensor.byteSize);
      result = dmlBindWeight(program, i, bytes.data(), bytes.size(), &error);
    }
    if (result == DML_SUCCESS)
      result = dmlInitializeProgram(program, &error);
    dmlDestroyError(error);
    return result;
  }

  DmlResult runFunction(DmlProgram program,
                        const dml::runtime::Function &function,
                        uint32_t index) {
    constexpr uint64_t kMostGroups = 1 << 16;
    // A device runs one of the variants.
    uint64_t size = 0, groups = 0;
    for (const auto &variant : function.variants) {
      uint64_t ofVariant = 0;
      for (uint32_t i = 0; i < variant.steps.size(); ++i) {
        const auto &step = variant.steps[i];
        const auto *loop = variant.findLoop(i);
        ofVariant += uint64_t(loop ? loop->count : 1) * step.workgroupCount[0] *
                     step.workgroupCount[1] * step.workgroupCount[2];
      }
      size = std::max(size, variant.temporarySize);
      groups = std::max(groups, ofVariant);
    }
    for (const auto *tensors : {&function.inputs, &function.outputs})
      for (const auto &tensor : *tensors)
        size += std::min(tensor.bufferSize, kMostBytes + 1);
    if (size > kMostBytes || groups > kMostGroups) {
      ++shared.unrun;
      return DML_SUCCESS;
    }
    std::vector<Bytes> memory;
    std::vector<DmlHostTensor> inputs, outputs;
    auto bind = [&](const auto &tensors, std::vector<DmlHostTensor> &to) {
      for (const auto &tensor : tensors) {
        memory.push_back(makeValues(tensor.byteSize));
        to.push_back({memory.back().data(), memory.back().size()});
      }
    };
    bind(function.inputs, inputs);
    bind(function.outputs, outputs);
    DmlError error = nullptr;
    DmlResult result = dmlRunFunction(
        program, index, inputs.data(), static_cast<uint32_t>(inputs.size()),
        outputs.data(), static_cast<uint32_t>(outputs.size()), &error);
    dmlDestroyError(error);
    return result;
  }

  const Options &options;
  Mutator &mutator;
  Shared &shared;
  Instance instance;
  Device device;
};

//===----------------------------------------------------------------------===//
// The process that watches
//===----------------------------------------------------------------------===//

/// The time that a process has needed since a case began. On a busy machine,
/// elapsed time alone is not meaningful, but only elapsed time shows that a
/// process waits forever.
class Stopwatch {
public:
  Stopwatch() = default;
  explicit Stopwatch(pid_t process)
      : process(process), wall(std::chrono::steady_clock::now()),
        processor(getProcessorTimeOf(process)) {}

  bool isOver(std::chrono::seconds limit) const {
    constexpr int kPatience = 20;
    return getProcessorTimeOf(process) - processor > limit ||
           std::chrono::steady_clock::now() - wall > kPatience * limit;
  }

private:
  static std::chrono::nanoseconds getProcessorTimeOf(pid_t process) {
    clockid_t clock{};
    timespec time{};
    if (clock_getcpuclockid(process, &clock) != 0 ||
        clock_gettime(clock, &time) != 0)
      return {};
    return std::chrono::seconds(time.tv_sec) +
           std::chrono::nanoseconds(time.tv_nsec);
  }

  pid_t process = 0;
  std::chrono::steady_clock::time_point wall;
  std::chrono::nanoseconds processor{};
};

struct Job {
  pid_t process = 0;
  Shared *shared = nullptr;
  /// The first case that is left to it.
  uint64_t first = 0, number = 0;
  bool isDone = false;
  /// The case that is under way, and since when.
  uint64_t begun = UINT64_MAX;
  Stopwatch since;
};

class Watcher {
public:
  Watcher(const Options &options, Mutator &mutator)
      : options(options), mutator(mutator) {}

  /// Whether nothing was wrong.
  bool run() {
    for (uint64_t i = 0; i < options.jobs; ++i) {
      Job job;
      job.shared = share();
      job.first = options.first;
      job.number = i;
      start(job);
      jobs.push_back(job);
    }
    auto printed = std::chrono::steady_clock::now();
    while (std::any_of(jobs.begin(), jobs.end(),
                       [](const Job &job) { return !job.isDone; })) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      for (Job &job : jobs)
        if (!job.isDone)
          watch(job);
      if (sum(&Shared::accepted) >= options.accepted)
        for (Job &job : jobs)
          stop(job);
      auto now = std::chrono::steady_clock::now();
      if (now - printed > std::chrono::seconds(60)) {
        printed = now;
        print();
      }
    }
    print();
    return sum(&Shared::wrong) == 0 && ends.empty();
  }

private:
  static Shared *share() {
    void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      fail(std::string("cannot share memory: ") + std::strerror(errno),
           kExitNo);
    return new (memory) Shared();
  }

  pid_t fork(Shared &shared, uint64_t first, uint64_t end, uint64_t jobs,
             uint64_t job) {
    pid_t process = ::fork();
    if (process < 0)
      fail(std::string("cannot begin a process: ") + std::strerror(errno),
           kExitNo);
    if (process > 0)
      return process;
    // This process ends where the watcher ends.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // A stack that is used up ends the process as any other fault does.
    int code = kExitFailed;
    try {
      Worker worker(options, mutator, shared);
      worker.work(first, end, jobs, job);
      code = 0;
    } catch (const Failure &failure) {
      std::fprintf(stderr, "dml-fuzz-reader: error: %s\n",
                   failure.message.c_str());
    }
    std::fflush(nullptr);
    std::_Exit(code);
  }

  void start(Job &job) {
    job.begun = UINT64_MAX;
    job.process = fork(*job.shared, job.first, options.first + options.count,
                       options.jobs, job.number);
  }

  static void stop(Job &job) {
    if (job.isDone)
      return;
    kill(job.process, SIGKILL);
    waitpid(job.process, nullptr, 0);
    job.isDone = true;
  }

  /// Waits for a process that has one case alone, and says how it ended.
  std::string runAlone(uint64_t index) {
    Shared *shared = share();
    pid_t process = fork(*shared, index, index + 1, 1, 0);
    Stopwatch watch(process);
    int status = 0;
    bool isKilled = false;
    while (waitpid(process, &status, WNOHANG) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (!isKilled && watch.isOver(getLimit())) {
        isKilled = true;
        kill(process, SIGKILL);
      }
    }
    munmap(shared, sizeof(Shared));
    return isKilled ? "too long" : describe(status);
  }

  std::chrono::seconds getLimit() const {
    return std::chrono::seconds(options.limit);
  }

  /// "" where a process ended as it should.
  static std::string describe(int status) {
    if (WIFSIGNALED(status))
      return std::string("signal ") + strsignal(WTERMSIG(status));
    int code = WEXITSTATUS(status);
    return code == 0 || code == kExitAgain
               ? ""
               : "exit code " + std::to_string(code);
  }

  void watch(Job &job) {
    int status = 0;
    pid_t ended = waitpid(job.process, &status, WNOHANG);
    if (ended == 0) {
      uint64_t begun = job.shared->begun;
      if (begun != job.begun) {
        job.begun = begun;
        job.since = Stopwatch(job.process);
      }
      if (!job.since.isOver(getLimit()))
        return;
      kill(job.process, SIGKILL);
      waitpid(job.process, nullptr, 0);
      finishCase(job, "too long");
      return;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      job.isDone = true;
      return;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == kExitFailed)
      fail("a process could not work", kExitNo);
    finishCase(job, describe(status));
  }

  /// Counts how a process ended, and goes on with the next case.
  void finishCase(Job &job, const std::string &cause) {
    uint64_t index = job.shared->current;
    job.first = index + 1;
    if (!cause.empty()) {
      constexpr const char *kStages[] = {"while it is made", "while it is read",
                                         "while it runs"};
      std::string where =
          kStages[static_cast<uint32_t>(job.shared->stage.load())];
      // What is found may be the doing of a case before.
      std::string alone = runAlone(index);
      bool isSame = !alone.empty();
      ++ends[cause + " " + where + (isSame ? "" : ", but not alone")];
      std::fprintf(stderr, "case %llu: %s %s%s\n",
                   static_cast<unsigned long long>(index), cause.c_str(),
                   where.c_str(), isSame ? "" : ", but not alone");
      // Makes the case once more, in a process that may end.
      if (!options.save.empty()) {
        pid_t process = ::fork();
        if (process == 0) {
          try {
            save(options, "end", index,
                 mutator.makeCase(options.seed, index, options.run));
          } catch (const Failure &failure) {
            std::fprintf(stderr, "dml-fuzz-reader: error: %s\n",
                         failure.message.c_str());
          }
          std::_Exit(0);
        }
        waitpid(process, nullptr, 0);
      }
    }
    if (job.first >= options.first + options.count)
      job.isDone = true;
    else
      start(job);
  }

  uint64_t sum(std::atomic<uint64_t> Shared::*member) const {
    uint64_t total = 0;
    for (const Job &job : jobs)
      total += job.shared->*member;
    return total;
  }

  void print() {
    double time = 0, mostTime = 0, mostMemory = 0;
    for (const Job &job : jobs) {
      time += job.shared->time;
      mostTime = std::max(mostTime, job.shared->mostTimeByte);
      mostMemory = std::max(mostMemory, job.shared->mostMemoryByte);
    }
    uint64_t made = sum(&Shared::made);
    auto number = [](uint64_t value) {
      return static_cast<unsigned long long>(value);
    };
    std::printf("%llu cases of seed %llu, %llu bytes: %llu accepted, %llu "
                "refused, %llu wrong\n",
                number(made), number(options.seed), number(sum(&Shared::bytes)),
                number(sum(&Shared::accepted)), number(sum(&Shared::refused)),
                number(sum(&Shared::wrong)));
    std::printf("reading took %.1f microseconds a case; of cases of 1 kB and "
                "more %.3f microseconds and %.1f bytes of memory for each byte "
                "at most\n",
                made ? time / static_cast<double>(made) : 0, mostTime,
                mostMemory);
    if (options.run)
      std::printf("%llu ran, %llu were abandoned as too long, %llu did not fit "
                  "the device, %llu functions are too large to be run\n",
                  number(sum(&Shared::ran)), number(sum(&Shared::overtime)),
                  number(sum(&Shared::unfit)), number(sum(&Shared::unrun)));
    uint64_t ended = 0;
    for (const auto &[cause, count] : ends)
      ended += count;
    std::printf("%llu processes ended%s\n", number(ended), ended ? ":" : "");
    for (const auto &[cause, count] : ends)
      std::printf("  %llu: %s\n", number(count), cause.c_str());
    std::fflush(stdout);
  }

  const Options &options;
  Mutator &mutator;
  std::vector<Job> jobs;
  std::map<std::string, uint64_t> ends;
};

void addSeeds(Mutator &mutator, const std::vector<std::string> &files) {
  std::vector<std::string> paths;
  for (const std::string &file : files) {
    if (!std::filesystem::is_directory(file)) {
      paths.push_back(file);
      continue;
    }
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(file))
      if (entry.is_regular_file() && entry.path().extension() == ".dmlx")
        paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  // Large ones are slow, and have little that small ones have not.
  constexpr size_t kMostBytes = 64 << 10;
  size_t left = 0;
  for (const std::string &path : paths) {
    Bytes bytes = readInput(path);
    if (bytes.size() > kMostBytes)
      ++left;
    else if (!mutator.addSeed(bytes))
      fail("'" + path + "' is no executable");
  }
  if (!files.empty() && left == paths.size())
    fail("among the files that are given is no executable (.dmlx) of at most " +
         std::to_string(kMostBytes) + " bytes");
  std::printf("%zu seeds", mutator.seedCount());
  if (left)
    std::printf("; %zu files of more than %zu bytes are left out", left,
                kMostBytes);
  std::printf("\n");
  std::fflush(stdout);
}

Option numberOption(std::string_view name, uint64_t &to, uint64_t least) {
  return {name, true, false, [&to, least](std::string_view text) {
            return parseNumber(text, to) && to >= least;
          }};
}

} // namespace

int main(int argc, char **argv) {
  return runMain("dml-fuzz-reader", [&] {
    Options options;
    std::string error;
    if (!parseCommandLine(argc, argv,
                          {flagOption("--help", options.help),
                           flagOption("-h", options.help),
                           numberOption("--seed", options.seed, 0),
                           numberOption("--first", options.first, 0),
                           numberOption("--count", options.count, 0),
                           numberOption("--accepted", options.accepted, 1),
                           numberOption("--jobs", options.jobs, 1),
                           numberOption("--limit", options.limit, 1),
                           flagOption("--run", options.run),
                           textOption("--device", options.device),
                           textOption("--save", options.save),
                           flagOption("--save-accepted", options.saveAccepted),
                           flagOption("--messages", options.messages)},
                          options.files, error))
      fail(error);
    if (options.help) {
      std::printf("%s%s", kHelp, kExitCodesHelp);
      return;
    }
    Mutator mutator;
    addSeeds(mutator, options.files);
    if (!options.save.empty())
      std::filesystem::create_directories(options.save);
    if (!Watcher(options, mutator).run())
      fail("something is wrong with some cases", kExitNo);
  });
}
