//===- MatrixProducts.cpp - A kernel that multiplies matrices -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "MatrixProducts.h"
#include "SPIRVTable.h"

#include <string_view>
#include <utility>

using namespace dml::runtime::spirv;
using namespace dml::tools;

namespace {

using Words = std::vector<uint32_t>;

/// The number of sums of a subgroup, which do not wait for each other, and the
/// number of products that are added to each sum.
constexpr uint32_t kSums = 8, kRounds = 256;

/// Constants of SPIR-V, with the names that its specification gives them. The
/// runtime's reader of kernels declares further ones.
enum : uint32_t {
  CapabilityShader = 1,
  CapabilityFloat16 = 9,
  CapabilityInt8 = 39,
  CapabilityVulkanMemoryModel = 5345,
  CapabilityCooperativeMatrixKHR = 6022,

  DecorationBlock = 2,
  DecorationArrayStride = 6,
  DecorationBuiltIn = 11,
  DecorationBinding = 33,
  DecorationDescriptorSet = 34,
  DecorationOffset = 35,

  ScopeWorkgroup = 2,
  ScopeSubgroup = 3,
  NonPrivatePointer = 0x20,
  /// AcquireRelease, WorkgroupMemory, MakeAvailable and MakeVisible.
  BarrierSemantics = 0x6108,
  /// All of a product's operands are signed.
  AllSigned = 0xf,
};

/// A SPIR-V module with one function, whose sections are written side by side.
/// Results are numbered in the order in which they are requested.
class Module {
public:
  /// Adds an instruction without a result.
  static void add(Words &section, uint32_t opcode, const Words &operands) {
    section.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 |
                      opcode);
    section.insert(section.end(), operands.begin(), operands.end());
  }
  uint32_t fresh() { return next++; }
  /// Adds a type, whose number is returned.
  uint32_t type(uint32_t opcode, Words operands = {}) {
    uint32_t id = fresh();
    operands.insert(operands.begin(), id);
    add(globals, opcode, operands);
    return id;
  }
  /// Adds an instruction with a result, whose number is returned.
  uint32_t value(Words &section, uint32_t opcode, uint32_t type,
                 const Words &operands) {
    uint32_t id = fresh();
    Words all{type, id};
    all.insert(all.end(), operands.begin(), operands.end());
    add(section, opcode, all);
    return id;
  }
  uint32_t compute(uint32_t opcode, uint32_t type, const Words &operands) {
    return value(body, opcode, type, operands);
  }
  void label(uint32_t id) { add(body, OpLabel, {id}); }
  void decorate(Words operands) { add(decorations, OpDecorate, operands); }

  static Words text(std::string_view text) {
    Words words(text.size() / 4 + 1);
    for (size_t i = 0; i < text.size(); ++i)
      words[i / 4] |= static_cast<uint32_t>(static_cast<unsigned char>(text[i]))
                      << (i % 4 * 8);
    return words;
  }
  Words assemble() const {
    Words code{0x07230203, 0x00010500, 0, next, 0};
    for (const Words *section : {&head, &decorations, &globals, &body})
      code.insert(code.end(), section->begin(), section->end());
    return code;
  }

  Words head, decorations, globals, body;

private:
  uint32_t next = 1;
};

} // namespace

