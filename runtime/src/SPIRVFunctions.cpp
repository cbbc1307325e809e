//===- SPIRVFunctions.cpp - The functions of a SPIR-V module --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Instructions are checked one by one as they come, for the types of what they
// use; that the blocks are well formed, and that what is defined in one may be
// used in another, when a function ends.
//
//===----------------------------------------------------------------------===//

#include "DataType.h"
#include "SPIRVReader.h"

#include <algorithm>

using namespace dml::runtime;
using namespace dml::runtime::spirv;

namespace {

/// The largest number of bytes in a value: two vectors. Drivers divide values
/// into scalars, so that a small module with large values would become huge.
constexpr uint64_t kMaxValueSize = 64;

uint64_t maskOf(uint32_t width) {
  return width >= 64 ? UINT64_MAX : (uint64_t(1) << width) - 1;
}

} // namespace

//===----------------------------------------------------------------------===//
// Functions and blocks
//===----------------------------------------------------------------------===//

Status Reader::readFunction(const Words &inst) {
  uint32_t id = inst[2];
  auto found = functions.find(id);
  if (found == functions.end())
    return invalid("%", id,
                   " is the function of no entry point, and no "
                   "function may call another");
  DML_TRY(define(inst, id));
  if (!isType(inst[4]) || ids[inst[4]].op != OpTypeFunction ||
      word(inst[4], 2) != inst[1])
    return invalid("%", inst[4],
                   " is not the type of a function that returns "
                   "%",
                   inst[1]);
  if (inst[3] > 15)
    return invalid("function control ", inst[3], ", but at most 15 is known");
  entryPoint = found->second;
  EntryPoint &entry = entryPoints[entryPoint];
  entry.hasFunction = true;
  for (uint32_t i = entry.begin; i < entry.end; ++i) {
    Info &info = ids[words[i]];
    if (info.op != OpVariable || info.block != 0 ||
        (version < kVersion14 && info.builtIn == 0))
      return invalid("entry point '", escape(entry.name), "' lists %", words[i],
                     ", which is no variable that it may list");
    if (info.listed == entryPoint + 1)
      return invalid("entry point '", escape(entry.name), "' lists %", words[i],
                     " twice");
    info.listed = entryPoint + 1;
  }
  inFunction = true;
  inBlock = false;
  functionSize = 0;
  return Status();
}

Status Reader::finishFunction() {
  if (inBlock)
    return invalid("block %", blocks.back().label, " does not end");
  if (blocks.empty())
    return invalid("the function has no blocks");
  inFunction = false;
  auto resolve = [&](uint32_t &target) -> Status {
    if (target == kNoBlock)
      return Status();
    if (target >= bound || ids[target].op != OpLabel ||
        ids[target].block <= firstBlock)
      return invalid("%", target, " is no block of this function");
    target = ids[target].block - 1 - firstBlock;
    return Status();
  };
  for (Block &block : blocks) {
    for (uint32_t &next : block.successors)
      DML_TRY(resolve(next));
    DML_TRY(resolve(block.merge));
    DML_TRY(resolve(block.continueTarget));
  }
  auto count = static_cast<uint32_t>(blocks.size());
  ControlFlow flow;
  DML_TRY(flow.analyze(std::move(blocks)));
  for (const Use &use : uses) {
    uint32_t from = use.definition - 1 - firstBlock;
    uint32_t to = use.use - 1 - firstBlock;
    // Unreachable blocks are empty and use nothing.
    if (!flow.isReachable(from) || !flow.dominates(from, to))
      return invalid("block %", flow.blocks()[to].label,
                     " uses a value of block %", flow.blocks()[from].label,
                     ", which not every way to it crosses");
  }
  DML_TRY(finishPhis(flow));
  DML_TRY(finishCounters(flow));
  firstBlock += count;
  blocks.clear();
  uses.clear();
  phis.clear();
  sums.clear();
  hasSums = false;
  counters.clear();
  counting.clear();
  return Status();
}

/// A phi has one value for each block that its own block is reached from.
Status Reader::finishPhis(const ControlFlow &flow) {
  // The last phi that a block was met in, and the last block it leads to.
  std::vector<uint32_t> seen(flow.blocks().size(), 0);
  std::vector<uint32_t> leadsTo(flow.blocks().size(), 0);
  uint32_t prepared = kNoBlock;
  for (const Phi &phi : phis) {
    Words inst{&words[phi.at], words[phi.at] >> 16, phi.at};
    auto wrong = [&](const auto &...why) {
      return invalid("OpPhi %", inst[2], ": ", why...);
    };
    const std::vector<uint32_t> &predecessors = flow.predecessors(phi.block);
    if (prepared != phi.block) {
      prepared = phi.block;
      for (uint32_t predecessor : predecessors)
        leadsTo[predecessor] = phi.block + 1;
    }
    if ((inst.count - 3) / 2 != predecessors.size())
      return wrong("has ", (inst.count - 3) / 2,
                   " values, but its block is "
                   "reached from ",
                   predecessors.size(), " blocks");
    for (uint32_t i = 3; i < inst.count; i += 2) {
      uint32_t value = inst[i], label = inst[i + 1];
      if (label >= bound || ids[label].op != OpLabel ||
          ids[label].block <= firstBlock)
        return wrong("%", label, " is no block of this function");
      uint32_t from = ids[label].block - 1 - firstBlock;
      if (leadsTo[from] != phi.block + 1 || seen[from] == phi.at)
        return wrong("%", label,
                     " is no block that its own is reached from, "
                     "or stands there twice");
      seen[from] = phi.at;
      if (value >= bound || ids[value].op == 0 || ids[value].type != inst[1])
        return wrong("%", value, " is not of type %", inst[1]);
      uint32_t block = ids[value].block;
      if (block == 0)
        continue;
      if (block <= firstBlock)
        return wrong("%", value, " is a value of another function");
      if (flow.isReachable(from) &&
          (!flow.isReachable(block - 1 - firstBlock) ||
           !flow.dominates(block - 1 - firstBlock, from)))
        return wrong("%", value, " is not defined on every way to block %",
                     label);
    }
  }
  return Status();
}

