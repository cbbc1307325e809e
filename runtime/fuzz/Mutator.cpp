//===- Mutator.cpp - Executables that are almost right --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"

#include "SPIRVMutator.h"
#include "TestExecutables.h"

#include <algorithm>
#include <cstring>

using namespace dml::fuzz;
using namespace dml::executable;

namespace {

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

template <typename T> void changeNumber(T &number, Random &random) {
  number = static_cast<T>(random.number(static_cast<uint64_t>(number)));
}

void changeExtent(std::unique_ptr<Extent3D> &extent, Random &random) {
  uint32_t sizes[] = {extent->x(), extent->y(), extent->z()};
  changeNumber(sizes[random.below(3)], random);
  *extent = Extent3D(sizes[0], sizes[1], sizes[2]);
}

void changeString(std::string &text, Random &random) {
  switch (random.below(4)) {
  case 0:
    text.clear();
    return;
  case 1:
    text.push_back(static_cast<char>(random.next()));
    return;
  case 2:
    text = std::string(random.below(300), 'x');
    return;
  default:
    if (!text.empty())
      random.pick(text) = static_cast<char>(random.next());
  }
}

/// Takes away, doubles or exchanges elements, or changes one by `change`.
template <typename T, typename Change>
void changeVector(std::vector<T> &vector, Random &random, Change change) {
  if (vector.empty())
    return;
  size_t i = random.below(vector.size());
  switch (random.below(8)) {
  case 0:
    vector.erase(vector.begin() + i);
    return;
  case 1:
    std::swap(vector[i], random.pick(vector));
    return;
  default:
    change(vector[i]);
  }
}

/// Adds a copy of a table.
template <typename T>
void doubleOne(std::vector<std::unique_ptr<T>> &tables, Random &random) {
  if (!tables.empty() && tables.size() < 64)
    tables.push_back(std::make_unique<T>(*random.pick(tables)));
}

void changeRange(BufferRange &range, Random &random) {
  auto kind = static_cast<uint8_t>(range.kind());
  uint32_t index = range.index();
  uint64_t offset = range.offset(), size = range.size();
  switch (random.below(5)) {
  case 0:
    kind = static_cast<uint8_t>(random.below(5));
    break;
  case 1:
    changeNumber(index, random);
    break;
  case 2:
    changeNumber(offset, random);
    break;
  case 3:
    offset = random.below(8) * 256;
    break;
  default:
    changeNumber(size, random);
  }
  range = BufferRange(static_cast<BufferKind>(kind), index, offset, size);
}

void changeTensor(TensorT &tensor, Random &random) {
  switch (random.below(7)) {
  case 0:
    return changeString(tensor.name, random);
  case 1:
    tensor.data_type = static_cast<DataType>(random.below(16));
    return;
  case 2:
    if (random.oneIn(2))
      tensor.sizes.push_back(static_cast<uint32_t>(random.number(1)));
    return changeVector(tensor.sizes, random,
                        [&](uint32_t &size) { changeNumber(size, random); });
  case 3:
    return changeNumber(tensor.buffer_size, random);
  case 4:
    if (tensor.strides.empty())
      tensor.strides.assign(tensor.sizes.size(), 1);
    return changeVector(tensor.strides, random, [&](uint32_t &stride) {
      changeNumber(stride, random);
    });
  case 5:
    return changeNumber(tensor.total_size, random);
  default:
    // Sizes that agree with each other.
    if (!tensor.sizes.empty())
      std::swap(random.pick(tensor.sizes), random.pick(tensor.sizes));
  }
}

void changeStep(StepT &step, Random &random) {
  if (DispatchT *dispatch = step.operation.AsDispatch();
      dispatch && !random.oneIn(8)) {
    switch (random.below(4)) {
    case 0:
      return changeNumber(dispatch->kernel, random);
    case 1:
      return changeExtent(dispatch->workgroup_count, random);
    default:
      if (random.oneIn(8) && !dispatch->bindings.empty())
        dispatch->bindings.push_back(random.pick(dispatch->bindings));
      return changeVector(dispatch->bindings, random, [&](BufferRange &range) {
        changeRange(range, random);
      });
    }
  }
  if (CopyT *copy = step.operation.AsCopy(); copy && !random.oneIn(8))
    return changeRange(random.oneIn(2) ? *copy->source : *copy->destination,
                       random);
  switch (random.below(4)) {
  case 0:
    step.barrier = !step.barrier;
    return;
  case 1:
    return changeString(step.label, random);
  default:
    if (step.advances.empty() || random.oneIn(8))
      step.advances.emplace_back(static_cast<uint32_t>(random.below(3)), 0,
                                 256);
    return changeVector(step.advances, random, [&](Advance &advance) {
      uint32_t range = advance.range(), period = advance.period();
      auto stride = static_cast<uint64_t>(advance.stride());
      switch (random.below(3)) {
      case 0:
        changeNumber(range, random);
        break;
      case 1:
        changeNumber(period, random);
        break;
      default:
        changeNumber(stride, random);
      }
      advance = Advance(range, period, static_cast<int64_t>(stride));
    });
  }
}

void changeLoops(std::vector<Loop> &loops, Random &random) {
  if (loops.empty() || random.oneIn(8))
    loops.emplace_back(0, 1, 2);
  changeVector(loops, random, [&](Loop &loop) {
    uint32_t first = loop.first_step(), steps = loop.step_count(),
             count = loop.count();
    switch (random.below(3)) {
    case 0:
      changeNumber(first, random);
      break;
    case 1:
      changeNumber(steps, random);
      break;
    default:
      changeNumber(count, random);
    }
    loop = Loop(first, steps, count);
  });
}

void changeRequirements(RequirementsT &requirements, Random &random) {
  switch (random.below(8)) {
  case 0:
    return changeNumber(requirements.vulkan_api_version, random);
  case 1:
    requirements.features.push_back(static_cast<Feature>(random.below(10)));
    return;
  case 2:
    return changeNumber(requirements.max_storage_buffer_range, random);
  case 3:
    return changeNumber(requirements.max_compute_workgroup_invocations, random);
  case 4:
    return changeExtent(requirements.max_compute_workgroup_size, random);
  case 5:
    return changeExtent(requirements.max_compute_workgroup_count, random);
  case 6:
    return changeNumber(requirements.max_compute_shared_memory_size, random);
  default:
    return changeNumber(requirements.max_per_stage_descriptor_storage_buffers,
                        random);
  }
}

void changeSteps(std::vector<std::unique_ptr<StepT>> &steps, Random &random) {
  if (random.oneIn(8))
    return doubleOne(steps, random);
  changeVector(steps, random, [&](std::unique_ptr<StepT> &step) {
    changeStep(*step, random);
  });
}

void changeVariant(VariantT &variant, Random &random) {
  switch (random.below(5)) {
  case 0:
    return changeNumber(variant.temporary_size, random);
  case 1:
    return changeRequirements(*variant.requirements, random);
  case 2:
    return changeLoops(variant.loops, random);
  default:
    return changeSteps(variant.steps, random);
  }
}

void changeFunction(FunctionT &function, Random &random) {
  switch (random.below(9)) {
  case 0:
    return changeString(function.name, random);
  case 1:
    return changeNumber(function.temporary_size, random);
  case 2:
    return changeNumber(function.feature_level, random);
  case 8:
    return changeLoops(function.loops, random);
  case 3:
  case 4: {
    auto &tensors = random.oneIn(2) ? function.inputs : function.outputs;
    if (random.oneIn(8))
      return doubleOne(tensors, random);
    return changeVector(tensors, random, [&](std::unique_ptr<TensorT> &tensor) {
      changeTensor(*tensor, random);
    });
  }
  default:
    // A variant, where there is one, changes as often as the function itself.
    if (!function.variants.empty() && random.oneIn(2)) {
      if (random.oneIn(8))
        return doubleOne(function.variants, random);
      return changeVector(function.variants, random,
                          [&](std::unique_ptr<VariantT> &variant) {
                            changeVariant(*variant, random);
                          });
    }
    return changeSteps(function.steps, random);
  }
}

void changeKernel(KernelT &kernel, Random &random) {
  switch (random.below(5)) {
  case 0:
    return changeNumber(kernel.shader_module, random);
  case 1:
    return changeString(kernel.entry_point, random);
  case 2:
    return changeExtent(kernel.workgroup_size, random);
  case 3:
    return changeNumber(kernel.shared_memory_size, random);
  default:
    return changeNumber(kernel.binding_count, random);
  }
}

/// Changes what executables with weights have.
void changeWeights(ExecutableObject &object, Random &random) {
  switch (random.below(4)) {
  case 0:
    return changeNumber(object.constant_size, random);
  case 1:
    return doubleOne(object.weights, random);
  case 2:
    return changeVector(object.weights, random,
                        [&](std::unique_ptr<WeightT> &weight) {
                          if (random.oneIn(2))
                            changeNumber(weight->offset, random);
                          else
                            changeTensor(*weight->tensor, random);
                        });
  default:
    if (object.initialization)
      changeFunction(*object.initialization, random);
  }
}

void changeField(ExecutableObject &object, Random &random) {
  if (object.constant_size != 0 && random.oneIn(3))
    return changeWeights(object, random);
  switch (random.below(10)) {
  case 0:
    return changeString(object.producer, random);
  case 1:
    if (random.oneIn(4))
      return changeNumber(object.version_minor, random);
    if (!object.constants.empty())
      object.constants.resize(random.below(object.constants.size()));
    return;
  case 2:
    return changeRequirements(*object.requirements, random);
  case 3:
    if (random.oneIn(4))
      return doubleOne(object.kernels, random);
    return changeVector(object.kernels, random,
                        [&](std::unique_ptr<KernelT> &kernel) {
                          changeKernel(*kernel, random);
                        });
  case 4:
    return random.oneIn(2) ? doubleOne(object.functions, random)
                           : doubleOne(object.shader_modules, random);
  default:
    return changeVector(object.functions, random,
                        [&](std::unique_ptr<FunctionT> &function) {
                          changeFunction(*function, random);
                        });
  }
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Writes an executable. If `shares` is set, an object may be in the file once
/// and be referred to from several places, which FlatBuffers' own writer never
/// does.
class Writer {
public:
  Writer(Random &random, bool shares) : random(random), shares(shares) {}

  Bytes write(const ExecutableObject &object) {
    auto requirements = Requirements::Pack(builder, object.requirements.get());
    auto modules =
        packAll<ShaderModule>(object.shader_modules, [&](const auto &module) {
          return CreateShaderModule(builder, string(module.name),
                                    numbers(module.code));
        });
    auto kernels = packAll<Kernel>(object.kernels, [&](const auto &kernel) {
      return CreateKernel(builder, kernel.shader_module,
                          string(kernel.entry_point),
                          kernel.workgroup_size.get(),
                          kernel.shared_memory_size, kernel.binding_count);
    });
    auto packFunction = [&](const FunctionT &function) {
      auto name = string(function.name);
      auto inputs = packTensors(function.inputs);
      auto outputs = packTensors(function.outputs);
      auto steps = packSteps(function.steps);
      auto variants =
          packAll<Variant>(function.variants, [&](const auto &variant) {
            auto needs =
                Requirements::Pack(builder, variant.requirements.get());
            return CreateVariant(builder, needs, variant.temporary_size,
                                 packSteps(variant.steps), 0,
                                 packLoops(variant.loops));
          });
      return CreateFunction(
          builder, name, inputs, outputs, function.temporary_size, steps,
          function.feature_level, variants, 0, 0, packLoops(function.loops));
    };
    auto functions = packAll<Function>(object.functions, packFunction);
    flatbuffers::Offset<Function> initialization = 0;
    if (object.initialization)
      initialization = packFunction(*object.initialization);
    auto weights = packAll<Weight>(object.weights, [&](const auto &weight) {
      return CreateWeight(builder, Tensor::Pack(builder, weight.tensor.get()),
                          weight.offset);
    });
    auto producer = builder.CreateString(object.producer);
    flatbuffers::Offset<flatbuffers::Vector<uint8_t>> constants = 0;
    if (!object.constants.empty()) {
      builder.ForceVectorAlignment(object.constants.size(), 1, 16);
      constants = builder.CreateVector(object.constants);
    }
    FinishExecutableBuffer(
        builder, CreateExecutable(
                     builder, object.version_major, object.version_minor,
                     producer, requirements, modules, kernels, constants,
                     functions, object.constant_size, weights, initialization));
    return {builder.GetBufferPointer(),
            builder.GetBufferPointer() + builder.GetSize()};
  }

private:
  /// Returns one that there is already, or a new one.
  template <typename T, typename Create>
  flatbuffers::Offset<T> share(std::vector<flatbuffers::Offset<T>> &known,
                               Create create) {
    if (shares && !known.empty() && random.oneIn(2))
      return random.pick(known);
    known.push_back(create());
    return known.back();
  }
  template <typename T, typename Object, typename Create>
  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<T>>>
  packAll(const std::vector<std::unique_ptr<Object>> &objects, Create create) {
    std::vector<flatbuffers::Offset<T>> known, all;
    for (const std::unique_ptr<Object> &object : objects) {
      // Rarely so many that to read them all would take too long.
      size_t times = shares && random.oneIn(32) ? 1 + random.below(2000) : 1;
      auto one = share<T>(known, [&] { return create(*object); });
      all.insert(all.end(), times, one);
    }
    return builder.CreateVector(all);
  }
  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<Step>>>
  packSteps(const std::vector<std::unique_ptr<StepT>> &steps) {
    return packAll<Step>(
        steps, [&](const StepT &step) { return Step::Pack(builder, &step); });
  }
  flatbuffers::Offset<flatbuffers::Vector<const Loop *>>
  packLoops(const std::vector<Loop> &loops) {
    return loops.empty() ? 0 : builder.CreateVectorOfStructs(loops);
  }
  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<Tensor>>>
  packTensors(const std::vector<std::unique_ptr<TensorT>> &tensors) {
    return packAll<Tensor>(tensors, [&](const TensorT &tensor) {
      auto name = string(tensor.name);
      auto sizes = numbers(tensor.sizes);
      auto strides = tensor.strides.empty() ? 0 : numbers(tensor.strides);
      return CreateTensor(builder, name, tensor.data_type, sizes,
                          tensor.buffer_size, strides, tensor.total_size);
    });
  }
  flatbuffers::Offset<flatbuffers::String> string(const std::string &text) {
    return share<flatbuffers::String>(
        strings, [&] { return builder.CreateString(text); });
  }
  flatbuffers::Offset<flatbuffers::Vector<uint32_t>>
  numbers(const std::vector<uint32_t> &values) {
    return share<flatbuffers::Vector<uint32_t>>(
        vectors, [&] { return builder.CreateVector(values); });
  }

  flatbuffers::FlatBufferBuilder builder;
  Random &random;
  bool shares;
  std::vector<flatbuffers::Offset<flatbuffers::String>> strings;
  std::vector<flatbuffers::Offset<flatbuffers::Vector<uint32_t>>> vectors;
};

void damageBytes(Bytes &bytes, Random &random) {
  if (bytes.empty())
    return;
  size_t at = random.below(bytes.size());
  auto word = [&](size_t where) {
    uint32_t value = 0;
    if (where + 4 <= bytes.size())
      std::memcpy(&value, &bytes[where], 4);
    return value;
  };
  auto store = [&](size_t where, uint32_t value) {
    if (where + 4 <= bytes.size())
      std::memcpy(&bytes[where], &value, 4);
  };
  switch (random.below(6)) {
  case 0:
    bytes.resize(at);
    return;
  case 1:
    bytes[at] = static_cast<uint8_t>(random.number(bytes[at]));
    return;
  case 2:
    bytes.resize(bytes.size() + random.below(64));
    return;
  case 3: {
    // An offset or a count: it leads somewhere else.
    at &= ~size_t(3);
    store(at, word(at) + 4 * static_cast<uint32_t>(random.below(64)) - 128);
    return;
  }
  case 4:
    store(at & ~size_t(3), word(random.below(bytes.size()) & ~size_t(3)));
    return;
  default:
    at &= ~size_t(3);
    store(at, static_cast<uint32_t>(random.number(word(at))));
  }
}

/// Keeps all lengths: a word becomes another of the file, or one like it.
void exchangeWord(Bytes &bytes, Random &random) {
  size_t count = bytes.size() / 4;
  if (count == 0)
    return;
  size_t at = 4 * random.below(count);
  // A word that stands near is as likely to be of the same kind.
  size_t near = 4 * random.below(std::min<size_t>(count, 64));
  size_t from =
      random.oneIn(2) ? 4 * random.below(count) : (at + near) % (4 * count);
  uint32_t word = 0;
  std::memcpy(&word, &bytes[from], 4);
  if (random.oneIn(4)) {
    std::memcpy(&word, &bytes[at], 4);
    word = static_cast<uint32_t>(random.number(word));
  }
  std::memcpy(&bytes[at], &word, 4);
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

/// A kernel of two buffers as an executable.
std::unique_ptr<ExecutableObject> wrap(Code code) {
  constexpr uint32_t kCount = 64, kShared = 32 << 10;
  static const std::unique_ptr<ExecutableObject> base =
      dml::test::makeArithmetic();
  auto object = std::make_unique<ExecutableObject>(*base);
  object->shader_modules.resize(1);
  object->shader_modules[0]->name = "drawn";
  object->shader_modules[0]->code = std::move(code);
  object->kernels.resize(1);
  *object->kernels[0]->workgroup_size = Extent3D(kCount, 1, 1);
  object->kernels[0]->binding_count = 2;
  object->kernels[0]->shared_memory_size = kShared;
  object->requirements->max_compute_shared_memory_size = kShared;
  object->constants.clear();
  object->functions.resize(1);
  FunctionT &function = *object->functions[0];
  function.inputs.resize(1);
  function.outputs.resize(1);
  function.steps.resize(1);
  function.temporary_size = 0;
  DispatchT &dispatch = *function.steps[0]->operation.AsDispatch();
  uint64_t size = function.inputs[0]->buffer_size;
  dispatch.bindings = {BufferRange(BufferKind::Input, 0, 0, size),
                       BufferRange(BufferKind::Output, 0, 0, size)};
  return object;
}

/// The features that are needed beside a capability.
void declareFeatures(ExecutableObject &object) {
  struct Row {
    uint32_t capability;
    Feature feature;
  };
  constexpr Row kRows[] = {
#define DML_FEATURE(NUMBER, NAME, ENUMERATOR, CONSTANT, CAPABILITY,            \
                    CAPABILITY_NAME, VERSION, IS_IN_FULL, STRUCTURE)           \
  {CAPABILITY, Feature::NAME},
#include "../schema/Features.def"
  };
  std::vector<Feature> &features = object.requirements->features;
  for (const auto &module : object.shader_modules) {
    const Code &code = module->code;
    for (size_t at = 5; at + 1 < code.size() && code[at] == (2 << 16 | 17);
         at += 2)
      for (const Row &row : kRows)
        if (row.capability == code[at + 1])
          features.push_back(row.feature);
  }
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
}

void mutateObject(ExecutableObject &object, Random &random, bool forDevice) {
  bool hasModules = !object.shader_modules.empty();
  if (hasModules && (forDevice || !random.oneIn(4))) {
    // Changes are few at a time: of many, one is refused.
    size_t count = 1 + random.below(random.oneIn(4) ? 12 : 3);
    Code &code = random.pick(object.shader_modules)->code;
    for (size_t i = 0; i < count; ++i)
      mutateModule(code, random);
    if (!random.oneIn(16))
      declareFeatures(object);
  }
  if (forDevice ? random.oneIn(16) : random.oneIn(2))
    for (size_t i = 1 + random.below(3); i > 0; --i)
      changeField(object, random);
}

/// The executable that the bytes are, or null where they are none.
std::unique_ptr<ExecutableObject> unpack(const Bytes &bytes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!VerifyExecutableBuffer(verifier))
    return nullptr;
  return UnPackExecutable(bytes.data());
}

Bytes finish(const ExecutableObject &object, Random &random, bool forDevice) {
  Bytes bytes = Writer(random, !forDevice && random.oneIn(16)).write(object);
  if (!forDevice && random.oneIn(32))
    for (size_t i = 1 + random.below(4); i > 0; --i)
      damageBytes(bytes, random);
  return bytes;
}

} // namespace

