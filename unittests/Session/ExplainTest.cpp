//===- ExplainTest.cpp - Models without a device --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "ModelWriter.h"
#include "dml/session.hpp"
#include "gmock/gmock.h"
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>

using namespace dml::test;
using testing::HasSubstr;
using testing::Not;

namespace {

/// Three operators, of which feature level 2_0 lacks all; the one in the middle
/// has no older form.
const std::string kModel = R"(
func.func @main(%x: tensor<1x1x4x4xf32>, %y: tensor<2x4xf32>)
    -> (tensor<1x1x6x6xf32>, tensor<1x1x4x4xf32>, tensor<2x8xf32>) {
  %a = dml.padding %x {mode = #dml.padding_mode<symmetric>,
      start_padding = array<i64: 0, 0, 1, 1>,
      end_padding = array<i64: 0, 0, 1, 1>}
      : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x6xf32>
  %b = dml.activation_gelu %x : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  %c = dml.tile %y {repeats = array<i64: 1, 2>}
      : (tensor<2x4xf32>) -> tensor<2x8xf32>
  return %a, %b, %c
      : tensor<1x1x6x6xf32>, tensor<1x1x4x4xf32>, tensor<2x8xf32>
}
)";

/// A tile of two dimensions, which feature level 2_0 has for four alone.
const std::string kTile = R"(
func.func @main(%y: tensor<2x4xf32>) -> tensor<2x8xf32> {
  %c = dml.tile %y {repeats = array<i64: 1, 2>}
      : (tensor<2x4xf32>) -> tensor<2x8xf32>
  return %c : tensor<2x8xf32>
}
)";

DmlExplainInfo describe(const std::string &bytes, const char *level) {
  DmlExplainInfo info{};
  info.bytes = bytes.data();
  info.byteSize = bytes.size();
  info.level = level;
  return info;
}

/// A verdict that is destroyed.
class Verdict {
public:
  explicit Verdict(const DmlExplainInfo &info) {
    EXPECT_OK(dmlExplainModel, &info, &handle);
  }
  Verdict(const std::string &bytes, const char *level)
      : Verdict(describe(bytes, level)) {}
  ~Verdict() { dmlDestroyVerdict(handle); }
  Verdict(const Verdict &) = delete;
  Verdict &operator=(const Verdict &) = delete;

  operator DmlVerdict() const { return handle; }
  DmlVerdictInfo getInfo() const {
    DmlVerdictInfo info{};
    EXPECT_OK(dmlGetVerdictInfo, handle, &info);
    return info;
  }
  DmlProblemInfo getProblem(uint32_t index) const {
    DmlProblemInfo info{};
    EXPECT_OK(dmlGetVerdictProblem, handle, index, &info);
    return info;
  }

private:
  DmlVerdict handle = nullptr;
};

/// Why a model cannot be explained.
Outcome failToExplain(const DmlExplainInfo &info) {
  DmlVerdict verdict = nullptr;
  Outcome outcome = call(dmlExplainModel, &info, &verdict);
  EXPECT_EQ(verdict, nullptr);
  dmlDestroyVerdict(verdict);
  return outcome;
}

std::string take(DmlBytes &bytes) {
  std::string result(static_cast<const char *>(bytes.data), bytes.size);
  dmlFreeBytes(&bytes);
  EXPECT_EQ(bytes.data, nullptr);
  return result;
}

std::string legalize(const std::string &bytes, const char *level,
                     DmlModuleForm form) {
  DmlExplainInfo info = describe(bytes, level);
  DmlBytes module{};
  EXPECT_OK(dmlLegalizeModel, &info, form, &module);
  return take(module);
}

/// y = x + x, with rows that are open.
std::string writeSum() {
  ModelWriter writer;
  writer.addInput("x", Float, {"rows", int64_t(2)});
  writer.addOutput("y", Float, {"rows", int64_t(2)});
  writer.addNode("Add", {"x", "x"}, {"y"});
  return writer.write();
}

