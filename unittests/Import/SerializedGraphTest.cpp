//===- SerializedGraphTest.cpp - Graphs that DirectML programs serialize --===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Files are written as ONNX Runtime's provider does: null pointers without name
// and value, tensors that are absent as empty names.
//
//===----------------------------------------------------------------------===//

#include "GraphFormat.h"
#include "dml/Import/DirectML.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace dml::graph_format;
using dml::directml::importSerializedGraph;
using flatbuffers::Offset;

namespace {

template <typename T> using Offsets = std::vector<Offset<T>>;

class SerializedGraphTest : public ::testing::Test {
protected:
  Offset<DmlBufferTensorDesc> tensor(std::vector<uint32_t> sizes,
                                     std::vector<uint32_t> strides = {},
                                     const char *type = "FLOAT32",
                                     uint64_t bytes = 0) {
    return CreateDmlBufferTensorDesc(
        builder,
        builder.CreateString(std::string("DML_TENSOR_DATA_TYPE_") + type),
        builder.CreateVector(sizes),
        strides.empty() ? 0 : builder.CreateVector(strides), bytes);
  }

  template <typename T>
  Offset<AttributeDesc> attribute(const char *name, AttributeFieldVariant type,
                                  const T &value) {
    auto offset = builder.CreateStruct(value).Union();
    return CreateAttributeDesc(builder, builder.CreateString(name), type,
                               offset);
  }
  Offset<AttributeDesc> uint(const char *name, uint32_t value) {
    return attribute(name, AttributeFieldVariant::UInt32, UInt32(value));
  }
  Offset<AttributeDesc> number(const char *name, float value) {
    return attribute(name, AttributeFieldVariant::Float32, Float32(value));
  }
  Offset<AttributeDesc> uints(const char *name, std::vector<uint32_t> values) {
    auto offset =
        CreateUIntArray(builder, builder.CreateVector(values)).Union();
    return CreateAttributeDesc(builder, builder.CreateString(name),
                               AttributeFieldVariant::UIntArray, offset);
  }
  Offset<AttributeDesc> null(AttributeFieldVariant type) {
    return CreateAttributeDesc(builder, 0, type, 0);
  }

  Offset<flatbuffers::Vector<Offset<flatbuffers::String>>>
  strings(const std::vector<std::string> &texts) {
    return builder.CreateVectorOfStrings(texts);
  }

  void addOperator(const char *type, std::vector<std::string> inputNames,
                   std::vector<std::string> outputNames,
                   Offsets<DmlBufferTensorDesc> inputs,
                   Offsets<DmlBufferTensorDesc> outputs,
                   Offsets<AttributeDesc> attributes) {
    auto desc = CreateOperatorNodeDesc(
        builder, builder.CreateString(std::string("DML_OPERATOR_") + type),
        builder.CreateVector(inputs), builder.CreateVector(outputs),
        builder.CreateVector(attributes));
    std::string name = "node" + std::to_string(nodes.size());
    nodes.push_back(CreateDmlGraphNode(
        builder, NodeDesc::OperatorNodeDesc, desc.Union(),
        builder.CreateString(name), strings(inputNames), strings(outputNames)));
  }
  void addIdentity(const std::string &from, const std::string &to,
                   std::vector<uint32_t> sizes,
                   std::vector<uint32_t> strides = {}) {
    addOperator("ELEMENT_WISE_IDENTITY", {from}, {to},
                {tensor(sizes, std::move(strides))}, {tensor(sizes)},
                {null(AttributeFieldVariant::ScaleBias)});
  }
  void addConstant(const std::string &output, ConstantNodeDescDetail type,
                   Offset<void> data) {
    auto desc = CreateConstantNodeDesc(builder, type, data);
    nodes.push_back(CreateDmlGraphNode(
        builder, NodeDesc::ConstantNodeDesc, desc.Union(),
        builder.CreateString("constant"), strings({}), strings({output})));
  }
  void addConstant(const std::string &output, std::vector<float> values) {
    std::vector<uint8_t> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    addConstant(
        output, ConstantNodeDescDetail::ConstantRawData,
        CreateConstantRawData(builder, builder.CreateVector(bytes)).Union());
  }

  std::string finish(std::vector<std::string> inputs,
                     std::vector<std::string> outputs) {
    auto graph = CreateDmlGraphDesc(builder, builder.CreateVector(nodes),
                                    strings(inputs), strings(outputs));
    builder.Finish(graph);
    return {reinterpret_cast<const char *>(builder.GetBufferPointer()),
            builder.GetSize()};
  }

