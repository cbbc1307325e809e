//===- graph.cpp - Build a network node by node ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Builds a perceptron of two layers in memory, without a file, and prints what
// it says of four pairs of bits. Its weights were chosen by hand: the hidden
// numbers are relu(a + b) and relu(a + b - 1), and the output is the first less
// twice the second, which is the exclusive or.
//
//===----------------------------------------------------------------------===//

#include <dml/session.hpp>

#include <cstdio>
#include <cstring>

/// The weights of the second layer. They stand for weights that a program reads
/// from wherever it has them: of large ones, a function is asked for pieces.
static dml::Weight readWeights() {
  dml::Weight weight;
  weight.name = "second";
  weight.elementType = DML_ELEMENT_TYPE_FLOAT;
  weight.sizes = {2, 1};
  weight.byteSize = 2 * sizeof(float);
  weight.read = [](uint64_t offset, size_t size, void *destination) {
    static const float elements[] = {1, -2};
    std::memcpy(destination, reinterpret_cast<const char *>(elements) + offset,
                size);
  };
  return weight;
}

static dml::Model buildModel() {
  dml::Model model({{"", 17}}, "exclusive or");
  model.input("bits", DML_ELEMENT_TYPE_FLOAT, {"rows", 2});
  model.weight("first", {2, 2}, std::vector<float>{1, 1, 1, 1});
  model.weight("bias", {2}, std::vector<float>{0, -1});
  model.weight(readWeights());
  model.node("Gemm", {"bits", "first", "bias"}, {"sums"}, {{"alpha", 1.0f}});
  model.node("Relu", {"sums"}, {"hidden"});
  model.node("MatMul", {"hidden", "second"}, {"either"});
  model.output("either", DML_ELEMENT_TYPE_FLOAT, {"rows", 1});
  return model;
}

int main() {
  try {
    dml::Session session(buildModel());
    std::vector<float> bits{0, 0, 0, 1, 1, 0, 1, 1};
    auto results = session.run({{"bits", {4, 2}, bits}});
    std::vector<float> either = results[0].copy<float>();
    for (size_t row = 0; row < 4; ++row)
      std::printf("%.0f xor %.0f = %.0f\n", bits[2 * row], bits[2 * row + 1],
                  either[row]);
  } catch (const dml::Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
