//===- ControlFlow.cpp - The blocks of a function -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"

#include <algorithm>

using namespace dml::runtime;

namespace {

/// The deepest nesting of constructs. Drivers visit nested constructs
/// recursively, and Mesa's lavapipe loses the conditions of constructs that are
/// nested more than 80 deep.
constexpr uint32_t kMaxDepth = 64;

template <typename... Ts> Status invalid(const Ts &...args) {
  return makeError(DML_ERROR_INVALID_EXECUTABLE, args...);
}

/// Computes immediate dominators by the simple form of Lengauer's and Tarjan's
/// algorithm. The code is not recursive, since a chain of blocks may be as long
/// as a file.
class LengauerTarjan {
public:
  LengauerTarjan(const std::vector<Block> &blocks,
                 const std::vector<std::vector<uint32_t>> &predecessors)
      : blocks(blocks), predecessors(predecessors), nodes(blocks.size()) {}

  /// The immediate dominators; kNoBlock for the entry and what is unreachable.
  std::vector<uint32_t> run();
  /// The reachable blocks in the order of a walk that begins at the entry.
  const std::vector<uint32_t> &reachable() const { return order; }

private:
  struct Node {
    uint32_t parent = kNoBlock, ancestor = kNoBlock, label = kNoBlock;
    /// A place in `order`; kNoBlock where the walk has not come by.
    uint32_t semi = kNoBlock;
    uint32_t dominator = kNoBlock;
    /// A list of blocks through their `nextInBucket`.
    uint32_t bucket = kNoBlock, nextInBucket = kNoBlock;
  };

  void number();
  uint32_t evaluate(uint32_t block);

  const std::vector<Block> &blocks;
  const std::vector<std::vector<uint32_t>> &predecessors;
  std::vector<Node> nodes;
  std::vector<uint32_t> order, path;
};

} // namespace

void LengauerTarjan::number() {
  struct Visit {
    uint32_t block, parent;
  };
  std::vector<Visit> stack{{0, kNoBlock}};
  while (!stack.empty()) {
    Visit visit = stack.back();
    stack.pop_back();
    Node &node = nodes[visit.block];
    if (node.semi != kNoBlock)
      continue;
    node.semi = static_cast<uint32_t>(order.size());
    node.label = visit.block;
    node.parent = visit.parent;
    order.push_back(visit.block);
    for (uint32_t next : blocks[visit.block].successors)
      if (next != kNoBlock && nodes[next].semi == kNoBlock)
        stack.push_back({next, visit.block});
  }
}

uint32_t LengauerTarjan::evaluate(uint32_t block) {
  if (nodes[block].ancestor == kNoBlock)
    return block;
  // Shortens the path to the root, from the root's end on.
  path.clear();
  for (uint32_t at = block; nodes[nodes[at].ancestor].ancestor != kNoBlock;
       at = nodes[at].ancestor)
    path.push_back(at);
  for (; !path.empty(); path.pop_back()) {
    Node &node = nodes[path.back()];
    const Node &ancestor = nodes[node.ancestor];
    if (nodes[ancestor.label].semi < nodes[node.label].semi)
      node.label = ancestor.label;
    node.ancestor = ancestor.ancestor;
  }
  return nodes[block].label;
}

std::vector<uint32_t> LengauerTarjan::run() {
  number();
  for (size_t i = order.size() - 1; i > 0; --i) {
    uint32_t block = order[i];
    Node &node = nodes[block];
    for (uint32_t predecessor : predecessors[block])
      if (nodes[predecessor].semi != kNoBlock)
        node.semi = std::min(node.semi, nodes[evaluate(predecessor)].semi);
    Node &semi = nodes[order[node.semi]];
    node.nextInBucket = semi.bucket;
    semi.bucket = block;
    node.ancestor = node.parent;
    Node &parent = nodes[node.parent];
    for (uint32_t other = parent.bucket; other != kNoBlock;
         other = nodes[other].nextInBucket) {
      uint32_t least = evaluate(other);
      nodes[other].dominator =
          nodes[least].semi < nodes[other].semi ? least : node.parent;
    }
    parent.bucket = kNoBlock;
  }
  for (size_t i = 1; i < order.size(); ++i) {
    Node &node = nodes[order[i]];
    if (node.dominator != order[node.semi])
      node.dominator = nodes[node.dominator].dominator;
  }
  std::vector<uint32_t> dominators(blocks.size(), kNoBlock);
  for (size_t i = 1; i < order.size(); ++i)
    dominators[order[i]] = nodes[order[i]].dominator;
  return dominators;
}

