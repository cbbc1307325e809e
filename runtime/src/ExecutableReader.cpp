//===- ExecutableReader.cpp - From untrusted bytes to an Executable -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// First structure (FlatBuffers' verifier), then meaning, from the outside in.
// Every message names the thing, the value found and the value wanted.
//
//===----------------------------------------------------------------------===//

#include "DataType.h"
#include "Executable.h"
#include "HostFile.h"
#include "SPIRVModule.h"

#include "executable_constants.h"
#include "executable_generated.h"
#include "executable_names.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>

using namespace dml::runtime;
namespace fb = dml::executable;

namespace {

constexpr uint16_t kVersionMajor = 1;
constexpr uint16_t kVersionMinor = 7;
using fb::kMaxLoopSteps;
using fb::kMaxRank;
using fb::kRangeAlignment;
using fb::kVectorSize;

/// The versions of the format that brought the features, in their order.
struct FeatureVersion {
  uint16_t minor;
  const char *name;
};
constexpr FeatureVersion kFeatureVersions[] = {
#define DML_FEATURE(NUMBER, NAME, ENUMERATOR, CONSTANT, CAPABILITY,            \
                    CAPABILITY_NAME, VERSION, IS_IN_FULL, STRUCTURE)           \
  {VERSION, "the feature " #NAME},
#include "Features.def"
};

template <typename... Ts> Status invalid(const Ts &...args) {
  return makeError(DML_ERROR_INVALID_EXECUTABLE, args...);
}

/// What a file that is no executable seems to be, and what makes an executable
/// of it, or "".
std::string describeOtherFile(View<uint8_t> bytes) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        std::min<size_t>(bytes.size(), 256));
  auto isTextual = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || (c >= '\t' && c <= '\r');
  };
  const char *kind = nullptr;
  // An ONNX model begins with its version, a small number, and another field.
  if (text[0] == 0x08 && text[1] > 0 && text[1] < 0x20 && text[2] != 0)
    kind = "an ONNX model";
  else if (text.substr(0, 4) == "ML\xEFR")
    kind = "a module of MLIR as bytecode";
  else if (std::all_of(text.begin(), text.end(), isTextual))
    kind = "text, as modules of MLIR and JSON models are";
  if (!kind)
    return "";
  return concat("; it seems to be ", kind,
                ", of which dml-compile makes an executable");
}

/// Follows the references from the root of a file that the verifier refuses to
/// the bytes that stand at the end of executables: constants and code. Reads
/// nothing outside of the file.
class EndFinder {
public:
  explicit EndFinder(View<uint8_t> bytes) : bytes(bytes) {}

  /// Returns where what the file refers to ends.
  uint64_t find() {
    std::optional<uint64_t> root = follow(0);
    if (!root)
      return end;
    if (auto constants = findField(*root, fb::Executable::VT_CONSTANTS))
      findVectorEnd(*constants, 1);
    std::optional<uint64_t> modules =
        findField(*root, fb::Executable::VT_SHADER_MODULES);
    std::optional<uint32_t> count = modules ? read<uint32_t>(*modules) : 0;
    for (uint32_t i = 0; i < count.value_or(0); ++i) {
      std::optional<uint64_t> module = follow(*modules + 4 + 4 * uint64_t(i));
      // References that are missing stand for all behind them.
      if (!module)
        break;
      if (auto code = findField(*module, fb::ShaderModule::VT_CODE))
        findVectorEnd(*code, 4);
    }
    return end;
  }

private:
  template <typename T> std::optional<T> read(uint64_t at) {
    end = std::max(end, at + sizeof(T));
    if (at + sizeof(T) > bytes.size())
      return std::nullopt;
    return flatbuffers::ReadScalar<T>(bytes.data() + at);
  }
  /// The place that the reference at `at` refers to.
  std::optional<uint64_t> follow(uint64_t at) {
    std::optional<uint32_t> distance = read<uint32_t>(at);
    return distance ? std::optional(at + *distance) : std::nullopt;
  }
  /// The place that a field of a table refers to, if the table has the field.
  std::optional<uint64_t> findField(uint64_t table, uint16_t field) {
    std::optional<int32_t> distance = read<int32_t>(table);
    if (!distance || *distance > static_cast<int64_t>(table))
      return std::nullopt;
    uint64_t layout = table - static_cast<int64_t>(*distance);
    std::optional<uint16_t> size = read<uint16_t>(layout);
    if (!size || field + 2 > *size)
      return std::nullopt;
    std::optional<uint16_t> offset = read<uint16_t>(layout + field);
    return offset && *offset ? follow(table + *offset) : std::nullopt;
  }
  void findVectorEnd(uint64_t at, uint64_t elementSize) {
    if (std::optional<uint32_t> count = read<uint32_t>(at))
      end = std::max(end, at + 4 + *count * elementSize);
  }

  View<uint8_t> bytes;
  uint64_t end = 0;
};

/// Says that the end of a file is missing, where it refers to bytes that are
/// not there, or "".
std::string describeMissingEnd(View<uint8_t> bytes) {
  uint64_t end = EndFinder(bytes).find();
  if (end <= bytes.size())
    return "";
  return concat("; it may be truncated: it has ", bytes.size(),
                " bytes, but refers to at least ", end);
}

Extent toExtent(const fb::Extent3D &extent) {
  return {extent.x(), extent.y(), extent.z()};
}

std::string describe(const Extent &extent) {
  return concat(extent[0], "x", extent[1], "x", extent[2]);
}

/// Checks extent `found` to be within [1, limit] in every dimension.
Status checkExtent(const char *what, const Extent &found, const Extent &limit) {
  for (int i = 0; i < 3; ++i)
    if (found[i] == 0 || found[i] > limit[i])
      return invalid(what, " is ", describe(found),
                     ", but must be at least 1x1x1 and at most the declared ",
                     describe(limit));
  return Status();
}

/// Checks the alignment of a vector of structs. FlatBuffers' verifier does not
/// check it, and reading a misaligned vector is undefined.
template <typename T> Status checkAlignment(const T &vector, const char *what) {
  using Element = std::remove_pointer_t<typename T::return_type>;
  if (reinterpret_cast<uintptr_t>(vector.Data()) % alignof(Element) != 0)
    return invalid(what, " is misaligned");
  return Status();
}

