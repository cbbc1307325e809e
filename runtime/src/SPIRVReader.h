//===- SPIRVReader.h - The walk over a SPIR-V module ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_SPIRVREADER_H
#define DML_RUNTIME_SPIRVREADER_H

#include "ControlFlow.h"
#include "SPIRVModule.h"
#include "SPIRVTable.h"

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dml::runtime::spirv {

template <typename... Ts> Status invalid(const Ts &...args) {
  return makeError(DML_ERROR_INVALID_EXECUTABLE, args...);
}

/// SPIR-V 1.4, from which on the interface of an entry point names variables of
/// all storage classes.
constexpr uint32_t kVersion14 = 0x00010400;

/// A size no type has; any type that is too large to count, or has no size.
constexpr uint64_t kUnsized = std::numeric_limits<uint64_t>::max();

/// One instruction: its operands are words[1..count-1].
struct Words {
  const uint32_t *words;
  uint32_t count;
  uint32_t at;

  uint32_t operator[](size_t i) const { return words[i]; }
};

/// A value's numbers, read as unsigned.
struct Range {
  uint64_t low, high;
};

/// Scalars and vectors; `kind` is 0 for any other type.
struct Shape {
  char kind = 0;
  uint32_t width = 0, count = 0;
};

/// The indices of a module that are not provably within a vector, or within an
/// array that is no buffer.
struct UnprovenIndices {
  /// Word `operand` of the instruction at word `at` is an index of type `type`,
  /// which must be at most `last`.
  struct Index {
    uint32_t at, operand, type, width;
    uint64_t last;
  };
  /// In the order of their words.
  std::vector<Index> indices;
  /// The positions in the module at which an import and constants can be added,
  /// and the id of GLSL.std.450, which is 0 if it is not imported.
  uint32_t importsEnd = 0, globalsEnd = 0, glslSet = 0;
};

class Reader {
public:
  /// Refuses unproven indices, or only collects them where `unproven` is given.
  explicit Reader(std::vector<uint32_t> &words,
                  UnprovenIndices *unproven = nullptr)
      : words(words), unproven(unproven) {}

  Expected<SPIRVModule> read();

private:
  /// The facts that are known of an id.
  struct Info {
    /// The instruction that defines it; 0 while none has been seen.
    uint16_t op = 0;
    /// How deep a type nests, and its alignment in a buffer (std430).
    uint8_t depth = 0, alignment = 0;
    /// The BuiltIn of an Input variable, and of what is loaded from it.
    uint8_t builtIn = 0;
    /// Whether its range is that of a counter at present.
    bool isCounting = false;
    /// Whether a type states the places of its members, as the types of buffers
    /// do.
    bool isLaidOut = false;
    /// The type of a value or a variable; else 0.
    uint32_t type = 0;
    /// The word where its instruction begins.
    uint32_t at = 0;
    /// The block in which the id is defined or of which it is the label: 1 plus
    /// the number of the block among all functions. Ids outside of functions
    /// have 0.
    uint32_t block = 0;
    /// A bit for each row of decorations.
    uint32_t decorations = 0;
    /// The operand of Binding, ArrayStride or BuiltIn.
    uint32_t decorated = 0;
    /// The entry point that last listed a variable: 1 more than its number.
    uint32_t listed = 0;
    /// The variable that a pointer points into, where it is none itself.
    uint32_t variable = 0;
    /// For an integer, its range. For a type, the number of its bytes and the
    /// number of scalars and vectors in it, with arrays counted once. For an
    /// element of an array in workgroup memory, `low` is the number of elements
    /// from this element on.
    uint64_t low = 0, high = 0;
  };
  struct EntryPoint {
    std::string name;
    uint32_t function = 0;
    /// The words of its interface.
    uint32_t begin = 0, end = 0;
    bool hasLocalSize = false, hasFunction = false, preservesNan = false;
    bool hasLoops = false;
    std::array<uint32_t, 3> workgroupSize{};
    /// The bindings that it stores to.
    std::set<uint32_t> written;
  };
  struct Member {
    uint32_t offset = 0, decorations = 0;
  };
  struct DecoratedId {
    uint32_t id;
    uint8_t row;
  };
  /// A use in another block than that of the definition.
  struct Use {
    uint32_t definition, use;
  };
  /// A phi of a loop's header that grows by a constant, in a loop that
  /// continues while the phi is below a limit. In blocks that `body`
  /// dominates, the phi is below the limit. Its range states this from the
  /// end of the header until the loop's merge block begins. In
  ///   for (i = 0; i < 16; i = i + 4) a[i] = ...;
  /// the index of the store is from 0 to 12.
  struct Counter {
    uint32_t header, body;
    /// The blocks that use the phi while it has that range.
    std::vector<uint32_t> uses;
  };
  /// A variable of a thread, which takes up `type`.
  struct Uninitialized {
    uint32_t at, type;
  };

  // SPIRVModule.cpp: what stands outside of functions.
  Status readHeader();
  Status readInstruction(const Words &inst, const Instruction &rule);
  Status readGlobal(const Words &inst, const Instruction &rule);
  Status readCapability(uint32_t value);
  Status readEntryPoint(const Words &inst);
  Status readExecutionMode(const Words &inst);
  Status readType(const Words &inst);
  Status readConstant(const Words &inst);
  Status readVariable(const Words &inst);
  Status readInput(uint32_t id);
  Status readMatrixType(const Words &inst);
  Status readDecoration(const Words &inst);
  Status readMemberDecoration(const Words &inst);
  Status finishGlobals();
  Status finishDecorations();
  Status finishWorkgroupSize();
  Status finishEntryPoints(SPIRVModule &module);
  Expected<uint64_t> layOut(uint32_t type);
  Status initializeVariables();

  Status readString(const Words &inst, uint32_t first, uint32_t &next,
                    std::string *string = nullptr) const;
  Status define(const Words &inst, uint32_t id, uint32_t type = 0);
  Status checkId(uint32_t id) const;
  Status needFeature(DmlFeatureFlags oneOf, const char *type) const;

  // Types.
  bool isType(uint32_t id) const;
  /// A type that values may have.
  bool isData(uint32_t id) const;
  Shape shapeOf(uint32_t type) const;
  /// Word `i` of the instruction that defines an id.
  uint32_t word(uint32_t id, uint32_t i) const { return words[ids[id].at + i]; }
  uint64_t lengthOf(uint32_t array) const { return ids[word(array, 3)].low; }
  uint32_t memberCount(uint32_t type) const;
  /// Member `index` of a composite type.
  Status findMember(uint32_t &type, uint64_t index) const;
  bool isMatrix(uint32_t id) const {
    return id < bound && ids[id].op == OpTypeCooperativeMatrixKHR;
  }
  bool isConstant(uint32_t id) const;
  Status checkConstituents(const Words &inst, bool constant);

  // SPIRVFunctions.cpp: what stands within.
  Status readFunction(const Words &inst);
  Status finishFunction();
  Status finishPhis(const ControlFlow &flow);
  Status finishCounters(const ControlFlow &flow);
  Status readBody(const Words &inst, const Instruction &rule);
  Status readBlockEnd(const Words &inst);
  void beginCounting(const Words &inst);
  void endCounting(uint32_t phi);
  std::optional<uint64_t> findStep(uint32_t phi, uint32_t value);
  Status readLabel(const Words &inst);
  Status readMerge(const Words &inst);
  Status readLoad(const Words &inst);
  Status readStore(const Words &inst);
  Status readAccessChain(const Words &inst);
  Status readArrayLength(const Words &inst);
  Status readBarrier(const Words &inst);
  Status readMatrixAccess(const Words &inst);
  Status readMatrixProduct(const Words &inst);
  Status readPhi(const Words &inst);
  Status readComposite(const Words &inst);
  Status readExtInst(const Words &inst);
  Status readMemoryOperand(const Words &inst, uint32_t first) const;
  Status checkSignature(const Words &inst, const Instruction &rule,
                        uint32_t first);
  Status useValue(uint32_t id, uint32_t &type);
  Status usePointer(uint32_t id, uint32_t &storageClass, uint32_t &pointee);
  Status checkIndex(const Words &inst, uint32_t operand, uint64_t length,
                    bool mayReach);
  uint32_t variableOf(uint32_t pointer) const;
  void use(uint32_t id);
  Status defineValue(const Words &inst);
  Expected<uint64_t> constantOf(uint32_t id) const;
  Range rangeOf(uint32_t id) const { return {ids[id].low, ids[id].high}; }
  void setRange(uint32_t id, Range range);
  std::optional<Range> computeRange(uint32_t op, const Words &inst,
                                    uint32_t first) const;
  Range rangeOfBuiltIn(uint32_t builtIn, uint32_t component) const;

  std::vector<uint32_t> &words;
  UnprovenIndices *unproven;
  uint32_t bound = 0;
  uint32_t version = 0;
  DmlFeatureFlags features = 0;
  std::vector<Info> ids;
  Section section = Section::Capabilities;
  std::set<uint32_t> capabilities;
  bool hasMemoryModel = false, hasVulkanMemoryModel = false;
  uint32_t glslSet = 0;
  /// The words where an import and where constants can be added.
  uint32_t importsEnd = 0, globalsEnd = 0;
  std::vector<EntryPoint> entryPoints;
  /// Entry points by name and by function.
  std::map<std::string, uint32_t> names;
  std::map<uint32_t, uint32_t> functions;
  std::vector<DecoratedId> decorated;
  /// The members of structs, by struct and number.
  std::map<std::pair<uint32_t, uint32_t>, Member> members;
  std::map<uint32_t, uint64_t> layouts;
  std::optional<uint32_t> workgroupSizeConstant;
  std::set<uint32_t> builtIns;
  /// The types of cooperative matrices that no product has used so far, and the
  /// shapes of the products.
  std::set<uint32_t> unmultiplied;
  std::vector<DmlMatrixShape> matrixShapes;
  std::vector<uint32_t> variables;
  uint64_t privateSize = 0;
  bool globalsFinished = false;
  std::vector<Uninitialized> uninitialized;

  // The next ones belong to the function that is being read.
  bool inFunction = false, inBlock = false, hasMerge = false;
  /// Instructions of a block that must come first: until when they may.
  bool mayDeclare = false, mayPhi = false;
  uint32_t entryPoint = 0;
  /// Blocks of all functions before.
  uint32_t firstBlock = 0;
  uint64_t functionSize = 0;
  /// Their targets are labels until the function ends.
  std::vector<Block> blocks;
  std::vector<Use> uses;
  struct Phi {
    uint32_t at, block;
  };
  std::vector<Phi> phis;
  /// All counters by their ids, and the counters that have a range at present,
  /// by the merge blocks of their loops.
  std::map<uint32_t, Counter> counters;
  std::map<uint32_t, uint32_t> counting;
  /// The words of the function's OpIAdd by their results, where a loop was met.
  std::map<uint32_t, uint32_t> sums;
  bool hasSums = false;
};

} // namespace dml::runtime::spirv

#endif // DML_RUNTIME_SPIRVREADER_H
