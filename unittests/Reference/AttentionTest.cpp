//===- AttentionTest.cpp - Tests of the interpreter's attention -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"
#include <cmath>
#include <limits>

using namespace dml;
using namespace dml::reference;

namespace {

const double infinity = std::numeric_limits<double>::infinity();
/// With a scale of ln 3, products of 0 and 1 weigh 1 and 3.
const char *const ln3 = "1.0986123";

void expectNear(const Numbers &found, const Numbers &wanted,
                double tolerance = 2e-5) {
  ASSERT_EQ(found.size(), wanted.size());
  for (auto [index, number] : llvm::enumerate(found))
    EXPECT_NEAR(number, wanted[index], tolerance) << index;
}

class AttentionTest : public ReferenceTest {
protected:
  using Shape = std::vector<int64_t>;
  struct Operand {
    std::string name;
    Tensor tensor;
  };
  struct Options {
    std::string scale = ln3, maskFilterValue = "-10000.0";
    std::string maskType = "none", heads = "head_count = 1 : i64";
  };

  /// `results` are the shapes of the output, and of the present keys and values
  /// if there are three.
  std::vector<Numbers> attend(const std::vector<Operand> &operands,
                              const Options &options,
                              const std::vector<Shape> &results,
                              Result part = Result::exact) {
    DataType type = operands[0].tensor.getDataType();
    std::string arguments, uses, types, values, named, plain;
    std::vector<Tensor> inputs;
    for (auto [index, operand] : llvm::enumerate(operands)) {
      std::string value = "%" + std::to_string(index);
      std::string typeName = getTypeName(operand.tensor);
      arguments += (index ? ", " : "") + value + ": " + typeName;
      uses += " " + operand.name + "(" + value + ")";
      types += (index ? ", " : "") + typeName;
      inputs.push_back(operand.tensor);
    }
    const char *names[] = {"", " output_present_key", " output_present_value"};
    for (auto [index, shape] : llvm::enumerate(results)) {
      std::string typeName = getTypeName(*Tensor::create(type, shape));
      values += (index ? ", %r" : "%r") + std::to_string(index);
      named += index ? names[index] + ("(" + typeName + ")") : typeName;
      plain += (index ? ", " : "") + typeName;
    }
    bool hasGroups = options.heads.find("query") != std::string::npos;
    std::string source =
        "func.func @main(" + arguments + ") -> (" + plain + ") {\n" + values +
        " = dml.multihead_attention" + (hasGroups ? "1" : "") + uses +
        " {scale = " + options.scale +
        " : f32, mask_filter_value = " + options.maskFilterValue + " : f32, " +
        options.heads + ", mask_type = #dml.multihead_attention_mask_type<" +
        options.maskType + ">} : (" + types + ") -> " + named + "\nreturn " +
        values + " : " + plain + "\n}";
    auto outputs = interpretSource(source, inputs, part);
    EXPECT_TRUE(succeeded(outputs)) << diagnostics << source;
    std::vector<Numbers> numbers(results.size());
    if (succeeded(outputs))
      for (auto [index, output] : llvm::enumerate(*outputs))
        numbers[index] = getNumbers(output);
    return numbers;
  }
  Numbers attendOnce(const std::vector<Operand> &operands,
                     const Options &options, Shape shape) {
    return attend(operands, options, {std::move(shape)})[0];
  }