/// Names are printed, compared and written into JSON: they must be UTF-8, and
/// free of control characters.
Status checkName(const flatbuffers::String *string, const char *what) {
  if (!string)
    return Status();
  std::string_view rest = string->string_view();
  while (!rest.empty()) {
    fb::Character character = fb::readCharacter(rest);
    if (character.size == 0)
      return invalid(what, " contains the byte ", character.value,
                     ", which is no UTF-8 there");
    if (fb::isControl(character.value))
      return invalid(what, " contains the control character ", character.value);
    rest.remove_prefix(character.size);
  }
  return Status();
}

/// The largest number of bytes of objects for each byte of a file. Objects are
/// a little larger than their representation in a file. Without this limit, a
/// file could contain many references to one place, and become arbitrarily
/// large in memory.
constexpr uint64_t kMaxGrowth = 32;

class Reader {
public:
  explicit Reader(std::vector<uint8_t> owned)
      : file(std::move(owned)), bytes(file.data(), file.size()) {}
  /// Reads what the caller keeps, which is aligned as FlatBuffers needs it.
  explicit Reader(View<uint8_t> borrowed) : bytes(borrowed) {}

  Expected<std::shared_ptr<const Executable>> read();

private:
  Status readRoot();
  Status readRequirements(const fb::Requirements &table,
                          Requirements &requirements);
  Status readShaderModule(const fb::ShaderModule &table);
  Status readKernel(const fb::Kernel &table);
  Status checkKernel(const Kernel &kernel, const Requirements &declared) const;
  Status readFunction(const fb::Function &table);
  Status readWeights();
  Status readInitialization(const fb::Function &table);
  Status readTensor(const fb::Tensor &table, Tensor &tensor, bool isOutput);
  Status readStrides(const fb::Tensor &table, Tensor &tensor, bool isOutput,
                     uint64_t maxElements, uint64_t &extent);
  /// Reads what a variant and a function's own steps have in common.
  template <typename Table>
  Status readSteps(const Table &table, const Function &function,
                   Variant &variant);
  template <typename Table>
  Status readLoops(const Table &table, Variant &variant);
  Status readStep(const fb::Step &table, const Function &function,
                  const Variant &variant, Step &step);
  Status readAdvances(const fb::Step &table, const Loop *loop,
                      const Function &function, const Variant &variant,
                      Step &step);
  static Status checkCopy(const Step &step);
  Status readDispatch(const fb::Dispatch &table, const Function &function,
                      const Variant &variant, Step &step);
  Status readCopy(const fb::Copy &table, const Function &function,
                  const Variant &variant, Step &step);
  bool mayWrite(const BufferRange &range) const;
  Status checkWeightsUnwritten(const Step &step) const;
  /// Notes that the file has `what`, which version 1.`minor` of the format
  /// brought.
  void use(uint16_t minor, const char *what);
  Status readRange(const fb::BufferRange &range, const Function &function,
                   const Variant &variant, Step &step);
  uint64_t getSize(const BufferRange &range, const Function &function,
                   const Variant &variant) const;
  Status readInPlace(const fb::Function &table, Function &function);
  static Status checkInPlace(const Function &function, const Variant &variant);
  static Status checkOutputsWritten(const Function &function,
                                    const Variant &variant);
  Expected<std::string> readName(const flatbuffers::String *string,
                                 const char *what);
  /// Counts `size` bytes of objects that are going to be created from the file.
  Status spend(uint64_t size);

  /// A copy of the file, if the caller's bytes are not used directly. It has
  /// the alignment of operator new, as FlatBuffers requires, and the bytes do
  /// not move when the vector is moved.
  std::vector<uint8_t> file;
  View<uint8_t> bytes;
  const fb::Executable *root = nullptr;
  std::shared_ptr<Executable> result = std::make_shared<Executable>();
  /// The result of reading each of result->shaderModules.
  std::vector<SPIRVModule> spirv;
  uint64_t spent = 0;
  /// The newest minor version of the format that the file needs, and for what.
  uint16_t needed = 0;
  const char *neededFor = "";
};

} // namespace

Expected<std::shared_ptr<const Executable>> Reader::read() {
  // The smallest FlatBuffer has a root offset and the identifier.
  if (bytes.size() < 8)
    return invalid("has ", bytes.size(), " bytes, too few for an executable");
  if (!fb::ExecutableBufferHasIdentifier(bytes.data()))
    return invalid("is not a dml executable: the identifier '",
                   fb::ExecutableIdentifier(), "' is missing at byte 4",
                   describeOtherFile(bytes));
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return invalid("has ", bytes.size(), " bytes, but at most ",
                   FLATBUFFERS_MAX_BUFFER_SIZE - 1, " are possible");
  // A table takes 4 bytes, and a reference to it another 4. A file with more
  // references to tables than this limit refers to some tables again and again.
  constexpr flatbuffers::uoffset_t kMaxNesting = 16;
  flatbuffers::Verifier verifier(
      bytes.data(), bytes.size(), kMaxNesting,
      static_cast<flatbuffers::uoffset_t>(bytes.size() / 8 + 1));
  if (!fb::VerifyExecutableBuffer(verifier))
    return invalid("is damaged: FlatBuffers' verifier refuses its structure",
                   describeMissingEnd(bytes));
  root = fb::GetExecutable(bytes.data());
  DML_TRY(readRoot());
  if (const flatbuffers::Vector<uint8_t> *constants = root->constants())
    result->constants = {constants->data(), constants->size()};
  result->file = std::move(file);
  return std::shared_ptr<const Executable>(std::move(result));
}

void Reader::use(uint16_t minor, const char *what) {
  if (minor <= needed)
    return;
  needed = minor;
  neededFor = what;
}

Status Reader::spend(uint64_t size) {
  spent += size;
  if (spent > kMaxGrowth * bytes.size())
    return invalid("refers to the same bytes again and again: its ",
                   bytes.size(), " bytes would become more than ", kMaxGrowth,
                   " times as many");
  return Status();
}

Expected<std::string> Reader::readName(const flatbuffers::String *string,
                                       const char *what) {
  if (!string)
    return std::string();
  DML_TRY(spend(string->size()));
  DML_TRY(checkName(string, what));
  return string->str();
}

