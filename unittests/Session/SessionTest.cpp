//===- SessionTest.cpp - Models through the session's C API ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/session.h"
#include "Call.h"
#include "Device.h"
#include "ModelWriter.h"
#include "gmock/gmock.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <random>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace dml::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Whether the computer has a Vulkan device.
bool hasDevice() {
  static const bool found = [] {
    DmlInstance instance = nullptr;
    if (dmlCreateInstance(nullptr, &instance, nullptr) != DML_SUCCESS)
      return false;
    uint32_t index = 0;
    bool isFound =
        dmlFindDevice(instance, nullptr, &index, nullptr) == DML_SUCCESS;
    dmlDestroyInstance(instance);
    return isFound;
  }();
  return found;
}

/// A session that is destroyed, of bytes that stay.
class Session {
public:
  Session() = default;
  explicit Session(
      std::string bytes,
      const std::function<void(DmlSessionCreateInfo &)> &adjust = nullptr)
      : bytes(std::move(bytes)) {
    DmlSessionCreateInfo info{};
    info.bytes = this->bytes.data();
    info.byteSize = this->bytes.size();
    if (adjust)
      adjust(info);
    Outcome outcome = call(dmlCreateSession, &info, &handle);
    EXPECT_EQ(outcome.result, DML_SUCCESS) << outcome.message;
  }
  ~Session() { dmlDestroySession(handle); }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  operator DmlSession() const { return handle; }

  uint64_t countCompiled() const { return getInfo().compiledCount; }
  DmlSessionInfo getInfo() const {
    DmlSessionInfo info{};
    EXPECT_OK(dmlGetSessionInfo, handle, &info);
    return info;
  }

private:
  std::string bytes;
  DmlSession handle = nullptr;
};

/// Why a session cannot be made.
Outcome failToCreate(
    const std::string &bytes,
    const std::function<void(DmlSessionCreateInfo &)> &adjust = nullptr) {
  DmlSessionCreateInfo info{};
  if (!bytes.empty()) {
    info.bytes = bytes.data();
    info.byteSize = bytes.size();
  }
  if (adjust)
    adjust(info);
  DmlSession session = nullptr;
  Outcome outcome = call(dmlCreateSession, &info, &session);
  EXPECT_EQ(session, nullptr);
  dmlDestroySession(session);
  return outcome;
}

DmlSessionTensor makeTensor(const char *name, std::vector<int64_t> sizes,
                            std::vector<float> &elements) {
  DmlSessionTensor tensor{};
  tensor.name = name;
  tensor.dataType = DML_DATA_TYPE_FLOAT32;
  tensor.rank = static_cast<uint32_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), tensor.sizes);
  tensor.data = elements.data();
  tensor.byteSize = elements.size() * sizeof(float);
  return tensor;
}

std::vector<float> readTensor(const DmlSessionTensor &tensor) {
  std::vector<float> elements(tensor.byteSize / sizeof(float));
  std::memcpy(elements.data(), tensor.data, tensor.byteSize);
  return elements;
}

/// Runs `session` on one input and returns its one output.
std::vector<float> run(DmlSession session, std::vector<int64_t> sizes,
                       std::vector<float> elements) {
  DmlSessionTensor input = makeTensor(nullptr, std::move(sizes), elements);
  DmlSessionTensor output{};
  Outcome outcome = call(dmlRunSession, session, &input, 1u, &output, 1u);
  EXPECT_EQ(outcome.result, DML_SUCCESS) << outcome.message;
  if (outcome.result != DML_SUCCESS)
    return {};
  std::vector<float> result = readTensor(output);
  dmlFreeTensor(&output);
  return result;
}

constexpr int64_t kWidth = 64;

/// Weights of `kWidth` x `kWidth`: the row r has `factor` in column r + 1.
std::vector<float> makeWeights(float factor) {
  std::vector<float> weights(kWidth * kWidth);
  for (int64_t row = 0; row < kWidth; ++row)
    weights[row * kWidth + (row + 1) % kWidth] = factor;
  return weights;
}

/// y = x * w: each row moves on by one column, and is tripled.
std::string writeProduct(const std::string &weightFile = "") {
  ModelWriter writer;
  writer.addInput("x", Float, {"batch", kWidth});
  writer.addOutput("y", Float, {"batch", kWidth});
  writer.addWeight("w", {kWidth, kWidth}, makeWeights(3), weightFile);
  writer.addNode("MatMul", {"x", "w"}, {"y"});
  return writer.write();
}

/// 0, 1, 2, ... and what the product makes of them.
std::vector<float> makeRows(int64_t rows) {
  std::vector<float> elements(rows * kWidth);
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = static_cast<float>(i);
  return elements;
}
std::vector<float> multiplyRows(int64_t rows, float factor = 3) {
  std::vector<float> elements(rows * kWidth);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < kWidth; ++column)
      elements[row * kWidth + (column + 1) % kWidth] =
          factor * static_cast<float>(row * kWidth + column);
  return elements;
}

/// sum = a + b, for any sizes that the two share.
std::string writeSum() {
  ModelWriter writer;
  writer.addInput("left", Float, {"rows", int64_t(2)});
  writer.addInput("right", Float, {"rows", int64_t(2)});
  writer.addOutput("sum", Float, {"rows", int64_t(2)});
  writer.addNode("Add", {"left", "right"}, {"sum"});
  return writer.write();
}

constexpr char kPadding[] = R"(
func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dml.element_wise_add %x, %x
     : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main(%rows: tensor<2x2xf32>) -> tensor<4x2xf32> {
  %wide = dml.tile %rows {repeats = array<i64: 2, 1>}
     : (tensor<2x2xf32>) -> tensor<4x2xf32>
  return %wide : tensor<4x2xf32>
}
)";

/// Writes files to a folder that goes with the test.
class Folder {
public:
  Folder() {
    path = std::filesystem::temp_directory_path() /
           ("dml-session-test-" +
            std::string(
                testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }

  std::string write(const std::string &name, const std::string &bytes) const {
    std::ofstream file(path / name, std::ios::binary);
    file << bytes;
    return path / name;
  }

  std::filesystem::path path;
};

std::string toBytes(const std::vector<float> &elements) {
  return {reinterpret_cast<const char *>(elements.data()),
          elements.size() * sizeof(float)};
}

class SessionTest : public testing::Test {
protected:
  void SetUp() override { DML_END_WITHOUT_DEVICE(hasDevice()); }
};

//===----------------------------------------------------------------------===//
// What the model takes and returns
//===----------------------------------------------------------------------===//

TEST_F(SessionTest, TellsTensorsWithoutCompiling) {
  Session session(writeSum());
  DmlSessionInfo info = session.getInfo();
  EXPECT_EQ(info.inputCount, 2u);
  EXPECT_EQ(info.outputCount, 1u);
  EXPECT_EQ(info.programCount, 0u);
  EXPECT_NE(info.device, nullptr);
  // The device at hand is compiled for, whose numbers the profile has.
  EXPECT_THAT(info.deviceProfile, HasSubstr(",multiprocessors="));
  DmlSessionTensorInfo tensor{};
  EXPECT_OK(dmlGetSessionInput, session, 1u, &tensor);
  EXPECT_STREQ(tensor.name, "right");
  EXPECT_EQ(tensor.dataType, DML_DATA_TYPE_FLOAT32);
  ASSERT_EQ(tensor.rank, 2u);
  EXPECT_EQ(tensor.sizes[0], -1);
  EXPECT_STREQ(tensor.dimensionNames[0], "rows");
  EXPECT_EQ(tensor.sizes[1], 2);
  EXPECT_STREQ(tensor.dimensionNames[1], "");
  EXPECT_OK(dmlGetSessionOutput, session, 0u, &tensor);
  EXPECT_STREQ(tensor.name, "sum");
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "input 2 does not exist; there are 2", dmlGetSessionInput,
               session, 2u, &tensor);
  EXPECT_EQ(session.countCompiled(), 0u);
}

TEST_F(SessionTest, NamesDimensionsWithoutNames) {
  ModelWriter writer;
  writer.addInput("x", Float, {"", int64_t(2)});
  writer.addOutput("y", Float, {"", int64_t(2)});
  writer.addNode("Relu", {"x"}, {"y"});
  Session session(writer.write());
  DmlSessionTensorInfo tensor{};
  EXPECT_OK(dmlGetSessionInput, session, 0u, &tensor);
  EXPECT_STREQ(tensor.dimensionNames[0], "x[0]");
  EXPECT_OK(dmlGetSessionOutput, session, 0u, &tensor);
  EXPECT_STREQ(tensor.dimensionNames[0], "");
  EXPECT_THAT(run(session, {1, 2}, {-1, 2}), ElementsAre(0, 2));
  EXPECT_THAT(run(session, {2, 2}, {-1, 2, 3, -4}), ElementsAre(0, 2, 3, 0));
}

TEST_F(SessionTest, FixesDimensions) {
  DmlNamedSize rows{"rows", 3};
  Session session(writeSum(), [&](DmlSessionCreateInfo &info) {
    info.dimensions = &rows;
    info.dimensionCount = 1;
  });
  DmlSessionTensorInfo tensor{};
  EXPECT_OK(dmlGetSessionInput, session, 0u, &tensor);
  EXPECT_EQ(tensor.sizes[0], 3);
  std::vector<float> elements(4);
  DmlSessionTensor inputs[] = {makeTensor("left", {2, 2}, elements),
                               makeTensor("right", {2, 2}, elements)};
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "input 'left' has the size 2 in dimension 0, but wanted is 3, "
               "which was stated for 'rows' (3x2)",
               dmlRunSession, session, inputs, 2u, nullptr, 0u);
  rows.name = "row";
  EXPECT_THAT(failToCreate(writeSum(),
                           [&](DmlSessionCreateInfo &info) {
                             info.dimensions = &rows;
                             info.dimensionCount = 1;
                           })
                  .message,
              HasSubstr("the size of 'row' is stated, but no input has that "
                        "name, or a dimension without a size of that name; "
                        "there are 'rows'"));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

TEST_F(SessionTest, RunsAnyShapeAndCompilesEachOnce) {
  Session session(writeProduct());
  EXPECT_EQ(run(session, {1, kWidth}, makeRows(1)), multiplyRows(1));
  EXPECT_EQ(run(session, {3, kWidth}, makeRows(3)), multiplyRows(3));
  EXPECT_EQ(session.countCompiled(), 2u);
  EXPECT_EQ(run(session, {1, kWidth}, makeRows(1)), multiplyRows(1));
  EXPECT_EQ(run(session, {3, kWidth}, makeRows(3)), multiplyRows(3));
  EXPECT_EQ(session.countCompiled(), 2u);
  EXPECT_EQ(session.getInfo().programCount, 2u);
}

TEST_F(SessionTest, TakesTensorsByNameAndInOrder) {
  Session session(writeSum());
  std::vector<float> left{1, 2}, right{10, 20};
  DmlSessionTensor byName[] = {makeTensor("right", {1, 2}, right),
                               makeTensor("left", {1, 2}, left)};
  DmlSessionTensor sum{};
  EXPECT_OK(dmlRunSession, session, byName, 2u, &sum, 1u);
  EXPECT_STREQ(sum.name, "sum");
  EXPECT_EQ(sum.dataType, DML_DATA_TYPE_FLOAT32);
  ASSERT_EQ(sum.rank, 2u);
  EXPECT_EQ(sum.sizes[0], 1);
  EXPECT_EQ(sum.sizes[1], 2);
  EXPECT_THAT(readTensor(sum), ElementsAre(11, 22));
  dmlFreeTensor(&sum);
  EXPECT_EQ(sum.data, nullptr);
  // Memory of the caller's, which may be larger than it has to be.
  std::vector<float> result(3, -1);
  DmlSessionTensor own = makeTensor("sum", {}, result);
  EXPECT_OK(dmlRunSession, session, byName, 2u, &own, 1u);
  EXPECT_EQ(own.byteSize, 2 * sizeof(float));
  EXPECT_THAT(result, ElementsAre(11, 22, -1));
  own.byteSize = 7;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "output 'sum' has 7 bytes, but wanted are 8", dmlRunSession,
               session, byName, 2u, &own, 1u);
  // A run for nothing but itself.
  EXPECT_OK(dmlRunSession, session, byName, 2u, nullptr, 0u);
}

