//===- SPIRVModule.cpp - What a SPIR-V module asks of its user ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// What stands outside of functions: capabilities, entry points, decorations,
// types, constants and variables.
//
//===----------------------------------------------------------------------===//

#include "SPIRVModule.h"

#include "SPIRVReader.h"

#include <algorithm>

using namespace dml::runtime;
using namespace dml::runtime::spirv;

namespace {

constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kMagicSwapped = 0x03022307;
constexpr uint32_t kNewestVersion = 0x00010600;
constexpr size_t kHeaderWords = 5;
/// What SPIR-V's universal limits promise.
constexpr uint32_t kMaxBound = 1 << 22;

/// The deepest nesting of types and the largest number of scalars in a type.
/// Drivers visit nested types recursively, and divide composites into scalars.
constexpr uint32_t kMaxTypeDepth = 16;
constexpr uint64_t kMaxLeaves = 4096;
/// Bytes of a cooperative matrix: twice what devices have.
constexpr uint64_t kMaxMatrixSize = 2048;
/// Bytes of the variables of one invocation.
constexpr uint64_t kMaxPrivateSize = 64 << 10;

constexpr uint32_t kCapabilityShader = 1;
constexpr uint32_t kCapabilitySignedZeroInfNanPreserve = 4466;
constexpr uint32_t kCapabilityVulkanMemoryModel = 5345;
constexpr uint32_t kCapabilityCooperativeMatrix = 6022;
constexpr uint32_t kMemoryModelGLSL450 = 1;
constexpr uint32_t kMemoryModelVulkan = 3;
constexpr uint32_t kExecutionModelGLCompute = 5;
constexpr uint32_t kExecutionModeLocalSize = 17;
constexpr uint32_t kExecutionModeSignedZeroInfNanPreserve = 4461;

uint64_t multiply(uint64_t a, uint64_t b) {
  if (a == kUnsized || b == kUnsized || (b != 0 && a > UINT32_MAX / b))
    return kUnsized;
  return a * b;
}

uint64_t alignTo(uint64_t size, uint64_t alignment) {
  return size == kUnsized ? kUnsized
                          : (size + alignment - 1) / alignment * alignment;
}

uint64_t add(uint64_t a, uint64_t b) {
  return a == kUnsized || b == kUnsized || a + b > UINT32_MAX ? kUnsized
                                                              : a + b;
}

} // namespace

Expected<SPIRVModule> Reader::read() {
  DML_TRY(readHeader());
  for (size_t at = kHeaderWords; at < words.size();) {
    uint32_t opcode = words[at] & 0xffff;
    Words inst{&words[at], words[at] >> 16, static_cast<uint32_t>(at)};
    if (inst.count == 0)
      return invalid("word ", at, ": an instruction of 0 words");
    if (inst.count > words.size() - at)
      return invalid("word ", at, ": an instruction of ", inst.count,
                     " words, but only ", words.size() - at, " are left");
    const Instruction *rule = findInstruction(opcode);
    if (!rule)
      return invalid("word ", at, ": instruction ", opcode,
                     " is none that an executable may use");
    Status status = readInstruction(inst, *rule);
    if (!status.ok())
      return status.in(concat("word ", at, ": ", rule->name));
    at += inst.count;
  }
  if (inFunction)
    return invalid("a function does not end");
  if (!globalsFinished)
    DML_TRY(finishGlobals());
  if (capabilities.count(kCapabilityShader) == 0)
    return invalid("the capability Shader is not declared");
  DML_TRY(finishDecorations());
  if (!unmultiplied.empty())
    return invalid(
        "%", *unmultiplied.begin(),
        " is a type of cooperative matrices that nothing multiplies");
  SPIRVModule module;
  module.matrixShapes = std::move(matrixShapes);
  module.version = version;
  module.features = features;
  DML_TRY(finishEntryPoints(module));
  if (unproven) {
    unproven->importsEnd = importsEnd;
    unproven->globalsEnd = globalsEnd;
    unproven->glslSet = glslSet;
  }
  DML_TRY(initializeVariables());
  return module;
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
  version = words[1];
  if (version < 0x00010000 || version > kNewestVersion ||
      (version & 0xff0000ff) != 0)
    return invalid("has SPIR-V version word 0x", std::hex, version,
                   "; 1.0 to 1.6 are known");
  if (words.size() > UINT32_MAX)
    return invalid("has ", words.size(), " words, but at most ", UINT32_MAX,
                   " are possible");
  bound = words[3];
  // Drivers make room for every id below the bound, and so does this reader.
  uint64_t most = std::min<uint64_t>(kMaxBound, words.size());
  if (bound == 0 || bound > most)
    return invalid("has the id bound ", bound, ", but 1 to ", most,
                   " are possible in ", words.size(), " words");
  if (words[4] != 0)
    return invalid("has the schema ", words[4], ", but 0 is wanted");
  ids.resize(bound);
  return Status();
}

