//===- Progress.cpp - What a tool is doing --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Progress.h"

#include "support/Escape.h"

#include <unistd.h>

#ifdef _WIN32
#include <io.h>
#include <windows.h>
#endif

using namespace dml::tools;

bool dml::tools::isTerminal(int descriptor) { return isatty(descriptor); }

/// Whether a line that is written to `descriptor` can be cleared again.
static bool canClear(int descriptor) {
  if (!isTerminal(descriptor))
    return false;
#ifdef _WIN32
  auto console = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
  DWORD mode = 0;
  return GetConsoleMode(console, &mode) &&
         SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
#else
  return true;
#endif
}

Progress::Progress(std::string tool, int descriptor,
                   std::chrono::milliseconds patience)
    : tool(std::move(tool)), descriptor(descriptor), patience(patience) {
  if (canClear(descriptor))
    thread = std::thread([this] { run(); });
}

Progress::~Progress() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  changed.notify_all();
  thread.join();
  clear();
}

void Progress::begin(const std::string &newWork) {
  set(newWork, /*isNew=*/true);
}

void Progress::advance(const std::string &newWork) {
  set(newWork, /*isNew=*/false);
}

void Progress::set(const std::string &newWork, bool isNew) {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    // After clear(), no work goes on.
    if (isNew || work.empty())
      start = Clock::now();
    work = newWork;
  }
  changed.notify_all();
}

void Progress::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  if (isShown)
    write("\033[K");
  isShown = false;
  work.clear();
}

void Progress::run() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!isOver) {
    if (work.empty()) {
      changed.wait(lock);
      continue;
    }
    auto passed = Clock::now() - start;
    if (passed >= patience || isShown) {
      auto seconds =
          std::chrono::duration_cast<std::chrono::seconds>(passed).count();
      // Text that another program writes meanwhile goes over this line.
      write("\r\033[K" + tool + ": " + escapeControls(work) + ", " +
            std::to_string(seconds) + " s\r");
      isShown = true;
      changed.wait_for(lock, std::chrono::seconds(1));
    } else {
      changed.wait_for(lock, patience - passed);
    }
  }
}

void Progress::write(const std::string &text) {
  // A line of progress that cannot be shown is not needed.
  if (::write(descriptor, text.data(), text.size()) < 0)
    isOver = true;
}