  /// The program, or the error.
  std::string import(llvm::StringRef bytes,
                     llvm::StringRef path = "graph.bin") {
    auto module = importSerializedGraph(
        llvm::MemoryBuffer::getMemBufferCopy(bytes, path), &context);
    if (!module)
      return llvm::toString(module.takeError());
    std::string text;
    llvm::raw_string_ostream os(text);
    (*module)->print(os);
    return text;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  flatbuffers::FlatBufferBuilder builder;
  Offsets<DmlGraphNode> nodes;
};

#define EXPECT_HAS(text, part)                                                 \
  do {                                                                         \
    std::string whole = (text);                                                \
    EXPECT_NE(whole.find(part), std::string::npos)                             \
        << "wanted: " << (part) << "\ngot: " << whole;                         \
  } while (false)

TEST_F(SerializedGraphTest, OperatorsAndConstants) {
  addConstant("weights", {1, 2, 3, 4});
  addOperator("GEMM", {"x", "weights", ""}, {"product"},
              {tensor({1, 1, 2, 2}), tensor({1, 1, 2, 2})},
              {tensor({1, 1, 2, 2})},
              {uint("TransA", 0), uint("TransB", 1), number("Alpha", 1),
               number("Beta", 0.5f), null(AttributeFieldVariant::Activation)});
  addIdentity("product", "y", {4});
  std::string text = import(finish({"x"}, {"y", "product"}));
  EXPECT_HAS(text, "@main(%arg0: tensor<1x1x2x2xf32> {dml.name = \"x\"}) -> "
                   "(tensor<4xf32> {dml.name = \"y\"}, "
                   "tensor<1x1x2x2xf32> {dml.name = \"product\"})");
  EXPECT_HAS(text, "[1.000000e+00, 2.000000e+00]");
  EXPECT_HAS(text, "beta = 5.000000e-01 : f32");
  EXPECT_HAS(text, "trans_a = #dml.matrix_transform<none>, trans_b = "
                   "#dml.matrix_transform<transpose>");
  EXPECT_HAS(text, "tensor.collapse_shape");
  EXPECT_HAS(text, "dml.element_wise_identity");
}

TEST_F(SerializedGraphTest, EveryKindOfAttribute) {
  Offsets<AttributeDesc> elu = {number("Alpha", 0.25f)};
  auto activation = CreateActivation(
      builder, builder.CreateString("DML_OPERATOR_ACTIVATION_ELU"),
      builder.CreateVector(elu));
  auto fused = CreateAttributeDesc(
      builder, builder.CreateString("FusedActivation"),
      AttributeFieldVariant::Activation, activation.Union());
  addOperator("ELEMENT_WISE_ADD1", {"x", "x"}, {"sum"},
              {tensor({1, 1, 2, 2}), tensor({1, 1, 2, 2})},
              {tensor({1, 1, 2, 2})}, {fused});
  addOperator("ELEMENT_WISE_IDENTITY", {"sum"}, {"scaled"},
              {tensor({1, 1, 2, 2})}, {tensor({1, 1, 2, 2})},
              {attribute("ScaleBias", AttributeFieldVariant::ScaleBias,
                         ScaleBias(2, 3))});
  addOperator(
      "UPSAMPLE_2D", {"scaled"}, {"larger"}, {tensor({1, 1, 2, 2})},
      {tensor({1, 1, 2, 6})},
      {attribute("ScaleSize", AttributeFieldVariant::Size2D, Size2D(3, 1)),
       uint("InterpolationMode", 0)});
  float value = -1.5f;
  uint8_t raw[8] = {};
  std::memcpy(raw, &value, sizeof(value));
  ByteArray bytes((flatbuffers::span<const uint8_t, 8>(raw)));
  auto scalar = CreateScalarUnionData(builder, ScalarVariant::ByteArray,
                                      builder.CreateStruct(bytes).Union());
  auto padding = CreateAttributeDesc(
      builder, builder.CreateString("PaddingValue"),
      AttributeFieldVariant::ScalarUnionData, scalar.Union());
  addOperator("PADDING1", {"larger"}, {"padded"}, {tensor({1, 1, 2, 6})},
              {tensor({1, 1, 3, 6})},
              {uint("PaddingMode", 0), uint("PaddingValueDataType", 1), padding,
               uint("DimensionCount", 4), uints("StartPadding", {0, 0, 1, 0}),
               uints("EndPadding", {0, 0, 0, 0})});
  addOperator(
      "CUMULATIVE_SUMMATION", {"padded"}, {"y"}, {tensor({1, 1, 3, 6})},
      {tensor({1, 1, 3, 6})},
      {uint("Axis", 3), uint("AxisDirection", 1),
       attribute("HasExclusiveSum", AttributeFieldVariant::Bool, Bool(true))});
  std::string text = import(finish({"x"}, {"y"}));
  EXPECT_HAS(text, "#dml.activation<elu, {alpha = 2.500000e-01 : f32}>");
  EXPECT_HAS(text, "scale = 2.000000e+00 : f32, bias = 3.000000e+00 : f32");
  EXPECT_HAS(text, "scale_size = array<i64: 1, 3>");
  EXPECT_HAS(text, "padding_value = -1.500000e+00 : f32");
  EXPECT_HAS(text, "start_padding = array<i64: 0, 0, 1, 0>");
  EXPECT_HAS(text, "has_exclusive_sum = true");
  EXPECT_HAS(text, "#dml.axis_direction<decreasing>");
}

TEST_F(SerializedGraphTest, ConstantsOfFourBits) {
  // A file has the length of DirectML's buffers, whole words.
  auto addBytes = [&](const std::string &name, std::vector<uint8_t> bytes) {
    addConstant(
        name, ConstantNodeDescDetail::ConstantRawData,
        CreateConstantRawData(builder, builder.CreateVector(bytes)).Union());
  };
  auto addDequantize = [&](const std::string &from, const std::string &to,
                           uint32_t columns) {
    addOperator(
        "DEQUANTIZE", {from, "scale"}, {to},
        {tensor({1, columns}, {}, "UINT4"), tensor({1, 1})},
        {tensor({1, columns})},
        {uint("QuantizationType", 1), uint("QuantizationTensorCount", 1)});
  };
  addBytes("few", {0x21, 0xf3, 0x05, 0});
  addDequantize("few", "y", 5);
  // More than an attribute has are a resource, two to a byte.
  addBytes("many", std::vector<uint8_t>(80, 0x21));
  addDequantize("many", "z", 157);
  std::string text = import(finish({"scale"}, {"y", "z"}));
  EXPECT_HAS(text, "dense<[[1, 2, 3, -1, 5]]> : tensor<1x5xi4>");
  EXPECT_HAS(text, "dense_resource<constant> : tensor<1x157xi4>");
}

TEST_F(SerializedGraphTest, Strides) {
  addIdentity("x", "transposed", {1, 1, 2, 3}, {6, 6, 1, 2});
  addIdentity("bias", "repeated", {1, 1, 2, 3}, {0, 0, 0, 1});
  std::string text = import(finish({"x", "bias"}, {"transposed", "repeated"}));
  EXPECT_HAS(text, "%arg0: tensor<3x2xf32>");
  EXPECT_HAS(text, "%arg1: tensor<3xf32>");
  EXPECT_HAS(text, "dml.view %arg0 {strides = array<i64: 6, 6, 1, 2>} : "
                   "(tensor<3x2xf32>) -> tensor<1x1x2x3xf32>");
  EXPECT_HAS(text, "dml.view %arg1 {strides = array<i64: 0, 0, 0, 1>} : "
                   "(tensor<3xf32>) -> tensor<1x1x2x3xf32>");
}

TEST_F(SerializedGraphTest, WeightsInFiles) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("dml-graph", folder));
  llvm::SmallString<128> weights = folder, path = folder;
  llvm::sys::path::append(weights, "weights.bin");
  llvm::sys::path::append(path, "Partition_0.bin");
  addConstant(
      "w", ConstantNodeDescDetail::ConstantName,
      CreateConstantName(builder, builder.CreateString("weights")).Union());
  addIdentity("w", "y", {2});
  std::string bytes = finish({}, {"y"});
  auto write = [&](llvm::StringRef content) {
    std::error_code error;
    llvm::raw_fd_ostream(weights, error) << content;
    ASSERT_FALSE(error);
  };
  EXPECT_HAS(import(bytes, path), "nodes[0]: its elements are in '");
  write(llvm::StringRef("\0\0\x80\x3f\0\0\0\x40", 8));
  EXPECT_HAS(import(bytes, path), "dense<[1.000000e+00, 2.000000e+00]>");
  write("1234567");
  EXPECT_HAS(import(bytes, path),
             "nodes[0]: found 7 bytes of elements, wanted 8 of the tensor at "
             "nodes[1].InputTensor");
  write("123456789");
  EXPECT_HAS(import(bytes, path), "found 9 bytes of elements, wanted 8");
  llvm::sys::fs::remove(weights);
  llvm::sys::fs::remove(folder);
}

