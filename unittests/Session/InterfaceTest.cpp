//===- InterfaceTest.cpp - IDMLDevice1 without Direct3D -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Built where Microsoft's headers are.
//
//===----------------------------------------------------------------------===//

// Each of these headers needs those before it.
// clang-format off
#include <wsl/winadapter.h>
#include <wsl/wrladapter.h>
#include <directx/DirectML.h>
#include "dml/directml.hpp"
// clang-format on
#include "Device.h"
#include "gmock/gmock.h"

using Microsoft::WRL::ComPtr;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class InterfaceTest : public testing::Test {
protected:
  InterfaceTest() {
    device.Attach(dml::directml::createDevice(
        [this](const std::string &text) { message = text; }));
    buffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    buffer.DimensionCount = 2;
    buffer.Sizes = sizes;
    buffer.TotalTensorSizeInBytes = 8;
  }

  ComPtr<IDMLOperator> createOperator(DML_OPERATOR_TYPE type,
                                      const void *desc) {
    DML_OPERATOR_DESC operatorDesc = {type, desc};
    ComPtr<IDMLOperator> op;
    device->CreateOperator(&operatorDesc, IID_PPV_ARGS(&op));
    return op;
  }
  ComPtr<IDMLOperator> createRelu() {
    DML_ACTIVATION_RELU_OPERATOR_DESC relu = {&tensor, &tensor};
    return createOperator(DML_OPERATOR_ACTIVATION_RELU, &relu);
  }

  /// A graph of one operator.
  HRESULT compileGraph(IDMLOperator *op, IDMLCompiledOperator **compiled) {
    DML_OPERATOR_GRAPH_NODE_DESC node = {op, "node"};
    DML_GRAPH_NODE_DESC nodes[] = {{DML_GRAPH_NODE_TYPE_OPERATOR, &node}};
    DML_INPUT_GRAPH_EDGE_DESC input = {0, 0, 0, nullptr};
    DML_GRAPH_EDGE_DESC inputEdge = {DML_GRAPH_EDGE_TYPE_INPUT, &input};
    DML_OUTPUT_GRAPH_EDGE_DESC output = {0, 0, 0, nullptr};
    DML_GRAPH_EDGE_DESC outputEdge = {DML_GRAPH_EDGE_TYPE_OUTPUT, &output};
    DML_GRAPH_DESC graph = {1,          1, 1,           nodes, 1,
                            &inputEdge, 1, &outputEdge, 0,     nullptr};
    return device->CompileGraph(&graph, DML_EXECUTION_FLAG_NONE,
                                IID_PPV_ARGS(compiled));
  }

  /// What a compiled operator makes of -1 and 2.
  std::vector<float> run(IDMLCompiledOperator *compiled) {
    dml::directml::Dispatch dispatch(dml::directml::getModel(compiled));
    const float from[] = {-1, 2};
    std::vector<float> to(2);
    dispatch.run({from}, {to.data()});
    return to;
  }

  ComPtr<IDMLDevice1> device;
  std::string message;
  UINT sizes[2] = {1, 2};
  DML_BUFFER_TENSOR_DESC buffer = {};
  DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
};

TEST_F(InterfaceTest, OperatorsAndGraphsRun) {
  ComPtr<IDMLOperator> op = createRelu();
  ASSERT_TRUE(op) << message;
  ComPtr<IDMLCompiledOperator> one, graph;
  ASSERT_EQ(device->CompileOperator(op.Get(), DML_EXECUTION_FLAG_NONE,
                                    IID_PPV_ARGS(&one)),
            S_OK)
      << message;
  ASSERT_EQ(compileGraph(op.Get(), &graph), S_OK) << message;
  op.Reset();
  device.Reset();
  try {
    EXPECT_THAT(run(one.Get()), ElementsAre(0, 2));
    EXPECT_THAT(run(graph.Get()), ElementsAre(0, 2));
  } catch (const dml::Error &error) {
    DML_END_WITHOUT_DEVICE(error.result() != DML_ERROR_NOT_FOUND);
    FAIL() << error.what();
  }
}

TEST_F(InterfaceTest, ObjectsKnowTheirInterfaces) {
  ComPtr<IDMLOperator> op = createRelu();
  ComPtr<IDMLDeviceChild> child;
  ASSERT_EQ(op->QueryInterface(IID_PPV_ARGS(&child)), S_OK);
  ComPtr<IDMLDevice> parent;
  ASSERT_EQ(child->GetDevice(IID_PPV_ARGS(&parent)), S_OK);
  EXPECT_EQ(parent.Get(), static_cast<IDMLDevice *>(device.Get()));
  ComPtr<IDMLCompiledOperator> compiled;
  EXPECT_EQ(op->QueryInterface(IID_PPV_ARGS(&compiled)), E_NOINTERFACE);
  EXPECT_EQ(compiled, nullptr);
  EXPECT_EQ(dml::directml::getModel(nullptr), nullptr);
}

TEST_F(InterfaceTest, ErrorsHaveMessages) {
  EXPECT_FALSE(createOperator(DML_OPERATOR_ACTIVATION_RELU, nullptr));
  EXPECT_THAT(message, HasSubstr("DML_OPERATOR_DESC.Desc: found null"));
  EXPECT_EQ(device->CreateOperator(nullptr, __uuidof(IDMLOperator), nullptr),
            E_INVALIDARG);
  ComPtr<IDMLCompiledOperator> compiled;
  EXPECT_EQ(compileGraph(nullptr, &compiled), E_INVALIDARG);
  EXPECT_THAT(message, HasSubstr("Nodes[0].Desc.Operator: found null"));
  EXPECT_EQ(device->CompileGraph(nullptr, DML_EXECUTION_FLAG_NONE,
                                 IID_PPV_ARGS(&compiled)),
            E_INVALIDARG);
  EXPECT_EQ(device->CreateCommandRecorder(__uuidof(IDMLOperator), nullptr),
            E_NOTIMPL);
  EXPECT_THAT(message,
              HasSubstr("CreateCommandRecorder: there is no Direct3D"));
  EXPECT_FALSE(compiled);
}

TEST_F(InterfaceTest, FeaturesAreThoseOfTheNewestLevel) {
  DML_FEATURE_QUERY_TENSOR_DATA_TYPE_SUPPORT type = {
      DML_TENSOR_DATA_TYPE_FLOAT16};
  DML_FEATURE_DATA_TENSOR_DATA_TYPE_SUPPORT support = {};
  EXPECT_EQ(device->CheckFeatureSupport(DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT,
                                        sizeof(type), &type, sizeof(support),
                                        &support),
            S_OK);
  EXPECT_TRUE(support.IsSupported);
  DML_FEATURE_LEVEL levels[] = {DML_FEATURE_LEVEL_3_0, DML_FEATURE_LEVEL_6_4,
                                DML_FEATURE_LEVEL_5_0};
  DML_FEATURE_QUERY_FEATURE_LEVELS asked = {3, levels};
  DML_FEATURE_DATA_FEATURE_LEVELS best = {};
  EXPECT_EQ(device->CheckFeatureSupport(DML_FEATURE_FEATURE_LEVELS,
                                        sizeof(asked), &asked, sizeof(best),
                                        &best),
            S_OK);
  EXPECT_EQ(best.MaxSupportedFeatureLevel, DML_FEATURE_LEVEL_6_4);
  EXPECT_EQ(device->CheckFeatureSupport(DML_FEATURE_FEATURE_LEVELS, 1, &asked,
                                        sizeof(best), &best),
            E_INVALIDARG);
}

} // namespace