/// The ranges of counters hold in blocks that the loop's body dominates.
Status Reader::finishCounters(const ControlFlow &flow) {
  for (const auto &[phi, counter] : counters) {
    uint32_t header = counter.header - 1 - firstBlock;
    uint32_t body = ids[counter.body].block - 1 - firstBlock;
    if (!flow.isReachable(header))
      continue;
    // The phi has been compared where the way into the body is the header's.
    for (uint32_t from : flow.predecessors(body))
      if (from != header && flow.isReachable(from) &&
          !flow.dominates(body, from))
        return invalid("block %", counter.body,
                       ", which a loop goes on with, is jumped to from block %",
                       flow.blocks()[from].label, ", too");
    for (uint32_t use : counter.uses)
      if (!flow.dominates(body, use - 1 - firstBlock))
        return invalid("block %", flow.blocks()[use - 1 - firstBlock].label,
                       " uses %", phi,
                       ", which counts a loop's rounds, and "
                       "stands within the loop, but does not belong to it");
  }
  return Status();
}

void Reader::endCounting(uint32_t phi) {
  ids[phi].isCounting = false;
  setRange(phi, {0, UINT64_MAX});
}

Status Reader::readLabel(const Words &inst) {
  if (inBlock)
    return invalid("block %", blocks.back().label,
                   " does not end before the next begins");
  DML_TRY(define(inst, inst[1]));
  if (auto found = counting.find(inst[1]); found != counting.end()) {
    endCounting(found->second);
    counting.erase(found);
  }
  mayDeclare = blocks.empty();
  mayPhi = !blocks.empty();
  blocks.emplace_back();
  blocks.back().label = inst[1];
  ids[inst[1]].block = firstBlock + static_cast<uint32_t>(blocks.size());
  inBlock = true;
  hasMerge = false;
  return Status();
}

/// Refuses the target of a jump whose id is beyond the bound. One such id is
/// kNoBlock, which would be taken for no target.
static Status checkTarget(uint32_t target, uint32_t bound) {
  if (target >= bound)
    return invalid("%", target, " is no block of this function");
  return Status();
}

Status Reader::readMerge(const Words &inst) {
  Block &block = blocks.back();
  bool isLoop = (inst[0] & 0xffff) == OpLoopMerge;
  DML_TRY(checkTarget(inst[1], bound));
  if (isLoop)
    DML_TRY(checkTarget(inst[2], bound));
  block.merge = inst[1];
  if (isLoop) {
    block.continueTarget = inst[2];
    entryPoints[entryPoint].hasLoops = true;
  }
  uint32_t control = inst[isLoop ? 3 : 2];
  // Unroll and DontUnroll; Flatten and DontFlatten.
  if (control > 2)
    return invalid("control ", control, " is unknown");
  hasMerge = true;
  return Status();
}

Status Reader::readBlockEnd(const Words &inst) {
  Block &block = blocks.back();
  inBlock = false;
  switch (inst[0] & 0xffff) {
  case OpBranch:
    DML_TRY(checkTarget(inst[1], bound));
    block.end = BlockEnd::Branch;
    block.successors[0] = inst[1];
    return Status();
  case OpBranchConditional: {
    DML_TRY(checkTarget(inst[2], bound));
    DML_TRY(checkTarget(inst[3], bound));
    block.end = BlockEnd::Branch;
    block.isConditional = true;
    block.isEmpty = false;
    block.successors[0] = inst[2];
    if (inst[3] != inst[2])
      block.successors[1] = inst[3];
    uint32_t type = 0;
    DML_TRY(useValue(inst[1], type));
    if (ids[type].op != OpTypeBool)
      return invalid("condition %", inst[1], " is no boolean");
    beginCounting(inst);
    return Status();
  }
  default:
    block.end = (inst[0] & 0xffff) == OpReturn ? BlockEnd::Return
                                               : BlockEnd::Unreachable;
    if (hasMerge)
      return invalid("stands after a merge instruction");
    return Status();
  }
}

/// Begins to count the iterations of a loop. If the loop's header ends with the
/// condition "continue while this phi is below that value", and the phi grows
/// by a constant, the phi has a known range from here on (see Counter).
void Reader::beginCounting(const Words &inst) {
  const Block &block = blocks.back();
  uint32_t condition = inst[1], body = inst[2], merge = block.merge;
  if (block.continueTarget == kNoBlock || inst[3] != merge || body == merge)
    return;
  bool isSigned = ids[condition].op == OpSLessThan;
  if (!isSigned && ids[condition].op != OpULessThan)
    return;
  uint32_t phi = word(condition, 3), header = ids[block.label].block;
  if (ids[phi].op != OpPhi || ids[phi].block != header ||
      words[ids[phi].at] >> 16 != 7)
    return;
  // What the phi begins with has been read, and what it goes on with has not.
  uint32_t first = word(phi, 3), next = word(phi, 5);
  if (first >= bound || ids[first].op == 0)
    std::swap(first, next);
  std::optional<uint64_t> step = findStep(phi, next);
  if (first >= bound || ids[first].op == 0 ||
      ids[first].type != ids[phi].type || ids[first].isCounting || !step)
    return;
  uint32_t width = shapeOf(ids[phi].type).width;
  uint64_t most = isSigned ? maskOf(width) >> 1 : maskOf(width);
  Range begin = rangeOf(first);
  uint64_t end = ids[word(condition, 4)].high;
  if (begin.high >= end || end > most)
    return;
  uint64_t last = end - 1;
  if (begin.low == begin.high)
    last -= (last - begin.low) % *step;
  if (*step > most || last > most - *step ||
      !counting.try_emplace(merge, phi).second)
    return;
  counters[phi] = {header, body, {}};
  ids[phi].isCounting = true;
  setRange(phi, {begin.low, last});
}