Status Reader::readRoot() {
  result->versionMajor = root->version_major();
  result->versionMinor = root->version_minor();
  if (result->versionMajor != kVersionMajor ||
      result->versionMinor > kVersionMinor)
    return invalid("has format version ", result->versionMajor, ".",
                   result->versionMinor, ", but this runtime reads ",
                   kVersionMajor, ".0 to ", kVersionMajor, ".", kVersionMinor);

  Expected<std::string> producer = readName(root->producer(), "producer");
  if (!producer)
    return producer.status();
  result->producer = *producer;

  DML_TRY(readRequirements(*root->requirements(), result->requirements)
              .in("requirements"));
  DML_TRY(readWeights());

  for (const fb::ShaderModule *table : *root->shader_modules()) {
    size_t index = result->shaderModules.size();
    DML_TRY_IN(readShaderModule(*table), "shader module ", index);
  }
  for (const fb::Kernel *table : *root->kernels()) {
    size_t index = result->kernels.size();
    DML_TRY_IN(readKernel(*table), "kernel ", index);
  }

  std::set<std::string> names;
  for (const fb::Function *table : *root->functions()) {
    Expected<std::string> name = readName(table->name(), "function name");
    if (!name)
      return name.status();
    if (name->empty())
      return invalid("function ", result->functions.size(), " has no name");
    if (!names.insert(*name).second)
      return invalid("two functions have the name '", *name, "'");
    DML_TRY_IN(readFunction(*table), "function '", *name, "'");
  }
  if (root->initialization())
    DML_TRY(readInitialization(*root->initialization()).in("initialization"));
  // An older runtime that takes the version's word would pass over parts of the
  // file.
  if (needed > result->versionMinor)
    return invalid("has format version ", result->versionMajor, ".",
                   result->versionMinor, ", but also ", neededFor,
                   ", which files have from version ", kVersionMajor, ".",
                   needed, " on");
  return Status();
}

Status Reader::readWeights() {
  uint64_t stored = root->constants() ? root->constants()->size() : 0;
  result->constantSize = std::max(stored, root->constant_size());
  if (root->constant_size() != 0 && root->constant_size() < stored)
    return invalid("constant_size is ", root->constant_size(),
                   ", but the file has ", stored, " bytes of constants");
  if (root->constant_size() != 0)
    use(3, "constant_size");
  if (!root->weights())
    return Status();
  std::set<std::string> names;
  uint64_t end = stored;
  for (const fb::Weight *table : *root->weights()) {
    size_t index = result->weights.size();
    Weight weight;
    DML_TRY(spend(sizeof(Weight)));
    Expected<std::string> name = readName(table->tensor()->name(), "name");
    if (!name)
      return name.status().in(concat("weight ", index));
    weight.tensor.name = *name;
    weight.offset = table->offset();
    if (!names.insert(*name).second)
      return invalid("two weights have the name '", *name, "'");
    DML_TRY_IN(readTensor(*table->tensor(), weight.tensor, /*isOutput=*/false),
               "weight ", index, " ('", *name, "')");
    uint64_t size = weight.tensor.bufferSize;
    if (weight.offset % kRangeAlignment != 0)
      return invalid("weight '", *name, "': offset is ", weight.offset,
                     ", but must be a multiple of ", kRangeAlignment);
    if (weight.offset < end || size > result->constantSize ||
        weight.offset > result->constantSize - size)
      return invalid("weight '", *name, "': offset ", weight.offset,
                     " and size ", size, " must be between ", end,
                     ", where what stands before it ends, and the ",
                     result->constantSize, " bytes of the constants");
    end = weight.offset + size;
    result->weights.push_back(std::move(weight));
  }
  return Status();
}

Status Reader::readInitialization(const fb::Function &table) {
  if (table.inputs()->size() != 0 || table.outputs()->size() != 0)
    return invalid("has ", table.inputs()->size(), " inputs and ",
                   table.outputs()->size(), " outputs, but must have none");
  Expected<std::string> name = readName(table.name(), "name");
  if (!name)
    return name.status();
  use(3, "an initialization");
  result->initialization = static_cast<uint32_t>(result->functions.size());
  return readFunction(table);
}

Status Reader::readRequirements(const fb::Requirements &table,
                                Requirements &requirements) {
  requirements.apiVersion = table.vulkan_api_version();
  if (VK_API_VERSION_VARIANT(requirements.apiVersion) != 0 ||
      VK_API_VERSION_MAJOR(requirements.apiVersion) < 1)
    return invalid("vulkan_api_version is 0x", std::hex,
                   requirements.apiVersion, ", which is no version of Vulkan");
  if (table.features()) {
    // Many tables may refer to one long vector.
    constexpr unsigned kFeatures = static_cast<unsigned>(fb::Feature::MAX) + 1;
    if (table.features()->size() > kFeatures)
      return invalid("has ", table.features()->size(), " features, but only ",
                     kFeatures, " are known");
    for (fb::Feature value : *table.features()) {
      auto feature = static_cast<uint8_t>(value);
      if (feature > static_cast<uint8_t>(fb::Feature::MAX))
        return invalid("feature ", unsigned(feature),
                       " is unknown; the last known is ",
                       unsigned(fb::Feature::MAX));
      requirements.features |= DmlFeatureFlags(1) << feature;
      use(kFeatureVersions[feature].minor, kFeatureVersions[feature].name);
    }
  }
  requirements.maxStorageBufferRange = table.max_storage_buffer_range();
  requirements.maxPerStageDescriptorStorageBuffers =
      table.max_per_stage_descriptor_storage_buffers();
  requirements.maxComputeWorkGroupInvocations =
      table.max_compute_workgroup_invocations();
  requirements.maxComputeWorkGroupSize =
      toExtent(*table.max_compute_workgroup_size());
  requirements.maxComputeWorkGroupCount =
      toExtent(*table.max_compute_workgroup_count());
  requirements.maxComputeSharedMemorySize =
      table.max_compute_shared_memory_size();
  requirements.maxLoopIterations = table.max_loop_iterations();
  requirements.subgroupSize = table.subgroup_size();
  if ((requirements.subgroupSize & (requirements.subgroupSize - 1)) != 0)
    return invalid("subgroup_size is ", requirements.subgroupSize,
                   ", which is no power of two");
  if (requirements.subgroupSize != 0)
    use(4, "subgroup_size");
  if (!table.matrix_shapes())
    return Status();
  const auto &shapes = *table.matrix_shapes();
  DML_TRY(checkAlignment(shapes, "the vector of matrix shapes"));
  if (shapes.size() > DML_MAX_MATRIX_SHAPES)
    return invalid("has ", shapes.size(), " matrix shapes, but at most ",
                   unsigned(DML_MAX_MATRIX_SHAPES), " are possible");
  DML_TRY(spend(shapes.size() * sizeof(DmlMatrixShape)));
  requirements.matrixShapes.reserve(shapes.size());
  for (const fb::MatrixShape *shape : shapes) {
    DmlMatrixShape read{shape->rows(), shape->columns(), shape->terms(),
                        static_cast<DmlDataType>(shape->factors()),
                        static_cast<DmlDataType>(shape->sums())};
    if (dmlGetDataTypeBits(read.factors) == 0 ||
        dmlGetDataTypeBits(read.sums) == 0)
      return invalid("matrix shape ", requirements.matrixShapes.size(),
                     " has an unknown data type");
    requirements.matrixShapes.push_back(read);
  }
  return Status();
}

