//===- SPIRVMutator.cpp - Shader modules that are almost right ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// This code does not use the reader under test to find out what is valid. It
// uses the table of instructions (SPIRVTable.h), and contains the other rules
// of SPIR-V itself.
//
//===----------------------------------------------------------------------===//

#include "SPIRVMutator.h"

#include "SPIRVAssembler.h"

#include <algorithm>
#include <cstring>

using namespace dml::fuzz;
using namespace dml::runtime::spirv;
using dml::test::Assembler;

namespace {

constexpr uint32_t kHeaderWords = 5;
constexpr uint32_t kMaxOpcode = 4456;

/// The instructions of the table that have a signature.
const std::vector<const Instruction *> &getSigned(bool glsl) {
  auto list = [](bool glsl) {
    std::vector<const Instruction *> found;
    for (uint32_t i = 0; i < kMaxOpcode; ++i)
      if (const Instruction *rule =
              glsl ? findGlslInstruction(i) : findInstruction(i);
          rule && rule->signature && rule->capability == 0)
        found.push_back(rule);
    return found;
  };
  static const auto core = list(false), extended = list(true);
  return glsl ? extended : core;
}

/// Whether the words after the first are a result type and a result.
bool hasType(uint32_t opcode) {
  const Instruction *rule = findInstruction(opcode);
  if (!rule)
    return false;
  switch (opcode) {
  case OpUndef:
  case OpConstantTrue:
  case OpConstantFalse:
  case OpConstant:
  case OpConstantComposite:
  case OpConstantNull:
  case OpFunction:
  case OpVariable:
  case OpLoad:
  case OpAccessChain:
  case OpInBoundsAccessChain:
  case OpArrayLength:
  case OpVectorExtractDynamic:
  case OpVectorInsertDynamic:
  case OpVectorShuffle:
  case OpCompositeConstruct:
  case OpCompositeExtract:
  case OpCompositeInsert:
  case OpExtInst:
  case OpPhi:
    return true;
  default:
    return rule->signature != nullptr;
  }
}

bool isBlockEnd(uint32_t opcode) {
  return opcode >= OpBranch && opcode <= OpUnreachable;
}

struct Shape {
  char kind = 0;
  uint32_t width = 0, count = 0;
};

/// A module taken apart.
class Module {
public:
  struct Value {
    uint32_t id, type, at, block;
  };

  explicit Module(Code &code) : code(code) { scan(); }

  uint32_t opcode(uint32_t at) const { return code[at] & 0xffff; }
  uint32_t count(uint32_t at) const { return code[at] >> 16; }
  uint32_t fresh() { return next++; }
  /// Puts words in; the lists of this module are of before.
  void insert(uint32_t at, const Code &words) {
    code.insert(code.begin() + at, words.begin(), words.end());
  }
  void finish() {
    if (code.size() > 3)
      code[3] = next;
  }
  Shape shapeOf(uint32_t type) const {
    auto found = find(types, type);
    if (!found)
      return {};
    uint32_t at = found->at;
    switch (opcode(at)) {
    case OpTypeBool:
      return {'b', 1, 1};
    case OpTypeInt:
      return {'i', code[at + 2], 1};
    case OpTypeFloat:
      return {'f', code[at + 2], 1};
    case OpTypeVector: {
      // A type that is of itself is no vector.
      auto element = find(types, code[at + 2]);
      if (!element || opcode(element->at) == OpTypeVector)
        return {};
      Shape shape = shapeOf(code[at + 2]);
      shape.count = code[at + 3];
      return shape;
    }
    default:
      return {};
    }
  }
  /// What a type, pointer or composite consists of.
  uint32_t wordOfType(uint32_t type, uint32_t i) const {
    auto found = find(types, type);
    return found && i < count(found->at) ? code[found->at + i] : 0;
  }
  uint32_t opcodeOfType(uint32_t type) const {
    auto found = find(types, type);
    return found ? opcode(found->at) : 0;
  }
  uint32_t typeOf(uint32_t id) const {
    for (const Value &value : values)
      if (value.id == id)
        return value.type;
    return 0;
  }
  /// How many elements an array or a vector has.
  uint32_t lengthOf(uint32_t type) const {
    uint32_t length = wordOfType(type, 3);
    if (opcodeOfType(type) == OpTypeVector)
      return length;
    if (opcodeOfType(type) == OpTypeRuntimeArray)
      return INT32_MAX;
    auto found = find(values, length);
    return found && opcode(found->at) == OpConstant ? code[found->at + 3] : 0;
  }
  /// Picks one of the integers. Constants are mostly valid indices.
  uint32_t pickIndex(const std::vector<Value> &integers, uint32_t type,
                     Random &random) const {
    uint32_t index = 0;
    for (int tries = 0; tries < 8; ++tries) {
      const Value &value = random.pick(integers);
      index = value.id;
      if (opcode(value.at) != OpConstant ||
          code[value.at + 3] < lengthOf(type) || random.oneIn(64))
        break;
    }
    return index;
  }
  /// Whether a value can be used at a place: it is a constant, or a value of
  /// the same block or of the first block.
  bool isVisible(const Value &value, uint32_t at, uint32_t block) const {
    return value.at < at && (value.block <= 1 || value.block == block);
  }

