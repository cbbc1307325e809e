//===- Trace.cpp - The times of runs in a file ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Trace.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

using namespace dml::session;

enum : unsigned { hostProcess = 0, deviceProcess = 1 };

Trace::Trace(const char *path, std::error_code &error)
    : path(path), file(path, error, llvm::sys::fs::OF_None) {}

Expected<std::unique_ptr<Trace>> Trace::create(const char *path) {
  std::error_code error;
  std::unique_ptr<Trace> trace(new Trace(path, error));
  if (error)
    return makeError(DML_ERROR_IO, "cannot write the trace '",
                     runtime::escape(path), "': ", error.message());
  trace->file << R"([{"name":"process_name","ph":"M","pid":0,)"
              << R"("args":{"name":"host"}})"
              << R"(,{"name":"process_name","ph":"M","pid":1,)"
              << R"("args":{"name":"device"}})";
  return trace;
}

Trace::~Trace() {
  file << "\n]\n";
  file.flush();
  // The stream's destructor ends the process on an error that nobody cleared.
  file.clear_error();
}

void Trace::addEvent(const char *name, unsigned process, unsigned row,
                     uint64_t begin, uint64_t end, const DmlStepInfo *step) {
  llvm::json::Object event{{"name", llvm::json::fixUTF8(name)},
                           {"ph", "X"},
                           {"pid", process},
                           {"tid", row},
                           {"ts", static_cast<double>(begin) / 1000},
                           {"dur", static_cast<double>(end - begin) / 1000}};
  if (step)
    event["args"] =
        llvm::json::Object{{"operators", llvm::json::fixUTF8(step->label)},
                           {"bytes", step->boundSize}};
  file << ",\n" << llvm::json::Value(std::move(event));
}

void Trace::add(const DmlRunTimes &times, Messages &messages) {
  std::lock_guard<std::mutex> lock(mutex);
  if (file.has_error())
    return;
  if (!origin)
    origin = times.submitTime;
  unsigned row =
      rows.try_emplace(std::this_thread::get_id(), rows.size()).first->second;
  // Another thread may have submitted its run before the first one that ended.
  uint64_t begin = std::max(times.submitTime, *origin) - *origin;
  uint64_t end = std::max(times.finishTime, *origin) - *origin;
  addEvent("run", hostProcess, row, begin, end, nullptr);
  for (uint32_t i = 0; i < times.stepCount; ++i) {
    const DmlStepInfo &step = times.steps[i];
    addEvent(step.kind == DML_STEP_KIND_COPY ? "copy" : step.kernel,
             deviceProcess, row, begin + times.times[i].begin,
             begin + times.times[i].end, &step);
  }
  file.flush();
  if (file.has_error())
    messages.warn("cannot write the trace '" + runtime::escape(path) +
                  "': " + file.error().message());
}