TEST_F(SessionTest, ScalarsHaveNoDimensions) {
  ModelWriter writer;
  writer.addInput("x", Float, {});
  writer.addOutput("y", Float, {});
  writer.addNode("Neg", {"x"}, {"y"});
  Session session(writer.write());
  std::vector<float> elements{4};
  DmlSessionTensor input = makeTensor("x", {}, elements), output{};
  EXPECT_OK(dmlRunSession, session, &input, 1u, &output, 1u);
  EXPECT_EQ(output.rank, 0u);
  EXPECT_THAT(readTensor(output), ElementsAre(-4));
  dmlFreeTensor(&output);
}

TEST_F(SessionTest, TensorsStayOnTheDevice) {
  Session session(writeProduct());
  DmlDevice device = session.getInfo().device;
  DmlBuffer buffers[2] = {};
  DmlBufferRange ranges[2];
  size_t size = kWidth * sizeof(float);
  for (int i = 0; i < 2; ++i) {
    EXPECT_OK(dmlCreateBuffer, device, uint64_t(size), DML_MEMORY_DEVICE,
              &buffers[i]);
    DmlBufferInfo info{};
    dmlGetBufferInfo(buffers[i], &info);
    ranges[i] = {info.buffer, 0, info.size};
  }
  std::vector<float> elements = makeRows(1);
  EXPECT_OK(dmlWriteBuffer, buffers[0], uint64_t(0),
            static_cast<const void *>(elements.data()), size);
  DmlSessionTensor input = makeTensor("x", {1, kWidth}, elements);
  input.data = nullptr;
  DmlSessionTensor output{};
  // The output of one run is the input of the next.
  for (int i = 0; i < 2; ++i) {
    input.buffer = ranges[i % 2];
    output.buffer = ranges[1 - i % 2];
    EXPECT_OK(dmlRunSession, session, &input, 1u, &output, 1u);
  }
  EXPECT_EQ(output.data, nullptr);
  EXPECT_OK(dmlReadBuffer, buffers[0], uint64_t(0),
            static_cast<void *>(elements.data()), size);
  for (int64_t i = 0; i < kWidth; ++i)
    EXPECT_EQ(elements[(i + 2) % kWidth], 9 * static_cast<float>(i));
  input.data = elements.data();
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "input 'x' has both data and a buffer", dmlRunSession, session,
               &input, 1u, &output, 1u);
  for (DmlBuffer buffer : buffers)
    dmlDestroyBuffer(buffer);
}

//===----------------------------------------------------------------------===//
// Outputs in the buffers of inputs
//===----------------------------------------------------------------------===//

namespace {
/// A cache of 8 rows, of which a run replaces the row at `position`, and a
/// softmax of the rows, whose kernel reads more of the cache than it writes.
constexpr char kCache[] = R"(
func.func @main(%past: tensor<1x8x4xf32> {dml.name = "past"},
                %row: tensor<1x1x4xf32> {dml.name = "row"},
                %position: tensor<1x1x1xi64> {dml.name = "position"})
    -> (tensor<1x8x4xf32> {dml.name = "present"},
        tensor<1x8x4xf32> {dml.name = "doubled"},
        tensor<1x8x4xf32> {dml.name = "shares"}) {
  %at = dml.tile %position {repeats = array<i64: 1, 1, 4>}
     : (tensor<1x1x1xi64>) -> tensor<1x1x4xi64>
  %present = dml.scatter_elements %past, %at, %row {axis = 1}
     : (tensor<1x8x4xf32>, tensor<1x1x4xi64>, tensor<1x1x4xf32>)
     -> tensor<1x8x4xf32>
  %doubled = dml.element_wise_add %present, %present
     : (tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  %shares = dml.activation_softmax1 %past {axes = array<i64: 2>}
     : (tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  return %present, %doubled, %shares
     : tensor<1x8x4xf32>, tensor<1x8x4xf32>, tensor<1x8x4xf32>
}
)";
/// The same state as the cache of attention, which is written at one position.
constexpr char kAttention[] = R"(
func.func @main(%past: tensor<1x8x4xf32> {dml.name = "past"},
                %row: tensor<1x1x4xf32> {dml.name = "row"},
                %position: tensor<1x1x1xi64> {dml.name = "position"})
    -> (tensor<1x8x4xf32> {dml.name = "present"},
        tensor<1x1x4xf32> {dml.name = "mean"}) {
  %cache = tensor.expand_shape %past [[0], [1, 2], [3]] output_shape [1, 1, 8, 4]
     : tensor<1x8x4xf32> into tensor<1x1x8x4xf32>
  %length = dml.cast %position : (tensor<1x1x1xi64>) -> tensor<1x1x1xi32>
  %most = arith.constant dense<7> : tensor<1x1x1xi32>
  %least = dml.element_wise_min %length, %most
     : (tensor<1x1x1xi32>, tensor<1x1x1xi32>) -> tensor<1x1x1xi32>
  %start = tensor.collapse_shape %least [[0, 1, 2]]
     : tensor<1x1x1xi32> into tensor<1xi32>
  %mean, %keys, %values = dml.multihead_attention1 query(%row) key(%row)
      value(%row) past_key(%cache) past_value(%cache)
      past_sequence_lengths(%start) {
      query_head_count = 1 : i64, key_value_head_count = 1 : i64,
      scale = 0.5 : f32, mask_filter_value = 0.0 : f32,
      mask_type = #dml.multihead_attention_mask_type<none>}
     : (tensor<1x1x4xf32>, tensor<1x1x4xf32>, tensor<1x1x4xf32>,
        tensor<1x1x8x4xf32>, tensor<1x1x8x4xf32>, tensor<1xi32>)
     -> tensor<1x1x4xf32> output_present_key(tensor<1x1x9x4xf32>)
        output_present_value(tensor<1x1x9x4xf32>)
  %all = dml.slice1 %keys {input_window_offsets = array<i64: 0, 0, 0, 0>,
      input_window_sizes = array<i64: 1, 1, 8, 4>,
      input_window_strides = array<i64: 1, 1, 1, 1>}
     : (tensor<1x1x9x4xf32>) -> tensor<1x1x8x4xf32>
  %present = tensor.collapse_shape %all [[0], [1, 2], [3]]
     : tensor<1x1x8x4xf32> into tensor<1x8x4xf32>
  return %present, %mean : tensor<1x8x4xf32>, tensor<1x1x4xf32>
}
)";
constexpr size_t kCacheBytes = 8 * 4 * sizeof(float);

/// A session of the cache, with buffers for the state.
class CacheRun {
public:
  explicit CacheRun(
      const std::function<void(DmlSessionCreateInfo &)> &adjust = nullptr,
      const char *model = kCache)
      : session(model, adjust) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_OK(dmlCreateBuffer, session.getInfo().device,
                uint64_t(kCacheBytes), DML_MEMORY_DEVICE, &buffers[i]);
      DmlBufferInfo info{};
      dmlGetBufferInfo(buffers[i], &info);
      ranges[i] = {info.buffer, 0, info.size};
    }
    inputs[0] = makeTensor("past", {1, 8, 4}, cache);
    inputs[1] = makeTensor("row", {1, 1, 4}, row);
    inputs[2] = inputs[1];
    inputs[2].name = "position";
    inputs[2].dataType = DML_DATA_TYPE_INT64;
    inputs[2].sizes[2] = 1;
    inputs[2].data = &position;
    inputs[2].byteSize = sizeof(position);
    inputs[0].data = nullptr;
    write(0, cache);
  }
  ~CacheRun() {
    for (DmlBuffer buffer : buffers)
      dmlDestroyBuffer(buffer);
  }
  CacheRun(const CacheRun &) = delete;
  CacheRun &operator=(const CacheRun &) = delete;

  void write(int buffer, const std::vector<float> &elements) {
    EXPECT_OK(dmlWriteBuffer, buffers[buffer], uint64_t(0),
              static_cast<const void *>(elements.data()), kCacheBytes);
  }
  std::vector<float> read(int buffer) {
    std::vector<float> elements(kCacheBytes / sizeof(float));
    EXPECT_OK(dmlReadBuffer, buffers[buffer], uint64_t(0),
              static_cast<void *>(elements.data()), kCacheBytes);
    return elements;
  }
  /// Runs one step from buffer `from` to buffer `to`, with the output `name` in
  /// the latter.
  Outcome step(int from, int to, const char *name = "present") {
    inputs[0].buffer = ranges[from];
    output = {};
    output.name = name;
    output.buffer = ranges[to];
    return call(dmlRunSession, session, inputs, 3u, &output, 1u);
  }

  Session session;
  DmlBuffer buffers[2] = {};
  DmlBufferRange ranges[2];
  std::vector<float> cache = std::vector<float>(32, 1), row = {1, 2, 3, 4};
  int64_t position = 0;
  DmlSessionTensor inputs[3], output{};
};