  Code &code;
  /// The words where instructions begin.
  std::vector<uint32_t> starts;
  std::vector<Value> types, values;
  std::vector<uint32_t> labels, ids;
  /// A place in a block where an instruction can be inserted, and the number of
  /// the block. Block 1 is the first.
  struct Place {
    uint32_t at, block;
  };
  std::vector<Place> places;
  uint32_t functionsAt = 0, glslSet = 0;
  uint32_t next = 1;

private:
  static const Value *find(const std::vector<Value> &list, uint32_t id) {
    for (const Value &value : list)
      if (value.id == id)
        return &value;
    return nullptr;
  }

  void scan() {
    uint32_t block = 0;
    bool inBlock = false, afterMerge = false;
    for (uint32_t at = kHeaderWords; at < code.size();) {
      uint32_t op = opcode(at), words = count(at);
      if (words == 0 || words > code.size() - at)
        break;
      starts.push_back(at);
      if (op == OpFunction && functionsAt == 0)
        functionsAt = at;
      bool isDeclaration =
          op == OpVariable || op == OpPhi || op == OpLabel || op == OpFunction;
      if (inBlock && !isDeclaration && !afterMerge)
        places.push_back({at, block});
      afterMerge = op == OpLoopMerge || op == OpSelectionMerge;
      if (op == OpLabel && words > 1) {
        labels.push_back(code[at + 1]);
        ids.push_back(code[at + 1]);
        inBlock = true;
        ++block;
      } else if (op >= OpTypeVoid && op <= OpTypeFunction && words > 1) {
        types.push_back({code[at + 1], 0, at, 0});
        ids.push_back(code[at + 1]);
      } else if (op == OpExtInstImport && words > 1) {
        glslSet = code[at + 1];
        ids.push_back(code[at + 1]);
      } else if (words > 2 && hasType(op)) {
        values.push_back({code[at + 2], code[at + 1], at, block});
        ids.push_back(code[at + 2]);
      }
      if (isBlockEnd(op))
        inBlock = false;
      at += words;
    }
    for (uint32_t id : ids)
      next = std::max(next, id < UINT32_MAX ? id + 1 : id);
  }
};

Code makeInstruction(uint32_t opcode, const Code &operands) {
  Code words{static_cast<uint32_t>(operands.size() + 1) << 16 | opcode};
  words.insert(words.end(), operands.begin(), operands.end());
  return words;
}

void append(Code &to, uint32_t opcode, const Code &operands) {
  Code words = makeInstruction(opcode, operands);
  to.insert(to.end(), words.begin(), words.end());
}

//===----------------------------------------------------------------------===//
// Growth
//===----------------------------------------------------------------------===//

/// Whether an operand of this type can be at a letter of a signature
/// (SPIRVTable.h), judging by types only.
bool isPlausible(char letter, const Shape &result, const Shape &shape) {
  auto like = [&](char kind) {
    return shape.kind == kind && shape.count == result.count &&
           (result.kind != kind || shape.width == result.width);
  };
  switch (letter) {
  case 'i':
    return like('i');
  case 'f':
  case 'e':
    return like('f');
  case 'b':
    return like('b');
  case 't':
    return shape.kind == 'i' && shape.width == 32 &&
           shape.count == result.count;
  case 'I':
    return shape.kind == 'i' && shape.count == result.count;
  case 'w':
    return shape.kind == 'i' && shape.count == result.count &&
           shape.width != result.width;
  case 'g':
    return shape.kind == 'f' && shape.count == result.count &&
           shape.width != result.width;
  case 'q':
    return shape.kind == 'b' && shape.count == result.count;
  case 'c':
    return shape.kind == 'b' && shape.count == 1;
  case 'n':
  case 'k':
    return shape.kind == 'i' && shape.count == 1;
  case 'z':
    return shape.kind != 0 && shape.kind != 'b' &&
           shape.width * shape.count == result.width * result.count;
  case 's':
    return shape.kind == result.kind && shape.width == result.width &&
           shape.count == 1;
  case 'V':
  case 'D':
    return shape.kind == result.kind && shape.count > 1;
  default:
    return shape.kind == result.kind && shape.width == result.width &&
           shape.count == result.count;
  }
}

/// An instruction with a signature and operands of types that fit.
bool growOperation(Module &module, Random &random) {
  if (module.places.empty() || module.types.empty())
    return false;
  auto [at, block] = random.pick(module.places);
  bool glsl = module.glslSet != 0 && random.oneIn(4);
  const Instruction *rule = random.pick(getSigned(glsl));
  const char *letters = rule->signature;
  uint32_t type = 0;
  Shape result;
  for (int tries = 0; tries < 8 && type == 0; ++tries) {
    const Module::Value &candidate = random.pick(module.types);
    result = module.shapeOf(candidate.id);
    bool isPair = module.opcode(candidate.at) == OpTypeStruct &&
                  module.count(candidate.at) == 4 &&
                  module.wordOfType(candidate.id, 2) ==
                      module.wordOfType(candidate.id, 3);
    // The result's letter says what the result is, as the operands' letters do.
    bool isRight =
        letters[0] == 'P'   ? isPair
        : letters[0] == 'r' ? result.kind == 'f' && result.count == 1
        : letters[0] == 'y'
            ? result.kind != 0 || isPair
            : result.kind != 0 && isPlausible(letters[0], result, result);
    if (isRight)
      type = candidate.id;
  }
  if (type == 0)
    return false;
  Code operands{type, module.fresh()};
  if (glsl) {
    operands.push_back(module.glslSet);
    operands.push_back(rule->opcode);
  }
  std::vector<uint32_t> fitting;
  // Letters after the first operand of a kind that the result is not follow it.
  Shape first = result;
  for (const char *letter = letters + 1; *letter; ++letter) {
    fitting.clear();
    for (const Module::Value &value : module.values) {
      if (!module.isVisible(value, at, block))
        continue;
      Shape shape = module.shapeOf(value.type);
      bool isRight = false;
      if (*letter == 'x' || *letter == 'y')
        isRight = value.type == type;
      else if (*letter == 'm')
        isRight = value.type == module.wordOfType(type, 2);
      else if (*letter == 'V')
        isRight = module.opcodeOfType(value.type) == OpTypeVector &&
                  module.wordOfType(value.type, 2) == type &&
                  (letter == letters + 1 || shape.count == first.count);
      else
        isRight = isPlausible(*letter, result, shape) &&
                  (first.kind != shape.kind || first.width == shape.width ||
                   *letter == 'w' || *letter == 'g' || *letter == 'I');
      if (isRight)
        fitting.push_back(value.id);
    }
    if (fitting.empty())
      return false;
    operands.push_back(random.pick(fitting));
    if (letter == letters + 1)
      first = module.shapeOf(module.typeOf(operands.back()));
  }
  module.insert(
      at, makeInstruction(glsl ? uint32_t(OpExtInst) : rule->opcode, operands));
  return true;
}

/// A use of memory: an access chain, and a load or a store through it.
bool growAccess(Module &module, Random &random) {
  if (module.places.empty())
    return false;
  auto [at, block] = random.pick(module.places);
  std::vector<Module::Value> variables, integers, stored;
  for (const Module::Value &value : module.values) {
    if (!module.isVisible(value, at, block))
      continue;
    Shape shape = module.shapeOf(value.type);
    if (module.opcodeOfType(value.type) == OpTypePointer &&
        module.opcode(value.at) == OpVariable)
      variables.push_back(value);
    else if (shape.kind == 'i' && shape.count == 1)
      integers.push_back(value);
  }
  if (variables.empty() || integers.empty())
    return false;
  const Module::Value &variable = random.pick(variables);
  uint32_t storage = module.wordOfType(variable.type, 2);
  uint32_t type = module.wordOfType(variable.type, 3);
  Code chain{0, 0, variable.id};
  for (int depth = 0; depth < 8; ++depth) {
    uint32_t op = module.opcodeOfType(type);
    if (op == OpTypeStruct) {
      // A constant; mostly the first member.
      std::vector<uint32_t> constants;
      for (const Module::Value &value : integers)
        if (module.opcode(value.at) == OpConstant &&
            module.code[value.at + 3] == 0)
          constants.push_back(value.id);
      if (constants.empty())
        return false;
      chain.push_back(random.pick(constants));
      type = module.wordOfType(type, 2);
    } else if (op == OpTypeArray || op == OpTypeRuntimeArray ||
               (op == OpTypeVector && random.oneIn(2))) {
      chain.push_back(module.pickIndex(integers, type, random));
      type = module.wordOfType(type, 2);
    } else {
      break;
    }
  }
  uint32_t pointerType = 0;
  for (const Module::Value &candidate : module.types)
    if (module.opcode(candidate.at) == OpTypePointer &&
        module.wordOfType(candidate.id, 2) == storage &&
        module.wordOfType(candidate.id, 3) == type)
      pointerType = candidate.id;
  if (pointerType == 0 || type == 0)
    return false;
  Code words;
  uint32_t pointer = variable.id;
  if (chain.size() > 3) {
    chain[0] = pointerType;
    pointer = chain[1] = module.fresh();
    append(words, random.oneIn(4) ? OpInBoundsAccessChain : OpAccessChain,
           chain);
  }
  for (const Module::Value &value : module.values)
    if (value.type == type && module.isVisible(value, at, block))
      stored.push_back(value);
  if (storage != StorageClassInput && !stored.empty() && random.oneIn(2))
    append(words, OpStore, {pointer, random.pick(stored).id});
  else
    append(words, OpLoad, {type, module.fresh(), pointer});
  module.insert(at, words);
  return true;
}

/// Composites of vectors and arrays.
bool growComposite(Module &module, Random &random) {
  if (module.places.empty())
    return false;
  auto [at, block] = random.pick(module.places);
  std::vector<Module::Value> vectors, scalars;
  for (const Module::Value &value : module.values) {
    if (!module.isVisible(value, at, block))
      continue;
    uint32_t op = module.opcodeOfType(value.type);
    if (op == OpTypeVector)
      vectors.push_back(value);
    else if (op >= OpTypeBool && op <= OpTypeFloat)
      scalars.push_back(value);
  }
  if (scalars.empty())
    return false;
  auto scalarOf = [&](uint32_t type) {
    std::vector<uint32_t> fitting;
    for (const Module::Value &value : scalars)
      if (value.type == type)
        fitting.push_back(value.id);
    return fitting.empty() ? 0 : random.pick(fitting);
  };
  auto anIndex = [&](uint32_t type) {
    std::vector<Module::Value> fitting;
    for (const Module::Value &value : scalars)
      if (module.shapeOf(value.type).kind == 'i')
        fitting.push_back(value);
    return fitting.empty() ? 0 : module.pickIndex(fitting, type, random);
  };
  if (vectors.empty() || random.oneIn(4)) {
    // The vector or composite is made of constituents.
    std::vector<uint32_t> types;
    for (const Module::Value &candidate : module.types)
      if (module.opcode(candidate.at) == OpTypeVector)
        types.push_back(candidate.id);
    if (types.empty())
      return false;
    uint32_t type = random.pick(types);
    Code operands{type, module.fresh()};
    for (uint32_t i = 0; i < std::min(module.wordOfType(type, 3), 4u); ++i)
      operands.push_back(scalarOf(module.wordOfType(type, 2)));
    module.insert(at, makeInstruction(OpCompositeConstruct, operands));
    return true;
  }
  Module::Value vector = random.pick(vectors);
  uint32_t element = module.wordOfType(vector.type, 2);
  uint32_t length = std::max(module.wordOfType(vector.type, 3), 1u);
  uint32_t place = static_cast<uint32_t>(random.below(length));
  switch (random.below(5)) {
  case 0:
    module.insert(at,
                  makeInstruction(OpCompositeExtract,
                                  {element, module.fresh(), vector.id, place}));
    return true;
  case 1:
    module.insert(at, makeInstruction(OpCompositeInsert,
                                      {vector.type, module.fresh(),
                                       scalarOf(element), vector.id, place}));
    return true;
  case 2: {
    Code operands{vector.type, module.fresh(), vector.id, vector.id};
    for (uint32_t i = 0; i < std::min(length, 4u); ++i)
      operands.push_back(static_cast<uint32_t>(random.below(2 * length)));
    module.insert(at, makeInstruction(OpVectorShuffle, operands));
    return true;
  }
  case 3:
    module.insert(at, makeInstruction(OpVectorExtractDynamic,
                                      {element, module.fresh(), vector.id,
                                       anIndex(vector.type)}));
    return true;
  default:
    module.insert(at,
                  makeInstruction(OpVectorInsertDynamic,
                                  {vector.type, module.fresh(), vector.id,
                                   scalarOf(element), anIndex(vector.type)}));
    return true;
  }
}

/// The block that a place stands in, and whether it is the header of a loop.
struct Surroundings {
  uint32_t label = 0, end = 0;
  bool isHeader = false;
};

Surroundings lookAround(const Module &module, uint32_t place) {
  Surroundings found;
  for (uint32_t at : module.starts) {
    uint32_t op = module.opcode(at);
    if (op == OpLabel && at < place)
      found = {module.code[at + 1], 0, false};
    found.isHeader |= op == OpLoopMerge;
    if (at >= place && isBlockEnd(op)) {
      found.end = at;
      break;
    }
  }
  return found;
}

uint32_t findValueOf(const Module &module, Random &random, char kind,
                     Module::Place place) {
  std::vector<uint32_t> fitting;
  for (const Module::Value &value : module.values) {
    Shape shape = module.shapeOf(value.type);
    if (shape.kind == kind && shape.count == 1 &&
        module.isVisible(value, place.at, place.block))
      fitting.push_back(value.id);
  }
  return fitting.empty() ? 0 : random.pick(fitting);
}

/// Splits a block by an empty if or an empty loop, which later steps fill. Phis
/// of later blocks that refer to this block then refer to the last part of it.
bool growBlocks(Module &module, Random &random) {
  if (module.places.empty())
    return false;
  Module::Place place = random.pick(module.places);
  Surroundings around = lookAround(module, place.at);
  uint32_t condition = findValueOf(module, random, 'b', place);
  if (condition == 0 || around.end == 0 || around.isHeader)
    return false;
  uint32_t merge = module.fresh(), then = module.fresh();
  Code words;
  auto label = [&](uint32_t id) { append(words, OpLabel, {id}); };
  // The construct may have an unusual exit: a return in an if, or a break in a
  // loop.
  bool isSpecial = random.oneIn(4);
  if (random.oneIn(2)) {
    uint32_t other = random.oneIn(2) ? module.fresh() : merge;
    append(words, OpSelectionMerge, {merge, 0});
    append(words, OpBranchConditional, {condition, then, other});
    label(then);
    if (isSpecial)
      append(words, OpReturn, {});
    else
      append(words, OpBranch, {merge});
    if (other != merge) {
      label(other);
      append(words, OpBranch, {merge});
    }
  } else {
    uint32_t header = module.fresh(), body = module.fresh();
    uint32_t first = findValueOf(module, random, 'i', place);
    uint32_t type = module.typeOf(first);
    uint32_t step = first, phi = module.fresh(), sum = module.fresh();
    append(words, OpBranch, {header});
    label(header);
    // As many iterations as there are, where the sum is of other than 0.
    if (first)
      append(words, OpPhi, {type, phi, first, around.label, sum, then});
    append(words, OpLoopMerge, {merge, then, 0});
    append(words, OpBranchConditional, {condition, body, merge});
    label(body);
    if (isSpecial) {
      append(words, OpSelectionMerge, {module.next, 0});
      append(words, OpBranchConditional, {condition, merge, module.next});
      label(module.fresh());
    }
    append(words, OpBranch, {then});
    label(then);
    if (first)
      append(words, OpIAdd, {type, sum, phi, step});
    append(words, OpBranch, {header});
  }
  label(merge);
  // The new block ends as the old one did, and phis of later blocks name it.
  for (uint32_t at : module.starts)
    if (module.opcode(at) == OpPhi)
      for (uint32_t i = 4; i < module.count(at); i += 2)
        if (module.code[at + i] == around.label)
          module.code[at + i] = merge;
  module.insert(place.at, words);
  return true;
}

bool growBarrier(Module &module, Random &random) {
  if (module.places.empty())
    return false;
  auto find = [&](uint32_t number) {
    for (const Module::Value &value : module.values)
      if (module.opcode(value.at) == OpConstant &&
          module.code[value.at + 3] == number)
        return value.id;
    return 0u;
  };
  uint32_t scope = find(2), semantics = find(0x108);
  if (scope == 0 || semantics == 0)
    return false;
  module.insert(
      random.pick(module.places).at,
      random.oneIn(2)
          ? makeInstruction(OpControlBarrier, {scope, scope, semantics})
          : makeInstruction(OpMemoryBarrier, {scope, semantics}));
  return true;
}

bool grow(Module &module, Random &random) {
  switch (random.below(16)) {
  case 0:
  case 1:
    return growBlocks(module, random);
  case 2:
  case 3:
  case 4:
  case 5:
    return growAccess(module, random);
  case 6:
  case 7:
    return growComposite(module, random);
  case 8:
    return random.oneIn(4) && growBarrier(module, random);
  default:
    return growOperation(module, random);
  }
}

//===----------------------------------------------------------------------===//
// Damage
//===----------------------------------------------------------------------===//

/// Replaces an instruction by another one with as many words.
void changeOpcode(Module &module, Random &random, uint32_t at) {
  uint32_t count = module.count(at);
  bool glsl = module.opcode(at) == OpExtInst && count > 4;
  if (random.oneIn(4)) {
    module.code[at] =
        count << 16 | static_cast<uint32_t>(random.below(kMaxOpcode));
    return;
  }
  for (int tries = 0; tries < 16; ++tries) {
    const Instruction *rule = random.pick(getSigned(glsl));
    if (rule->least > count || rule->most < count)
      continue;
    if (glsl)
      module.code[at + 4] = rule->opcode;
    else
      module.code[at] = count << 16 | rule->opcode;
    return;
  }
}

/// Makes an operand another value of the same type, or any id.
void changeOperand(Module &module, Random &random, uint32_t at,
                   bool keepsType) {
  if (module.count(at) < 2)
    return;
  uint32_t &word = module.code[at + 1 + random.below(module.count(at) - 1)];
  uint32_t type = keepsType ? module.typeOf(word) : 0;
  std::vector<uint32_t> fitting;
  if (type != 0)
    for (const Module::Value &value : module.values)
      if (value.type == type)
        fitting.push_back(value.id);
  if (!fitting.empty())
    word = random.pick(fitting);
  else if (!module.ids.empty())
    word = random.pick(module.ids);
}

void swapIds(Module &module, Random &random, bool everywhere) {
  if (module.ids.empty() || module.starts.empty())
    return;
  uint32_t a = random.pick(module.ids), b = random.pick(module.ids);
  uint32_t begin = kHeaderWords,
           end = static_cast<uint32_t>(module.code.size());
  if (!everywhere) {
    begin = random.pick(module.starts);
    end = begin + module.count(begin);
  }
  for (uint32_t at : module.starts)
    if (at >= begin && at < end)
      for (uint32_t i = 1; i < module.count(at); ++i) {
        uint32_t &word = module.code[at + i];
        word = word == a ? b : word == b ? a : word;
      }
}

void changeNumber(Module &module, Random &random, uint32_t opcode) {
  std::vector<uint32_t> places;
  for (uint32_t at : module.starts)
    if (module.opcode(at) == opcode && module.count(at) > 1)
      places.push_back(at);
  if (places.empty())
    return;
  uint32_t at = random.pick(places);
  uint32_t least = opcode == OpConstant && module.count(at) > 3 ? 3 : 1;
  uint32_t &word =
      module.code[at + least + random.below(module.count(at) - least)];
  word = static_cast<uint32_t>(random.number(word));
}

void moveInstruction(Module &module, Random &random, bool copies) {
  if (module.starts.empty())
    return;
  uint32_t from = random.pick(module.starts), to = random.pick(module.starts);
  Code words(module.code.begin() + from,
             module.code.begin() + from + module.count(from));
  if (copies) {
    uint32_t op = words[0] & 0xffff;
    if (words.size() > 2 && hasType(op))
      words[2] = module.fresh();
    else if (words.size() > 1 &&
             ((op >= OpTypeVoid && op <= OpTypeFunction) || op == OpLabel))
      words[1] = module.fresh();
    module.insert(to, words);
    return;
  }
  uint32_t count = module.count(from);
  module.code.erase(module.code.begin() + from,
                    module.code.begin() + from + count);
  if (to > from)
    to = std::max(to, from + count) - count;
  module.insert(to, words);
}

void changeJump(Module &module, Random &random) {
  std::vector<uint32_t> jumps;
  for (uint32_t at : module.starts)
    if (uint32_t op = module.opcode(at);
        (op >= OpLoopMerge && op <= OpUnreachable) || op == OpPhi)
      jumps.push_back(at);
  if (jumps.empty() || module.labels.empty())
    return;
  uint32_t at = random.pick(jumps), op = module.opcode(at);
  if (random.oneIn(4) && isBlockEnd(op)) {
    // The block gets another end.
    Code end;
    switch (random.below(3)) {
    case 0:
      end = makeInstruction(OpReturn, {});
      break;
    case 1:
      end = makeInstruction(OpUnreachable, {});
      break;
    default:
      end = makeInstruction(OpBranch, {random.pick(module.labels)});
      break;
    }
    module.code.erase(module.code.begin() + at,
                      module.code.begin() + at + module.count(at));
    module.insert(at, end);
    return;
  }
  if (random.oneIn(6) && op <= OpSelectionMerge) {
    module.code.erase(module.code.begin() + at,
                      module.code.begin() + at + module.count(at));
    return;
  }
  std::vector<uint32_t> targets;
  for (uint32_t i = 1; i < module.count(at); ++i)
    if (std::find(module.labels.begin(), module.labels.end(),
                  module.code[at + i]) != module.labels.end())
      targets.push_back(at + i);
  if (!targets.empty())
    module.code[random.pick(targets)] = random.pick(module.labels);
}

/// Exchanges two blocks, whole.
void swapBlocks(Module &module, Random &random) {
  std::vector<std::pair<uint32_t, uint32_t>> blocks;
  for (uint32_t at : module.starts) {
    if (module.opcode(at) == OpLabel)
      blocks.push_back({at, 0});
    if (isBlockEnd(module.opcode(at)) && !blocks.empty() &&
        blocks.back().second == 0)
      blocks.back().second = at + module.count(at);
  }
  if (blocks.size() < 2)
    return;
  size_t i = random.below(blocks.size() - 1);
  auto [first, middle] = blocks[i];
  auto [next, last] = blocks[i + 1];
  if (middle == next && last > next)
    std::rotate(module.code.begin() + first, module.code.begin() + middle,
                module.code.begin() + last);
}

/// Lengths that do not hold, an end too early, and the header.
void damageWords(Code &code, Random &random) {
  if (code.empty())
    return;
  uint32_t &word = random.pick(code);
  switch (random.below(6)) {
  case 0:
    code.resize(random.below(code.size()));
    return;
  case 1:
    word = (word & 0xffff) | static_cast<uint32_t>(random.number(word >> 16))
                                 << 16;
    return;
  case 2:
    if (code.size() > kHeaderWords) {
      size_t i = random.below(kHeaderWords);
      code[i] = static_cast<uint32_t>(random.number(code[i]));
    }
    return;
  case 3:
    word = random.pick(code);
    return;
  case 4: {
    // A part of the module once more.
    size_t from = random.below(code.size()), to = random.below(code.size());
    size_t count = std::min(random.below(64), code.size() - from);
    Code part(code.begin() + from, code.begin() + from + count);
    code.insert(code.begin() + to, part.begin(), part.end());
    return;
  }
  default:
    word = static_cast<uint32_t>(random.number(word));
  }
}

void mutateParts(Module &module, Random &random) {
  if (module.starts.empty())
    return;
  // Instructions that compute are hit more often than those that declare.
  uint32_t at = random.pick(module.starts);
  if (!module.places.empty() && random.oneIn(2))
    at = random.pick(module.places).at;
  switch (random.below(16)) {
  case 0:
    return changeOperand(module, random, at, false);
  case 1:
  case 2:
  case 3:
    return changeOperand(module, random, at, true);
  case 4:
    return swapIds(module, random, random.oneIn(2));
  case 5:
  case 6:
    return changeOpcode(module, random, at);
  case 7:
    module.code.erase(module.code.begin() + at,
                      module.code.begin() + at + module.count(at));
    return;
  case 8:
    return moveInstruction(module, random, random.oneIn(2));
  case 9:
    return changeNumber(module, random, OpConstant);
  case 10: {
    constexpr uint32_t kNumbers[] = {
        OpTypeInt,       OpTypeFloat,       OpTypeVector,     OpTypeArray,
        OpTypePointer,   OpDecorate,        OpMemberDecorate, OpExecutionMode,
        OpCapability,    OpEntryPoint,      OpMemoryModel,    OpVariable,
        OpVectorShuffle, OpCompositeExtract};
    return changeNumber(module, random,
                        kNumbers[random.below(std::size(kNumbers))]);
  }
  case 11:
    return changeJump(module, random);
  case 12:
    return swapBlocks(module, random);
  default:
    grow(module, random);
  }
}

} // namespace

