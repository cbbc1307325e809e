//===- ToolSupportTest.cpp - Literals, halves and .npy files --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "support/Compare.h"
#include "support/Escape.h"
#include "support/File.h"
#include "support/Half.h"
#include "support/HostTensor.h"
#include "support/Json.h"
#include "support/Npy.h"
#include "support/TensorLiteral.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <unistd.h>

using namespace dml::tools;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

HostTensor parse(const std::string &text) {
  std::string error;
  std::optional<HostTensor> tensor = parseLiteral(text, error);
  EXPECT_TRUE(tensor) << text << ": " << error;
  return tensor.value_or(HostTensor());
}

std::string parseError(const std::string &text) {
  std::string error;
  EXPECT_FALSE(parseLiteral(text, error)) << text;
  return error;
}

template <typename T> std::vector<T> values(const HostTensor &tensor) {
  std::vector<T> result(tensor.data.size() / sizeof(T));
  std::memcpy(result.data(), tensor.data.data(), tensor.data.size());
  return result;
}

#ifdef _WIN32
constexpr const char *kNull = "NUL", *kFolderIsRead = "Permission denied";
#else
constexpr const char *kNull = "/dev/null", *kFolderIsRead = "directory";
#endif

std::string path(const std::string &name) {
  return testing::TempDir() + "dml-" + std::to_string(getpid()) + "-" + name;
}

void save(const std::string &name, const std::string &bytes) {
  std::ofstream(name, std::ios::binary) << bytes;
}

/// A .npy file of version 1 with this header and data.
std::string npy(const std::string &header, const std::string &data,
                char version = 1) {
  std::string bytes = std::string("\x93NUMPY", 6) + version + '\0';
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  if (version > 1)
    bytes += std::string(2, '\0');
  return bytes + header + data;
}

std::optional<HostTensor> readBytes(const std::string &bytes,
                                    std::string &error) {
  std::string file = path("read.npy");
  save(file, bytes);
  auto tensor = readNpy(file, error);
  std::remove(file.c_str());
  return tensor;
}

std::string npyError(const std::string &bytes) {
  std::string error;
  EXPECT_FALSE(readBytes(bytes, error));
  return error;
}

} // namespace

TEST(Half, IsExactBothWays) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double value = fromHalf(static_cast<uint16_t>(bits));
    if (!std::isnan(value))
      ASSERT_EQ(toHalf(value), bits);
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(toHalf(1.0 + 0x1p-11), 0x3c00);           // tie, to even
  EXPECT_EQ(toHalf(1.0 + 0x1.8p-10), 0x3c02);         // tie, to even
  EXPECT_EQ(toHalf(1.0 + 0x1p-11 + 0x1p-40), 0x3c01); // just above
  EXPECT_EQ(toHalf(65519.99), 0x7bff);
  EXPECT_EQ(toHalf(65520), 0x7c00);
  EXPECT_EQ(toHalf(0x1p-25), 0x0000);
  EXPECT_EQ(toHalf(0x1.8p-25), 0x0001);
  EXPECT_EQ(toHalf(0x1.ffcp-15 + 0x1p-25), 0x0400); // up to a normal number
  EXPECT_EQ(toHalf(-std::numeric_limits<double>::infinity()), 0xfc00);
}

DmlTensorInfo describe(DmlDataType type, const std::vector<uint32_t> &sizes,
                       const std::vector<uint64_t> &strides) {
  DmlTensorInfo info{};
  info.dataType = type;
  info.rank = static_cast<uint32_t>(sizes.size());
  info.sizes = sizes.data();
  info.strides = strides.data();
  info.elementCount = *countElements(type, sizes);
  return info;
}