TEST_F(SerializedGraphTest, OtherFolders) {
  addConstant(
      "w", ConstantNodeDescDetail::ConstantName,
      CreateConstantName(builder, builder.CreateString("../secret")).Union());
  addIdentity("w", "y", {2});
  EXPECT_HAS(import(finish({}, {"y"})),
             "wanted is a file in the model's folder");
}

TEST_F(SerializedGraphTest, UnknownOperator) {
  addOperator("RELU", {"x"}, {"y"}, {tensor({1})}, {tensor({1})}, {});
  EXPECT_HAS(import(finish({"x"}, {"y"})),
             "nodes[0].type: found \"DML_OPERATOR_RELU\", wanted an operator "
             "of DirectML");
}

TEST_F(SerializedGraphTest, MissingTensor) {
  addOperator("ELEMENT_WISE_ADD", {"x", "x"}, {"y"}, {tensor({1})},
              {tensor({1})}, {});
  EXPECT_HAS(import(finish({"x"}, {"y"})),
             "nodes[0].BTensor: found no tensor for the name 'x', wanted one");
}

TEST_F(SerializedGraphTest, SuperfluousTensor) {
  addOperator("ACTIVATION_TANH", {"x"}, {"y"}, {tensor({1}), tensor({1})},
              {tensor({1})}, {});
  EXPECT_HAS(import(finish({"x"}, {"y"})),
             "nodes[0]: found 2 inputs, wanted 1");
}