Status Reader::readString(const Words &inst, uint32_t first, uint32_t &next,
                          std::string *string) const {
  // Little-endian packing is part of SPIR-V, whatever the host's order is.
  for (uint32_t i = first; i < inst.count; ++i)
    for (int shift = 0; shift < 32; shift += 8) {
      char c = static_cast<char>((inst[i] >> shift) & 0xff);
      if (c == '\0') {
        next = i + 1;
        return Status();
      }
      if (string)
        string->push_back(c);
    }
  return invalid("a string without an end");
}

Status Reader::checkId(uint32_t id) const {
  if (id == 0 || id >= bound)
    return invalid("id %", id, " is not below the bound ", bound);
  return Status();
}

Status Reader::define(const Words &inst, uint32_t id, uint32_t type) {
  DML_TRY(checkId(id));
  Info &info = ids[id];
  if (info.op != 0)
    return invalid("%", id, " is defined twice");
  info.op = static_cast<uint16_t>(inst[0] & 0xffff);
  info.type = type;
  info.at = inst.at;
  return Status();
}

Status Reader::readInstruction(const Words &inst, const Instruction &rule) {
  if (inst.count < rule.least || inst.count > rule.most)
    return invalid("has ", inst.count, " words, but ",
                   rule.least == rule.most ? "" : "at least ", rule.least,
                   rule.most == UINT16_MAX || rule.least == rule.most
                       ? std::string()
                       : concat(" and at most ", rule.most),
                   " are wanted");
  if (rule.capability != 0 && capabilities.count(rule.capability) == 0)
    return invalid("needs capability ", rule.capability,
                   ", which the module does not declare");
  if (inFunction) {
    if (rule.section != Section::Functions && rule.opcode != OpVariable)
      return invalid("stands within a function");
    return readBody(inst, rule);
  }
  if (rule.section < section)
    return invalid("stands after instructions that it must stand before");
  section = rule.section;
  if (section > Section::Imports && importsEnd == 0)
    importsEnd = inst.at;
  if (section < Section::Functions)
    return readGlobal(inst, rule);
  if (!globalsFinished) {
    globalsEnd = inst.at;
    DML_TRY(finishGlobals());
  }
  if (rule.opcode != OpFunction)
    return invalid("stands outside of any function");
  return readFunction(inst);
}

Status Reader::readGlobal(const Words &inst, const Instruction &rule) {
  uint32_t next = 0;
  switch (rule.opcode) {
  case OpCapability:
    return readCapability(inst[1]);
  case OpExtension: {
    std::string name;
    DML_TRY(readString(inst, 1, next, &name));
    if (next != inst.count || !isExtension(name))
      return invalid("'", escape(name),
                     "' is no extension that an executable may use");
    return Status();
  }
  case OpExtInstImport: {
    std::string name;
    DML_TRY(readString(inst, 2, next, &name));
    if (next != inst.count || name != "GLSL.std.450")
      return invalid("'", escape(name),
                     "' is no set of instructions that an executable may use; "
                     "GLSL.std.450 is");
    if (glslSet)
      return invalid("GLSL.std.450 is imported twice");
    glslSet = inst[1];
    return define(inst, inst[1]);
  }
  case OpMemoryModel:
    if (hasMemoryModel)
      return invalid("stands twice");
    hasMemoryModel = true;
    hasVulkanMemoryModel = capabilities.count(kCapabilityVulkanMemoryModel);
    if (inst[1] != 0 || inst[2] != (hasVulkanMemoryModel ? kMemoryModelVulkan
                                                         : kMemoryModelGLSL450))
      return invalid("addressing model ", inst[1], " and memory model ",
                     inst[2], ", but Logical (0) and ",
                     hasVulkanMemoryModel ? "Vulkan (3)" : "GLSL450 (1)",
                     " are wanted");
    // What matrices mean in workgroup memory is defined by that model alone.
    if (capabilities.count(kCapabilityCooperativeMatrix) &&
        !hasVulkanMemoryModel)
      return invalid("the capability CooperativeMatrixKHR stands without "
                     "VulkanMemoryModel");
    return Status();
  case OpEntryPoint:
    return readEntryPoint(inst);
  case OpExecutionMode:
    return readExecutionMode(inst);
  case OpSource:
    return Status();
  case OpSourceExtension:
  case OpModuleProcessed:
  case OpName:
  case OpMemberName: {
    uint32_t first = rule.opcode == OpName         ? 2
                     : rule.opcode == OpMemberName ? 3
                                                   : 1;
    if (first != 1)
      DML_TRY(checkId(inst[1]));
    // Whether there is such a member shows at the end.
    if (rule.opcode == OpMemberName)
      members.try_emplace({inst[1], inst[2]});
    DML_TRY(readString(inst, first, next));
    if (next != inst.count)
      return invalid("has words after its string");
    return Status();
  }
  case OpDecorate:
    return readDecoration(inst);
  case OpMemberDecorate:
    return readMemberDecoration(inst);
  case OpConstantTrue:
  case OpConstantFalse:
  case OpConstant:
  case OpConstantComposite:
  case OpConstantNull:
  case OpUndef:
    return readConstant(inst);
  case OpVariable:
    return readVariable(inst);
  default:
    return readType(inst);
  }
}

