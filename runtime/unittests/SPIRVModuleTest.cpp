//===- SPIRVModuleTest.cpp - What shader modules may consist of -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SPIRVModule.h"
#include "AllocationCounter.h"
#include "SPIRVAssembler.h"
#include "SPIRVIndices.h"
#include "TestExecutables.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <functional>
#include <map>

using namespace dml::runtime;
using namespace dml::runtime::spirv;
using namespace dml::test;
using testing::HasSubstr;

namespace {

using A = Assembler;

/// What is written stands at the beginning of the kernel.
void expectRefused(const std::function<void(Assembler &)> &write,
                   const std::string &message, bool ends = true) {
  Assembler assembler;
  write(assembler);
  Code code = assembler.assemble(ends);
  auto result = readSPIRVModule(code);
  ASSERT_FALSE(result) << "accepted, but expected: " << message;
  EXPECT_EQ(result.status().result(), DML_ERROR_INVALID_EXECUTABLE);
  EXPECT_THAT(result.status().message(), HasSubstr(message));
}

void expectAccepted(const std::function<void(Assembler &)> &write,
                    bool ends = true) {
  Assembler assembler;
  write(assembler);
  Code code = assembler.assemble(ends), limited = code;
  auto result = readSPIRVModule(code);
  ASSERT_TRUE(result) << result.status().message();
  // What has been written into it is a module, too, and leaves nothing to do.
  Code again = code;
  auto second = readSPIRVModule(again);
  ASSERT_TRUE(second) << second.status().message();
  EXPECT_EQ(again, code);
  // There is no index to limit.
  Code unlimited = limited;
  auto count = limitSPIRVIndices(limited);
  ASSERT_TRUE(count) << count.status().message();
  EXPECT_EQ(*count, 0u);
  EXPECT_EQ(limited, unlimited);
}

/// The instructions of a module of that opcode, each with all its words.
std::vector<Code> find(const Code &code, uint32_t opcode) {
  std::vector<Code> found;
  for (size_t at = 5; at < code.size(); at += code[at] >> 16)
    if ((code[at] & 0xffff) == opcode)
      found.emplace_back(code.begin() + at,
                         code.begin() + at + (code[at] >> 16));
  return found;
}

/// Expects a module to be refused for an index, and to be accepted when `count`
/// indices have been limited. Returns what it is then.
Code expectUnproven(const Assembler &assembler, uint32_t count = 1,
                    const std::string &message = "may be anything from",
                    bool ends = true) {
  Code code = assembler.assemble(ends), limited = code;
  auto result = readSPIRVModule(code);
  EXPECT_FALSE(result) << "accepted, but expected: " << message;
  EXPECT_EQ(result.status().result(), DML_ERROR_INVALID_EXECUTABLE);
  EXPECT_THAT(result.status().message(), HasSubstr(message));
  auto done = limitSPIRVIndices(limited);
  EXPECT_TRUE(done) << done.status().message();
  if (!done)
    return {};
  EXPECT_EQ(*done, count);
  Code read = limited;
  auto second = readSPIRVModule(read);
  EXPECT_TRUE(second) << second.status().message();
  Code again = limited;
  auto nothing = limitSPIRVIndices(again);
  EXPECT_TRUE(nothing && *nothing == 0);
  EXPECT_EQ(again, limited);
  return limited;
}

void expectUnproven(const std::function<void(Assembler &)> &write,
                    uint32_t count = 1,
                    const std::string &message = "may be anything from",
                    bool ends = true) {
  Assembler assembler;
  write(assembler);
  expectUnproven(assembler, count, message, ends);
}

} // namespace

TEST(SPIRVModule, AcceptsWhatTheAssemblerWrites) {
  expectAccepted([](A &) {});
  expectAccepted([](A &a) {
    a.storeShared(a.localId());
    a.body(OpControlBarrier, {A::Uint2, A::Uint2, A::Semantics});
  });
}

TEST(SPIRVModule, ChecksBarriers) {
  auto barrier = [](uint32_t execution, uint32_t memory, uint32_t semantics) {
    return [=](A &a) {
      a.body(OpControlBarrier, {execution, memory, semantics});
    };
  };
  // Memory may be ordered for the device, but no more threads wait than those
  // of a workgroup.
  expectAccepted(barrier(A::Uint2, A::Uint1, A::Semantics));
  expectRefused(barrier(A::Uint1, A::Uint2, A::Semantics),
                "has the scope 1, but Workgroup (2) or Subgroup (3) is wanted");
  expectRefused(barrier(A::Uint2, A::Uint0, A::Semantics), "has the scope 0");
  expectRefused(barrier(A::Uint2, A::Uint63, A::Semantics), "has the scope 63");
  // An order without memory, and what is no order.
  expectRefused(barrier(A::Uint2, A::Uint2, A::Uint2),
                "has the memory semantics 2");
  expectRefused(barrier(A::Uint2, A::Uint2, A::Uint63),
                "has the memory semantics 63");
}

TEST(SPIRVModule, RefusesInstructionsThatAreNotOnTheList) {
  for (uint32_t opcode : {uint32_t(0),
                          12u + 500,
                          57u /* OpFunctionCall */,
                          63u /* CopyMemory */,
                          64u,
                          67u /* OpPtrAccessChain */,
                          70u,
                          73u /* OpDecorationGroup */,
                          74u,
                          86u /* OpSampledImage */,
                          117u /* OpConvertPtrToU */,
                          120u /* OpConvertUToPtr */,
                          227u /* OpAtomicLoad */,
                          230u,
                          234u,
                          251u,
                          252u /* OpKill */,
                          332u,
                          5609u /* OpAsmINTEL */,
                          65535u})
    expectRefused(
        [&](A &a) {
          a.body(opcode, {A::Float, a.fresh(), A::Float1});
        },
        "instruction " + std::to_string(opcode) +
            " is none that an executable may use");
}

TEST(SPIRVModule, RefusesPointersAsData) {
  expectRefused(
      [](A &a) {
        a.global(OpTypePointer, {a.fresh(), 5349, A::Float});
      },
      "storage class 5349 is none that an executable may use");
  expectRefused(
      [](A &a) {
        a.global(OpTypeStruct, {a.fresh(), A::FloatPointer});
      },
      "is no type that another may consist of");
  auto pointer = [](A &a) {
    return a.value(OpAccessChain, A::SharedPointer, {A::Shared, A::Uint0});
  };
  expectRefused([&](A &a) { a.value(OpBitcast, A::Uint, {pointer(a)}); },
                "is no value");
  expectRefused([&](A &a) { a.value(OpBitcast, A::SharedPointer, {A::Uint0}); },
                "is no type that values have");
  expectRefused(
      [&](A &a) { a.value(OpCopyObject, A::SharedPointer, {pointer(a)}); },
      "is no type that values have");
  expectRefused(
      [&](A &a) {
        uint32_t p = pointer(a);
        a.value(OpSelect, A::SharedPointer, {A::True, p, p});
      },
      "is no type that values have");
  expectRefused(
      [](A &a) {
        a.global(OpUndef, {A::FloatPointer, a.fresh()});
      },
      "is no type that a constant may have");
  expectRefused(
      [](A &a) {
        a.global(OpConstantNull, {A::FloatPointer, a.fresh()});
      },
      "is no type that a constant may have");
}

