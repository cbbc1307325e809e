//===- SPIRVAssembler.h - Shader modules for tests ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_UNITTESTS_SPIRVASSEMBLER_H
#define DML_UNITTESTS_SPIRVASSEMBLER_H

#include "SPIRVTable.h"

#include <cstdint>
#include <vector>

namespace dml::test {

using namespace dml::runtime::spirv;

using Code = std::vector<uint32_t>;

/// Writes a module instruction by instruction: a kernel with two storage
/// buffers of f32, 64 invocations and a workgroup array of 64 f32.
class Assembler {
public:
  enum Id : uint32_t {
    Main = 1,
    Void,
    FunctionType,
    Float,
    Uint,
    Int,
    Bool,
    Vector3,
    Uint0,
    Uint1,
    Uint2,
    Uint63,
    Uint64,
    Semantics,
    Float1,
    True,
    RuntimeArray,
    Block,
    BlockPointer,
    FloatPointer,
    Array,
    ArrayPointer,
    SharedPointer,
    InputPointer,
    From,
    To,
    Shared,
    LocalId,
    Entry,
    FirstFree,
  };

  Assembler() {
    add(head, OpCapability, {1});
    add(head, OpMemoryModel, {0, 1});
    add(entry, OpEntryPoint, {5, Main, 0x6e69616d, 0, LocalId});
    add(modes, OpExecutionMode, {Main, 17, 64, 1, 1});
    for (uint32_t variable : {uint32_t(From), uint32_t(To)}) {
      decorate(variable, 34, {0});
      decorate(variable, 33, {variable - From});
    }
    decorate(RuntimeArray, 6, {4});
    decorate(Block, 2, {});
    add(decorations, OpMemberDecorate, {Block, 0, 35, 0});
    decorate(LocalId, 11, {27});
    global(OpTypeVoid, {Void});
    global(OpTypeFunction, {FunctionType, Void});
    global(OpTypeFloat, {Float, 32});
    global(OpTypeInt, {Uint, 32, 0});
    global(OpTypeInt, {Int, 32, 1});
    global(OpTypeBool, {Bool});
    global(OpTypeVector, {Vector3, Uint, 3});
    global(OpConstant, {Uint, Uint0, 0});
    global(OpConstant, {Uint, Uint1, 1});
    global(OpConstant, {Uint, Uint2, 2});
    global(OpConstant, {Uint, Uint63, 63});
    global(OpConstant, {Uint, Uint64, 64});
    global(OpConstant, {Uint, Semantics, 0x108});
    global(OpConstant, {Float, Float1, 0x3f800000});
    global(OpConstantTrue, {Bool, True});
    global(OpTypeRuntimeArray, {RuntimeArray, Float});
    global(OpTypeStruct, {Block, RuntimeArray});
    global(OpTypePointer, {BlockPointer, StorageClassStorageBuffer, Block});
    global(OpTypePointer, {FloatPointer, StorageClassStorageBuffer, Float});
    global(OpTypeArray, {Array, Float, Uint64});
    global(OpTypePointer, {ArrayPointer, StorageClassWorkgroup, Array});
    global(OpTypePointer, {SharedPointer, StorageClassWorkgroup, Float});
    global(OpTypePointer, {InputPointer, StorageClassInput, Vector3});
    global(OpVariable, {BlockPointer, From, StorageClassStorageBuffer});
    global(OpVariable, {BlockPointer, To, StorageClassStorageBuffer});
    global(OpVariable, {ArrayPointer, Shared, StorageClassWorkgroup});
    global(OpVariable, {InputPointer, LocalId, StorageClassInput});
  }

  static void add(Code &code, uint32_t opcode, const Code &operands) {
    code.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
    code.insert(code.end(), operands.begin(), operands.end());
  }
  void decorate(uint32_t id, uint32_t decoration, const Code &operands) {
    Code all{id, decoration};
    all.insert(all.end(), operands.begin(), operands.end());
    add(decorations, OpDecorate, all);
  }
  void global(uint32_t opcode, const Code &operands) {
    add(globals, opcode, operands);
  }
  void body(uint32_t opcode, const Code &operands) {
    add(statements, opcode, operands);
  }
  /// Adds an instruction with a result of a new id, which is returned.
  uint32_t value(uint32_t opcode, uint32_t type, const Code &operands) {
    Code all{type, next};
    all.insert(all.end(), operands.begin(), operands.end());
    body(opcode, all);
    return next++;
  }
  uint32_t label() {
    body(OpLabel, {next});
    return next++;
  }
  uint32_t fresh() { return next++; }
  /// Component 0 of LocalInvocationId.
  uint32_t localId() {
    uint32_t all = value(OpLoad, Vector3, {LocalId});
    return value(OpCompositeExtract, Uint, {all, 0});
  }
  void storeShared(uint32_t index) {
    uint32_t pointer = value(OpAccessChain, SharedPointer, {Shared, index});
    body(OpStore, {pointer, Float1});
  }

  /// The function's end where `ends` says so: a return.
  Code assemble(bool ends = true) const {
    Code code{0x07230203, version, 0, next, 0};
    for (const Code *part : {&head, &entry, &modes, &decorations, &globals})
      code.insert(code.end(), part->begin(), part->end());
    add(code, OpFunction, {Void, Main, 0, FunctionType});
    add(code, OpLabel, {Entry});
    code.insert(code.end(), statements.begin(), statements.end());
    if (ends)
      add(code, OpReturn, {});
    add(code, OpFunctionEnd, {});
    code.insert(code.end(), rest.begin(), rest.end());
    return code;
  }

  Code head, entry, modes, decorations, globals, statements, rest;
  uint32_t version = 0x00010300;
  uint32_t next = FirstFree;
};

} // namespace dml::test

#endif // DML_UNITTESTS_SPIRVASSEMBLER_H
