//===- SPIRVModule.cpp - What a SPIR-V module asks of its user ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SPIRVModule.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

using namespace dml::runtime;

namespace {

// The few numbers of the SPIR-V specification that the walk needs. They stand
// here so that the runtime does not depend on SPIRV-Headers.
constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kMagicSwapped = 0x03022307;
constexpr uint32_t kVersion14 = 0x00010400;
constexpr uint32_t kNewestVersion = 0x00010600;
constexpr size_t kHeaderWords = 5;

enum Op : uint32_t {
  OpExtension = 10,
  OpMemoryModel = 14,
  OpEntryPoint = 15,
  OpExecutionMode = 16,
  OpCapability = 17,
  OpTypeBool = 20,
  OpTypeInt = 21,
  OpTypeFloat = 22,
  OpTypeVector = 23,
  OpTypeMatrix = 24,
  OpTypeArray = 28,
  OpTypeRuntimeArray = 29,
  OpTypeStruct = 30,
  OpTypePointer = 32,
  OpConstant = 43,
  OpConstantComposite = 44,
  OpSpecConstant = 50,
  OpSpecConstantComposite = 51,
  OpFunction = 54,
  OpFunctionEnd = 56,
  OpVariable = 59,
  OpDecorate = 71,
  OpExecutionModeId = 331,
};

constexpr uint32_t kExecutionModelGLCompute = 5;
constexpr uint32_t kExecutionModeLocalSize = 17;
constexpr uint32_t kExecutionModeLocalSizeId = 38;
constexpr uint32_t kDecorationBuiltIn = 11;
constexpr uint32_t kDecorationBinding = 33;
constexpr uint32_t kDecorationDescriptorSet = 34;
constexpr uint32_t kBuiltInWorkgroupSize = 25;

enum StorageClass : uint32_t {
  StorageClassInput = 1,
  StorageClassWorkgroup = 4,
  StorageClassPrivate = 6,
  StorageClassFunction = 7,
  StorageClassStorageBuffer = 12,
};

struct Capability {
  uint32_t value;
  const char *name;
  DmlFeatureFlags feature;
};

/// The capabilities that an executable can declare the need for. Any other is
/// refused: no requirement of the format stands for it.
constexpr Capability kCapabilities[] = {
    {0, "Matrix", 0},
    {1, "Shader", 0},
    {9, "Float16", DML_FEATURE_SHADER_FLOAT16_BIT},
    {10, "Float64", DML_FEATURE_SHADER_FLOAT64_BIT},
    {11, "Int64", DML_FEATURE_SHADER_INT64_BIT},
    {22, "Int16", DML_FEATURE_SHADER_INT16_BIT},
    {39, "Int8", DML_FEATURE_SHADER_INT8_BIT},
    {4433, "StorageBuffer16BitAccess",
     DML_FEATURE_STORAGE_BUFFER_16BIT_ACCESS_BIT},
    {4448, "StorageBuffer8BitAccess",
     DML_FEATURE_STORAGE_BUFFER_8BIT_ACCESS_BIT},
};

/// Extensions that are part of Vulkan 1.2 and bring no capability of their own
/// beyond those above.
constexpr std::string_view kExtensions[] = {
    "SPV_KHR_storage_buffer_storage_class",
    "SPV_KHR_8bit_storage",
    "SPV_KHR_16bit_storage",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_float_controls",
};

/// A size no type has; any type that is too large to count, or has no size.
constexpr uint64_t kUnsized = std::numeric_limits<uint64_t>::max();

template <typename... Ts> Status invalid(const Ts &...args) {
  return makeError(DML_ERROR_INVALID_EXECUTABLE, args...);
}

uint64_t multiply(uint64_t a, uint64_t b) {
  if (a == kUnsized || b == kUnsized || (b != 0 && a > UINT32_MAX / b))
    return kUnsized;
  return a * b;
}

/// One instruction: its operands are words[1..count-1].
struct Instruction {
  const uint32_t *words;
  uint32_t count;
  uint32_t opcode;