TEST(SPIRVModule, RefusesDoubledDecorationsAndModes) {
  expectRefused([](A &a) { a.decorate(A::From, 33, {0}); },
                "decorated twice with Binding");
  expectRefused([](A &a) { a.decorate(A::From, 34, {0}); },
                "decorated twice with DescriptorSet");
  expectRefused([](A &a) { a.decorate(A::From, 34, {1}); },
                "decorated twice with DescriptorSet");
  expectRefused(
      [](A &a) {
        A::add(a.modes, OpExecutionMode, {A::Main, 17, 1, 1, 1});
      },
      "has two LocalSizes");
  expectRefused(
      [](A &a) {
        A::add(a.decorations, OpMemberDecorate, {A::Block, 0, 35, 0});
      },
      "decorated twice with Offset");
  expectRefused([](A &a) { a.decorate(A::From, 5350, {}); },
                "decoration 5350 is none");
  expectRefused([](A &a) { a.decorate(A::Float, 33, {0}); },
                "fits other things only");
  expectRefused(
      [](A &a) {
        A::add(a.modes, OpExecutionMode, {A::Main, 38, 1, 1, 1});
      },
      "execution mode 38 is none");
}

TEST(SPIRVModule, KeepsNumbersThatAreNoneOf32Bits) {
  auto preserve = [](A &a, const Code &operands) {
    Code capability;
    A::add(capability, OpCapability, {4466});
    a.head.insert(a.head.begin(), capability.begin(), capability.end());
    A::add(a.modes, OpExecutionMode, operands);
  };
  Assembler assembler;
  preserve(assembler, {A::Main, 4461, 32});
  Code code = assembler.assemble();
  auto module = readSPIRVModule(code);
  ASSERT_TRUE(module) << module.status().message();
  EXPECT_EQ(module->features,
            static_cast<DmlFeatureFlags>(
                DML_FEATURE_SHADER_SIGNED_ZERO_INF_NAN_PRESERVE_FLOAT32_BIT));

  expectRefused(
      [](A &a) {
        A::add(a.modes, OpExecutionMode, {A::Main, 4461, 32});
      },
      "the capability SignedZeroInfNanPreserve is not declared");
  expectRefused(
      [&](A &a) {
        preserve(a, {A::Main, 4461, 16});
      },
      "is of other than 32 bits");
  expectRefused(
      [&](A &a) {
        preserve(a, {A::Main, 4461});
      },
      "is of other than 32 bits");
  expectRefused(
      [&](A &a) {
        preserve(a, {A::Float1, 4461, 32});
      },
      "is the function of no entry point");
  expectRefused(
      [&](A &a) {
        preserve(a, {A::Main, 4461, 32});
        A::add(a.modes, OpExecutionMode, {A::Main, 4461, 32});
      },
      "has two SignedZeroInfNanPreserves");
}

TEST(SPIRVModule, BoundsIdsByTheWords) {
  expectRefused([](A &a) { a.next = UINT32_MAX; }, "has the id bound");
  expectRefused([](A &a) { a.next = 1 << 12; }, "has the id bound 4096");
  expectRefused([](A &a) { a.next = 0; }, "has the id bound 0");
  Assembler assembler;
  Code code = assembler.assemble();
  code.resize(5 << 20, 1u << 16);
  code[3] = (1 << 22) + 1;
  auto result = readSPIRVModule(code);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.status().message(),
              HasSubstr("has the id bound 4194305, but 1 to 4194304"));
}

TEST(SPIRVModule, RefusesUndefinedIdsAndOtherTypes) {
  expectRefused(
      [](A &a) {
        a.body(OpStore, {A::To, a.fresh()});
      },
      "is used before it is defined");
  expectRefused(
      [](A &a) {
        a.value(OpAccessChain, A::FloatPointer, {9999, A::Uint0});
      },
      "%9999 is used before it is defined");
  expectRefused(
      [](A &a) {
        a.value(OpIAdd, A::Uint, {A::Uint0, A::Float1});
      },
      "operand 2");
  expectRefused(
      [](A &a) {
        a.value(OpIAdd, A::Float, {A::Uint0, A::Uint0});
      },
      "is no type that its result may have here");
  expectRefused(
      [](A &a) {
        a.global(OpTypeFloat, {A::Float, 32});
      },
      "is defined twice");
  expectRefused([](A &a) { a.body(OpReturn, {A::Void}); },
                "has 2 words, but 1 are wanted");
  expectRefused(
      [](A &a) {
        a.body(OpStore, {A::LocalId, A::Uint0});
      },
      "stores to an input");
  expectRefused(
      [](A &a) {
        a.value(349, A::Uint, {A::Uint0, 0, A::Uint0});
      },
      "needs capability 63");
}

TEST(SPIRVModule, ChecksStorageBuffers) {
  expectRefused(
      [](A &a) {
        uint32_t array = a.fresh(), pointer = a.fresh();
        a.global(OpTypeArray, {array, A::Block, A::Uint2});
        a.global(OpTypePointer, {pointer, StorageClassStorageBuffer, array});
      },
      "which has no size");
  expectRefused(
      [](A &a) {
        uint32_t block = a.fresh(), pointer = a.fresh(), id = a.fresh();
        a.decorate(id, 34, {0});
        a.decorate(id, 33, {2});
        a.global(OpTypeStruct, {block, A::Float});
        a.global(OpTypePointer, {pointer, StorageClassStorageBuffer, block});
        a.global(OpVariable, {pointer, id, StorageClassStorageBuffer});
      },
      "is no struct decorated with Block");
  expectRefused(
      [](A &a) {
        uint32_t block = a.fresh(), pointer = a.fresh(), id = a.fresh();
        a.decorate(id, 34, {0});
        a.decorate(id, 33, {2});
        a.decorate(block, 2, {});
        a.global(OpTypeStruct, {block, A::Float});
        a.global(OpTypePointer, {pointer, StorageClassStorageBuffer, block});
        a.global(OpVariable, {pointer, id, StorageClassStorageBuffer});
      },
      "has no Offset");
}

TEST(SPIRVModule, LaysOutBuffersAlone) {
  expectRefused([](A &a) { a.decorate(A::Array, 6, {4096}); },
                "says where its elements lie, as in a buffer, which variables "
                "of storage class Workgroup do not");
  auto addPrivate = [](A &a, bool isLaidOut) {
    uint32_t structure = a.fresh(), array = a.fresh(), pointer = a.fresh();
    a.global(OpTypeStruct, {structure, A::Float});
    if (isLaidOut)
      A::add(a.decorations, OpMemberDecorate, {structure, 0, 35, 4096});
    a.global(OpTypeArray, {array, structure, A::Uint2});
    a.global(OpTypePointer, {pointer, StorageClassPrivate, array});
    a.global(OpVariable, {pointer, a.fresh(), StorageClassPrivate});
  };
  expectAccepted([&](A &a) { addPrivate(a, false); });
  expectRefused([&](A &a) { addPrivate(a, true); },
                "which variables of storage class Private do not");
}

TEST(SPIRVModule, RefusesOtherFunctionsThanThoseOfEntryPoints) {
  expectRefused(
      [](A &a) {
        A::add(a.rest, OpFunction, {A::Void, a.fresh(), 0, A::FunctionType});
      },
      "is the function of no entry point");
  expectRefused(
      [](A &a) {
        A::add(a.entry, OpEntryPoint, {5, A::Main, 0x00000078});
      },
      "two entry points have the function");
  expectRefused([](A &) {}, "does not end", false);
}

TEST(SPIRVModule, ChecksWhatAnEntryPointLists) {
  expectRefused(
      [](A &a) {
        a.version = 0x00010400;
        a.storeShared(A::Uint0);
      },
      "is not listed by the entry point");
  expectRefused(
      [](A &a) {
        a.entry.clear();
        A::add(a.entry, OpEntryPoint, {5, A::Main, 0x6e69616d, 0});
        a.localId();
      },
      "is not listed by the entry point");
}

