//===- SPIRVTable.cpp - The part of SPIR-V that executables may use -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SPIRVTable.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

using namespace dml::runtime;
using namespace dml::runtime::spirv;

namespace {

/// In the order of their numbers. What is missing is missing on purpose:
/// pointers as data (physical storage buffers, variable pointers, OpPtr...,
/// OpConvertPtrToU), calls, images, atomics, copies of memory, specialization
/// constants, matrices, and switches.
constexpr Instruction kInstructions[] = {
    // clang-format off
    {1, "OpUndef", Section::Globals, 3, 3},
    {3, "OpSource", Section::Debug, 3, 3},
    {4, "OpSourceExtension", Section::Debug, 2, UINT16_MAX},
    {5, "OpName", Section::Debug, 3, UINT16_MAX},
    {6, "OpMemberName", Section::Debug, 4, UINT16_MAX},
    {10, "OpExtension", Section::Extensions, 2, UINT16_MAX},
    {11, "OpExtInstImport", Section::Imports, 3, UINT16_MAX},
    {12, "OpExtInst", Section::Functions, 5, UINT16_MAX},
    {14, "OpMemoryModel", Section::MemoryModel, 3, 3},
    {15, "OpEntryPoint", Section::EntryPoints, 4, UINT16_MAX},
    {16, "OpExecutionMode", Section::ExecutionModes, 3, UINT16_MAX},
    {17, "OpCapability", Section::Capabilities, 2, 2},
    {19, "OpTypeVoid", Section::Globals, 2, 2},
    {20, "OpTypeBool", Section::Globals, 2, 2},
    {21, "OpTypeInt", Section::Globals, 4, 4},
    {22, "OpTypeFloat", Section::Globals, 3, 3},
    {23, "OpTypeVector", Section::Globals, 4, 4},
    {28, "OpTypeArray", Section::Globals, 4, 4},
    {29, "OpTypeRuntimeArray", Section::Globals, 3, 3},
    {30, "OpTypeStruct", Section::Globals, 3, UINT16_MAX},
    {32, "OpTypePointer", Section::Globals, 4, 4},
    {33, "OpTypeFunction", Section::Globals, 3, 3},
    {41, "OpConstantTrue", Section::Globals, 3, 3},
    {42, "OpConstantFalse", Section::Globals, 3, 3},
    {43, "OpConstant", Section::Globals, 4, 5},
    {44, "OpConstantComposite", Section::Globals, 4, UINT16_MAX},
    {46, "OpConstantNull", Section::Globals, 3, 3},
    {54, "OpFunction", Section::Functions, 5, 5},
    {56, "OpFunctionEnd", Section::Functions, 1, 1},
    {59, "OpVariable", Section::Globals, 4, 5},
    {61, "OpLoad", Section::Functions, 4, 6},
    {62, "OpStore", Section::Functions, 3, 5},
    {65, "OpAccessChain", Section::Functions, 5, UINT16_MAX},
    {66, "OpInBoundsAccessChain", Section::Functions, 5, UINT16_MAX},
    {68, "OpArrayLength", Section::Functions, 5, 5},
    {71, "OpDecorate", Section::Annotations, 3, 4},
    {72, "OpMemberDecorate", Section::Annotations, 4, 5},
    {77, "OpVectorExtractDynamic", Section::Functions, 5, 5},
    {78, "OpVectorInsertDynamic", Section::Functions, 6, 6},
    {79, "OpVectorShuffle", Section::Functions, 7, 9},
    {80, "OpCompositeConstruct", Section::Functions, 4, UINT16_MAX},
    {81, "OpCompositeExtract", Section::Functions, 5, UINT16_MAX},
    {82, "OpCompositeInsert", Section::Functions, 6, UINT16_MAX},
    {83, "OpCopyObject", Section::Functions, 4, 4, "yy"},
    {109, "OpConvertFToU", Section::Functions, 4, 4, "if"},
    {110, "OpConvertFToS", Section::Functions, 4, 4, "if"},
    {111, "OpConvertSToF", Section::Functions, 4, 4, "fi"},
    {112, "OpConvertUToF", Section::Functions, 4, 4, "fi"},
    {113, "OpUConvert", Section::Functions, 4, 4, "iw"},
    {114, "OpSConvert", Section::Functions, 4, 4, "iw"},
    {115, "OpFConvert", Section::Functions, 4, 4, "fg"},
    {116, "OpQuantizeToF16", Section::Functions, 4, 4, "ff"},
    {124, "OpBitcast", Section::Functions, 4, 4, "xz"},
    {126, "OpSNegate", Section::Functions, 4, 4, "ii"},
    {127, "OpFNegate", Section::Functions, 4, 4, "ff"},
    {128, "OpIAdd", Section::Functions, 5, 5, "iii"},
    {129, "OpFAdd", Section::Functions, 5, 5, "fff"},
    {130, "OpISub", Section::Functions, 5, 5, "iii"},
    {131, "OpFSub", Section::Functions, 5, 5, "fff"},
    {132, "OpIMul", Section::Functions, 5, 5, "iii"},
    {133, "OpFMul", Section::Functions, 5, 5, "fff"},
    {134, "OpUDiv", Section::Functions, 5, 5, "iii"},
    {135, "OpSDiv", Section::Functions, 5, 5, "iii"},
    {136, "OpFDiv", Section::Functions, 5, 5, "fff"},
    {137, "OpUMod", Section::Functions, 5, 5, "iii"},
    {138, "OpSRem", Section::Functions, 5, 5, "iii"},
    {139, "OpSMod", Section::Functions, 5, 5, "iii"},
    {140, "OpFRem", Section::Functions, 5, 5, "fff"},
    {141, "OpFMod", Section::Functions, 5, 5, "fff"},
    {142, "OpVectorTimesScalar", Section::Functions, 5, 5, "fxs"},
    {148, "OpDot", Section::Functions, 5, 5, "rVV"},
    {149, "OpIAddCarry", Section::Functions, 5, 5, "Pmm"},
    {150, "OpISubBorrow", Section::Functions, 5, 5, "Pmm"},
    {151, "OpUMulExtended", Section::Functions, 5, 5, "Pmm"},
    {152, "OpSMulExtended", Section::Functions, 5, 5, "Pmm"},
    {154, "OpAny", Section::Functions, 4, 4, "cV"},
    {155, "OpAll", Section::Functions, 4, 4, "cV"},
    {156, "OpIsNan", Section::Functions, 4, 4, "bf"},
    {157, "OpIsInf", Section::Functions, 4, 4, "bf"},
    {164, "OpLogicalEqual", Section::Functions, 5, 5, "bbb"},
    {165, "OpLogicalNotEqual", Section::Functions, 5, 5, "bbb"},
    {166, "OpLogicalOr", Section::Functions, 5, 5, "bbb"},
    {167, "OpLogicalAnd", Section::Functions, 5, 5, "bbb"},
    {168, "OpLogicalNot", Section::Functions, 4, 4, "bb"},
    {169, "OpSelect", Section::Functions, 6, 6, "xqxx"},
    {170, "OpIEqual", Section::Functions, 5, 5, "bii"},
    {171, "OpINotEqual", Section::Functions, 5, 5, "bii"},
    {172, "OpUGreaterThan", Section::Functions, 5, 5, "bii"},
    {173, "OpSGreaterThan", Section::Functions, 5, 5, "bii"},
    {174, "OpUGreaterThanEqual", Section::Functions, 5, 5, "bii"},
    {175, "OpSGreaterThanEqual", Section::Functions, 5, 5, "bii"},
    {176, "OpULessThan", Section::Functions, 5, 5, "bii"},
    {177, "OpSLessThan", Section::Functions, 5, 5, "bii"},
    {178, "OpULessThanEqual", Section::Functions, 5, 5, "bii"},
    {179, "OpSLessThanEqual", Section::Functions, 5, 5, "bii"},
    {180, "OpFOrdEqual", Section::Functions, 5, 5, "bff"},
    {181, "OpFUnordEqual", Section::Functions, 5, 5, "bff"},
    {182, "OpFOrdNotEqual", Section::Functions, 5, 5, "bff"},
    {183, "OpFUnordNotEqual", Section::Functions, 5, 5, "bff"},
    {184, "OpFOrdLessThan", Section::Functions, 5, 5, "bff"},
    {185, "OpFUnordLessThan", Section::Functions, 5, 5, "bff"},
    {186, "OpFOrdGreaterThan", Section::Functions, 5, 5, "bff"},
    {187, "OpFUnordGreaterThan", Section::Functions, 5, 5, "bff"},
    {188, "OpFOrdLessThanEqual", Section::Functions, 5, 5, "bff"},
    {189, "OpFUnordLessThanEqual", Section::Functions, 5, 5, "bff"},
    {190, "OpFOrdGreaterThanEqual", Section::Functions, 5, 5, "bff"},
    {191, "OpFUnordGreaterThanEqual", Section::Functions, 5, 5, "bff"},
    {194, "OpShiftRightLogical", Section::Functions, 5, 5, "iiI"},
    {195, "OpShiftRightArithmetic", Section::Functions, 5, 5, "iiI"},
    {196, "OpShiftLeftLogical", Section::Functions, 5, 5, "iiI"},
    {197, "OpBitwiseOr", Section::Functions, 5, 5, "iii"},
    {198, "OpBitwiseXor", Section::Functions, 5, 5, "iii"},
    {199, "OpBitwiseAnd", Section::Functions, 5, 5, "iii"},
    {200, "OpNot", Section::Functions, 4, 4, "ii"},
    {201, "OpBitFieldInsert", Section::Functions, 7, 7, "tttkk"},
    {202, "OpBitFieldSExtract", Section::Functions, 6, 6, "ttkk"},
    {203, "OpBitFieldUExtract", Section::Functions, 6, 6, "ttkk"},
    {204, "OpBitReverse", Section::Functions, 4, 4, "tt"},
    {205, "OpBitCount", Section::Functions, 4, 4, "tt"},
    {224, "OpControlBarrier", Section::Functions, 4, 4},
    {225, "OpMemoryBarrier", Section::Functions, 3, 3},
    {245, "OpPhi", Section::Functions, 5, UINT16_MAX},
    {246, "OpLoopMerge", Section::Functions, 4, 4},
    {247, "OpSelectionMerge", Section::Functions, 3, 3},
    {248, "OpLabel", Section::Functions, 2, 2},
    {249, "OpBranch", Section::Functions, 2, 2},
    {250, "OpBranchConditional", Section::Functions, 4, 4},
    {253, "OpReturn", Section::Functions, 1, 1},
    {255, "OpUnreachable", Section::Functions, 1, 1},
    {330, "OpModuleProcessed", Section::Debug, 2, UINT16_MAX},
    {333, "OpGroupNonUniformElect", Section::Functions, 4, 4, "cS", 61},
    {334, "OpGroupNonUniformAll", Section::Functions, 5, 5, "cSc", 62},
    {335, "OpGroupNonUniformAny", Section::Functions, 5, 5, "cSc", 62},
    {336, "OpGroupNonUniformAllEqual", Section::Functions, 5, 5, "cSa", 62},
    {337, "OpGroupNonUniformBroadcast", Section::Functions, 6, 6, "xSxn", 64},
    {338, "OpGroupNonUniformBroadcastFirst", Section::Functions, 5, 5, "xSx", 64},
    {339, "OpGroupNonUniformBallot", Section::Functions, 5, 5, "4Sc", 64},
    {340, "OpGroupNonUniformInverseBallot", Section::Functions, 5, 5, "cS4", 64},
    {341, "OpGroupNonUniformBallotBitExtract", Section::Functions, 6, 6, "cS4n", 64},
    {342, "OpGroupNonUniformBallotBitCount", Section::Functions, 6, 6, "nSG4", 64},
    {343, "OpGroupNonUniformBallotFindLSB", Section::Functions, 5, 5, "nS4", 64},
    {344, "OpGroupNonUniformBallotFindMSB", Section::Functions, 5, 5, "nS4", 64},
    {345, "OpGroupNonUniformShuffle", Section::Functions, 6, 6, "xSxn", 65},
    {346, "OpGroupNonUniformShuffleXor", Section::Functions, 6, 6, "xSxn", 65},
    {347, "OpGroupNonUniformShuffleUp", Section::Functions, 6, 6, "xSxn", 66},
    {348, "OpGroupNonUniformShuffleDown", Section::Functions, 6, 6, "xSxn", 66},
    {349, "OpGroupNonUniformIAdd", Section::Functions, 6, 6, "iSGi", 63},
    {350, "OpGroupNonUniformFAdd", Section::Functions, 6, 6, "fSGf", 63},
    {351, "OpGroupNonUniformIMul", Section::Functions, 6, 6, "iSGi", 63},
    {352, "OpGroupNonUniformFMul", Section::Functions, 6, 6, "fSGf", 63},
    {353, "OpGroupNonUniformSMin", Section::Functions, 6, 6, "iSGi", 63},
    {354, "OpGroupNonUniformUMin", Section::Functions, 6, 6, "iSGi", 63},
    {355, "OpGroupNonUniformFMin", Section::Functions, 6, 6, "fSGf", 63},
    {356, "OpGroupNonUniformSMax", Section::Functions, 6, 6, "iSGi", 63},
    {357, "OpGroupNonUniformUMax", Section::Functions, 6, 6, "iSGi", 63},
    {358, "OpGroupNonUniformFMax", Section::Functions, 6, 6, "fSGf", 63},
    {359, "OpGroupNonUniformBitwiseAnd", Section::Functions, 6, 6, "iSGi", 63},
    {360, "OpGroupNonUniformBitwiseOr", Section::Functions, 6, 6, "iSGi", 63},
    {361, "OpGroupNonUniformBitwiseXor", Section::Functions, 6, 6, "iSGi", 63},
    {362, "OpGroupNonUniformLogicalAnd", Section::Functions, 6, 6, "bSGb", 63},
    {363, "OpGroupNonUniformLogicalOr", Section::Functions, 6, 6, "bSGb", 63},
    {364, "OpGroupNonUniformLogicalXor", Section::Functions, 6, 6, "bSGb", 63},
    {365, "OpGroupNonUniformQuadBroadcast", Section::Functions, 6, 6, "xSxn", 68},
    {366, "OpGroupNonUniformQuadSwap", Section::Functions, 6, 6, "xSxn", 68},
    {4450, "OpSDot", Section::Functions, 5, 6, "jDDl", 6019},
    {4451, "OpUDot", Section::Functions, 5, 6, "jDDl", 6019},
    {4452, "OpSUDot", Section::Functions, 5, 6, "jDDl", 6019},
    {4453, "OpSDotAccSat", Section::Functions, 6, 7, "jDDxl", 6019},
    {4454, "OpUDotAccSat", Section::Functions, 6, 7, "jDDxl", 6019},
    {4455, "OpSUDotAccSat", Section::Functions, 6, 7, "jDDxl", 6019},
    {4456, "OpTypeCooperativeMatrixKHR", Section::Globals, 7, 7, nullptr, 6022},
    {4457, "OpCooperativeMatrixLoadKHR", Section::Functions, 6, 7, nullptr, 6022},
    {4458, "OpCooperativeMatrixStoreKHR", Section::Functions, 5, 6, nullptr, 6022},
    {4459, "OpCooperativeMatrixMulAddKHR", Section::Functions, 6, 7, nullptr, 6022},
    // clang-format on
};

/// OpExtInst has two words more than other instructions: the set, the number.
constexpr Instruction glsl(uint16_t number, const char *name,
                           const char *signature) {
  uint16_t count = 5;
  for (const char *c = signature + 1; *c; ++c)
    ++count;
  return {number, name, Section::Functions, count, count, signature};
}

constexpr Instruction kGlslInstructions[] = {
    // clang-format off
    glsl(1, "Round", "ff"),
    glsl(2, "RoundEven", "ff"),
    glsl(3, "Trunc", "ff"),
    glsl(4, "FAbs", "ff"),
    glsl(5, "SAbs", "ii"),
    glsl(6, "FSign", "ff"),
    glsl(7, "SSign", "ii"),
    glsl(8, "Floor", "ff"),
    glsl(9, "Ceil", "ff"),
    glsl(10, "Fract", "ff"),
    glsl(11, "Radians", "ee"),
    glsl(12, "Degrees", "ee"),
    glsl(13, "Sin", "ee"),
    glsl(14, "Cos", "ee"),
    glsl(15, "Tan", "ee"),
    glsl(16, "Asin", "ee"),
    glsl(17, "Acos", "ee"),
    glsl(18, "Atan", "ee"),
    glsl(19, "Sinh", "ee"),
    glsl(20, "Cosh", "ee"),
    glsl(21, "Tanh", "ee"),
    glsl(22, "Asinh", "ee"),
    glsl(23, "Acosh", "ee"),
    glsl(24, "Atanh", "ee"),
    glsl(25, "Atan2", "eee"),
    glsl(26, "Pow", "eee"),
    glsl(27, "Exp", "ee"),
    glsl(28, "Log", "ee"),
    glsl(29, "Exp2", "ee"),
    glsl(30, "Log2", "ee"),
    glsl(31, "Sqrt", "ff"),
    glsl(32, "InverseSqrt", "ff"),
    glsl(37, "FMin", "fff"),
    glsl(38, "UMin", "iii"),
    glsl(39, "SMin", "iii"),
    glsl(40, "FMax", "fff"),
    glsl(41, "UMax", "iii"),
    glsl(42, "SMax", "iii"),
    glsl(43, "FClamp", "ffff"),
    glsl(44, "UClamp", "iiii"),
    glsl(45, "SClamp", "iiii"),
    glsl(46, "FMix", "ffff"),
    glsl(48, "Step", "fff"),
    glsl(49, "SmoothStep", "ffff"),
    glsl(50, "Fma", "ffff"),
    glsl(53, "Ldexp", "fft"),
    glsl(73, "FindILsb", "tt"),
    glsl(74, "FindSMsb", "tt"),
    glsl(75, "FindUMsb", "tt"),
    glsl(79, "NMin", "fff"),
    glsl(80, "NMax", "fff"),
    glsl(81, "NClamp", "ffff"),
    // clang-format on
};

constexpr Capability kCapabilities[] = {
    {0, "Matrix", 0},
    {1, "Shader", 0},
    // Every Vulkan device has it in compute shaders.
    {61, "GroupNonUniform", 0},
    // A device with cooperative matrices has subgroups that vote, too.
    {62, "GroupNonUniformVote", DML_FEATURE_COOPERATIVE_MATRIX_BIT},
#define DML_FEATURE(NUMBER, NAME, ENUMERATOR, CONSTANT, CAPABILITY,            \
                    CAPABILITY_NAME, VERSION, IS_IN_FULL, STRUCTURE)           \
  {CAPABILITY, #CAPABILITY_NAME, DML_FEATURE_##CONSTANT##_BIT},
#include "Features.def"
};

constexpr std::string_view kExtensions[] = {
    "SPV_KHR_storage_buffer_storage_class",
    "SPV_KHR_8bit_storage",
    "SPV_KHR_16bit_storage",
    "SPV_KHR_float_controls",
    "SPV_KHR_vulkan_memory_model",
    "SPV_KHR_cooperative_matrix",
};

/// At most 32, each once on a target. The first are those of DecorationRow.
/// NoSignedWrap and NoUnsignedWrap are missing: a value that wraps around all
/// the same may be anything, and then a limited index may be, too.
constexpr Decoration kDecorations[] = {
    {2, "Block", 0, DecorationTarget::Struct, false},
    {6, "ArrayStride", 1, DecorationTarget::Array, false},
    {11, "BuiltIn", 1, DecorationTarget::BuiltIn, false},
    {35, "Offset", 1, DecorationTarget::Struct, true},
    {33, "Binding", 1, DecorationTarget::Variable, false},
    {34, "DescriptorSet", 1, DecorationTarget::Variable, false},
    {0, "RelaxedPrecision", 0, DecorationTarget::Value, false},
    {19, "Restrict", 0, DecorationTarget::Variable, true},
    {20, "Aliased", 0, DecorationTarget::Variable, true},
    {24, "NonWritable", 0, DecorationTarget::Variable, true},
    {25, "NonReadable", 0, DecorationTarget::Variable, true},
    {42, "NoContraction", 0, DecorationTarget::Value, false},
};
static_assert(std::size(kDecorations) <= 32, "one bit of 32 for each");
static_assert(kDecorations[RowDescriptorSet].value == 34 &&
                  kDecorations[RowBinding].value == 33 &&
                  kDecorations[RowOffset].value == 35 &&
                  kDecorations[RowBuiltIn].value == 11 &&
                  kDecorations[RowArrayStride].value == 6 &&
                  kDecorations[RowBlock].value == 2,
              "the order is that of DecorationRow");

/// WorkgroupSize is none of them: it decorates a constant.
constexpr BuiltInVariable kBuiltIns[] = {
    {24, "NumWorkgroups", 3},
    {26, "WorkgroupId", 3},
    {27, "LocalInvocationId", 3},
    {28, "GlobalInvocationId", 3},
    {29, "LocalInvocationIndex", 1},
    {40, "SubgroupId", 1, 61},
    {41, "SubgroupLocalInvocationId", 1, 61},
};

template <size_t N>
constexpr bool isSorted(const Instruction (&instructions)[N]) {
  for (size_t i = 1; i < N; ++i)
    if (instructions[i - 1].opcode >= instructions[i].opcode)
      return false;
  return true;
}
static_assert(isSorted(kInstructions) && isSorted(kGlslInstructions),
              "instructions are searched by halving");

template <size_t N>
const Instruction *find(const Instruction (&instructions)[N], uint32_t number) {
  const Instruction *found = std::lower_bound(
      std::begin(instructions), std::end(instructions), number,
      [](const Instruction &a, uint32_t b) { return a.opcode < b; });
  return found != std::end(instructions) && found->opcode == number ? found
                                                                    : nullptr;
}

template <typename T, size_t N>
const T *findValue(const T (&rows)[N], uint32_t value) {
  for (const T &row : rows)
    if (row.value == value)
      return &row;
  return nullptr;
}

} // namespace