TEST(HostTensor, HasLayouts) {
  std::vector<uint32_t> sizes = {2, 1, 3};
  std::vector<uint64_t> packed = {3, 77, 1}, padded = {5, 9, 2},
                        transposed = {1, 0, 2}, repeated = {0, 0, 1};
  std::vector<uint8_t> elements = {1, 2, 3, 4, 5, 6};
  EXPECT_TRUE(isPacked(describe(DML_DATA_TYPE_INT8, sizes, packed)));
  EXPECT_FALSE(isPacked(describe(DML_DATA_TYPE_INT8, sizes, padded)));
  EXPECT_FALSE(isPacked(describe(DML_DATA_TYPE_INT8, sizes, transposed)));
  auto check = [&](DmlDataType type, const std::vector<uint64_t> &strides,
                   const std::vector<uint8_t> &data,
                   const std::vector<uint8_t> &wanted) {
    DmlTensorInfo info = describe(type, sizes, strides);
    EXPECT_EQ(applyLayout(info, data), wanted);
    EXPECT_EQ(removeLayout(info, wanted), data);
  };
  check(DML_DATA_TYPE_INT8, packed, elements, elements);
  check(DML_DATA_TYPE_INT8, padded, elements, {1, 0, 2, 0, 3, 4, 0, 5, 0, 6});
  check(DML_DATA_TYPE_INT8, transposed, elements, {1, 4, 2, 5, 3, 6});
  check(DML_DATA_TYPE_INT8, repeated, {1, 2, 3, 1, 2, 3}, {1, 2, 3});
  check(DML_DATA_TYPE_INT16, transposed, {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6},
        {1, 1, 4, 4, 2, 2, 5, 5, 3, 3, 6, 6});
  // Two elements share a byte.
  check(DML_DATA_TYPE_UINT4, transposed, {0x21, 0x43, 0x65},
        {0x41, 0x52, 0x63});
  check(DML_DATA_TYPE_UINT4, repeated, {0x21, 0x13, 0x32}, {0x21, 0x03});
  // One place has one element.
  EXPECT_EQ(
      applyLayout(describe(DML_DATA_TYPE_INT8, sizes, repeated), elements),
      std::nullopt);
}

TEST(TensorLiteral, PacksFourBits) {
  HostTensor tensor = parse("5xi4=[1 -2 7 -8 0x3]");
  EXPECT_THAT(tensor.data, ElementsAre(0xe1, 0x87, 0x03));
  EXPECT_EQ(printElements(tensor), "[1 -2 7 -8 3]");
  tensor = parse("3x1xui4=15");
  EXPECT_THAT(tensor.data, ElementsAre(0xff, 0x0f));
  EXPECT_EQ(printElements(tensor), "[[15]\n [15]\n [15]]");
  EXPECT_THAT(parseError("1xi4=8"), HasSubstr("'8' is out of the range of i4"));
  EXPECT_THAT(parseError("1xi4=-9"), HasSubstr("out of the range of i4"));
  EXPECT_THAT(parseError("1xui4=16"), HasSubstr("out of the range of ui4"));
  EXPECT_THAT(parseError("1xui4=-1"), HasSubstr("out of the range of ui4"));
}

TEST(Npy, HasNoFourBits) {
  std::string error;
  EXPECT_FALSE(writeNpy(path("nibbles.npy"), parse("2xi4=1"), error));
  EXPECT_THAT(error, HasSubstr("NumPy's format has no dtype for i4"));
}

TEST(TensorLiteral, ParsesElementsAndSplats) {
  HostTensor tensor = parse("2x3xf32=[[1, 2.5 -3] [4e1 +5 .5]]");
  EXPECT_THAT(tensor.sizes, ElementsAre(2, 3));
  EXPECT_THAT(values<float>(tensor), ElementsAre(1, 2.5, -3, 40, 5, .5));
  EXPECT_THAT(values<int8_t>(parse("4xi8=-128")),
              ElementsAre(-128, -128, -128, -128));
  EXPECT_THAT(values<int32_t>(parse("1xsi32=7")), ElementsAre(7));
  EXPECT_THAT(values<double>(parse("f64=1e-300")), ElementsAre(1e-300));
  EXPECT_THAT(values<uint64_t>(parse("2xui64=18446744073709551615 0xff")),
              ElementsAre(UINT64_MAX, 255));
  EXPECT_THAT(values<int64_t>(parse("1xi64=-9223372036854775808")),
              ElementsAre(INT64_MIN));
  EXPECT_THAT(values<uint16_t>(parse("3xf16=1 -inf 0x7e01")),
              ElementsAre(0x3c00, 0xfc00, 0x7e01));
  EXPECT_THAT(values<uint32_t>(parse("3xf32=0x7fc00000 nan 1e-60")),
              ElementsAre(0x7fc00000, 0x7fc00000, 0));
}

