//===- ModelTest.cpp - Models that are built node by node -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "dml/session.hpp"
#include "gmock/gmock.h"

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Le;

namespace {

constexpr int64_t kWidth = 512;
constexpr uint64_t kWeightBytes = kWidth * kWidth * sizeof(float);

/// Weights of `kWidth` x `kWidth`, more than the compiler computes with: the
/// row r has `factor` in column r + 1.
std::vector<float> makeWeights(float factor = 3) {
  std::vector<float> weights(kWidth * kWidth);
  for (int64_t row = 0; row < kWidth; ++row)
    weights[row * kWidth + (row + 1) % kWidth] = factor;
  return weights;
}
std::vector<float> makeRow() {
  std::vector<float> row(kWidth);
  for (int64_t i = 0; i < kWidth; ++i)
    row[i] = static_cast<float>(i);
  return row;
}
/// What y = x * w makes of the row.
std::vector<float> multiplyRow(float factor = 3) {
  std::vector<float> row(kWidth);
  for (int64_t i = 0; i < kWidth; ++i)
    row[(i + 1) % kWidth] = factor * static_cast<float>(i);
  return row;
}

dml::Weight describeWeights(const std::string &identifier = "") {
  dml::Weight weight;
  weight.name = "w";
  weight.elementType = DML_ELEMENT_TYPE_FLOAT;
  weight.sizes = {kWidth, kWidth};
  weight.byteSize = kWeightBytes;
  weight.identifier = identifier;
  return weight;
}

/// The model y = x * w.
dml::Model makeProduct(const dml::Weight &weight,
                       const std::string &identifier = "") {
  dml::Model model({{"", 17}}, "product", identifier);
  model.input("x", DML_ELEMENT_TYPE_FLOAT, {"batch", kWidth});
  model.weight(weight);
  model.node("MatMul", {"x", "w"}, {"y"});
  model.output("y", DML_ELEMENT_TYPE_FLOAT, {"batch", kWidth});
  return model;
}

/// Elements that a callback reads, and how it is called.
class Reader {
public:
  explicit Reader(std::vector<float> elements)
      : elements(std::move(elements)) {}

  dml::Weight get(const std::string &identifier = "") {
    dml::Weight weight = describeWeights(identifier);
    weight.read = [this](uint64_t offset, size_t size, void *destination) {
      std::lock_guard<std::mutex> lock(mutex);
      if (fails)
        throw std::runtime_error("the disk is gone");
      pieces.push_back(size);
      bytes += size;
      std::memcpy(destination,
                  reinterpret_cast<const char *>(elements.data()) + offset,
                  size);
    };
    return weight;
  }

