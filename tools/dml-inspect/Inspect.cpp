//===- Inspect.cpp - What an executable holds -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Inspect.h"
#include "DevicePlan.h"
#include "support/HostTensor.h"
#include "support/Json.h"
#include "support/Limits.h"
#include "support/Plural.h"

#include <algorithm>
#include <map>
#include <sstream>

using namespace dml::tools;
using namespace dml::runtime;

namespace {

std::string describeExtent(const Extent &extent) {
  return join({extent[0], extent[1], extent[2]}, " x ");
}

std::string describeLevel(uint32_t level) {
  return std::to_string(level >> 12) + "_" + std::to_string(level >> 8 & 0xf);
}

std::string describeType(const Tensor &tensor) {
  return dml::tools::describeType(tensor.dataType, tensor.sizes);
}

std::string describeTensors(const std::vector<Tensor> &tensors) {
  std::string text;
  for (const Tensor &tensor : tensors)
    text += (text.empty() ? "%" : ", %") + tensor.name + ": " +
            describeType(tensor);
  return "(" + text + ")";
}

const char *nameBuffer(BufferKind kind) {
  switch (kind) {
  case BufferKind::Input:
    return "input";
  case BufferKind::Output:
    return "output";
  case BufferKind::Temporary:
    return "temporary";
  case BufferKind::Constant:
    return "constant";
  }
  return "";
}

bool isInitialization(const Executable &executable, const Function &function) {
  return executable.initialization &&
         &function == &executable.functions[*executable.initialization];
}

const Tensor *findTensor(const Function &function, const BufferRange &range) {
  if (range.kind == BufferKind::Input)
    return &function.inputs[range.index];
  if (range.kind == BufferKind::Output)
    return &function.outputs[range.index];
  return nullptr;
}

std::string describeRange(const Function &function, const BufferRange &range) {
  std::string text = nameBuffer(range.kind);
  if (const Tensor *tensor = findTensor(function, range))
    text += " %" + tensor->name;
  text += ", bytes " + std::to_string(range.offset) + " to " +
          std::to_string(range.offset + range.size);
  if (range.advances())
    text += ", by " + std::to_string(range.stride) + " each iteration";
  if (range.period != 0)
    text += ", anew after " + std::to_string(range.period);
  return text;
}

/// Limits that something is required of.
std::vector<Limit> listRequiredLimits(const Requirements &requirements) {
  std::vector<Limit> required;
  for (Limit &limit : listLimits(toLimits(requirements)))
    if (std::any_of(limit.values.begin(), limit.values.end(),
                    [](uint64_t value) { return value != 0; }))
      required.push_back(std::move(limit));
  return required;
}

void printRequirements(std::ostream &text, const Requirements &requirements,
                       const char *indent) {
  text << indent << "Vulkan " << describeVersion(requirements.apiVersion)
       << '\n';
  for (const auto &[name, isNeeded] : listFeatures(requirements.features))
    if (isNeeded)
      text << indent << name << '\n';
  for (const Limit &limit : listRequiredLimits(requirements))
    text << indent << limit.name << ' ' << join(limit.values, " x ") << '\n';
  for (const std::string &shape : listMatrixShapes(toLimits(requirements)))
    text << indent << "cooperative matrices " << shape << '\n';
}

void printStep(std::ostream &text, const Executable &executable,
               const Function &function, const Step &step, size_t index) {
  text << "  step " << index << (step.barrier ? ", after a barrier: " : ": ");
  bool isDispatch = step.kind == DML_STEP_KIND_DISPATCH;
  if (isDispatch)
    text << "kernel " << step.kernel << " '"
         << executable.kernels[step.kernel].entryPoint << "', "
         << describeExtent(step.workgroupCount) << " workgroups";
  else
    text << "copy";
  text << (step.label.empty() ? "" : ", of " + step.label) << '\n';
  for (size_t i = 0; i < step.ranges.size(); ++i) {
    text << "    ";
    if (isDispatch)
      text << "binding " << i << ": ";
    else
      text << (i == 0 ? "from " : "to ");
    text << describeRange(function, step.ranges[i]) << '\n';
  }
}

void printVariant(std::ostream &text, const Executable &executable,
                  const Function &function, const Variant &variant) {
  if (!variant.deviceProfile.empty())
    text << "  compiled for " << variant.deviceProfile << '\n';
  for (size_t i = 0; i < variant.steps.size(); ++i) {
    const Loop *loop = variant.findLoop(static_cast<uint32_t>(i));
    if (loop && loop->firstStep == i)
      text << "  loop of " << printCount(loop->count, "iteration") << ", steps "
           << i << " to " << i + loop->stepCount - 1 << '\n';
    printStep(text, executable, function, variant.steps[i], i);
  }
  text << "  temporary memory: " << printCount(variant.temporarySize, "byte")
       << '\n';
  for (const TemporaryRange &range : planMemory(variant)) {
    text << "    bytes " << range.offset << " to " << range.offset + range.size
         << ": ";
    if (range.firstStep == range.lastStep)
      text << "step " << range.firstStep << '\n';
    else
      text << "steps " << range.firstStep << " to " << range.lastStep << '\n';
  }
}

/// Brackets of JSON, with what separates their members.
class List {
public:
  List(std::ostream &json, const char *brackets, std::string indent)
      : json(json), brackets(brackets), indent(std::move(indent)) {
    json << brackets[0];
  }
  ~List() {
    if (!isEmpty)
      json << '\n' << indent;
    json << brackets[1];
  }
  List(const List &) = delete;
  List &operator=(const List &) = delete;

