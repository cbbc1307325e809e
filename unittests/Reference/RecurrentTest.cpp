//===- RecurrentTest.cpp - Tests of the interpreter's networks ------------===//
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

void expectNear(const Numbers &found, const Numbers &wanted,
                double tolerance = 2e-6) {
  ASSERT_EQ(found.size(), wanted.size());
  for (auto [index, number] : llvm::enumerate(found))
    EXPECT_NEAR(number, wanted[index], tolerance) << index;
}

class RecurrentTest : public ReferenceTest {
protected:
  struct Operand {
    /// "" for those that are always there.
    std::string name;
    Tensor tensor;
  };
  using Shape = std::vector<int64_t>;

  static std::string makeActivations(const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &name : names)
      text += (text.empty() ? "#dml.activation<" : ", #dml.activation<") +
              name + ">";
    return "[" + text + "]";
  }

  /// The results `results`, each with its shape, of the operator `op`.
  std::vector<Numbers>
  run(const std::string &op, const std::vector<Operand> &operands,
      const std::vector<std::string> &activations, const std::string &direction,
      const std::string &attributes,
      const std::vector<std::pair<std::string, Shape>> &results,
      Result part = Result::exact) {
    DataType type = operands[0].tensor.getDataType();
    std::string arguments, uses, types, named, plain, values;
    std::vector<Tensor> inputs;
    for (auto [index, operand] : llvm::enumerate(operands)) {
      std::string value = "%" + std::to_string(index);
      std::string typeName = getTypeName(operand.tensor);
      arguments += (index ? ", " : "") + value + ": " + typeName;
      uses += operand.name.empty() ? (index ? ", " : "") + value
                                   : " " + operand.name + "(" + value + ")";
      types += (index ? ", " : "") + typeName;
      inputs.push_back(operand.tensor);
    }
    for (auto [index, result] : llvm::enumerate(results)) {
      std::string typeName = getTypeName(*Tensor::create(type, result.second));
      values += (index ? ", %r" : "%r") + std::to_string(index);
      named += " " + result.first + "(" + typeName + ")";
      plain += (index ? ", " : "") + typeName;
    }
    std::string source =
        "func.func @main(" + arguments + ") -> (" + plain + ") {\n" + values +
        " = dml." + op + " " + uses +
        " {activation_descs = " + makeActivations(activations) +
        ", direction = #dml.recurrent_network_direction<" + direction + ">" +
        attributes + "} : (" + types + ") ->" + named + "\nreturn " + values +
        " : " + plain + "\n}";
    auto outputs = interpretSource(source, inputs, part);
    EXPECT_TRUE(succeeded(outputs)) << diagnostics << source;
    std::vector<Numbers> numbers(results.size());
    if (succeeded(outputs))
      for (auto [index, output] : llvm::enumerate(*outputs))
        numbers[index] = getNumbers(output);
    return numbers;
  }

  static Tensor makeLengths(std::vector<double> lengths) {
    auto size = static_cast<int64_t>(lengths.size());
    return makeTensor(DataType::UINT32, {1, 1, 1, size}, lengths);
  }
};

const DataType types[] = {DataType::FLOAT32, DataType::FLOAT16};

//===----------------------------------------------------------------------===//
// RNN
//===----------------------------------------------------------------------===//

TEST_F(RecurrentTest, RNNHasSequencesOfTheirOwnLengths) {
  for (DataType type : types)
    EXPECT_EQ(
        run("rnn",
            {{"", makeTensor(type, {1, 3, 2, 1}, {1, 4, 2, 5, 3, 6})},
             {"", makeTensor(type, {1, 2, 1, 1}, {1, 1})},
             {"", makeTensor(type, {1, 2, 1, 1}, {2, 2})},
             {"bias", makeTensor(type, {1, 1, 2, 2}, {0.5, 0.5, 0.5, 0.5})},
             {"sequence_lengths", makeLengths({3, 2})}},
            {"relu", "relu"}, "bidirectional", "",
            {{"output_sequence", {3, 2, 2, 1}},
             {"output_single", {1, 2, 2, 1}}}),
        (std::vector<Numbers>{{2, 5, 24, 17, 7, 16, 11, 6, 18, 0, 4, 0},
                              {18, 16, 24, 17}}));
}