  uint32_t operator[](size_t i) const { return words[i]; }
};

class Reader {
public:
  explicit Reader(const std::vector<uint32_t> &words) : words(words) {}

  Expected<SPIRVModule> read();

private:
  Status readHeader();
  Status readInstruction(const Instruction &inst);
  Status readCapability(uint32_t value);
  Status readEntryPoint(const Instruction &inst);
  Status readExecutionMode(const Instruction &inst);
  Status readType(const Instruction &inst);
  Status readVariable(const Instruction &inst);
  Status readDecoration(const Instruction &inst);
  Status finishVariables();
  Status finishEntryPoints();

  Status need(const Instruction &inst, uint32_t count) const;
  Status needFeature(DmlFeatureFlags oneOf, const char *type) const;
  Expected<std::string> readString(const Instruction &inst, uint32_t first,
                                   uint32_t &next) const;
  uint64_t sizeOf(uint32_t type) const;

  struct Variable {
    uint32_t id, type, storageClass;
  };
  struct EntryPoint {
    uint32_t function;
    bool hasLocalSize = false;
  };

  const std::vector<uint32_t> &words;
  uint32_t bound = 0;
  SPIRVModule module;
  /// Beside module.entryPoints.
  std::vector<EntryPoint> entryPoints;
  std::vector<Variable> variables;
  std::unordered_map<uint32_t, uint64_t> typeSizes;
  std::unordered_map<uint32_t, uint32_t> pointees;
  std::unordered_map<uint32_t, uint64_t> constants;
  std::unordered_map<uint32_t, std::vector<uint32_t>> composites;
  std::unordered_map<uint32_t, uint32_t> bindings, descriptorSets;
  std::optional<uint32_t> workgroupSizeConstant;
  std::unordered_set<uint32_t> functions;
  bool inFunction = false;
};

} // namespace

Expected<SPIRVModule> Reader::read() {
  DML_TRY(readHeader());
  for (size_t at = kHeaderWords; at < words.size();) {
    Instruction inst{&words[at], words[at] >> 16, words[at] & 0xffff};
    if (inst.count == 0)
      return invalid("word ", at, ": an instruction of 0 words");
    if (inst.count > words.size() - at)
      return invalid("word ", at, ": an instruction of ", inst.count,
                     " words, but only ", words.size() - at, " are left");
    DML_TRY(readInstruction(inst).in(concat("word ", at)));
    at += inst.count;
  }
  if (inFunction)
    return invalid("a function does not end");
  DML_TRY(finishVariables());
  DML_TRY(finishEntryPoints());
  return std::move(module);
}

Status Reader::readHeader() {
  if (words.size() < kHeaderWords)
    return invalid("has ", words.size(), " words, but SPIR-V begins with ",
                   kHeaderWords);
  if (words[0] == kMagicSwapped)
    return invalid("is SPIR-V of the other byte order");
  if (words[0] != kMagic)
    return invalid("is not SPIR-V: its first word is 0x", std::hex, words[0],
                   ", not 0x", kMagic);
  module.version = words[1];
  if (module.version < 0x00010000 || module.version > kNewestVersion ||
      (module.version & 0xff0000ff) != 0)
    return invalid("has SPIR-V version word 0x", std::hex, module.version,
                   "; 1.0 to 1.6 are known");
  bound = words[3];
  return Status();
}

Status Reader::need(const Instruction &inst, uint32_t count) const {
  if (inst.count < count)
    return invalid("instruction ", inst.opcode, " has ", inst.count,
                   " words, but needs ", count);
  return Status();
}

Expected<std::string> Reader::readString(const Instruction &inst,
                                         uint32_t first, uint32_t &next) const {
  // Little-endian packing is part of SPIR-V, whatever the host's order is.
  std::string string;
  for (uint32_t i = first; i < inst.count; ++i)
    for (int shift = 0; shift < 32; shift += 8) {
      char c = static_cast<char>((inst[i] >> shift) & 0xff);
      if (c == '\0') {
        next = i + 1;
        return string;
      }
      string.push_back(c);
    }
  return invalid("a string without an end");
}