  static Tensor make(Shape shape, std::vector<double> values,
                     DataType type = DataType::FLOAT32) {
    return makeTensor(type, std::move(shape), std::move(values));
  }
  static Tensor makeMask(Shape shape, std::vector<double> values) {
    return makeTensor(DataType::INT32, std::move(shape), std::move(values));
  }
};

TEST_F(AttentionTest, WeightsAreASoftmax) {
  for (DataType type : {DataType::FLOAT32, DataType::FLOAT16})
    expectNear(attendOnce({{"query", make({1, 1, 2}, {1, 0}, type)},
                           {"key", make({1, 2, 2}, {0, 0, 1, 0}, type)},
                           {"value", make({1, 2, 1}, {4, 8}, type)}},
                          {}, {1, 1, 1}),
               {7});
}

TEST_F(AttentionTest, MasksOfLengths) {
  std::vector<Operand> operands = {{"query", make({1, 1, 2}, {1, 0})},
                                   {"key", make({1, 3, 2}, {0, 0, 1, 0, 1, 0})},
                                   {"value", make({1, 3, 1}, {4, 8, 100})},
                                   {"mask", makeMask({1, 1}, {2})}};
  Options options;
  options.maskType = "key_sequence_length";
  expectNear(attendOnce(operands, options, {1, 1, 1}), {7});
  options.maskType = "key_sequence_end_start";
  operands[3].tensor = makeMask({2, 1}, {3, 1});
  expectNear(attendOnce(operands, options, {1, 1, 1}), {54});
  options.maskType = "key_query_sequence_length_start_end";
  operands[3].tensor = makeMask({5}, {2, 9, 9, 9, 9});
  expectNear(attendOnce(operands, options, {1, 1, 1}), {7});
  options.maskType = "boolean";
  operands[3].tensor = makeMask({1, 1, 1, 3}, {1, -5, 0});
  expectNear(attendOnce(operands, options, {1, 1, 1}), {7});
}

TEST_F(AttentionTest, AWhollyMaskedRowHasEqualWeights) {
  // Lengths below 0 mask all, and those beyond the end nothing.
  Options options;
  options.maskType = "key_sequence_length";
  EXPECT_EQ(attendOnce({{"query", make({2, 1, 1}, {1, 0})},
                        {"key", make({2, 2, 1}, {0, 1, 5, 5})},
                        {"value", make({2, 2, 1}, {4, 8, 2, 4})},
                        {"mask", makeMask({1, 2}, {-1, 70})}},
                       options, {2, 1, 1}),
            (Numbers{6, 3}));
}

TEST_F(AttentionTest, MasksReplaceTheBiasedScore) {
  Options options;
  options.maskType = "boolean";
  options.maskFilterValue = "0.0";
  // Scores of 50 + 7 and 0 become 0 and 0.
  EXPECT_EQ(attendOnce({{"query", make({1, 1, 1}, {1})},
                        {"key", make({1, 2, 1}, {50, 0})},
                        {"value", make({1, 2, 1}, {4, 8})},
                        {"mask", makeMask({1, 1, 1, 2}, {0, 1})},
                        {"relative_position_bias", make({1, 1, 1, 2}, {7, 0})}},
                       options, {1, 1, 1}),
            (Numbers{6}));
}

TEST_F(AttentionTest, PastKeysAndValuesComeFirst) {
  for (DataType type : {DataType::FLOAT32, DataType::FLOAT16}) {
    auto found = attend({{"query", make({1, 1, 2}, {1, 0}, type)},
                         {"key", make({1, 1, 2}, {1, 0}, type)},
                         {"value", make({1, 1, 1}, {8}, type)},
                         {"past_key", make({1, 1, 1, 2}, {0, 0}, type)},
                         {"past_value", make({1, 1, 1, 1}, {4}, type)}},
                        {}, {{1, 1, 1}, {1, 1, 2, 2}, {1, 1, 2, 1}});
    expectNear(found[0], {7});
    EXPECT_EQ(found[1], (Numbers{0, 0, 1, 0}));
    EXPECT_EQ(found[2], (Numbers{4, 8}));
  }
}

TEST_F(AttentionTest, ThePastMayHaveAllKeys) {
  expectNear(attendOnce({{"query", make({1, 1, 2}, {1, 0})},
                         {"past_key", make({1, 1, 2, 2}, {0, 0, 1, 0})},
                         {"past_value", make({1, 1, 2, 1}, {4, 8})}},
                        {}, {1, 1, 1}),
             {7});
}

TEST_F(AttentionTest, BiasIsAddedToWhatIsNew) {
  expectNear(attendOnce({{"query", make({1, 1, 2}, {0, 0})},
                         {"key", make({1, 2, 2}, {0, 0, 1, 0})},
                         {"value", make({1, 2, 1}, {4, 8})},
                         {"bias", make({5}, {1, 0, 0, 1, 10})}},
                        {}, {1, 1, 1}),
             {17});
  auto found = attend({{"query", make({1, 1, 1}, {0})},
                       {"key", make({1, 1, 1}, {1})},
                       {"value", make({1, 1, 1}, {8})},
                       {"bias", make({3}, {0, 10, 100})},
                       {"past_key", make({1, 1, 1, 1}, {5})},
                       {"past_value", make({1, 1, 1, 1}, {4})}},
                      {}, {{1, 1, 1}, {1, 1, 2, 1}, {1, 1, 2, 1}});
  EXPECT_EQ(found, (std::vector<Numbers>{{(4 + 108) / 2.}, {5, 11}, {4, 108}}));
}

TEST_F(AttentionTest, StackedTensors) {
  Options options;
  options.heads = "head_count = 2 : i64";
  expectNear(attendOnce({{"stacked_query_key_value",
                          make({1, 2, 2, 3, 1},
                               {1, 0, 4, 2, 1, 10, 0, 1, 8, 1, 0, 20})}},
                        options, {1, 2, 2}),
             {7, 11, 6, 12.5});
  // The same, in two tensors.
  expectNear(attendOnce({{"value", make({1, 2, 2}, {4, 10, 8, 20})},
                         {"stacked_query_key",
                          make({1, 2, 2, 2, 1}, {1, 0, 2, 1, 0, 1, 1, 0})}},
                        options, {1, 2, 2}),
             {7, 11, 6, 12.5});
  expectNear(attendOnce({{"query", make({1, 2, 2}, {1, 2, 0, 1})},
                         {"stacked_key_value",
                          make({1, 2, 2, 2, 1}, {0, 4, 1, 10, 1, 8, 0, 20})}},
                        options, {1, 2, 2}),
             {7, 11, 6, 12.5});
}

TEST_F(AttentionTest, RelativePositionBiasIsAddedToTheScaledProduct) {
  expectNear(attendOnce({{"query", make({1, 1, 2}, {1, 0})},
                         {"key", make({1, 2, 2}, {0, 0, 1, 0})},
                         {"value", make({1, 2, 1}, {4, 8})},
                         {"relative_position_bias",
                          make({1, 1, 1, 2}, {1.0986123, 0})}},
                        {}, {1, 1, 1}),
             {6});
}

TEST_F(AttentionTest, SizesOfOneMayStandBefore) {
  expectNear(attendOnce({{"query", make({1, 1, 2, 1, 1}, {1, 0})},
                         {"key", make({1, 2, 2, 1}, {0, 1, 0, 1})},
                         {"value", make({2, 2, 1}, {4, 8, 4, 8})}},
                        {}, {1, 2, 1, 1}),
             {7, 6});
}

TEST_F(AttentionTest, GroupsShareKeysAndValues) {
  Options options;
  options.heads = "query_head_count = 2 : i64, key_value_head_count = 1 : i64";
  expectNear(attendOnce({{"query", make({1, 1, 2}, {1, 0})},
                         {"key", make({1, 2, 1}, {0, 1})},
                         {"value", make({1, 2, 1}, {4, 8})}},
                        options, {1, 1, 2}),
             {7, 6});
  options.heads = "query_head_count = 4 : i64, key_value_head_count = 2 : i64";
  expectNear(attendOnce({{"query", make({1, 1, 4}, {1, 1, 0, 2})},
                         {"key", make({1, 2, 2}, {0, 1, 1, 0})},
                         {"value", make({1, 2, 2}, {4, 10, 8, 20})}},
                        options, {1, 1, 4}),
             {7, 7, 15, 11});
}

TEST_F(AttentionTest, PastLengthsSayWhereNewKeysStand) {
  Options options;
  options.scale = "0.0";
  options.heads = "query_head_count = 1 : i64, key_value_head_count = 1 : i64";
  // One of three past positions is in use; the queries see two and three keys.
  auto found =
      attend({{"query", make({1, 2, 1}, {1, 1})},
              {"key", make({1, 2, 1}, {1, 2})},
              {"value", make({1, 2, 1}, {20, 30})},
              {"past_key", make({1, 1, 3, 1}, {7, 8, 9})},
              {"past_value", make({1, 1, 3, 1}, {10, infinity, infinity})},
              {"past_sequence_lengths", make({1}, {1.75})}},
             options, {{1, 2, 1}, {1, 1, 5, 1}, {1, 1, 5, 1}});
  expectNear(found[0], {15, 20});
  EXPECT_EQ(found[1], (Numbers{7, 1, 2, 0, 0}));
  EXPECT_EQ(found[2], (Numbers{10, 20, 30, 0, 0}));
}

TEST_F(AttentionTest, PastLengthsAreLimited) {
  Options options;
  options.scale = "0.0";
  options.heads = "query_head_count = 1 : i64, key_value_head_count = 1 : i64";
  auto found = attend({{"query", make({2, 1, 1}, {1, 1})},
                       {"key", make({2, 1, 1}, {1, 2})},
                       {"value", make({2, 1, 1}, {20, 30})},
                       {"past_key", make({2, 1, 1, 1}, {7, 8})},
                       {"past_value", make({2, 1, 1, 1}, {10, 14})},
                       {"past_sequence_lengths", make({2}, {-3, 50})}},
                      options, {{2, 1, 1}, {2, 1, 2, 1}, {2, 1, 2, 1}});
  expectNear(found[0], {20, 22});
  EXPECT_EQ(found[2], (Numbers{20, 0, 14, 30}));
}

TEST_F(AttentionTest, PastLengthsAreIntegers) {
  Options options;
  options.scale = "0.0";
  options.heads = "query_head_count = 1 : i64, key_value_head_count = 1 : i64";
  // One position of three is in use, none of them, and more than there are.
  auto found = attend(
      {{"query", make({3, 1, 1}, {1, 1, 1})},
       {"key", make({3, 1, 1}, {1, 2, 3})},
       {"value", make({3, 1, 1}, {20, 30, 40})},
       {"past_key", make({3, 1, 2, 1}, {7, 7, 8, 8, 9, 9})},
       {"past_value", make({3, 1, 2, 1}, {10, 12, 14, 16, 18, 20})},
       {"past_sequence_lengths", make({3}, {1, -1, 50}, DataType::INT32)}},
      options, {{3, 1, 1}, {3, 1, 3, 1}, {3, 1, 3, 1}});
  expectNear(found[0], {15, 30, 26});
  EXPECT_EQ(found[1], (Numbers{7, 1, 0, 2, 8, 0, 9, 9, 3}));
}

TEST_F(AttentionTest, BoundsHoldTheValue) {
  std::vector<Operand> operands = {
      {"query", make({1, 1, 3}, {0.3, 0.7, -1.1})},
      {"key", make({1, 2, 3}, {0.9, 0.1, 0.2, -0.4, 0.6, 0.8})},
      {"value", make({1, 2, 1}, {1.5, -2.5})}};
  auto get = [&](Result part) {
    return attend(operands, {}, {{1, 1, 1}}, part)[0][0];
  };
  double value = get(Result::exact);
  EXPECT_LT(get(Result::lower), value);
  EXPECT_GT(get(Result::upper), value);
  EXPECT_LT(get(Result::upper) - get(Result::lower), 1e-4);
}

TEST_F(AttentionTest, WeightsOfHalfMayBeRounded) {
  // Two weights of 1/2: the mean of 2048 and -2048 is off by 2^-10 of 2048 in
  // f16, where kernels may round weights, and by next to nothing in f32.
  auto get = [&](DataType type, Result part) {
    return attend({{"query", make({1, 1, 1}, {1}, type)},
                   {"key", make({1, 2, 1}, {3, 3}, type)},
                   {"value", make({1, 2, 1}, {2048, -2048}, type)}},
                  {}, {{1, 1, 1}}, part)[0][0];
  };
  EXPECT_NEAR(get(DataType::FLOAT16, Result::upper), 2, 0.1);
  EXPECT_NEAR(get(DataType::FLOAT16, Result::lower), -2, 0.1);
  EXPECT_NEAR(get(DataType::FLOAT32, Result::upper), 0, 0.01);
  EXPECT_NEAR(get(DataType::FLOAT32, Result::lower), 0, 0.01);
  // A weight of e^-30 may be anything up to 2^-22, 0 included, of a key whose
  // value is far larger than the other.
  auto getSmall = [&](Result part) {
    return attend({{"query", make({1, 1, 1}, {30}, DataType::FLOAT16)},
                   {"key", make({1, 2, 1}, {1, 0}, DataType::FLOAT16)},
                   {"value", make({1, 2, 1}, {0, 65504}, DataType::FLOAT16)}},
                  {"1.0"}, {{1, 1, 1}}, part)[0][0];
  };
  EXPECT_EQ(getSmall(Result::lower), 0);
  EXPECT_NEAR(getSmall(Result::upper), 65504 * 0x1p-22, 0x1p-14);
}

} // namespace