TEST_F(SerializedGraphTest, UnknownName) {
  addIdentity("z", "y", {1});
  EXPECT_HAS(import(finish({}, {"y"})),
             "nodes[0].InputTensor: found the tensor 'z', wanted an input of "
             "the graph or an output of a node before");
}

TEST_F(SerializedGraphTest, NameTwice) {
  addIdentity("x", "y", {1});
  addIdentity("x", "y", {1});
  EXPECT_HAS(import(finish({"x"}, {"y"})),
             "nodes[1].outputNames: found a second tensor 'y', wanted one");
}

TEST_F(SerializedGraphTest, InputThatNothingReads) {
  addIdentity("x", "y", {1});
  EXPECT_HAS(import(finish({"x", "z"}, {"y"})),
             "graphInputNames: found the input 'z', which no node reads");
}

TEST_F(SerializedGraphTest, OtherSize) {
  addIdentity("x", "y", {2});
  addIdentity("y", "z", {3});
  EXPECT_HAS(import(finish({"x"}, {"z"})),
             "nodes[1].InputTensor: found a tensor of the type tensor<2xf32> "
             "in memory, wanted as many elements of as many bytes as "
             "tensor<3xf32>");
}

TEST_F(SerializedGraphTest, AttributeTwice) {
  addOperator("ELEMENT_WISE_CLIP", {"x"}, {"y"}, {tensor({1})}, {tensor({1})},
              {number("Min", 0), number("Min", 1), number("Max", 2)});
  EXPECT_HAS(import(finish({"x"}, {"y"})),
             "nodes[0].Min: the attribute is there twice, wanted is one");
}

TEST_F(SerializedGraphTest, AttributeOfAnotherKind) {
  addOperator("ELEMENT_WISE_CLIP", {"x"}, {"y"}, {tensor({1})}, {tensor({1})},
              {uints("Min", {1}), number("Max", 2)});
  EXPECT_HAS(import(finish({"x"}, {"y"})),
             "nodes[0].Min: found an array of 1 values, wanted a number");
}

TEST_F(SerializedGraphTest, OtherFiles) {
  EXPECT_HAS(import(""), "FlatBuffers' verifier refuses the file");
  EXPECT_HAS(import("no graph"), "FlatBuffers' verifier refuses the file");
}

/// A file may be damaged anywhere: it is read or refused, and nothing worse.
TEST_F(SerializedGraphTest, DamagedFiles) {
  addConstant("weights", {1, 2, 3, 4});
  addOperator("GEMM", {"x", "weights", ""}, {"product"},
              {tensor({1, 1, 2, 2}), tensor({1, 1, 2, 2}, {4, 4, 1, 2})},
              {tensor({1, 1, 2, 2})},
              {uint("TransA", 0), uint("TransB", 1), number("Alpha", 1),
               number("Beta", 0.5f), null(AttributeFieldVariant::Activation)});
  addIdentity("product", "y", {4});
  std::string bytes = finish({"x"}, {"y"});
  unsigned refused = 0;
  for (size_t size = 0; size < bytes.size(); ++size)
    refused +=
        import(llvm::StringRef(bytes).take_front(size)).find("func.func") ==
        std::string::npos;
  EXPECT_EQ(refused, bytes.size());
  refused = 0;
  for (size_t index = 0; index < bytes.size(); ++index)
    for (unsigned char change : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[index] = static_cast<char>(damaged[index] ^ change);
      refused += import(damaged).find("func.func") == std::string::npos;
    }
  EXPECT_GT(refused, bytes.size() / 2);
}

} // namespace
