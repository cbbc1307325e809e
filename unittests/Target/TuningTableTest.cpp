//===- TuningTableTest.cpp - Tables of measured kernels -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/Target/TuningTable.h"
#include "gmock/gmock.h"

using namespace dml;
using testing::HasSubstr;
using testing::StartsWith;

static TunedKernel makeKernel(char digit) {
  TunedKernel kernel;
  kernel.dispatch = std::string(32, digit);
  kernel.operators = "dml.gemm";
  kernel.kernel = "{slice_tile = array<i64: 2, 2, 16, 4, 4>}";
  kernel.model = "{map_tile = {vector_bytes = 16 : i64}}";
  kernel.microseconds = 3.2114;
  kernel.modelMicroseconds = 4;
  kernel.candidates = 8;
  kernel.uses = 12;
  return kernel;
}

static TuningTable makeTuningTable() {
  TuningTable table;
  table.profile = "full,subgroupSize=32";
  table.device = "A \"GPU\"";
  table.uuid = std::string(32, '0');
  table.driver = "driver 1.2";
  return table;
}

static std::string getError(llvm::StringRef text) {
  llvm::Expected<TuningTable> table = TuningTable::parse(text);
  return table ? "" : llvm::toString(table.takeError());
}

/// A table with one kernel, in which `from` is replaced by `to`.
static std::string getErrorOfChange(llvm::StringRef from, llvm::StringRef to) {
  TuningTable table = makeTuningTable();
  table.add(makeKernel('a'));
  std::string text = table.str();
  size_t place = text.find(from.str());
  EXPECT_NE(place, std::string::npos) << from.str();
  text.replace(place, from.size(), to.str());
  return getError(text);
}

TEST(TuningTable, IsReadAsItIsWritten) {
  TuningTable table = makeTuningTable();
  table.add(makeKernel('b'));
  table.add(makeKernel('a'));
  llvm::Expected<TuningTable> read = TuningTable::parse(table.str());
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->str(), table.str());
  EXPECT_EQ(read->device, "A \"GPU\"");
  ASSERT_EQ(read->getKernels().size(), 2u);
  // Kernels stand in the order of their dispatches, and times have nanoseconds.
  EXPECT_EQ(read->getKernels()[0].dispatch, std::string(32, 'a'));
  EXPECT_EQ(read->getKernels()[0].microseconds, 3.211);
  EXPECT_EQ(read->getKernels()[0].uses, 12u);
}

TEST(TuningTable, FindsAndReplacesKernels) {
  TuningTable table = makeTuningTable();
  table.add(makeKernel('a'));
  EXPECT_EQ(table.find(std::string(32, 'b')), nullptr);
  TunedKernel other = makeKernel('a');
  other.kernel = "{}";
  table.add(other);
  ASSERT_EQ(table.getKernels().size(), 1u);
  EXPECT_EQ(table.find(std::string(32, 'a'))->kernel, "{}");
}

TEST(TuningTable, WritesAnyBytesAsText) {
  TuningTable table = makeTuningTable();
  table.device = "\xff\x01";
  EXPECT_EQ(getError(table.str()), "");
}

TEST(TuningTable, RefusesOtherTexts) {
  EXPECT_THAT(getError(""),
              StartsWith("it is no table of dml-tune: it is no JSON: "));
  EXPECT_THAT(getError("[]"), HasSubstr("no \"format\" = \"dml-tuning\""));
  EXPECT_THAT(getError("{\"format\": 1}"),
              HasSubstr("is no table of dml-tune"));
  EXPECT_EQ(getErrorOfChange("\"version\": 1", "\"version\": 2"),
            "the table has \"version\" = 2, but wanted is 1");
  EXPECT_EQ(getErrorOfChange("\"uuid\"", "\"other\""),
            "the table has no \"uuid\", but wanted is a text");
  EXPECT_EQ(getErrorOfChange("\"kernels\"", "\"others\""),
            "the table has no \"kernels\", but wanted is an array");
  EXPECT_EQ(getErrorOfChange("aaaa", "xyz"),
            "kernel 0 of the table has \"dispatch\" = "
            "\"xyzaaaaaaaaaaaaaaaaaaaaaaaaaaaa\", but wanted is 32 "
            "hexadecimal digits");
  EXPECT_EQ(getErrorOfChange("\"uses\": 12", "\"uses\": -1"),
            "kernel 0 of the table has \"uses\" = -1, but wanted is an integer "
            "of 0 to 4294967295");
  EXPECT_EQ(getErrorOfChange("3.211", "-3"),
            "kernel 0 of the table has \"microseconds\" = -3, but wanted "
            "is a number of at least 0");
}

TEST(TuningTable, RefusesTwoKernelsOfOneDispatch) {
  TuningTable table = makeTuningTable();
  table.add(makeKernel('a'));
  table.add(makeKernel('b'));
  std::string text = table.str();
  size_t place = text.find(std::string(32, 'b'));
  text.replace(place, 32, std::string(32, 'a'));
  EXPECT_EQ(getError(text), "kernel 1 of the table is a second one for the "
                            "dispatch " +
                                std::string(32, 'a'));
}

TEST(TuningTable, RefusesDeepNesting) {
  // The parser of JSON would need as many stack frames as there are brackets.
  EXPECT_EQ(getError(std::string(1 << 20, '[')),
            "it is no table of dml-tune: its brackets nest too deeply");
  EXPECT_EQ(getError("\"" + std::string(1 << 20, '[') + "\"").substr(0, 40),
            "it is no table of dml-tune: it has no \"f");
}

TEST(TuningTable, RefusesLongTexts) {
  EXPECT_THAT(getError(std::string(TuningTable::maxBytes + 1, ' ')),
              HasSubstr("but wanted are at most 16777216"));
}

TEST(TuningTable, SurvivesEveryCut) {
  TuningTable table = makeTuningTable();
  table.add(makeKernel('a'));
  std::string text = table.str();
  // The last byte is the end of the line.
  for (size_t size = 0; size + 2 < text.size(); ++size)
    EXPECT_NE(getError(llvm::StringRef(text).take_front(size)), "");
}

TEST(TuningTable, NamesTheFileThatCannotBeRead) {
  llvm::Expected<TuningTable> table = TuningTable::read("/nonexistent/table");
  ASSERT_FALSE(bool(table));
  EXPECT_THAT(llvm::toString(table.takeError()),
              StartsWith("the table of kernels '/nonexistent/table': "));
}