TEST(SPIRVModule, ChecksIndices) {
  // Constants.
  expectAccepted([](A &a) { a.storeShared(A::Uint63); });
  expectRefused([](A &a) { a.storeShared(A::Uint64); },
                "index 64 reaches beyond the 64 elements");
  // These indices are proven.
  expectAccepted([](A &a) { a.storeShared(a.localId()); });
  expectAccepted([](A &a) {
    uint32_t sum = a.value(OpIAdd, A::Uint, {a.localId(), A::Uint64});
    a.storeShared(a.value(OpUMod, A::Uint, {sum, A::Uint64}));
    a.storeShared(a.value(OpBitwiseAnd, A::Uint, {sum, A::Uint63}));
    a.storeShared(a.value(OpISub, A::Uint, {A::Uint63, a.localId()}));
    a.storeShared(a.value(196, A::Uint, {A::Uint1, A::Uint2}));
    // 64 to 127 and -64.
    uint32_t negative = a.fresh();
    a.global(OpConstant, {A::Uint, negative, 0xffffffc0});
    a.storeShared(a.value(OpIAdd, A::Uint, {sum, negative}));
  });
  // A clamp is its limits', where these do not cross. Drivers take the one or
  // the other of 63 and 1.
  auto clamp = [](A &a, uint32_t opcode, uint32_t low, uint32_t high) {
    uint32_t set = a.fresh();
    a.head.clear();
    A::add(a.head, OpCapability, {1});
    A::add(a.head, OpExtInstImport,
           {set, 0x4c534c47, 0x6474732e, 0x3035342e, 0});
    A::add(a.head, OpMemoryModel, {0, 1});
    uint32_t any = a.value(OpIMul, A::Uint, {a.localId(), A::Uint64});
    uint32_t limited =
        a.value(OpExtInst, A::Uint, {set, opcode, any, low, high});
    a.storeShared(limited);
  };
  for (uint32_t opcode : {44, 45}) {
    expectAccepted([&](A &a) { clamp(a, opcode, A::Uint1, A::Uint63); });
    expectUnproven([&](A &a) { clamp(a, opcode, A::Uint64, A::Uint1); }, 1,
                   "may be anything from 0 to 4294967295, but there are 64 "
                   "elements");
  }
  // These are not: 1 + 63, 2 * 63, and what a buffer says.
  expectUnproven(
      [](A &a) {
        a.storeShared(a.value(OpIAdd, A::Uint, {a.localId(), A::Uint1}));
      },
      1,
      "OpAccessChain: kernel 'main': index %32 may be anything from 1 to 64, "
      "but there are 64 elements");
  expectUnproven(
      [](A &a) {
        a.storeShared(a.value(OpIMul, A::Uint, {a.localId(), A::Uint2}));
        a.storeShared(a.value(OpISub, A::Uint, {A::Uint2, a.localId()}));
        uint32_t pointer = a.value(OpAccessChain, A::FloatPointer,
                                   {A::From, A::Uint0, a.localId()});
        uint32_t loaded = a.value(OpLoad, A::Float, {pointer});
        a.storeShared(a.value(OpBitcast, A::Uint, {loaded}));
        a.storeShared(a.value(OpBitcast, A::Int, {loaded}));
      },
      4, "may be anything from 0 to 126, but there are 64 elements");
  // Buffers are left to robust access, but for what needs none.
  expectAccepted([](A &a) {
    uint32_t index = a.value(OpIMul, A::Uint, {a.localId(), A::Uint64});
    a.value(OpAccessChain, A::FloatPointer, {A::From, A::Uint0, index});
  });
  expectRefused(
      [](A &a) {
        a.value(OpAccessChain, A::FloatPointer, {A::From, A::Uint1, A::Uint0});
      },
      "index 1 reaches beyond the 1 members");
  expectRefused(
      [](A &a) {
        a.value(OpAccessChain, A::FloatPointer,
                {A::From, a.localId(), A::Uint0});
      },
      "is no OpConstant");
}

TEST(SPIRVModule, ChecksJumps) {
  // if (true) { } with a value that is used where it may not be defined.
  auto branch = [](A &a, bool merge, bool useOutside) {
    uint32_t then = a.fresh(), end = a.fresh();
    if (merge)
      a.body(OpSelectionMerge, {end, 0});
    a.body(OpBranchConditional, {A::True, then, end});
    a.body(OpLabel, {then});
    uint32_t value = a.value(OpIAdd, A::Uint, {A::Uint0, A::Uint1});
    a.body(OpBranch, {end});
    a.body(OpLabel, {end});
    if (useOutside)
      a.value(OpIAdd, A::Uint, {value, value});
  };
  expectAccepted([&](A &a) { branch(a, true, false); });
  expectRefused([&](A &a) { branch(a, false, false); }, "OpSelectionMerge");
  expectRefused([&](A &a) { branch(a, true, true); },
                "which not every way to it crosses");
  expectRefused([](A &a) { a.body(OpBranch, {A::Entry}); },
                "the first block, %29, is jumped to", false);
  expectRefused([](A &a) { a.body(OpBranch, {a.fresh()}); },
                "is no block of this function", false);
  // The largest number stands for no block where there may be none.
  constexpr const char *noBlock = "%4294967295 is no block of this function";
  expectRefused([](A &a) { a.body(OpBranch, {UINT32_MAX}); }, noBlock, false);
  for (int spoiled : {0, 1, 2, 3, 4})
    expectRefused(
        [&](A &a) {
          uint32_t header = a.fresh(), next = a.fresh(), end = a.fresh();
          uint32_t targets[] = {end, next, next, end, end};
          targets[spoiled] = UINT32_MAX;
          a.body(OpBranch, {header});
          a.body(OpLabel, {header});
          a.body(OpLoopMerge, {targets[0], targets[1], 0});
          a.body(OpBranchConditional, {A::True, targets[2], targets[3]});
          a.body(OpLabel, {next});
          a.body(OpBranch, {header});
          a.body(OpLabel, {end});
          uint32_t after = a.fresh(), then = a.fresh();
          a.body(OpSelectionMerge, {spoiled == 4 ? targets[4] : after, 0});
          a.body(OpBranchConditional, {A::True, then, after});
          a.body(OpLabel, {then});
          a.body(OpBranch, {after});
          a.body(OpLabel, {after});
        },
        noBlock);
  expectRefused(
      [](A &a) {
        a.body(OpReturn, {});
        a.label();
        a.value(OpIAdd, A::Uint, {A::Uint0, A::Uint1});
      },
      "nothing leads to block");
  // A jump back without a loop.
  expectRefused(
      [](A &a) {
        uint32_t block = a.fresh();
        a.body(OpBranch, {block});
        a.body(OpLabel, {block});
        a.body(OpBranch, {block});
      },
      "goes back, but not to the header of a loop", false);
}

TEST(SPIRVModule, ChecksLoopsAndPhis) {
  auto loop = [](A &a,
                 const std::function<void(uint32_t phi, uint32_t end)> &in,
                 uint32_t first = A::Uint0) {
    uint32_t header = a.fresh(), body = a.fresh(), next = a.fresh(),
             end = a.fresh(), sum = a.fresh(), phi = a.fresh();
    a.body(OpBranch, {header});
    a.body(OpLabel, {header});
    a.body(OpPhi, {A::Uint, phi, first, A::Entry, sum, next});
    uint32_t less = a.value(176, A::Bool, {phi, A::Uint64});
    a.body(OpLoopMerge, {end, next, 0});
    a.body(OpBranchConditional, {less, body, end});
    a.body(OpLabel, {body});
    in(phi, end);
    a.body(OpBranch, {next});
    a.body(OpLabel, {next});
    a.body(OpIAdd, {A::Uint, sum, phi, A::Uint1});
    a.body(OpBranch, {header});
    a.body(OpLabel, {end});
  };
  // The phi counts the loop's rounds (see CountsTheRoundsOfLoops).
  expectAccepted([&](A &a) {
    loop(a, [&](uint32_t phi, uint32_t) { a.storeShared(phi); });
  });
  expectRefused(
      [&](A &a) {
        loop(
            a, [](uint32_t, uint32_t) {}, A::Float1);
      },
      "is not of type");
  // if (true) break; and, wrongly, leaving two ifs at once.
  expectAccepted([&](A &a) {
    loop(a, [&](uint32_t, uint32_t end) {
      uint32_t after = a.fresh();
      a.body(OpSelectionMerge, {after, 0});
      a.body(OpBranchConditional, {A::True, end, after});
      a.body(OpLabel, {after});
    });
  });
  expectRefused(
      [&](A &a) {
        uint32_t outer = a.fresh(), then = a.fresh(), inner = a.fresh();
        a.body(OpSelectionMerge, {outer, 0});
        a.body(OpBranchConditional, {A::True, then, outer});
        a.body(OpLabel, {then});
        a.body(OpSelectionMerge, {inner, 0});
        a.body(OpBranchConditional, {A::True, outer, inner});
        a.body(OpLabel, {inner});
        a.body(OpBranch, {outer});
        a.body(OpLabel, {outer});
      },
      "leaves more than the innermost if or loop");
}

