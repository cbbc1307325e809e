//===- Graph.h - A graph of ONNX Runtime ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_LIB_PROVIDER_GRAPH_H
#define DML_LIB_PROVIDER_GRAPH_H

#include "Api.h"
#include "Partitions.h"
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dml::provider {

/// A value of a graph, by its place in Graph::values. Absent inputs and outputs
/// of nodes are `noValue`.
using ValueIndex = uint32_t;
constexpr ValueIndex noValue = UINT32_MAX;

/// The elements of a constant: those that ONNX Runtime has in memory, or their
/// place in a file.
struct WeightPlace {
  const void *data = nullptr;
  uint64_t byteSize = 0;
  /// The file, or "" if there is none.
  std::string path;
  uint64_t offset = 0;
};

struct Value {
  std::string name;
  /// Whether the value is a tensor of a type that dml::Model knows. Other
  /// values are sequences, strings and the like.
  bool isTensor = false;
  DmlElementType type = DML_ELEMENT_TYPE_UNDEFINED;
  bool hasShape = false;
  /// The sizes, with -1 for an open size, and the names of open sizes.
  std::vector<int64_t> sizes;
  std::vector<std::string> symbols;
  /// The elements of a constant of the model.
  std::optional<WeightPlace> weight;
};

struct NodeAttribute {
  std::string name;
  OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
  int64_t integer = 0;
  float number = 0;
  std::string text;
  std::vector<int64_t> integers;
  std::vector<float> numbers;
  std::vector<std::string> texts;
  /// A tensor: its type, its sizes and a copy of its elements.
  Value tensor;
  std::string elements;
};

struct Graph;

/// A graph within a node, such as the body of a Loop. It reads values of the
/// graphs around it by their names.
struct InnerGraph {
  std::string attribute;
  std::shared_ptr<Graph> graph;
};

struct Node {
  const OrtNode *handle = nullptr;
  /// The name, which no other node of the graph has.
  std::string name;
  std::string type, domain;
  std::vector<ValueIndex> inputs, outputs;
  /// The values that graphs within the node read.
  std::vector<ValueIndex> implicitInputs;
  std::vector<NodeAttribute> attributes;
  std::vector<InnerGraph> graphs;
  /// The work of the graphs: of one iteration, or of the larger branch.
  Work innerWork;
  /// Why the node stays with ONNX Runtime whatever dml says of it, or "".
  std::string problem;
};

/// A copy of what ONNX Runtime says of a graph; weights remain where they are.
struct Graph {
  std::string name;
  /// The folder of the model's file, with a slash at its end, or "".
  std::string folder;
  std::map<std::string, int64_t> operatorSets;
  std::vector<Value> values;
  /// The nodes, in an order in which each reads what stands before it.
  std::vector<Node> nodes;
  std::vector<ValueIndex> inputs, outputs;
  /// The nodes that compute a value and that read it.
  std::vector<std::optional<uint32_t>> producers;
  std::vector<std::vector<uint32_t>> readers;
  std::vector<bool> isOutput;
};

/// Reads a graph. `handle` must exist as long as the result.
Graph readGraph(const OrtGraph *handle);

/// Reads the node around a graph, as the only node of a graph, or nothing where
/// `handle` is the graph of a model.
std::optional<Graph> readNodeAround(const OrtGraph *handle);

/// Returns the number of bytes of the elements of a tensor with fixed sizes.
uint64_t countBytes(const Value &value);

/// Returns the number of bytes of an element of a type, in eighths: 4 for int4.
uint64_t getBits(DmlElementType type);

} // namespace dml::provider

#endif // DML_LIB_PROVIDER_GRAPH_H