TEST(ExplainTest, NamesWhatDoesNotFit) {
  Verdict verdict(kModel, "2_0");
  DmlVerdictInfo info = verdict.getInfo();
  EXPECT_STREQ(info.level, "5_1");
  EXPECT_STREQ(info.directML, "1.9.0");
  EXPECT_STREQ(info.askedLevel, "2_0");
  EXPECT_EQ(info.fit, DML_FIT_NO);
  EXPECT_FALSE(info.canLegalize);
  EXPECT_EQ(info.operatorCount, 3u);
  ASSERT_EQ(info.problemCount, 3u);

  DmlProblemInfo padding = verdict.getProblem(0);
  EXPECT_EQ(padding.kind, DML_PROBLEM_KIND_OPERATOR);
  EXPECT_STREQ(padding.name, "dml.padding");
  EXPECT_STREQ(padding.function, "main");
  EXPECT_STREQ(padding.node, "");
  EXPECT_EQ(padding.line, 4u);
  EXPECT_EQ(padding.column, 8u);
  EXPECT_STREQ(padding.level, "3_0");
  EXPECT_THAT(padding.reason, HasSubstr("mode is symmetric"));
  EXPECT_THAT(padding.rewrite, HasSubstr("dml.padding"));
  EXPECT_STREQ(padding.whyNoRewrite, "");

  DmlProblemInfo gelu = verdict.getProblem(1);
  EXPECT_STREQ(gelu.name, "dml.activation_gelu");
  EXPECT_STREQ(gelu.rewrite, "");
  EXPECT_STRNE(gelu.whyNoRewrite, "");

  DmlProblemInfo tile = verdict.getProblem(2);
  EXPECT_STREQ(tile.level, "3_1");
  EXPECT_THAT(tile.reason,
              HasSubstr("input has rank 2, but feature level 2_0 supports rank "
                        "4 (rank 2 needs 3_1); output has rank 2"));
  EXPECT_STREQ(tile.rewrite, "dml.tile");
  EXPECT_THAT(dmlGetVerdictText(verdict),
              HasSubstr("does not fit feature level 2_0\n"));
  EXPECT_THAT(dmlGetVerdictJson(verdict), HasSubstr("\"fits\": false"));

  DmlProblemInfo none{};
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "problem 3 does not exist; there are 3", dmlGetVerdictProblem,
               verdict, 3u, &none);
}

TEST(ExplainTest, NamesTheLowestLevel) {
  Verdict verdict(kTile, nullptr);
  DmlVerdictInfo info = verdict.getInfo();
  EXPECT_STREQ(info.level, "3_1");
  EXPECT_STREQ(info.askedLevel, "");
  EXPECT_EQ(info.fit, DML_FIT_YES);
  EXPECT_FALSE(info.canLegalize);
  EXPECT_EQ(info.problemCount, 0u);
  Verdict newer(kTile, "5_0");
  EXPECT_EQ(newer.getInfo().fit, DML_FIT_YES);
  EXPECT_TRUE(newer.getInfo().canLegalize);
}

TEST(ExplainTest, TakesTheLevelThatTheModelStates) {
  // No other call reads a module whose operators do not fit its own level.
  std::string model =
      "module attributes {dml.target = #dml.target<feature_level = fl_2_0>} {" +
      kTile + "}";
  Verdict verdict(model, nullptr);
  EXPECT_EQ(verdict.getInfo().fit, DML_FIT_NO);
  ASSERT_EQ(verdict.getInfo().problemCount, 1u);
  EXPECT_STREQ(verdict.getProblem(0).rewrite, "");
  EXPECT_STREQ(verdict.getProblem(0).whyNoRewrite, "");
}

TEST(ExplainTest, SaysWhatNobodyKnows) {
  Verdict foreign(R"(
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = dml.activation_relu %a : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "onnx.Relu"(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
})",
                  "6_4");
  EXPECT_EQ(foreign.getInfo().fit, DML_FIT_UNKNOWN);
  EXPECT_STREQ(foreign.getInfo().level, "");
  ASSERT_EQ(foreign.getInfo().problemCount, 1u);
  EXPECT_EQ(foreign.getProblem(0).kind, DML_PROBLEM_KIND_FOREIGN);
  EXPECT_STREQ(foreign.getProblem(0).name, "onnx.Relu");

  ModelWriter writer;
  writer.addInput("x", Float, {int64_t(2)});
  writer.addOutput("y", Float, {int64_t(2)});
  writer.addOutput("z", Float, {int64_t(2)});
  writer.addNode("Relu", {"x"}, {"y"});
  writer.addNode("Unheard", {"x"}, {"z"});
  Verdict unread(writer.write(), "6_4");
  EXPECT_EQ(unread.getInfo().fit, DML_FIT_UNKNOWN);
  EXPECT_FALSE(unread.getInfo().canLegalize);
  ASSERT_EQ(unread.getInfo().problemCount, 1u);
  EXPECT_EQ(unread.getProblem(0).kind, DML_PROBLEM_KIND_UNREAD);
  EXPECT_THAT(unread.getProblem(0).name, HasSubstr("Unheard: 1 node"));
}