Status Reader::readShaderModule(const fb::ShaderModule &table) {
  Expected<std::string> name = readName(table.name(), "name");
  if (!name)
    return name.status();
  DML_TRY(spend(sizeof(ShaderModule) + 4 * uint64_t(table.code()->size())));
  std::vector<uint32_t> words(table.code()->begin(), table.code()->end());
  Expected<SPIRVModule> info = readSPIRVModule(words);
  if (!info)
    return info.status();
  ShaderModule module{*name, {table.code()->data(), table.code()->size()}, {}};
  if (!std::equal(words.begin(), words.end(), module.code.begin(),
                  module.code.end())) {
    module.changed = std::move(words);
    module.code = {module.changed.data(), module.changed.size()};
  }
  result->shaderModules.push_back(std::move(module));
  spirv.push_back(std::move(*info));
  return Status();
}

Status Reader::readKernel(const fb::Kernel &table) {
  Expected<std::string> name = readName(table.entry_point(), "entry point");
  if (!name)
    return name.status();
  Kernel kernel{table.shader_module(),
                *name,
                toExtent(*table.workgroup_size()),
                table.shared_memory_size(),
                table.binding_count(),
                table.subgroup_size()};
  if (kernel.subgroupSize != 0)
    use(4, "subgroup_size");

  if (kernel.shaderModule >= spirv.size())
    return invalid("shader module ", kernel.shaderModule,
                   " does not exist; there are ", spirv.size());
  // A driver reads the whole module for each of its kernels.
  DML_TRY(spend(sizeof(Kernel) +
                4 * result->shaderModules[kernel.shaderModule].code.size()));
  const SPIRVModule &module = spirv[kernel.shaderModule];
  const SPIRVEntryPoint *entryPoint = module.findEntryPoint(kernel.entryPoint);
  if (!entryPoint)
    return invalid("shader module ", kernel.shaderModule,
                   " has no entry point '", kernel.entryPoint, "'");

  if (entryPoint->workgroupSize != kernel.workgroupSize)
    return invalid("workgroup size is ", describe(kernel.workgroupSize),
                   ", but the entry point's is ",
                   describe(entryPoint->workgroupSize));
  uint64_t sharedMemory = entryPoint->sharedMemorySize;
  if (sharedMemory > kernel.sharedMemorySize)
    return invalid("entry point '", kernel.entryPoint, "' uses ", sharedMemory,
                   " bytes of workgroup memory, but the kernel declares ",
                   kernel.sharedMemorySize);

  bool shuffles = module.features & DML_FEATURE_SUBGROUP_SHUFFLE_BIT;
  if ((!module.matrixShapes.empty() || shuffles) &&
      (kernel.subgroupSize == 0 ||
       kernel.workgroupSize[0] % kernel.subgroupSize != 0))
    return invalid("entry point '", kernel.entryPoint, "' has ",
                   shuffles ? "shuffles" : "cooperative matrices",
                   ", but the kernel's subgroup_size is ", kernel.subgroupSize,
                   ", of which its ", kernel.workgroupSize[0],
                   " threads are no multiple");
  if (kernel.bindingCount == 0)
    return invalid("has no bindings");
  if (entryPoint->bindingCount > kernel.bindingCount)
    return invalid("entry point '", kernel.entryPoint, "' uses binding ",
                   entryPoint->bindingCount - 1, ", but the kernel declares ",
                   kernel.bindingCount, " bindings");
  result->kernels.push_back(std::move(kernel));
  return Status();
}

/// Checks that the requirements `declared` cover those of `kernel`, which a
/// step dispatches. Kernels without a step are never passed to a driver.
Status Reader::checkKernel(const Kernel &kernel,
                           const Requirements &declared) const {
  const SPIRVModule &module = spirv[kernel.shaderModule];
  if (module.findEntryPoint(kernel.entryPoint)->hasLoops &&
      declared.maxLoopIterations == 0)
    return invalid("has a loop, but the requirements declare "
                   "max_loop_iterations of 0: some drivers end loops early, "
                   "and wanted is at least 1");
  DmlFeatureFlags undeclared = module.features & ~declared.features;
  if (undeclared)
    return invalid("its capabilities need ", describeFeatures(undeclared),
                   ", which the requirements do not declare");
  // Vulkan 1.2 takes SPIR-V up to 1.5, and 1.3 takes 1.6.
  if (module.version > 0x00010500 && declared.apiVersion < VK_API_VERSION_1_3)
    return invalid("is SPIR-V 1.6, which needs Vulkan 1.3, but the "
                   "requirements declare ",
                   describeApiVersion(declared.apiVersion));

  DML_TRY(checkExtent("workgroup size", kernel.workgroupSize,
                      declared.maxComputeWorkGroupSize));
  uint64_t plane = uint64_t(kernel.workgroupSize[0]) * kernel.workgroupSize[1];
  if (plane > declared.maxComputeWorkGroupInvocations ||
      plane * kernel.workgroupSize[2] > declared.maxComputeWorkGroupInvocations)
    return invalid("workgroup size ", describe(kernel.workgroupSize),
                   " has more invocations than the declared ",
                   declared.maxComputeWorkGroupInvocations);
  if (kernel.sharedMemorySize > declared.maxComputeSharedMemorySize)
    return invalid("workgroup memory is ", kernel.sharedMemorySize,
                   " bytes, but at most ", declared.maxComputeSharedMemorySize,
                   " are declared");
  if (kernel.subgroupSize != 0 && kernel.subgroupSize != declared.subgroupSize)
    return invalid("wants subgroups of ", kernel.subgroupSize,
                   " threads, but the requirements declare ",
                   declared.subgroupSize);
  for (const DmlMatrixShape &shape : module.matrixShapes)
    if (std::none_of(declared.matrixShapes.begin(), declared.matrixShapes.end(),
                     [&](const DmlMatrixShape &other) {
                       return areEqual(shape, other);
                     }))
      return invalid("has cooperative matrices ", describeMatrixShape(shape),
                     ", which the requirements do not declare");
  if (kernel.bindingCount > declared.maxPerStageDescriptorStorageBuffers)
    return invalid("has ", kernel.bindingCount, " bindings, but at most ",
                   declared.maxPerStageDescriptorStorageBuffers,
                   " are declared");
  return Status();
}