Status Reader::readCapability(uint32_t value) {
  const Capability *capability = findCapability(value);
  if (!capability)
    return invalid("capability ", value,
                   " is none that an executable can "
                   "declare a required feature for");
  features |= capability->feature;
  capabilities.insert(value);
  return Status();
}

Status Reader::readEntryPoint(const Words &inst) {
  EntryPoint entry;
  DML_TRY(checkId(inst[2]));
  entry.function = inst[2];
  DML_TRY(readString(inst, 3, entry.begin, &entry.name));
  if (inst[1] != kExecutionModelGLCompute)
    return invalid("entry point '", escape(entry.name),
                   "' has execution model ", inst[1],
                   ", but GLCompute (5) is wanted");
  auto index = static_cast<uint32_t>(entryPoints.size());
  if (!names.emplace(entry.name, index).second)
    return invalid("two entry points have the name '", escape(entry.name), "'");
  if (!functions.emplace(entry.function, index).second)
    return invalid("two entry points have the function %", entry.function);
  for (uint32_t i = entry.begin; i < inst.count; ++i)
    DML_TRY(checkId(inst[i]));
  entry.begin += inst.at;
  entry.end = inst.at + inst.count;
  entryPoints.push_back(std::move(entry));
  return Status();
}

Status Reader::readExecutionMode(const Words &inst) {
  auto found = functions.find(inst[1]);
  if (found == functions.end())
    return invalid("%", inst[1], " is the function of no entry point");
  EntryPoint &entry = entryPoints[found->second];
  if (inst[2] == kExecutionModeSignedZeroInfNanPreserve) {
    if (capabilities.count(kCapabilitySignedZeroInfNanPreserve) == 0)
      return invalid("the capability SignedZeroInfNanPreserve is not declared");
    if (inst.count != 4 || inst[3] != 32)
      return invalid("SignedZeroInfNanPreserve is of other than 32 bits");
    if (entry.preservesNan)
      return invalid("entry point '", escape(entry.name),
                     "' has two SignedZeroInfNanPreserves");
    entry.preservesNan = true;
    return Status();
  }
  if (inst[2] != kExecutionModeLocalSize)
    return invalid("execution mode ", inst[2],
                   " is none that an executable may use; LocalSize (17) and "
                   "SignedZeroInfNanPreserve (4461) are");
  if (inst.count != 6)
    return invalid("LocalSize has ", inst.count - 3,
                   " sizes, but 3 are "
                   "wanted");
  if (entry.hasLocalSize)
    return invalid("entry point '", escape(entry.name), "' has two LocalSizes");
  entry.hasLocalSize = true;
  entry.workgroupSize = {inst[3], inst[4], inst[5]};
  return Status();
}

//===----------------------------------------------------------------------===//
// Decorations
//===----------------------------------------------------------------------===//

Status Reader::readDecoration(const Words &inst) {
  uint8_t row = 0;
  const Decoration *decoration = findDecoration(inst[2], row);
  if (!decoration || row == RowOffset)
    return invalid("decoration ", inst[2],
                   " is none that an executable may use");
  DML_TRY(checkId(inst[1]));
  if (inst.count != 3u + decoration->operands)
    return invalid(decoration->name, " has ", inst.count - 3, " operands, but ",
                   unsigned(decoration->operands), " are wanted");
  Info &info = ids[inst[1]];
  if (info.decorations >> row & 1)
    return invalid("%", inst[1], " is decorated twice with ", decoration->name);
  info.decorations |= 1u << row;
  decorated.push_back({inst[1], row});
  switch (row) {
  case RowDescriptorSet:
    if (inst[3] != 0)
      return invalid("storage buffer %", inst[1], " is in descriptor set ",
                     inst[3], ", but set 0 is wanted");
    return Status();
  case RowBuiltIn:
    if (inst[3] == BuiltInWorkgroupSize) {
      if (workgroupSizeConstant)
        return invalid("WorkgroupSize decorates two constants");
      workgroupSizeConstant = inst[1];
    } else if (!findBuiltIn(inst[3])) {
      return invalid("BuiltIn ", inst[3],
                     " is none that an executable may use");
    }
    info.decorated = inst[3];
    return Status();
  case RowBinding:
  case RowArrayStride:
    info.decorated = inst[3];
    return Status();
  default:
    return Status();
  }
}