/// Runs step `i`, which writes a row to `position`: in place in `alone`, and
/// from one buffer to the other in `copied`. Both states must be the same.
void stepBoth(CacheRun &alone, CacheRun &copied, int64_t i, int64_t position) {
  for (CacheRun *run : {&alone, &copied}) {
    run->position = position;
    for (float &element : run->row)
      element = static_cast<float>(i) + 0.1f * element;
  }
  Outcome outcome = alone.step(0, 0);
  ASSERT_EQ(outcome.result, DML_SUCCESS) << outcome.message;
  int from = static_cast<int>(i % 2);
  outcome = copied.step(from, 1 - from);
  ASSERT_EQ(outcome.result, DML_SUCCESS) << outcome.message;
  ASSERT_EQ(alone.read(0), copied.read(1 - from)) << i;
}
} // namespace

TEST_F(SessionTest, WritesStateInPlace) {
  CacheRun alone, copied;
  for (int64_t i = 0; i < 50; ++i)
    ASSERT_NO_FATAL_FAILURE(stepBoth(alone, copied, i, (5 * i + 3) % 8));
  EXPECT_EQ(alone.session.countCompiled(), 1u);
  // With buffers of its own, the state is another program.
  EXPECT_EQ(alone.step(0, 1).result, DML_SUCCESS);
  EXPECT_EQ(alone.session.countCompiled(), 2u);
}

TEST_F(SessionTest, WritesCacheOfAttentionInPlace) {
  CacheRun alone(nullptr, kAttention), copied(nullptr, kAttention);
  for (int64_t i = 0; i < 12; ++i) {
    // The last positions lie behind the capacity, which they are limited to.
    ASSERT_NO_FATAL_FAILURE(stepBoth(alone, copied, i, i));
    std::vector<float> present = alone.read(0);
    auto place = present.begin() + 4 * std::min<int64_t>(i, 7);
    ASSERT_EQ(std::vector<float>(place, place + 4), alone.row) << i;
  }
  EXPECT_EQ(alone.session.countCompiled(), 1u);
}

TEST_F(SessionTest, RefusesStateThatMayNotBeInPlace) {
  CacheRun run;
  Outcome outcome = run.step(0, 0, "shares");
  EXPECT_EQ(outcome.result, DML_ERROR_UNSUPPORTED);
  EXPECT_THAT(outcome.message,
              HasSubstr("output 'shares' cannot be in the place of input "
                        "'past': 'dml.activation_softmax1' reads elements of "
                        "the input that other invocations of its kernel "
                        "write"));
  EXPECT_EQ(run.read(0), run.cache);
  EXPECT_EQ(run.output.data, nullptr);
  EXPECT_EQ(run.output.byteSize, 0u);
  // Preparing compares buffers as well.
  run.inputs[0].buffer = run.ranges[0];
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED, "'shares' cannot be in the place of",
               dmlPrepareSession, run.session, run.inputs, 3u, &run.output, 1u);
  run.output.name = "present";
  EXPECT_OK(dmlPrepareSession, run.session, run.inputs, 3u, &run.output, 1u);
  EXPECT_EQ(run.session.countCompiled(), 1u);
  EXPECT_EQ(run.step(0, 0).result, DML_SUCCESS);
  EXPECT_EQ(run.session.countCompiled(), 1u);
}

TEST_F(SessionTest, RefusesTwoOutputsInOnePlace) {
  CacheRun run;
  run.inputs[0].buffer = run.ranges[0];
  DmlSessionTensor outputs[2] = {};
  outputs[0].buffer = outputs[1].buffer = run.ranges[0];
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED,
               "output 'doubled' cannot be in the place of input 'past': "
               "another output is in the place of the input",
               dmlRunSession, run.session, run.inputs, 3u, outputs, 2u);
  EXPECT_EQ(run.read(0), run.cache);
}

TEST_F(SessionTest, StateInPlaceIsKept) {
  Folder folder;
  std::string path = (folder.path / "cache").string();
  auto keep = [&](DmlSessionCreateInfo &info) {
    info.cacheDirectory = path.c_str();
  };
  for (uint64_t compiled : {2, 0}) {
    CacheRun run(keep);
    run.position = 6;
    EXPECT_EQ(run.step(0, 1).result, DML_SUCCESS);
    EXPECT_EQ(run.step(0, 0).result, DML_SUCCESS);
    EXPECT_EQ(run.read(0), run.read(1));
    EXPECT_EQ(run.session.countCompiled(), compiled);
  }
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

TEST_F(SessionTest, PreparesAhead) {
  Session session(writeProduct());
  DmlSessionTensor input{}, output{};
  input.dataType = DML_DATA_TYPE_FLOAT32;
  input.rank = 2;
  input.sizes[0] = 5;
  input.sizes[1] = kWidth;
  EXPECT_OK(dmlPrepareSession, session, &input, 1u, &output, 1u);
  EXPECT_STREQ(output.name, "y");
  EXPECT_EQ(output.sizes[0], 5);
  EXPECT_EQ(output.byteSize, 5 * kWidth * sizeof(float));
  EXPECT_EQ(output.data, nullptr);
  EXPECT_EQ(session.countCompiled(), 1u);
  EXPECT_EQ(run(session, {5, kWidth}, makeRows(5)), multiplyRows(5));
  EXPECT_EQ(session.countCompiled(), 1u);
}

TEST_F(SessionTest, GivesUpProgramsBeyondTheBudget) {
  Session session(writeProduct(),
                  [](DmlSessionCreateInfo &info) { info.programBudget = 1; });
  for (int64_t rows : {1, 2, 1}) {
    EXPECT_EQ(run(session, {rows, kWidth}, makeRows(rows)), multiplyRows(rows));
    EXPECT_EQ(session.getInfo().programCount, 1u);
  }
  EXPECT_EQ(session.countCompiled(), 3u);
}

TEST_F(SessionTest, RunsEndAtTheWaitLimit) {
  constexpr int64_t rows = 4096;
  std::vector<float> elements = makeRows(rows);
  DmlSessionTensor input = makeTensor("x", {rows, kWidth}, elements);
  uint32_t late = dmlGetLateWorkCount(VK_NULL_HANDLE);
  Session session(writeProduct(), [](DmlSessionCreateInfo &info) {
    // The limit is over before any work is.
    info.waitLimit = 1;
  });
  for (int i = 0; i < 2; ++i)
    EXPECT_FAILS(DML_ERROR_TIMEOUT, "has not finished within", dmlRunSession,
                 session, &input, 1u, nullptr, 0u);
  // A session that waits longer runs on the same device.
  Session patient(writeProduct(), [](DmlSessionCreateInfo &info) {
    info.waitLimit = uint64_t(600) * 1'000'000'000;
  });
  EXPECT_EQ(patient.getInfo().device, session.getInfo().device);
  EXPECT_EQ(run(patient, {rows, kWidth}, elements), multiplyRows(rows));
  // The late work has ended, and all that it used is given back.
  while (dmlGetLateWorkCount(VK_NULL_HANDLE) > late)
    std::this_thread::yield();
}

TEST_F(SessionTest, BindsTheCallersBuffersInEachRun) {
  // Another buffer may have the handle of one that was destroyed.
  Session session(writeProduct());
  DmlDevice device = session.getInfo().device;
  constexpr size_t size = kWidth * sizeof(float);
  std::minstd_rand random(1);
  std::vector<DmlBuffer> kept;
  for (int turn = 1; turn < 200; ++turn) {
    std::vector<float> elements(kWidth, static_cast<float>(turn));
    DmlSessionTensor input = makeTensor("x", {1, kWidth}, elements), output{};
    input.data = nullptr;
    for (DmlBufferRange *range : {&input.buffer, &output.buffer}) {
      kept.push_back(nullptr);
      EXPECT_OK(dmlCreateBuffer, device, uint64_t(size), DML_MEMORY_DEVICE,
                &kept.back());
      DmlBufferInfo info{};
      dmlGetBufferInfo(kept.back(), &info);
      *range = {info.buffer, 0, info.size};
    }
    EXPECT_OK(dmlWriteBuffer, kept[kept.size() - 2], uint64_t(0),
              static_cast<const void *>(elements.data()), size);
    EXPECT_OK(dmlRunSession, session, &input, 1u, &output, 1u);
    std::vector<float> result(kWidth);
    EXPECT_OK(dmlReadBuffer, kept.back(), uint64_t(0),
              static_cast<void *>(result.data()), size);
    ASSERT_EQ(result, std::vector<float>(kWidth, 3.0f * turn)) << turn;
    // Some buffers go, and leave their places to others.
    std::shuffle(kept.begin(), kept.end(), random);
    for (size_t left = 4 + random() % 5; kept.size() > left; kept.pop_back())
      dmlDestroyBuffer(kept.back());
  }
  for (DmlBuffer buffer : kept)
    dmlDestroyBuffer(buffer);
}

TEST_F(SessionTest, RangesStayWithinBuffers) {
  Session session(writeProduct());
  DmlBuffer buffer = nullptr;
  constexpr uint64_t size = kWidth * sizeof(float);
  EXPECT_OK(dmlCreateBuffer, session.getInfo().device, size, DML_MEMORY_DEVICE,
            &buffer);
  DmlBufferInfo info{};
  dmlGetBufferInfo(buffer, &info);
  std::vector<float> elements = makeRows(1);
  DmlSessionTensor input = makeTensor("x", {1, kWidth}, elements), output{};
  output.buffer = {info.buffer, size, size};
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "offset 256 and size 256 reach beyond the buffer's 256 bytes",
               dmlRunSession, session, &input, 1u, &output, 1u);
  output.buffer.offset = 0;
  EXPECT_OK(dmlRunSession, session, &input, 1u, &output, 1u);
  dmlDestroyBuffer(buffer);
}

TEST_F(SessionTest, TruthValuesAreZeroOrOne) {
  ModelWriter writer;
  writer.addInput("b", Bool, {int64_t(4)});
  writer.addOutput("n", Bool, {int64_t(4)});
  writer.addNode("Not", {"b"}, {"n"});
  Session session(writer.write());
  uint8_t bytes[] = {0, 1, 2, 1};
  DmlSessionTensor input{};
  input.dataType = DML_DATA_TYPE_UINT8;
  input.rank = 1;
  input.sizes[0] = 4;
  input.data = bytes;
  input.byteSize = sizeof(bytes);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "input 'b' has the byte 2 as element 2, but wanted are the "
               "truth values 0 and 1",
               dmlRunSession, session, &input, 1u, nullptr, 0u);
  bytes[2] = 0;
  DmlSessionTensor output{};
  EXPECT_OK(dmlRunSession, session, &input, 1u, &output, 1u);
  EXPECT_THAT(std::vector<uint8_t>(static_cast<uint8_t *>(output.data),
                                   static_cast<uint8_t *>(output.data) + 4),
              ElementsAre(1, 0, 1, 0));
  dmlFreeTensor(&output);
}