TEST(TensorLiteral, SaysWhatIsWrong) {
  EXPECT_THAT(parseError("2x3xf32"), HasSubstr("has no values"));
  EXPECT_THAT(parseError("2x3xq32=1"),
              HasSubstr("'2x3xq32' is not a tensor type"));
  EXPECT_THAT(parseError("2x3=1"), HasSubstr("is not a tensor type"));
  EXPECT_THAT(parseError("99999999999xf32=1"),
              HasSubstr("is not a tensor type"));
  EXPECT_THAT(parseError("2x3xf32=1 2"),
              HasSubstr("wants 6 values, but there are 2"));
  EXPECT_THAT(parseError("2xf32="), HasSubstr("there are 0"));
  EXPECT_THAT(parseError("2xf32=1 x"),
              HasSubstr("element 1: 'x' is no value of f32"));
  EXPECT_THAT(parseError("1xi8=128"), HasSubstr("'128' is out of the range"));
  EXPECT_THAT(parseError("1xi8=0x80"), HasSubstr("out of the range of i8"));
  EXPECT_THAT(parseError("1xui8=-1"), HasSubstr("out of the range of ui8"));
  EXPECT_THAT(parseError("1xi32=1.5"), HasSubstr("no value of i32"));
  EXPECT_THAT(parseError("1xf16=65520"), HasSubstr("out of the range of f16"));
  EXPECT_THAT(parseError("1xf32=1e39"), HasSubstr("out of the range of f32"));
  EXPECT_THAT(parseError("1xf16=0x10000"), HasSubstr("out of the range"));
  EXPECT_THAT(parseError("1xf32=--1"), HasSubstr("no value"));
  EXPECT_THAT(parseError("1xf32=+-1"), HasSubstr("no value"));
  EXPECT_THAT(parseError("4294967295x4294967295x4294967295xf32=1"),
              HasSubstr("is too large"));
}

TEST(TensorLiteral, RoundsToTheType) {
  EXPECT_THAT(values<float>(parse("3xf32=1e-40 1e-400 -1e-50")),
              ElementsAre(1e-40f, 0.0f, -0.0f));
  EXPECT_THAT(values<double>(parse("2xf64=1e-310 -1e-400")),
              ElementsAre(1e-310, -0.0));
  EXPECT_THAT(values<uint16_t>(parse("4xf16=1e-400 65519 -1e-99 -inf")),
              ElementsAre(0, 0x7bff, 0x8000, 0xfc00));
  for (const char *text : {"f16=1e99", "f16=-1e999", "f32=1e99", "f32=-1e999",
                           "f64=1e309", "f64=-1e999"})
    EXPECT_THAT(parseError(text), HasSubstr("is out of the range of f"))
        << text;
  EXPECT_EQ(parseError("ui8=300"),
            "element 0: '300' is out of the range of ui8");
  EXPECT_THAT(parseError("i64=9223372036854775808"), HasSubstr("the range of"));
}

