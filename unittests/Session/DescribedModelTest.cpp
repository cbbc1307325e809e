//===- DescribedModelTest.cpp - Models of DirectML's structures -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Device.h"
#include "dml/directml.hpp"
#include "structures.h"

#include <cstring>
#include <filesystem>
#include <memory>

using namespace dml::test;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// A matrix of floats, or its transposition in memory.
struct Matrix {
  Matrix(UINT rows, UINT columns, bool isTransposed = false,
         DML_TENSOR_FLAGS flags = DML_TENSOR_FLAG_NONE)
      : sizes{1, 1, rows, columns}, strides{rows * columns, rows * columns, 1,
                                            rows} {
    buffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    buffer.Flags = flags;
    buffer.DimensionCount = 4;
    buffer.Sizes = sizes;
    buffer.Strides = isTransposed ? strides : nullptr;
    buffer.TotalTensorSizeInBytes = UINT64(rows) * columns * sizeof(FLOAT);
    tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
  }
  Matrix(const Matrix &) = delete;

  UINT sizes[4];
  UINT strides[4];
  DML_BUFFER_TENSOR_DESC buffer = {};
  DML_TENSOR_DESC tensor;
};

using OperatorHandle = std::unique_ptr<DmlOperatorImpl, void (*)(DmlOperator)>;
using ModelHandle = std::unique_ptr<DmlModelImpl, void (*)(DmlModel)>;
using SessionHandle = std::unique_ptr<DmlSessionImpl, void (*)(DmlSession)>;

OperatorHandle createGemm(const Matrix &a, const Matrix &b,
                          const Matrix &output) {
  DML_GEMM_OPERATOR_DESC gemm = {};
  gemm.ATensor = &a.tensor;
  gemm.BTensor = &b.tensor;
  gemm.OutputTensor = &output.tensor;
  gemm.Alpha = 1;
  DML_OPERATOR_DESC desc = {DML_OPERATOR_GEMM, &gemm};
  DmlOperator op = nullptr;
  EXPECT_OK(dmlCreateOperator, &desc, &op);
  return {op, dmlDestroyOperator};
}

OperatorHandle createRelu(const Matrix &input) {
  DML_ACTIVATION_RELU_OPERATOR_DESC relu = {&input.tensor, &input.tensor};
  DML_OPERATOR_DESC desc = {DML_OPERATOR_ACTIVATION_RELU, &relu};
  DmlOperator op = nullptr;
  EXPECT_OK(dmlCreateOperator, &desc, &op);
  return {op, dmlDestroyOperator};
}

ModelHandle createModel(DmlOperator op, const char *name = nullptr) {
  DmlDescribedModelCreateInfo info{};
  info.name = name;
  DmlModel model = nullptr;
  EXPECT_OK(dmlCreateModelOfOperator, op, &info, &model);
  return {model, dmlDestroyModel};
}

/// relu(x) * w of `width` x `width` matrices, where w is a constant node of the
/// bytes at `weights`.
ModelHandle createProduct(UINT width, const std::vector<FLOAT> &weights) {
  Matrix matrix(width, width);
  OperatorHandle relu = createRelu(matrix),
                 gemm = createGemm(matrix, matrix, matrix);
  DML_OPERATOR_GRAPH_NODE_DESC first = {
      reinterpret_cast<IDMLOperator *>(relu.get()), "relu"};
  DML_OPERATOR_GRAPH_NODE_DESC second = {
      reinterpret_cast<IDMLOperator *>(gemm.get()), "gemm"};
  DML_CONSTANT_DATA_GRAPH_NODE_DESC constant = {
      weights.data(), weights.size() * sizeof(FLOAT), "weights"};
  DML_GRAPH_NODE_DESC nodes[] = {{DML_GRAPH_NODE_TYPE_OPERATOR, &second},
                                 {DML_GRAPH_NODE_TYPE_CONSTANT, &constant},
                                 {DML_GRAPH_NODE_TYPE_OPERATOR, &first}};
  DML_INPUT_GRAPH_EDGE_DESC input = {1, 2, 0, "x"};
  DML_GRAPH_EDGE_DESC inputEdge = {DML_GRAPH_EDGE_TYPE_INPUT, &input};
  DML_OUTPUT_GRAPH_EDGE_DESC output = {0, 0, 0, "y"};
  DML_GRAPH_EDGE_DESC outputEdge = {DML_GRAPH_EDGE_TYPE_OUTPUT, &output};
  DML_INTERMEDIATE_GRAPH_EDGE_DESC inner[] = {{2, 0, 0, 0, nullptr},
                                              {1, 0, 0, 1, nullptr}};
  DML_GRAPH_EDGE_DESC edges[] = {{DML_GRAPH_EDGE_TYPE_INTERMEDIATE, &inner[0]},
                                 {DML_GRAPH_EDGE_TYPE_INTERMEDIATE, &inner[1]}};
  DML_GRAPH_DESC graph = {2,          1, 3,           nodes, 1,
                          &inputEdge, 1, &outputEdge, 2,     edges};
  DmlModel model = nullptr;
  EXPECT_OK(dmlCreateModelOfGraph, &graph, nullptr, &model);
  return {model, dmlDestroyModel};
}