  /// Begins an element.
  std::ostream &add() {
    json << (isEmpty ? "\n" : ",\n") << indent << "  ";
    isEmpty = false;
    return json;
  }
  std::ostream &add(const char *key) { return add() << '"' << key << "\": "; }
  std::ostream &stream() { return json; }
  std::string inner() const { return indent + "  "; }

private:
  std::ostream &json;
  const char *brackets;
  std::string indent;
  bool isEmpty = true;
};

template <typename Numbers> std::string printNumbers(const Numbers &numbers) {
  return "[" + join({numbers.begin(), numbers.end()}, ", ") + "]";
}

void addTensor(List &object, const Tensor &tensor) {
  object.add("name") << quoteJson(tensor.name);
  object.add("dataType") << quoteJson(dmlGetDataTypeName(tensor.dataType));
  object.add("sizes") << printNumbers(tensor.sizes);
  object.add("byteSize") << tensor.byteSize;
  object.add("bufferSize") << tensor.bufferSize;
}

void addTensors(List &list, const char *key,
                const std::vector<Tensor> &tensors) {
  std::ostream &json = list.add(key);
  List array(json, "[]", list.inner());
  for (const Tensor &tensor : tensors) {
    array.add();
    List object(json, "{}", array.inner());
    addTensor(object, tensor);
  }
}

void addInPlace(List &list, const Function &function) {
  std::ostream &json = list.add("inPlace");
  List array(json, "[]", list.inner());
  for (size_t i = 0; i < function.inPlace.size(); ++i) {
    if (!function.inPlace[i])
      continue;
    array.add();
    List object(json, "{}", array.inner());
    object.add("output") << i;
    object.add("input") << *function.inPlace[i];
  }
}

void addStep(std::ostream &json, const std::string &indent,
             const Function &function, const Step &step) {
  List object(json, "{}", indent);
  bool isDispatch = step.kind == DML_STEP_KIND_DISPATCH;
  object.add("kind") << (isDispatch ? "\"dispatch\"" : "\"copy\"");
  object.add("label") << quoteJson(step.label);
  object.add("barrier") << (step.barrier ? "true" : "false");
  if (isDispatch) {
    object.add("kernel") << step.kernel;
    object.add("workgroupCount") << printNumbers(step.workgroupCount);
  }
  object.add(isDispatch ? "bindings" : "ranges");
  List array(json, "[]", object.inner());
  for (const BufferRange &range : step.ranges) {
    array.add();
    List inner(json, "{}", array.inner());
    inner.add("buffer") << quoteJson(nameBuffer(range.kind));
    if (findTensor(function, range))
      inner.add("index") << range.index;
    inner.add("offset") << range.offset;
    inner.add("size") << range.size;
    if (range.advances())
      inner.add("stride") << range.stride;
    if (range.period != 0)
      inner.add("period") << range.period;
  }
}

void addLoops(List &object, const Variant &variant) {
  std::ostream &json = object.add("loops");
  List array(json, "[]", object.inner());
  for (const Loop &loop : variant.loops) {
    array.add();
    List inner(json, "{}", array.inner());
    inner.add("firstStep") << loop.firstStep;
    inner.add("stepCount") << loop.stepCount;
    inner.add("count") << loop.count;
  }
}

void addRequirements(List &list, const Requirements &requirements) {
  list.add("requirements");
  List object(list.stream(), "{}", list.inner());
  object.add("apiVersion") << quoteJson(
      describeVersion(requirements.apiVersion));
  {
    object.add("features");
    List array(object.stream(), "[]", object.inner());
    for (const auto &[name, isNeeded] : listFeatures(requirements.features))
      if (isNeeded)
        array.add() << quoteJson(name);
  }
  {
    object.add("matrixShapes");
    List array(object.stream(), "[]", object.inner());
    for (const std::string &shape : listMatrixShapes(toLimits(requirements)))
      array.add() << quoteJson(shape);
  }
  object.add("limits");
  List inner(object.stream(), "{}", object.inner());
  for (const Limit &limit : listRequiredLimits(requirements))
    inner.add(limit.name) << (limit.values.size() > 1
                                  ? printNumbers(limit.values)
                                  : std::to_string(limit.values[0]));
}

void addVariant(List &object, const Function &function,
                const Variant &variant) {
  std::ostream &json = object.stream();
  if (!variant.deviceProfile.empty())
    object.add("deviceProfile") << quoteJson(variant.deviceProfile);
  object.add("temporarySize") << variant.temporarySize;
  {
    object.add("temporaryRanges");
    List array(json, "[]", object.inner());
    for (const TemporaryRange &range : planMemory(variant)) {
      array.add();
      List inner(json, "{}", array.inner());
      inner.add("offset") << range.offset;
      inner.add("size") << range.size;
      inner.add("firstStep") << range.firstStep;
      inner.add("lastStep") << range.lastStep;
    }
  }
  if (!variant.loops.empty())
    addLoops(object, variant);
  object.add("steps");
  List array(json, "[]", object.inner());
  for (const Step &step : variant.steps) {
    array.add();
    addStep(json, array.inner(), function, step);
  }
}

void addFunction(std::ostream &json, const std::string &indent,
                 const Function &function) {
  List object(json, "{}", indent);
  object.add("name") << quoteJson(function.name);
  object.add("featureLevel") << quoteJson(describeLevel(function.featureLevel));
  addTensors(object, "inputs", function.inputs);
  addTensors(object, "outputs", function.outputs);
  addInPlace(object, function);
  addVariant(object, function, function.variants.back());
  if (function.variants.size() == 1)
    return;
  // The variants stand as in the file: those before the function's own steps.
  object.add("variants");
  List array(json, "[]", object.inner());
  for (size_t i = 0; i + 1 < function.variants.size(); ++i) {
    array.add();
    List inner(json, "{}", array.inner());
    addRequirements(inner, function.variants[i].requirements);
    addVariant(inner, function, function.variants[i]);
  }
}

} // namespace