Status ControlFlow::analyze(std::vector<Block> functionBlocks) {
  all = std::move(functionBlocks);
  size_t count = all.size();
  sources.assign(count, {});
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t next : all[i].successors)
      if (next != kNoBlock)
        sources[next].push_back(i);
  if (!sources[0].empty())
    return invalid("the first block, %", all[0].label, ", is jumped to");
  DML_TRY(assignRoles());
  computeDominators();
  DML_TRY(buildConstructs());
  backEdges.assign(count, 0);
  for (uint32_t i = 0; i < count; ++i)
    DML_TRY(isReachable(i) ? checkEnd(i) : checkUnreachable(i));
  for (uint32_t i = 0; i < count; ++i)
    if (uint32_t target = all[i].continueTarget;
        target != kNoBlock && isReachable(i) && isReachable(target) &&
        backEdges[i] != 1)
      return invalid("loop %", all[i].label, " is jumped back to from ",
                     backEdges[i], " blocks, but 1 is wanted");
  return Status();
}

/// No block is the end of two constructs.
Status ControlFlow::assignRoles() {
  roles.assign(all.size(), Role::None);
  roleHeaders.assign(all.size(), kNoBlock);
  auto assign = [&](uint32_t header, uint32_t target, Role role) -> Status {
    if (target == header || roles[target] != Role::None)
      return invalid("block %", all[target].label,
                     " is a merge block or a "
                     "continue target of two constructs");
    roles[target] = role;
    roleHeaders[target] = header;
    return Status();
  };
  for (uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].merge != kNoBlock)
      DML_TRY(assign(i, all[i].merge, Role::Merge));
    if (all[i].continueTarget != kNoBlock)
      DML_TRY(assign(i, all[i].continueTarget, Role::Continue));
  }
  return Status();
}

void ControlFlow::computeDominators() {
  LengauerTarjan algorithm(all, sources);
  std::vector<uint32_t> immediate = algorithm.run();
  dominators.assign(all.size(), {});
  const std::vector<uint32_t> &order = algorithm.reachable();
  // A block comes after its dominators in the order of the walk. The sizes of
  // subtrees are therefore added up from the end, and their places from the
  // beginning.
  std::vector<uint32_t> sizes(all.size(), 1), next(all.size(), 0);
  for (uint32_t block : order) {
    dominators[block].reachable = true;
    dominators[block].immediate = immediate[block];
  }
  for (size_t i = order.size() - 1; i > 0; --i)
    sizes[immediate[order[i]]] += sizes[order[i]];
  for (uint32_t block : order) {
    Dominator &dominator = dominators[block];
    if (dominator.immediate != kNoBlock) {
      dominator.first = next[dominator.immediate];
      next[dominator.immediate] += sizes[block];
    }
    dominator.last = dominator.first + sizes[block] - 1;
    next[block] = dominator.first + 1;
  }
}

/// Unreachable blocks are only allowed as merge blocks and continue targets,
/// and must be empty.
Status ControlFlow::checkUnreachable(uint32_t block) const {
  const Block &found = all[block];
  bool isMerge = roles[block] == Role::Merge && found.end != BlockEnd::Branch;
  bool isContinue = roles[block] == Role::Continue &&
                    found.end == BlockEnd::Branch && !found.isConditional &&
                    found.successors[0] == roleHeaders[block];
  if (!found.isEmpty || found.merge != kNoBlock || !(isMerge || isContinue))
    return invalid("nothing leads to block %", found.label,
                   ", which is no empty merge block or continue target");
  return Status();
}