SessionHandle createSession(DmlSessionCreateInfo info) {
  DmlSession session = nullptr;
  EXPECT_OK(dmlCreateSession, &info, &session);
  return {session, dmlDestroySession};
}
SessionHandle createSession(const ModelHandle &model) {
  DmlSessionCreateInfo info{};
  info.model = model.get();
  return createSession(info);
}

/// Runs a session on inputs in their order.
std::vector<FLOAT> run(DmlSession session,
                       std::vector<std::vector<FLOAT>> inputs) {
  std::vector<DmlSessionTensor> tensors;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    DmlSessionTensorInfo info{};
    EXPECT_OK(dmlGetSessionInput, session, i, &info);
    DmlSessionTensor &tensor = tensors.emplace_back();
    tensor = {};
    tensor.dataType = info.dataType;
    tensor.rank = info.rank;
    std::copy_n(info.sizes, info.rank, tensor.sizes);
    tensor.data = inputs[i].data();
    tensor.byteSize = inputs[i].size() * sizeof(FLOAT);
  }
  DmlSessionTensor output{};
  EXPECT_OK(dmlRunSession, session, tensors.data(),
            static_cast<uint32_t>(tensors.size()), &output, 1u);
  std::vector<FLOAT> result(output.byteSize / sizeof(FLOAT));
  if (output.data)
    std::memcpy(result.data(), output.data, output.byteSize);
  dmlFreeTensor(&output);
  return result;
}

/// What a program binds to an input.
DmlBindPoint getInput(const ModelHandle &model, uint32_t index) {
  DmlBindPoint point{};
  EXPECT_OK(dmlGetInputBindPoint, model.get(), index, &point);
  return point;
}

/// Whether there is a device to run a model on.
bool hasDevice() {
  Matrix matrix(1, 1);
  OperatorHandle op = createRelu(matrix);
  ModelHandle model = createModel(op.get());
  DmlSessionCreateInfo info{};
  info.model = model.get();
  DmlSession session = nullptr;
  Outcome outcome = call(dmlCreateSession, &info, &session);
  dmlDestroySession(session);
  return outcome.result != DML_ERROR_NOT_FOUND;
}

