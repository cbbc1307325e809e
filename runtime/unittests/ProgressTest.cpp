//===- ProgressTest.cpp - Progress on a terminal of its own ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Progress.h"

#include "gtest/gtest.h"

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

using namespace dml::tools;

TEST(Progress, TellsATerminalWhatTakesLong) {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  int shown = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  ASSERT_GE(shown, 0);
  fcntl(terminal, F_SETFL, O_NONBLOCK);
  auto read = [&] {
    char text[256];
    ssize_t size = ::read(terminal, text, sizeof(text));
    return std::string(text, size > 0 ? static_cast<size_t>(size) : 0);
  };
  {
    Progress patient("tool", shown);
    patient.begin("short work");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(read(), "");
  {
    Progress progress("tool", shown, std::chrono::milliseconds(1));
    progress.begin("long work");
    std::string text;
    for (int i = 0; i < 500 && text.empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      text = read();
    }
    EXPECT_EQ(text, "\r\033[Ktool: long work, 0 s\r");
  }
  EXPECT_EQ(read(), "\033[K");
  {
    // Parts that are shorter than the patience, of work that is longer.
    Progress progress("tool", shown, std::chrono::milliseconds(200));
    progress.begin("work");
    std::string text;
    for (int i = 0; i < 500 && text.empty(); ++i) {
      progress.advance("work, part " + std::to_string(i));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      text = read();
    }
    EXPECT_EQ(text.rfind("\r\033[Ktool: work, part ", 0), 0u) << text;
  }
  read();
  close(shown);
  close(terminal);

  // No terminal, no progress.
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  {
    Progress progress("tool", pipes[1], std::chrono::milliseconds(0));
    progress.begin("work");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  close(pipes[1]);
  char byte = 0;
  EXPECT_EQ(::read(pipes[0], &byte, 1), 0);
  close(pipes[0]);
}