TEST_F(RecurrentTest, RNNAgreesWithONNXRuntime) {
  DataType f32 = DataType::FLOAT32;
  Numbers sequence = {
      -0.5876761, 0.6958684,  -0.4800116, -0.9206312, 0.9328332,   -0.9361448,
      -0.7169766, 0.996465,   0.9980582,  0.1513377,  0.9015011,   0.7494775,
      0.8678354,  -0.9440905, 0.8424542,  0.9156992,  -0.9603662,  0.8931172,
      -0.3721382, 0.9939175,  0.9955558,  -0.1300645, 0.9857678,   0.9887586,
      0.122216,   -0.3143066, -0.42286,   -0.2807615, -0.04275616, -0.7548094,
      -0.6272695, 0.988343,   0.9956606,  -0.846418,  0.9843859,   0.9600711,
      0.9173754,  -0.922935,  0.783965,   0,          0,           0,
      -0.8701351, 0.9967114,  0.9990834,  0,          0,           0,
      0.510601,   -0.9505514, -0.1267258, 0,          0,           0,
      -0.5184748, 0.9993197,  0.9965521,  0,          0,           0};
  Numbers single = {0.510601,    -0.9505514, -0.1267258, -0.2807614,
                    -0.04275605, -0.7548093, -0.7169766, 0.996465,
                    0.9980582,   0.1513377,  0.901501,   0.7494775};
  auto found =
      run("rnn",
          {{"", makeTensor(f32, {1, 5, 2, 2},
                           {1.646441, 2.145568,  1.307985, 0.0777787, 1.80829,
                            1.63465,  1.648987,  1.305967, 1.270964,  1.937682,
                            1.261103, 0.9910045, 1.312762, 2.675319,  0,
                            0,        2.890988,  1.150325, 0,         0})},
           {"", makeTensor(f32, {1, 2, 3, 2},
                           {0.4317745, 0.3737839, -1.038646, -0.226813,
                            0.4418987, 0.4997394, 0.4724829, -0.6336943,
                            0.8954207, 0.6969807, 0.6511881, 1.082846})},
           {"", makeTensor(f32, {1, 2, 3, 3},
                           {-0.2407237, -0.2932653, -0.9174119, 0.5447638,
                            0.5393854, 0.7950233, -0.5981382, 0.02041332,
                            -0.5222503, -0.4292987, -0.1476632, -0.9108411,
                            0.2369904, 0.06403489, 0.08906929, -0.1280313,
                            -0.08117899, 0.967533})},
           {"bias", makeTensor(f32, {1, 1, 2, 6},
                               {-0.4452974, 0.8009489, -1.002814, 0, 0, 0,
                                0.5741237, 0.1344021, -0.8574899, 0, 0, 0})},
           {"hidden_init", makeTensor(f32, {1, 2, 2, 3}, Numbers(12, 1.2))},
           {"sequence_lengths", makeLengths({5, 3})}},
          {"tanh", "tanh"}, "bidirectional", "",
          {{"output_sequence", {5, 2, 2, 3}}, {"output_single", {1, 2, 2, 3}}});
  expectNear(found[0], sequence);
  expectNear(found[1], single);
}

TEST_F(RecurrentTest, LengthsOfZeroAndBeyondTheEnd) {
  DataType f32 = DataType::FLOAT32;
  std::vector<Operand> operands = {
      {"", makeTensor(f32, {1, 2, 3, 1}, {1, 2, 3, 4, 5, 6})},
      {"", makeTensor(f32, {1, 1, 1, 1}, {1})},
      {"", makeTensor(f32, {1, 1, 1, 1}, {1})},
      {"hidden_init", makeTensor(f32, {1, 1, 3, 1}, {7, 8, 9})},
      {"sequence_lengths", makeLengths({0, 1, 4294967295})}};
  // The first batch has no steps, and the last has two.
  EXPECT_EQ(
      run("rnn", operands, {"identity"}, "forward", "",
          {{"output_sequence", {2, 1, 3, 1}}, {"output_single", {1, 1, 3, 1}}}),
      (std::vector<Numbers>{{0, 10, 12, 0, 0, 18}, {7, 10, 18}}));
  EXPECT_EQ(
      run("rnn", operands, {"identity"}, "backward", "",
          {{"output_sequence", {2, 1, 3, 1}}, {"output_single", {1, 1, 3, 1}}}),
      (std::vector<Numbers>{{0, 10, 18, 0, 0, 15}, {7, 10, 18}}));
}