TEST(DescribedModelTest, BindPointsOfAnOperatorAreItsTensors) {
  Matrix a(2, 3), b(3, 4), c(2, 4);
  OperatorHandle op = createGemm(a, b, c);
  ModelHandle model = createModel(op.get());
  op.reset();
  DmlDescribedModelInfo info{};
  EXPECT_OK(dmlGetDescribedModelInfo, model.get(), &info);
  EXPECT_EQ(info.inputCount, 3u);
  EXPECT_EQ(info.outputCount, 1u);
  EXPECT_EQ(getInput(model, 0).kind, DML_BIND_POINT_KIND_RUN);
  DmlBindPoint second = getInput(model, 1);
  EXPECT_EQ(second.kind, DML_BIND_POINT_KIND_RUN);
  EXPECT_EQ(second.index, 1u);
  EXPECT_STREQ(second.name, "BTensor");
  EXPECT_EQ(second.dataType, DML_DATA_TYPE_FLOAT32);
  EXPECT_EQ(second.rank, 4u);
  EXPECT_THAT(std::vector<int64_t>(second.sizes, second.sizes + 4),
              ElementsAre(1, 1, 3, 4));
  EXPECT_EQ(second.byteSize, 48u);
  DmlBindPoint absent = getInput(model, 2);
  EXPECT_EQ(absent.kind, DML_BIND_POINT_KIND_NONE);
  EXPECT_EQ(absent.name, nullptr);
  DmlBindPoint output{};
  EXPECT_OK(dmlGetOutputBindPoint, model.get(), 0u, &output);
  EXPECT_STREQ(output.name, "OutputTensor");
  EXPECT_EQ(output.byteSize, 32u);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "the model has no input 3; it has 3",
               dmlGetInputBindPoint, model.get(), 3u, &output);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "the model has no output 1; it has 1", dmlGetOutputBindPoint,
               model.get(), 1u, &output);
}

TEST(DescribedModelTest, OwnedTensorsAreWeights) {
  DML_END_WITHOUT_DEVICE(hasDevice());
  Matrix a(1, 2), c(1, 2);
  Matrix b(2, 2, /*isTransposed=*/false, DML_TENSOR_FLAG_OWNED_BY_DML);
  OperatorHandle op = createGemm(a, b, c);
  ModelHandle model = createModel(op.get());
  DmlBindPoint weight = getInput(model, 1);
  EXPECT_EQ(weight.kind, DML_BIND_POINT_KIND_WEIGHT);
  const FLOAT elements[] = {1, 2, 3, 4};
  DmlNamedBytes bytes{weight.name, elements, sizeof(elements)};
  DmlSessionCreateInfo info{};
  info.model = model.get();
  info.weights = &bytes;
  info.weightCount = 1;
  SessionHandle session = createSession(info);
  EXPECT_THAT(run(session.get(), {{1, 10}}), ElementsAre(31, 42));
}