Code dml::fuzz::drawModule(Random &random) {
  using A = Assembler;
  A a;
  a.head.clear();
  A::add(a.head, OpCapability, {1});
  for (uint32_t capability : {9u, 10u, 11u, 22u, 39u})
    if (random.oneIn(4))
      A::add(a.head, OpCapability, {capability});
  bool halves = false, longs = false, doubles = false, bytes = false;
  for (size_t i = 0; i + 1 < a.head.size(); i += 2) {
    halves |= a.head[i + 1] == 9;
    doubles |= a.head[i + 1] == 10;
    longs |= a.head[i + 1] == 11;
    bytes |= a.head[i + 1] == 39;
  }
  uint32_t glsl = a.fresh();
  // "GLSL.std.450"
  A::add(a.head, OpExtInstImport,
         {glsl, 0x4c534c47, 0x6474732e, 0x3035342e, 0});
  A::add(a.head, OpMemoryModel, {0, 1});
  std::vector<uint32_t> scalars{A::Float, A::Uint, A::Int, A::Bool};
  auto addScalar = [&](uint32_t opcode, const Code &words) {
    uint32_t type = a.fresh();
    Code all{type};
    all.insert(all.end(), words.begin(), words.end());
    a.global(opcode, all);
    scalars.push_back(type);
    return type;
  };
  auto addConstant = [&](uint32_t type, const Code &value) {
    Code all{type, a.fresh()};
    all.insert(all.end(), value.begin(), value.end());
    a.global(OpConstant, all);
  };
  if (halves)
    addConstant(addScalar(OpTypeFloat, {16}), {0x3c00});
  if (doubles)
    addConstant(addScalar(OpTypeFloat, {64}), {0, 0x3ff00000});
  if (longs)
    addConstant(addScalar(OpTypeInt, {64, 1}), {5, 0});
  if (bytes)
    addConstant(addScalar(OpTypeInt, {8, 0}), {3});
  addConstant(A::Int, {0x80000000});
  addConstant(A::Int, {UINT32_MAX});
  addConstant(A::Int, {7});
  addConstant(A::Float, {0x7fc00000});
  addConstant(A::Float, {0xc2280000});
  uint32_t pair = a.fresh();
  a.global(OpTypeStruct, {pair, A::Uint, A::Uint});
  for (size_t i = 0, elements = scalars.size(); i < 2; ++i) {
    uint32_t element = scalars[random.below(elements)], vector = a.fresh();
    uint32_t count = 2 + static_cast<uint32_t>(random.below(3));
    // This vector type is declared already.
    if (element == A::Uint && count == 3)
      continue;
    a.global(OpTypeVector, {vector, element, count});
    a.global(random.oneIn(2) ? OpUndef : OpConstantNull, {vector, a.fresh()});
    scalars.push_back(vector);
  }
  // Arrays of threads and of workgroups.
  std::vector<Code> locals;
  for (size_t i = random.below(4); i > 0; --i) {
    uint32_t element = random.pick(scalars), array = a.fresh(),
             pointer = a.fresh(), toElement = a.fresh(), variable = a.fresh();
    constexpr uint32_t kClasses[] = {StorageClassPrivate, StorageClassFunction,
                                     StorageClassWorkgroup};
    uint32_t storage = kClasses[random.below(3)];
    uint32_t length = random.oneIn(2) ? A::Uint2 : A::Uint63;
    a.global(OpTypeArray, {array, element, length});
    a.global(OpTypePointer, {pointer, storage, array});
    a.global(OpTypePointer, {toElement, storage, element});
    if (storage == StorageClassFunction)
      a.body(OpVariable, {pointer, variable, storage});
    else
      a.global(OpVariable, {pointer, variable, storage});
  }
  uint32_t pointer = a.fresh();
  a.global(OpTypePointer, {pointer, StorageClassInput, A::Uint});
  // Something comes from memory and something goes there.
  uint32_t index = a.localId();
  uint32_t from =
      a.value(OpAccessChain, A::FloatPointer, {A::From, A::Uint0, index});
  uint32_t loaded = a.value(OpLoad, A::Float, {from});
  a.value(OpBitcast, A::Int, {loaded});
  a.value(OpBitcast, A::Uint, {loaded});
  a.value(184, A::Bool, {loaded, A::Float1});
  uint32_t to =
      a.value(OpAccessChain, A::FloatPointer, {A::To, A::Uint0, index});
  a.body(OpStore, {to, loaded});
  Code code = a.assemble();
  for (size_t i = random.below(48); i > 0; --i) {
    Module module(code);
    grow(module, random);
    module.finish();
  }
  return code;
}

void dml::fuzz::mutateModule(Code &code, Random &random) {
  if (code.size() <= kHeaderWords || random.oneIn(16))
    return damageWords(code, random);
  Module module(code);
  mutateParts(module, random);
  if (!random.oneIn(32))
    module.finish();
}