TEST_F(RecurrentTest, StatesAreNotRoundedBetweenSteps) {
  // 2048 + 0.5 is 2048 in f16; twice 0.5 make a number that f16 has not.
  DataType f16 = DataType::FLOAT16;
  for (const char *name : {"output_sequence", "output_single"}) {
    bool isSequence = name == std::string("output_sequence");
    Numbers found =
        run("rnn",
            {{"", makeTensor(f16, {1, 4, 1, 1}, {2048, 0.5, 0.5, 1})},
             {"", makeTensor(f16, {1, 1, 1, 1}, {1})},
             {"", makeTensor(f16, {1, 1, 1, 1}, {1})}},
            {"identity"}, "forward", "",
            {{name, {isSequence ? 4 : 1, 1, 1, 1}}})[0];
    EXPECT_EQ(found.back(), 2050) << name;
  }
}

TEST_F(RecurrentTest, BoundsHoldEveryOrderOfAddition) {
  // 2^24 + 1 + 1 is 2^24 or 2^24 + 2.
  DataType f32 = DataType::FLOAT32;
  std::vector<Operand> operands = {
      {"", makeTensor(f32, {1, 1, 1, 3}, {16777216, 1, 1})},
      {"", makeTensor(f32, {1, 1, 1, 3}, {1, 1, 1})},
      {"", makeTensor(f32, {1, 1, 1, 1}, {1})}};
  auto get = [&](Result part) {
    return run("rnn", operands, {"identity"}, "forward", "",
               {{"output_single", {1, 1, 1, 1}}}, part)[0][0];
  };
  EXPECT_LE(get(Result::lower), 16777216);
  EXPECT_GE(get(Result::upper), 16777218);
}

TEST_F(RecurrentTest, MissingStatesAreMultipliedAsZeros) {
  DataType f32 = DataType::FLOAT32;
  EXPECT_TRUE(std::isnan(run("rnn",
                             {{"", makeTensor(f32, {1, 1, 1, 1}, {1})},
                              {"", makeTensor(f32, {1, 1, 1, 1}, {1})},
                              {"", makeTensor(f32, {1, 1, 1, 1}, {infinity})}},
                             {"identity"}, "forward", "",
                             {{"output_single", {1, 1, 1, 1}}})[0][0]));
}

//===----------------------------------------------------------------------===//
// GRU
//===----------------------------------------------------------------------===//

TEST_F(RecurrentTest, GRUResetsTheStateOrItsProduct) {
  for (DataType type : types)
    for (bool isLinear : {false, true})
      EXPECT_EQ(
          run("gru",
              {{"", makeTensor(type, {1, 1, 1, 1}, {2})},
               {"", makeTensor(type, {1, 1, 3, 1}, {0, 1, 1})},
               {"", makeTensor(type, {1, 1, 3, 1}, {0, 0, 2})},
               {"bias", makeTensor(type, {1, 1, 1, 6}, {0.5, 0, 0, 0, 0, 1})},
               {"hidden_init", makeTensor(type, {1, 1, 1, 1}, {4})}},
              {"relu", "relu"}, "forward",
              isLinear ? ", linear_before_reset = true"
                       : ", linear_before_reset = false",
              {{"output_sequence", {1, 1, 1, 1}},
               {"output_single", {1, 1, 1, 1}}}),
          (std::vector<Numbers>{{isLinear ? 12. : 11.5},
                                {isLinear ? 12. : 11.5}}));
}

