//===- Speeds.cpp - How fast the CPU and a device are ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Speeds.h"
#include "CpuSession.h"
#include "Dump.h"
#include "Vulkan.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

using namespace dml;
using namespace dml::provider;

double provider::roundSpeed(double speed) {
  if (!(speed > 0) || !std::isfinite(speed))
    return speed;
  double power = std::pow(10, std::floor(std::log10(speed)));
  double best = power;
  for (double step : {2.0, 5.0, 10.0})
    if (std::abs(std::log(step * power / speed)) <
        std::abs(std::log(best / speed)))
      best = step * power;
  return best;
}

/// The median of the seconds of `count` calls, behind one that does not count.
template <typename Fn> static double measure(unsigned count, Fn &&function) {
  std::vector<double> seconds;
  for (unsigned i = 0; i <= count; ++i) {
    auto begin = std::chrono::steady_clock::now();
    function();
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - begin;
    if (i != 0)
      seconds.push_back(taken.count());
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

//===----------------------------------------------------------------------===//
// The CPU
//===----------------------------------------------------------------------===//

/// The seconds of a run of `nodes` nodes, one behind the other, each of which
/// reads the result of the one before, and `operands` - 1 times the input.
static double measureNodes(const std::string &type, unsigned operands,
                           unsigned nodes, const std::vector<int64_t> &sizes) {
  Graph graph;
  graph.operatorSets[""] = 17;
  size_t count = 1;
  for (int64_t size : sizes)
    count *= static_cast<size_t>(size);
  for (ValueIndex i = 0; i <= nodes; ++i) {
    Value &value = graph.values.emplace_back();
    value.name = "v" + std::to_string(i);
    value.isTensor = value.hasShape = true;
    value.type = DML_ELEMENT_TYPE_FLOAT;
    value.sizes = sizes;
    value.symbols.resize(sizes.size());
    if (i == 0)
      continue;
    Node &node = graph.nodes.emplace_back();
    node.type = type;
    node.name = value.name;
    node.inputs.assign(operands, 0);
    node.inputs[0] = i - 1;
    node.outputs = {i};
  }
  Part part;
  for (uint32_t i = 0; i < nodes; ++i)
    part.nodes.push_back(i);
  part.inputs = {0};
  part.outputs = {nodes};
  CpuSession session(encodePart(graph, part, UINT64_MAX));
  std::vector<float> elements(count, 1.0f);
  Owned<OrtValue> input =
      session.makeTensor(elements.data(), count * sizeof(float), sizes,
                         ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  return measure(3, [&] {
    session.run({graph.values.front().name}, {input.get()},
                {graph.values.back().name});
  });
}

static Speeds measureCpu() {
  // Of nodes whose work is next to nothing, of a product of matrices, and of an
  // addition that reads two tensors and writes one.
  constexpr unsigned nodes = 64;
  constexpr int64_t size = 256, length = 1 << 22;
  Speeds speeds;
  double one = measureNodes("Sqrt", 1, 1, {1});
  double many = measureNodes("Sqrt", 1, nodes + 1, {1});
  speeds.cpuSecondsPerNode = roundSpeed(std::max((many - one) / nodes, 1e-8));
  speeds.cpuOperationsPerSecond = roundSpeed(
      2.0 * size * size * size / measureNodes("MatMul", 2, 1, {size, size}));
  speeds.cpuBytesPerSecond = roundSpeed(3.0 * length * sizeof(float) /
                                        measureNodes("Add", 2, 1, {length}));
  return speeds;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

static void measureDevice(DmlDevice device, Speeds &speeds) {
  constexpr size_t bytes = 4 << 20;
  Vulkan vulkan(device);
  dml::Buffer from = dml::Buffer::create(device, bytes),
              to = dml::Buffer::create(device, 256);
  speeds.secondsPerSubmission = roundSpeed(measure(9, [&] {
    vulkan.copy(to.info().buffer, 0, from.info().buffer, 0, 256);
  }));
  std::vector<char> host(bytes);
  double seconds = measure(3, [&] {
    dml::detail::check(dmlWriteBuffer, from.get(), uint64_t(0),
                       static_cast<const void *>(host.data()), bytes);
    dml::detail::check(dmlReadBuffer, from.get(), uint64_t(0),
                       static_cast<void *>(host.data()), bytes);
  });
  speeds.copiedBytesPerSecond = roundSpeed(2.0 * bytes / seconds);
}

static void logSpeeds(const Speeds &speeds, const Log &log) {
  char text[320];
  std::snprintf(text, sizeof(text),
                "the CPU takes %g us for a node, and 1 s for %g operations or "
                "%g bytes; the device takes %g us for a submission, and 1 s "
                "for a copy of %g bytes",
                speeds.cpuSecondsPerNode * 1e6, speeds.cpuOperationsPerSecond,
                speeds.cpuBytesPerSecond, speeds.secondsPerSubmission * 1e6,
                speeds.copiedBytesPerSecond);
  log.info(text);
}

Speeds MeasuredSpeeds::get(const std::shared_ptr<DmlDeviceImpl> &device,
                           const Log &log) {
  DmlDeviceInfo info{};
  dmlGetDeviceProperties(device.get(), &info);
  std::string selector = getSelector(info);
  std::lock_guard<std::mutex> lock(mutex);
  auto known = devices.find(selector);
  if (known != devices.end()) {
    logSpeeds(known->second, log);
    return known->second;
  }
  try {
    if (!cpu)
      cpu = measureCpu();
    Speeds speeds = *cpu;
    measureDevice(device.get(), speeds);
    devices[selector] = speeds;
    logSpeeds(speeds, log);
    return speeds;
  } catch (const std::exception &error) {
    log.warn(std::string("speeds cannot be measured: ") + error.what());
    return cpu.value_or(Speeds());
  }
}
