//===- Survival.cpp - Cases in child processes ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Survival.h"
#include "support/ExitCode.h"
#include "support/Plural.h"
#include "support/ToolError.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace mlir;

namespace dml::fuzz {

/// A case that takes longer hangs. A child may hang where it crashes, too.
static constexpr unsigned secondsPerCase = 30, secondsPerChild = 300;
/// The first and the last line of a child that lives.
static constexpr llvm::StringLiteral beginOfChild = "begin";
static constexpr llvm::StringLiteral endOfChild = "end";

/// A message less what differs between cases, to count alike ones together.
static std::string getReason(StringRef message) {
  std::string reason;
  for (StringRef word :
       llvm::split(message.take_until([](char c) { return c == '\n'; }), ' ')) {
    if (llvm::all_of(word.rtrim(",;:()"), llvm::isAlpha))
      reason += (word + " ").str();
    else if (!StringRef(reason).ends_with("_ "))
      reason += "_ ";
  }
  return reason;
}

int runSurvivalChild(uint64_t seed, uint64_t count,
                     llvm::function_ref<Outcome(uint64_t, bool &)> run) {
  llvm::outs() << beginOfChild << "\n";
  llvm::outs().flush();
  // The stack of a hang is shown like that of a crash.
  std::signal(SIGALRM, [](int) { std::abort(); });
  bool isLast = false;
  for (uint64_t i = 0; i < count && !isLast; ++i) {
    alarm(secondsPerCase);
    Outcome outcome = run(seed + i, isLast);
    alarm(0);
    std::string message =
        outcome.isDefect() ? outcome.message : getReason(outcome.message);
    llvm::replace(message, '\n', ' ');
    llvm::outs() << static_cast<int>(outcome.kind) << " " << message << "\n";
    llvm::outs().flush();
  }
  llvm::outs() << endOfChild << "\n";
  llvm::outs().flush();
  return tools::kExitDone;
}

namespace {
class SurvivalRun {
public:
  explicit SurvivalRun(const SurvivalOptions &options) : options(options) {}

  int run();

private:
  using Clock = std::chrono::steady_clock;

  bool isOver() const {
    return (options.count && numCases >= options.count) ||
           (options.maxDefects && numDefects >= options.maxDefects) ||
           (options.maxSeconds &&
            Clock::now() - begin >= std::chrono::seconds(options.maxSeconds));
  }
  LogicalResult runChild();
  void countCase(StringRef line);
  void reportCase(StringRef message, StringRef details);
  void showProgress();