Status Reader::readMemberDecoration(const Words &inst) {
  uint8_t row = 0;
  const Decoration *decoration = findDecoration(inst[3], row);
  if (!decoration || !decoration->ofMembers)
    return invalid("decoration ", inst[3],
                   " is none that members of structs may have");
  DML_TRY(checkId(inst[1]));
  if (inst.count != 4u + decoration->operands)
    return invalid(decoration->name, " has ", inst.count - 4, " operands, but ",
                   unsigned(decoration->operands), " are wanted");
  Member &member = members[{inst[1], inst[2]}];
  if (member.decorations >> row & 1)
    return invalid("member ", inst[2], " of %", inst[1],
                   " is decorated twice with ", decoration->name);
  member.decorations |= 1u << row;
  if (row == RowOffset)
    member.offset = inst[4];
  return Status();
}

/// Whether what is decorated can be.
Status Reader::finishDecorations() {
  for (const DecoratedId &entry : decorated) {
    const Info &info = ids[entry.id];
    const Decoration &decoration = getDecoration(entry.row);
    bool fits = false;
    switch (decoration.target) {
    case DecorationTarget::Value:
      fits = info.type != 0;
      break;
    case DecorationTarget::Variable:
      fits = info.op == OpVariable &&
             word(entry.id, 3) == StorageClassStorageBuffer;
      break;
    case DecorationTarget::Struct:
      fits = info.op == OpTypeStruct;
      break;
    case DecorationTarget::Array:
      fits = info.op == OpTypeArray || info.op == OpTypeRuntimeArray;
      break;
    case DecorationTarget::BuiltIn:
      fits =
          info.decorated == BuiltInWorkgroupSize
              ? info.op == OpConstantComposite
              : info.op == OpVariable && word(entry.id, 3) == StorageClassInput;
      break;
    }
    if (!fits)
      return invalid("%", entry.id, " is decorated with ", decoration.name,
                     ", which fits other things only");
  }
  for (const auto &[key, member] : members)
    if (ids[key.first].op != OpTypeStruct ||
        key.second >= memberCount(key.first))
      return invalid("member ", key.second, " of %", key.first,
                     " is decorated or named, but there is none");
  return Status();
}