MatrixProducts dml::tools::makeMatrixProducts(const DmlMatrixShape &shape,
                                              uint32_t threads) {
  bool isFloat = shape.factors == DML_DATA_TYPE_FLOAT16;
  uint32_t vectors = shape.rows * shape.columns / 4;
  Module m;
  uint32_t main = m.fresh();

  // Types, constants and variables.
  uint32_t none = m.type(OpTypeVoid), function = m.type(OpTypeFunction, {none}),
           boolean = m.type(OpTypeBool), word = m.type(OpTypeInt, {32, 0}),
           real = m.type(OpTypeFloat, {32}),
           factor =
               isFloat ? m.type(OpTypeFloat, {16}) : m.type(OpTypeInt, {8, 0}),
           sum = isFloat ? real : word, word3 = m.type(OpTypeVector, {word, 3}),
           word4 = m.type(OpTypeVector, {word, 4});
  auto constant = [&](uint32_t number) {
    return m.value(m.globals, OpConstant, word, {number});
  };
  uint32_t zero = constant(0), one = constant(1), rounds = constant(kRounds),
           size = constant(threads), ofMatrix = constant(vectors),
           stride = constant(shape.columns / 4), rows = constant(shape.rows),
           columns = constant(shape.columns), terms = constant(shape.terms),
           use = constant(2), workgroup = constant(ScopeWorkgroup),
           subgroup = constant(ScopeSubgroup),
           semantics = constant(BarrierSemantics);
  uint32_t zeroSum = isFloat ? m.value(m.globals, OpConstant, real, {0}) : zero;
  uint32_t lhsType = m.type(OpTypeCooperativeMatrixKHR,
                            {factor, subgroup, rows, terms, zero}),
           rhsType = m.type(OpTypeCooperativeMatrixKHR,
                            {factor, subgroup, terms, columns, one}),
           sumType = m.type(OpTypeCooperativeMatrixKHR,
                            {sum, subgroup, rows, columns, use});
  uint32_t buffer = m.type(OpTypeRuntimeArray, {word4}),
           block = m.type(OpTypeStruct, {buffer}),
           blockPointer =
               m.type(OpTypePointer, {StorageClassStorageBuffer, block}),
           vectorPointer =
               m.type(OpTypePointer, {StorageClassStorageBuffer, word4}),
           array = m.type(OpTypeArray, {word4, constant(kSums * vectors)}),
           arrayPointer = m.type(OpTypePointer, {StorageClassWorkgroup, array}),
           sharedPointer =
               m.type(OpTypePointer, {StorageClassWorkgroup, word4}),
           inputPointer = m.type(OpTypePointer, {StorageClassInput, word3});
  auto variable = [&](uint32_t type, uint32_t storage) {
    return m.value(m.globals, OpVariable, type, {storage});
  };
  uint32_t from = variable(blockPointer, StorageClassStorageBuffer),
           to = variable(blockPointer, StorageClassStorageBuffer),
           memory = variable(arrayPointer, StorageClassWorkgroup),
           localId = variable(inputPointer, StorageClassInput),
           groupId = variable(inputPointer, StorageClassInput);

  // Capabilities, the entry point and decorations, which stand before these.
  for (uint32_t capability :
       {uint32_t(CapabilityShader),
        uint32_t(isFloat ? CapabilityFloat16 : CapabilityInt8),
        uint32_t(CapabilityVulkanMemoryModel),
        uint32_t(CapabilityCooperativeMatrixKHR)})
    Module::add(m.head, OpCapability, {capability});
  Module::add(m.head, OpExtension, Module::text("SPV_KHR_cooperative_matrix"));
  Module::add(m.head, OpMemoryModel, {/*Logical*/ 0, /*Vulkan*/ 3});
  Words entry{/*GLCompute*/ 5, main};
  for (uint32_t letter : Module::text("main"))
    entry.push_back(letter);
  entry.insert(entry.end(), {from, to, memory, localId, groupId});
  Module::add(m.head, OpEntryPoint, entry);
  Module::add(m.head, OpExecutionMode, {main, /*LocalSize*/ 17, threads, 1, 1});
  for (auto [id, binding] : {std::pair(from, 0u), std::pair(to, 1u)}) {
    m.decorate({id, DecorationDescriptorSet, 0});
    m.decorate({id, DecorationBinding, binding});
  }
  m.decorate({buffer, DecorationArrayStride, 16});
  m.decorate({block, DecorationBlock});
  Module::add(m.decorations, OpMemberDecorate, {block, 0, DecorationOffset, 0});
  m.decorate({localId, DecorationBuiltIn, BuiltInLocalInvocationId});
  m.decorate({groupId, DecorationBuiltIn, BuiltInWorkgroupId});

  // A thread computes its factors from elements that it loads, so that no
  // compiler can compute the products in advance.
  Module::add(m.body, OpFunction, {none, main, 0, function});
  uint32_t begin = m.fresh(), header = m.fresh(), inside = m.fresh(),
           latch = m.fresh(), end = m.fresh();
  m.label(begin);
  auto getNumber = [&](uint32_t input) {
    uint32_t all = m.compute(OpLoad, word3, {input});
    return m.compute(OpCompositeExtract, word, {all, 0});
  };
  uint32_t thread = getNumber(localId);
  uint32_t index =
      m.compute(OpIAdd, word,
                {m.compute(OpIMul, word, {getNumber(groupId), size}), thread});
  uint32_t place = m.compute(OpAccessChain, vectorPointer, {from, zero, index});
  uint32_t read = m.compute(OpCompositeExtract, word,
                            {m.compute(OpLoad, word4, {place}), 0});
  uint32_t own;
  if (isFloat) {
    uint32_t pair = m.type(OpTypeVector, {factor, 2});
    own = m.compute(OpCompositeExtract, factor,
                    {m.compute(OpBitcast, pair, {read}), 0});
  } else {
    own = m.compute(OpUConvert, factor, {read});
  }
  uint32_t lhs = m.compute(OpCompositeConstruct, lhsType, {own}),
           rhs = m.compute(OpCompositeConstruct, rhsType, {own}),
           empty = m.compute(OpCompositeConstruct, sumType, {zeroSum});
  Module::add(m.body, OpBranch, {header});

  m.label(header);
  uint32_t nextRound = m.fresh();
  uint32_t round = m.compute(OpPhi, word, {zero, begin, nextRound, latch});
  Words sums, nextSums;
  for (uint32_t i = 0; i < kSums; ++i) {
    nextSums.push_back(m.fresh());
    sums.push_back(
        m.compute(OpPhi, sumType, {empty, begin, nextSums[i], latch}));
  }
  uint32_t goesOn = m.compute(OpULessThan, boolean, {round, rounds});
  Module::add(m.body, OpLoopMerge, {end, latch, 0});
  Module::add(m.body, OpBranchConditional, {goesOn, inside, end});

  m.label(inside);
  for (uint32_t i = 0; i < kSums; ++i) {
    Words operands{sumType, nextSums[i], lhs, rhs, sums[i]};
    if (shape.factors == DML_DATA_TYPE_INT8)
      operands.push_back(AllSigned);
    Module::add(m.body, OpCooperativeMatrixMulAddKHR, operands);
  }
  Module::add(m.body, OpBranch, {latch});
  m.label(latch);
  Module::add(m.body, OpIAdd, {word, nextRound, round, one});
  Module::add(m.body, OpBranch, {header});

  // The thread stores a value from each sum, so that no compiler omits a sum.
  m.label(end);
  for (uint32_t i = 0; i < kSums; ++i)
    Module::add(m.body, OpCooperativeMatrixStoreKHR,
                {m.compute(OpAccessChain, sharedPointer,
                           {memory, constant(i * vectors)}),
                 sums[i], /*RowMajor*/ zero, stride, NonPrivatePointer});
  Module::add(m.body, OpControlBarrier, {workgroup, workgroup, semantics});
  uint32_t inMatrix = m.compute(OpUMod, word, {thread, ofMatrix});
  uint32_t written = 0;
  for (uint32_t i = 0; i < kSums; ++i) {
    uint32_t at = m.compute(OpIAdd, word, {inMatrix, constant(i * vectors)});
    uint32_t vector =
        m.compute(OpLoad, word4,
                  {m.compute(OpAccessChain, sharedPointer, {memory, at}),
                   NonPrivatePointer});
    written =
        written ? m.compute(OpBitwiseXor, word4, {written, vector}) : vector;
  }
  Module::add(
      m.body, OpStore,
      {m.compute(OpAccessChain, vectorPointer, {to, zero, index}), written});
  Module::add(m.body, OpReturn, {});
  Module::add(m.body, OpFunctionEnd, {});

  double products = double(shape.rows) * shape.columns * shape.terms;
  return {m.assemble(), kSums * vectors * 16, 2 * products * kSums * kRounds};
}