TEST(SPIRVModule, LimitsIndicesForTheCompiler) {
  // Two indices of one instruction, one of them twice: a minimum each, and a
  // constant for each array's length and type of index.
  Assembler a;
  uint32_t table = a.fresh(), rows = a.fresh(), toRows = a.fresh(),
           toFloat = a.fresh(), memory = a.fresh(), bits = a.fresh();
  a.global(OpTypeArray, {table, A::Float, A::Uint2});
  a.global(OpTypeArray, {rows, table, A::Uint64});
  a.global(OpTypePointer, {toRows, StorageClassPrivate, rows});
  a.global(OpTypePointer, {toFloat, StorageClassPrivate, A::Float});
  a.global(OpConstantNull, {rows, bits});
  a.global(OpVariable, {toRows, memory, StorageClassPrivate, bits});
  uint32_t index = a.value(OpIMul, A::Uint, {a.localId(), A::Uint2});
  uint32_t pointer = a.value(OpAccessChain, toFloat, {memory, index, index});
  a.body(OpStore, {pointer, A::Float1});
  a.storeShared(index);
  Code code = expectUnproven(a, 3);
  // GLSL.std.450 was not there.
  ASSERT_EQ(find(code, OpExtInstImport).size(), 1u);
  std::vector<Code> minima = find(code, OpExtInst),
                    chains = find(code, OpAccessChain);
  ASSERT_EQ(minima.size(), 3u);
  std::map<uint32_t, uint32_t> constants;
  for (const Code &constant : find(code, OpConstant))
    constants[constant[2]] = constant[3];
  uint32_t lasts[] = {63, 1, 63};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(minima[i][4], uint32_t(GlslUMin));
    EXPECT_EQ(minima[i][5], index);
    EXPECT_EQ(constants.at(minima[i][6]), lasts[i]);
  }
  EXPECT_EQ(minima[0][6], minima[2][6]);
  ASSERT_EQ(chains.size(), 2u);
  EXPECT_EQ(chains[0][4], minima[0][2]);
  EXPECT_EQ(chains[0][5], minima[1][2]);
  EXPECT_EQ(chains[1][4], minima[2][2]);

  // Indices of vectors; those of 64 bits have constants of two words.
  for (bool isLong : {false, true}) {
    Assembler b;
    uint32_t type = A::Uint;
    if (isLong) {
      A::add(b.head, OpCapability, {11});
      std::rotate(b.head.begin() + 2, b.head.end() - 2, b.head.end());
      b.global(OpTypeInt, {type = b.fresh(), 64, 0});
    }
    uint32_t vector = b.value(OpLoad, A::Vector3, {A::LocalId});
    uint32_t place = b.value(OpCompositeExtract, A::Uint, {vector, 0});
    if (isLong)
      place = b.value(OpUConvert, type, {place});
    b.value(OpVectorExtractDynamic, A::Uint, {vector, place});
    expectUnproven(b, 1,
                   "may be anything from 0 to 63, but there are 3 elements");
  }

  // What is refused for anything else stays as it is.
  Assembler wrong;
  wrong.storeShared(wrong.value(OpIMul, A::Uint, {wrong.localId(), A::Uint2}));
  wrong.storeShared(A::Uint64);
  code = wrong.assemble();
  Code before = code;
  auto refused = limitSPIRVIndices(code);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.status().message(),
              HasSubstr("index 64 reaches beyond the 64 elements"));
  EXPECT_EQ(code, before);
}

namespace {

/// A loop that stores to an element of 64 in each round:
///   for (i = first; i < limit; i = i + step) a[i] = 1;
struct CountingLoop {
  uint32_t from = A::Entry;
  uint32_t first = A::Uint0, limit = A::Uint64, step = A::Uint1;
  /// What is added to the phi for the store's index, where there is any.
  uint32_t offset = 0;
  Op less = OpULessThan, next = OpIAdd;
  enum { InBody, InContinue, InHeader, After } stores = InBody;
  /// Whether the header's condition leads to the body, or out of the loop.
  bool goesOn = true;

  /// Returns the block after the loop.
  uint32_t operator()(A &a) const {
    uint32_t header = a.fresh(), body = a.fresh(), again = a.fresh(),
             end = a.fresh(), sum = a.fresh(), phi = a.fresh();
    a.body(OpBranch, {header});
    a.body(OpLabel, {header});
    a.body(OpPhi, {A::Uint, phi, first, from, sum, again});
    if (stores == InHeader)
      store(a, phi);
    uint32_t condition = a.value(less, A::Bool, {phi, limit});
    a.body(OpLoopMerge, {end, again, 0});
    a.body(OpBranchConditional,
           {condition, goesOn ? body : end, goesOn ? end : body});
    a.body(OpLabel, {body});
    if (stores == InBody)
      store(a, phi);
    a.body(OpBranch, {again});
    a.body(OpLabel, {again});
    if (stores == InContinue)
      store(a, phi);
    a.body(next, {A::Uint, sum, phi, step});
    a.body(OpBranch, {header});
    a.body(OpLabel, {end});
    if (stores == After)
      store(a, phi);
    return end;
  }

  void store(A &a, uint32_t phi) const {
    a.storeShared(offset ? a.value(OpIAdd, A::Uint, {phi, offset}) : phi);
  }
};

} // namespace

TEST(SPIRVModule, CountsTheRoundsOfLoops) {
  CountingLoop loop;
  expectAccepted(loop);
  loop.stores = CountingLoop::InContinue;
  expectAccepted(loop);
  loop.less = OpSLessThan;
  expectAccepted(loop);
  loop.step = A::Uint63;
  expectAccepted(loop);
  // After the loop, and where it is compared, the phi may be 64.
  loop = {};
  loop.stores = CountingLoop::After;
  expectUnproven(loop);
  loop.stores = CountingLoop::InHeader;
  expectUnproven(loop);
  // The condition leads out of the loop, or compares with anything.
  loop = {};
  loop.goesOn = false;
  expectUnproven(loop);
  expectUnproven([](A &a) {
    CountingLoop loop;
    loop.limit = a.value(OpIAdd, A::Uint, {a.localId(), A::Uint2});
    loop(a);
  });
  // Two at a time, from 0 on, end with 62, and from 1 on with 63; from the
  // thread's number on they may end with 63.
  loop = {};
  loop.step = A::Uint2;
  loop.offset = A::Uint1;
  expectAccepted(loop);
  loop.first = A::Uint1;
  expectUnproven(loop);
  auto fromThread = [](uint32_t offset) {
    return [=](A &a) {
      CountingLoop loop;
      loop.first = a.localId();
      loop.step = A::Uint2;
      loop.offset = offset;
      loop(a);
    };
  };
  expectAccepted(fromThread(0));
  expectUnproven(fromThread(A::Uint1));
  // It begins with anything, goes on with less, or with what a sum is that
  // wraps around.
  expectUnproven([](A &a) {
    CountingLoop loop;
    loop.first = a.value(OpISub, A::Uint, {A::Uint2, a.localId()});
    loop(a);
  });
  for (Op less : {OpULessThan, OpSLessThan}) {
    loop = {};
    loop.less = less;
    loop.next = OpISub;
    expectUnproven(loop);
    for (uint32_t step : {0u, 0x7fffffc1u, 0xffffffc1u, 0xffffffffu})
      expectUnproven([=](A &a) {
        CountingLoop loop;
        loop.less = less;
        loop.step = a.fresh();
        a.global(OpConstant, {A::Uint, loop.step, step});
        loop.first = A::Uint63;
        if (less == OpULessThan && step == 0x7fffffc1u)
          // 63 + 0x7fffffc1 is 2^31, which is a number like any other here.
          loop.offset = A::Uint1;
        loop(a);
      });
  }
}