Status Reader::readInstruction(const Instruction &inst) {
  switch (inst.opcode) {
  case OpCapability:
    DML_TRY(need(inst, 2));
    return readCapability(inst[1]);
  case OpExtension: {
    uint32_t next = 0;
    Expected<std::string> name = readString(inst, 1, next);
    if (!name)
      return name.status();
    if (std::find(std::begin(kExtensions), std::end(kExtensions), *name) ==
        std::end(kExtensions))
      return invalid("extension ", *name,
                     " is none that an executable may use");
    return Status();
  }
  case OpMemoryModel:
    DML_TRY(need(inst, 3));
    if (inst[1] != 0 || inst[2] != 1)
      return invalid("addressing model ", inst[1], " and memory model ",
                     inst[2], ", but Logical (0) and GLSL450 (1) are wanted");
    return Status();
  case OpEntryPoint:
    return readEntryPoint(inst);
  case OpExecutionMode:
  case OpExecutionModeId:
    return readExecutionMode(inst);
  case OpTypeBool:
  case OpTypeInt:
  case OpTypeFloat:
  case OpTypeVector:
  case OpTypeMatrix:
  case OpTypeArray:
  case OpTypeRuntimeArray:
  case OpTypeStruct:
  case OpTypePointer:
    return readType(inst);
  case OpConstant:
  case OpSpecConstant:
    DML_TRY(need(inst, 4));
    constants[inst[2]] =
        inst[3] | (inst.count > 4 ? uint64_t(inst[4]) << 32 : 0);
    return Status();
  case OpConstantComposite:
  case OpSpecConstantComposite:
    DML_TRY(need(inst, 3));
    // Only a WorkgroupSize, which has three members, is ever looked at.
    if (inst.count == 6)
      composites[inst[2]] = {inst[3], inst[4], inst[5]};
    return Status();
  case OpFunction:
    DML_TRY(need(inst, 5));
    if (inFunction)
      return invalid("a function within a function");
    inFunction = true;
    functions.insert(inst[2]);
    return Status();
  case OpFunctionEnd:
    if (!inFunction)
      return invalid("the end of a function outside of any");
    inFunction = false;
    return Status();
  case OpVariable:
    return readVariable(inst);
  case OpDecorate:
    return readDecoration(inst);
  default:
    return Status();
  }
}

Status Reader::readCapability(uint32_t value) {
  for (const Capability &capability : kCapabilities)
    if (capability.value == value) {
      module.features |= capability.feature;
      return Status();
    }
  return invalid("capability ", value,
                 " is none that an executable can "
                 "declare a required feature for");
}

Status Reader::readEntryPoint(const Instruction &inst) {
  DML_TRY(need(inst, 4));
  uint32_t next = 0;
  Expected<std::string> name = readString(inst, 3, next);
  if (!name)
    return name.status();
  if (inst[1] != kExecutionModelGLCompute)
    return invalid("entry point '", *name, "' has execution model ", inst[1],
                   ", but GLCompute (5) is wanted");
  if (module.findEntryPoint(*name))
    return invalid("two entry points have the name '", *name, "'");
  entryPoints.push_back({inst[2]});
  module.entryPoints.push_back(
      {*name, {0, 0, 0}, {inst.words + next, inst.words + inst.count}});
  return Status();
}

Status Reader::readExecutionMode(const Instruction &inst) {
  DML_TRY(need(inst, 3));
  if (inst[2] == kExecutionModeLocalSizeId)
    return invalid("execution mode LocalSizeId is not supported; LocalSize is "
                   "wanted");
  if (inst.opcode != OpExecutionMode || inst[2] != kExecutionModeLocalSize)
    return Status();
  DML_TRY(need(inst, 6));
  for (size_t i = 0; i < entryPoints.size(); ++i)
    if (entryPoints[i].function == inst[1]) {
      entryPoints[i].hasLocalSize = true;
      module.entryPoints[i].workgroupSize = {inst[3], inst[4], inst[5]};
    }
  return Status();
}