Mutator::Mutator() {
  seeds.push_back(dml::test::makeArithmetic());
  seeds.push_back(dml::test::makeTwice());
  seeds.push_back(dml::test::makeVariants());
  seeds.push_back(dml::test::makeWeights());
  seeds.push_back(dml::test::makeLoop(5));
  seeds.push_back(dml::test::makeCopies());
}

bool Mutator::addSeed(const Bytes &bytes) {
  std::unique_ptr<ExecutableObject> object = unpack(bytes);
  if (!object)
    return false;
  seeds.push_back(std::move(object));
  return true;
}

Bytes Mutator::makeCase(uint64_t seed, uint64_t index, bool forDevice) {
  if (forDevice)
    return makeFirst(seed, index, forDevice);
  uint64_t family = index / kFamily;
  if (last.empty() || lastSeed != seed || lastFamily != family) {
    last = makeFirst(seed, family, forDevice);
    lastSeed = seed;
    lastFamily = family;
  }
  if (index % kFamily == 0)
    return last;
  Random random(~seed, index);
  Bytes bytes = last;
  if (random.oneIn(8)) {
    damageBytes(bytes, random);
    return bytes;
  }
  for (size_t i = random.oneIn(4) ? random.below(4) : 0; i > 0; --i)
    exchangeWord(bytes, random);
  exchangeWord(bytes, random);
  return bytes;
}

Bytes Mutator::makeFirst(uint64_t seed, uint64_t index, bool forDevice) const {
  Random random(seed, index);
  // A new program is drawn as often as three of the files are chosen, and for a
  // device as often as all of the files.
  size_t which = random.below(seeds.size() + (forDevice ? seeds.size() : 3));
  std::unique_ptr<ExecutableObject> object;
  if (which < seeds.size()) {
    object = std::make_unique<ExecutableObject>(*seeds[which]);
  } else {
    object = wrap(drawModule(random));
    declareFeatures(*object);
  }
  if (which < seeds.size() || random.oneIn(2))
    mutateObject(*object, random, forDevice);
  return finish(*object, random, forDevice);
}

Bytes Mutator::mutate(const Bytes &bytes, Random &random) {
  std::unique_ptr<ExecutableObject> object = unpack(bytes);
  if (!object) {
    Bytes damaged = bytes;
    damageBytes(damaged, random);
    return damaged;
  }
  mutateObject(*object, random, false);
  return finish(*object, random, false);
}
