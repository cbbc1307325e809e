//===- directml.cpp - A program of DirectML, ported -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Fills DirectML's structures as a program for Windows does: two products of
// matrices, the first with a fused ReLU, weights that DirectML owns, and a
// constant. Where that program calls IDMLDevice::CreateOperator and
// IDMLDevice1::CompileGraph, this one calls dmlCreateOperator and
// dmlCreateModelOfGraph; a session runs the model in the place of an operator
// initializer, a command recorder and a binding table of Direct3D.
//
// The weights were chosen by hand so that the graph computes the exclusive or
// of two bits: the hidden numbers are relu(a + b) and relu(a + b - 1), and the
// output is the first less twice the second.
//
//===----------------------------------------------------------------------===//

#ifdef DML_EXAMPLE_WITH_DIRECTX_HEADERS
#include <wsl/winadapter.h>

#include <directx/DirectML.h>
#else
#include "structures.h"
#endif
#include <dml/directml.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

/// Ends the program where a call has failed.
static void check(DmlResult result, DmlError error) {
  if (result == DML_SUCCESS)
    return;
  std::fprintf(stderr, "error: %s\n", dmlGetErrorMessage(error));
  std::exit(1);
}

/// A matrix of floats. Its structures point to each other, so that it stays
/// where it is.
class Matrix {
public:
  Matrix(UINT rows, UINT columns, DML_TENSOR_FLAGS flags = DML_TENSOR_FLAG_NONE)
      : sizes{1, 1, rows, columns} {
    buffer.DataType = DML_TENSOR_DATA_TYPE_FLOAT32;
    buffer.Flags = flags;
    buffer.DimensionCount = 4;
    buffer.Sizes = sizes;
    buffer.TotalTensorSizeInBytes = UINT64(rows) * columns * sizeof(FLOAT);
    tensor.Type = DML_TENSOR_TYPE_BUFFER;
    tensor.Desc = &buffer;
  }
  Matrix(const Matrix &) = delete;

  const DML_TENSOR_DESC *get() const { return &tensor; }

private:
  UINT sizes[4];
  DML_BUFFER_TENSOR_DESC buffer = {};
  DML_TENSOR_DESC tensor = {};
};

/// Creates the operator a x b + c. `c` and `activation` may be null.
static DmlOperator createGemm(const Matrix &a, const Matrix &b, const Matrix *c,
                              const Matrix &output,
                              const DML_OPERATOR_DESC *activation) {
  DML_GEMM_OPERATOR_DESC gemm = {};
  gemm.ATensor = a.get();
  gemm.BTensor = b.get();
  gemm.CTensor = c ? c->get() : nullptr;
  gemm.OutputTensor = output.get();
  gemm.Alpha = 1;
  gemm.Beta = c ? 1.0f : 0.0f;
  gemm.FusedActivation = activation;
  DML_OPERATOR_DESC desc = {DML_OPERATOR_GEMM, &gemm};
  DmlOperator op = nullptr;
  DmlError error = nullptr;
  check(dmlCreateOperator(&desc, &op, &error), error);
  return op;
}

