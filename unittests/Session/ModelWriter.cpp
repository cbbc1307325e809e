//===- ModelWriter.cpp - ONNX models for tests ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ModelWriter.h"

#include <protozero/pbf_writer.hpp>

using namespace dml::test;
using protozero::pbf_writer;

std::string ModelWriter::writeValue(const std::string &name, ElementType type,
                                    const std::vector<Dimension> &dimensions) {
  std::string value;
  pbf_writer writer(value);
  writer.add_string(1, name);
  // Empty messages are written too: a dimension without size and symbol.
  std::string shape, tensor, typeProto;
  for (const Dimension &dimension : dimensions) {
    std::string dim;
    pbf_writer dimWriter(dim);
    if (const int64_t *size = std::get_if<int64_t>(&dimension))
      dimWriter.add_int64(1, *size);
    else if (!std::get<std::string>(dimension).empty())
      dimWriter.add_string(2, std::get<std::string>(dimension));
    pbf_writer(shape).add_message(1, dim);
  }
  pbf_writer tensorWriter(tensor);
  tensorWriter.add_int32(1, type);
  tensorWriter.add_message(2, shape);
  pbf_writer(typeProto).add_message(1, tensor);
  writer.add_message(2, typeProto);
  return value;
}

void ModelWriter::addNode(const std::string &type,
                          const std::vector<std::string> &nodeInputs,
                          const std::vector<std::string> &nodeOutputs) {
  std::string node;
  pbf_writer writer(node);
  for (const std::string &input : nodeInputs)
    writer.add_string(1, input);
  for (const std::string &output : nodeOutputs)
    writer.add_string(2, output);
  writer.add_string(4, type);
  nodes.push_back(std::move(node));
}

void ModelWriter::addWeight(const std::string &name,
                            const std::vector<int64_t> &sizes,
                            const std::vector<float> &elements,
                            const std::string &file, uint64_t offset) {
  addWeight(name, Float, sizes,
            std::string(reinterpret_cast<const char *>(elements.data()),
                        elements.size() * sizeof(float)),
            file, offset);
}

void ModelWriter::addWeight(const std::string &name, ElementType type,
                            const std::vector<int64_t> &sizes,
                            const std::string &bytes, const std::string &file,
                            uint64_t offset) {
  std::string weight;
  pbf_writer writer(weight);
  for (int64_t size : sizes)
    writer.add_int64(1, size);
  writer.add_int32(2, type);
  writer.add_string(8, name);
  if (file.empty()) {
    writer.add_bytes(9, bytes);
  } else {
    auto addEntry = [&](const char *key, const std::string &value) {
      pbf_writer entry(writer, 13);
      entry.add_string(1, key);
      entry.add_string(2, value);
    };
    addEntry("location", file);
    addEntry("offset", std::to_string(offset));
    addEntry("length", std::to_string(bytes.size()));
    writer.add_enum(14, 1);
  }
  weights.push_back(std::move(weight));
}

std::string ModelWriter::write() const {
  std::string model;
  pbf_writer writer(model);
  writer.add_int64(1, 8);
  {
    pbf_writer graph(writer, 7);
    for (const std::string &node : nodes)
      graph.add_message(1, node);
    graph.add_string(2, "test");
    for (const std::string &weight : weights)
      graph.add_message(5, weight);
    for (const std::string &input : inputs)
      graph.add_message(11, input);
    for (const std::string &output : outputs)
      graph.add_message(12, output);
  }
  pbf_writer opset(writer, 8);
  opset.add_string(1, "");
  opset.add_int64(2, 17);
  opset.commit();
  return model;
}