/// The constant that a value still to be read adds to `phi`, where it does.
std::optional<uint64_t> Reader::findStep(uint32_t phi, uint32_t value) {
  // The sums of a function are looked for once.
  if (!hasSums)
    for (size_t at = ids[phi].at; at < words.size();) {
      uint32_t opcode = words[at] & 0xffff, count = words[at] >> 16;
      if (count == 0 || count > words.size() - at || opcode == OpFunctionEnd)
        break;
      if (opcode == OpIAdd && count == 5)
        sums.try_emplace(words[at + 2], static_cast<uint32_t>(at));
      at += count;
    }
  hasSums = true;
  auto found = sums.find(value);
  if (found == sums.end() || value >= bound || ids[value].op != 0)
    return std::nullopt;
  uint32_t lhs = words[found->second + 3], rhs = words[found->second + 4];
  if (lhs != phi)
    std::swap(lhs, rhs);
  if (lhs != phi || rhs >= bound || ids[rhs].op != OpConstant ||
      ids[rhs].type != ids[phi].type || ids[rhs].low == 0)
    return std::nullopt;
  return ids[rhs].low;
}

Status Reader::readBody(const Words &inst, const Instruction &rule) {
  if (rule.opcode == OpFunctionEnd)
    return finishFunction();
  if (rule.opcode == OpLabel)
    return readLabel(inst);
  if (!inBlock)
    return invalid("stands outside of any block");
  bool isEnd = rule.opcode >= OpBranch && rule.opcode <= OpUnreachable;
  if (isEnd)
    return readBlockEnd(inst);
  if (hasMerge)
    return invalid("stands between a merge instruction and the jump that "
                   "belongs to it");
  if (rule.opcode == OpLoopMerge || rule.opcode == OpSelectionMerge)
    return readMerge(inst);
  blocks.back().isEmpty = false;
  if (rule.opcode == OpVariable) {
    if (!mayDeclare)
      return invalid("stands after other instructions, or not in the first "
                     "block");
    DML_TRY(readVariable(inst));
    ids[inst[2]].block = ids[blocks.back().label].block;
    return Status();
  }
  mayDeclare = false;
  if (rule.opcode == OpPhi)
    return readPhi(inst);
  mayPhi = false;
  switch (rule.opcode) {
  case OpLoad:
    return readLoad(inst);
  case OpStore:
    return readStore(inst);
  case OpAccessChain:
  case OpInBoundsAccessChain:
    return readAccessChain(inst);
  case OpArrayLength:
    return readArrayLength(inst);
  case OpControlBarrier:
  case OpMemoryBarrier:
    return readBarrier(inst);
  case OpCooperativeMatrixLoadKHR:
  case OpCooperativeMatrixStoreKHR:
    return readMatrixAccess(inst);
  case OpCooperativeMatrixMulAddKHR:
    return readMatrixProduct(inst);
  case OpExtInst:
    return readExtInst(inst);
  case OpVectorExtractDynamic:
  case OpVectorInsertDynamic:
  case OpVectorShuffle:
  case OpCompositeConstruct:
  case OpCompositeExtract:
  case OpCompositeInsert:
    return readComposite(inst);
  default:
    if (!rule.signature)
      return invalid("stands within a function");
    return checkSignature(inst, rule, 3);
  }
}

//===----------------------------------------------------------------------===//
// Definitions and uses
//===----------------------------------------------------------------------===//

void Reader::use(uint32_t id) {
  uint32_t current = ids[blocks.back().label].block;
  if (ids[id].block == 0 || ids[id].block == current)
    return;
  uses.push_back({ids[id].block, current});
  if (ids[id].isCounting)
    counters.at(id).uses.push_back(current);
}

Status Reader::useValue(uint32_t id, uint32_t &type) {
  if (id >= bound || ids[id].op == 0)
    return invalid("%", id, " is used before it is defined");
  type = ids[id].type;
  if (type == 0 || ids[type].op == OpTypePointer)
    return invalid("%", id, " is no value");
  if (ids[id].block != 0 && ids[id].block <= firstBlock)
    return invalid("%", id, " is a value of another function");
  use(id);
  return Status();
}

Status Reader::usePointer(uint32_t id, uint32_t &storageClass,
                          uint32_t &pointee) {
  if (id >= bound || ids[id].op == 0)
    return invalid("%", id, " is used before it is defined");
  const Info &info = ids[id];
  if (info.type == 0 || ids[info.type].op != OpTypePointer)
    return invalid("%", id, " is no pointer");
  if (info.block != 0 && info.block <= firstBlock)
    return invalid("%", id, " is a pointer of another function");
  storageClass = word(info.type, 2);
  pointee = word(info.type, 3);
  if (info.op == OpVariable && info.block == 0 &&
      info.listed != entryPoint + 1 &&
      (version >= kVersion14 || storageClass == StorageClassInput))
    return invalid("variable %", id, " is not listed by the entry point");
  use(id);
  return Status();
}

Status Reader::defineValue(const Words &inst) {
  if (ids[inst[1]].op != OpTypePointer && !isMatrix(inst[1]) &&
      ids[inst[1]].low > kMaxValueSize)
    return invalid("its result is of type %", inst[1], ", which has ",
                   ids[inst[1]].low, " bytes, but at most ", kMaxValueSize,
                   " are possible");
  DML_TRY(define(inst, inst[2], inst[1]));
  ids[inst[2]].block = ids[blocks.back().label].block;
  setRange(inst[2], {0, UINT64_MAX});
  return Status();
}

