//===- run.cpp - Run a dml executable from C++ ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A program without a Vulkan of its own: dml makes the device and the buffers.
//
//   dml-embed-cpp FILE.dmlx
//
// runs the executable's first function, its inputs filled with 0, 1, 2, ... in
// float (other types are filled with zeros), and prints the results' first
// elements.
//
//===----------------------------------------------------------------------===//

#include <dml/runtime.hpp>

#include <algorithm>
#include <cstdio>

static void run(const char *path) {
  // Once: a device, and the executable on it.
  dml::Instance instance = dml::Instance::create();
  dml::Device device = dml::Device::create(instance);
  dml::Executable executable = dml::Executable::open(path);
  dml::Program program = dml::Program::create(device, executable);
  std::printf("device: %s\n", device.info().name);

  // Once for each set of buffers: bind them to the function.
  const uint32_t function = 0;
  dml::BindingTable table = dml::BindingTable::create(program, function);
  std::vector<dml::Buffer> buffers;
  uint32_t place = 0;
  for (const DmlTensorInfo &tensor : executable.inputs(function)) {
    buffers.push_back(dml::Buffer::create(device, tensor.bufferSize));
    std::vector<float> elements(tensor.byteSize / sizeof(float));
    if (tensor.dataType == DML_DATA_TYPE_FLOAT32)
      for (size_t i = 0; i < elements.size(); ++i)
        elements[i] = static_cast<float>(i);
    buffers.back().write(dml::host(elements));
    table.bindInput(place++, buffers.back().range());
  }
  std::vector<DmlTensorInfo> outputs = executable.outputs(function);
  std::vector<dml::Buffer> results;
  for (const DmlTensorInfo &tensor : outputs) {
    results.push_back(dml::Buffer::create(device, tensor.bufferSize));
    table.bindOutput(static_cast<uint32_t>(results.size() - 1),
                     results.back().range());
  }

  // As often as wanted.
  table.submit();
  table.wait();

  for (size_t i = 0; i < results.size(); ++i) {
    std::printf("%s:", outputs[i].name);
    std::vector<float> elements(outputs[i].byteSize / sizeof(float));
    results[i].read(dml::host(elements));
    bool isFloat = outputs[i].dataType == DML_DATA_TYPE_FLOAT32;
    for (size_t j = 0; j < std::min<size_t>(elements.size(), 8); ++j)
      isFloat ? std::printf(" %g", elements[j])
              : std::printf(" (%s)", dmlGetDataTypeName(outputs[i].dataType));
    std::puts(elements.size() > 8 ? " ..." : "");
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fputs("usage: dml-embed-cpp FILE.dmlx\n", stderr);
    return 1;
  }
  try {
    run(argv[1]);
  } catch (const dml::Error &error) {
    std::fprintf(stderr, "dml-embed-cpp: error: %s\n", error.what());
    return 1;
  }
}