std::vector<TemporaryRange> dml::tools::planMemory(const Variant &variant) {
  std::map<std::pair<uint64_t, uint64_t>, TemporaryRange> ranges;
  for (size_t i = 0; i < variant.steps.size(); ++i)
    for (const BufferRange &range : variant.steps[i].ranges)
      if (range.kind == BufferKind::Temporary)
        ranges
            .insert({{range.begin, range.end},
                     {range.begin, range.end - range.begin, i, i}})
            .first->second.lastStep = i;
  std::vector<TemporaryRange> plan;
  for (const auto &[place, range] : ranges)
    plan.push_back(range);
  return plan;
}

std::string dml::tools::describeModule(const Executable &executable,
                                       size_t index) {
  const std::string &name = executable.shaderModules[index].name;
  return std::to_string(index) + (name.empty() ? "" : " '" + name + "'");
}

std::string dml::tools::nameShaderFile(const Executable &executable,
                                       size_t index) {
  std::string name = std::to_string(index);
  const std::string &given = executable.shaderModules[index].name;
  if (!given.empty())
    name += '-';
  // The name is one that a file may have everywhere, and no longer than fits.
  for (char c : given.substr(0, 100)) {
    bool isPlain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                   (c >= 'a' && c <= 'z') || c == '_';
    name += isPlain ? c : '_';
  }
  return name + ".spv";
}

