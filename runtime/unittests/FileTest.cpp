//===- FileTest.cpp - Full disks and writers that are ended ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/File.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace dml::tools;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// A folder of the test's own, in which there is the file "kept".
class Files : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "dml-files-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    kept = folder + "/kept";
    std::ofstream(kept) << "what stood there before";
  }
  void TearDown() override {
    for (const std::string &name : list())
      unlink((folder + "/" + name).c_str());
    rmdir(folder.c_str());
  }

  std::vector<std::string> list() {
    std::vector<std::string> names;
    DIR *entries = opendir(folder.c_str());
    while (dirent *entry = readdir(entries))
      if (entry->d_name[0] != '.')
        names.push_back(entry->d_name);
    closedir(entries);
    return names;
  }
  std::string read() {
    std::ifstream file(kept, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void expectUntouched() {
    EXPECT_EQ(read(), "what stood there before");
    EXPECT_THAT(list(), ElementsAre("kept"));
  }

  std::string folder, kept;
};

using Pieces = std::vector<std::pair<const void *, size_t>>;

} // namespace

TEST_F(Files, KeepWhatStandsThereWhereTheDiskIsFull) {
  std::string bytes(100'000, 'x'), error;
  rlimit before, small;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = bytes.size() / 2;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  bool good = writeFile(kept, {{bytes.data(), bytes.size()}}, error);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_FALSE(good);
  EXPECT_EQ(error, "cannot write '" + kept + "': File too large");
  expectUntouched();

  EXPECT_FALSE(writeFile("/dev/full", {{bytes.data(), bytes.size()}}, error));
  EXPECT_EQ(error, "cannot write '/dev/full': No space left on device");
}

TEST_F(Files, KeepWhatStandsThereWhereTheWriterIsEnded) {
  // So many calls of write that a signal comes while they go on.
  Pieces pieces(4'000'000, {"0123456789abcdef", 16});
  for (bool onOtherThread : {false, true})
    for (int signal : {SIGTERM, SIGINT, SIGHUP}) {
      SCOPED_TRACE(testing::Message()
                   << strsignal(signal)
                   << (onOtherThread ? ", another thread gets it" : ""));
      pid_t child = fork();
      if (child == 0) {
        std::signal(signal, SIG_DFL);
        std::string error;
        std::thread writer;
        if (onOtherThread) {
          // The thread that receives the signals only waits. The main thread of
          // a tool does not, but the threads of a driver do.
          writer = std::thread([&] {
            sigset_t all;
            sigfillset(&all);
            pthread_sigmask(SIG_BLOCK, &all, nullptr);
            (void)writeFile(kept, pieces, error);
            _exit(1);
          });
          for (;;)
            pause();
        }
        (void)writeFile(kept, pieces, error);
        _exit(1);
      }
      ASSERT_GT(child, 0);
      for (int i = 0; i < 10'000 && list().size() < 2; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_EQ(list().size(), 2u) << "it has not begun";
      kill(child, signal);
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFSIGNALED(status)) << "it has ended before";
      EXPECT_EQ(WTERMSIG(status), signal);
      expectUntouched();
    }
}

/// The signal comes at any moment, that in which the file is made included.
TEST_F(Files, LeaveNothingBesideThemWheneverTheWriterIsEnded) {
  std::string bytes(16, 'x');
  for (int round = 0; round < 100; ++round) {
    pid_t child = fork();
    if (child == 0) {
      std::thread writer([&] {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
        for (;;) {
          std::string error;
          (void)writeFile(kept, {{bytes.data(), bytes.size()}}, error);
        }
      });
      for (;;)
        pause();
    }
    ASSERT_GT(child, 0);
    std::this_thread::sleep_for(std::chrono::microseconds(1000 + 73 * round));
    kill(child, SIGTERM);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_THAT(list(), ElementsAre("kept")) << "round " << round;
  }
}