Status Reader::finishWorkgroupSize() {
  if (!workgroupSizeConstant)
    return Status();
  uint32_t id = *workgroupSizeConstant;
  Shape shape;
  if (ids[id].op == OpConstantComposite)
    shape = shapeOf(ids[id].type);
  if (shape.kind != 'i' || shape.width != 32 || shape.count != 3)
    return invalid("WorkgroupSize decorates %", id,
                   ", which is no constant of three integers of 32 bits");
  for (EntryPoint &entry : entryPoints) {
    entry.hasLocalSize = true;
    for (uint32_t i = 0; i < 3; ++i) {
      uint32_t member = word(id, 3 + i);
      if (ids[member].op != OpConstant)
        return invalid("WorkgroupSize has a member that is no OpConstant");
      entry.workgroupSize[i] = static_cast<uint32_t>(ids[member].low);
    }
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool Reader::isType(uint32_t id) const {
  return id < bound &&
         ((ids[id].op >= OpTypeVoid && ids[id].op <= OpTypeFunction) ||
          isMatrix(id));
}

bool Reader::isData(uint32_t id) const {
  return isType(id) && ids[id].op >= OpTypeBool &&
         (ids[id].op <= OpTypeStruct || isMatrix(id)) &&
         ids[id].op != OpTypeRuntimeArray;
}

Shape Reader::shapeOf(uint32_t type) const {
  if (type >= bound)
    return {};
  switch (ids[type].op) {
  case OpTypeBool:
    return {'b', 1, 1};
  case OpTypeInt:
    return {'i', word(type, 2), 1};
  case OpTypeFloat:
    return {'f', word(type, 2), 1};
  case OpTypeVector: {
    Shape shape = shapeOf(word(type, 2));
    shape.count = word(type, 3);
    return shape;
  }
  default:
    return {};
  }
}

uint32_t Reader::memberCount(uint32_t type) const {
  return (word(type, 0) >> 16) - 2;
}

Status Reader::findMember(uint32_t &type, uint64_t index) const {
  uint64_t count = 0;
  uint32_t member = 0;
  switch (ids[type].op) {
  case OpTypeVector:
    count = word(type, 3);
    member = word(type, 2);
    break;
  case OpTypeArray:
    count = lengthOf(type);
    member = word(type, 2);
    break;
  case OpTypeStruct:
    count = memberCount(type);
    if (index < count)
      member = word(type, 2 + static_cast<uint32_t>(index));
    break;
  default:
    return invalid("%", type, " is indexed, but is no composite type");
  }
  if (index >= count)
    return invalid("index ", index, " reaches beyond the ", count,
                   " members of %", type);
  type = member;
  return Status();
}

/// A narrow or wide type is valid only beside a capability that allows it.
Status Reader::needFeature(DmlFeatureFlags oneOf, const char *type) const {
  if (features & oneOf)
    return Status();
  return invalid("the type ", type, " needs a capability for it");
}

Status Reader::readType(const Words &inst) {
  uint32_t id = inst[1];
  DML_TRY(define(inst, id));
  Info &info = ids[id];
  info.isLaidOut =
      (info.decorations & (1u << RowArrayStride | 1u << RowBlock)) != 0;
  auto nest = [&](uint32_t element) -> Status {
    if (element == id || !isType(element) || ids[element].op == OpTypeVoid ||
        ids[element].op == OpTypePointer || ids[element].op == OpTypeFunction ||
        isMatrix(element))
      return invalid("%", element, " is no type that another may consist of");
    const Info &inner = ids[element];
    info.isLaidOut |= inner.isLaidOut;
    info.depth = std::max<uint8_t>(info.depth, inner.depth + 1);
    info.alignment = std::max(info.alignment, inner.alignment);
    info.high += inner.high;
    if (info.depth > kMaxTypeDepth || info.high > kMaxLeaves)
      return invalid("the type consists of too many others: at most ",
                     kMaxTypeDepth, " may be nested, of at most ", kMaxLeaves,
                     " members in all");
    return Status();
  };
  switch (inst[0] & 0xffff) {
  case OpTypeVoid:
    return Status();
  case OpTypeBool:
    info.low = info.alignment = 4;
    info.high = 1;
    return Status();
  case OpTypeInt:
  case OpTypeFloat: {
    bool isInt = info.op == OpTypeInt;
    info.low = info.alignment = static_cast<uint8_t>(inst[2] / 8);
    info.high = 1;
    if (isInt && inst[3] > 1)
      return invalid("signedness ", inst[3], ", but 0 or 1 is wanted");
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
    DML_TRY(nest(inst[2]));
    if (shapeOf(inst[2]).count != 1 || ids[inst[2]].op == OpTypeVector)
      return invalid("%", inst[2], " is no scalar");
    if (inst[3] < 2 || inst[3] > 4)
      return invalid("a vector of ", inst[3],
                     " components, but 2 to 4 are possible");
    info.low = multiply(ids[inst[2]].low, inst[3]);
    info.alignment *= inst[3] == 2 ? 2 : 4;
    return Status();
  case OpTypeArray: {
    DML_TRY(nest(inst[2]));
    uint32_t length = inst[3];
    if (length >= bound || ids[length].op != OpConstant ||
        shapeOf(ids[length].type).kind != 'i')
      return invalid("its length is %", length,
                     ", which is no OpConstant of an integer");
    if (ids[length].low == 0 || ids[length].low > INT32_MAX)
      return invalid("its length is ", ids[length].low,
                     ", but 1 to 2147483647 are possible");
    info.low =
        multiply(alignTo(ids[inst[2]].low, info.alignment), ids[length].low);
    // A runtime array has no size, and structs are named for it: no arrays.
    if (ids[inst[2]].low == kUnsized)
      return invalid("its elements are of type %", inst[2],
                     ", which has no size");
    return Status();
  }
  case OpTypeRuntimeArray:
    DML_TRY(nest(inst[2]));
    if (ids[inst[2]].low == kUnsized)
      return invalid("its elements are of type %", inst[2],
                     ", which has no size");
    info.low = kUnsized;
    return Status();
  case OpTypeStruct:
    for (uint32_t i = 2; i < inst.count; ++i) {
      DML_TRY(nest(inst[i]));
      if (auto member = members.find({id, i - 2}); member != members.end())
        info.isLaidOut |= (member->second.decorations >> RowOffset & 1) != 0;
      if (info.low == kUnsized)
        return invalid("a member follows one that has no size");
      if (ids[inst[i]].op == OpTypeStruct && ids[inst[i]].low == kUnsized)
        return invalid("member ", i - 2, " is a struct that has no size");
      info.low =
          add(alignTo(info.low, ids[inst[i]].alignment), ids[inst[i]].low);
    }
    info.low = alignTo(info.low, info.alignment);
    return Status();
  case OpTypePointer:
    if (!findStorageClass(inst[2]))
      return invalid("storage class ", inst[2],
                     " is none that an executable may use");
    if (inst[3] == id || !isType(inst[3]) || ids[inst[3]].op == OpTypeVoid ||
        ids[inst[3]].op == OpTypePointer || ids[inst[3]].op == OpTypeFunction)
      return invalid("%", inst[3], " is no type that a pointer may point to");
    return Status();
  case OpTypeCooperativeMatrixKHR:
    return readMatrixType(inst);
  default:
    // OpTypeFunction: that of an entry point is the only one.
    if (!isType(inst[2]) || ids[inst[2]].op != OpTypeVoid)
      return invalid("a function that returns %", inst[2],
                     ", but void is wanted");
    return Status();
  }
}

/// Reads the type of a cooperative matrix. Values and variables of one thread
/// may have such a type, but other types must not contain it.
Status Reader::readMatrixType(const Words &inst) {
  Info &info = ids[inst[1]];
  Shape component = shapeOf(inst[2]);
  if (component.count != 1 || ids[inst[2]].op == OpTypeVector ||
      component.kind == 'b')
    return invalid("%", inst[2], " is no type of numbers");
  uint64_t numbers[4];
  for (uint32_t i = 0; i < 4; ++i) {
    Expected<uint64_t> number = constantOf(inst[3 + i]);
    if (!number)
      return number.status();
    numbers[i] = *number;
  }
  auto [scope, rows, columns, use] = numbers;
  if (scope != 3)
    return invalid("has the scope ", scope, ", but Subgroup (3) is wanted");
  if (use > 2)
    return invalid("has the use ", use, ", but 0 to 2 are known");
  info.low = multiply(multiply(rows, columns), component.width / 8);
  info.high = 1;
  info.alignment = 1;
  if (info.low == 0 || info.low > kMaxMatrixSize)
    return invalid("has ", rows, " rows of ", columns, " components, but 1 to ",
                   kMaxMatrixSize, " bytes are possible");
  unmultiplied.insert(inst[1]);
  return Status();
}

bool Reader::isConstant(uint32_t id) const {
  return id < bound && ids[id].op >= OpConstantTrue &&
         ids[id].op <= OpConstantNull;
}

/// OpConstantComposite and OpCompositeConstruct.
Status Reader::checkConstituents(const Words &inst, bool constant) {
  uint32_t type = inst[1];
  uint32_t given = inst.count - 3;
  bool isVector = ids[type].op == OpTypeVector;
  uint64_t wanted = 0;
  if (isVector)
    wanted = word(type, 3);
  else if (ids[type].op == OpTypeArray)
    wanted = lengthOf(type);
  else if (ids[type].op == OpTypeStruct)
    wanted = memberCount(type);
  else if (isMatrix(type))
    // All components are the one that is given.
    wanted = 1;
  else
    return invalid("%", type, " is no composite type");
  uint64_t found = 0;
  for (uint32_t i = 0; i < given; ++i) {
    uint32_t id = inst[3 + i], constituent = 0;
    if (constant) {
      if (!isConstant(id))
        return invalid("constituent %", id, " is no constant");
      constituent = ids[id].type;
    } else {
      DML_TRY(useValue(id, constituent));
    }
    uint32_t member = type;
    if (isMatrix(type))
      member = word(type, 2);
    else
      DML_TRY(findMember(member, found));
    if (constituent == member) {
      ++found;
    } else if (isVector && !constant && ids[constituent].op == OpTypeVector &&
               word(constituent, 2) == member) {
      found += word(constituent, 3);
    } else {
      return invalid("constituent %", id, " is not of type %", member);
    }
  }
  if (found != wanted)
    return invalid("has ", found, " constituents, but %", type, " has ",
                   wanted);
  return Status();
}

Status Reader::readConstant(const Words &inst) {
  uint32_t type = inst[1], id = inst[2];
  if (!isData(type) || ids[type].low > kMaxPrivateSize)
    return invalid("%", type, " is no type that a constant may have");
  DML_TRY(define(inst, id, type));
  Info &info = ids[id];
  Shape shape = shapeOf(type);
  switch (info.op) {
  case OpConstantTrue:
  case OpConstantFalse:
    if (ids[type].op != OpTypeBool)
      return invalid("%", type, " is no boolean type");
    return Status();
  case OpConstant: {
    if (shape.count != 1 || shape.kind == 'b' || ids[type].op == OpTypeVector)
      return invalid("%", type, " is no type of numbers");
    if (inst.count != (shape.width == 64 ? 5u : 4u))
      return invalid("has ", inst.count - 3, " words for a number of ",
                     shape.width, " bits");
    uint64_t value = inst[3];
    if (shape.width == 64)
      value |= uint64_t(inst[4]) << 32;
    else if (shape.width < 32)
      value &= (uint64_t(1) << shape.width) - 1;
    info.low = info.high = value;
    return Status();
  }
  case OpConstantComposite:
    return checkConstituents(inst, true);
  default:
    // An undefined value may be a different number at each use, even after it
    // was limited as an index. It is therefore replaced by 0.
    info.op = OpConstantNull;
    words[inst.at] = inst.count << 16 | OpConstantNull;
    setRange(id, {0, 0});
    return Status();
  }
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

Status Reader::readVariable(const Words &inst) {
  uint32_t type = inst[1], id = inst[2], storageClass = inst[3];
  if (!isType(type) || ids[type].op != OpTypePointer ||
      word(type, 2) != storageClass)
    return invalid("%", type, " is no type of pointers of storage class ",
                   storageClass);
  DML_TRY(define(inst, id, type));
  uint32_t pointee = word(type, 3);
  if ((storageClass == StorageClassFunction) != inFunction)
    return invalid("a variable of storage class ",
                   findStorageClass(storageClass), " stands ",
                   inFunction ? "within" : "outside of", " a function");
  // A driver may believe it, and then elements lie beyond the variable.
  if (storageClass != StorageClassStorageBuffer && ids[pointee].isLaidOut)
    return invalid("type %", pointee,
                   " says where its elements lie, as in a buffer, which "
                   "variables of storage class ",
                   findStorageClass(storageClass), " do not");
  bool isPrivate = storageClass == StorageClassPrivate ||
                   storageClass == StorageClassFunction;
  if (inst.count == 5 &&
      (!isPrivate || !isConstant(inst[4]) || ids[inst[4]].type != pointee))
    return invalid("%", inst[4], " cannot initialize the variable");
  if (isMatrix(pointee) && !isPrivate)
    return invalid("cooperative matrices stand in memory that is no thread's "
                   "own");
  uint64_t size = ids[pointee].low;
  if (isPrivate) {
    uint64_t &sum =
        storageClass == StorageClassPrivate ? privateSize : functionSize;
    if (size > kMaxPrivateSize ||
        privateSize + functionSize + size > kMaxPrivateSize)
      return invalid("the variables of an invocation have more than ",
                     kMaxPrivateSize, " bytes");
    sum += size;
    if (inst.count == 4)
      uninitialized.push_back({inst.at, pointee});
    return Status();
  }
  if (storageClass == StorageClassInput)
    return readInput(id);
  if (storageClass == StorageClassWorkgroup && size > UINT32_MAX)
    return invalid("workgroup variable %", id, " has no size");
  variables.push_back(id);
  return Status();
}

Status Reader::readInput(uint32_t id) {
  Info &info = ids[id];
  const BuiltInVariable *builtIn = nullptr;
  if (info.decorations >> RowBuiltIn & 1)
    builtIn = findBuiltIn(info.decorated);
  if (!builtIn)
    return invalid("variable %", id,
                   " is an input without a BuiltIn that there is");
  Shape shape = shapeOf(word(info.type, 3));
  if (shape.kind != 'i' || shape.width != 32 ||
      shape.count != builtIn->components)
    return invalid(builtIn->name,
                   " has the wrong type: ", unsigned(builtIn->components),
                   " integers of 32 bits are wanted");
  if (builtIn->capability != 0 && capabilities.count(builtIn->capability) == 0)
    return invalid(builtIn->name, " needs capability ", builtIn->capability,
                   ", which the module does not declare");
  if (!builtIns.insert(info.decorated).second)
    return invalid("two variables are ", builtIn->name);
  info.builtIn = static_cast<uint8_t>(info.decorated);
  return Status();
}

/// The bytes of a type in a buffer, where everything says where it lies.
Expected<uint64_t> Reader::layOut(uint32_t type) {
  const Info &info = ids[type];
  auto known = layouts.find(type);
  if (known != layouts.end())
    return known->second;
  uint64_t size = info.low;
  switch (info.op) {
  case OpTypeInt:
  case OpTypeFloat:
    return size;
  case OpTypeVector:
    if (shapeOf(type).kind == 'b')
      return invalid("a storage buffer holds booleans, which have no size");
    return size;
  case OpTypeArray:
  case OpTypeRuntimeArray: {
    Expected<uint64_t> element = layOut(word(type, 2));
    if (!element)
      return element;
    if (!(info.decorations >> RowArrayStride & 1) ||
        info.decorated < *element || info.decorated % info.alignment != 0)
      return invalid("array %", type,
                     " in a storage buffer has the "
                     "ArrayStride ",
                     info.decorated, ", but its elements have ", *element,
                     " bytes");
    size = info.op == OpTypeArray ? multiply(info.decorated, lengthOf(type))
                                  : kUnsized;
    break;
  }
  case OpTypeStruct:
    size = 0;
    for (uint32_t i = 0; i < memberCount(type); ++i) {
      uint32_t memberType = word(type, 2 + i);
      Expected<uint64_t> member = layOut(memberType);
      if (!member)
        return member;
      auto decoration = members.find({type, i});
      if (decoration == members.end() ||
          !(decoration->second.decorations >> RowOffset & 1))
        return invalid("member ", i, " of %", type,
                       " in a storage buffer has no Offset");
      uint64_t offset = decoration->second.offset;
      if (offset < size || offset % ids[memberType].alignment != 0)
        return invalid("member ", i, " of %", type, " has the Offset ", offset,
                       ", but at least ", size, " and a multiple of ",
                       unsigned(ids[memberType].alignment), " is wanted");
      size = add(offset, *member);
    }
    break;
  default:
    return invalid("a storage buffer holds booleans, which have no size");
  }
  layouts[type] = size;
  return size;
}

Status Reader::finishGlobals() {
  globalsFinished = true;
  if (!hasMemoryModel)
    return invalid("there is no OpMemoryModel");
  for (uint32_t id : variables) {
    const Info &info = ids[id];
    if (word(id, 3) != StorageClassStorageBuffer)
      continue;
    if (!(info.decorations >> RowDescriptorSet & 1) ||
        !(info.decorations >> RowBinding & 1))
      return invalid("storage buffer %", id,
                     " has no descriptor set or no binding");
    uint32_t block = word(info.type, 3);
    if (ids[block].op != OpTypeStruct ||
        !(ids[block].decorations >> RowBlock & 1))
      return invalid("storage buffer %", id, " is of type %", block,
                     ", which is no struct decorated with Block");
    Expected<uint64_t> size = layOut(block);
    if (!size)
      return size.status();
  }
  return finishWorkgroupSize();
}

Status Reader::finishEntryPoints(SPIRVModule &module) {
  // Vulkan does not define the order of variables, so that each may begin at a
  // multiple of the largest alignment. A byte and four words thus take 32
  // bytes.
  uint64_t alignment = 1;
  for (uint32_t id : variables)
    if (word(id, 3) == StorageClassWorkgroup)
      alignment =
          std::max<uint64_t>(alignment, ids[word(ids[id].type, 3)].alignment);
  auto count = [&](uint32_t id, SPIRVEntryPoint &entry) {
    if (word(id, 3) == StorageClassWorkgroup)
      entry.sharedMemorySize +=
          alignTo(ids[word(ids[id].type, 3)].low, alignment);
    else if (word(id, 3) == StorageClassStorageBuffer)
      entry.bindingCount = std::max<uint64_t>(entry.bindingCount,
                                              uint64_t(ids[id].decorated) + 1);
  };
  // From version 1.4 on, an entry point lists all variables that it uses. In
  // earlier versions, it lists only some of them.
  SPIRVEntryPoint all;
  if (version < kVersion14)
    for (uint32_t id : variables)
      count(id, all);
  for (const EntryPoint &entry : entryPoints) {
    if (!entry.hasFunction)
      return invalid("entry point '", escape(entry.name), "' has no function");
    if (!entry.hasLocalSize)
      return invalid("entry point '", escape(entry.name), "' has no LocalSize");
    SPIRVEntryPoint &result = module.entryPoints[entry.name];
    result = all;
    result.workgroupSize = entry.workgroupSize;
    result.written = entry.written;
    result.hasLoops = entry.hasLoops;
    if (version >= kVersion14)
      for (uint32_t i = entry.begin; i < entry.end; ++i)
        count(words[i], result);
  }
  return Status();
}

/// Writes zeros into variables that have nothing in them.
Status Reader::initializeVariables() {
  if (uninitialized.empty())
    return Status();
  std::vector<uint32_t> result, constants;
  std::map<uint32_t, uint32_t> zeros;
  uint32_t next = bound;
  // The zeros that initialize functions' variables are constants, which are
  // placed in front of all functions.
  for (const Uninitialized &variable : uninitialized)
    if (variable.at >= globalsEnd &&
        zeros.try_emplace(variable.type, next).second)
      constants.insert(constants.end(),
                       {3u << 16 | OpConstantNull, variable.type, next++});
  result.reserve(words.size() + constants.size() + 4 * uninitialized.size());
  uint32_t done = 0;
  auto copyTo = [&](uint32_t end) {
    result.insert(result.end(), words.begin() + done, words.begin() + end);
    done = end;
  };
  auto initialize = [&](const Uninitialized &variable, uint32_t zero) {
    copyTo(variable.at + 4);
    result[result.size() - 4] = 5u << 16 | OpVariable;
    result.push_back(zero);
  };
  auto variable = uninitialized.begin();
  for (; variable != uninitialized.end() && variable->at < globalsEnd;
       ++variable) {
    copyTo(variable->at);
    result.insert(result.end(),
                  {3u << 16 | OpConstantNull, variable->type, next});
    initialize(*variable, next++);
  }
  copyTo(globalsEnd);
  result.insert(result.end(), constants.begin(), constants.end());
  for (; variable != uninitialized.end(); ++variable)
    initialize(*variable, zeros.at(variable->type));
  copyTo(static_cast<uint32_t>(words.size()));
  if (next > kMaxBound)
    return invalid("has the id bound ", bound, ", and needs ", next - bound,
                   " ids more for what the runtime adds, but at most ",
                   kMaxBound, " are possible");
  result[3] = next;
  words = std::move(result);
  return Status();
}

const SPIRVEntryPoint *
SPIRVModule::findEntryPoint(const std::string &name) const {
  auto found = entryPoints.find(name);
  return found == entryPoints.end() ? nullptr : &found->second;
}

Expected<SPIRVModule>
dml::runtime::readSPIRVModule(std::vector<uint32_t> &words) {
  return Reader(words).read();
}
