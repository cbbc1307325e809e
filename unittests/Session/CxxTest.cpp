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
