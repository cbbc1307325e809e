//===- ControlFlow.h - The blocks of a function ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Which blocks dominate which, and whether jumps keep to the structure that
// SPIR-V wants of shaders: a driver that rebuilds ifs and loops from jumps
// believes that they do.
//
//===----------------------------------------------------------------------===//

#ifndef DML_RUNTIME_CONTROLFLOW_H
#define DML_RUNTIME_CONTROLFLOW_H

#include "Status.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dml::runtime {

/// No block.
constexpr uint32_t kNoBlock = UINT32_MAX;

enum class BlockEnd : uint8_t { Branch, Return, Unreachable };

struct Block {
  /// Its id, for messages.
  uint32_t label = 0;
  BlockEnd end = BlockEnd::Return;
  /// Different blocks; kNoBlock where there are fewer.
  std::array<uint32_t, 2> successors{kNoBlock, kNoBlock};
  bool isConditional = false;
  /// The merge block of OpSelectionMerge or OpLoopMerge.
  uint32_t merge = kNoBlock;
  /// The continue target of OpLoopMerge.
  uint32_t continueTarget = kNoBlock;
  /// Whether the block has nothing in it but its end.
  bool isEmpty = true;
};

/// The work is linear in the number of blocks, but for a logarithm.
class ControlFlow {
public:
  /// The first block is the entry. Fails where the blocks are not structured.
  Status analyze(std::vector<Block> functionBlocks);

  const std::vector<Block> &blocks() const { return all; }
  bool isReachable(uint32_t block) const { return dominators[block].reachable; }
  /// Whether block `a` dominates block `b`, both of which must be reachable. A
  /// block dominates itself.
  bool dominates(uint32_t a, uint32_t b) const {
    return dominators[a].first <= dominators[b].first &&
           dominators[b].last <= dominators[a].last;
  }
  const std::vector<uint32_t> &predecessors(uint32_t block) const {
    return sources[block];
  }

private:
  /// What begins at a header, or at the continue target of a loop.
  struct Construct {
    enum Kind : uint8_t { Function, Selection, Loop, Continue } kind;
    uint32_t header, parent, depth;
  };
  struct Dominator {
    uint32_t immediate = kNoBlock;
    /// Numbers of a walk over the tree of dominators.
    uint32_t first = 0, last = 0;
    bool reachable = false;
  };
  enum class Role : uint8_t { None, Merge, Continue };
  enum class Edge : uint8_t { Inner, Exit, Back };

  Status assignRoles();
  void computeDominators();
  Status checkUnreachable(uint32_t block) const;
  Status buildConstructs();
  Status checkEnd(uint32_t block);
  Expected<Edge> checkEdge(uint32_t from, uint32_t to);
  /// The construct that a block's jumps start from.
  uint32_t constructOf(uint32_t block) const {
    return heads[block] != kNoBlock ? heads[block] : homes[block];
  }
  uint32_t innermostLoop(uint32_t construct) const;

  std::vector<Block> all;
  std::vector<std::vector<uint32_t>> sources;
  std::vector<Dominator> dominators;
  std::vector<Construct> constructs;
  std::vector<Role> roles;
  /// The header of each merge block or continue target.
  std::vector<uint32_t> roleHeaders;
  /// The construct that a block stands in, and the one that begins with it.
  std::vector<uint32_t> homes, heads;
  /// Jumps back to each header.
  std::vector<uint32_t> backEdges;
};

} // namespace dml::runtime

#endif // DML_RUNTIME_CONTROLFLOW_H