/// Creates the model of the graph. Its inputs are the bits, the weights of the
/// first product, and its bias.
static DmlModel createModel() {
  DML_ACTIVATION_RELU_OPERATOR_DESC relu = {};
  DML_OPERATOR_DESC activation = {DML_OPERATOR_ACTIVATION_RELU, &relu};
  Matrix bits(4, 2), hidden(4, 2), either(4, 1), second(2, 1);
  Matrix first(2, 2, DML_TENSOR_FLAG_OWNED_BY_DML);
  Matrix bias(4, 2, DML_TENSOR_FLAG_OWNED_BY_DML);
  DmlOperator ops[] = {createGemm(bits, first, &bias, hidden, &activation),
                       createGemm(hidden, second, nullptr, either, nullptr)};

  DML_OPERATOR_GRAPH_NODE_DESC hiddenNode = {
      reinterpret_cast<IDMLOperator *>(ops[0]), "hidden"};
  DML_OPERATOR_GRAPH_NODE_DESC outputNode = {
      reinterpret_cast<IDMLOperator *>(ops[1]), "output"};
  static const FLOAT secondWeights[] = {1, -2};
  DML_CONSTANT_DATA_GRAPH_NODE_DESC constant = {
      secondWeights, sizeof(secondWeights), "second"};
  DML_GRAPH_NODE_DESC nodes[] = {{DML_GRAPH_NODE_TYPE_OPERATOR, &hiddenNode},
                                 {DML_GRAPH_NODE_TYPE_OPERATOR, &outputNode},
                                 {DML_GRAPH_NODE_TYPE_CONSTANT, &constant}};

  DML_INPUT_GRAPH_EDGE_DESC inputs[] = {
      {0, 0, 0, "bits"}, {1, 0, 1, "first"}, {2, 0, 2, "bias"}};
  DML_GRAPH_EDGE_DESC inputEdges[] = {{DML_GRAPH_EDGE_TYPE_INPUT, &inputs[0]},
                                      {DML_GRAPH_EDGE_TYPE_INPUT, &inputs[1]},
                                      {DML_GRAPH_EDGE_TYPE_INPUT, &inputs[2]}};
  DML_OUTPUT_GRAPH_EDGE_DESC output = {1, 0, 0, "either"};
  DML_GRAPH_EDGE_DESC outputEdge = {DML_GRAPH_EDGE_TYPE_OUTPUT, &output};
  DML_INTERMEDIATE_GRAPH_EDGE_DESC toOutput = {0, 0, 1, 0, nullptr};
  DML_INTERMEDIATE_GRAPH_EDGE_DESC toSecond = {2, 0, 1, 1, nullptr};
  DML_GRAPH_EDGE_DESC edges[] = {{DML_GRAPH_EDGE_TYPE_INTERMEDIATE, &toOutput},
                                 {DML_GRAPH_EDGE_TYPE_INTERMEDIATE, &toSecond}};

  DML_GRAPH_DESC graph = {};
  graph.InputCount = 3;
  graph.OutputCount = 1;
  graph.NodeCount = 3;
  graph.Nodes = nodes;
  graph.InputEdgeCount = 3;
  graph.InputEdges = inputEdges;
  graph.OutputEdgeCount = 1;
  graph.OutputEdges = &outputEdge;
  graph.IntermediateEdgeCount = 2;
  graph.IntermediateEdges = edges;
  DmlModel model = nullptr;
  DmlError error = nullptr;
  check(dmlCreateModelOfGraph(&graph, nullptr, &model, &error), error);
  for (DmlOperator op : ops)
    dmlDestroyOperator(op);
  return model;
}

int main() {
  static const FLOAT bits[4][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  static const FLOAT first[2][2] = {{1, 1}, {1, 1}};
  static const FLOAT bias[4][2] = {{0, -1}, {0, -1}, {0, -1}, {0, -1}};
  // What DirectML binds, by the graph's inputs.
  const void *inputs[] = {bits, first, bias};

  DmlModel model = createModel();
  DmlError error = nullptr;
  // Weights are bound once, in the place of the operator initializer; the other
  // inputs are those of each run.
  DmlNamedBytes weights[3];
  DmlSessionCreateInfo info = {};
  info.model = model;
  info.weights = weights;
  DmlSessionTensor tensors[3] = {};
  uint32_t tensorCount = 0;
  for (uint32_t i = 0; i < 3; ++i) {
    DmlBindPoint point = {};
    check(dmlGetInputBindPoint(model, i, &point, &error), error);
    if (point.kind == DML_BIND_POINT_KIND_WEIGHT)
      weights[info.weightCount++] = {point.name, inputs[i], point.byteSize};
    if (point.kind != DML_BIND_POINT_KIND_RUN)
      continue;
    DmlSessionTensor &tensor = tensors[tensorCount++];
    tensor.dataType = point.dataType;
    tensor.rank = point.rank;
    for (uint32_t dim = 0; dim < point.rank; ++dim)
      tensor.sizes[dim] = point.sizes[dim];
    tensor.data = const_cast<void *>(inputs[i]);
    tensor.byteSize = point.byteSize;
  }

  DmlSession session = nullptr;
  check(dmlCreateSession(&info, &session, &error), error);
  FLOAT either[4];
  DmlSessionTensor output = {};
  output.data = either;
  output.byteSize = sizeof(either);
  check(dmlRunSession(session, tensors, tensorCount, &output, 1, &error),
        error);
  for (int row = 0; row < 4; ++row)
    std::printf("%.0f xor %.0f = %.0f\n", bits[row][0], bits[row][1],
                either[row]);
  dmlDestroySession(session);
  dmlDestroyModel(model);
  return 0;
}