TEST(ExplainTest, TakesSizesAndOptimizationsOfONNX) {
  std::string model = writeSum();
  DmlExplainInfo info = describe(model, nullptr);
  Outcome open = failToExplain(info);
  EXPECT_EQ(open.result, DML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(open.message,
            "<bytes>: the model leaves sizes open, but wanted is "
            "the size of each of its dimensions 'rows' (dims={...} in Python, "
            "--dim on the command line)");
  DmlNamedSize rows{"rows", 3};
  info.dimensions = &rows;
  info.dimensionCount = 1;
  info.ortOptimizations = true;
  Verdict verdict(info);
  EXPECT_EQ(verdict.getInfo().fit, DML_FIT_YES);
  EXPECT_THAT(dmlGetVerdictJson(verdict), HasSubstr("\"applied\": \"all\""));
  EXPECT_THAT(dmlGetVerdictJson(verdict), HasSubstr("3x2xf32"));

  info.bytes = kTile.data();
  info.byteSize = kTile.size();
  EXPECT_THAT(failToExplain(info).message,
              HasSubstr("sizes of dimensions are for ONNX models"));
  info.dimensionCount = 0;
  EXPECT_THAT(failToExplain(info).message, HasSubstr("is for ONNX models"));
}

TEST(ExplainTest, EscapesNames) {
  std::string model = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = dml.activation_relu %x : (tensor<4xf32>) -> tensor<4xf32>
      loc("\1B[2J\FF")
  return %y : tensor<4xf32>
})";
  Verdict verdict(model, "1_0");
  EXPECT_STREQ(verdict.getProblem(0).node, "\x1b[2J\xff");
  EXPECT_THAT(dmlGetVerdictText(verdict), HasSubstr("node '\\x1B[2J\\xFF'"));
  EXPECT_THAT(dmlGetVerdictJson(verdict),
              HasSubstr("\"node\": \"\\u001b[2J\xEF\xBF\xBD\""));
}

TEST(ExplainTest, RefusesBadInput) {
  EXPECT_EQ(failToExplain(describe(kTile, "5_3")).message,
            "'5_3' is no feature level, wants one of 1_0, 2_0, 2_1, 3_0, 3_1, "
            "4_0, 4_1, 5_0, 5_1, 5_2, 6_0, 6_1, 6_2, 6_3, 6_4");
  Outcome broken = failToExplain(describe("this is no MLIR", nullptr));
  EXPECT_EQ(broken.result, DML_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(broken.message, HasSubstr("the error is: 1:1: "));
  std::string structure = kTile;
  structure.replace(structure.find("1, 2>"), 5, "1>");
  EXPECT_THAT(failToExplain(describe(structure, nullptr)).message,
              HasSubstr("<bytes>: 3:8: 'dml.tile' op repeats has 1 value"));
  EXPECT_THAT(failToExplain(describe(writeSum().substr(0, 40), "5_0")).message,
              HasSubstr("<bytes>: "));
  EXPECT_THAT(failToExplain(DmlExplainInfo{}).message,
              HasSubstr("stands in 0 places"));
  DmlExplainInfo info{};
  info.path = "no-such-model.onnx";
  EXPECT_EQ(failToExplain(info).result, DML_ERROR_NOT_FOUND);
  info.path = DML_WEIGHT_EXECUTABLE;
  EXPECT_THAT(failToExplain(info).message, HasSubstr("' is an executable, "));
  info = describe(kTile, nullptr);
  info.dimensionCount = 1;
  EXPECT_EQ(failToExplain(info).message,
            "DmlExplainInfo::dimensions is NULL, but its count is 1");
  info.dimensionCount = 0;
  info.format = static_cast<DmlModelFormat>(7);
  EXPECT_THAT(failToExplain(info).message, HasSubstr("the format 7 is none"));
  DmlExtension unknown{};
  info.next = &unknown;
  EXPECT_EQ(failToExplain(info).result, DML_ERROR_UNSUPPORTED);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "'verdict' is NULL", dmlExplainModel,
               &info, nullptr);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "'info' is NULL", dmlExplainModel,
               nullptr, nullptr);
  DmlVerdictInfo none{};
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "'verdict' is NULL",
               dmlGetVerdictInfo, nullptr, &none);
  dmlDestroyVerdict(nullptr);
}