  const SurvivalOptions &options;
  Clock::time_point begin = Clock::now();
  uint64_t numCases = 0, numDefects = 0, numParserCrashes = 0;
  std::array<uint64_t, Outcome::numKinds> counts = {};
  llvm::StringMap<uint64_t> reasons;
};
} // namespace

void SurvivalRun::showProgress() {
  auto count = [&](Outcome::Kind kind) { return counts[kind]; };
  llvm::errs() << "dml-fuzz: " << tools::printCount(numCases, "case") << ", "
               << tools::printCount(numDefects, "failure") << ", "
               << count(Outcome::Rejected) << " rejected, "
               << count(Outcome::Refused) << " refused, "
               << count(Outcome::Accepted) << " accepted, "
               << count(Outcome::Agreed) << " run";
  if (numParserCrashes)
    llvm::errs() << ", " << numParserCrashes << " died in MLIR's parser";
  llvm::errs() << "\n";
}

/// Reports the case that is next to count, and has it written to a file.
void SurvivalRun::reportCase(StringRef message, StringRef details) {
  ++numDefects;
  uint64_t seed = options.seed + numCases;
  llvm::outs() << "case " << seed << ": " << message << "\n" << details;
  llvm::outs().flush();
  std::vector<std::string> command = options.command;
  command.insert(command.end(),
                 {"--seed=" + std::to_string(seed), "--write-case"});
  SmallVector<StringRef> arguments(command.begin(), command.end());
  (void)llvm::sys::ExecuteAndWait(command.front(), arguments);
}

void SurvivalRun::countCase(StringRef line) {
  unsigned kind = Outcome::Failed;
  if (line.consumeInteger(10, kind) || kind >= Outcome::numKinds)
    kind = Outcome::Failed;
  StringRef message = line.ltrim();
  ++counts[kind];
  if (Outcome{static_cast<Outcome::Kind>(kind), ""}.isDefect())
    reportCase(message, "");
  else if (!message.empty())
    ++reasons[message];
  ++numCases;
}

/// Whether a stack shows a crash in MLIR's parser of text, without code of dml
/// above it. The parser is not made for damaged files, so that such a crash
/// does not count. MLIR's reader of bytecode has dml's checks in front of it.
static bool isCrashOfParser(StringRef stack) {
  auto [frames, callers] = stack.split("mlir::parseSourceFile");
  return !callers.empty() && !stack.contains("dml::parseBytecode") &&
         llvm::none_of(llvm::split(frames, '\n'), [](StringRef frame) {
           return frame.contains("dml::") && !frame.contains("dml::fuzz::");
         });
}

LogicalResult SurvivalRun::runChild() {
  uint64_t wanted = options.casesPerChild;
  if (options.count)
    wanted = std::min(wanted, options.count - numCases);
  SmallString<128> paths[2];
  for (SmallString<128> &path : paths)
    if (auto error = llvm::sys::fs::createTemporaryFile("dml-fuzz", "", path)) {
      tools::emitToolError("no temporary file: " + error.message());
      return failure();
    }
  auto remove = llvm::scope_exit([&] {
    for (SmallString<128> &path : paths)
      (void)llvm::sys::fs::remove(path);
  });

  std::vector<std::string> command = options.command;
  command.insert(command.end(),
                 {"--in-process",
                  "--seed=" + std::to_string(options.seed + numCases),
                  "--count=" + std::to_string(wanted)});
  SmallVector<StringRef> arguments(command.begin(), command.end());
  // AddressSanitizer reserves memory of its own.
  unsigned maxMegabytes =
      LLVM_ADDRESS_SANITIZER_BUILD ? 0 : options.maxMegabytes;
  std::string error;
  int result = llvm::sys::ExecuteAndWait(
      command.front(), arguments, /*Env=*/std::nullopt,
      {StringRef(""), paths[0].str(), paths[1].str()}, secondsPerChild,
      maxMegabytes, &error);
  auto read = [](StringRef path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? std::move(*buffer) : llvm::MemoryBuffer::getMemBuffer("");
  };
  auto output = read(paths[0]), details = read(paths[1]);
  bool hasBegun = false, isComplete = false;
  for (StringRef line : llvm::split(output->getBuffer(), '\n')) {
    if (line == beginOfChild)
      hasBegun = true;
    else if (line == endOfChild)
      isComplete = true;
    else if (!line.empty())
      countCase(line);
  }
  if (isComplete && result == 0)
    return success();
  if (error.empty())
    error = "the process ends with " + std::to_string(result);
  if (!hasBegun) {
    llvm::errs() << details->getBuffer();
    if (details->getBuffer().empty())
      tools::emitToolError(error);
    return failure();
  }
  if (isCrashOfParser(details->getBuffer())) {
    llvm::outs() << "case " << options.seed + numCases
                 << ": MLIR's parser crashes\n";
    ++numParserCrashes;
    ++numCases;
    return success();
  }
  if (isComplete) { // A sanitizer's last word, on no case alone.
    ++numDefects;
    llvm::outs() << error << "\n" << details->getBuffer();
    return success();
  }
  reportCase(error, details->getBuffer());
  ++counts[Outcome::Failed];
  ++numCases;
  return success();
}

int SurvivalRun::run() {
  Clock::time_point lastProgress = begin;
  while (!isOver()) {
    if (failed(runChild()))
      return tools::kExitNo;
    if (llvm::errs().is_displayed() &&
        Clock::now() - lastProgress > std::chrono::seconds(5)) {
      lastProgress = Clock::now();
      showProgress();
    }
  }
  std::vector<std::pair<uint64_t, StringRef>> sorted;
  for (const auto &reason : reasons)
    sorted.emplace_back(reason.second, reason.first());
  llvm::sort(sorted, std::greater<>());
  for (auto [count, reason] : sorted)
    llvm::outs() << count << "\t" << reason.rtrim() << "\n";
  llvm::outs().flush();
  showProgress();
  return numDefects ? tools::kExitNo : tools::kExitDone;
}

int runSurvival(const SurvivalOptions &options) {
  return SurvivalRun(options).run();
}

} // namespace dml::fuzz