Status ControlFlow::buildConstructs() {
  homes.assign(all.size(), 0);
  heads.assign(all.size(), kNoBlock);
  constructs.assign(1, {Construct::Function, 0, kNoBlock, 0});
  auto begin = [&](typename Construct::Kind kind, uint32_t header,
                   uint32_t parent, uint32_t &construct) -> Status {
    uint32_t depth = constructs[parent].depth + 1;
    if (depth > kMaxDepth)
      return invalid("ifs and loops are nested more than ", kMaxDepth, " deep");
    construct = static_cast<uint32_t>(constructs.size());
    constructs.push_back({kind, header, parent, depth});
    return Status();
  };
  for (uint32_t i = 0; i < all.size(); ++i) {
    if (!isReachable(i))
      continue;
    uint32_t dominator = dominators[i].immediate;
    // SPIR-V wants it; and what stands before has been given its construct.
    if (dominator != kNoBlock && dominator > i)
      return invalid("block %", all[i].label, " stands before block %",
                     all[dominator].label, ", which every way to it crosses");
    uint32_t header = roleHeaders[i];
    if (header != kNoBlock && (!isReachable(header) || !dominates(header, i)))
      return invalid("block %", all[i].label, " ends a construct of block %",
                     all[header].label, ", which does not dominate it");
    if (roles[i] == Role::Merge)
      homes[i] = homes[header];
    else if (roles[i] == Role::Continue)
      DML_TRY(begin(Construct::Continue, header, heads[header], homes[i]));
    else if (dominator != kNoBlock)
      homes[i] = constructOf(dominator);
    if (all[i].merge != kNoBlock)
      DML_TRY(begin(all[i].continueTarget == kNoBlock ? Construct::Selection
                                                      : Construct::Loop,
                    i, homes[i], heads[i]));
  }
  return Status();
}

uint32_t ControlFlow::innermostLoop(uint32_t construct) const {
  while (constructs[construct].kind == Construct::Selection)
    construct = constructs[construct].parent;
  return constructs[construct].kind == Construct::Loop ? construct : kNoBlock;
}

Status ControlFlow::checkEnd(uint32_t block) {
  const Block &found = all[block];
  if (found.end != BlockEnd::Branch) {
    for (uint32_t at = constructOf(block);
         constructs[at].kind != Construct::Function; at = constructs[at].parent)
      if (constructs[at].kind == Construct::Continue)
        return invalid("block %", found.label,
                       " leaves the function from where a loop continues");
    return Status();
  }
  int inner = 0;
  for (uint32_t next : found.successors) {
    if (next == kNoBlock)
      continue;
    Expected<Edge> edge = checkEdge(block, next);
    if (!edge)
      return edge.status();
    inner += *edge == Edge::Inner;
  }
  bool isSelection =
      found.merge != kNoBlock && found.continueTarget == kNoBlock;
  if (isSelection && !found.isConditional)
    return invalid("block %", found.label,
                   " has an OpSelectionMerge, but no condition");
  if (inner > 1 && !isSelection)
    return invalid("block %", found.label,
                   " is a condition without an OpSelectionMerge");
  return Status();
}

Expected<ControlFlow::Edge> ControlFlow::checkEdge(uint32_t from, uint32_t to) {
  uint32_t construct = constructOf(from);
  auto wrong = [&](const char *why) {
    return invalid("the jump from block %", all[from].label, " to block %",
                   all[to].label, " ", why);
  };
  if (dominates(to, from)) {
    if (all[to].continueTarget == kNoBlock)
      return wrong("goes back, but not to the header of a loop");
    if (constructs[construct].kind != Construct::Continue ||
        constructs[construct].header != to)
      return wrong("goes back, but not from where that loop continues");
    ++backEdges[to];
    return Edge::Back;
  }
  switch (roles[to]) {
  case Role::None:
    if (homes[to] != construct)
      return wrong("crosses the edge of an if or a loop");
    return Edge::Inner;
  case Role::Merge: {
    uint32_t left = heads[roleHeaders[to]];
    bool isBreak = innermostLoop(construct) == left ||
                   (constructs[construct].kind == Construct::Continue &&
                    constructs[construct].parent == left);
    if (construct != left && !isBreak)
      return wrong("leaves more than the innermost if or loop");
    return Edge::Exit;
  }
  case Role::Continue:
    if (innermostLoop(construct) != heads[roleHeaders[to]])
      return wrong("continues another loop than the innermost");
    return Edge::Exit;
  }
  return wrong("is of no known kind");
}