TEST(TensorLiteral, HoldsBracketsAgainstTheType) {
  EXPECT_THAT(values<uint8_t>(parse("2x2xui8=[[1,2][3 4]]")),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values<uint8_t>(parse("1xui8=[1]")), ElementsAre(1));
  EXPECT_TRUE(parse("2x0xui8=[[] []]").data.empty());
  EXPECT_TRUE(parse("0xui8=").data.empty());
  const char *cases[][2] = {
      {"2x2xui8=[[1 2 3] [4]]",
       "element [0] has 3 elements, but 2x2xui8 wants 2 there"},
      {"2x2xui8=[[1 2] [3]]",
       "element [1] has 1 element, but 2x2xui8 wants 2 there"},
      {"2x2xui8=[[1 2]]",
       "the literal has 1 element, but 2x2xui8 wants 2 there"},
      {"2x2xui8=[1 2 3 4]",
       "element [0] is a value, but 2x2xui8 wants a list of 2 there"},
      {"2x2xui8=[[1 2] 3 4]",
       "element [1] is a value, but 2x2xui8 wants a list of 2 there"},
      {"2x2xui8=[[1 [2]] [3 4]]",
       "element [0][1] is a list, but 2x2xui8 wants a value there"},
      {"2xui8=[]", "the literal has 0 elements, but 2xui8 wants 2 there"},
      {"2xui8=[1]", "the literal has 1 element, but 2xui8 wants 2 there"},
      {"ui8=[1]", "the literal is a list, but ui8 wants a value there"},
      {"2xui8=[1 2", "a ']' is missing at the end"},
      {"2xui8=[1 2]]", "']' stands behind the last ']'"},
      {"2xui8=[1 2] x", "'x' stands behind the last ']'"},
      {"2xui8=1 2]", "']' stands among values without brackets"},
      {"2xui8=1 [2]", "'[2]' stands among values without brackets"},
      {"2xui8=1 2 x", "element 2: 'x' is no value of ui8"},
      {"2xui8=1 2 3", "2xui8 wants 2 values, but there are 3"},
      {"1xui8=", "1xui8 wants 1 value, but there are 0"},
      {"3xui8=1 2", "3xui8 wants 3 values, but there are 2"},
      {"0xui8=1", "0xui8 wants 0 values, but there is 1"},
      {"2xui8", "'2xui8' has no values; wanted is TYPE=VALUES"},
      {"", "'' is not a tensor type (2x3xf32 is one); a file is written "
           "@FILE.npy"},
  };
  for (auto &[text, message] : cases)
    EXPECT_EQ(parseError(text), message) << text;
}

TEST(TensorLiteral, PrintsNestedRows) {
  EXPECT_EQ(printElements(parse("f32=1.5")), "1.5");
  EXPECT_EQ(printElements(parse("3xui8=1 2 255")), "[1 2 255]");
  EXPECT_EQ(printElements(parse("2x2xi8=1 2 3 -4")), "[[1  2]\n [3  -4]]");
  EXPECT_EQ(printElements(parse("2x1x2xi8=1 2 3 4")), "[[[1 2]]\n\n [[3 4]]]");
}

TEST(TensorLiteral, PrintsWhatReadsBack) {
  EXPECT_EQ(printElements(parse("4xf16=0.1 65504 6e-8 0x7e01")),
            "[0.1 65504 6e-08 0x7e01]");
  EXPECT_EQ(printElements(parse("5xf32=0.1 16777216 -0 nan -nan")),
            "[0.1 16777216 -0 nan -nan]");
  std::string all;
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    all += std::to_string(bits) + " ";
  HostTensor halves = parse("65536xui16=" + all);
  halves.dataType = DML_DATA_TYPE_FLOAT16;
  EXPECT_EQ(parse("65536xf16=" + printElements(halves, /*all=*/true)).data,
            halves.data);
}

TEST(TensorLiteral, PrintsColumns) {
  EXPECT_EQ(printElements(parse("3x2xf32=1 2.25 -10.5 100 nan 1e-30")),
            "[[1     2.25]\n"
            " [-10.5 100]\n"
            " [nan   1e-30]]");
  // One row has no columns.
  EXPECT_EQ(printElements(parse("1x3xf32=1 2.25 -10.5")), "[[1 2.25 -10.5]]");
}

TEST(TensorLiteral, PrintsTheEdgesOfLargeTensors) {
  auto count = [](const std::string &type, int elements) {
    std::string text = type + "=";
    for (int i = 0; i < elements; ++i)
      text += std::to_string(i) + " ";
    return parse(text);
  };
  EXPECT_EQ(printElements(count("1001xi32", 1001)), "[0 1 2 ... 998 999 1000]");
  EXPECT_EQ(printElements(count("2x600xi32", 1200)),
            "[[0    1    2    ... 597  598  599]\n"
            " [600  601  602  ... 1197 1198 1199]]");
  EXPECT_THAT(printElements(count("7x3x50xi32", 1050)),
              StartsWith("[[[0    1    2    ... 47   48   49]\n"
                         "  [50   51   52   ... 97   98   99]\n"
                         "  [100  101  102  ."));
  EXPECT_THAT(printElements(count("7x3x50xi32", 1050)),
              HasSubstr("449]]\n\n ...\n\n [[600"));
  EXPECT_THAT(printElements(count("1000xi32", 1000)), HasSubstr(" 500 "));
  EXPECT_THAT(printElements(count("1001xi32", 1001), /*all=*/true),
              HasSubstr(" 500 "));
}