TEST(DescribedModelTest, DispatchTakesDirectMLsNumbers) {
  DML_END_WITHOUT_DEVICE(hasDevice());
  Matrix a(1, 2), c(1, 2);
  Matrix b(2, 2, /*isTransposed=*/false, DML_TENSOR_FLAG_OWNED_BY_DML);
  OperatorHandle op = createGemm(a, b, c);
  ModelHandle model = createModel(op.get());
  const FLOAT weights[] = {1, 2, 3, 4}, row[] = {1, 10};
  dml::directml::Dispatch dispatch(model.get(), {nullptr, weights});
  model.reset();
  EXPECT_EQ(dispatch.getInputs().size(), 3u);
  FLOAT result[2] = {};
  dispatch.run({row}, {result});
  EXPECT_THAT(result, ElementsAre(31, 42));
  // An output that is not wanted.
  dispatch.run({row, nullptr, nullptr}, {});

  auto errorOf = [](auto call) -> std::string {
    try {
      call();
    } catch (const dml::Error &error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(errorOf([&] { dispatch.run({}, {result}); }),
            "input 0 has no memory");
  EXPECT_EQ(errorOf([&] {
              dispatch.run({row, weights}, {result});
            }),
            "input 1 has memory, but nothing is bound to it in a run");
  EXPECT_EQ(errorOf([&] {
              dispatch.run({row}, {result, result});
            }),
            "output 1 does not exist");
  model = createModel(op.get());
  EXPECT_EQ(errorOf([&] { dml::directml::Dispatch another(model.get()); }),
            "input 1 is owned by DirectML, but has no memory among the initial "
            "inputs");
}

TEST(DescribedModelTest, StridesPermuteMemory) {
  DML_END_WITHOUT_DEVICE(hasDevice());
  Matrix a(2, 3, /*isTransposed=*/true), b(3, 1), c(2, 1);
  OperatorHandle op = createGemm(a, b, c);
  ModelHandle model = createModel(op.get());
  SessionHandle session = createSession(model);
  // The rows are 1, 2, 3 and 4, 5, 6.
  EXPECT_THAT(run(session.get(), {{1, 4, 2, 5, 3, 6}, {1, 10, 100}}),
              ElementsAre(321, 654));
}

TEST(DescribedModelTest, GraphsRunWithConstantsOfTheirOwn) {
  DML_END_WITHOUT_DEVICE(hasDevice());
  // Constants that the compiler computes with, and one that is a weight.
  for (UINT width : {2u, 16u, 300u}) {
    std::vector<FLOAT> weights(width * width);
    for (UINT i = 0; i < width; ++i)
      weights[i * width + (i + 1) % width] = 3;
    ModelHandle model = createProduct(width, weights);
    std::fill(weights.begin(), weights.end(), 0);
    EXPECT_EQ(getInput(model, 0).kind, DML_BIND_POINT_KIND_NONE);
    EXPECT_EQ(getInput(model, 1).index, 0u);
    EXPECT_STREQ(getInput(model, 1).name, "x");
    SessionHandle session = createSession(model);
    model.reset();
    std::vector<FLOAT> x(width * width, -1);
    x[0] = 5;
    std::vector<FLOAT> y = run(session.get(), {x});
    ASSERT_EQ(y.size(), x.size());
    EXPECT_EQ(y[1], 15);
    y[1] = 0;
    EXPECT_THAT(y, Each(0));
  }
}

TEST(DescribedModelTest, TheModuleIsAModel) {
  DML_END_WITHOUT_DEVICE(hasDevice());
  ModelHandle model = createProduct(2, {0, 1, 1, 0});
  for (DmlModuleForm form : {DML_MODULE_FORM_TEXT, DML_MODULE_FORM_BYTECODE}) {
    DmlBytes module{};
    EXPECT_OK(dmlGetModelModule, model.get(), form, &module);
    DmlSessionCreateInfo info{};
    info.bytes = module.data;
    info.byteSize = module.size;
    SessionHandle session = createSession(info);
    EXPECT_THAT(run(session.get(), {{1, 2, -3, 4}}), ElementsAre(2, 1, 4, 0));
    session.reset();
    dmlFreeBytes(&module);
  }
  DmlBytes none{};
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "the form 7 of a module",
               dmlGetModelModule, model.get(), static_cast<DmlModuleForm>(7),
               &none);
}

TEST(DescribedModelTest, ModelsAreExplainedAndCompiledAheadOfTime) {
  DML_END_WITHOUT_DEVICE(hasDevice());
  ModelHandle model = createProduct(2, {0, 1, 1, 0});
  DmlExplainInfo explain{};
  explain.model = model.get();
  DmlVerdict verdict = nullptr;
  EXPECT_OK(dmlExplainModel, &explain, &verdict);
  EXPECT_THAT(dmlGetVerdictText(verdict), HasSubstr("1_0"));
  dmlDestroyVerdict(verdict);

  SessionHandle first = createSession(model);
  DmlSessionInfo about{};
  EXPECT_OK(dmlGetSessionInfo, first.get(), &about);
  DmlCompileInfo compile{};
  compile.model = model.get();
  compile.deviceProfiles = &about.deviceProfile;
  compile.deviceProfileCount = 1;
  DmlBytes executable{};
  EXPECT_OK(dmlCompileModel, &compile, &executable);
  DmlSessionCreateInfo info{};
  info.bytes = executable.data;
  info.byteSize = executable.size;
  SessionHandle session = createSession(info);
  EXPECT_THAT(run(session.get(), {{1, 2, -3, 4}}), ElementsAre(2, 1, 4, 0));
  session.reset();
  dmlFreeBytes(&executable);
}

TEST(DescribedModelTest, CacheKnowsEqualGraphs) {
  DML_END_WITHOUT_DEVICE(hasDevice());
  std::string folder = testing::TempDir() + "described-model-cache";
  std::filesystem::remove_all(folder);
  for (uint64_t cached : {0, 1}) {
    ModelHandle model = createProduct(2, {0, 1, 1, 0});
    DmlSessionCreateInfo info{};
    info.model = model.get();
    info.cacheDirectory = folder.c_str();
    SessionHandle session = createSession(info);
    run(session.get(), {{1, 2, 3, 4}});
    DmlSessionInfo about{};
    EXPECT_OK(dmlGetSessionInfo, session.get(), &about);
    EXPECT_EQ(about.cachedCount, cached);
  }
  std::filesystem::remove_all(folder);
}

TEST(DescribedModelTest, ErrorsNameTheField) {
  Matrix a(2, 3), b(4, 4), c(2, 4);
  DML_GEMM_OPERATOR_DESC gemm = {};
  gemm.ATensor = &a.tensor;
  gemm.BTensor = &b.tensor;
  gemm.OutputTensor = &c.tensor;
  DML_OPERATOR_DESC desc = {DML_OPERATOR_GEMM, &gemm};
  DmlOperator op = nullptr;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "DML_OPERATOR_GEMM: 'dml.gemm' op ",
               dmlCreateOperator, &desc, &op);
  gemm.BTensor = nullptr;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "DML_OPERATOR_GEMM.BTensor: found null, wanted a "
               "DML_TENSOR_DESC",
               dmlCreateOperator, &desc, &op);
  EXPECT_EQ(op, nullptr);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "'desc' is NULL", dmlCreateOperator,
               nullptr, &op);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "'op' is NULL", dmlCreateOperator,
               &desc, nullptr);
  DmlModel model = nullptr;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "'op' is NULL",
               dmlCreateModelOfOperator, nullptr, nullptr, &model);
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "'graph' is NULL",
               dmlCreateModelOfGraph, nullptr, nullptr, &model);

  // An object of DirectML begins with the address of a table.
  const void *table[] = {nullptr};
  const void *object[] = {table};
  DML_OPERATOR_GRAPH_NODE_DESC node = {reinterpret_cast<IDMLOperator *>(object),
                                       nullptr};
  DML_GRAPH_NODE_DESC nodes[] = {{DML_GRAPH_NODE_TYPE_OPERATOR, &node}};
  DML_GRAPH_DESC graph = {0, 1, 1, nodes};
  DmlDescribedModelCreateInfo info{};
  info.name = "mine";
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "mine: Nodes[0].Desc.Operator: found a pointer to something "
               "else, wanted an operator that was created here",
               dmlCreateModelOfGraph, &graph, &info, &model);
  info.executionFlags = 8;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "executionFlags is 8",
               dmlCreateModelOfGraph, &graph, &info, &model);
  EXPECT_EQ(model, nullptr);
}

