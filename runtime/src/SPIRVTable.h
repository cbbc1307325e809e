//===- SPIRVTable.h - The part of SPIR-V that executables may use ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The one list of what a shader module may consist of. What is not on it is
// refused, whatever a driver would make of it. To let the compiler emit
// something new, add its row here.
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_SPIRVTABLE_H
#define DML_RUNTIME_SPIRVTABLE_H

#include "dml/runtime.h"

#include <cstdint>
#include <string_view>

namespace dml::runtime::spirv {

// The numbers of the SPIR-V specification that the code names. They stand here
// so that the runtime does not depend on SPIRV-Headers.
enum Op : uint16_t {
  OpUndef = 1,
  OpSource = 3,
  OpSourceExtension = 4,
  OpName = 5,
  OpMemberName = 6,
  OpExtension = 10,
  OpExtInstImport = 11,
  OpExtInst = 12,
  OpMemoryModel = 14,
  OpEntryPoint = 15,
  OpExecutionMode = 16,
  OpCapability = 17,
  OpTypeVoid = 19,
  OpTypeBool = 20,
  OpTypeInt = 21,
  OpTypeFloat = 22,
  OpTypeVector = 23,
  OpTypeArray = 28,
  OpTypeRuntimeArray = 29,
  OpTypeStruct = 30,
  OpTypePointer = 32,
  OpTypeFunction = 33,
  OpConstantTrue = 41,
  OpConstantFalse = 42,
  OpConstant = 43,
  OpConstantComposite = 44,
  OpConstantNull = 46,
  OpFunction = 54,
  OpFunctionEnd = 56,
  OpVariable = 59,
  OpLoad = 61,
  OpStore = 62,
  OpAccessChain = 65,
  OpInBoundsAccessChain = 66,
  OpArrayLength = 68,
  OpDecorate = 71,
  OpMemberDecorate = 72,
  OpVectorExtractDynamic = 77,
  OpVectorInsertDynamic = 78,
  OpVectorShuffle = 79,
  OpCompositeConstruct = 80,
  OpCompositeExtract = 81,
  OpCompositeInsert = 82,
  OpCopyObject = 83,
  OpUConvert = 113,
  OpSConvert = 114,
  OpBitcast = 124,
  OpIAdd = 128,
  OpISub = 130,
  OpIMul = 132,
  OpUDiv = 134,
  OpSDiv = 135,
  OpUMod = 137,
  OpSRem = 138,
  OpSMod = 139,
  OpSelect = 169,
  OpULessThan = 176,
  OpSLessThan = 177,
  OpShiftRightLogical = 194,
  OpShiftRightArithmetic = 195,
  OpShiftLeftLogical = 196,
  OpBitwiseOr = 197,
  OpBitwiseXor = 198,
  OpBitwiseAnd = 199,
  OpControlBarrier = 224,
  OpMemoryBarrier = 225,
  OpPhi = 245,
  OpLoopMerge = 246,
  OpSelectionMerge = 247,
  OpLabel = 248,
  OpBranch = 249,
  OpBranchConditional = 250,
  OpReturn = 253,
  OpUnreachable = 255,
  OpModuleProcessed = 330,
  OpTypeCooperativeMatrixKHR = 4456,
  OpCooperativeMatrixLoadKHR = 4457,
  OpCooperativeMatrixStoreKHR = 4458,
  OpCooperativeMatrixMulAddKHR = 4459,
};

/// Instructions of GLSL.std.450 that the code names.
enum Glsl : uint32_t {
  GlslUMin = 38,
  GlslSMin = 39,
  GlslUMax = 41,
  GlslSMax = 42,
  GlslUClamp = 44,
  GlslSClamp = 45,
};

enum StorageClass : uint32_t {
  StorageClassInput = 1,
  StorageClassWorkgroup = 4,
  StorageClassPrivate = 6,
  StorageClassFunction = 7,
  StorageClassStorageBuffer = 12,
};

enum BuiltIn : uint32_t {
  BuiltInWorkgroupSize = 25,
  BuiltInWorkgroupId = 26,
  BuiltInLocalInvocationId = 27,
  BuiltInLocalInvocationIndex = 29,
};

/// The parts of a module, in the order in which SPIR-V wants them.
enum class Section : uint8_t {
  Capabilities,
  Extensions,
  Imports,
  MemoryModel,
  EntryPoints,
  ExecutionModes,
  Debug,
  Annotations,
  Globals,
  Functions,
};

/// An instruction. Where it has a signature, its words are a result type, a
/// result and operands, and the signature says what they are: the first letter
/// the result, each other an operand. All but the scalars have the same number
/// of components.
///
///   i f b  integer, floating point, boolean; those of one letter in the same
///          width
///   t e    integer of 32 bits; floating point of 16 or 32
///   I      integer of any width
///   w g    integer, floating point of another width than the result's
///   x      just the type of the result: scalar or vector
///   y      the same, or a composite
///   q      boolean of the result's number of components, or a scalar
///   c n k  scalars: boolean, integer of 32 bits, integer
///   s      a scalar of the type of the result's components
///   r j    scalars: floating point, integer
///   V      a vector whose components are of the type of the result
///   D      vector of integers, or 4 of 8 bits packed in 32; both alike
///   z      a number of as many bits as the result, of any type
///   a      a number or boolean of any type
///   4      a vector of 4 integers of 32 bits
///   P m    a struct of two equal integers; an integer like one of them
///   S G    the scope Subgroup, a constant; a group operation, a literal
///   l      the literal 0 (PackedVectorFormat4x8Bit), where a D is a scalar
///
/// Without one, the reader knows the instruction by itself.
struct Instruction {
  uint16_t opcode;
  const char *name;
  Section section;
  /// Words at least and at most, the first included; UINT16_MAX: any number.
  uint16_t least, most;
  const char *signature = nullptr;
  /// Must be declared, where it is not 0 (Matrix, which every module has).
  uint32_t capability = 0;
};

/// The row of an instruction; null for one that no executable may use.
const Instruction *findInstruction(uint32_t opcode);
/// The same for instructions of GLSL.std.450.
const Instruction *findGlslInstruction(uint32_t number);

struct Capability {
  uint32_t value;
  const char *name;
  DmlFeatureFlags feature;
};
/// Returns the row of a capability, or null if no feature of the executable
/// format stands for the capability.
const Capability *findCapability(uint32_t value);

/// Whether `name` is an extension that is part of Vulkan 1.2, or of an
/// extension for which a capability above stands. Such an extension has no
/// further capabilities.
bool isExtension(std::string_view name);

/// Returns the name of a storage class, or null if variables and pointers in
/// executables must not have it.
const char *findStorageClass(uint32_t value);

enum class DecorationTarget : uint8_t {
  Value,
  Variable,
  Struct,
  Array,
  BuiltIn,
};

struct Decoration {
  uint32_t value;
  const char *name;
  /// Extra operands.
  uint8_t operands;
  DecorationTarget target;
  /// May decorate members of structs.
  bool ofMembers;
};
/// The rows of the decorations that the code names.
enum DecorationRow : uint8_t {
  RowBlock,
  RowArrayStride,
  RowBuiltIn,
  RowOffset,
  RowBinding,
  RowDescriptorSet,
};
/// Returns the decoration with this number, or null if executables must not use
/// it. Sets `row` to its row in the table.
const Decoration *findDecoration(uint32_t value, uint8_t &row);
/// Returns the decoration in a row that findDecoration() has set.
const Decoration &getDecoration(uint8_t row);

struct BuiltInVariable {
  uint32_t value;
  const char *name;
  /// Integers of 32 bits.
  uint8_t components;
  /// As in Instruction.
  uint32_t capability = 0;
};
const BuiltInVariable *findBuiltIn(uint32_t value);

} // namespace dml::runtime::spirv

#endif // DML_RUNTIME_SPIRVTABLE_H