TEST(ExplainTest, Legalizes) {
  std::string text = legalize(kTile, "2_0", DML_MODULE_FORM_TEXT);
  EXPECT_THAT(text, HasSubstr("feature_level = fl_2_0"));
  EXPECT_THAT(text, HasSubstr("tensor<1x1x2x4xf32>"));
  std::string bytecode = legalize(kTile, "2_0", DML_MODULE_FORM_BYTECODE);
  for (const std::string &module : {text, bytecode}) {
    Verdict verdict(module, "2_0");
    EXPECT_EQ(verdict.getInfo().fit, DML_FIT_YES);
    EXPECT_EQ(verdict.getInfo().problemCount, 0u);
  }
}

TEST(ExplainTest, RefusesToLegalize) {
  DmlExplainInfo info = describe(kModel, "2_0");
  DmlBytes module{};
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED,
               "the model cannot be rewritten for feature level 2_0; line 8: "
               "dml.activation_gelu: ",
               dmlLegalizeModel, &info, DML_MODULE_FORM_TEXT, &module);
  info.level = nullptr;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "DmlExplainInfo::level is NULL",
               dmlLegalizeModel, &info, DML_MODULE_FORM_TEXT, &module);
  info.level = "2_0";
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "the form 7 is none",
               dmlLegalizeModel, &info, static_cast<DmlModuleForm>(7), &module);
  EXPECT_EQ(module.data, nullptr);

  // Six operators without an older form: four of them are named.
  std::string gelus = "func.func @main(%0: tensor<1xf32>) -> tensor<1xf32> {\n";
  for (int i = 0; i < 6; ++i)
    gelus += "  %" + std::to_string(i + 1) + " = dml.activation_gelu %" +
             std::to_string(i) + " : (tensor<1xf32>) -> tensor<1xf32>\n";
  gelus += "  return %6 : tensor<1xf32>\n}\n";
  info = describe(gelus, "4_0");
  Outcome outcome =
      call(dmlLegalizeModel, &info, DML_MODULE_FORM_TEXT, &module);
  EXPECT_THAT(outcome.message, HasSubstr("line 5: dml.activation_gelu"));
  EXPECT_THAT(outcome.message, Not(HasSubstr("line 6")));
  EXPECT_THAT(outcome.message, HasSubstr("; and 2 more"));
}

TEST(ExplainTest, CompilesAheadOfTime) {
  const char *profiles[] = {"full", "minimal"};
  DmlCompileInfo info{};
  info.bytes = kTile.data();
  info.byteSize = kTile.size();
  info.deviceProfiles = profiles;
  info.deviceProfileCount = 2;
  float last = 0;
  info.progressCallback = [](void *userData, const char *, float fraction) {
    *static_cast<float *>(userData) = fraction;
    return true;
  };
  info.userData = &last;
  DmlBytes bytes{};
  EXPECT_OK(dmlCompileModel, &info, &bytes);
  EXPECT_GT(last, 0);
  DmlExecutable executable = nullptr;
  EXPECT_OK(dmlCreateExecutable, bytes.data, bytes.size, nullptr, &executable);
  DmlFunctionInfo function{};
  EXPECT_OK(dmlGetFunctionInfo, executable, 0u, &function);
  EXPECT_STREQ(function.name, "main");
  EXPECT_GE(function.variantCount, 1u);
  dmlDestroyExecutable(executable);
  dmlFreeBytes(&bytes);
}

TEST(ExplainTest, CompilesWithSizes) {
  std::string model = writeSum();
  DmlNamedSize rows{"rows", 3};
  DmlNamedValue option{"fuse", "false"};
  DmlCompileInfo info{};
  info.bytes = model.data();
  info.byteSize = model.size();
  DmlBytes bytes{};
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "the model leaves sizes open",
               dmlCompileModel, &info, &bytes);
  info.dimensions = &rows;
  info.dimensionCount = 1;
  info.options = &option;
  info.optionCount = 1;
  EXPECT_OK(dmlCompileModel, &info, &bytes);
  DmlExecutable executable = nullptr;
  EXPECT_OK(dmlCreateExecutable, bytes.data, bytes.size, nullptr, &executable);
  DmlTensorInfo input{};
  EXPECT_OK(dmlGetInputInfo, executable, 0u, 0u, &input);
  EXPECT_EQ(input.sizes[0], 3);
  dmlDestroyExecutable(executable);
  dmlFreeBytes(&bytes);
}