const Instruction *spirv::findInstruction(uint32_t opcode) {
  return find(kInstructions, opcode);
}

const Instruction *spirv::findGlslInstruction(uint32_t number) {
  return find(kGlslInstructions, number);
}

const Capability *spirv::findCapability(uint32_t value) {
  return findValue(kCapabilities, value);
}

bool spirv::isExtension(std::string_view name) {
  return std::find(std::begin(kExtensions), std::end(kExtensions), name) !=
         std::end(kExtensions);
}

const char *spirv::findStorageClass(uint32_t value) {
  switch (value) {
  case StorageClassInput:
    return "Input";
  case StorageClassWorkgroup:
    return "Workgroup";
  case StorageClassPrivate:
    return "Private";
  case StorageClassFunction:
    return "Function";
  case StorageClassStorageBuffer:
    return "StorageBuffer";
  default:
    return nullptr;
  }
}

const Decoration *spirv::findDecoration(uint32_t value, uint8_t &row) {
  const Decoration *found = findValue(kDecorations, value);
  if (found)
    row = static_cast<uint8_t>(found - kDecorations);
  return found;
}

const Decoration &spirv::getDecoration(uint8_t row) {
  return kDecorations[row];
}

const BuiltInVariable *spirv::findBuiltIn(uint32_t value) {
  return findValue(kBuiltIns, value);
}
