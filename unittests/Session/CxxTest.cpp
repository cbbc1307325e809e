//===- CxxTest.cpp - Models through session.hpp ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "ModelWriter.h"
#include "dml/session.hpp"
#include "gmock/gmock.h"

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