TEST(Compare, NamesTheFirstAndTheLargestDifference) {
  auto differ = [](const std::string &found, const std::string &expected,
                   Tolerance tolerance = {}) {
    return describeDifference(parse(found), parse(expected), tolerance);
  };
  EXPECT_EQ(differ("2x3xf32=1 2 3 4 5 6", "2x3xf32=1 2 3.5 4 9 6"),
            "2 of 6 elements differ: the first at [0, 2]: 3, not 3.5; the "
            "largest difference at [1, 1]: 5, not 9 (4 apart)");
  EXPECT_EQ(differ("f16=1", "f16=2"),
            "1 of 1 element differs: the first at []: 1, not 2 (1 apart)");
  EXPECT_EQ(differ("3xf32=nan inf -0", "3xf32=-nan inf 0"), "");
  EXPECT_EQ(differ("1xf32=nan", "1xf32=1", {1e9, 1e9}),
            "1 of 1 element differs: the first at [0]: nan, not 1");
  EXPECT_NE(differ("1xf32=1", "1xf32=inf", {1e9, 1e9}), "");
  EXPECT_EQ(differ("2xf64=100 1", "2xf64=101 1.5", {0.01, 0.5}), "");
  EXPECT_NE(differ("1xf64=102.1", "1xf64=101", {0.01, 0}), "");
  // Exact where a double is not.
  EXPECT_EQ(differ("2xi64=9007199254740993 -9223372036854775808",
                   "2xi64=9007199254740992 9223372036854775807"),
            "2 of 2 elements differ: the first at [0]: 9007199254740993, not "
            "9007199254740992; the largest difference at [1]: "
            "-9223372036854775808, not 9223372036854775807 (1.84e+19 apart)");
  EXPECT_EQ(differ("3xi4=7 -8 1", "3xi4=7 -8 1"), "");
  EXPECT_EQ(differ("3xi4=7 -8 1", "3xi4=7 -8 -1"),
            "1 of 3 elements differs: the first at [2]: 1, not -1 (2 apart)");
  EXPECT_EQ(differ("1xui64=18446744073709551615", "1xui64=18446744073709551614",
                   {0, 1}),
            "");
}

TEST(Json, QuotesAnyBytes) {
  EXPECT_EQ(quoteJson("a\"\\\n"), "\"a\\\"\\\\\\u000a\"");
  EXPECT_EQ(quoteJson("\xc3\xa9"), "\"\xc3\xa9\"");
  // No UTF-8: cut off, overlong, a surrogate.
  EXPECT_EQ(quoteJson("\xc3"), "\"\\u00c3\"");
  EXPECT_EQ(quoteJson("\xc0\x80"), "\"\\u00c0\\u0080\"");
  EXPECT_EQ(quoteJson("\xed\xa0\x80"), "\"\\u00ed\\u00a0\\u0080\"");
}

TEST(Escape, KeepsControlCharactersFromTerminals) {
  EXPECT_EQ(escapeControls("a\tb\n\x1b[31mc\x7f\xc2\x9b\r"),
            "a\tb\n\\x1B[31mc\\x7F\\x9B\\x0D");
  EXPECT_EQ(escapeControls("caf\xc3\xa9 \xc2\xa0\xf0\x9f\x98\x80"),
            "caf\xc3\xa9 \xc2\xa0\xf0\x9f\x98\x80");
  // What is no UTF-8, and what turns the direction of text.
  EXPECT_EQ(escapeControls("a\x9b\xc2z\xff\xe2\x80"),
            "a\\x9B\\xC2z\\xFF\\xE2\\x80");
  EXPECT_EQ(escapeControls("\xe2\x80\xaetxt.\xe2\x81\xa6"),
            "\\u202Etxt.\\u2066");
}

TEST(Escape, KnowsTheBeginningsOfCharacters) {
  EXPECT_EQ(getCutLength(""), 0u);
  EXPECT_EQ(getCutLength("a"), 0u);
  EXPECT_EQ(getCutLength("a\xc2"), 1u);
  EXPECT_EQ(getCutLength("a\xc2\x9b"), 0u);
  EXPECT_EQ(getCutLength("a\xe2\x80"), 2u);
  EXPECT_EQ(getCutLength("a\xe2\x80\xae"), 0u);
  EXPECT_EQ(getCutLength("a\xf0\x9f\x98"), 3u);
  EXPECT_EQ(getCutLength("\x9b\x9b\x9b\x9b"), 0u);
}