/// Reads the strides of a tensor. If the file has none, the tensor is packed.
/// Sets `extent` to the number of elements from the first to the last element
/// in the buffer.
Status Reader::readStrides(const fb::Tensor &table, Tensor &tensor,
                           bool isOutput, uint64_t maxElements,
                           uint64_t &extent) {
  size_t rank = tensor.sizes.size();
  if (!table.strides()) {
    tensor.strides.assign(rank, 1);
    for (size_t i = rank; i-- > 1;)
      tensor.strides[i - 1] = tensor.strides[i] * tensor.sizes[i];
    extent = tensor.elementCount;
    return Status();
  }
  if (table.strides()->size() != rank)
    return invalid("has ", table.strides()->size(), " strides, but ", rank,
                   " dimensions");
  tensor.strides.assign(table.strides()->begin(), table.strides()->end());
  // Dimensions by rising strides.
  std::vector<size_t> order;
  for (size_t i = 0; i < rank; ++i)
    if (tensor.sizes[i] != 1)
      order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return tensor.strides[a] < tensor.strides[b];
  });
  extent = 1;
  for (size_t i : order) {
    if (isOutput && tensor.strides[i] < extent)
      return invalid("has stride ", tensor.strides[i], " in dimension ", i,
                     ", but an output wants ", extent,
                     " at least: the elements of dimensions with smaller "
                     "strides reach so far");
    // Both factors fit 32 bits.
    uint64_t reach = (tensor.sizes[i] - uint64_t(1)) * tensor.strides[i];
    if (reach > maxElements - extent)
      return invalid("has strides that reach over more than ", maxElements,
                     " elements");
    extent += reach;
  }
  return Status();
}

Status Reader::readTensor(const fb::Tensor &table, Tensor &tensor,
                          bool isOutput) {
  if (tensor.name.empty())
    return invalid("has no name");
  auto dataType = static_cast<uint8_t>(table.data_type());
  if (dataType == 0 || dataType > static_cast<uint8_t>(fb::DataType::MAX))
    return invalid("data type ", unsigned(dataType), " is unknown");
  tensor.dataType = static_cast<DmlDataType>(dataType);
  uint64_t elementBits = dmlGetDataTypeBits(tensor.dataType);

  if (table.sizes()->size() > kMaxRank)
    return invalid("has ", table.sizes()->size(), " dimensions, but at most ",
                   kMaxRank, " are possible");
  tensor.sizes.assign(table.sizes()->begin(), table.sizes()->end());
  // Leaves room for counting bits, for rounding up and for adding an offset.
  constexpr uint64_t kMaxBytes = UINT64_MAX / 16;
  tensor.elementCount = 1;
  for (size_t i = 0; i < tensor.sizes.size(); ++i) {
    if (tensor.sizes[i] == 0)
      return invalid("dimension ", i, " is 0, but must be at least 1");
    if (tensor.elementCount > kMaxBytes * 8 / elementBits / tensor.sizes[i])
      return invalid("has more than ", kMaxBytes, " bytes");
    tensor.elementCount *= tensor.sizes[i];
  }
  uint64_t extent = 0;
  DML_TRY(readStrides(table, tensor, isOutput, kMaxBytes * 8 / elementBits,
                      extent));
  tensor.byteSize = (extent * elementBits + 7) / 8;
  uint64_t total = table.total_size();
  uint64_t least = (tensor.byteSize + 3) / 4 * 4;
  if (total != 0 && (total < least || total > kMaxBytes || total % 4 != 0))
    return invalid("total_size is ", total,
                   ", but must be a multiple of 4 from ", least, " to ",
                   kMaxBytes, ", or 0");
  uint64_t bytes = std::max(tensor.byteSize, total);
  uint64_t wanted = (bytes + kVectorSize - 1) / kVectorSize * kVectorSize;
  tensor.bufferSize = table.buffer_size();
  if (tensor.bufferSize != wanted)
    return invalid("buffer_size is ", tensor.bufferSize, ", but must be ",
                   wanted, ": its ", bytes, " bytes rounded up to ",
                   kVectorSize);
  return Status();
}

