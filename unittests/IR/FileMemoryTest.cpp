//===- FileMemoryTest.cpp - Files that are read as they are wanted --------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/FileMemory.h"
#include "gmock/gmock.h"

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

using namespace dml;
using testing::HasSubstr;

namespace {

constexpr size_t size = 5'000'001;
constexpr size_t block = 1 << 16;

/// The byte that the file has at `index`.
char getByte(size_t index) {
  return static_cast<char>(index * 7 + index / block);
}

class FileMemoryTest : public testing::Test {
protected:
  void SetUp() override {
    path = testing::TempDir() + "dml-file-memory-" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
    std::string bytes(size, 0);
    for (size_t i = 0; i < size; ++i)
      bytes[i] = getByte(i);
    std::ofstream(path, std::ios::binary) << bytes;
    auto opened = FileMemory::open(path);
    ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
    memory = std::move(*opened);
  }
  void TearDown() override { std::filesystem::remove(path); }

  void expectBytes(size_t begin, size_t end) {
    FileMemory::want({memory->getBufferStart() + begin, end - begin});
    for (size_t i = begin; i < end; ++i)
      ASSERT_EQ(memory->getBufferStart()[i], getByte(i)) << i;
  }

  std::string path;
  std::unique_ptr<FileMemory> memory;
};

TEST_F(FileMemoryTest, ReadsWhatIsWanted) {
  EXPECT_EQ(memory->getBufferSize(), size);
  EXPECT_EQ(memory->getBufferIdentifier(), path);
  EXPECT_EQ(memory->countReadBytes(), 0u);
  expectBytes(10, 20);
  EXPECT_EQ(memory->countReadBytes(), block);
  // From one block to the next, and the last of all bytes.
  expectBytes(3 * block - 1, 3 * block + 1);
  expectBytes(size - 1, size);
  EXPECT_EQ(memory->countReadBytes(), 4 * block);
  expectBytes(0, size);
  EXPECT_EQ(memory->getState()->getError(), "");
  // Of other memory nothing is known.
  char other[2] = {1, 2};
  FileMemory::want(other);
  EXPECT_EQ(FileMemory::find(other), nullptr);
  EXPECT_EQ(FileMemory::find(memory->getBufferStart()), memory.get());
  EXPECT_EQ(FileMemory::find(memory->getBufferEnd()), nullptr);
}

TEST_F(FileMemoryTest, AFileThatIsCutOffIsAnError) {
  expectBytes(0, 1);
  std::filesystem::resize_file(path, 3 * block + 5);
  expectBytes(2 * block, 3 * block);
  EXPECT_EQ(memory->getState()->getError(), "");
  const char *lost = memory->getBufferStart() + 4 * block;
  FileMemory::want({lost, 1});
  EXPECT_EQ(*lost, 0);
  EXPECT_THAT(memory->getState()->getError(),
              HasSubstr("cannot read '" + path +
                        "': it ends at byte 262144, "
                        "but had 5000001 bytes when it was opened"));
  // What was read before stays.
  EXPECT_EQ(*memory->getBufferStart(), getByte(0));
  std::shared_ptr<FileMemory::State> state = memory->getState();
  memory.reset();
  EXPECT_NE(state->getError(), "");
}

TEST_F(FileMemoryTest, ThreadsMayWantTheSameBytes) {
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (size_t begin = i * 1000; begin + 3000 < size; begin += 100'000)
        expectBytes(begin, begin + 3000);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(FileMemoryTest, ReadsWhatAProgramHas) {
  bool fails = false;
  std::vector<size_t> pieces;
  auto created = FileMemory::create(
      size,
      [&](uint64_t offset,
          llvm::MutableArrayRef<char> piece) -> llvm::Expected<size_t> {
        if (fails)
          return llvm::createStringError("the disk is gone");
        pieces.push_back(piece.size());
        for (size_t i = 0; i < piece.size(); ++i)
          piece[i] = getByte(offset + i);
        return piece.size();
      });
  ASSERT_TRUE(bool(created)) << llvm::toString(created.takeError());
  memory = std::move(*created);
  expectBytes(block + 1, block + 2);
  EXPECT_EQ(pieces, std::vector<size_t>{block});
  fails = true;
  FileMemory::want({memory->getBufferStart() + 3 * block, 1});
  EXPECT_EQ(memory->getState()->getError(), "the disk is gone");
}

TEST_F(FileMemoryTest, RefusesWhatIsNoFile) {
  auto message = [](const std::string &path) {
    auto opened = FileMemory::open(path);
    return opened ? "" : llvm::toString(opened.takeError());
  };
  EXPECT_THAT(message("/"), HasSubstr("cannot open input file '/'"));
  EXPECT_THAT(message(path + "-none"), HasSubstr("-none'"));
  std::ofstream(path, std::ios::trunc);
  auto empty = FileMemory::open(path);
  ASSERT_TRUE(bool(empty));
  EXPECT_EQ((*empty)->getBufferSize(), 0u);
}

} // namespace