TEST(File, IsReplacedUnderANameOfAnyLanguage) {
  std::string file = path("gr\xc3\xb6\xc3\x9f\x65 \xe6\x97\xa5.bin"), error;
  auto read = [&] {
    std::ifstream stream(file, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(stream), {}};
  };
  ASSERT_TRUE(checkOutput(file, error)) << error;
  // A byte of each kind that text would change: \n to \r\n, and \x1a to an end.
  std::string bytes("a\n\x1a\r\0b", 6);
  ASSERT_TRUE(writeFile(file, {{"longer than what follows", 24}}, error))
      << error;
  ASSERT_TRUE(
      writeFile(file, {{bytes.data(), 2}, {bytes.data() + 2, 4}}, error))
      << error;
  EXPECT_EQ(read(), bytes);
  EXPECT_TRUE(checkOutput(file, error)) << error;
  std::remove(file.c_str());
}

TEST(File, IsNotWrittenWhereAFolderStandsOrNoneDoes) {
  std::string error;
  EXPECT_FALSE(checkOutput(testing::TempDir(), error));
  EXPECT_THAT(error, HasSubstr("Is a directory"));
  EXPECT_FALSE(checkOutput("nonexistent/x.bin", error));
  EXPECT_EQ(error, "cannot write 'nonexistent/x.bin': No such file or "
                   "directory");
  error.clear();
  EXPECT_FALSE(writeFile("nonexistent/x.bin", {}, error));
  EXPECT_EQ(error, "cannot write 'nonexistent/x.bin': No such file or "
                   "directory");
}

TEST(Npy, WritesWhatItReads) {
  std::string file = path("round-trip.npy"), error;
  for (const char *text : {"2x3xf16=1", "2x3xf32=1", "f64=2", "5xi8=-1",
                           "1xi16=1", "1x1xi32=9", "2xi64=3", "2xui8=1",
                           "2xui16=1", "2xui32=1", "1x2x3x4x5x6x7x8xui64=5"}) {
    HostTensor tensor = parse(text);
    ASSERT_TRUE(writeNpy(file, tensor, error)) << error;
    std::optional<HostTensor> back = readNpy(file, error);
    ASSERT_TRUE(back) << error;
    EXPECT_EQ(back->dataType, tensor.dataType);
    EXPECT_EQ(back->sizes, tensor.sizes);
    EXPECT_EQ(back->data, tensor.data);
  }
  std::remove(file.c_str());
}