TEST_F(SessionTest, SharesADeviceOfTheCaller) {
  DmlInstance instance = nullptr;
  DmlDevice device = nullptr;
  ASSERT_EQ(dmlCreateInstance(nullptr, &instance, nullptr), DML_SUCCESS);
  ASSERT_EQ(dmlCreateDevice(instance, nullptr, &device, nullptr), DML_SUCCESS);
  auto adopt = [&](DmlSessionCreateInfo &info) { info.device = device; };
  Session session(writeProduct(), adopt), other(writeSum(), adopt);
  EXPECT_THAT(failToCreate(writeSum(),
                           [&](DmlSessionCreateInfo &info) {
                             info.device = device;
                             info.deviceSelector = "0";
                           })
                  .message,
              HasSubstr("both a device and the selector of one"));
  // Sessions keep their share.
  dmlDestroyDevice(device);
  dmlDestroyInstance(instance);
  EXPECT_EQ(run(session, {1, kWidth}, makeRows(1)), multiplyRows(1));
}

TEST_F(SessionTest, ThreadsShareASession) {
  Session session(writeProduct());
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int turn = 0; turn < 4; ++turn) {
        int64_t rows = 1 + (i + turn) % 2;
        EXPECT_EQ(run(session, {rows, kWidth}, makeRows(rows)),
                  multiplyRows(rows));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(session.countCompiled(), 2u);
}

TEST_F(SessionTest, ThreadsGetTheTimesOfTheirRuns) {
  Folder folder;
  const std::string path = folder.path / "trace.json";
  struct Told {
    std::mutex mutex;
    unsigned runs = 0, steps = 0;
    std::set<std::thread::id> threads;
  } told;
  {
    Session session(writeProduct(), [&](DmlSessionCreateInfo &info) {
      info.userData = &told;
      info.tracePath = path.c_str();
      info.runTimesCallback = [](void *userData, const DmlRunTimes *times) {
        auto &told = *static_cast<Told *>(userData);
        std::lock_guard<std::mutex> lock(told.mutex);
        ++told.runs;
        told.steps += times->stepCount;
        told.threads.insert(std::this_thread::get_id());
        EXPECT_LT(times->submitTime, times->finishTime);
        ASSERT_GT(times->stepCount, 0u);
        EXPECT_STRNE(times->steps[0].kernel, "");
        EXPECT_EQ(times->times[0].begin, 0u);
        EXPECT_LE(times->times[times->stepCount - 1].end,
                  times->finishTime - times->submitTime);
      };
    });
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&, i] {
        int64_t rows = 1 + i % 2;
        EXPECT_EQ(run(session, {rows, kWidth}, makeRows(rows)),
                  multiplyRows(rows));
      });
    for (std::thread &thread : threads)
      thread.join();
  }
  EXPECT_EQ(told.runs, 8u);
  EXPECT_EQ(told.threads.size(), 8u);
  std::ifstream file(path);
  std::string line;
  unsigned lines = 0, runs = 0;
  for (; std::getline(file, line); ++lines)
    runs += line.find("\"name\":\"run\"") != std::string::npos;
  EXPECT_EQ(runs, 8u);
  // The first line has both processes, and the last one ends the array.
  EXPECT_EQ(lines, 2 + runs + told.steps);
}

TEST_F(SessionTest, ThreadsHaveSessionsOfTheirOwn) {
  std::string model = writeProduct();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      Session session(model);
      for (int turn = 0; turn < 2; ++turn) {
        int64_t rows = 1 + (i + turn) % 2;
        EXPECT_EQ(run(session, {rows, kWidth}, makeRows(rows)),
                  multiplyRows(rows));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

// A driver's threads are not in a process that is forked, where a call that
// waits for them would never return.
TEST_F(SessionTest, ForksHaveNoSessions) {
  auto session = std::make_unique<Session>(writeProduct());
  ASSERT_EQ(run(*session, {2, kWidth}, makeRows(2)), multiplyRows(2));
  pid_t child = ::fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    std::vector<float> rows = makeRows(2);
    DmlSessionTensor input = makeTensor("x", {2, kWidth}, rows);
    EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
                 "whose state does not survive a fork; wanted is a process "
                 "that starts anew",
                 dmlRunSession, *session, &input, 1u, nullptr, 0u);
    session.reset();
    Outcome fresh = failToCreate(writeProduct());
    EXPECT_EQ(fresh.result, DML_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(fresh.message, HasSubstr("multiprocessing's 'spawn'"));
    DmlInstance instance = nullptr;
    EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "was forked from the process",
                 dmlCreateInstance, nullptr, &instance);
    ::_exit(HasFailure());
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(run(*session, {2, kWidth}, makeRows(2)), multiplyRows(2));
}

TEST_F(SessionTest, CancelsACompilation) {
  struct Asked {
    unsigned count = 0, most = 0;
    float fraction = 0;
  } asked;
  Session session(writeProduct(), [&](DmlSessionCreateInfo &info) {
    info.userData = &asked;
    info.progressCallback = [](void *userData, const char *, float fraction) {
      auto &asked = *static_cast<Asked *>(userData);
      EXPECT_GE(fraction, asked.fraction);
      EXPECT_LE(fraction, 1);
      asked.fraction = fraction;
      return ++asked.count != asked.most;
    };
  });
  std::vector<float> elements = makeRows(1);
  DmlSessionTensor input = makeTensor("x", {1, kWidth}, elements);
  for (unsigned most : {1u, 2u, 10u}) {
    asked = {0, most, 0};
    EXPECT_FAILS(DML_ERROR_CANCELLED, "has cancelled the call",
                 dmlPrepareSession, session, &input, 1u, nullptr, 0u);
    EXPECT_EQ(asked.count, most);
    EXPECT_EQ(session.countCompiled(), 0u);
  }
  asked = {};
  EXPECT_EQ(run(session, {1, kWidth}, elements), multiplyRows(1));
  EXPECT_GT(asked.count, 20u);
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

TEST_F(SessionTest, OpensMLIR) {
  Session session(kPadding);
  DmlSessionTensorInfo tensor{};
  EXPECT_OK(dmlGetSessionInput, session, 0u, &tensor);
  EXPECT_STREQ(tensor.name, "rows");
  EXPECT_OK(dmlGetSessionOutput, session, 0u, &tensor);
  EXPECT_STREQ(tensor.name, "wide");
  EXPECT_EQ(tensor.sizes[0], 4);
  EXPECT_THAT(run(session, {2, 2}, {1, 2, 3, 4}),
              ElementsAre(1, 2, 3, 4, 1, 2, 3, 4));
  Session other(kPadding,
                [](DmlSessionCreateInfo &info) { info.function = "other"; });
  EXPECT_THAT(run(other, {2}, {1, 2}), ElementsAre(2, 4));
  EXPECT_THAT(
      failToCreate(kPadding,
                   [](DmlSessionCreateInfo &info) { info.function = "none"; })
          .message,
      HasSubstr("there is no function 'none'; the model has 'other', 'main'"));
}

TEST_F(SessionTest, OpensFiles) {
  Folder folder;
  std::string product = folder.write("product.onnx", writeProduct("w.bin"));
  std::string weights = folder.write("w.bin", toBytes(makeWeights(3)));
  auto open = [](const std::string &path) {
    return [&path](DmlSessionCreateInfo &info) {
      info.bytes = nullptr;
      info.path = path.c_str();
    };
  };
  Session session("", open(product));
  EXPECT_EQ(run(session, {2, kWidth}, makeRows(2)), multiplyRows(2));
  std::string padding = folder.write("padding.mlir", kPadding);
  Session other("", open(padding));
  EXPECT_THAT(run(other, {2, 2}, {1, 2, 3, 4}),
              ElementsAre(1, 2, 3, 4, 1, 2, 3, 4));
  // A model that changes is found out.
  folder.write("product.onnx", writeSum());
  std::vector<float> elements = makeRows(3);
  DmlSessionTensor input = makeTensor("x", {3, kWidth}, elements);
  EXPECT_FAILS(DML_ERROR_IO, "has changed since the session was made",
               dmlRunSession, session, &input, 1u, nullptr, 0u);
  // What was compiled before still runs.
  EXPECT_EQ(run(session, {2, kWidth}, makeRows(2)), multiplyRows(2));
}

TEST_F(SessionTest, OpensExecutablesAndModelsOfDirectML) {
  Session executable("", [](DmlSessionCreateInfo &info) {
    info.bytes = nullptr;
    info.path = DML_EXAMPLES "/embed/padding.dmlx";
  });
  EXPECT_STREQ(executable.getInfo().deviceProfile, "");
  std::vector<float> padded =
      run(executable, {1, 1, 4, 4}, std::vector<float>(16, 5));
  EXPECT_EQ(padded, std::vector<float>(80, 5));
  EXPECT_EQ(executable.countCompiled(), 0u);
  Session dispatch("", [](DmlSessionCreateInfo &info) {
    info.bytes = nullptr;
    info.path = DML_EXAMPLES "/dispatch.json";
    info.function = "relu";
  });
  EXPECT_THAT(run(dispatch, {1, 1, 2, 3}, {0, 1, 2, 3, 4, 5}),
              ElementsAre(0, 0, 0, 2, 4, 6));
  EXPECT_THAT(failToCreate("",
                           [](DmlSessionCreateInfo &info) {
                             info.path = DML_EXAMPLES "/dispatch.json";
                           })
                  .message,
              HasSubstr("there is no function 'main'; the model has 'relu', "
                        "'sum'"));
}

TEST_F(SessionTest, BytesHaveNoFilesBesideThem) {
  Session session(writeProduct("w.bin"));
  std::vector<float> elements = makeRows(1);
  DmlSessionTensor input = makeTensor("x", {1, kWidth}, elements);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "its elements are in", dmlRunSession,
               session, &input, 1u, nullptr, 0u);
}

TEST_F(SessionTest, BindsWeightsOfTheCaller) {
  static constexpr char source[] = R"(
func.func @main(%x: tensor<2xf32>,
                %w: tensor<2xf32> {dml.name = "w", dml.owned_by_dml}) -> tensor<2xf32> {
  %0 = dml.element_wise_add %x, %w
     : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
)";
  float elements[] = {10, 20};
  DmlNamedBytes weight{"w", elements, sizeof(elements)};
  Session session(source, [&](DmlSessionCreateInfo &info) {
    info.weights = &weight;
    info.weightCount = 1;
  });
  EXPECT_EQ(session.getInfo().inputCount, 1u);
  EXPECT_THAT(run(session, {2}, {1, 2}), ElementsAre(11, 22));
  Session without(source);
  std::vector<float> x(2);
  DmlSessionTensor input = makeTensor("x", {2}, x);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "the weight 'w' has no bytes in the model; wanted are 8",
               dmlRunSession, without, &input, 1u, nullptr, 0u);
  auto give = [&](const char *name, const std::string &model) {
    DmlNamedBytes given[] = {{name, elements, sizeof(elements)},
                             {name, elements, sizeof(elements)}};
    Outcome outcome = failToCreate(model, [&](DmlSessionCreateInfo &info) {
      info.weights = given;
      info.weightCount = 2;
    });
    EXPECT_EQ(outcome.result, DML_ERROR_INVALID_ARGUMENT);
    return outcome.message;
  };
  EXPECT_EQ(give("q", source),
            "the weight 'q' is given, but the model <bytes> has 1 that the "
            "caller gives, such as 'w'");
  // The weight of an ONNX model is the file's.
  EXPECT_EQ(give("w", writeProduct()),
            "the weight 'w' is given, but the model <bytes> has no weights "
            "that the caller gives");
  EXPECT_EQ(give("w", source), "the weight 'w' is given twice");
}