TEST_F(RecurrentTest, GRUAgreesWithONNXRuntime) {
  DataType f32 = DataType::FLOAT32;
  std::vector<Operand> operands = {
      {"", makeTensor(f32, {1, 2, 2, 1}, {-0.1, 0.2, -0.3, 0.4})},
      {"", makeTensor(f32, {1, 1, 9, 1},
                      {0.1, 0.2, 0.3, 0.2, 0.3, 0.1, 0.3, 0.1, 0.2})},
      {"", makeTensor(f32, {1, 1, 9, 3}, Numbers(27, 0.1))},
      {"bias",
       makeTensor(f32, {1, 1, 1, 18},
                  {-0.01, 0.1, 0.01, -0.2, -0.02, 0.02, 0.3, -0.3, -0.3, -0.03,
                   0.5, -0.7, 0.05, -0.7, 0.3, 0.07, -0.03, 0.5})}};
  std::vector<std::pair<std::string, Shape>> results = {
      {"output_sequence", {2, 1, 2, 3}}, {"output_single", {1, 1, 2, 3}}};
  auto forward = run("gru", operands, {"sigmoid", "tanh"}, "forward",
                     ", linear_before_reset = false", results);
  expectNear(forward[0], {0.1678313, -0.1175423, 0.1197784, 0.2046872,
                          -0.1037249, 0.1536585, 0.226886, -0.1969841,
                          0.1401784, 0.3338609, -0.1579966, 0.2381169});
  expectNear(forward[1], {0.226886, -0.1969841, 0.1401784, 0.3338609,
                          -0.1579966, 0.2381169});
  auto backward = run("gru", operands, {"sigmoid", "tanh"}, "backward",
                      ", linear_before_reset = true", results);
  expectNear(backward[0], {0.209107, -0.1888095, -0.04005554, 0.2970026,
                           -0.1530812, 0.04537246, 0.1225214, -0.1203222,
                           -0.05064923, 0.2124988, -0.08884402, 0.04751285});
  expectNear(backward[1], {0.209107, -0.1888095, -0.04005554, 0.2970026,
                           -0.1530812, 0.04537246});
}

//===----------------------------------------------------------------------===//
// LSTM
//===----------------------------------------------------------------------===//

class LSTMTest : public RecurrentTest {
protected:
  std::string makeAttributes(bool usesClip, float threshold, bool isCoupled) {
    return ", clip_threshold = " + std::to_string(threshold) +
           " : f32, use_clip_threshold = " + (usesClip ? "true" : "false") +
           ", couple_input_forget = " + (isCoupled ? "true" : "false");
  }
  std::vector<Numbers> runOnes(DataType type, const std::string &attributes) {
    Tensor ones = makeTensor(type, {1, 1, 4, 1}, {1, 1, 1, 1});
    return run(
        "lstm",
        {{"", makeTensor(type, {1, 2, 1, 1}, {1, 2})}, {"", ones}, {"", ones}},
        {"relu", "relu", "relu"}, "forward", attributes,
        {{"output_sequence", {2, 1, 1, 1}},
         {"output_single", {1, 1, 1, 1}},
         {"output_cell_single", {1, 1, 1, 1}}});
  }
};

TEST_F(LSTMTest, GatesAreClippedAndCoupled) {
  for (DataType type : types) {
    EXPECT_EQ(runOnes(type, makeAttributes(false, 0, false)),
              (std::vector<Numbers>{{1, 36}, {36}, {12}}));
    EXPECT_EQ(runOnes(type, makeAttributes(false, 0, true)),
              (std::vector<Numbers>{{1, 21}, {21}, {7}}));
    EXPECT_EQ(runOnes(type, makeAttributes(true, 2, false)),
              (std::vector<Numbers>{{1, 12}, {12}, {6}}));
  }
}