TEST(ExplainTest, RefusesToCompile) {
  DmlBytes bytes{};
  DmlCompileInfo info{};
  info.bytes = kTile.data();
  info.byteSize = kTile.size();
  const char *profile = "tiny";
  info.deviceProfiles = &profile;
  info.deviceProfileCount = 1;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "tiny", dmlCompileModel, &info,
               &bytes);
  profile = nullptr;
  EXPECT_EQ(call(dmlCompileModel, &info, &bytes).result,
            DML_ERROR_INVALID_ARGUMENT);
  info.deviceProfileCount = 0;
  DmlNamedValue option{"external-weights", "true"};
  info.options = &option;
  info.optionCount = 1;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "'external-weights' is dml-compile",
               dmlCompileModel, &info, &bytes);
  info.optionCount = 0;
  info.progressCallback = [](void *, const char *, float) { return false; };
  EXPECT_EQ(call(dmlCompileModel, &info, &bytes).result, DML_ERROR_CANCELLED);
  info.progressCallback = nullptr;
  std::string foreign = R"(
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %1 = "onnx.Relu"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
})";
  info.bytes = foreign.data();
  info.byteSize = foreign.size();
  EXPECT_FAILS(DML_ERROR_UNSUPPORTED, "onnx.Relu", dmlCompileModel, &info,
               &bytes);
  EXPECT_EQ(bytes.data, nullptr);
  dmlFreeBytes(nullptr);
}

/// More elements of a weight, in rows, than the importer reads.
constexpr int64_t kRows = 300;

std::vector<float> makeElements() {
  std::vector<float> elements(kRows * kRows);
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = static_cast<float>(i % 97);
  return elements;
}

std::string writeProduct() {
  ModelWriter writer;
  writer.addInput("x", Float, {int64_t(2), kRows});
  writer.addOutput("y", Float, {int64_t(2), kRows});
  writer.addWeight("w", {kRows, kRows}, makeElements());
  writer.addNode("MatMul", {"x", "w"}, {"y"});
  return writer.write();
}

std::string compile(const dml::ModelSource &model) {
  dml::CompileOptions options;
  options.deviceProfiles = {"minimal"};
  return dml::compileModel(model, options);
}

TEST(ExplainTest, ReadsTheWeightsOfFiles) {
  // Of a file, no more is read than is wanted.
  std::string path = testing::TempDir() + "dml-explain-product.onnx";
  std::string bytes = writeProduct();
  std::ofstream(path, std::ios::binary) << bytes;
  dml::ModelSource inMemory(bytes.data(), bytes.size());
  EXPECT_TRUE(compile(path) == compile(inMemory));
  dml::ExplainOptions options;
  options.level = "6_4";
  for (DmlModuleForm form : {DML_MODULE_FORM_TEXT, DML_MODULE_FORM_BYTECODE}) {
    std::string legalized = dml::legalizeModel(path, options, form);
    EXPECT_TRUE(compile({legalized.data(), legalized.size()}) ==
                compile(inMemory));
  }
  EXPECT_EQ(dml::Verdict(path).info().operatorCount, 1u);
  std::remove(path.c_str());
}

TEST(ExplainTest, ReadsTheWeightsOfBuiltModels) {
  std::vector<float> elements = makeElements();
  bool fails = false;
  dml::Model model({{"", 17}});
  model.input("x", DML_ELEMENT_TYPE_FLOAT, {2, kRows});
  dml::Weight weight;
  weight.name = "w";
  weight.elementType = DML_ELEMENT_TYPE_FLOAT;
  weight.sizes = {kRows, kRows};
  weight.byteSize = elements.size() * sizeof(float);
  weight.read = [&](uint64_t offset, size_t size, void *destination) {
    if (fails)
      throw std::runtime_error("the disk is gone");
    std::memcpy(destination,
                reinterpret_cast<const char *>(elements.data()) + offset, size);
  };
  model.weight(weight);
  model.node("MatMul", {"x", "w"}, {"y"});
  model.output("y", DML_ELEMENT_TYPE_FLOAT, {2, kRows});
  std::string bytes = writeProduct();
  EXPECT_TRUE(compile(model) == compile({bytes.data(), bytes.size()}));
  EXPECT_EQ(dml::Verdict(model).info().fit, DML_FIT_YES);
  fails = true;
  EXPECT_EQ(dml::Verdict(model).info().fit, DML_FIT_YES);
  try {
    compile(model);
    ADD_FAILURE() << "the weight cannot be read";
  } catch (const dml::Error &error) {
    EXPECT_THAT(error.what(), HasSubstr("the disk is gone"));
  }
}

TEST(ExplainTest, ExplainsOnManyThreads) {
  std::vector<std::thread> threads;
  Verdict shared(kModel, "2_0");
  std::string expected = dmlGetVerdictText(shared);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      Verdict verdict(kModel, "2_0");
      EXPECT_EQ(dmlGetVerdictText(verdict), expected);
      EXPECT_EQ(shared.getInfo().problemCount, 3u);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