uint64_t Reader::sizeOf(uint32_t type) const {
  auto it = typeSizes.find(type);
  return it == typeSizes.end() ? kUnsized : it->second;
}

/// A narrow or wide type is valid only beside a capability that allows it.
Status Reader::needFeature(DmlFeatureFlags oneOf, const char *type) const {
  if (module.features & oneOf)
    return Status();
  return invalid("uses the type ", type, " without a capability for it");
}

Status Reader::readType(const Instruction &inst) {
  DML_TRY(need(inst, 2));
  uint32_t id = inst[1];
  switch (inst.opcode) {
  case OpTypeBool:
    typeSizes[id] = 4;
    return Status();
  case OpTypeInt:
  case OpTypeFloat: {
    DML_TRY(need(inst, 3));
    bool isInt = inst.opcode == OpTypeInt;
    typeSizes[id] = inst[2] / 8;
    switch (inst[2]) {
    case 32:
      return Status();
    case 8:
      if (isInt)
        return needFeature(DML_FEATURE_SHADER_INT8_BIT |
                               DML_FEATURE_STORAGE_BUFFER_8BIT_ACCESS_BIT,
                           "i8");
      break;
    case 16:
      return needFeature(DML_FEATURE_STORAGE_BUFFER_16BIT_ACCESS_BIT |
                             (isInt ? DML_FEATURE_SHADER_INT16_BIT
                                    : DML_FEATURE_SHADER_FLOAT16_BIT),
                         isInt ? "i16" : "f16");
    case 64:
      return needFeature(isInt ? DML_FEATURE_SHADER_INT64_BIT
                               : DML_FEATURE_SHADER_FLOAT64_BIT,
                         isInt ? "i64" : "f64");
    default:
      break;
    }
    return invalid(isInt ? "an integer" : "a floating-point", " type of ",
                   inst[2], " bits");
  }
  case OpTypeVector:
  case OpTypeMatrix:
    DML_TRY(need(inst, 4));
    typeSizes[id] = multiply(sizeOf(inst[2]), inst[3]);
    return Status();
  case OpTypeArray: {
    DML_TRY(need(inst, 4));
    auto length = constants.find(inst[3]);
    typeSizes[id] = length == constants.end()
                        ? kUnsized
                        : multiply(sizeOf(inst[2]), length->second);
    return Status();
  }
  case OpTypeRuntimeArray:
    typeSizes[id] = kUnsized;
    return Status();
  case OpTypeStruct: {
    uint64_t size = 0;
    for (uint32_t i = 2; i < inst.count; ++i) {
      uint64_t member = sizeOf(inst[i]);
      if (member == kUnsized || size + member > UINT32_MAX) {
        size = kUnsized;
        break;
      }
      size += member;
    }
    typeSizes[id] = size;
    return Status();
  }
  case OpTypePointer:
    DML_TRY(need(inst, 4));
    pointees[id] = inst[3];
    return Status();
  default:
    return Status();
  }
}

Status Reader::readVariable(const Instruction &inst) {
  DML_TRY(need(inst, 4));
  switch (inst[3]) {
  case StorageClassInput:
  case StorageClassPrivate:
  case StorageClassFunction:
    return Status();
  case StorageClassWorkgroup:
  case StorageClassStorageBuffer:
    variables.push_back({inst[2], inst[1], inst[3]});
    return Status();
  default:
    return invalid("a variable of storage class ", inst[3],
                   "; kernels bind storage buffers (12) alone");
  }
}

Status Reader::readDecoration(const Instruction &inst) {
  DML_TRY(need(inst, 3));
  switch (inst[2]) {
  case kDecorationBinding:
    DML_TRY(need(inst, 4));
    bindings[inst[1]] = inst[3];
    return Status();
  case kDecorationDescriptorSet:
    DML_TRY(need(inst, 4));
    descriptorSets[inst[1]] = inst[3];
    return Status();
  case kDecorationBuiltIn:
    DML_TRY(need(inst, 4));
    if (inst[3] == kBuiltInWorkgroupSize)
      workgroupSizeConstant = inst[1];
    return Status();
  default:
    return Status();
  }
}