Status Reader::readFunction(const fb::Function &table) {
  Function function;
  DML_TRY(spend(sizeof(Function)));
  function.name = table.name()->str();
  function.featureLevel = table.feature_level();

  auto readTensors = [&](const char *what, const auto &tables,
                         std::vector<Tensor> &tensors) -> Status {
    bool isOutput = &tensors == &function.outputs;
    std::set<std::string> names;
    for (const fb::Tensor *table : tables) {
      Tensor tensor;
      DML_TRY(spend(sizeof(Tensor)));
      Expected<std::string> name = readName(table->name(), "name");
      if (!name)
        return name.status().in(concat(what, " ", tensors.size()));
      tensor.name = *name;
      if (!names.insert(tensor.name).second)
        return invalid("two ", what, "s have the name '", tensor.name, "'");
      DML_TRY_IN(readTensor(*table, tensor, isOutput), what, " ",
                 tensors.size(), " ('", tensor.name, "')");
      tensors.push_back(std::move(tensor));
    }
    return Status();
  };
  DML_TRY(readTensors("input", *table.inputs(), function.inputs));
  DML_TRY(readTensors("output", *table.outputs(), function.outputs));
  DML_TRY(readInPlace(table, function));

  if (table.variants() && table.variants()->size() != 0)
    use(2, "variants");
  if (table.variants())
    for (const fb::Variant *variantTable : *table.variants()) {
      size_t index = function.variants.size();
      Variant variant;
      DML_TRY(spend(sizeof(Variant)));
      DML_TRY_IN(
          readRequirements(*variantTable->requirements(), variant.requirements)
              .in("requirements"),
          "variant ", index);
      DML_TRY_IN(readSteps(*variantTable, function, variant), "variant ",
                 index);
      function.variants.push_back(std::move(variant));
    }
  Variant own{result->requirements, 0, {}};
  DML_TRY(readSteps(table, function, own));
  function.variants.push_back(std::move(own));
  result->functions.push_back(std::move(function));
  return Status();
}

/// Whether the buffer of `output` can be the buffer of `input`.
static bool haveEqualBuffers(const Tensor &output, const Tensor &input) {
  return output.dataType == input.dataType && output.sizes == input.sizes &&
         output.strides == input.strides &&
         output.bufferSize == input.bufferSize;
}

/// Reads which outputs are in the place of inputs.
Status Reader::readInPlace(const fb::Function &table, Function &function) {
  function.inPlace.resize(function.outputs.size());
  function.isReplaced.resize(function.inputs.size());
  if (!table.in_place())
    return Status();
  for (const fb::InPlacePair *pair : *table.in_place()) {
    use(6, "outputs in the place of inputs");
    uint32_t output = pair->output(), input = pair->input();
    if (output >= function.outputs.size() || input >= function.inputs.size())
      return invalid("output ", output, " is in the place of input ", input,
                     ", but there are ", function.outputs.size(),
                     " outputs and ", function.inputs.size(), " inputs");
    const Tensor &to = function.outputs[output], &from = function.inputs[input];
    if (function.inPlace[output] || function.isReplaced[input])
      return invalid("output '", to.name, "' or input '", from.name,
                     "' is in more than one pair of in_place");
    if (!haveEqualBuffers(to, from))
      return invalid("output '", to.name, "' is in the place of input '",
                     from.name, "', but has another type, size or layout");
    function.inPlace[output] = input;
    function.isReplaced[input] = true;
  }
  return Status();
}

/// Notes in `requirements` how many subgroups a workgroup of `kernel` has.
static void countSubgroups(const Kernel &kernel, Requirements &requirements) {
  if (kernel.subgroupSize == 0)
    return;
  // checkKernel has limited the threads.
  uint32_t threads = kernel.workgroupSize[0] * kernel.workgroupSize[1] *
                     kernel.workgroupSize[2];
  uint32_t subgroups =
      threads / kernel.subgroupSize + (threads % kernel.subgroupSize != 0);
  requirements.maxComputeWorkgroupSubgroups =
      std::max(requirements.maxComputeWorkgroupSubgroups, subgroups);
}

template <typename Table>
Status Reader::readSteps(const Table &table, const Function &function,
                         Variant &variant) {
  variant.temporarySize = table.temporary_size();
  if (variant.temporarySize % kRangeAlignment != 0)
    return invalid("temporary_size is ", variant.temporarySize,
                   ", but must be a multiple of ", kRangeAlignment);
  Expected<std::string> profile =
      readName(table.device_profile(), "device_profile");
  if (!profile)
    return profile.status();
  variant.deviceProfile = std::move(*profile);
  DML_TRY(readLoops(table, variant));
  for (const fb::Step *stepTable : *table.steps()) {
    Step step;
    DML_TRY(spend(sizeof(Step)));
    DML_TRY_IN(readStep(*stepTable, function, variant, step), "step ",
               variant.steps.size());
    if (step.kind == DML_STEP_KIND_DISPATCH)
      countSubgroups(result->kernels[step.kernel], variant.requirements);
    variant.steps.push_back(std::move(step));
  }
  DML_TRY(checkInPlace(function, variant));
  return checkOutputsWritten(function, variant);
}

/// Reads the loops, and counts what is run.
template <typename Table>
Status Reader::readLoops(const Table &table, Variant &variant) {
  uint64_t steps = table.steps()->size(), end = 0, inLoops = 0, repeated = 0;
  variant.runCount = static_cast<uint32_t>(steps);
  if (!table.loops())
    return Status();
  const auto &loops = *table.loops();
  DML_TRY(checkAlignment(loops, "the vector of loops"));
  DML_TRY(spend(loops.size() * uint64_t(sizeof(Loop))));
  for (const fb::Loop *loop : loops) {
    use(7, "loops");
    size_t index = variant.loops.size();
    uint64_t first = loop->first_step(), count = loop->step_count();
    if (first < end || count == 0 || first > steps || count > steps - first)
      return invalid("loop ", index, " has ", count, " steps from step ", first,
                     " on, but must have at least 1 of those from step ", end,
                     " to the end of the ", steps, " steps");
    if (loop->count() == 0)
      return invalid("loop ", index, " has 0 iterations, but must have 1");
    // The product of two 32-bit numbers is added to less than 2^21.
    inLoops += count * loop->count();
    if (inLoops > kMaxLoopSteps)
      return invalid("loop ", index, " and those before it run ", inLoops,
                     " steps in all iterations, but at most ", kMaxLoopSteps,
                     " are possible");
    variant.loops.push_back({loop->first_step(), loop->step_count(),
                             loop->count(),
                             static_cast<uint32_t>(first + repeated)});
    repeated += count * (loop->count() - uint64_t(1));
    end = first + count;
  }
  variant.runCount = static_cast<uint32_t>(steps + repeated);
  return Status();
}

