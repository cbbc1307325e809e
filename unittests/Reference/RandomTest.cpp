//===- RandomTest.cpp - Tests of the interpreter's random numbers ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"

using namespace dml;
using namespace dml::reference;

namespace {

using Words = std::vector<uint32_t>;

class RandomTest : public ReferenceTest {
protected:
  /// The output, of the sizes `shape`, and the next state.
  std::pair<Words, Words> generate(const Words &state,
                                   const std::string &type) {
    auto outputs = interpretSource(
        "func.func @main(%0: tensor<1x1x1x6xui32>) -> (" + type +
            ", tensor<1x1x1x6xui32>) {\n%1, %2 = dml.random_generator %0 {type "
            "= #dml.random_generator_type<philox_4x32_10>} : "
            "(tensor<1x1x1x6xui32>) -> (" +
            type + ", tensor<1x1x1x6xui32>)\nreturn %1, %2 : " + type +
            ", tensor<1x1x1x6xui32>\n}",
        {makeFromElements<uint32_t>(DataType::UINT32, {1, 1, 1, 6}, state)});
    EXPECT_TRUE(succeeded(outputs)) << diagnostics;
    if (failed(outputs))
      return {};
    return {getElements<uint32_t>((*outputs)[0]),
            getElements<uint32_t>((*outputs)[1])};
  }
};

// The known answers that the generator's authors published with Random123.
TEST_F(RandomTest, KnownAnswers) {
  EXPECT_EQ(generate({0, 0, 0, 0, 0, 0}, "tensor<1x1x1x4xui32>"),
            std::pair(Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                      Words{1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(generate({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344,
                      0xa4093822, 0x299f31d0},
                     "tensor<1x1x1x4xui32>"),
            std::pair(Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
                      Words{0x243f6a89, 0x85a308d3, 0x13198a2e, 0x03707344,
                            0xa4093822, 0x299f31d0}));
}

TEST_F(RandomTest, TheCounterWraps) {
  constexpr uint32_t ones = 0xffffffff;
  EXPECT_EQ(generate({ones, ones, ones, ones, ones, ones}, "tensor<4xui32>"),
            std::pair(Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                      Words{0, 0, 0, 0, ones, ones}));
}

TEST_F(RandomTest, TheCounterCarries) {
  // Two blocks, the second of which is cut.
  EXPECT_EQ(generate({0xffffffff, 0, 0, 0, 7, 0}, "tensor<1x1x2x3xui32>"),
            std::pair(Words{3391632330, 491067182, 198345744, 1622863596,
                            784659805, 614397428},
                      Words{1, 1, 0, 0, 7, 0}));
  EXPECT_EQ(
      generate({0xfffffffe, 0xffffffff, 0xffffffff, 8, 7, 6}, "tensor<9xui32>")
          .second,
      (Words{1, 0, 0, 9, 7, 6}));
}

TEST_F(RandomTest, BlocksFollowEachOther) {
  Words state = {5, 0, 0, 0, 1, 2};
  Words eight = generate(state, "tensor<2x2x2xui32>").first;
  auto [first, next] = generate(state, "tensor<4xui32>");
  Words second = generate(next, "tensor<3xui32>").first;
  ASSERT_EQ(eight.size(), 8u);
  EXPECT_EQ(Words(eight.begin(), eight.begin() + 4), first);
  EXPECT_EQ(Words(eight.begin() + 4, eight.begin() + 7), second);
}

TEST_F(RandomTest, TheNextStateMayBeAbsent) {
  EXPECT_EQ(getElements<uint32_t>(interpretOp(
                "dml.random_generator %0 {type = "
                "#dml.random_generator_type<philox_4x32_10>} : "
                "(tensor<6xui32>) -> tensor<2xui32>",
                {makeTensor(DataType::UINT32, {6}, {0, 0, 0, 0, 0, 0})})),
            (Words{0x6627e8d5, 0xe169c58d}));
}

} // namespace
