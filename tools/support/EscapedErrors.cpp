//===- EscapedErrors.cpp - Standard error of foreign drivers --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/EscapedErrors.h"
#include "support/Escape.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <unistd.h>

using namespace dml::tools;

EscapedErrors::EscapedErrors() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return;
  int duplicate = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  if (duplicate < 0 || dup2(ends[1], STDERR_FILENO) < 0) {
    close(ends[0]);
    close(ends[1]);
    if (duplicate >= 0)
      close(duplicate);
    return;
  }
  close(ends[1]);
  original = duplicate;
  thread = std::thread(copy, ends[0], original);
}

void EscapedErrors::finish() {
  if (!thread.joinable())
    return;
  std::fflush(stderr);
  // The pipe has no writer left: the thread ends when it has read all.
  stop();
  thread.join();
}

void EscapedErrors::stop() const {
  if (original != STDERR_FILENO)
    dup2(original, STDERR_FILENO);
}

void EscapedErrors::copy(int from, int to) {
  std::string text;
  char bytes[4096];
  while (true) {
    ssize_t count = read(from, bytes, sizeof(bytes));
    if (count < 0 && errno == EINTR)
      continue;
    if (count > 0)
      text.append(bytes, count);
    // The first bytes of a character wait for the others.
    std::string rest;
    if (count > 0) {
      size_t cut = getCutLength(text);
      rest = text.substr(text.size() - cut);
      text.resize(text.size() - cut);
    }
    std::string escaped = escapeControls(text);
    for (size_t begin = 0; begin < escaped.size();) {
      ssize_t written =
          write(to, escaped.data() + begin, escaped.size() - begin);
      if (written < 0 && errno != EINTR)
        break;
      begin += written > 0 ? written : 0;
    }
    text = rest;
    if (count <= 0)
      break;
  }
  close(from);
}
