/*===- structures.h - Some structures of DirectML -------------------------===*\
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * What directml.cpp uses of DirectML's interface, for machines without
 * Microsoft's DirectML.h: the same names, values and order of members.
 *
\*===----------------------------------------------------------------------===*/

#ifndef DML_EXAMPLES_DIRECTML_STRUCTURES_H
#define DML_EXAMPLES_DIRECTML_STRUCTURES_H

#include <cstddef>
#include <cstdint>

using UINT = uint32_t;
using UINT64 = uint64_t;
using SIZE_T = size_t;
using FLOAT = float;

enum DML_TENSOR_DATA_TYPE : UINT { DML_TENSOR_DATA_TYPE_FLOAT32 = 1 };
enum DML_TENSOR_TYPE : UINT { DML_TENSOR_TYPE_BUFFER = 1 };
enum DML_TENSOR_FLAGS : UINT {
  DML_TENSOR_FLAG_NONE = 0,
  DML_TENSOR_FLAG_OWNED_BY_DML = 1
};
enum DML_MATRIX_TRANSFORM : UINT { DML_MATRIX_TRANSFORM_NONE = 0 };
enum DML_OPERATOR_TYPE : UINT {
  DML_OPERATOR_ACTIVATION_RELU = 44,
  DML_OPERATOR_GEMM = 54
};
enum DML_GRAPH_NODE_TYPE : UINT {
  DML_GRAPH_NODE_TYPE_OPERATOR = 1,
  DML_GRAPH_NODE_TYPE_CONSTANT = 2
};
enum DML_GRAPH_EDGE_TYPE : UINT {
  DML_GRAPH_EDGE_TYPE_INPUT = 1,
  DML_GRAPH_EDGE_TYPE_OUTPUT = 2,
  DML_GRAPH_EDGE_TYPE_INTERMEDIATE = 3
};

struct DML_BUFFER_TENSOR_DESC {
  DML_TENSOR_DATA_TYPE DataType;
  DML_TENSOR_FLAGS Flags;
  UINT DimensionCount;
  const UINT *Sizes;
  const UINT *Strides;
  UINT64 TotalTensorSizeInBytes;
  UINT GuaranteedBaseOffsetAlignment;
};
struct DML_TENSOR_DESC {
  DML_TENSOR_TYPE Type;
  const void *Desc;
};
struct DML_OPERATOR_DESC {
  DML_OPERATOR_TYPE Type;
  const void *Desc;
};
struct DML_ACTIVATION_RELU_OPERATOR_DESC {
  const DML_TENSOR_DESC *InputTensor;
  const DML_TENSOR_DESC *OutputTensor;
};
struct DML_GEMM_OPERATOR_DESC {
  const DML_TENSOR_DESC *ATensor;
  const DML_TENSOR_DESC *BTensor;
  const DML_TENSOR_DESC *CTensor;
  const DML_TENSOR_DESC *OutputTensor;
  DML_MATRIX_TRANSFORM TransA;
  DML_MATRIX_TRANSFORM TransB;
  FLOAT Alpha;
  FLOAT Beta;
  const DML_OPERATOR_DESC *FusedActivation;
};

struct IDMLOperator;
struct DML_OPERATOR_GRAPH_NODE_DESC {
  IDMLOperator *Operator;
  const char *Name;
};
struct DML_CONSTANT_DATA_GRAPH_NODE_DESC {
  const void *Data;
  SIZE_T DataSize;
  const char *Name;
};
struct DML_GRAPH_NODE_DESC {
  DML_GRAPH_NODE_TYPE Type;
  const void *Desc;
};
struct DML_INPUT_GRAPH_EDGE_DESC {
  UINT GraphInputIndex;
  UINT ToNodeIndex;
  UINT ToNodeInputIndex;
  const char *Name;
};
struct DML_OUTPUT_GRAPH_EDGE_DESC {
  UINT FromNodeIndex;
  UINT FromNodeOutputIndex;
  UINT GraphOutputIndex;
  const char *Name;
};
struct DML_INTERMEDIATE_GRAPH_EDGE_DESC {
  UINT FromNodeIndex;
  UINT FromNodeOutputIndex;
  UINT ToNodeIndex;
  UINT ToNodeInputIndex;
  const char *Name;
};
struct DML_GRAPH_EDGE_DESC {
  DML_GRAPH_EDGE_TYPE Type;
  const void *Desc;
};
struct DML_GRAPH_DESC {
  UINT InputCount;
  UINT OutputCount;
  UINT NodeCount;
  const DML_GRAPH_NODE_DESC *Nodes;
  UINT InputEdgeCount;
  const DML_GRAPH_EDGE_DESC *InputEdges;
  UINT OutputEdgeCount;
  const DML_GRAPH_EDGE_DESC *OutputEdges;
  UINT IntermediateEdgeCount;
  const DML_GRAPH_EDGE_DESC *IntermediateEdges;
};
static_assert(sizeof(DML_BUFFER_TENSOR_DESC) == 48);
static_assert(sizeof(DML_GEMM_OPERATOR_DESC) == 56);
static_assert(sizeof(DML_GRAPH_DESC) == 72);

#endif // DML_EXAMPLES_DIRECTML_STRUCTURES_H