Status Reader::finishVariables() {
  for (const Variable &variable : variables) {
    if (variable.id >= bound)
      return invalid("variable %", variable.id, " is beyond the id bound ",
                     bound);
    if (variable.storageClass == StorageClassWorkgroup) {
      auto pointee = pointees.find(variable.type);
      uint64_t size =
          pointee == pointees.end() ? kUnsized : sizeOf(pointee->second);
      if (size > UINT32_MAX)
        return invalid("workgroup variable %", variable.id, " has no size");
      module.workgroupVariables.push_back(
          {variable.id, static_cast<uint32_t>(size)});
      continue;
    }
    auto set = descriptorSets.find(variable.id);
    auto binding = bindings.find(variable.id);
    if (set == descriptorSets.end() || binding == bindings.end())
      return invalid("storage buffer %", variable.id,
                     " has no descriptor set or no binding");
    if (set->second != 0)
      return invalid("storage buffer %", variable.id, " is in descriptor set ",
                     set->second, ", but set 0 is wanted");
    module.storageBuffers.push_back({variable.id, binding->second});
  }
  return Status();
}

Status Reader::finishEntryPoints() {
  std::optional<std::array<uint32_t, 3>> overruling;
  if (workgroupSizeConstant) {
    auto it = composites.find(*workgroupSizeConstant);
    if (it == composites.end())
      return invalid("WorkgroupSize decorates %", *workgroupSizeConstant,
                     ", which is no constant of three members");
    overruling.emplace();
    for (size_t i = 0; i < 3; ++i) {
      auto constant = constants.find(it->second[i]);
      if (constant == constants.end() || constant->second > UINT32_MAX)
        return invalid("WorkgroupSize has a member that is no constant");
      (*overruling)[i] = static_cast<uint32_t>(constant->second);
    }
  }
  for (size_t i = 0; i < entryPoints.size(); ++i) {
    if (functions.count(entryPoints[i].function) == 0)
      return invalid("entry point '", module.entryPoints[i].name,
                     "' has no function");
    if (overruling)
      module.entryPoints[i].workgroupSize = *overruling;
    else if (!entryPoints[i].hasLocalSize)
      return invalid("entry point '", module.entryPoints[i].name,
                     "' has no LocalSize");
  }
  return Status();
}

const SPIRVEntryPoint *
SPIRVModule::findEntryPoint(const std::string &name) const {
  for (const SPIRVEntryPoint &entryPoint : entryPoints)
    if (entryPoint.name == name)
      return &entryPoint;
  return nullptr;
}

bool SPIRVModule::mayUse(const SPIRVEntryPoint &entryPoint,
                         uint32_t variable) const {
  // From 1.4 on an entry point lists all variables it uses; before, only some.
  if (version < kVersion14)
    return true;
  return std::find(entryPoint.interface.begin(), entryPoint.interface.end(),
                   variable) != entryPoint.interface.end();
}

uint32_t SPIRVModule::bindingCount(const SPIRVEntryPoint &entryPoint) const {
  uint64_t count = 0;
  for (const SPIRVStorageBuffer &buffer : storageBuffers)
    if (mayUse(entryPoint, buffer.id))
      count = std::max<uint64_t>(count, uint64_t(buffer.binding) + 1);
  return static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX));
}

uint64_t
SPIRVModule::sharedMemorySize(const SPIRVEntryPoint &entryPoint) const {
  uint64_t size = 0;
  for (const SPIRVWorkgroupVariable &variable : workgroupVariables)
    if (mayUse(entryPoint, variable.id))
      size += variable.size;
  return size;
}

Expected<SPIRVModule>
dml::runtime::readSPIRVModule(const std::vector<uint32_t> &words) {
  return Reader(words).read();
}