/// A kernel that binds one range twice might read from one binding what it has
/// not written to the other yet. So steps name an input in whose place an
/// output is by the output alone.
Status Reader::checkInPlace(const Function &function, const Variant &variant) {
  for (size_t i = 0; i < variant.steps.size(); ++i)
    for (const BufferRange &range : variant.steps[i].ranges)
      if (range.kind == BufferKind::Input && function.isReplaced[range.index])
        return invalid("step ", i, " names input ", range.index, " ('",
                       function.inputs[range.index].name,
                       "'), but must name the output in its place");
  return Status();
}

/// An output that no step binds would hold whatever was in memory before,
/// unless it is in the place of an input.
Status Reader::checkOutputsWritten(const Function &function,
                                   const Variant &variant) {
  std::vector<bool> bound(function.outputs.size());
  for (const Step &step : variant.steps)
    for (size_t i = 0; i < step.ranges.size(); ++i) {
      bool isSource = step.kind == DML_STEP_KIND_COPY && i == 0;
      if (step.ranges[i].kind == BufferKind::Output && !isSource)
        bound[step.ranges[i].index] = true;
    }
  for (size_t i = 0; i < bound.size(); ++i)
    if (!bound[i] && !function.inPlace[i])
      return invalid("output ", i, " ('", function.outputs[i].name,
                     "') is written by no step");
  return Status();
}

/// Whether the function that is being read may write a range.
bool Reader::mayWrite(const BufferRange &range) const {
  // The initialization is what is read last.
  return range.kind == BufferKind::Output ||
         range.kind == BufferKind::Temporary ||
         (range.kind == BufferKind::Constant &&
          result->initialization.has_value());
}

Status Reader::readStep(const fb::Step &table, const Function &function,
                        const Variant &variant, Step &step) {
  Expected<std::string> label = readName(table.label(), "label");
  if (!label)
    return label.status();
  step.label = *label;
  step.barrier = table.barrier();
  switch (table.operation_type()) {
  case fb::Operation::Dispatch:
    step.kind = DML_STEP_KIND_DISPATCH;
    DML_TRY(
        readDispatch(*table.operation_as_Dispatch(), function, variant, step));
    break;
  case fb::Operation::Copy:
    step.kind = DML_STEP_KIND_COPY;
    DML_TRY(readCopy(*table.operation_as_Copy(), function, variant, step));
    break;
  default:
    return invalid("operation type ", unsigned(table.operation_type()),
                   " is unknown");
  }
  auto index = static_cast<uint32_t>(variant.steps.size());
  DML_TRY(
      readAdvances(table, variant.findLoop(index), function, variant, step));
  DML_TRY(checkWeightsUnwritten(step));
  if (step.kind == DML_STEP_KIND_COPY)
    return checkCopy(step);
  return Status();
}

/// The initialization runs again when some of the weights have been replaced,
/// so that all of them must be as the caller bound them.
Status Reader::checkWeightsUnwritten(const Step &step) const {
  for (const BufferRange &range : step.ranges) {
    if (range.kind != BufferKind::Constant || !range.isWritten)
      continue;
    // Weights are in the order of their offsets, and do not overlap.
    auto weight = std::upper_bound(
        result->weights.begin(), result->weights.end(), range.begin,
        [](uint64_t begin, const Weight &weight) {
          return begin < weight.offset + weight.tensor.bufferSize;
        });
    if (weight != result->weights.end() && weight->offset < range.end)
      return invalid("writes bytes ", range.begin, " to ", range.end,
                     " of the constants, but weight '", weight->tensor.name,
                     "', which the caller binds, begins at byte ",
                     weight->offset);
  }
  return Status();
}

/// Reads how the ranges of a step move with the iterations of its loop, which
/// is null for a step outside of loops.
Status Reader::readAdvances(const fb::Step &table, const Loop *loop,
                            const Function &function, const Variant &variant,
                            Step &step) {
  if (!table.advances())
    return Status();
  const auto &advances = *table.advances();
  DML_TRY(checkAlignment(advances, "the vector of advances"));
  uint64_t next = 0;
  for (const fb::Advance *advance : advances) {
    uint32_t index = advance->range();
    if (!loop)
      return invalid("range ", index, " advances, but the step is in no loop");
    if (index < next || index >= step.ranges.size())
      return invalid("advances range ", index, ", but wants one from ", next,
                     " to the last of its ", step.ranges.size(), " ranges");
    next = uint64_t(index) + 1;
    BufferRange &range = step.ranges[index];
    range.stride = advance->stride();
    range.period = advance->period();
    if (range.stride == 0 || range.stride % int64_t(kRangeAlignment) != 0)
      return invalid("range ", index, " advances by ", range.stride,
                     " bytes, but wants a multiple of ", kRangeAlignment,
                     " that is not 0");
    if (range.period == 1)
      return invalid("range ", index,
                     " has the period 1, but wants 0, or at "
                     "least 2");
    uint64_t steps =
        (range.period ? std::min(range.period, loop->count) : loop->count) -
        uint64_t(1);
    // The magnitude of the least number is its own two's complement.
    bool isDown = range.stride < 0;
    uint64_t length = isDown ? -static_cast<uint64_t>(range.stride)
                             : static_cast<uint64_t>(range.stride);
    uint64_t room =
        isDown ? range.offset : getSize(range, function, variant) - range.end;
    if (steps != 0 && length > room / steps)
      return invalid("range ", index, " advances ", steps, " times by ",
                     range.stride, " bytes from offset ", range.offset,
                     ", but has ", room, " bytes to move");
    if (isDown)
      range.begin -= length * steps;
    else
      range.end += length * steps;
  }
  return Status();
}