TEST(DescribedModelTest, IsNoModelOfNodes) {
  Matrix matrix(2, 2);
  OperatorHandle op = createRelu(matrix);
  ModelHandle described = createModel(op.get(), "rectifier");
  DmlModelNode node{};
  node.type = "Relu";
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "the model 'rectifier' was made of DirectML's structures",
               dmlAddModelNode, described.get(), &node);
  DmlSurveyInfo survey{};
  survey.model = described.get();
  DmlSurvey result = nullptr;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "the model 'rectifier' was made of DirectML's structures",
               dmlSurveyModel, &survey, &result);

  DmlModelCreateInfo info{};
  DmlModel created = nullptr;
  EXPECT_OK(dmlCreateModel, &info, &created);
  ModelHandle built(created, dmlDestroyModel);
  DmlModelAttribute attribute{};
  attribute.name = "body";
  attribute.type = DML_ATTRIBUTE_TYPE_GRAPH;
  attribute.graph = described.get();
  node.attributes = &attribute;
  node.attributeCount = 1;
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT,
               "is a model of DirectML's structures, but wanted is one of "
               "ONNX's nodes",
               dmlAddModelNode, built.get(), &node);
  DmlBindPoint point{};
  EXPECT_FAILS(DML_ERROR_INVALID_ARGUMENT, "was built node by node",
               dmlGetInputBindPoint, built.get(), 0u, &point);
}

} // namespace