Expected<uint64_t> Reader::constantOf(uint32_t id) const {
  if (id >= bound || ids[id].op != OpConstant ||
      shapeOf(ids[id].type).kind != 'i')
    return invalid("%", id, " is no OpConstant of an integer");
  return ids[id].low;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Status Reader::readMemoryOperand(const Words &inst, uint32_t first) const {
  // A driver may believe in an alignment (Aligned).
  constexpr uint32_t kVolatile = 1, kNontemporal = 4, kNonPrivatePointer = 0x20;
  uint32_t allowed = kVolatile | kNontemporal |
                     (hasVulkanMemoryModel ? kNonPrivatePointer : 0);
  if (inst.count > first + 1 || (inst.count > first && inst[first] & ~allowed))
    return invalid("has a memory operand other than Volatile, Nontemporal and, "
                   "in the Vulkan memory model, NonPrivatePointer");
  return Status();
}

Status Reader::readLoad(const Words &inst) {
  uint32_t storageClass = 0, pointee = 0;
  DML_TRY(usePointer(inst[3], storageClass, pointee));
  DML_TRY(readMemoryOperand(inst, 4));
  if (pointee != inst[1])
    return invalid("loads type %", inst[1], " from a pointer to %", pointee);
  if (!isData(pointee))
    return invalid("%", pointee, " is no type that values have");
  DML_TRY(defineValue(inst));
  const Info &pointer = ids[inst[3]];
  Info &info = ids[inst[2]];
  if (storageClass != StorageClassInput)
    return Status();
  if (pointer.op != OpVariable)
    setRange(inst[2], rangeOf(inst[3]));
  else if (info.builtIn = pointer.builtIn; shapeOf(pointee).count == 1)
    setRange(inst[2], rangeOfBuiltIn(info.builtIn, 0));
  return Status();
}

Status Reader::readStore(const Words &inst) {
  uint32_t storageClass = 0, pointee = 0, type = 0;
  DML_TRY(usePointer(inst[1], storageClass, pointee));
  DML_TRY(useValue(inst[2], type));
  DML_TRY(readMemoryOperand(inst, 3));
  if (storageClass == StorageClassInput)
    return invalid("stores to an input");
  if (pointee != type)
    return invalid("stores type %", type, " to a pointer to %", pointee);
  if (!isData(pointee) ||
      (!isMatrix(pointee) && ids[pointee].low > kMaxValueSize))
    return invalid("stores more than ", kMaxValueSize, " bytes at once");
  if (storageClass == StorageClassStorageBuffer)
    entryPoints[entryPoint].written.insert(ids[variableOf(inst[1])].decorated);
  return Status();
}

/// The variable that a pointer points into.
uint32_t Reader::variableOf(uint32_t pointer) const {
  return ids[pointer].op == OpVariable ? pointer : ids[pointer].variable;
}

/// Checks an index into `length` elements. A constant must be smaller. Any
/// other index must be provably smaller, unless `mayReach` is set, since robust
/// access to buffers handles indices that are not.
Status Reader::checkIndex(const Words &inst, uint32_t operand, uint64_t length,
                          bool mayReach) {
  uint32_t id = inst[operand];
  const Info &info = ids[id];
  Shape shape = shapeOf(info.type);
  if (shape.kind != 'i' || ids[info.type].op != OpTypeInt)
    return invalid("index %", id, " is no integer");
  // Indices are signed.
  uint64_t end = std::min(length, uint64_t(1) << (shape.width - 1));
  bool isConstant = info.op == OpConstant;
  if (info.high < end || (mayReach && !isConstant))
    return Status();
  if (isConstant)
    return invalid("index ", info.low, " reaches beyond the ", length,
                   " elements");
  if (!unproven)
    return invalid("kernel '", escape(entryPoints[entryPoint].name),
                   "': index %", id, " may be anything from ", info.low, " to ",
                   info.high, ", but there are ", length, " elements");
  unproven->indices.push_back(
      {inst.at, operand, info.type, shape.width, end - 1});
  return Status();
}

Status Reader::readAccessChain(const Words &inst) {
  uint32_t storageClass = 0, type = 0, result = inst[1];
  DML_TRY(usePointer(inst[3], storageClass, type));
  // Elements that there are from the last one indexed on.
  uint64_t left = 0;
  for (uint32_t i = 4; i < inst.count; ++i) {
    uint32_t indexType = 0;
    DML_TRY(useValue(inst[i], indexType));
    left = 0;
    switch (ids[type].op) {
    case OpTypeStruct: {
      Expected<uint64_t> member = constantOf(inst[i]);
      if (!member)
        return member.status();
      DML_TRY(findMember(type, *member));
      break;
    }
    case OpTypeVector:
      DML_TRY(checkIndex(inst, i, word(type, 3), false));
      type = word(type, 2);
      break;
    case OpTypeArray:
      DML_TRY(checkIndex(inst, i, lengthOf(type),
                         storageClass == StorageClassStorageBuffer));
      if (ids[inst[i]].high < lengthOf(type))
        left = lengthOf(type) - ids[inst[i]].high;
      type = word(type, 2);
      break;
    case OpTypeRuntimeArray:
      DML_TRY(checkIndex(inst, i, INT32_MAX, true));
      type = word(type, 2);
      break;
    default:
      return invalid("%", type, " is indexed, but is no composite type");
    }
  }
  if (!isType(result) || ids[result].op != OpTypePointer ||
      word(result, 2) != storageClass || word(result, 3) != type)
    return invalid("%", result,
                   " is not the type of a pointer of storage "
                   "class ",
                   findStorageClass(storageClass), " to %", type);
  DML_TRY(defineValue(inst));
  ids[inst[2]].variable = variableOf(inst[3]);
  const Info &base = ids[inst[3]];
  if (storageClass == StorageClassWorkgroup)
    ids[inst[2]].low = left;
  if (storageClass == StorageClassInput && base.op == OpVariable) {
    const Info &index = ids[inst[4]];
    setRange(inst[2], index.op == OpConstant
                          ? rangeOfBuiltIn(base.builtIn,
                                           static_cast<uint32_t>(index.low))
                          : Range{0, UINT64_MAX});
  }
  return Status();
}

Status Reader::readArrayLength(const Words &inst) {
  uint32_t storageClass = 0, type = 0;
  DML_TRY(usePointer(inst[3], storageClass, type));
  Shape shape = shapeOf(inst[1]);
  if (shape.kind != 'i' || shape.width != 32 || shape.count != 1)
    return invalid("its type is not an integer of 32 bits");
  if (storageClass != StorageClassStorageBuffer ||
      ids[type].op != OpTypeStruct || inst[4] + 1 != memberCount(type) ||
      ids[word(type, 2 + inst[4])].op != OpTypeRuntimeArray)
    return invalid("member ", inst[4], " of %", type,
                   " is no runtime array of a storage buffer");
  return defineValue(inst);
}

Status Reader::readBarrier(const Words &inst) {
  bool isControl = (inst[0] & 0xffff) == OpControlBarrier;
  for (uint32_t i = 1; i + 1 < inst.count; ++i) {
    Expected<uint64_t> scope = constantOf(inst[i]);
    if (!scope)
      return scope.status();
    // Device (of memory alone), Workgroup, Subgroup.
    // The Vulkan memory model has Device with a capability of its own.
    bool isExecution = isControl && i == 1;
    if (*scope < (isExecution || hasVulkanMemoryModel ? 2u : 1u) || *scope > 3)
      return invalid("has the scope ", *scope,
                     ", but Workgroup (2) or Subgroup (3) is wanted");
  }
  Expected<uint64_t> semantics = constantOf(inst[inst.count - 1]);
  if (!semantics)
    return semantics.status();
  // Acquire, Release or both, of buffers and workgroup memory.
  uint64_t order = *semantics & 0xe;
  // MakeAvailable goes with Release, and MakeVisible with Acquire.
  uint64_t made = hasVulkanMemoryModel ? *semantics & 0x6000 : 0;
  bool isMade = !((made & 0x2000) && !(order & 0xc)) &&
                !((made & 0x4000) && !(order & 0xa));
  if (*semantics & ~(uint64_t(0x14e) | made) || !isMade ||
      (order & (order - 1)) != 0 || (order == 0) != ((*semantics & 0x140) == 0))
    return invalid("has the memory semantics ", *semantics,
                   ", which are none that an executable may use");
  return Status();
}

/// Reads a load or a store of a cooperative matrix. Its memory must be an array
/// in workgroup memory, since only the sizes of such arrays are known, and the
/// whole matrix must provably lie within the array.
Status Reader::readMatrixAccess(const Words &inst) {
  bool isLoad = (inst[0] & 0xffff) == OpCooperativeMatrixLoadKHR;
  uint32_t pointer = inst[isLoad ? 3 : 1];
  uint32_t storageClass = 0, pointee = 0, type = inst[1];
  DML_TRY(usePointer(pointer, storageClass, pointee));
  if (!isLoad)
    DML_TRY(useValue(inst[2], type));
  if (!isMatrix(type))
    return invalid("%", type, " is no type of cooperative matrices");
  // The operands behind the pointer and the matrix.
  uint32_t layoutAt = isLoad ? 4 : 3;
  DML_TRY(readMemoryOperand(inst, layoutAt + 2));
  Expected<uint64_t> layout = constantOf(inst[layoutAt]);
  if (!layout)
    return layout.status();
  if (*layout > 1)
    return invalid("has the layout ", *layout,
                   ", but rows (0) or columns (1) are wanted");
  Expected<uint64_t> stride = constantOf(inst[layoutAt + 1]);
  if (!stride)
    return stride.status();
  // Vulkan requires that lines begin at multiples of 16 bytes, or of the line's
  // size if that is smaller.
  constexpr uint64_t kVectorSize = 16;
  if (storageClass != StorageClassWorkgroup ||
      ids[pointee].op != OpTypeVector || ids[pointee].low != kVectorSize)
    return invalid("%", pointer, " points to %", pointee,
                   ", but an element of an array of vectors of ", kVectorSize,
                   " bytes in workgroup memory is wanted");
  uint64_t lines = ids[word(type, 4)].low, inLine = ids[word(type, 5)].low;
  if (*layout == 1)
    std::swap(lines, inLine);
  uint64_t bytes = inLine * (shapeOf(word(type, 2)).width / 8);
  uint64_t line = (bytes + kVectorSize - 1) / kVectorSize;
  // The factors are of 32 bits at most, as the sizes of matrices are limited.
  uint64_t wanted = (lines - 1) * (*stride & UINT32_MAX) + line;
  if (*stride > UINT32_MAX || ids[pointer].low < wanted)
    return invalid("reaches over ", wanted, " vectors from %", pointer,
                   " on, but ", ids[pointer].low, " are provably there");
  return isLoad ? defineValue(inst) : Status();
}

/// Reads the product of two cooperative matrices, which is added to a third.
Status Reader::readMatrixProduct(const Words &inst) {
  uint32_t sum = inst[1], types[3];
  for (uint32_t i = 0; i < 3; ++i) {
    DML_TRY(useValue(inst[3 + i], types[i]));
    if (!isMatrix(types[i]) || ids[word(types[i], 6)].low != i)
      return invalid("operand ", i, ", %", inst[3 + i],
                     ", is no cooperative matrix of use ", i);
  }
  if (types[2] != sum)
    return invalid("adds to a matrix of type %", types[2], ", but %", sum,
                   " is wanted");
  auto number = [&](uint32_t type, uint32_t i) {
    return static_cast<uint32_t>(ids[word(type, i)].low);
  };
  uint32_t rows = number(sum, 4), columns = number(sum, 5),
           terms = number(types[0], 5);
  if (number(types[0], 4) != rows || number(types[1], 4) != terms ||
      number(types[1], 5) != columns || word(types[0], 2) != word(types[1], 2))
    return invalid("multiplies matrices that do not fit each other");
  // The bits state whether the integers of A and B, and of the added matrix and
  // the result, are signed.
  uint32_t operands = inst.count > 6 ? inst[6] : 0;
  uint32_t ofFactors = operands & 3, ofSums = operands >> 2;
  auto toDataType = [&](uint32_t type, uint32_t isSigned) {
    Shape shape = shapeOf(word(type, 2));
    if (shape.kind == 'f')
      return isSigned            ? DML_DATA_TYPE_UNKNOWN
             : shape.width == 16 ? DML_DATA_TYPE_FLOAT16
             : shape.width == 32 ? DML_DATA_TYPE_FLOAT32
                                 : DML_DATA_TYPE_UNKNOWN;
    if (isSigned != 0 && isSigned != 3)
      return DML_DATA_TYPE_UNKNOWN;
    return shape.width == 8
               ? isSigned ? DML_DATA_TYPE_INT8 : DML_DATA_TYPE_UINT8
           : shape.width == 32
               ? isSigned ? DML_DATA_TYPE_INT32 : DML_DATA_TYPE_UINT32
               : DML_DATA_TYPE_UNKNOWN;
  };
  DmlMatrixShape shape{rows, columns, terms, toDataType(types[0], ofFactors),
                       toDataType(sum, ofSums)};
  if (shape.factors == DML_DATA_TYPE_UNKNOWN ||
      shape.sums == DML_DATA_TYPE_UNKNOWN)
    return invalid("has the operands ", operands,
                   " and components that no executable may multiply so");
  if (std::none_of(matrixShapes.begin(), matrixShapes.end(),
                   [&](const DmlMatrixShape &other) {
                     return areEqual(shape, other);
                   })) {
    // More could not be declared, and each product is compared with all.
    if (matrixShapes.size() == DML_MAX_MATRIX_SHAPES)
      return invalid("is of another shape than the ",
                     unsigned(DML_MAX_MATRIX_SHAPES),
                     " before it, and more are not possible");
    matrixShapes.push_back(shape);
  }
  for (uint32_t type : types)
    unmultiplied.erase(type);
  return defineValue(inst);
}

Status Reader::readPhi(const Words &inst) {
  if (!mayPhi)
    return invalid("stands after other instructions, or in the first block");
  if (!isData(inst[1]))
    return invalid("%", inst[1], " is no type that values have");
  if (inst.count % 2 == 0)
    return invalid("has a value without a block");
  phis.push_back({inst.at, static_cast<uint32_t>(blocks.size() - 1)});
  return defineValue(inst);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Status Reader::readComposite(const Words &inst) {
  uint32_t result = inst[1], type = 0, other = 0;
  if (!isData(result))
    return invalid("%", result, " is no type that values have");
  auto expect = [&](uint32_t found, uint32_t wanted) -> Status {
    if (found != wanted)
      return invalid("is of type %", found, ", but %", wanted, " is wanted");
    return Status();
  };
  switch (inst[0] & 0xffff) {
  case OpCompositeConstruct:
    DML_TRY(checkConstituents(inst, false));
    return defineValue(inst);
  case OpCompositeExtract: {
    DML_TRY(useValue(inst[3], type));
    for (uint32_t i = 4; i < inst.count; ++i)
      DML_TRY(findMember(type, inst[i]));
    DML_TRY(expect(type, result));
    DML_TRY(defineValue(inst));
    const Info &composite = ids[inst[3]];
    if (composite.builtIn != 0)
      setRange(inst[2], rangeOfBuiltIn(composite.builtIn, inst[4]));
    return Status();
  }
  case OpCompositeInsert:
    DML_TRY(useValue(inst[3], other));
    DML_TRY(useValue(inst[4], type));
    DML_TRY(expect(type, result));
    for (uint32_t i = 5; i < inst.count; ++i)
      DML_TRY(findMember(type, inst[i]));
    DML_TRY(expect(other, type));
    return defineValue(inst);
  case OpVectorShuffle: {
    DML_TRY(useValue(inst[3], type));
    DML_TRY(useValue(inst[4], other));
    if (ids[result].op != OpTypeVector || ids[type].op != OpTypeVector ||
        ids[other].op != OpTypeVector || word(type, 2) != word(result, 2) ||
        word(other, 2) != word(result, 2))
      return invalid("shuffles what are no vectors of one type of components");
    if (inst.count - 5 != word(result, 3))
      return invalid("has ", inst.count - 5, " components, but %", result,
                     " has ", word(result, 3));
    for (uint32_t i = 5; i < inst.count; ++i)
      if (inst[i] >= word(type, 3) + word(other, 3) && inst[i] != UINT32_MAX)
        return invalid("component ", inst[i], " does not exist");
    return defineValue(inst);
  }
  default: {
    bool isInsert = (inst[0] & 0xffff) == OpVectorInsertDynamic;
    DML_TRY(useValue(inst[3], type));
    if (ids[type].op != OpTypeVector)
      return invalid("%", inst[3], " is no vector");
    DML_TRY(expect(isInsert ? type : word(type, 2), result));
    uint32_t index = isInsert ? 5 : 4;
    if (isInsert) {
      DML_TRY(useValue(inst[4], other));
      DML_TRY(expect(other, word(type, 2)));
    }
    DML_TRY(useValue(inst[index], other));
    DML_TRY(checkIndex(inst, index, word(type, 3), false));
    return defineValue(inst);
  }
  }
}

Status Reader::readExtInst(const Words &inst) {
  if (inst[3] != glslSet || glslSet == 0)
    return invalid("%", inst[3], " is no set of instructions");
  const Instruction *rule = findGlslInstruction(inst[4]);
  if (!rule)
    return invalid("instruction ", inst[4],
                   " of GLSL.std.450 is none that an executable may use");
  if (inst.count != rule->least)
    return invalid(rule->name, " has ", inst.count - 5, " operands, but ",
                   rule->least - 5, " are wanted");
  return checkSignature(inst, *rule, 5).in(rule->name);
}

/// See Instruction.
Status Reader::checkSignature(const Words &inst, const Instruction &rule,
                              uint32_t first) {
  uint32_t resultType = inst[1];
  if (!isData(resultType))
    return invalid("%", resultType, " is no type that values have");
  Shape result = shapeOf(resultType);
  // The width that all of a letter have; 0: none has been seen.
  uint32_t widthOfInts = 0, widthOfFloats = 0;
  bool packed = false;
  uint32_t dotType = 0;
  auto isWidth = [](uint32_t &all, uint32_t width) {
    if (all == 0)
      all = width;
    return all == width;
  };
  // Some capabilities allow narrow types to be stored and converted, but not to
  // be used in arithmetic.
  bool isConversion =
      first == 3 && rule.opcode >= OpUConvert && rule.opcode <= 115;
  auto mayCompute = [&](const Shape &shape) {
    DmlFeatureFlags needed = 0;
    if (shape.kind == 'i' && shape.width == 8)
      needed = DML_FEATURE_SHADER_INT8_BIT;
    else if (shape.kind == 'i' && shape.width == 16)
      needed = DML_FEATURE_SHADER_INT16_BIT;
    else if (shape.kind == 'f' && shape.width == 16)
      needed = DML_FEATURE_SHADER_FLOAT16_BIT;
    return isConversion || (features & needed) == needed;
  };
  auto fits = [&](char letter, uint32_t type) {
    Shape shape = shapeOf(type);
    bool alike = shape.count == result.count;
    bool isScalar = shape.count == 1 && ids[type].op != OpTypeVector;
    switch (letter) {
    case 'i':
      return shape.kind == 'i' && alike && isWidth(widthOfInts, shape.width) &&
             mayCompute(shape);
    case 'f':
      return shape.kind == 'f' && alike &&
             isWidth(widthOfFloats, shape.width) && mayCompute(shape);
    case 'b':
      return shape.kind == 'b' && alike;
    case 't':
      return shape.kind == 'i' && alike && shape.width == 32;
    case 'e':
      return shape.kind == 'f' && alike && shape.width <= 32 &&
             isWidth(widthOfFloats, shape.width) && mayCompute(shape);
    case 'I':
      return shape.kind == 'i' && alike;
    case 'w':
      return shape.kind == 'i' && alike && shape.width != result.width;
    case 'g':
      return shape.kind == 'f' && alike && shape.width != result.width;
    case 'x':
      return shape.kind != 0 && type == resultType;
    case 'y':
      return type == resultType;
    case 'q':
      return shape.kind == 'b' && (alike || isScalar);
    case 'c':
      return shape.kind == 'b' && isScalar;
    case 'n':
      return shape.kind == 'i' && isScalar && shape.width == 32;
    case 'k':
    case 'j':
      return shape.kind == 'i' && isScalar;
    case 's':
      return isScalar && ids[resultType].op == OpTypeVector &&
             word(resultType, 2) == type;
    case 'r':
      return shape.kind == 'f' && isScalar && mayCompute(shape);
    case 'V':
      return ids[type].op == OpTypeVector && word(type, 2) == resultType &&
             (dotType == 0 || dotType == type) && (dotType = type) != 0;
    case 'D':
      packed = isScalar;
      return shape.kind == 'i' && (!isScalar || shape.width == 32) &&
             (dotType == 0 || dotType == type) && (dotType = type) != 0;
    case 'z':
      return shape.kind != 0 && shape.kind != 'b' && result.kind != 'b' &&
             shape.width * shape.count == result.width * result.count;
    case 'a':
      return shape.kind != 0;
    case '4':
      return shape.kind == 'i' && shape.width == 32 && shape.count == 4;
    case 'P':
      return ids[type].op == OpTypeStruct && memberCount(type) == 2 &&
             word(type, 2) == word(type, 3) &&
             shapeOf(word(type, 2)).kind == 'i';
    case 'm':
      return type == word(resultType, 2);
    default:
      return false;
    }
  };
  const char *letters = rule.signature;
  if (!fits(letters[0], resultType))
    return invalid("%", resultType,
                   " is no type that its result may have here");
  for (uint32_t i = 1; letters[i]; ++i) {
    uint32_t at = first + i - 1;
    if (letters[i] == 'l') {
      if ((inst.count > at) != packed || (packed && inst[at] != 0))
        return invalid("has a format of packed vectors other than 0, or none "
                       "where it needs one");
      continue;
    }
    if (letters[i] == 'G') {
      if (inst[at] > 2)
        return invalid("group operation ", inst[at], ", but 0 to 2 are known");
      continue;
    }
    uint32_t operand = inst[at], type = 0;
    if (letters[i] == 'S') {
      Expected<uint64_t> scope = constantOf(operand);
      if (!scope || *scope != 3)
        return invalid("%", operand, " is not the scope Subgroup (3)");
      continue;
    }
    DML_TRY(useValue(operand, type));
    if (!fits(letters[i], type))
      return invalid("operand ", i, ", %", operand, ", is of type %", type,
                     ", which does not fit here");
  }
  std::optional<Range> range;
  if (result.kind == 'i' && ids[resultType].op == OpTypeInt)
    range = computeRange(inst[0] & 0xffff, inst, first);
  DML_TRY(defineValue(inst));
  if (range)
    setRange(inst[2], *range);
  return Status();
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// A range that does not fit into the width of its type wraps around, and then
/// contains all numbers.
void Reader::setRange(uint32_t id, Range range) {
  Shape shape = shapeOf(ids[id].type);
  uint64_t mask = shape.kind == 'i' ? maskOf(shape.width) : UINT64_MAX;
  // A pointer to a component of an input has the component's range.
  if (range.high > mask || range.low > range.high)
    range = {0, mask};
  ids[id].low = range.low;
  ids[id].high = range.high;
}

Range Reader::rangeOfBuiltIn(uint32_t builtIn, uint32_t component) const {
  const auto &size = entryPoints[entryPoint].workgroupSize;
  switch (builtIn) {
  case BuiltInLocalInvocationId:
    if (component < 3 && size[component] != 0)
      return {0, size[component] - 1};
    break;
  case BuiltInLocalInvocationIndex: {
    uint64_t count = uint64_t(size[0]) * size[1];
    if (count != 0 && count <= UINT32_MAX && size[2] != 0)
      return {0, count * size[2] - 1};
    break;
  }
  default:
    break;
  }
  return {0, UINT32_MAX};
}

/// The range of a result, or nothing where nothing is known.
std::optional<Range> Reader::computeRange(uint32_t op, const Words &inst,
                                          uint32_t first) const {
  uint32_t width = shapeOf(inst[1]).width;
  uint64_t mask = maskOf(width), negative = uint64_t(1) << (width - 1);
  Range a = rangeOf(inst[first]);
  Range b = inst.count > first + 1 ? rangeOf(inst[first + 1]) : Range{0, mask};
  bool positive = a.high < negative && b.high < negative;
  auto hull = [](Range p, Range q) {
    return Range{std::min(p.low, q.low), std::max(p.high, q.high)};
  };
  // Limits that cross, as 5 and 3, leave open which one counts.
  auto clamp = [](Range v, Range low, Range high) -> std::optional<Range> {
    if (low.high > high.low)
      return std::nullopt;
    return Range{std::min(std::max(v.low, low.low), high.low),
                 std::min(std::max(v.high, low.high), high.high)};
  };
  // All ones up to the highest bit.
  auto fill = [](uint64_t value) {
    for (int shift = 1; shift < 64; shift *= 2)
      value |= value >> shift;
    return value;
  };
  switch (op) {
  case OpIAdd:
    // If all sums wrap around, as those with a negative number may, 2^width is
    // subtracted from both ends: 128 to 167 plus -126 is 2 to 41.
    if (a.low > mask - b.low)
      return Range{(a.low + b.low) & mask, (a.high + b.high) & mask};
    if (a.high > mask - b.high)
      return std::nullopt;
    return Range{a.low + b.low, a.high + b.high};
  case OpISub:
    if (a.low < b.high)
      return std::nullopt;
    return Range{a.low - b.high, a.high - b.low};
  case OpIMul:
    if (b.high != 0 && a.high > mask / b.high)
      return std::nullopt;
    return Range{a.low * b.low, a.high * b.high};
  case OpSDiv:
    if (!positive)
      return std::nullopt;
    [[fallthrough]];
  case OpUDiv:
    if (b.low == 0)
      return std::nullopt;
    return Range{a.low / b.high, a.high / b.low};
  case OpSRem:
  case OpSMod:
    if (!positive)
      return std::nullopt;
    [[fallthrough]];
  case OpUMod:
    if (b.low == 0)
      return std::nullopt;
    return Range{0, std::min(a.high, b.high - 1)};
  case OpBitwiseAnd:
    return Range{0, std::min(a.high, b.high)};
  case OpBitwiseOr:
  case OpBitwiseXor:
    return Range{0, fill(a.high | b.high)};
  case OpShiftRightArithmetic:
    if (a.high >= negative)
      return std::nullopt;
    [[fallthrough]];
  case OpShiftRightLogical:
    if (b.high >= width)
      return std::nullopt;
    return Range{a.low >> b.high, a.high >> b.low};
  case OpShiftLeftLogical:
    if (b.high >= width || a.high > mask >> b.high)
      return std::nullopt;
    return Range{a.low << b.low, a.high << b.high};
  case OpSConvert:
    if (a.high >= uint64_t(1) << (shapeOf(ids[inst[first]].type).width - 1))
      return std::nullopt;
    [[fallthrough]];
  case OpUConvert:
  case OpCopyObject:
    return a;
  case OpBitcast:
    if (shapeOf(ids[inst[first]].type).kind != 'i' ||
        ids[ids[inst[first]].type].op != OpTypeInt)
      return std::nullopt;
    return a;
  case OpSelect:
    return hull(b, rangeOf(inst[first + 2]));
  case OpExtInst:
    switch (inst[4]) {
    case GlslSMin:
      if (!positive)
        return std::nullopt;
      [[fallthrough]];
    case GlslUMin:
      return Range{std::min(a.low, b.low), std::min(a.high, b.high)};
    case GlslSMax:
      // The maximum of a number that is not negative and of any other number is
      // not negative.
      if (!positive)
        return b.high < negative   ? std::optional(Range{b.low, negative - 1})
               : a.high < negative ? std::optional(Range{a.low, negative - 1})
                                   : std::nullopt;
      [[fallthrough]];
    case GlslUMax:
      return Range{std::max(a.low, b.low), std::max(a.high, b.high)};
    case GlslSClamp: {
      // A number between limits that are not negative is not negative.
      Range most = rangeOf(inst[first + 2]);
      if (most.high >= negative || b.high > most.low)
        return std::nullopt;
      return Range{b.low, most.high};
    }
    case GlslUClamp:
      return clamp(a, b, rangeOf(inst[first + 2]));
    default:
      return std::nullopt;
    }
  default:
    return std::nullopt;
  }
}