// What a loop's counter is known to be holds in the blocks that its comparison
// leads to, whatever order the blocks stand in.
TEST(SPIRVModule, CountsInTheLoopAlone) {
  // The loop goes on in a block that something else leads to as well.
  auto enter = [](A &a, bool twice) {
    uint32_t header = a.fresh(), body = a.fresh(), again = a.fresh(),
             end = a.fresh(), sum = a.fresh(), phi = a.fresh(),
             after = a.fresh();
    a.body(OpSelectionMerge, {after, 0});
    a.body(OpBranchConditional, {A::True, header, twice ? body : after});
    a.body(OpLabel, {header});
    a.body(OpPhi, {A::Uint, phi, A::Uint0, A::Entry, sum, again});
    uint32_t less = a.value(OpULessThan, A::Bool, {phi, A::Uint64});
    a.body(OpLoopMerge, {end, again, 0});
    a.body(OpBranchConditional, {less, body, end});
    a.body(OpLabel, {body});
    a.storeShared(twice ? A::Uint0 : phi);
    a.body(OpBranch, {again});
    a.body(OpLabel, {again});
    a.body(OpIAdd, {A::Uint, sum, phi, A::Uint1});
    a.body(OpBranch, {header});
    a.body(OpLabel, {end});
    a.body(OpBranch, {after});
    a.body(OpLabel, {after});
  };
  expectAccepted([&](A &a) { enter(a, false); });
  Assembler assembler;
  enter(assembler, true);
  Code code = assembler.assemble();
  EXPECT_FALSE(readSPIRVModule(code));
  // A block before the loop's end that only the end leads to, and a merge block
  // that stands first.
  auto order = [](A &a, bool endFirst) {
    uint32_t header = a.fresh(), body = a.fresh(), again = a.fresh(),
             end = a.fresh(), sum = a.fresh(), phi = a.fresh();
    a.body(OpBranch, {header});
    a.body(OpLabel, {header});
    a.body(OpPhi, {A::Uint, phi, A::Uint0, A::Entry, sum, again});
    uint32_t less = a.value(OpULessThan, A::Bool, {phi, A::Uint64});
    a.body(OpLoopMerge, {end, again, 0});
    a.body(OpBranchConditional, {less, body, end});
    auto writeEnd = [&] {
      a.body(OpLabel, {end});
      a.body(OpReturn, {});
    };
    if (endFirst)
      writeEnd();
    a.body(OpLabel, {body});
    a.storeShared(phi);
    a.body(OpBranch, {again});
    a.body(OpLabel, {again});
    a.body(OpIAdd, {A::Uint, sum, phi, A::Uint1});
    a.body(OpBranch, {header});
    if (!endFirst)
      writeEnd();
  };
  // The function's end follows its last block.
  expectAccepted([&](A &a) { order(a, false); }, false);
  expectUnproven([&](A &a) { order(a, true); }, 1, "may be anything from",
                 false);
}

TEST(SPIRVModule, LimitsNesting) {
  auto nest = [](A &a, uint32_t depth) {
    std::vector<uint32_t> ends;
    for (uint32_t i = 0; i < depth; ++i) {
      uint32_t then = a.fresh();
      ends.push_back(a.fresh());
      a.body(OpSelectionMerge, {ends.back(), 0});
      a.body(OpBranchConditional, {A::True, then, ends.back()});
      a.body(OpLabel, {then});
    }
    for (; !ends.empty(); ends.pop_back()) {
      a.body(OpBranch, {ends.back()});
      a.body(OpLabel, {ends.back()});
    }
  };
  expectAccepted([&](A &a) { nest(a, 64); });
  expectRefused([&](A &a) { nest(a, 65); },
                "ifs and loops are nested more than 64 deep");
  expectRefused(
      [](A &a) {
        uint32_t type = A::Float;
        for (int i = 0; i < 17; ++i) {
          uint32_t array = a.fresh();
          a.global(OpTypeArray, {array, type, A::Uint1});
          type = array;
        }
      },
      "at most 16 may be nested");
}

// A chain of ifs, each of which may leave a loop, is what naive dominators take
// quadratic time for; blocks in a row make a recursive walk overflow the stack.
TEST(SPIRVModule, TakesLongFunctions) {
  expectAccepted([](A &a) {
    constexpr int kCount = 100000;
    uint32_t header = a.fresh(), body = a.fresh(), next = a.fresh(),
             end = a.fresh();
    a.body(OpBranch, {header});
    a.body(OpLabel, {header});
    a.body(OpLoopMerge, {end, next, 0});
    a.body(OpBranchConditional, {A::True, body, end});
    a.body(OpLabel, {body});
    for (int i = 0; i < kCount; ++i) {
      uint32_t after = a.fresh();
      a.body(OpSelectionMerge, {after, 0});
      a.body(OpBranchConditional, {A::True, end, after});
      a.body(OpLabel, {after});
    }
    a.body(OpBranch, {next});
    a.body(OpLabel, {next});
    a.body(OpBranch, {header});
    a.body(OpLabel, {end});
  });
}

// What nothing was written to would be what a driver likes, a limited index
// too.
TEST(SPIRVModule, PutsZerosWhereThereIsNothing) {
  Assembler a;
  uint32_t undefined = a.fresh(), toFunction = a.fresh(), toPrivate = a.fresh(),
           local = a.fresh(), known = a.fresh(), global = a.fresh();
  a.global(OpUndef, {A::Uint, undefined});
  a.global(OpTypePointer, {toFunction, StorageClassFunction, A::Uint});
  a.global(OpTypePointer, {toPrivate, StorageClassPrivate, A::Array});
  a.global(OpVariable, {toPrivate, global, StorageClassPrivate});
  a.body(OpVariable, {toFunction, local, StorageClassFunction});
  a.body(OpVariable, {toFunction, known, StorageClassFunction, A::Uint63});
  a.value(OpLoad, A::Uint, {local});
  a.storeShared(undefined);
  Code code = a.assemble();
  auto module = readSPIRVModule(code);
  ASSERT_TRUE(module) << module.status().message();
  std::map<uint32_t, uint32_t> zeros;
  std::map<uint32_t, uint32_t> initializers;
  for (size_t at = 5; at < code.size(); at += code[at] >> 16) {
    EXPECT_NE(code[at] & 0xffff, uint32_t(OpUndef));
    if ((code[at] & 0xffff) == OpConstantNull)
      zeros[code[at + 2]] = code[at + 1];
    else if ((code[at] & 0xffff) == OpVariable && code[at] >> 16 == 5)
      initializers[code[at + 2]] = code[at + 4];
  }
  EXPECT_EQ(zeros.at(undefined), uint32_t(A::Uint));
  EXPECT_EQ(zeros.at(initializers.at(local)), uint32_t(A::Uint));
  EXPECT_EQ(zeros.at(initializers.at(global)), uint32_t(A::Array));
  EXPECT_EQ(initializers.at(known), uint32_t(A::Uint63));
  EXPECT_EQ(initializers.size(), 3u);
  // It stays as it is.
  Code again = code;
  ASSERT_TRUE(readSPIRVModule(again));
  EXPECT_EQ(again, code);
}