Status Reader::readDispatch(const fb::Dispatch &table, const Function &function,
                            const Variant &variant, Step &step) {
  const Requirements &declared = variant.requirements;
  step.kernel = table.kernel();
  if (step.kernel >= result->kernels.size())
    return invalid("kernel ", step.kernel, " does not exist; there are ",
                   result->kernels.size());
  DML_TRY_IN(checkKernel(result->kernels[step.kernel], declared), "kernel ",
             step.kernel);
  step.workgroupCount = toExtent(*table.workgroup_count());
  DML_TRY(checkExtent("workgroup count", step.workgroupCount,
                      declared.maxComputeWorkGroupCount));
  const auto &bindings = *table.bindings();
  DML_TRY(checkAlignment(bindings, "the vector of bindings"));
  uint32_t wanted = result->kernels[step.kernel].bindingCount;
  if (bindings.size() != wanted)
    return invalid("has ", bindings.size(), " bindings, but kernel ",
                   step.kernel, " has ", wanted);
  DML_TRY(spend(bindings.size() * uint64_t(sizeof(BufferRange))));
  step.ranges.reserve(bindings.size());
  const Kernel &kernel = result->kernels[step.kernel];
  const std::set<uint32_t> &written =
      spirv[kernel.shaderModule].findEntryPoint(kernel.entryPoint)->written;
  for (const fb::BufferRange *range : bindings) {
    size_t index = step.ranges.size();
    DML_TRY_IN(readRange(*range, function, variant, step), "binding ", index);
    step.ranges[index].isWritten = written.count(index) != 0;
    if (!mayWrite(step.ranges[index]) && written.count(index) != 0)
      return invalid("binding ", index,
                     " is an input or the constants, which "
                     "are not written, but kernel ",
                     step.kernel, " stores to it");
    if (range->size() > declared.maxStorageBufferRange)
      return invalid("binding ", index, " has ", range->size(),
                     " bytes, but the declared max_storage_buffer_range is ",
                     declared.maxStorageBufferRange);
  }
  return Status();
}

Status Reader::readCopy(const fb::Copy &table, const Function &function,
                        const Variant &variant, Step &step) {
  DML_TRY(readRange(*table.source(), function, variant, step).in("source"));
  DML_TRY(readRange(*table.destination(), function, variant, step)
              .in("destination"));
  const BufferRange &source = step.ranges[0];
  BufferRange &destination = step.ranges[1];
  destination.isWritten = true;
  if (source.size != destination.size)
    return invalid("copies ", source.size, " bytes to a range of ",
                   destination.size);
  if (!mayWrite(destination))
    return invalid("copies to an input or to the constants, which are not "
                   "written");
  return Status();
}

/// A copy may not write what it reads. Ranges that advance together keep their
/// distance. Other ranges are compared by the bytes of all iterations.
Status Reader::checkCopy(const Step &step) {
  const BufferRange &source = step.ranges[0], &destination = step.ranges[1];
  if (source.kind != destination.kind || source.index != destination.index)
    return Status();
  bool isTogether = source.stride == destination.stride &&
                    source.period == destination.period;
  bool overlap =
      isTogether
          ? source.offset < destination.offset + destination.size &&
                destination.offset < source.offset + source.size
          : source.begin < destination.end && destination.begin < source.end;
  return overlap ? invalid("copies between ranges that overlap") : Status();
}

/// Returns the bytes of the buffer of a range that exists.
uint64_t Reader::getSize(const BufferRange &range, const Function &function,
                         const Variant &variant) const {
  switch (range.kind) {
  case BufferKind::Input:
    return function.inputs[range.index].bufferSize;
  case BufferKind::Output:
    return function.outputs[range.index].bufferSize;
  case BufferKind::Temporary:
    return variant.temporarySize;
  case BufferKind::Constant:
    break;
  }
  return result->constantSize;
}

Status Reader::readRange(const fb::BufferRange &table, const Function &function,
                         const Variant &variant, Step &step) {
  if (table.kind() > fb::BufferKind::MAX)
    return invalid("buffer kind ", unsigned(table.kind()), " is unknown");
  BufferRange range{static_cast<BufferKind>(table.kind()), table.index(),
                    table.offset(), table.size()};
  size_t count = 1;
  const char *what = "";
  switch (range.kind) {
  case BufferKind::Input:
    what = "input";
    count = function.inputs.size();
    break;
  case BufferKind::Output:
    what = "output";
    count = function.outputs.size();
    break;
  case BufferKind::Temporary:
    what = "temporary buffer";
    break;
  case BufferKind::Constant:
    what = "constant buffer";
    break;
  }
  if (range.index >= count)
    return invalid(what, " ", range.index, " does not exist; there ",
                   count == 1 ? "is " : "are ", count);
  uint64_t available = getSize(range, function, variant);
  if (range.offset % kRangeAlignment != 0)
    return invalid("offset is ", range.offset, ", but must be a multiple of ",
                   kRangeAlignment);
  if (range.size == 0)
    return invalid("size is 0");
  if (range.offset > available || range.size > available - range.offset)
    return invalid("offset ", range.offset, " and size ", range.size,
                   " reach beyond the ", available, " bytes of the ", what);
  step.ranges.push_back(range);
  return Status();
}

Expected<std::shared_ptr<const Executable>>
dml::runtime::readExecutable(const void *data, size_t size, bool borrows) {
  const auto *bytes = static_cast<const uint8_t *>(data);
  bool isAligned = reinterpret_cast<uintptr_t>(bytes) % alignof(uint64_t) == 0;
  auto result = borrows && isAligned
                    ? Reader(View<uint8_t>(bytes, size)).read()
                    : Reader(std::vector<uint8_t>(bytes, bytes + size)).read();
  if (!result)
    return result.status().in("executable");
  return result;
}

Expected<std::shared_ptr<const Executable>>
dml::runtime::readExecutableFile(const std::string &path) {
  Expected<HostFile> opened = openHostFile(path);
  if (!opened)
    return opened.status();
  std::FILE *file = opened->get();
  std::vector<uint8_t> bytes;
  // Room for the whole file, whose size a pipe does not tell.
  if (int64_t size = seekHostFile(file, 0, SEEK_END); size >= 0) {
    bytes.reserve(static_cast<size_t>(
        std::min<int64_t>(size, FLATBUFFERS_MAX_BUFFER_SIZE)));
    std::rewind(file);
  }
  uint8_t block[1 << 16];
  size_t count = 0;
  while ((count = std::fread(block, 1, sizeof(block), file)) > 0) {
    bytes.insert(bytes.end(), block, block + count);
    // An input that is no executable, or is too large, is not read to its end.
    if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE ||
        (bytes.size() >= 8 && !fb::ExecutableBufferHasIdentifier(bytes.data())))
      break;
  }
  if (std::ferror(file))
    return makeReadError(path);
  auto result = Reader(std::move(bytes)).read();
  if (!result)
    return result.status().in(concat("executable '", path, "'"));
  return result;
}
