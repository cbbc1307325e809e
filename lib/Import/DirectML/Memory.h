//===- Memory.h - DirectML's structures in memory ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The structures of DirectML.h that surround those of the operators, by their
// layout: a program fills Microsoft's, and the reader sees these. DirectML.h
// is for machines with pointers of 64 bits.
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_IMPORT_DIRECTML_MEMORY_H
#define DML_LIB_IMPORT_DIRECTML_MEMORY_H

#include <cstddef>
#include <cstdint>

namespace dml::directml::memory {

/// DML_OPERATOR_DESC, DML_TENSOR_DESC, DML_GRAPH_NODE_DESC and
/// DML_GRAPH_EDGE_DESC: a kind, and the structure that belongs to it.
struct Typed {
  uint32_t type;
  const void *desc;
};
static_assert(offsetof(Typed, desc) == 8 && sizeof(Typed) == 16);

/// DML_BUFFER_TENSOR_DESC.
struct BufferTensor {
  uint32_t dataType;
  uint32_t flags;
  uint32_t dimensionCount;
  const uint32_t *sizes;
  const uint32_t *strides;
  uint64_t totalTensorSizeInBytes;
  uint32_t guaranteedBaseOffsetAlignment;
};
static_assert(offsetof(BufferTensor, sizes) == 16 &&
              offsetof(BufferTensor, totalTensorSizeInBytes) == 32 &&
              sizeof(BufferTensor) == 48);

/// DML_SCALE_BIAS.
struct ScaleBias {
  float scale;
  float bias;
};
static_assert(sizeof(ScaleBias) == 8);

/// DML_SIZE_2D.
struct Size2D {
  uint32_t width;
  uint32_t height;
};
static_assert(sizeof(Size2D) == 8 && alignof(Size2D) == 4);

/// DML_SCALAR_UNION, by its bits.
struct Scalar {
  uint64_t bits;
};
static_assert(sizeof(Scalar) == 8 && alignof(Scalar) == 8);

/// DML_OPERATOR_GRAPH_NODE_DESC.
struct OperatorNode {
  const void *op;
  const char *name;
};
static_assert(sizeof(OperatorNode) == 16);

/// DML_CONSTANT_DATA_GRAPH_NODE_DESC.
struct ConstantNode {
  const void *data;
  uint64_t dataSize;
  const char *name;
};
static_assert(offsetof(ConstantNode, name) == 16 && sizeof(ConstantNode) == 24);

/// DML_INPUT_GRAPH_EDGE_DESC.
struct InputEdge {
  uint32_t graphInputIndex;
  uint32_t toNodeIndex;
  uint32_t toNodeInputIndex;
  const char *name;
};
static_assert(offsetof(InputEdge, name) == 16 && sizeof(InputEdge) == 24);

/// DML_OUTPUT_GRAPH_EDGE_DESC.
struct OutputEdge {
  uint32_t fromNodeIndex;
  uint32_t fromNodeOutputIndex;
  uint32_t graphOutputIndex;
  const char *name;
};
static_assert(offsetof(OutputEdge, name) == 16 && sizeof(OutputEdge) == 24);

/// DML_INTERMEDIATE_GRAPH_EDGE_DESC.
struct IntermediateEdge {
  uint32_t fromNodeIndex;
  uint32_t fromNodeOutputIndex;
  uint32_t toNodeIndex;
  uint32_t toNodeInputIndex;
  const char *name;
};
static_assert(offsetof(IntermediateEdge, name) == 16 &&
              sizeof(IntermediateEdge) == 24);

/// DML_GRAPH_DESC.
struct Graph {
  uint32_t inputCount;
  uint32_t outputCount;
  uint32_t nodeCount;
  const Typed *nodes;
  uint32_t inputEdgeCount;
  const Typed *inputEdges;
  uint32_t outputEdgeCount;
  const Typed *outputEdges;
  uint32_t intermediateEdgeCount;
  const Typed *intermediateEdges;
};
static_assert(offsetof(Graph, nodes) == 16 &&
              offsetof(Graph, inputEdges) == 32 &&
              offsetof(Graph, outputEdges) == 48 &&
              offsetof(Graph, intermediateEdges) == 64 && sizeof(Graph) == 72);

} // namespace dml::directml::memory

#endif // DML_LIB_IMPORT_DIRECTML_MEMORY_H
