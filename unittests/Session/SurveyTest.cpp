//===- SurveyTest.cpp - Which nodes of a model can be computed ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/session.hpp"
#include "gmock/gmock.h"

using testing::ElementsAre;
using testing::HasSubstr;

namespace {
/// A survey of a model.
class Survey {
public:
  explicit Survey(const dml::Model &model, int64_t openSize = 4,
                  const char *level = nullptr) {
    DmlSurveyInfo info{};
    info.model = model.get();
    info.openSize = openSize;
    info.level = level;
    dml::detail::check(dmlSurveyModel, &info, &handle);
  }
  ~Survey() { dmlDestroySurvey(handle); }
  Survey(const Survey &) = delete;
  Survey &operator=(const Survey &) = delete;

  DmlSurveyNode getNode(uint32_t index) const {
    DmlSurveyNode node{};
    dml::detail::check(dmlGetSurveyNode, handle, index, &node);
    return node;
  }
  std::string getProblem(uint32_t index) const {
    return getNode(index).problem;
  }
  DmlSurveyTensor getTensor(const char *name) const {
    DmlSurveyTensor tensor{};
    dml::detail::check(dmlGetSurveyTensor, handle, name, &tensor);
    return tensor;
  }
  std::vector<int64_t> getSizes(const char *name) const {
    DmlSurveyTensor tensor = getTensor(name);
    return {tensor.sizes, tensor.sizes + tensor.rank};
  }

private:
  DmlSurvey handle = nullptr;
};

/// x, of n x 3, through an operator that nobody knows, and a Relu behind it.
dml::Model makeUnknown() {
  dml::Model model({{"", 17}, {"local", 1}});
  model.input("x", DML_ELEMENT_TYPE_FLOAT, {"n", 3});
  model.node("Abs", {"x"}, {"a"});
  model.node("local::Unknown", {"a"}, {"u"}, {}, "odd");
  model.node("Relu", {"u"}, {"r"});
  model.output("r");
  return model;
}
} // namespace

TEST(Survey, NodesBehindAnUnknownOneAreSurveyed) {
  dml::Model model = makeUnknown();
  model.value("u", DML_ELEMENT_TYPE_FLOAT, {"n", 5});
  Survey survey(model);
  EXPECT_EQ(survey.getProblem(0), "");
  EXPECT_THAT(survey.getProblem(1), HasSubstr("does not know it"));
  EXPECT_EQ(survey.getProblem(2), "");
  EXPECT_THAT(survey.getSizes("a"), ElementsAre(4, 3));
  EXPECT_THAT(survey.getSizes("r"), ElementsAre(4, 5));
}

TEST(Survey, NodesBehindAnUnknownShapeAreRefused) {
  Survey survey(makeUnknown());
  EXPECT_THAT(survey.getProblem(2),
              HasSubstr("the shape of 'u', which Unknown computes, is known "
                        "only when the model runs"));
  EXPECT_THROW(survey.getTensor("r"), dml::Error);
}

TEST(Survey, AnOutputOfAnUnknownNodeIsReadToo) {
  dml::Model model = makeUnknown();
  model.output("u", DML_ELEMENT_TYPE_FLOAT, {"n", 5});
  Survey survey(model);
  EXPECT_EQ(survey.getProblem(2), "");
}

TEST(Survey, ShapesAreFolded) {
  dml::Model model({{"", 17}});
  model.input("x", DML_ELEMENT_TYPE_FLOAT, {"n", 3});
  model.node("Shape", {"x"}, {"s"});
  model.node("Neg", {"x"}, {"y"});
  model.output("s");
  model.output("y");
  Survey survey(model, 7);
  EXPECT_TRUE(survey.getNode(0).isFolded);
  EXPECT_FALSE(survey.getNode(1).isFolded);
  DmlSurveyTensor sizes = survey.getTensor("s");
  ASSERT_NE(sizes.elements, nullptr);
  EXPECT_EQ(sizes.elements[0], 7);
  EXPECT_EQ(sizes.elements[1], 3);
  EXPECT_FALSE(survey.getTensor("y").isConstant);
}

TEST(Survey, FeatureLevelsAndDirectMLsProvider) {
  dml::Model model({{"", 17}});
  model.input("x", DML_ELEMENT_TYPE_INT64, {4});
  model.node("Abs", {"x"}, {"a"}, {}, "abs");
  model.node("Mod", {"a", "x"}, {"m"}, {}, "mod");
  model.output("m");
  Survey survey(model);
  EXPECT_EQ(survey.getProblem(1), "");
  EXPECT_THAT(survey.getNode(1).notTaken, HasSubstr("64 bits"));
  EXPECT_STREQ(survey.getNode(0).notTaken, "");
  Survey old(model, 4, "1_0");
  EXPECT_THAT(old.getProblem(0), HasSubstr("1_0"));
}

TEST(Survey, AnInputOfAnotherTypeIsNoError) {
  dml::Model model({{"", 17}});
  model.input("words", static_cast<DmlElementType>(8), {2});
  model.input("x", DML_ELEMENT_TYPE_FLOAT, {2});
  model.node("StringNormalizer", {"words"}, {"normal"});
  model.node("Relu", {"x"}, {"y"});
  model.output("normal");
  model.output("y");
  Survey survey(model);
  EXPECT_NE(survey.getProblem(0), "");
  EXPECT_EQ(survey.getProblem(1), "");
}

TEST(Survey, WrongArguments) {
  DmlSurveyInfo info{};
  DmlSurvey survey = nullptr;
  EXPECT_EQ(dmlSurveyModel(&info, &survey, nullptr),
            DML_ERROR_INVALID_ARGUMENT);
  dml::Model model = makeUnknown();
  EXPECT_THROW(Survey(model, 4, "0_9"), dml::Error);
  Survey known(model);
  EXPECT_THROW(known.getNode(3), dml::Error);
}