TEST_F(SessionTest, ExecutablesReadWeightsOfAFile) {
  Folder folder;
  std::string weights = folder.write("weights.bin", toBytes({10, 20}));
  auto open = [&](DmlSessionCreateInfo &info) {
    info.bytes = nullptr;
    info.path = DML_WEIGHT_EXECUTABLE;
    info.weightsPath = weights.c_str();
  };
  Session session("", open);
  EXPECT_THAT(run(session, {2}, {1, 2}), ElementsAre(11, 22));
  std::vector<float> x(2);
  DmlSessionTensor input = makeTensor("x", {2}, x);
  folder.write("weights.bin", toBytes({10}));
  Session tooShort("", open);
  EXPECT_FAILS(DML_ERROR_IO, "weights.bin' ends at byte 4", dmlRunSession,
               tooShort, &input, 1u, nullptr, 0u);
  weights = "no-such-file";
  Outcome missing = failToCreate("", open);
  EXPECT_EQ(missing.result, DML_ERROR_NOT_FOUND);
  EXPECT_THAT(missing.message, HasSubstr("'no-such-file'"));
  EXPECT_THAT(failToCreate(writeSum(),
                           [&](DmlSessionCreateInfo &info) {
                             info.weightsPath = weights.c_str();
                           })
                  .message,
              HasSubstr("the file of weights 'no-such-file' is given, but the "
                        "model <bytes> is no executable"));
}

TEST_F(SessionTest, WeightsMayHaveTheNamesOfTensors) {
  // The output is the weight itself, under the weight's name.
  ModelWriter writer;
  writer.addInput("x", Float, {int64_t(1), kWidth});
  writer.addOutput("y", Float, {int64_t(1), kWidth});
  writer.addOutput("w", Float, {kWidth, kWidth});
  writer.addWeight("w", {kWidth, kWidth}, makeWeights(3));
  writer.addNode("MatMul", {"x", "w"}, {"y"});
  Session session(writer.write());
  std::vector<float> elements = makeRows(1);
  DmlSessionTensor input = makeTensor("x", {1, kWidth}, elements);
  DmlSessionTensor outputs[2] = {};
  EXPECT_OK(dmlRunSession, session, &input, 1u, outputs, 2u);
  EXPECT_EQ(readTensor(outputs[0]), multiplyRows(1));
  EXPECT_EQ(readTensor(outputs[1]), makeWeights(3));
  for (DmlSessionTensor &output : outputs)
    dmlFreeTensor(&output);
}

TEST_F(SessionTest, TakesOptionsOfTheCompiler) {
  auto with = [](const char *name, const char *value, DmlNamedValue &option) {
    option = {name, value};
    return [&option](DmlSessionCreateInfo &info) {
      info.options = &option;
      info.optionCount = 1;
    };
  };
  DmlNamedValue option;
  Session session(writeProduct(), with("device-profile", "minimal", option));
  EXPECT_STREQ(session.getInfo().deviceProfile, "minimal");
  EXPECT_EQ(run(session, {1, kWidth}, makeRows(1)), multiplyRows(1));
  Session fused(writeProduct(), with("ort-optimizations", "all", option));
  EXPECT_EQ(run(fused, {1, kWidth}, makeRows(1)), multiplyRows(1));
  EXPECT_THAT(
      failToCreate(writeSum(), with("row-tiles", "8x2", option)).message,
      HasSubstr("there is no option 'row-tiles' with the value '8x2'"));
  EXPECT_THAT(failToCreate(writeSum(), with("fuse", "yes", option)).message,
              HasSubstr("there is no option 'fuse' with the value 'yes'"));
  for (auto [name, value] :
       {std::pair("contraction-tile", "64"), std::pair("row-tile", "abc"),
        std::pair("attention-tile", "12x7"), std::pair("matrix-tile", "64"),
        std::pair("sum-parts", "1"), std::pair("convolution-layout", "first")})
    EXPECT_THAT(failToCreate(writeSum(), with(name, value, option)).message,
                testing::StartsWith(std::string(name) + " is '" + value +
                                    "', but wants to be 'auto', 'none'"));
  EXPECT_THAT(failToCreate(writeSum(), with("external-weights", "true", option))
                  .message,
              HasSubstr("'external-weights' is dml-compile's own"));
  EXPECT_THAT(
      failToCreate(writeSum(), with("device-profile", "fast", option)).message,
      HasSubstr("fast"));
  EXPECT_THAT(
      failToCreate(kPadding, with("ort-optimizations", "all", option)).message,
      HasSubstr("is for ONNX models"));
}