TEST(SPIRVModule, RefusesInputsThatNothingFills) {
  expectRefused(
      [](A &a) {
        a.global(OpVariable, {A::InputPointer, a.fresh(), StorageClassInput});
      },
      "is an input without a BuiltIn that there is");
}

// A driver takes values apart: a few words for each would become thousands.
TEST(SPIRVModule, LimitsTheSizeOfValues) {
  expectRefused([](A &a) { a.value(OpLoad, A::Array, {A::Shared}); },
                "which has 256 bytes, but at most 64 are possible");
  expectRefused(
      [](A &a) {
        uint32_t zeros = a.fresh();
        a.global(OpConstantNull, {A::Array, zeros});
        a.body(OpStore, {A::Shared, zeros});
      },
      "stores more than 64 bytes at once");
}

// Vulkan counts workgroup memory as it lays out buffers: a byte before four
// words takes as much as these, and three words as much as four.
TEST(SPIRVModule, CountsThePaddingOfWorkgroupMemory) {
  auto measure = [](const std::function<void(A &)> &write) {
    A a;
    write(a);
    Code code = a.assemble();
    auto module = readSPIRVModule(code);
    EXPECT_TRUE(module) << module.status().message();
    return module ? module->findEntryPoint("main")->sharedMemorySize : 0;
  };
  auto addVariable = [](A &a, uint32_t type) {
    uint32_t pointer = a.fresh();
    a.global(OpTypePointer, {pointer, StorageClassWorkgroup, type});
    a.global(OpVariable, {pointer, a.fresh(), StorageClassWorkgroup});
  };
  EXPECT_EQ(measure([](A &) {}), 256u);
  EXPECT_EQ(measure([&](A &a) {
              uint32_t array = a.fresh();
              a.global(OpTypeArray, {array, A::Vector3, A::Uint2});
              addVariable(a, array);
            }),
            256u + 32);
  // An f32, three words, an f32: 4 and 12 of padding, 12, 4.
  EXPECT_EQ(
      measure([&](A &a) {
        uint32_t structure = a.fresh();
        a.global(OpTypeStruct, {structure, A::Float, A::Vector3, A::Float});
        addVariable(a, structure);
      }),
      256u + 32);
  // Two variables of 4 bytes, which three words may stand between.
  EXPECT_EQ(measure([&](A &a) {
              addVariable(a, A::Float);
              addVariable(a, A::Float);
              addVariable(a, A::Vector3);
            }),
            256u + 48);
}

namespace {

/// What reading a module takes.
dml::test::Allocations measure(const std::function<void(Assembler &)> &write) {
  Assembler assembler;
  write(assembler);
  Code code = assembler.assemble();
  dml::test::Allocations &counter = dml::test::allocations, before = counter;
  counter.peak = counter.live;
  auto result = readSPIRVModule(code);
  EXPECT_TRUE(result) << result.status().message();
  return {0, counter.peak - before.live, counter.count - before.count};
}

} // namespace

// Nothing is made for an instruction that is right: no message above all, which
// once took ten times as long as the rest.
TEST(SPIRVModule, AllocatesNothingForAnInstruction) {
  auto straight = [](size_t count) {
    return [count](A &a) {
      uint32_t glsl = a.fresh();
      Code import;
      A::add(import, OpExtInstImport,
             {glsl, 0x4c534c47, 0x6474732e, 0x3035342e, 0});
      a.head.insert(a.head.begin() + 2, import.begin(), import.end());
      uint32_t index = a.localId();
      for (size_t i = 0; i < count; ++i) {
        uint32_t sum = a.value(OpIAdd, A::Uint, {index, A::Uint1});
        a.storeShared(
            a.value(OpExtInst, A::Uint, {glsl, GlslUMin, sum, A::Uint63}));
        a.body(OpControlBarrier, {A::Uint2, A::Uint2, A::Semantics});
      }
    };
  };
  dml::test::Allocations few = measure(straight(1000)),
                         many = measure(straight(8000));
  EXPECT_EQ(few.count, many.count);
  EXPECT_LE(many.peak, 9 * few.peak);
}

TEST(SPIRVModule, TakesMemoryInProportion) {
  auto check = [](const std::function<void(A &, size_t)> &write) {
    auto take = [&](size_t count) {
      return measure([&](A &a) { write(a, count); });
    };
    dml::test::Allocations few = take(1000), many = take(8000);
    EXPECT_LE(many.count, 9 * few.count);
    EXPECT_LE(many.peak, 9 * few.peak);
  };
  // Ifs, loops that count, indices, types, variables, and names of
  // members.
  check([](A &a, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      uint32_t after = a.fresh(), then = a.fresh();
      a.body(OpSelectionMerge, {after, 0});
      a.body(OpBranchConditional, {A::True, then, after});
      a.body(OpLabel, {then});
      a.body(OpBranch, {after});
      a.body(OpLabel, {after});
    }
  });
  check([](A &a, size_t count) {
    CountingLoop loop;
    for (size_t i = 0; i < count; ++i)
      loop.from = loop(a);
  });
  check([](A &a, size_t count) {
    uint32_t index = a.localId();
    for (size_t i = 0; i < count; ++i) {
      index = a.value(OpIAdd, A::Uint, {index, index});
      a.storeShared(a.value(OpBitwiseAnd, A::Uint, {index, A::Uint63}));
    }
  });
  check([](A &a, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      uint32_t array = a.fresh(), block = a.fresh(), pointer = a.fresh(),
               variable = a.fresh();
      a.decorate(array, 6, {4});
      a.decorate(block, 2, {});
      A::add(a.decorations, OpMemberDecorate, {block, 0, 35, 0});
      a.decorate(variable, 34, {0});
      a.decorate(variable, 33, {0});
      a.global(OpTypeArray, {array, A::Float, A::Uint64});
      a.global(OpTypeStruct, {block, array});
      a.global(OpTypePointer, {pointer, StorageClassStorageBuffer, block});
      a.global(OpVariable, {pointer, variable, StorageClassStorageBuffer});
    }
  });
}

TEST(SPIRVModule, EscapesWhatItQuotes) {
  expectRefused(
      [](A &a) {
        // "\x1b[2J\n"
        A::add(a.head, OpExtension, {0x4a325b1b, 0x0000000a});
        std::rotate(a.head.begin() + 2, a.head.begin() + 5, a.head.end());
      },
      "'\\x1B[2J\\x0A' is no extension");
}

namespace {

/// A kernel that multiplies cooperative matrices of 16x16 f16 from an array of
/// 64 vectors of 16 bytes in workgroup memory.
struct MatrixAssembler : Assembler {
  uint32_t uint16, uint3, half, vector4, array, arrayPointer, vectorPointer,
      memory, lhsType, rhsType, sumType, nonPrivate = 0x20;