std::string dml::tools::printText(const Executable &executable) {
  std::ostringstream text;
  text << "format " << executable.versionMajor << '.' << executable.versionMinor
       << ", written by "
       << (executable.producer.empty() ? "a program that it does not name"
                                       : executable.producer)
       << "\n\na device needs\n";
  printRequirements(text, executable.requirements, "  ");

  text << "\nshader modules\n";
  for (size_t i = 0; i < executable.shaderModules.size(); ++i)
    text << "  " << describeModule(executable, i) << ": "
         << printCount(executable.shaderModules[i].code.size() * 4, "byte")
         << '\n';
  text << "\nkernels\n";
  for (size_t i = 0; i < executable.kernels.size(); ++i) {
    const Kernel &kernel = executable.kernels[i];
    text << "  " << i << " '" << kernel.entryPoint << "': module "
         << describeModule(executable, kernel.shaderModule)
         << ", workgroups of " << describeExtent(kernel.workgroupSize) << ", "
         << printCount(kernel.bindingCount, "binding") << ", "
         << printCount(kernel.sharedMemorySize, "byte") << " shared\n";
  }
  text << "\nconstants: " << printCount(executable.constants.size(), "byte")
       << '\n';
  if (!executable.weights.empty()) {
    text << "\nweights, which the file lacks\n";
    for (const Weight &weight : executable.weights)
      text << "  %" << weight.tensor.name << ": "
           << dml::tools::describeType(weight.tensor.dataType,
                                       weight.tensor.sizes)
           << ", constant, bytes " << weight.offset << " to "
           << weight.offset + weight.tensor.bufferSize << '\n';
  }

  for (const Function &function : executable.functions) {
    if (isInitialization(executable, function))
      text << "\ninitialization\n";
    else
      text << "\nfunction " << function.name << describeTensors(function.inputs)
           << " -> " << describeTensors(function.outputs)
           << "\n  checked against feature level "
           << describeLevel(function.featureLevel) << '\n';
    for (size_t i = 0; i < function.outputs.size(); ++i)
      if (std::optional<uint32_t> input = function.inPlace[i])
        text << "  %" << function.outputs[i].name << " is in the place of %"
             << function.inputs[*input].name << '\n';
    size_t count = function.variants.size();
    for (size_t i = 0; i < count; ++i) {
      if (i + 1 < count) {
        text << "  variant " << i << ", for devices that have\n";
        printRequirements(text, function.variants[i].requirements, "    ");
      } else if (count > 1) {
        text << "  variant " << i << ", for all others\n";
      }
      printVariant(text, executable, function, function.variants[i]);
    }
  }
  return text.str();
}

std::string dml::tools::printJson(const Executable &executable) {
  std::ostringstream json;
  {
    List root(json, "{}", "");
    root.add("formatVersion") << '"' << executable.versionMajor << '.'
                              << executable.versionMinor << '"';
    root.add("producer") << quoteJson(executable.producer);
    addRequirements(root, executable.requirements);
    {
      root.add("shaderModules");
      List array(json, "[]", root.inner());
      for (size_t i = 0; i < executable.shaderModules.size(); ++i) {
        const ShaderModule &module = executable.shaderModules[i];
        array.add();
        List object(json, "{}", array.inner());
        object.add("name") << quoteJson(module.name);
        object.add("byteSize") << module.code.size() * 4;
        object.add("file") << quoteJson(nameShaderFile(executable, i));
      }
    }
    {
      root.add("kernels");
      List array(json, "[]", root.inner());
      for (const Kernel &kernel : executable.kernels) {
        array.add();
        List object(json, "{}", array.inner());
        object.add("entryPoint") << quoteJson(kernel.entryPoint);
        object.add("shaderModule") << kernel.shaderModule;
        object.add("workgroupSize") << printNumbers(kernel.workgroupSize);
        object.add("bindingCount") << kernel.bindingCount;
        object.add("sharedMemorySize") << kernel.sharedMemorySize;
      }
    }
    root.add("constantSize") << executable.constants.size();
    if (!executable.weights.empty()) {
      root.add("weights");
      List array(json, "[]", root.inner());
      for (const Weight &weight : executable.weights) {
        array.add();
        List object(json, "{}", array.inner());
        addTensor(object, weight.tensor);
        object.add("offset") << weight.offset;
      }
    }
    if (executable.initialization) {
      root.add("initialization");
      addFunction(json, root.inner(),
                  executable.functions[*executable.initialization]);
    }
    root.add("functions");
    List array(json, "[]", root.inner());
    for (uint32_t i = 0; i < executable.functionCount(); ++i) {
      array.add();
      addFunction(json, array.inner(), executable.functions[i]);
    }
  }
  json << '\n';
  return json.str();
}