TEST(Npy, WritesNumPysHeader) {
  std::string file = path("header.npy"), error;
  ASSERT_TRUE(writeNpy(file, parse("3xui8=1 2 3"), error)) << error;
  std::ifstream stream(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::remove(file.c_str());
  ASSERT_EQ(bytes.size(), 128u + 3);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\1\0\x76\0", 10));
  EXPECT_THAT(bytes,
              HasSubstr("{'descr': '|u1', 'fortran_order': False, 'shape': "
                        "(3,), }"));
  EXPECT_EQ(bytes.substr(127), "\n\1\2\3");
}

TEST(Npy, ReadsOtherVersionsAndOrders) {
  std::string error;
  const char *header =
      "{\"shape\": (2, 3), 'fortran_order': True, 'descr': '|i1'}\n";
  for (char version : {1, 2, 3}) {
    auto tensor = readBytes(npy(header, "\1\4\2\5\3\6", version), error);
    ASSERT_TRUE(tensor) << error;
    EXPECT_THAT(values<int8_t>(*tensor), ElementsAre(1, 2, 3, 4, 5, 6));
  }
  auto tensor =
      readBytes(npy("{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }",
                    std::string("\0\0\1\2", 4)),
                error);
  ASSERT_TRUE(tensor) << error;
  EXPECT_THAT(values<int32_t>(*tensor), ElementsAre(258));
}

TEST(Npy, SaysWhatIsWrong) {
  auto header = [](const std::string &descr, const std::string &shape) {
    return "{'descr': '" + descr +
           "', 'fortran_order': False, 'shape': " + shape + ", }";
  };
  std::string error;
  EXPECT_FALSE(readNpy("/nonexistent/x.npy", error));
  EXPECT_THAT(error, HasSubstr("cannot read '/nonexistent/x.npy': No such"));
  EXPECT_FALSE(readNpy(testing::TempDir(), error));
  EXPECT_THAT(error, HasSubstr(kFolderIsRead));
  EXPECT_THAT(npyError(""), HasSubstr("is no .npy file"));
  EXPECT_THAT(npyError("PK\3\4aaaaaaaa"), HasSubstr("is no .npy file"));
  EXPECT_THAT(npyError(npy("", "", 4)), HasSubstr("version 4.0"));
  EXPECT_THAT(npyError(npy(header("<f4", "(1,)"), "").substr(0, 40)),
              HasSubstr("ends within its header"));
  EXPECT_THAT(npyError(npy(header("<c8", "(1,)"), "12345678")),
              HasSubstr("dtype '<c8'"));
  EXPECT_THAT(npyError(npy(header("", "(1,)"), "1")), HasSubstr("dtype ''"));
  EXPECT_THAT(npyError(npy(header("|S1", "(1,)"), "1")),
              HasSubstr("dtype '|S1'"));
  EXPECT_THAT(npyError(npy(header("<f4", "(2,)"), "1234")),
              HasSubstr("promises 8 bytes of data, but there are only 4"));
  EXPECT_THAT(npyError(npy(header("<f4", "(1,)"), "12345")),
              HasSubstr("data follow the 4 bytes"));
  EXPECT_THAT(npyError(npy(header("<f4", "(99999999999,)"), "")),
              HasSubstr("larger than 4294967295"));
  EXPECT_THAT(npyError(npy(header("<f4", "(4294967295, 4294967295, 9)"), "")),
              HasSubstr("too large to count"));
  EXPECT_THAT(npyError(npy(header("<f4", "(4294967295, 4294967295)"), "1")),
              HasSubstr("too large to count"));
  EXPECT_THAT(npyError(npy(header("<f4", "3"), "")), HasSubstr("malformed"));
  EXPECT_THAT(npyError(npy("{}", "")), HasSubstr("is missing"));
  EXPECT_THAT(npyError(npy("{'descr': [('a', '<f4')]}", "")),
              HasSubstr("structured types"));
  EXPECT_THAT(npyError(npy("nonsense", "")), HasSubstr("'{' is missing"));
}

// Whatever a byte of the header says, a file is read or refused, in bounded
// memory: the first bytes promise as much as the format can say.
TEST(Npy, SurvivesDamage) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }";
  const std::string whole = npy(header, std::string(24, '\1'));
  size_t accepted = 0;
  for (size_t at = 0; at < whole.size(); ++at)
    for (char value : std::string("\0\1'(),09<>\x7f\xff", 12)) {
      std::string spoiled = whole;
      spoiled[at] = value;
      std::string error;
      std::optional<HostTensor> tensor = readBytes(spoiled, error);
      EXPECT_EQ(tensor.has_value(), error.empty()) << "byte " << at;
      accepted += tensor.has_value();
    }
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(npyError(whole.substr(0, size)), "");
  EXPECT_GT(accepted, 0u);
  std::string ranks = "{'descr': '<f4', 'fortran_order': True, 'shape': (";
  for (int i = 0; i < 65; ++i)
    ranks += "1,";
  EXPECT_THAT(npyError(npy(ranks + ")}", "1234")),
              HasSubstr("'shape' has more than the 64 dimensions"));
}

TEST(Npy, LeavesNoHalfWrittenFile) {
  std::string error;
  EXPECT_FALSE(writeNpy("/nonexistent/x.npy", parse("f32=1"), error));
  EXPECT_THAT(error, HasSubstr("cannot write '/nonexistent/x.npy'"));
  // What is no regular file is not replaced by one.
  EXPECT_TRUE(writeNpy(kNull, parse("f32=1"), error)) << error;
  EXPECT_FALSE(std::ifstream(kNull).peek() != EOF);
}