  MatrixAssembler() {
    head.clear();
    for (uint32_t capability : {1u, 9u, 4433u, 5345u, 6022u})
      add(head, OpCapability, {capability});
    add(head, OpMemoryModel, {0, 3});
    uint16 = constant(16);
    uint3 = constant(3);
    half = type(OpTypeFloat, {16});
    vector4 = type(OpTypeVector, {Uint, 4});
    array = type(OpTypeArray, {vector4, Uint64});
    arrayPointer = type(OpTypePointer, {StorageClassWorkgroup, array});
    vectorPointer = type(OpTypePointer, {StorageClassWorkgroup, vector4});
    memory = fresh();
    global(OpVariable, {arrayPointer, memory, StorageClassWorkgroup});
    lhsType = matrix(half, uint16, uint16, Uint0);
    rhsType = matrix(half, uint16, uint16, Uint1);
    sumType = matrix(Float, uint16, uint16, Uint2);
  }
  uint32_t type(uint32_t opcode, const Code &operands) {
    Code all{fresh()};
    all.insert(all.end(), operands.begin(), operands.end());
    global(opcode, all);
    return all[0];
  }
  uint32_t constant(uint32_t number) {
    uint32_t id = fresh();
    global(OpConstant, {Uint, id, number});
    return id;
  }
  uint32_t matrix(uint32_t component, uint32_t rows, uint32_t columns,
                  uint32_t use) {
    return type(OpTypeCooperativeMatrixKHR,
                {component, uint3, rows, columns, use});
  }
  uint32_t element(uint32_t index) {
    return value(OpAccessChain, vectorPointer, {memory, index});
  }
  uint32_t load(uint32_t type, uint32_t pointer, uint32_t layout,
                uint32_t stride) {
    return value(OpCooperativeMatrixLoadKHR, type,
                 {pointer, layout, stride, nonPrivate});
  }
  uint32_t zero() { return value(OpCompositeConstruct, sumType, {Float1}); }
  /// A product of matrices from the beginning of the array.
  uint32_t product() {
    uint32_t lhs = load(lhsType, element(Uint0), Uint0, uint3);
    uint32_t rhs = load(rhsType, element(Uint0), Uint1, uint3);
    return value(OpCooperativeMatrixMulAddKHR, sumType, {lhs, rhs, zero()});
  }
};

using M = MatrixAssembler;

void expectMatricesRefused(const std::function<void(M &)> &write,
                           const std::string &message) {
  M assembler;
  write(assembler);
  Code code = assembler.assemble();
  auto result = readSPIRVModule(code);
  ASSERT_FALSE(result) << "accepted, but expected: " << message;
  EXPECT_EQ(result.status().result(), DML_ERROR_INVALID_EXECUTABLE);
  EXPECT_THAT(result.status().message(), HasSubstr(message));
}

} // namespace

TEST(SPIRVModule, ReadsMatrices) {
  M m;
  uint32_t sum = m.product();
  m.body(OpCooperativeMatrixStoreKHR,
         {m.element(M::Uint0), sum, M::Uint0, m.constant(4), m.nonPrivate});
  // A variable, and what it holds before anything is stored.
  uint32_t pointer = m.type(OpTypePointer, {StorageClassPrivate, m.sumType});
  uint32_t variable = m.fresh();
  m.global(OpVariable, {pointer, variable, StorageClassPrivate});
  m.value(OpLoad, m.sumType, {variable});
  m.body(OpStore, {variable, sum});
  Code code = m.assemble();
  auto result = readSPIRVModule(code);
  ASSERT_TRUE(result) << result.status().message();
  EXPECT_EQ(result->features, DML_FEATURE_SHADER_FLOAT16_BIT |
                                  DML_FEATURE_STORAGE_BUFFER_16BIT_ACCESS_BIT |
                                  DML_FEATURE_VULKAN_MEMORY_MODEL_BIT |
                                  DML_FEATURE_COOPERATIVE_MATRIX_BIT);
  ASSERT_EQ(result->matrixShapes.size(), 1u);
  const DmlMatrixShape &shape = result->matrixShapes[0];
  EXPECT_EQ(shape.rows, 16u);
  EXPECT_EQ(shape.columns, 16u);
  EXPECT_EQ(shape.terms, 16u);
  EXPECT_EQ(shape.factors, DML_DATA_TYPE_FLOAT16);
  EXPECT_EQ(shape.sums, DML_DATA_TYPE_FLOAT32);
  Code again = code;
  auto second = readSPIRVModule(again);
  ASSERT_TRUE(second) << second.status().message();
  EXPECT_EQ(again, code);
}

TEST(SPIRVModule, KeepsMatricesWithinWorkgroupMemory) {
  // 16 rows of 2 vectors, 3 vectors apart, are 47 vectors: from the array's
  // beginning on there are 64, and from its vector 63 on there is 1.
  expectMatricesRefused(
      [](M &m) {
        m.product();
        m.load(m.lhsType, m.element(M::Uint63), M::Uint0, m.uint3);
      },
      "reaches over 47 vectors");
  // A matrix of 47 vectors fits the array of 64 from vector 17 on, and not from
  // vector 18 on.
  auto from = [](uint32_t first) {
    return [=](M &m) {
      m.product();
      m.load(m.lhsType, m.element(m.constant(first)), M::Uint0, m.uint3);
    };
  };
  M fits;
  from(17)(fits);
  Code code = fits.assemble();
  EXPECT_TRUE(readSPIRVModule(code));
  expectMatricesRefused(from(18), "but 46 are provably there");
  // An index of which nothing is known is refused before the matrix is.
  expectMatricesRefused(
      [](M &m) {
        m.product();
        uint32_t index =
            m.value(OpBitwiseXor, M::Uint, {m.localId(), m.constant(1 << 30)});
        m.load(m.lhsType, m.element(index), M::Uint0, m.uint3);
      },
      "may be anything from 0 to 2147483647, but there are 64 elements");
  expectMatricesRefused(
      [](M &m) {
        m.product();
        m.load(m.lhsType, m.element(M::Uint0), M::Uint0,
               m.constant(0x80000000));
      },
      "reaches over");
  expectMatricesRefused(
      [](M &m) {
        m.product();
        m.load(m.lhsType, m.element(M::Uint0), M::Uint0, m.localId());
      },
      "is no OpConstant");
  expectMatricesRefused(
      [](M &m) {
        uint32_t sum = m.product();
        m.body(OpCooperativeMatrixStoreKHR,
               {m.element(M::Uint63), sum, M::Uint0, m.constant(4)});
      },
      "reaches over 64 vectors");
}

TEST(SPIRVModule, RefusesMatricesElsewhere) {
  // Of a storage buffer, nothing says how large it is.
  expectMatricesRefused(
      [](M &m) {
        m.product();
        uint32_t pointer = m.value(OpAccessChain, M::FloatPointer,
                                   {M::From, M::Uint0, M::Uint0});
        m.load(m.lhsType, pointer, M::Uint0, m.uint3);
      },
      "in workgroup memory is wanted");
  expectMatricesRefused(
      [](M &m) {
        m.product();
        uint32_t pointer =
            m.value(OpAccessChain, M::SharedPointer, {M::Shared, M::Uint0});
        m.load(m.lhsType, pointer, M::Uint0, m.uint3);
      },
      "an array of vectors of 16 bytes");
  expectMatricesRefused(
      [](M &m) {
        uint32_t pointer =
            m.type(OpTypePointer, {StorageClassWorkgroup, m.sumType});
        m.global(OpVariable, {pointer, m.fresh(), StorageClassWorkgroup});
      },
      "memory that is no thread's own");
  expectMatricesRefused(
      [](M &m) {
        m.type(OpTypeArray, {m.sumType, M::Uint2});
      },
      "is no type that another may consist of");
  expectMatricesRefused(
      [](M &m) {
        m.product();
        m.value(OpCooperativeMatrixLoadKHR, m.lhsType,
                {m.element(M::Uint0), M::Uint2, m.uint3});
      },
      "has the layout 2");
  expectMatricesRefused(
      [](M &m) {
        m.product();
        m.value(OpCooperativeMatrixLoadKHR, m.lhsType,
                {m.element(M::Uint0), M::Uint0, m.uint3, 2 /* Aligned */});
      },
      "has a memory operand other than");
}