TEST_F(LSTMTest, PeepholesSeeTheCell) {
  // i = 1 + 2 * 3 = 7, f = 1 + 4 * 3 = 13, c = 1, C = 13 * 3 + 7 = 46 and
  // o = 1 + 0.5 * 46 = 24.
  DataType f32 = DataType::FLOAT32;
  EXPECT_EQ(run("lstm",
                {{"", makeTensor(f32, {1, 1, 1, 1}, {1})},
                 {"", makeTensor(f32, {1, 1, 4, 1}, {1, 1, 1, 1})},
                 {"", makeTensor(f32, {1, 1, 4, 1}, {0, 0, 0, 0})},
                 {"cell_mem_init", makeTensor(f32, {1, 1, 1, 1}, {3})},
                 {"peephole", makeTensor(f32, {1, 1, 1, 3}, {2, 0.5, 4})}},
                {"relu", "relu", "relu"}, "forward",
                makeAttributes(false, 0, false),
                {{"output_single", {1, 1, 1, 1}},
                 {"output_cell_single", {1, 1, 1, 1}}}),
            (std::vector<Numbers>{{24. * 46}, {46}}));
}

TEST_F(LSTMTest, AgreesWithONNXRuntime) {
  // With the cell before the step at the output gate, the first row would be
  // -0.025479 and 0.055484.
  DataType f32 = DataType::FLOAT32;
  auto found = run(
      "lstm",
      {{"", makeTensor(f32, {1, 2, 1, 2},
                       {-0.455351, -0.276391, -0.185934, -0.269585})},
       {"", makeTensor(f32, {1, 1, 8, 2},
                       {-0.494659, 0.0453352, -0.487793, 0.417264, -0.0175329,
                        0.489074, -0.446013, 0.414029, -0.0091708, -0.255364,
                        -0.106952, -0.266717, -0.0888852, -0.428709, -0.283349,
                        0.208792})},
       {"", makeTensor(f32, {1, 1, 8, 2},
                       {0.146626, -0.0620289, -0.0815302, 0.100482, -0.219535,
                        -0.306635, -0.28515, -0.314112, -0.228172, 0.405972,
                        0.31576, 0.281487, -0.394864, 0.42111, -0.386624,
                        -0.390225})},
       {"bias",
        makeTensor(f32, {1, 1, 1, 16},
                   {0.381619, 0.0323954, -0.14449, 0.420804, -0.258721, 0.45056,
                    -0.250755, 0.0967895, 0, 0, 0, 0, 0, 0, 0, 0})},
       {"peephole",
        makeTensor(f32, {1, 1, 1, 6},
                   {0.2345, 0.5235, 0.4378, 0.3475, 0.8927, 0.3456})}},
      {"sigmoid", "tanh", "tanh"}, "forward", makeAttributes(false, 0, false),
      {{"output_sequence", {2, 1, 1, 2}},
       {"output_single", {1, 1, 1, 2}},
       {"output_cell_single", {1, 1, 1, 2}}});
  expectNear(found[0], {-0.02510625, 0.05612619, -0.03277518, 0.05935364});
  expectNear(found[1], {-0.03277518, 0.05935364});
  expectNear(found[2], {-0.07802058, 0.098829});
}

TEST_F(LSTMTest, DirectionsHaveTheirOwnActivationsAndLengths) {
  // The first direction's functions are identities, the second's are
  // alpha * x + beta: with weights of 0 every gate is beta.
  DataType f32 = DataType::FLOAT32;
  std::string line = "linear, {alpha = 0.0 : f32, beta = 2.0 : f32}";
  auto found =
      run("lstm",
          {{"", makeTensor(f32, {1, 3, 2, 1}, {1, 1, 1, 1, 1, 1})},
           {"", makeTensor(f32, {1, 2, 4, 1}, {1, 1, 1, 1, 0, 0, 0, 0})},
           {"", makeTensor(f32, {1, 2, 4, 1}, Numbers(8, 0))},
           {"sequence_lengths", makeLengths({3, 2})}},
          {"identity", "identity", "identity", line, line, line},
          "bidirectional", makeAttributes(false, 0, false),
          {{"output_sequence", {3, 2, 2, 1}},
           {"output_single", {1, 2, 2, 1}},
           {"output_cell_single", {1, 2, 2, 1}}});
  // Forward C is 1, 2 and 3, and so is H; backward C is 4, 12 and 28, H 4.
  EXPECT_EQ(found, (std::vector<Numbers>{{1, 1, 4, 4, 2, 2, 4, 4, 3, 0, 4, 0},
                                         {3, 2, 4, 4},
                                         {3, 2, 28, 12}}));
}

} // namespace