  std::vector<float> elements;
  std::mutex mutex;
  bool fails = false;
  std::vector<size_t> pieces;
  uint64_t bytes = 0;
  /// Sessions that have run, and what tells of another one.
  int count = 0;
  std::condition_variable ended;
};

std::vector<float> run(const dml::Session &session) {
  return session.run({{"x", {1, kWidth}, makeRow()}})[0].copy<float>();
}

/// What `function` fails with.
template <typename Fn> std::string getError(DmlResult code, Fn function) {
  try {
    function();
  } catch (const dml::Error &error) {
    EXPECT_EQ(error.result(), code) << error.what();
    return error.what();
  }
  return "nothing";
}

class Folder {
public:
  Folder() {
    path = std::filesystem::temp_directory_path() /
           ("dml-model-test-" +
            std::string(
                testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

class ModelTest : public testing::Test {
protected:
  void SetUp() override {
    bool found = true;
    try {
      dml::Model model;
      model.input("x", DML_ELEMENT_TYPE_FLOAT, {1}).node("Neg", {"x"}, {"y"});
      dml::Session session(model.output("y"));
    } catch (const dml::Error &error) {
      found = error.result() != DML_ERROR_NOT_FOUND;
    }
    DML_END_WITHOUT_DEVICE(found);
  }
};

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

TEST_F(ModelTest, OutlivesItsHandle) {
  std::vector<float> elements = makeWeights();
  dml::Weight weight = describeWeights();
  weight.data = elements.data();
  std::unique_ptr<dml::Session> session;
  {
    dml::Model model = makeProduct(weight);
    session = std::make_unique<dml::Session>(model);
    EXPECT_THAT(getError(DML_ERROR_INVALID_ARGUMENT,
                         [&] { model.node("Neg", {"y"}, {"z"}); }),
                HasSubstr("the model 'product' has a session or is the graph "
                          "of a node, and does not change any more"));
  }
  EXPECT_EQ(session->inputs()[0].dimensionNames[0], "batch");
  EXPECT_EQ(run(*session), multiplyRow());
}

TEST_F(ModelTest, HasAttributesOfAllKinds) {
  dml::Model branch({}, "branch");
  branch.weight("two", {1}, std::vector<float>{2});
  branch.node("Mul", {"x", "two"}, {"doubled"});
  branch.output("doubled");
  dml::Model other({}, "other");
  other.node("Neg", {"x"}, {"negative"}).output("negative");
  dml::Weight ten;
  ten.elementType = DML_ELEMENT_TYPE_FLOAT;
  ten.byteSize = sizeof(float);
  float value = 10;
  ten.data = &value;

  dml::Model model;
  model.input("x", DML_ELEMENT_TYPE_FLOAT, {2});
  dml::Weight condition;
  condition.name = "condition";
  condition.elementType = DML_ELEMENT_TYPE_BOOL;
  condition.byteSize = 1;
  uint8_t truth = 1;
  condition.data = &truth;
  model.weight(condition);
  model.node("If", {"condition"}, {"a"},
             {{"then_branch", branch}, {"else_branch", other}});
  model.node("Constant", {}, {"ten"}, {{"value", ten}});
  model.node("Add", {"a", "ten"}, {"b"});
  model.node("Constant", {}, {"list"},
             {{"value_floats", std::vector<float>{0.5f, 0.25f}}});
  model.node("Mul", {"b", "list"}, {"c"});
  model.node("LeakyRelu", {"c"}, {"d"}, {{"alpha", 0.5f}});
  model.node("Constant", {}, {"shape"},
             {{"value_ints", std::vector<int64_t>{1, 1, 1, 2}}});
  model.node("Reshape", {"d", "shape"}, {"e"}, {}, "reshape");
  model.node("DepthToSpace", {"e"}, {"f"}, {{"blocksize", 1}, {"mode", "CRD"}});
  model.output("f");
  dml::Session session(model);
  auto results = session.run({{"x", {2}, std::vector<float>{3, -13}}});
  EXPECT_THAT(results[0].copy<float>(), ElementsAre(8, -2));
  EXPECT_THAT(results[0].sizes(), ElementsAre(1, 1, 1, 2));
}

TEST_F(ModelTest, RefusesWhatNoModelHas) {
  DmlError error = nullptr;
  DmlModelCreateInfo info{};
  DmlModel handle = nullptr;
  ASSERT_EQ(dmlCreateModel(&info, &handle, nullptr), DML_SUCCESS);
  auto fails = [&](const char *text, DmlResult result) {
    EXPECT_EQ(result, DML_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(dmlGetErrorMessage(error), HasSubstr(text));
    dmlDestroyError(error);
  };
  fails("the argument 'model' is NULL",
        dmlAddModelInput(nullptr, nullptr, &error));
  DmlModelTensor tensor{};
  fails("input '' has no name", dmlAddModelInput(handle, &tensor, &error));
  fails("the argument 'tensor' is NULL",
        dmlAddModelInput(handle, nullptr, &error));
  fails("the argument 'node' is NULL",
        dmlAddModelNode(handle, nullptr, &error));
  tensor.name = "x";
  tensor.rank = 1;
  fails("input 'x': 'sizes' is NULL",
        dmlAddModelInput(handle, &tensor, &error));
  int64_t size = -2;
  tensor.sizes = &size;
  fails("output 'x' has the size -2 in dimension 0, but wanted is a size, or "
        "-1 for one that is open",
        dmlAddModelOutput(handle, &tensor, &error));
  size = 1;
  EXPECT_EQ(dmlAddModelInput(handle, &tensor, nullptr), DML_SUCCESS);
  fails("input 'x' is declared twice",
        dmlAddModelInput(handle, &tensor, &error));
  EXPECT_EQ(dmlAddModelOutput(handle, &tensor, nullptr), DML_SUCCESS);
  fails("output 'x' is declared twice",
        dmlAddModelOutput(handle, &tensor, &error));
  DmlModelWeight named{};
  named.name = "x";
  fails("weight 'x' has the name of the input 'x'",
        dmlAddModelWeight(handle, &named, &error));
  DmlModelNode node{};
  node.name = "n";
  fails("node 'n' has no type", dmlAddModelNode(handle, &node, &error));
  node.type = "If";
  node.inputCount = 1;
  fails("node 'n' (If): ", dmlAddModelNode(handle, &node, &error));
  node.inputCount = 0;
  DmlModelAttribute attribute{};
  attribute.name = "a";
  attribute.type = static_cast<DmlAttributeType>(77);
  node.attributes = &attribute;
  node.attributeCount = 1;
  fails("node 'n' (If), attribute 'a' has the type 77, but wanted is one of "
        "DmlAttributeType",
        dmlAddModelNode(handle, &node, &error));
  attribute.type = DML_ATTRIBUTE_TYPE_GRAPH;
  fails("node 'n' (If), attribute 'a': 'graph' is NULL",
        dmlAddModelNode(handle, &node, &error));
  attribute.graph = handle;
  fails("node 'n' (If), attribute 'a' is the model itself",
        dmlAddModelNode(handle, &node, &error));
  DmlModelWeight weight{};
  weight.name = "w";
  weight.byteSize = 8;
  fails("weight 'w': its 8 bytes stand in 0 places, but wanted is one of "
        "'data', 'read' and 'path'",
        dmlAddModelWeight(handle, &weight, &error));
  dmlDestroyModel(handle);
}

TEST_F(ModelTest, ChangesNothingWhereACallFails) {
  dml::Model inner({}, "inner"), outer;
  dml::Weight nothing;
  nothing.byteSize = 4;
  EXPECT_THAT(getError(DML_ERROR_INVALID_ARGUMENT,
                       [&] {
                         outer.node("If", {"c"}, {"y"},
                                    {{"then_branch", inner}, {"v", nothing}});
                       }),
              HasSubstr("node '' (If), attribute 'v': its 4 bytes stand in 0 "
                        "places"));
  inner.node("Neg", {"x"}, {"z"});
  outer.node("If", {"c"}, {"y"}, {{"then_branch", inner}});
  EXPECT_THAT(getError(DML_ERROR_INVALID_ARGUMENT,
                       [&] { inner.node("Abs", {"z"}, {"a"}); }),
              HasSubstr("the model 'inner' has a session or is the graph"));
}

TEST_F(ModelTest, BoundsGraphsWithinNodes) {
  dml::Model inner({}, "0");
  for (int depth = 1;; ++depth) {
    dml::Model outer({}, std::to_string(depth));
    std::string error = getError(DML_ERROR_INVALID_ARGUMENT, [&] {
      outer.node("If", {"c"}, {"y"}, {{"then_branch", inner}});
    });
    if (depth > 16) {
      EXPECT_THAT(error, HasSubstr("has 17 graphs one within another, but "
                                   "wanted are 16 at most"));
      break;
    }
    ASSERT_EQ(error, "nothing");
    inner = std::move(outer);
  }
  // Twice as many nodes with each graph: a graph that stands in several nodes
  // is read for each.
  dml::Model wide({}, "wide");
  for (int i = 0; i < 1024; ++i)
    wide.node("Neg", {"x"}, {"y" + std::to_string(i)});
  dml::Model wider({}, "wider");
  std::string error;
  for (int i = 0; error.empty() && i < 2000; ++i) {
    error = getError(DML_ERROR_INVALID_ARGUMENT, [&] {
      wider.node("If", {"c"}, {"z"}, {{"then_branch", wide}});
    });
    if (error == "nothing")
      error.clear();
  }
  EXPECT_THAT(error, HasSubstr("the graphs within nodes come to 1049600 nodes, "
                               "but wanted are 1048576 at most"));
}

/// What a model fails with that is made a session and run.
std::string getRunError(const std::function<void(dml::Model &)> &build) {
  return getError(DML_ERROR_INVALID_ARGUMENT, [&] {
    dml::Model model;
    model.input("x", DML_ELEMENT_TYPE_FLOAT, {2});
    build(model);
    model.output("y");
    dml::Session(model).run({{"x", {2}, std::vector<float>{1, 2}}});
  });
}

TEST_F(ModelTest, IsCheckedAsFilesAre) {
  EXPECT_THAT(getRunError([](dml::Model &model) {
                model.node("Add", {"x", "b"}, {"y"}, {}, "sum");
              }),
              HasSubstr("node 'sum' (Add) reads 'b', which nothing before it "
                        "computes"));
  // A cycle.
  EXPECT_THAT(getRunError([](dml::Model &model) {
                model.node("Add", {"x", "b"}, {"y"}, {}, "sum");
                model.node("Neg", {"y"}, {"b"});
              }),
              HasSubstr("node 'sum' (Add) reads 'b', which nothing before it "
                        "computes"));
  EXPECT_THAT(getRunError([](dml::Model &model) {
                model.node("Frobnicate", {"x"}, {"y"}, {}, "f");
              }),
              HasSubstr("Frobnicate"));
  EXPECT_THAT(getRunError([](dml::Model &model) {
                model.node("acme::Neg", {"x"}, {"y"}, {}, "f");
              }),
              HasSubstr("acme.Neg: 1 node, 'f': the importer does not know it, "
                        "and the model has no function of this name"));
  EXPECT_THAT(getRunError([](dml::Model &model) {
                model.node("Neg", {"x"}, {"y"}).node("Abs", {"x"}, {"y"});
              }),
              HasSubstr("'y'"));
  EXPECT_THAT(getRunError([](dml::Model &model) {
                model.input("x", DML_ELEMENT_TYPE_FLOAT, {2});
                model.node("Neg", {"x"}, {"y"});
              }),
              HasSubstr("'x'"));
  EXPECT_THAT(getRunError([](dml::Model &model) {
                model.weight("w", {1}, std::vector<float>{1});
                model.weight("w", {1}, std::vector<float>{1});
                model.node("Neg", {"x"}, {"y"});
              }),
              HasSubstr("weight 'w' is declared twice"));
  EXPECT_THAT(
      getRunError([](dml::Model &model) {
        model.weight("w", {3}, std::vector<float>{1});
        model.node("Add", {"x", "w"}, {"y"});
      }),
      HasSubstr("tensor 'w': it has 4 bytes of elements, but 3 of float "
                "wants 12"));
  EXPECT_THAT(getRunError([](dml::Model &model) {
                model.node("Neg", {"x"}, {"y"}, {{"frob", 1}}, "f");
              }),
              HasSubstr("frob"));
  EXPECT_THAT(
      getError(
          DML_ERROR_INVALID_ARGUMENT,
          [] {
            dml::Model model({{"", 99}});
            model.input("x", DML_ELEMENT_TYPE_FLOAT, {2});
            model.node("Neg", {"x"}, {"y"}).output("y");
            dml::Session(model).prepare({{"x", {2}, std::vector<float>{1, 2}}});
          }),
      HasSubstr("version 99 of ONNX's operator set"));
  EXPECT_THAT(getError(DML_ERROR_INVALID_ARGUMENT,
                       [] {
                         dml::Model model;
                         model.input("x", static_cast<DmlElementType>(16), {2});
                         model.node("Neg", {"x"}, {"y"}).output("y");
                         dml::Session session(model);
                       }),
              HasSubstr("input 'x' has the type bfloat16, which no DirectML "
                        "tensor has"));
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

TEST_F(ModelTest, ReadsWeightsInPiecesAndOnce) {
  Reader reader(makeWeights());
  dml::Model model = makeProduct(reader.get());
  dml::Session first(model);
  EXPECT_EQ(run(first), multiplyRow());
  EXPECT_EQ(reader.bytes, kWeightBytes);
  EXPECT_THAT(reader.pieces, Each(Le(size_t(1) << 20)));
  // Another shape and another session of the model find the weight.
  std::vector<float> rows(3 * kWidth);
  first.run({{"x", {3, kWidth}, rows}});
  dml::Session second(model);
  EXPECT_EQ(run(second), multiplyRow());
  EXPECT_EQ(reader.bytes, kWeightBytes);
}

TEST_F(ModelTest, IsSharedByThreads) {
  Reader reader(makeWeights());
  dml::Model model = makeProduct(reader.get());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      dml::Session session(model);
      EXPECT_EQ(run(session), multiplyRow());
      std::unique_lock<std::mutex> lock(reader.mutex);
      // The weight goes with the last session.
      reader.ended.wait(lock, [&, last = ++reader.count == 4] {
        return last || reader.count == 4;
      });
      reader.ended.notify_all();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(reader.bytes, kWeightBytes);
}

TEST_F(ModelTest, SaysWhyAWeightIsNotRead) {
  Reader reader(makeWeights());
  reader.fails = true;
  dml::Session session(makeProduct(reader.get()));
  EXPECT_EQ(
      getError(DML_ERROR_IO, [&] { run(session); }),
      "product: the callback of weight 'w' cannot read 1048576 bytes from "
      "byte 0 on: the disk is gone");
  reader.fails = false;
  EXPECT_EQ(run(session), multiplyRow());
  // A small weight is read when it is added.
  EXPECT_THAT(getError(DML_ERROR_IO,
                       [] {
                         dml::Weight weight;
                         weight.name = "two";
                         weight.elementType = DML_ELEMENT_TYPE_FLOAT;
                         weight.byteSize = 4;
                         weight.read = [](uint64_t, size_t, void *) {
                           throw std::runtime_error("the disk is gone");
                         };
                         dml::Model().weight(weight);
                       }),
              HasSubstr("the callback of weight 'two' cannot read 4 bytes from "
                        "byte 0 on: the disk is gone"));
}

TEST_F(ModelTest, ChecksSizesOfWeights) {
  Reader reader(makeWeights());
  dml::Weight weight = reader.get();
  weight.byteSize -= 4;
  dml::Session session(makeProduct(weight));
  EXPECT_EQ(getError(DML_ERROR_INVALID_ARGUMENT, [&] { run(session); }),
            "product: tensor 'w': it has 1048572 bytes of elements, but "
            "512x512 of float wants 1048576");
  EXPECT_EQ(reader.bytes, 0u);
}

TEST_F(ModelTest, SharesWeightsUnderAnIdentifier) {
  Reader reader(makeWeights());
  dml::Session first(makeProduct(reader.get("w, version 1")));
  EXPECT_EQ(run(first), multiplyRow());
  uint64_t bytes = first.info().weightBytes;
  dml::Session same(makeProduct(reader.get("w, version 1")));
  EXPECT_EQ(run(same), multiplyRow());
  EXPECT_EQ(same.info().weightBytes, bytes);
  EXPECT_EQ(reader.bytes, kWeightBytes);
  Reader other(makeWeights(5));
  dml::Session another(makeProduct(other.get("w, version 2")));
  EXPECT_EQ(run(another), multiplyRow(5));
  EXPECT_EQ(another.info().weightBytes, 2 * bytes);
  // The model's identifier stands for those of its weights.
  Reader third(makeWeights(7));
  dml::Session one(makeProduct(third.get(), "model 3"));
  dml::Session two(makeProduct(third.get(), "model 3"));
  EXPECT_EQ(run(one), multiplyRow(7));
  EXPECT_EQ(run(two), multiplyRow(7));
  EXPECT_EQ(third.bytes, kWeightBytes);
}

TEST_F(ModelTest, FindsProgramsInTheCache) {
  Folder folder;
  dml::SessionOptions options;
  options.cacheDirectory = folder.path;
  Reader reader(makeWeights());
  {
    dml::Session session(makeProduct(reader.get("version 1")), options);
    EXPECT_EQ(run(session), multiplyRow());
    EXPECT_EQ(session.info().compiledCount, 1u);
  }
  // The weight is read to be uploaded, and not for the key.
  EXPECT_EQ(reader.bytes, kWeightBytes);
  {
    dml::Session session(makeProduct(reader.get("version 1")), options);
    EXPECT_EQ(run(session), multiplyRow());
    EXPECT_EQ(session.info().compiledCount, 0u);
    EXPECT_EQ(session.info().cachedCount, 1u);
  }
  EXPECT_EQ(reader.bytes, 2 * kWeightBytes);
  dml::Session other(makeProduct(reader.get("version 2")), options);
  run(other);
  EXPECT_EQ(other.info().compiledCount, 1u);
}

TEST_F(ModelTest, FindsProgramsByBytesToo) {
  Folder folder;
  dml::SessionOptions options;
  options.cacheDirectory = folder.path;
  for (int round : {0, 1}) {
    Reader reader(makeWeights());
    dml::Session session(makeProduct(reader.get()), options);
    EXPECT_EQ(run(session), multiplyRow());
    EXPECT_EQ(session.info().compiledCount, round == 0 ? 1u : 0u);
    // Once for the key, and once to be uploaded.
    EXPECT_EQ(reader.bytes, 2 * kWeightBytes);
  }
  Reader reader(makeWeights(4));
  dml::Session session(makeProduct(reader.get()), options);
  EXPECT_EQ(run(session), multiplyRow(4));
  EXPECT_EQ(session.info().compiledCount, 1u);
}

TEST_F(ModelTest, ReadsWeightsFromFiles) {
  Folder folder;
  std::string path = folder.path / "weights";
  std::vector<float> elements = makeWeights();
  {
    std::ofstream file(path, std::ios::binary);
    file << "head";
    file.write(reinterpret_cast<const char *>(elements.data()), kWeightBytes);
  }
  dml::Weight weight = describeWeights();
  weight.path = path;
  weight.offset = 4;
  EXPECT_EQ(run(dml::Session(makeProduct(weight))), multiplyRow());
  weight.offset = 5;
  EXPECT_EQ(getError(DML_ERROR_INVALID_ARGUMENT, [&] { makeProduct(weight); }),
            "weight 'w': '" + path +
                "' has 1048580 bytes, but wanted are 1048576 from byte 5 on");
  weight.offset = 4;
  dml::Session session(makeProduct(weight));
  std::filesystem::resize_file(path, 100);
  EXPECT_THAT(getError(DML_ERROR_IO, [&] { run(session); }),
              HasSubstr("'" + path + "' has changed since"));
  weight.path += "-none";
  EXPECT_THAT(getError(DML_ERROR_NOT_FOUND, [&] { makeProduct(weight); }),
              HasSubstr("weight 'w': cannot open '"));
}

/// Conv and BatchNormalization, of which ONNX Runtime's optimizations make one
/// convolution, with a filter of more elements than nodes are computed with.
std::vector<float> runConvolution(bool byCallback) {
  constexpr int64_t kChannels = 96;
  std::vector<float> filter(kChannels * kChannels * 9);
  for (size_t i = 0; i < filter.size(); ++i)
    filter[i] = static_cast<float>(i % 17) / 16 - 0.5f;
  dml::Weight weight;
  weight.name = "filter";
  weight.elementType = DML_ELEMENT_TYPE_FLOAT;
  weight.sizes = {kChannels, kChannels, 3, 3};
  weight.byteSize = filter.size() * sizeof(float);
  if (byCallback)
    weight.read = [&](uint64_t offset, size_t size, void *destination) {
      std::memcpy(destination,
                  reinterpret_cast<const char *>(filter.data()) + offset, size);
    };
  else
    weight.data = filter.data();
  dml::Model model;
  model.input("x", DML_ELEMENT_TYPE_FLOAT, {1, kChannels, 3, 3});
  model.weight(weight);
  for (const char *name : {"scale", "bias", "mean", "variance"})
    model.weight(name, {kChannels}, std::vector<float>(kChannels, 0.5f));
  model.node("Conv", {"x", "filter"}, {"c"});
  model.node("BatchNormalization", {"c", "scale", "bias", "mean", "variance"},
             {"y"});
  model.output("y");
  dml::SessionOptions options;
  options.compilerOptions["ort-optimizations"] = "all";
  std::vector<float> x(kChannels * 9, 0.25f);
  return dml::Session(model, options)
      .run({{"x", {1, kChannels, 3, 3}, x}})[0]
      .copy<float>();
}

TEST_F(ModelTest, ComputesWithLargeWeightsOfCallbacks) {
  std::vector<float> wanted = runConvolution(/*byCallback=*/false);
  EXPECT_EQ(runConvolution(/*byCallback=*/true), wanted);
  EXPECT_NE(wanted[0], wanted[1]);
}

/// MatMulNBits, whose packed weights the importer unpacks.
std::vector<float> runPackedProduct(bool byCallback) {
  constexpr int64_t kRows = 512, kBlocks = 16;
  std::vector<uint8_t> packed(kRows * kBlocks * 16);
  for (size_t i = 0; i < packed.size(); ++i)
    packed[i] = static_cast<uint8_t>(i * 7);
  dml::Weight weight;
  weight.name = "packed";
  weight.elementType = DML_ELEMENT_TYPE_UINT8;
  weight.sizes = {kRows, kBlocks, 16};
  weight.byteSize = packed.size();
  if (byCallback)
    weight.read = [&](uint64_t offset, size_t size, void *destination) {
      std::memcpy(destination, packed.data() + offset, size);
    };
  else
    weight.data = packed.data();
  dml::Model model({{"", 17}, {"com.microsoft", 1}});
  model.input("x", DML_ELEMENT_TYPE_FLOAT, {1, kBlocks * 32});
  model.weight(weight);
  model.weight("scales", {kRows * kBlocks},
               std::vector<float>(kRows * kBlocks, 0.5f));
  model.node("com.microsoft::MatMulNBits", {"x", "packed", "scales"}, {"y"},
             {{"bits", 4}, {"block_size", 32}, {"K", 512}, {"N", 512}});
  model.output("y");
  std::vector<float> x(kBlocks * 32, 1);
  return dml::Session(model)
      .run({{"x", {1, kBlocks * 32}, x}})[0]
      .copy<float>();
}

TEST_F(ModelTest, UnpacksLargeWeightsOfCallbacks) {
  std::vector<float> wanted = runPackedProduct(/*byCallback=*/false);
  EXPECT_EQ(runPackedProduct(/*byCallback=*/true), wanted);
  EXPECT_NE(wanted[0], 0);
}

/// The high-water mark of this process's memory, in bytes.
uint64_t measurePeak() {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line))
    if (line.rfind("VmHWM:", 0) == 0)
      return std::stoull(line.substr(6)) * 1024;
  return 0;
}

TEST_F(ModelTest, CopiesNoWeightOnTheHost) {
  constexpr int64_t kRows = 1 << 17, kColumns = 1024;
  constexpr uint64_t kBytes = kRows * kColumns * sizeof(float);
  dml::Weight table;
  table.name = "table";
  table.elementType = DML_ELEMENT_TYPE_FLOAT;
  table.sizes = {kRows, kColumns};
  table.byteSize = kBytes;
  std::atomic<uint64_t> read = 0;
  table.read = [&](uint64_t offset, size_t size, void *destination) {
    read += size;
    auto *elements = static_cast<float *>(destination);
    for (size_t i = 0; i < size / sizeof(float); ++i)
      elements[i] = static_cast<float>((offset / sizeof(float) + i) / kColumns);
  };
  dml::Model model;
  model.input("rows", DML_ELEMENT_TYPE_INT32, {2}).weight(table);
  model.node("Gather", {"table", "rows"}, {"y"}).output("y");
  dml::Session session(model);
  uint64_t before = measurePeak();
  auto results = session.run({{"rows", {2}, std::vector<int32_t>{5, 100000}}});
  std::vector<float> y = results[0].copy<float>();
  EXPECT_EQ(y.front(), 5);
  EXPECT_EQ(y.back(), 100000);
  EXPECT_EQ(read, kBytes);
  // A CPU driver's device memory is the host's.
  EXPECT_LT(measurePeak() - before, kBytes + kBytes / 2);
}

} // namespace