TEST_F(SessionTest, RefusesWhatIsNoModel) {
  EXPECT_THAT(failToCreate("").message,
              HasSubstr("the model stands in 0 places, but wanted is one of "
                        "'path', 'bytes' and 'model'"));
  EXPECT_THAT(
      failToCreate(writeSum(),
                   [](DmlSessionCreateInfo &info) { info.path = "model.onnx"; })
          .message,
      HasSubstr("the model stands in 2 places"));
  Outcome missing = failToCreate(
      "", [](DmlSessionCreateInfo &info) { info.path = "no-such-model.onnx"; });
  EXPECT_EQ(missing.result, DML_ERROR_NOT_FOUND);
  EXPECT_THAT(missing.message, HasSubstr("'no-such-model.onnx'"));
  EXPECT_THAT(
      failToCreate("", [](DmlSessionCreateInfo &info) { info.path = "/"; })
          .message,
      HasSubstr("is no regular file"));
  Folder folder;
  for (const char *name : {"model.onnx", "model.dmlx", "model"}) {
    folder.write(name, "");
    std::string path = (folder.path / name).string();
    EXPECT_THAT(
        failToCreate(
            "", [&](DmlSessionCreateInfo &info) { info.path = path.c_str(); })
            .message,
        HasSubstr("'" + path + "' is empty, but wanted is a model"));
  }
  Outcome nonsense = failToCreate("\n  nonsense");
  EXPECT_EQ(nonsense.result, DML_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(nonsense.message,
              HasSubstr("'<bytes>' is no model: its first bytes are not those "
                        "of ONNX (.onnx), "));
  EXPECT_THAT(nonsense.message, HasSubstr("the error is: 2:3: "));
  EXPECT_THAT(failToCreate("// A comment alone.").message,
              HasSubstr("is no model: its first bytes are not"));
  for (const char *name : {"zero.mlir", "zero.onnx", "zero.mlirbc", "zero"}) {
    std::string path = folder.write(name, std::string("\7\0\0\0zeros", 9));
    Outcome zeros = failToCreate(
        "", [&](DmlSessionCreateInfo &info) { info.path = path.c_str(); });
    EXPECT_EQ(zeros.result, DML_ERROR_INVALID_ARGUMENT) << name;
    EXPECT_THAT(zeros.message, HasSubstr(path));
  }
  EXPECT_THAT(failToCreate(writeSum().substr(0, 40)).message,
              HasSubstr("<bytes>: "));
  EXPECT_EQ(failToCreate("nonsense",
                         [](DmlSessionCreateInfo &info) {
                           info.format = DML_MODEL_FORMAT_EXECUTABLE;
                         })
                .result,
            DML_ERROR_INVALID_EXECUTABLE);
  EXPECT_THAT(failToCreate(writeSum(),
                           [](DmlSessionCreateInfo &info) {
                             info.format = static_cast<DmlModelFormat>(77);
                           })
                  .message,
              HasSubstr("the format 77 is none"));
  Outcome device = failToCreate(writeSum(), [](DmlSessionCreateInfo &info) {
    info.deviceSelector = "no such device";
  });
  EXPECT_EQ(device.result, DML_ERROR_NOT_FOUND);
  EXPECT_THAT(device.message, HasSubstr("no such device"));
  DmlExtension extension{static_cast<DmlStructureType>(77), nullptr};
  EXPECT_THAT(
      failToCreate(writeSum(),
                   [&](DmlSessionCreateInfo &info) { info.next = &extension; })
          .message,
      HasSubstr("the chain of DmlSessionCreateInfo has a structure of "
                "type 77"));
}

TEST_F(SessionTest, NamesOperatorsThatItLacks) {
  ModelWriter writer;
  writer.addInput("x", Float, {int64_t(1)});
  writer.addOutput("y", Float, {int64_t(1)});
  writer.addNode("NoSuchOperator", {"x"}, {"y"});
  Session session(writer.write());
  std::vector<float> x(1);
  DmlSessionTensor input = makeTensor("x", {1}, x);
  // The next call is told the same.
  for (int i = 0; i < 2; ++i)
    EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "NoSuchOperator", dmlRunSession,
                 session, &input, 1u, nullptr, 0u);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

TEST_F(SessionTest, WeightsStandOnce) {
  constexpr uint64_t bytes = kWidth * kWidth * sizeof(float);
  Folder folder;
  std::string path = folder.write("model.onnx", writeProduct("w.bin"));
  folder.write("w.bin", toBytes(makeWeights(3)));
  auto open = [&](DmlSessionCreateInfo &info) {
    info.bytes = nullptr;
    info.path = path.c_str();
  };
  Session session("", open);
  EXPECT_EQ(session.getInfo().weightBytes, 0u);
  for (int64_t rows : {1, 2, 5}) {
    EXPECT_EQ(run(session, {rows, kWidth}, makeRows(rows)), multiplyRows(rows));
    EXPECT_EQ(session.getInfo().weightBytes, bytes);
  }
  {
    // Another session of the process has the same device and the same weights.
    Session other("", open);
    EXPECT_EQ(other.getInfo().device, session.getInfo().device);
    EXPECT_EQ(run(other, {3, kWidth}, makeRows(3)), multiplyRows(3));
    EXPECT_EQ(other.getInfo().weightBytes, bytes);
  }
  // Weights in memory are known by their bytes.
  Session inMemory(writeProduct()), same(writeProduct());
  EXPECT_EQ(run(inMemory, {1, kWidth}, makeRows(1)), multiplyRows(1));
  EXPECT_EQ(run(same, {2, kWidth}, makeRows(2)), multiplyRows(2));
  EXPECT_EQ(session.getInfo().weightBytes, 2 * bytes);
}

TEST_F(SessionTest, WeightsOfFourBitsStandPacked) {
  // Row r has a 3 in column r + 1, or -6 with a scale of -0.5.
  std::string packed(kWidth * kWidth / 2, 0);
  for (int64_t row = 0; row < kWidth; ++row) {
    int64_t place = row * kWidth + (row + 1) % kWidth;
    packed[place / 2] = static_cast<char>(place % 2 ? 0xa0 : 0x0a);
  }
  auto write = [&](const std::string &file) {
    ModelWriter writer;
    writer.addInput("x", Float, {"batch", kWidth});
    writer.addOutput("y", Float, {"batch", kWidth});
    writer.addWeight("w", Int4, {kWidth, kWidth}, packed, file);
    writer.addWeight("scale", {}, {-0.5f});
    writer.addNode("DequantizeLinear", {"w", "scale"}, {"real"});
    writer.addNode("MatMul", {"x", "real"}, {"y"});
    return writer.write();
  };
  Folder folder;
  std::string path = folder.write("model.onnx", write("w.bin"));
  folder.write("w.bin", packed);
  Session session("", [&](DmlSessionCreateInfo &info) {
    info.bytes = nullptr;
    info.path = path.c_str();
  });
  for (int64_t rows : {1, 5}) {
    EXPECT_EQ(run(session, {rows, kWidth}, makeRows(rows)), multiplyRows(rows));
    EXPECT_EQ(session.getInfo().weightBytes, packed.size());
  }
  Session inMemory(write(""));
  EXPECT_EQ(run(inMemory, {2, kWidth}, makeRows(2)), multiplyRows(2));
}

TEST_F(SessionTest, WeightsThatChangeAreFoundOut) {
  Folder folder;
  std::string path = folder.write("model.onnx", writeProduct("w.bin"));
  std::string weights = folder.write("w.bin", toBytes(makeWeights(3)));
  // The file is cut off when the program is compiled and its weights are not
  // loaded yet.
  Session session("", [&](DmlSessionCreateInfo &info) {
    info.bytes = nullptr;
    info.path = path.c_str();
    info.userData = &weights;
    info.progressCallback = [](void *userData, const char *name, float) {
      if (name == std::string("loading weights"))
        std::filesystem::resize_file(*static_cast<std::string *>(userData), 10);
      return true;
    };
  });
  std::vector<float> elements = makeRows(1);
  DmlSessionTensor input = makeTensor("x", {1, kWidth}, elements);
  EXPECT_FAILS(DML_ERROR_IO, "w.bin' has changed since the session was made",
               dmlRunSession, session, &input, 1u, nullptr, 0u);
  EXPECT_EQ(session.getInfo().weightBytes, 0u);
}

TEST_F(SessionTest, ChangesOfTheTimeAloneAreNamed) {
  Folder folder;
  std::string path = folder.write("model.onnx", writeProduct());
  Session session("", [&](DmlSessionCreateInfo &info) {
    info.bytes = nullptr;
    info.path = path.c_str();
  });
  std::filesystem::last_write_time(
      path, std::filesystem::last_write_time(path) + std::chrono::seconds(2));
  std::vector<float> elements = makeRows(1);
  DmlSessionTensor input = makeTensor("x", {1, kWidth}, elements);
  EXPECT_FAILS(DML_ERROR_IO, ": its time is 2.000 s later", dmlRunSession,
               session, &input, 1u, nullptr, 0u);
}

TEST_F(SessionTest, FilesThatAreCutOffAreErrors) {
  // The weights stand in the model itself, or beside it, and are cut off before
  // each step in turn. A mapped file would end the process by a signal.
  for (const char *name : {"model.onnx", "w.bin"}) {
    Folder folder;
    bool isBeside = name == std::string("w.bin");
    std::string path =
        folder.write("model.onnx", writeProduct(isBeside ? name : ""));
    std::string weights = toBytes(makeWeights(3));
    folder.write("w.bin", weights);
    struct Cut {
      std::string path;
      unsigned step, count;
    } cut{folder.path / name, 0, 0};
    std::ifstream file(cut.path, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    unsigned errors = 0;
    bool hasCut = true;
    for (; hasCut; ++cut.step) {
      folder.write(name, whole);
      cut.count = 0;
      Session session("", [&](DmlSessionCreateInfo &info) {
        info.bytes = nullptr;
        info.path = path.c_str();
        info.userData = &cut;
        info.progressCallback = [](void *userData, const char *, float) {
          auto &cut = *static_cast<Cut *>(userData);
          if (cut.count++ == cut.step)
            std::filesystem::resize_file(cut.path, 10);
          return true;
        };
      });
      std::vector<float> elements = makeRows(1);
      DmlSessionTensor input = makeTensor("x", {1, kWidth}, elements);
      DmlSessionTensor output{};
      Outcome outcome = call(dmlRunSession, session, &input, 1u, &output, 1u);
      hasCut = cut.count > cut.step;
      if (outcome.result == DML_SUCCESS) {
        EXPECT_EQ(readTensor(output), multiplyRows(1));
        dmlFreeTensor(&output);
        continue;
      }
      ++errors;
      EXPECT_THAT(outcome.message, HasSubstr(name)) << cut.step;
      if (cut.step > 0 || !isBeside) {
        EXPECT_EQ(outcome.result, DML_ERROR_IO) << cut.step;
        EXPECT_THAT(outcome.message, HasSubstr("'" + cut.path + "'"));
      }
      EXPECT_EQ(session.getInfo().weightBytes, 0u);
    }
    // Before each step that ends with a file being looked at.
    EXPECT_GT(errors, 20u);
  }
}

TEST_F(SessionTest, ModelsThatChangeWhileTheyAreCompiledAreErrors) {
  Folder folder;
  std::string path = folder.write("model.onnx", writeProduct());
  Session session("", [&](DmlSessionCreateInfo &info) {
    info.bytes = nullptr;
    info.path = path.c_str();
    info.userData = &path;
    info.progressCallback = [](void *userData, const char *name, float) {
      const std::string &path = *static_cast<std::string *>(userData);
      if (name == std::string("compiling")) {
        // Another file of this name, as editors write it.
        std::ofstream(path + ".new", std::ios::binary) << writeSum();
        std::filesystem::rename(path + ".new", path);
      }
      return true;
    };
  });
  std::vector<float> elements = makeRows(1);
  DmlSessionTensor input = makeTensor("x", {1, kWidth}, elements);
  EXPECT_FAILS(DML_ERROR_IO, "model.onnx' has changed since the session",
               dmlRunSession, session, &input, 1u, nullptr, 0u);
  EXPECT_EQ(session.countCompiled(), 0u);
}

/// y = x * (w * w): the product of the weights is computed once. They are too
/// many for the importer to compute with.
constexpr int64_t kLarge = 300;
std::string writePrepared() {
  std::vector<float> weights(kLarge * kLarge);
  for (int64_t row = 0; row < kLarge; ++row)
    weights[row * kLarge + row] = static_cast<float>(row % 8);
  ModelWriter writer;
  writer.addInput("x", Float, {"batch", kLarge});
  writer.addOutput("y", Float, {"batch", kLarge});
  writer.addWeight("w", {kLarge, kLarge}, weights);
  writer.addNode("Mul", {"w", "w"}, {"squares"});
  writer.addNode("MatMul", {"x", "squares"}, {"y"});
  return writer.write();
}

void runPrepared(DmlSession session, int64_t rows) {
  std::vector<float> x(rows * kLarge, 2), wanted(x.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    auto factor = static_cast<float>(i % kLarge % 8);
    wanted[i] = 2 * factor * factor;
  }
  EXPECT_EQ(run(session, {rows, kLarge}, x), wanted);
}

TEST_F(SessionTest, WhatIsComputedFromWeightsStandsOnce) {
  Session session(writePrepared());
  uint64_t bytes = 0;
  for (int64_t rows : {1, 2, 7}) {
    runPrepared(session, rows);
    if (bytes == 0)
      bytes = session.getInfo().weightBytes;
    EXPECT_EQ(session.getInfo().weightBytes, bytes);
  }
  // The weights themselves have gone: no program reads them.
  EXPECT_GE(bytes, kLarge * kLarge * sizeof(float));
  EXPECT_LT(bytes, 2 * kLarge * kLarge * sizeof(float));
}

/// y = (x * v) * (x * w), element by element, for matrices v and w. Few rows
/// make one product of the two, for which the matrices are stacked.
std::string writeProducts() {
  std::vector<float> weights(kWidth * kWidth);
  ModelWriter writer;
  writer.addInput("x", Float, {"batch", kWidth});
  writer.addOutput("y", Float, {"batch", kWidth});
  for (const char *name : {"v", "w"}) {
    for (int64_t i = 0; i < kWidth; ++i)
      weights[i * kWidth + i] = *name == 'v' ? 3 : static_cast<float>(i % 4);
    writer.addWeight(name, {kWidth, kWidth}, weights);
  }
  writer.addNode("MatMul", {"x", "v"}, {"xv"});
  writer.addNode("MatMul", {"x", "w"}, {"xw"});
  writer.addNode("Mul", {"xv", "xw"}, {"y"});
  return writer.write();
}

void runProducts(DmlSession session, int64_t rows) {
  std::vector<float> wanted = makeRows(rows);
  for (size_t i = 0; i < wanted.size(); ++i)
    wanted[i] = 3 * wanted[i] * (wanted[i] * static_cast<float>(i % 4));
  EXPECT_EQ(run(session, {rows, kWidth}, makeRows(rows)), wanted);
}

/// Numbers of rows that make one product of two on a device of one
/// multiprocessor, and that do not: 4096 sums occupy the device.
constexpr int64_t kFewRows = 2, kManyRows = 5000 / kWidth + 1;

/// Options for a session on a device of one multiprocessor.
class SmallDevice {
public:
  explicit SmallDevice(const char *sharedWeights) {
    profile = Session(writeSum()).getInfo().deviceProfile;
    const std::string entry = ",multiprocessors=";
    size_t begin = profile.find(entry);
    if (begin != std::string::npos)
      profile.erase(begin, profile.find(',', begin + 1) - begin);
    profile += entry + "1";
    options = {{{"device-profile", profile.c_str()},
                {"shared-weights", sharedWeights}}};
  }
  void adjust(DmlSessionCreateInfo &info) const {
    info.options = options.data();
    info.optionCount = static_cast<uint32_t>(options.size());
  }

private:
  std::string profile;
  std::array<DmlNamedValue, 2> options;
};

TEST_F(SessionTest, WeightsHaveOneLayoutForAllSizes) {
  constexpr uint64_t bytes = 2 * kWidth * kWidth * sizeof(float);
  auto measure = [](const char *sharedWeights, std::vector<int64_t> shapes) {
    SmallDevice device(sharedWeights);
    Session session(writeProducts(),
                    [&](DmlSessionCreateInfo &info) { device.adjust(info); });
    for (int64_t rows : shapes)
      runProducts(session, rows);
    return session.getInfo().weightBytes;
  };
  // Whichever size comes first, and if one is the only one.
  EXPECT_EQ(measure("true", {kFewRows}), bytes);
  EXPECT_EQ(measure("true", {kManyRows}), bytes);
  EXPECT_EQ(measure("true", {kFewRows, kManyRows}), bytes);
  EXPECT_EQ(measure("true", {kManyRows, 1, kFewRows}), bytes);
  // Where each program has the layout that it wants, the weights stand twice.
  EXPECT_EQ(measure("false", {kFewRows, kManyRows}), 2 * bytes);
}

TEST_F(SessionTest, ThreadsShareOneLayout) {
  SmallDevice device("true");
  auto adjust = [&](DmlSessionCreateInfo &info) { device.adjust(info); };
  Session session(writeProducts(), adjust), other(writeProducts(), adjust);
  std::vector<std::thread> threads;
  for (int64_t rows : {kFewRows, kManyRows})
    for (const Session *which : {&session, &other})
      threads.emplace_back([=] { runProducts(*which, rows); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(session.getInfo().weightBytes, 2 * kWidth * kWidth * sizeof(float));
}

TEST_F(SessionTest, MemoryIsFlatOverManyShapes) {
  Session session(writePrepared(), [](DmlSessionCreateInfo &info) {
    info.programBudget = 100000;
  });
  for (int64_t rows = 1; rows <= 12; ++rows)
    runPrepared(session, rows);
  DmlSessionInfo info = session.getInfo();
  EXPECT_EQ(info.compiledCount, 12u);
  EXPECT_LT(info.programCount, 12u);
  EXPECT_LE(info.programBytes, 100000u);
  EXPECT_LT(info.weightBytes, 2 * kLarge * kLarge * sizeof(float));
}

/// Bytes of the process in memory; 0 where the system does not tell.
uint64_t countResidentBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Bytes that the process has allocated and not freed; 0 where the C library
/// does not tell. The resident bytes say less about a leak: the allocator keeps
/// what was freed, and touches more of its pages with each new order of sizes.
uint64_t countAllocatedBytes() {
#ifdef __GLIBC__
  struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

/// Runs as many shapes as the environment's DML_SHAPES says, and tells then how
/// much memory there is. The session keeps some programs, so that the allocated
/// bytes go up and down: the test compares the most of the first half of the
/// shapes with the most of the second half.
TEST_F(SessionTest, MemoryIsFlatOverHundredsOfShapes) {
  const char *wanted = std::getenv("DML_SHAPES");
  const int64_t shapes = wanted ? std::atoll(wanted) : 240;
  constexpr uint64_t budget = 200'000;
  ModelWriter writer;
  writer.addInput("x", Float, {"rows", "columns"});
  writer.addOutput("y", Float, {"rows", "columns"});
  writer.addNode("Add", {"x", "x"}, {"y"});
  Session session(writer.write(), [](DmlSessionCreateInfo &info) {
    info.programBudget = budget;
  });
  DmlMemoryUse before{}, after{};
  uint64_t resident = 0;
  std::array<uint64_t, 2> peaks{};
  for (int64_t i = 0; i < shapes; ++i) {
    int64_t rows = 1 + i % 100, columns = 1 + i / 100;
    std::vector<float> ones(rows * columns, 1), twos(rows * columns, 2);
    ASSERT_EQ(run(session, {rows, columns}, ones), twos) << i;
    if (i == shapes / 2) {
      EXPECT_OK(dmlGetMemoryUse, session.getInfo().device, &before);
      resident = countResidentBytes();
    }
    uint64_t &peak = peaks[i > shapes / 2];
    peak = std::max(peak, countAllocatedBytes());
    if (wanted && i % 500 == 499)
      std::printf("%lld shapes: %llu KiB\n", static_cast<long long>(i + 1),
                  static_cast<unsigned long long>(countResidentBytes() >> 10));
  }
  DmlSessionInfo info = session.getInfo();
  EXPECT_EQ(info.compiledCount, static_cast<uint64_t>(shapes));
  EXPECT_LE(info.programBytes, budget);
  EXPECT_OK(dmlGetMemoryUse, info.device, &after);
  EXPECT_LE(after.used, before.used + budget);
  // What a program leaves must be far less than its code, of some 20 KB.
  // SwiftShader's pipeline cache keeps the code of each kernel.
  DmlDeviceInfo device{};
  dmlGetDeviceProperties(info.device, &device);
  uint64_t ofProgram =
      std::strstr(device.name, "SwiftShader") != nullptr ? 25'000 : 2'000;
  EXPECT_LE(peaks[1], peaks[0] + (uint64_t(1) << 20) + shapes / 2 * ofProgram);
  if (wanted) {
    uint64_t grown = std::max(countResidentBytes(), resident) - resident;
    std::printf("device: %llu, then %llu bytes; process: %llu bytes more "
                "resident; at most %llu, then %llu bytes allocated\n",
                static_cast<unsigned long long>(before.used),
                static_cast<unsigned long long>(after.used),
                static_cast<unsigned long long>(grown),
                static_cast<unsigned long long>(peaks[0]),
                static_cast<unsigned long long>(peaks[1]));
  }
}

//===----------------------------------------------------------------------===//
// The cache on disk
//===----------------------------------------------------------------------===//

/// A folder for a cache, and sessions that use it as other processes would.
class Cache {
public:
  /// Opens the product with a factor of 3, and its weights in a file.
  void
  open(const std::function<void(DmlSession)> &use,
       const std::function<void(DmlSessionCreateInfo &)> &adjust = nullptr) {
    warnings.clear();
    std::string path = folder.path / "model.onnx", cache = getPath();
    Session session("", [&](DmlSessionCreateInfo &info) {
      info.bytes = nullptr;
      info.path = path.c_str();
      info.cacheDirectory = cache.c_str();
      info.userData = &warnings;
      info.messageCallback = [](void *userData, DmlMessageSeverity,
                                const char *message) {
        static_cast<std::vector<std::string> *>(userData)->push_back(message);
      };
      if (adjust)
        adjust(info);
    });
    use(session);
    DmlSessionInfo info = session.getInfo();
    compiled = info.compiledCount;
    cached = info.cachedCount;
  }
  void openAndRun(float factor = 3, int64_t rows = 1) {
    open([&](DmlSession session) {
      EXPECT_EQ(run(session, {rows, kWidth}, makeRows(rows)),
                multiplyRows(rows, factor));
    });
  }

  std::filesystem::path getPath() const { return folder.path / "cache"; }
  /// The files of programs.
  std::vector<std::filesystem::path> getPrograms() const {
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(getPath()))
      if (entry.path().extension() == ".dmlprogram")
        files.push_back(entry.path());
    return files;
  }

  Folder folder;
  std::vector<std::string> warnings;
  uint64_t compiled = 0, cached = 0;
};

TEST_F(SessionTest, LaterProcessesCompileNothing) {
  Cache cache;
  cache.folder.write("model.onnx", writeProduct("w.bin"));
  cache.folder.write("w.bin", toBytes(makeWeights(3)));
  cache.openAndRun();
  EXPECT_EQ(cache.compiled, 1u);
  EXPECT_EQ(cache.cached, 0u);
  cache.openAndRun();
  EXPECT_EQ(cache.compiled, 0u);
  EXPECT_EQ(cache.cached, 1u);
  EXPECT_THAT(cache.warnings, testing::IsEmpty());
  // Other sizes, another option and other weights are other programs.
  cache.openAndRun(3, 2);
  EXPECT_EQ(cache.compiled, 1u);
  EXPECT_EQ(cache.getPrograms().size(), 2u);
  DmlNamedValue option{"fuse", "false"};
  cache.open(
      [](DmlSession session) {
        EXPECT_EQ(run(session, {1, kWidth}, makeRows(1)), multiplyRows(1));
      },
      [&](DmlSessionCreateInfo &info) {
        info.options = &option;
        info.optionCount = 1;
      });
  EXPECT_EQ(cache.compiled, 1u);
  EXPECT_EQ(cache.getPrograms().size(), 3u);
  std::filesystem::remove(cache.folder.path / "w.bin");
  cache.folder.write("w.bin", toBytes(makeWeights(5)));
  cache.openAndRun(5);
  EXPECT_EQ(cache.compiled, 1u);
  EXPECT_THAT(cache.warnings,
              ElementsAre(HasSubstr("it was made of other files of weights")));
  cache.openAndRun(5);
  EXPECT_EQ(cache.cached, 1u);
  // No temporary file is left.
  for (const auto &entry : std::filesystem::directory_iterator(cache.getPath()))
    EXPECT_NE(entry.path().extension(), ".tmp");
}

TEST_F(SessionTest, ProgramsWithPreparedWeightsAreKept) {
  Cache cache;
  cache.folder.write("model.onnx", writePrepared());
  for (int i = 0; i < 2; ++i) {
    cache.open([](DmlSession session) { runPrepared(session, 2); });
    EXPECT_EQ(cache.cached, i);
  }
  EXPECT_THAT(cache.warnings, testing::IsEmpty());
}

TEST_F(SessionTest, ProgramsOfTheCacheShareOneLayout) {
  Cache cache;
  cache.folder.write("model.onnx", writeProducts());
  SmallDevice shared("true"), apart("false");
  auto open = [&](const SmallDevice &device, std::vector<int64_t> shapes) {
    uint64_t bytes = 0;
    cache.open(
        [&](DmlSession session) {
          for (int64_t rows : shapes)
            runProducts(session, rows);
          DmlSessionInfo info{};
          EXPECT_OK(dmlGetSessionInfo, session, &info);
          bytes = info.weightBytes;
        },
        [&](DmlSessionCreateInfo &info) { device.adjust(info); });
    return bytes;
  };
  constexpr uint64_t bytes = 2 * kWidth * kWidth * sizeof(float);
  EXPECT_EQ(open(shared, {kFewRows}), bytes);
  // One program of the folder, and one that is compiled beside it.
  EXPECT_EQ(open(shared, {kManyRows, kFewRows}), bytes);
  EXPECT_EQ(cache.cached, 1u);
  EXPECT_EQ(open(shared, {kFewRows, kManyRows}), bytes);
  EXPECT_EQ(cache.cached, 2u);
  // Programs with other layouts are others.
  EXPECT_EQ(open(apart, {kFewRows, kManyRows}), 2 * bytes);
  EXPECT_EQ(cache.cached, 0u);
}

TEST_F(SessionTest, DamagedFilesOfTheCacheAreMadeAnew) {
  Cache cache;
  cache.folder.write("model.onnx", writeProduct());
  cache.openAndRun();
  ASSERT_EQ(cache.getPrograms().size(), 1u);
  std::string path = cache.getPrograms().front();
  std::ifstream file(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  auto expect = [&](const std::string &bytes, const char *why) {
    std::ofstream(path, std::ios::binary) << bytes;
    cache.openAndRun();
    EXPECT_EQ(cache.compiled, 1u);
    EXPECT_THAT(cache.warnings, ElementsAre(HasSubstr(why)));
    cache.openAndRun();
    EXPECT_EQ(cache.cached, 1u) << why;
  };
  expect("", "it is no program of this key");
  expect("a stranger's file", "it is no program of this key");
  expect(whole.substr(0, whole.size() / 2), "its digest is not that of");
  expect(whole + "0", "its digest is not that of");
  std::string changed = whole;
  changed[whole.size() / 2] ^= 1;
  expect(changed, "its digest is not that of");
  // Another key's program under this name.
  changed = whole;
  changed[8] ^= 1;
  expect(changed, "it is no program of this key");
  // A file that others may write, or that is none.
  std::filesystem::permissions(path, std::filesystem::perms::all);
  cache.openAndRun();
  EXPECT_THAT(cache.warnings, ElementsAre(HasSubstr("others may write it")));
  std::filesystem::remove(path);
  std::filesystem::create_symlink("elsewhere", path);
  cache.openAndRun();
  EXPECT_EQ(cache.compiled, 1u);
}

TEST_F(SessionTest, AFolderThatCannotBeWrittenIsOneWarning) {
  Cache cache;
  cache.folder.write("model.onnx", writeProduct());
  // A file stands where the folder is to be.
  cache.folder.write("cache", "");
  cache.open([](DmlSession session) {
    for (int64_t rows : {1, 2})
      EXPECT_EQ(run(session, {rows, kWidth}, makeRows(rows)),
                multiplyRows(rows));
  });
  EXPECT_EQ(cache.compiled, 2u);
  EXPECT_THAT(cache.warnings, ElementsAre(HasSubstr("cannot be written")));
}

TEST_F(SessionTest, TheFolderKeepsWithinItsBudget) {
  Cache cache;
  cache.folder.write("model.onnx", writeProduct());
  cache.openAndRun(3, 2);
  ASSERT_EQ(cache.getPrograms().size(), 1u);
  std::string first = cache.getPrograms().front();
  uint64_t size = std::filesystem::file_size(first);
  auto open = [&](int64_t rows) {
    cache.open(
        [&](DmlSession session) {
          EXPECT_EQ(run(session, {rows, kWidth}, makeRows(rows)),
                    multiplyRows(rows));
        },
        // There is room for two programs, and not for five.
        [&](DmlSessionCreateInfo &info) { info.cacheBudget = 5 * size; });
  };
  // What others have put there stays, and does not count.
  std::filesystem::path stranger = cache.getPath() / "a stranger's file.tmp";
  std::ofstream(stranger, std::ios::binary) << std::string(8 * size, 0);
  // What a process that has ended has not finished is removed; another process
  // still writes the second file.
  std::string left = first + "-12345678.tmp", busy = first + "-23456789.tmp";
  std::ofstream(left, std::ios::binary) << "half";
  std::ofstream(busy, std::ios::binary) << "half";
  std::filesystem::last_write_time(
      left, std::filesystem::last_write_time(left) - std::chrono::hours(2));
  for (int64_t rows = 3; rows <= 7; ++rows) {
    open(rows);
    EXPECT_EQ(cache.compiled, 1u);
    uint64_t bytes = 0;
    for (const std::filesystem::path &path : cache.getPrograms())
      bytes += std::filesystem::file_size(path);
    EXPECT_LE(bytes, 5 * size);
    // The program of two rows is used again and again.
    open(2);
    EXPECT_EQ(cache.cached, 1u);
  }
  // Of the others, those that were used longest ago have gone.
  open(7);
  EXPECT_EQ(cache.cached, 1u);
  open(3);
  EXPECT_EQ(cache.compiled, 1u);
  EXPECT_TRUE(std::filesystem::exists(stranger));
  EXPECT_TRUE(std::filesystem::exists(busy));
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_THAT(cache.warnings, testing::IsEmpty());
}

TEST_F(SessionTest, FilesOfAnotherUserAreNotUsed) {
  Cache cache;
  cache.folder.write("model.onnx", writeProduct());
  cache.openAndRun();
  std::string path = cache.getPrograms().front();
  // The superuser alone gives files away; other users get the same warning for
  // a file that their group may write.
  if (::chown(path.c_str(), ::geteuid() + 1, static_cast<gid_t>(-1)) != 0)
    std::filesystem::permissions(path, std::filesystem::perms::group_write,
                                 std::filesystem::perm_options::add);
  cache.openAndRun();
  EXPECT_EQ(cache.compiled, 1u);
  EXPECT_THAT(cache.warnings,
              ElementsAre(testing::AllOf(HasSubstr(path),
                                         HasSubstr("others may write it"))));
  cache.openAndRun();
  EXPECT_EQ(cache.cached, 1u);
}

TEST_F(SessionTest, TheCallersIdentifierIsTheKey) {
  Cache cache;
  cache.folder.write("model.onnx", writeProduct());
  auto identify = [](DmlSessionCreateInfo &info) {
    info.identifier = "the product, version 1";
  };
  auto runOnce = [](DmlSession session) {
    EXPECT_EQ(run(session, {1, kWidth}, makeRows(1)), multiplyRows(1));
  };
  cache.open(runOnce, identify);
  EXPECT_EQ(cache.compiled, 1u);
  cache.open(runOnce, identify);
  EXPECT_EQ(cache.cached, 1u);
}

TEST_F(SessionTest, ProcessesShareAFolder) {
  // Threads with sessions of their own stand for processes.
  Cache cache;
  cache.folder.write("model.onnx", writeProduct());
  std::string path = cache.folder.path / "model.onnx", folder = cache.getPath();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      Session session("", [&](DmlSessionCreateInfo &info) {
        info.bytes = nullptr;
        info.path = path.c_str();
        info.cacheDirectory = folder.c_str();
      });
      for (int64_t rows : {1, 2, 3})
        EXPECT_EQ(run(session, {rows, kWidth}, makeRows(rows)),
                  multiplyRows(rows));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(cache.getPrograms().size(), 3u);
  cache.openAndRun();
  EXPECT_EQ(cache.cached, 1u);
  EXPECT_THAT(cache.warnings, testing::IsEmpty());
}

//===----------------------------------------------------------------------===//
// Inputs that are wrong
//===----------------------------------------------------------------------===//

TEST_F(SessionTest, RefusesWrongInputs) {
  Session session(writeSum());
  std::vector<float> elements(4);
  const DmlSessionTensor left = makeTensor("left", {2, 2}, elements);
  const DmlSessionTensor right = makeTensor("right", {2, 2}, elements);
  auto expect = [&](const char *message, std::vector<DmlSessionTensor> inputs) {
    EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, message, dmlRunSession, session,
                 inputs.data(), static_cast<uint32_t>(inputs.size()), nullptr,
                 0u);
  };
  auto change = [](DmlSessionTensor tensor,
                   const std::function<void(DmlSessionTensor &)> &adjust) {
    adjust(tensor);
    return tensor;
  };
  using T = DmlSessionTensor;
  expect("input 'right' is missing; the model has the inputs 'left', 'right'",
         {left});
  expect("there is no input 'rihgt'; did you mean 'right'?",
         {left, change(right, [](T &t) { t.name = "rihgt"; })});
  expect("there is no input 'something'; the model has 'left', 'right'",
         {left, change(right, [](T &t) { t.name = "something"; })});
  expect("input 'left' is given twice", {left, left});
  expect("there are 3 inputs, but the model has 2",
         {left, right, change(right, [](T &t) { t.name = nullptr; })});
  expect(
      "input 'left' has the type f16, but wanted is f32",
      {change(left, [](T &t) { t.dataType = DML_DATA_TYPE_FLOAT16; }), right});
  expect("input 'left' has 3 dimensions, but wanted are 2, rowsx2",
         {change(left, [](T &t) { t.rank = 3; }), right});
  expect("input 'left' has the size 4 in dimension 1, but wanted is 2 (rowsx2)",
         {change(left, [](T &t) { t.sizes[1] = 4; }), right});
  expect("input 'right' has the size 1 in dimension 0, but wanted is 2, which "
         "input 'left' has as 'rows'",
         {left, change(right, [](T &t) { t.sizes[0] = 1; })});
  for (int64_t size : {int64_t(-1), int64_t(1) << 40, INT64_MAX})
    expect("but wanted are sizes of 0 or more, and at most 2^32 - 1 elements",
           {change(left, [&](T &t) { t.sizes[0] = size; }), right});
  expect("input 'left' has 15 bytes, but wanted are 16 for 2x2 of f32",
         {change(left, [](T &t) { t.byteSize = 15; }), right});
  expect("input 'left' has no memory",
         {change(left, [](T &t) { t.data = nullptr; }), right});
  DmlExtension extension{static_cast<DmlStructureType>(77), nullptr};
  DmlSessionTensor extended = change(left, [&](T &t) { t.next = &extension; });
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED,
               "the chain of DmlSessionTensor has a structure of type 77",
               dmlRunSession, session, &extended, 1u, nullptr, 0u);
  DmlSessionTensor output{};
  output.name = "sums";
  DmlSessionTensor inputs[] = {left, right};
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "there is no output 'sums'; did you mean 'sum'?", dmlRunSession,
               session, inputs, 2u, &output, 1u);
  EXPECT_EQ(session.countCompiled(), 0u);
}

TEST_F(SessionTest, RefusesNullPointers) {
  DmlSession session = nullptr;
  DmlSessionCreateInfo info{};
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "'info' is NULL", dmlCreateSession,
               nullptr, &session);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "'session' is NULL",
               dmlCreateSession, &info, nullptr);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "'session' is NULL", dmlRunSession,
               nullptr, nullptr, 0u, nullptr, 0u);
  info.optionCount = 1;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "DmlSessionCreateInfo::options is NULL, but its count is 1",
               dmlCreateSession, &info, &session);
  Session sum(writeSum());
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "'inputs' is NULL", dmlRunSession,
               sum, nullptr, 1u, nullptr, 0u);
  dmlDestroySession(nullptr);
  dmlFreeTensor(nullptr);
}

} // namespace
