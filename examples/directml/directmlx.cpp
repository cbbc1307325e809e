//===- directmlx.cpp - A program of DirectMLX, ported ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Builds a graph by DirectMLX's expressions: a convolution with weights that
// DirectML owns and a fused ReLU, a mean, and a product with a constant. What
// differs from a program for Windows is who makes the IDMLDevice, and what runs
// the compiled graph.
//
//===----------------------------------------------------------------------===//

// Each of these headers needs those before it.
// clang-format off
#include <wsl/winadapter.h>
#include <wsl/wrladapter.h>
#include <directx/DirectML.h>
#include <dml/directml.hpp>
#include <DirectMLX.h>
// clang-format on

#include <cstdio>

using Microsoft::WRL::ComPtr;

static ComPtr<IDMLCompiledOperator> compileGraph(IDMLDevice *device) {
  dml::Graph graph(device);
  auto picture =
      dml::InputTensor(graph, 0, {DML_TENSOR_DATA_TYPE_FLOAT32, {1, 1, 4, 4}});
  auto filter = dml::InputTensor(graph, 1,
                                 {DML_TENSOR_DATA_TYPE_FLOAT32,
                                  DML_TENSOR_FLAG_OWNED_BY_DML,
                                  {2, 1, 2, 2}});
  auto edges = dml::ConvolutionBuilder(picture, filter)
                   .FusedActivation(dml::FusedActivation::Relu())
                   .Build();
  auto means = dml::Reduce(edges, DML_REDUCE_FUNCTION_AVERAGE, {2, 3});
  static const float hundred = 100;
  auto constant = dml::ConstantData(
      graph,
      dml::Span<const dml::Byte>(reinterpret_cast<const dml::Byte *>(&hundred),
                                 sizeof(hundred)),
      {DML_TENSOR_DATA_TYPE_FLOAT32, {1}});
  auto scaled =
      means * dml::Reinterpret(constant, dml::TensorDimensions{1, 2, 1, 1},
                               dml::TensorStrides{0, 0, 0, 0});
  return graph.Compile(DML_EXECUTION_FLAG_NONE, {scaled});
}

int main() {
  try {
    ComPtr<IDMLDevice1> device;
    device.Attach(dml::directml::createDevice([](const std::string &message) {
      std::fprintf(stderr, "error: %s\n", message.c_str());
    }));
    ComPtr<IDMLCompiledOperator> compiled = compileGraph(device.Get());
    // The filters find steps to the right, and downwards.
    const float filters[] = {-1, 1, -1, 1, -1, -1, 1, 1};
    const float picture[] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1};
    float means[2];
    dml::directml::Dispatch dispatch(dml::directml::getModel(compiled.Get()),
                                     {nullptr, filters});
    dispatch.run({picture, nullptr}, {means});
    std::printf("right %.2f, down %.2f\n", means[0], means[1]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