TEST(SPIRVModule, RefusesProductsOfOtherMatrices) {
  expectMatricesRefused([](M &) {}, "that nothing multiplies");
  expectMatricesRefused(
      [](M &m) { m.matrix(m.half, M::Uint0, m.uint16, M::Uint0); },
      "has 0 rows of 16 components");
  expectMatricesRefused(
      [](M &m) { m.matrix(m.half, m.constant(4096), m.uint16, M::Uint0); },
      "has 4096 rows of 16 components");
  expectMatricesRefused(
      [](M &m) { m.matrix(m.half, m.uint16, m.uint16, m.uint3); },
      "has the use 3");
  expectMatricesRefused(
      [](M &m) {
        m.type(OpTypeCooperativeMatrixKHR,
               {m.half, M::Uint2, m.uint16, m.uint16, M::Uint0});
      },
      "has the scope 2, but Subgroup (3) is wanted");
  expectMatricesRefused(
      [](M &m) { m.matrix(M::Bool, m.uint16, m.uint16, M::Uint0); },
      "is no type of numbers");
  // Operands in each other's place, and of other sizes.
  expectMatricesRefused(
      [](M &m) {
        uint32_t lhs =
            m.load(m.lhsType, m.element(M::Uint0), M::Uint0, m.uint3);
        m.value(OpCooperativeMatrixMulAddKHR, m.sumType, {lhs, lhs, m.zero()});
      },
      "is no cooperative matrix of use 1");
  expectMatricesRefused(
      [](M &m) {
        uint32_t wide = m.matrix(m.half, m.uint16, m.constant(8), M::Uint1);
        uint32_t lhs =
            m.load(m.lhsType, m.element(M::Uint0), M::Uint0, m.uint3);
        uint32_t rhs = m.load(wide, m.element(M::Uint0), M::Uint0, m.uint3);
        m.value(OpCooperativeMatrixMulAddKHR, m.sumType, {lhs, rhs, m.zero()});
      },
      "do not fit each other");
  // Signs of floats.
  expectMatricesRefused(
      [](M &m) {
        uint32_t lhs =
            m.load(m.lhsType, m.element(M::Uint0), M::Uint0, m.uint3);
        uint32_t rhs =
            m.load(m.rhsType, m.element(M::Uint0), M::Uint0, m.uint3);
        m.value(OpCooperativeMatrixMulAddKHR, m.sumType,
                {lhs, rhs, m.zero(), 3});
      },
      "has the operands 3");
  // More shapes than a file can declare.
  auto multiply = [](M &m, uint32_t shapes) {
    uint32_t component = m.fresh();
    m.global(OpConstant, {m.half, component, 0});
    uint32_t rhs = m.value(OpCompositeConstruct, m.rhsType, {component});
    for (uint32_t rows = 1; rows <= shapes; ++rows) {
      uint32_t number = m.constant(rows);
      uint32_t lhsType = m.matrix(m.half, number, m.uint16, M::Uint0);
      uint32_t sumType = m.matrix(m.half, number, m.uint16, M::Uint2);
      uint32_t lhs = m.value(OpCompositeConstruct, lhsType, {component});
      uint32_t sum = m.value(OpCompositeConstruct, sumType, {component});
      m.value(OpCooperativeMatrixMulAddKHR, sumType, {lhs, rhs, sum});
    }
  };
  M most;
  most.product();
  multiply(most, DML_MAX_MATRIX_SHAPES - 1);
  Code code = most.assemble();
  auto result = readSPIRVModule(code);
  EXPECT_TRUE(result) << result.status().message();
  expectMatricesRefused([&](M &m) { multiply(m, DML_MAX_MATRIX_SHAPES + 1); },
                        "is of another shape than the 32 before it");
  // Arithmetic by components is none that executables need.
  expectMatricesRefused(
      [](M &m) {
        uint32_t sum = m.product();
        m.value(129 /* OpFAdd */, m.sumType, {sum, sum});
      },
      "is no type that its result may have here");
}

TEST(SPIRVModule, LetsSubgroupsOfMatricesVote) {
  constexpr uint32_t any = 335;
  auto vote = [](M &m) { m.value(any, M::Bool, {m.constant(3), M::True}); };
  M m;
  // Devices with matrices have it, and no others need to.
  for (uint32_t capability : {61u, 62u}) {
    A::add(m.head, OpCapability, {capability});
    std::rotate(m.head.begin(), m.head.end() - 2, m.head.end());
  }
  vote(m);
  // The thread's number in its subgroup.
  uint32_t pointer = m.type(OpTypePointer, {StorageClassInput, M::Uint});
  uint32_t variable = m.fresh();
  m.global(OpVariable, {pointer, variable, StorageClassInput});
  m.decorate(variable, 11, {41});
  m.entry.push_back(variable);
  m.entry[0] += 1u << 16;
  m.value(OpLoad, M::Uint, {variable});
  m.product();
  Code code = m.assemble();
  auto result = readSPIRVModule(code);
  ASSERT_TRUE(result) << result.status().message();
  EXPECT_TRUE(result->features & DML_FEATURE_COOPERATIVE_MATRIX_BIT);
  expectMatricesRefused(vote, "needs capability 62");
}

TEST(SPIRVModule, LetsSubgroupsShuffle) {
  auto shuffle = [](A &a) {
    constexpr uint32_t shuffleXor = 346;
    uint32_t subgroup = a.fresh();
    a.global(OpConstant, {A::Uint, subgroup, 3});
    a.value(shuffleXor, A::Uint, {subgroup, A::Uint63, A::Uint2});
  };
  A a;
  for (uint32_t capability : {61u, 65u})
    A::add(a.head, OpCapability, {capability});
  std::rotate(a.head.begin(), a.head.end() - 4, a.head.end());
  shuffle(a);
  Code code = a.assemble();
  auto result = readSPIRVModule(code);
  ASSERT_TRUE(result) << result.status().message();
  EXPECT_EQ(result->features, DML_FEATURE_SUBGROUP_SHUFFLE_BIT);
  expectRefused(shuffle, "needs capability 65");
}

TEST(SPIRVModule, WantsTheCapabilitiesOfMatrices) {
  auto without = [](uint32_t capability, uint32_t model) {
    return [=](M &m) {
      m.head.clear();
      for (uint32_t other : {1u, 9u, 4433u, 5345u, 6022u})
        if (other != capability)
          A::add(m.head, OpCapability, {other});
      A::add(m.head, OpMemoryModel, {0, model});
      m.product();
    };
  };
  expectMatricesRefused(without(6022, 3), "needs capability 6022");
  expectMatricesRefused(without(5345, 1), "stands without VulkanMemoryModel");
  expectMatricesRefused(without(5345, 3), "GLSL450 (1) are wanted");
  expectMatricesRefused(without(0, 1), "Vulkan (3) are wanted");
  // What makes memory visible goes with what orders it.
  auto barrier = [](uint32_t semantics) {
    return [=](M &m) {
      m.product();
      m.body(OpControlBarrier, {M::Uint2, M::Uint2, m.constant(semantics)});
    };
  };
  M ordered;
  barrier(0x6108)(ordered);
  Code code = ordered.assemble();
  auto result = readSPIRVModule(code);
  EXPECT_TRUE(result) << result.status().message();
  expectMatricesRefused(barrier(0x4104), "has the memory semantics");
  expectMatricesRefused(barrier(0x2102), "has the memory semantics");
  expectRefused(
      [](A &a) {
        uint32_t made = a.fresh();
        a.global(OpConstant, {A::Uint, made, 0x6108});
        a.body(OpControlBarrier, {A::Uint2, A::Uint2, made});
      },
      "has the memory semantics");
}
