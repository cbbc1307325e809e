//===- CxxTest.cpp - Models through session.hpp ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "ModelWriter.h"
#include "dml/session.hpp"
#include "gmock/gmock.h"

#include <functional>

using namespace dml::test;
using testing::ElementsAre;
using testing::HasSubstr;

/// Opens y = x + x, or throws.
static dml::Session open(const std::string &bytes,
                         const dml::SessionOptions &options = {}) {
  return dml::Session(bytes.data(), bytes.size(), options);
}

static std::string writeDouble() {
  ModelWriter writer;
  writer.addInput("x", Float, {"rows", int64_t(2)});
  writer.addOutput("y", Float, {"rows", int64_t(2)});
  writer.addNode("Add", {"x", "x"}, {"y"});
  return writer.write();
}

TEST(SessionCxxTest, RunsAndThrows) {
  std::string model = writeDouble();
  std::unique_ptr<dml::Session> session;
  try {
    session = std::make_unique<dml::Session>(open(model));
  } catch (const dml::Error &error) {
    DML_END_WITHOUT_DEVICE(error.result() != DML_ERROR_NOT_FOUND);
    FAIL() << error.what();
  }
  ASSERT_EQ(session->inputs().size(), 1u);
  EXPECT_EQ(session->inputs()[0].name, "x");
  EXPECT_THAT(session->inputs()[0].sizes, ElementsAre(-1, 2));
  EXPECT_THAT(session->inputs()[0].dimensionNames, ElementsAre("rows", ""));
  EXPECT_EQ(session->outputs()[0].name, "y");
  std::vector<float> x{1, 2, 3, 4};
  session->prepare({{"x", {2, 2}, x}});
  std::vector<dml::Output> results = session->run({{"", {2, 2}, x}});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_THAT(results[0].sizes(), ElementsAre(2, 2));
  EXPECT_THAT(results[0].copy<float>(), ElementsAre(2, 4, 6, 8));
  EXPECT_THROW(results[0].copy<int32_t>(), dml::Error);
  try {
    session->run({{"z", {2, 2}, x}});
    ADD_FAILURE() << "there is no input 'z'";
  } catch (const dml::Error &error) {
    EXPECT_EQ(error.result(), DML_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(error.what(), HasSubstr("there is no input 'z'"));
  }
}

TEST(SessionCxxTest, TakesOptions) {
  std::string model = writeDouble();
  dml::SessionOptions options;
  options.dimensions["rows"] = 1;
  options.compilerOptions["device-profile"] = "minimal";
  try {
    dml::Session session = open(model, options);
    EXPECT_THAT(session.inputs()[0].sizes, ElementsAre(1, 2));
    EXPECT_STREQ(session.info().deviceProfile, "minimal");
  } catch (const dml::Error &error) {
    DML_END_WITHOUT_DEVICE(error.result() != DML_ERROR_NOT_FOUND);
    FAIL() << error.what();
  }
  EXPECT_THROW(dml::Session("no-such-model.onnx"), dml::Error);
  options.function = "other";
  EXPECT_THROW(open(model, options), dml::Error);
}

/// A decoder in small: `x` behind the rows of `past`, or, in the first step,
/// `x` times 10. `addCondition` adds the nodes that compute "goesOn".
static void addBranches(dml::Model &model,
                        const std::function<void()> &addCondition) {
  model.input("past", DML_ELEMENT_TYPE_FLOAT, {"P", 2});
  model.input("x", DML_ELEMENT_TYPE_FLOAT, {1, 2});
  addCondition();
  dml::Model goesOn({}, "then"), first({}, "else");
  goesOn.node("Concat", {"past", "x"}, {"longer"}, {{"axis", 0}});
  goesOn.output("longer");
  first.weight("ten", {1}, std::vector<float>{10});
  first.node("Mul", {"x", "ten"}, {"tenfold"});
  first.output("tenfold");
  model.node("If", {"goesOn"}, {"y"},
             {{"then_branch", goesOn}, {"else_branch", first}});
  model.output("y");
}

/// The result of a call that throws.
static std::string getError(const std::function<void()> &call) {
  try {
    call();
  } catch (const dml::Error &error) {
    return error.what();
  }
  return "no error";
}

/// A session of `model`, or null where there is no device.
static std::unique_ptr<dml::Session>
openModel(const dml::Model &model, const dml::SessionOptions &options = {}) {
  try {
    return std::make_unique<dml::Session>(model, options);
  } catch (const dml::Error &error) {
    if (error.result() != DML_ERROR_NOT_FOUND)
      ADD_FAILURE() << error.what();
    return nullptr;
  }
}

TEST(SessionCxxTest, ValuesDecideBranches) {
  dml::Model model({{"", 17}});
  addBranches(model, [&] {
    model.input("cached", DML_ELEMENT_TYPE_BOOL, {1});
    model.node("Not", {"cached"}, {"isFirst"});
    model.node("Not", {"isFirst"}, {"goesOn"});
  });
  std::unique_ptr<dml::Session> session = openModel(model);
  DML_END_WITHOUT_DEVICE(session);
  const std::vector<float> past{1, 2, 3, 4}, none, x{5, 6};
  auto run = [&](int64_t rows, const std::vector<float> &rest, uint8_t cached) {
    return session
        ->run({{"past", {rows, 2}, rest},
               {"x", {1, 2}, x},
               {"cached", {1}, std::vector<uint8_t>{cached}}})[0]
        .copy<float>();
  };
  EXPECT_THAT(run(2, past, 1), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(run(2, past, 0), ElementsAre(50, 60));
  EXPECT_THAT(run(0, none, 0), ElementsAre(50, 60));
  EXPECT_THAT(run(0, none, 1), ElementsAre(5, 6));
  EXPECT_THAT(run(2, past, 255), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(session->info().compiledCount, 4u);

  // Preparing reads the value as well.
  std::vector<dml::Input> inputs{{"past", {1, 2}, x},
                                 {"x", {1, 2}, x},
                                 {"cached", {1}, std::vector<uint8_t>{1}}};
  inputs[2].data = "\1";
  session->prepare(inputs);
  EXPECT_EQ(session->info().compiledCount, 5u);
  EXPECT_THAT(run(1, x, 1), ElementsAre(5, 6, 5, 6));
  EXPECT_EQ(session->info().compiledCount, 5u);
  inputs[2].data = nullptr;
  EXPECT_THAT(getError([&] { session->prepare(inputs); }),
              HasSubstr("input 'cached' has no memory, but wanted is data on "
                        "the host: the value decides which branch of an If is "
                        "computed"));
  inputs[2].buffer.buffer = reinterpret_cast<VkBuffer>(uintptr_t(1));
  EXPECT_THAT(getError([&] { session->run(inputs); }),
              HasSubstr("input 'cached' has a buffer, but wanted is data on "
                        "the host"));
  inputs[2] = {"cached", {1}, std::vector<uint8_t>{0, 1}};
  EXPECT_THAT(getError([&] { session->prepare(inputs); }),
              HasSubstr("input 'cached' has 2 bytes, but wanted are 1"));
}

TEST(SessionCxxTest, IntegersDecideBranches) {
  dml::Model model({{"", 17}});
  addBranches(model, [&] {
    model.input("steps", DML_ELEMENT_TYPE_INT64, {});
    model.weight("one", {}, std::vector<int64_t>{-1});
    model.node("Greater", {"steps", "one"}, {"goesOn"});
  });
  std::unique_ptr<dml::Session> session = openModel(model);
  DML_END_WITHOUT_DEVICE(session);
  const std::vector<float> x{5, 6};
  for (int64_t steps : {int64_t(-2), int64_t(1) << 40}) {
    auto results = session->run({{"past", {1, 2}, x},
                                 {"x", {1, 2}, x},
                                 {"steps", {}, std::vector<int64_t>{steps}}});
    EXPECT_EQ(results[0].sizes()[0], steps > 0 ? 2 : 1);
  }
  dml::SessionOptions options;
  options.dimensions["x"] = 1;
  EXPECT_THAT(getError([&] { dml::Session other(model, options); }),
              HasSubstr("input 'x' is 1x2 of float, but only one bool or one "
                        "integer"));
}

TEST(SessionCxxTest, StatedValuesAndSizesOfNothing) {
  dml::Model model({{"", 17}});
  addBranches(model, [&] { model.input("goesOn", DML_ELEMENT_TYPE_BOOL, {}); });
  dml::SessionOptions options;
  options.dimensions = {{"P", 0}, {"goesOn", 1}};
  std::unique_ptr<dml::Session> session = openModel(model, options);
  DML_END_WITHOUT_DEVICE(session);
  ASSERT_EQ(session->inputs().size(), 2u);
  EXPECT_THAT(session->inputs()[0].sizes, ElementsAre(0, 2));
  const std::vector<float> none, x{5, 6};
  // What has no elements may be given or not.
  EXPECT_THAT(session->run({{"x", {1, 2}, x}})[0].copy<float>(),
              ElementsAre(5, 6));
  EXPECT_THAT(
      session->run({{"past", {0, 2}, none}, {"x", {1, 2}, x}})[0].copy<float>(),
      ElementsAre(5, 6));
  EXPECT_THAT(getError([&] {
                session->run({{"past", {1, 2}, x}, {"x", {1, 2}, x}});
              }),
              HasSubstr("input 'past' has the size 1 in dimension 0, but "
                        "wanted is 0, which was stated for 'P'"));
  options.dimensions["goesOn"] = 2;
  EXPECT_THAT(getError([&] { dml::Session other(model, options); }),
              HasSubstr("input 'goesOn' is stated as 2, but wanted is 0 or 1 "
                        "for a bool"));
  options.dimensions = {{"P", -1}};
  EXPECT_THAT(getError([&] { dml::Session other(model, options); }),
              HasSubstr("the dimension 'P' has the size -1, but wanted is one "
                        "from 0 to 2^32 - 1"));
}

TEST(SessionCxxTest, ExplainsWithoutADevice) {
  const std::string model = R"(
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x8xf32> {
  %y = dml.tile %x {repeats = array<i64: 1, 2>}
      : (tensor<2x4xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
})";
  dml::ModelSource source(model.data(), model.size());
  dml::ExplainOptions options;
  options.level = "2_0";
  dml::Verdict verdict(source, options);
  EXPECT_EQ(verdict.info().fit, DML_FIT_NO);
  ASSERT_EQ(verdict.info().problemCount, 1u);
  EXPECT_STREQ(verdict.problem(0).name, "dml.tile");
  EXPECT_THAT(verdict.text(), HasSubstr("does not fit feature level 2_0"));
  EXPECT_THAT(verdict.json(), HasSubstr("\"fits\": false"));
  EXPECT_THROW(verdict.problem(1), dml::Error);

  std::string legalized = dml::legalizeModel(source, options);
  dml::Verdict rewritten({legalized.data(), legalized.size()}, options);
  EXPECT_EQ(rewritten.info().fit, DML_FIT_YES);
  options.level = "";
  EXPECT_THROW(dml::legalizeModel(source, options), dml::Error);
  EXPECT_THROW(dml::Verdict("no-such-model.onnx"), dml::Error);
}

TEST(SessionCxxTest, CompilesWithoutADevice) {
  std::string model = writeDouble();
  dml::ModelSource source(model.data(), model.size());
  dml::CompileOptions options;
  options.deviceProfiles = {"minimal"};
  options.compilerOptions["fuse"] = "false";
  EXPECT_THROW(dml::compileModel(source, options), dml::Error);
  options.dimensions["rows"] = 3;
  std::string executable = dml::compileModel(source, options);
  EXPECT_EQ(executable.substr(4, 4), "DMLX");
  options.deviceProfiles = {"tiny"};
  EXPECT_THROW(dml::compileModel(source, options), dml::Error);
}
