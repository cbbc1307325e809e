//===- StackProducts.cpp - Products that share a factor -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The queries, keys and values of attention are products of one tensor with
// three matrices. Each product has too few sums to occupy a device, so that one
// product takes as long as a single kernel for all three. This pass stacks the
// matrices along a new dimension, and replaces the three products by a single
// product with this dimension. If the readers of the products are equal as
// well, such as additions of three biases, they are stacked too. Other readers
// read their own product from its place in the stacked product.
//
// Products with many sums stay apart. With the option shared-weights, they read
// their weights from a stack nevertheless, so that programs with few and with
// many sums can share the stack.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Contraction.h"
#include "Analysis/ElementMap.h"
#include "Analysis/StructuralHash.h"
#include "Graph/Words.h"
#include "dml/Codegen/Passes.h"
#include "dml/IR/LayoutAttr.h"
#include "dml/IR/Ownership.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "dml/Target/SumCosts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace dml {
#define GEN_PASS_DEF_STACKPRODUCTS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

using Members = SmallVector<linalg::GenericOp>;
using Values = SmallVector<Value>;
/// The tensors that the products to be stacked read. The map has an entry for
/// each tensor that the first product reads. The entry lists, in the order of
/// the products, the tensor that each product reads in this place of its body.
using Captures = llvm::MapVector<Value, Values>;

/// The largest number of operations (reshapes and generics) that may lie
/// between a weight and a product that reads it.
static constexpr int maxDepth = 4;

static RankedTensorType getType(linalg::GenericOp op) {
  return cast<RankedTensorType>(op.getResult(0).getType());
}

/// Returns the tensors that the body of `op` reads.
static llvm::SetVector<Value> getTensors(linalg::GenericOp op) {
  llvm::SetVector<Value> values;
  getUsedValuesDefinedAbove(op->getRegions(), values);
  values.remove_if(
      [](Value value) { return !isa<RankedTensorType>(value.getType()); });
  return values;
}

/// Whether `value` is a constant, or a weight that is an argument.
static bool isWeight(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function &&
           function.getArgAttr(argument.getArgNumber(), ownedAttrName);
  }
  return isa<arith::ConstantOp>(value.getDefiningOp());
}

static bool isReshape(Operation *op) {
  return isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

/// Whether `op` may be stacked: `op` computes elements from coordinates, and
/// neither its layout nor its kernel has been chosen before.
static bool isFree(linalg::GenericOp op) {
  return isElementMap(op) && op->getNumResults() == 1 &&
         getType(op).hasStaticShape() && getType(op).getRank() > 0 &&
         !op->hasAttr(layoutAttrName) && !op->hasAttr(kernelAttrName);
}

/// Whether the bodies of generics read `tensor` and its reshapes, and no other
/// operation does.
static bool isLookedUp(Value tensor) {
  return llvm::all_of(tensor.getUsers(), [](Operation *user) {
    return isReshape(user)
               ? isLookedUp(user->getResult(0))
               : isa<tensor::ExtractOp>(user) &&
                     user->getParentOfType<linalg::GenericOp>() != nullptr;
  });
}

/// Whether the body of `op` is a loop nest that adds up products.
static bool addsUpProducts(linalg::GenericOp op) {
  auto loops = op.getBody()->getOps<scf::ForOp>();
  if (!llvm::hasSingleElement(loops))
    return false;
  Contraction contraction;
  scf::ForOp outermost = *loops.begin();
  if (outermost.getNumResults() != 1)
    return false;
  contraction.sumType = outermost.getResult(0).getType();
  if (failed(contraction.readLoops(outermost)))
    return false;
  scf::ForOp innermost = contraction.loops.back();
  return !readTerms(innermost.getBody()->getTerminator()->getOperand(0),
                    innermost.getRegionIterArg(0))
              .empty();
}

/// Whether the bodies of `first` and `member` are equal except for the tensors
/// that they read. If so, adds the tensors that `member` reads to `captures`.
static bool addMember(linalg::GenericOp first, linalg::GenericOp member,
                      Captures &captures) {
  if (getType(first) != getType(member))
    return false;
  llvm::DenseMap<Value, Value> inside;
  llvm::MapVector<Value, Value> pairs;
  auto isEquivalent = [&](Value lhs, Value rhs) {
    if (auto found = inside.find(lhs); found != inside.end())
      return success(found->second == rhs);
    if (!isa<RankedTensorType>(lhs.getType()))
      return success(lhs == rhs);
    if (lhs.getType() != rhs.getType() ||
        member.getRegion().isAncestor(rhs.getParentRegion()))
      return failure();
    return success(pairs.try_emplace(lhs, rhs).first->second == rhs);
  };
  if (!OperationEquivalence::isRegionEquivalentTo(
          &first.getRegion(), &member.getRegion(), isEquivalent,
          [&](Value lhs, Value rhs) { inside[lhs] = rhs; },
          OperationEquivalence::IgnoreLocations))
    return false;
  for (auto [lhs, rhs] : pairs) {
    Values &values = captures[lhs];
    if (values.empty())
      values.push_back(lhs);
    values.push_back(rhs);
  }
  return true;
}

static bool areAllEqual(ArrayRef<Value> values) {
  return llvm::all_equal(values);
}

namespace {
/// Stacks tensors of equal type along a new first dimension, together with the
/// generics that compute them.
class Stacker {
public:
  Stacker(func::FuncOp function, const DeviceProfile &profile);

  /// Whether `value` depends only on weights.
  bool isOfWeights(Value value) const {
    return isWeight(value) || ofWeights.contains(value);
  }
  /// Returns a hash of `op` that does not depend on which weights `op` reads.
  llvm::hash_code hash(linalg::GenericOp op) const;
  /// Stacks `members`, products with equal hashes, then their readers if these
  /// are equal, and so on. Changes nothing if the products differ or if their
  /// weights cannot be stacked. If `staysApart` is true, the products remain
  /// separate operations, and only their weights are stacked. A program for
  /// smaller inputs stacks the weights in the same way, so that both programs
  /// can share the stored weights.
  void stackMembers(ArrayRef<linalg::GenericOp> members, bool staysApart);

private:
  /// Collects in `captures` the tensors that the generics `members` read.
  /// Returns false if the generics cannot be stacked.
  bool match(ArrayRef<linalg::GenericOp> members, Captures &captures);
  bool canStack(ArrayRef<Value> values, int depth = 0);
  Value stack(ArrayRef<Value> values);
  Value stackWeights(ArrayRef<Value> values);
  linalg::GenericOp stackBodies(linalg::GenericOp first,
                                const Captures &captures, size_t count);
  /// Builds a stacked generic that computes the elements of all `members`.
  /// Replaces each member by a generic that reads the member's part of the
  /// stacked result, and returns these replacements.
  Members replace(ArrayRef<linalg::GenericOp> members,
                  const Captures &captures);
  /// Makes the products `members` read their weights from stacks. The products
  /// remain separate operations.
  void redirect(ArrayRef<linalg::GenericOp> members, const Captures &captures);

  IRRewriter rewriter;
  int64_t maxBytes;
  /// The results of operations that depend only on weights.
  llvm::DenseSet<Value> ofWeights;
  /// The stacks that have been built: the list of the stacked tensors and the
  /// tensor that contains them, found by the first tensor of the list.
  llvm::DenseMap<Value, std::pair<Values, Value>> stacks;
  /// The results of products that remain separate operations, although their
  /// weights are stacked.
  llvm::DenseSet<Value> resultsApart;
};
} // namespace

Stacker::Stacker(func::FuncOp function, const DeviceProfile &profile)
    : rewriter(function.getContext()),
      maxBytes(profile.getMaxStorageBufferRange()) {
  for (Operation &op : function.getBody().front()) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    bool isOfWeights =
        isReshape(&op) ? this->isOfWeights(op.getOperand(0))
                       : generic && isFree(generic) &&
                             llvm::all_of(getTensors(generic), [&](Value read) {
                               return this->isOfWeights(read);
                             });
    if (isOfWeights)
      ofWeights.insert(op.getResult(0));
  }
}

llvm::hash_code Stacker::hash(linalg::GenericOp op) const {
  ValueNumbers numbers;
  numbers.try_emplace(op.getOutputs().front(), 0);
  for (Value tensor : getTensors(op))
    if (isOfWeights(tensor))
      numbers.try_emplace(tensor, numbers.size());
  return hashWithRegions(op, numbers);
}

bool Stacker::match(ArrayRef<linalg::GenericOp> members, Captures &captures) {
  linalg::GenericOp first = members.front();
  for (linalg::GenericOp member : members.drop_front())
    if (!addMember(first, member, captures))
      return false;
  // The stacked generics may read different tensors in the same place of their
  // bodies. The operation there must be a tensor.extract, so that stackBodies()
  // can read a stack of these tensors instead, with the index of the generic as
  // the first coordinate.
  return llvm::all_of(captures, [&](const auto &capture) {
    return areAllEqual(capture.second) ||
           resultsApart.contains(capture.first) ||
           (canStack(capture.second) &&
            llvm::all_of(capture.first.getUsers(), [&](Operation *user) {
              return !first->isProperAncestor(user) ||
                     isa<tensor::ExtractOp>(user);
            }));
  });
}

/// Whether `values`, tensors of equal type, can be stacked: they are weights,
/// or the results of equal operations on tensors that can be stacked.
bool Stacker::canStack(ArrayRef<Value> values, int depth) {
  auto found = stacks.find(values.front());
  if (found != stacks.end() && ArrayRef(found->second.first) == values)
    return true;
  auto type = cast<RankedTensorType>(values.front().getType());
  if (depth == maxDepth || !type.hasStaticShape() || type.getRank() == 0 ||
      !llvm::all_of(values, [&](Value value) { return isOfWeights(value); }))
    return false;
  // Each of the stacked tensors must begin at a whole 32-bit word of the stack:
  // if a device lacks a narrow type, its elements are computed as parts of
  // words, and a word must not contain elements of two tensors.
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  if (bits % wordBits != 0)
    return false;
  auto bytes = static_cast<double>(bits) / 8;
  if (bytes * static_cast<double>(values.size()) >
      static_cast<double>(maxBytes))
    return false;
  if (llvm::all_of(values, isWeight))
    return true;
  Operation *first = values.front().getDefiningOp();
  if (!first)
    return false;
  bool areAlike = llvm::all_of(values, [&](Value value) {
    Operation *op = value.getDefiningOp();
    return op && op->getName() == first->getName() &&
           (!isReshape(op) ||
            (op->getAttrs() == first->getAttrs() &&
             op->getOperand(0).getType() == first->getOperand(0).getType()));
  });
  if (!areAlike)
    return false;
  if (isReshape(first))
    return canStack(
        llvm::map_to_vector(
            values,
            [](Value value) { return value.getDefiningOp()->getOperand(0); }),
        depth + 1);
  if (!isa<linalg::GenericOp>(first))
    return false;
  Captures captures;
  Members members = llvm::map_to_vector(values, [](Value value) {
    return value.getDefiningOp<linalg::GenericOp>();
  });
  for (linalg::GenericOp member : ArrayRef(members).drop_front())
    if (!addMember(members.front(), member, captures))
      return false;
  return llvm::all_of(captures, [&](const auto &capture) {
    return areAllEqual(capture.second) || canStack(capture.second, depth + 1);
  });
}

/// Returns the type of a stack of `count` tensors of `type`.
static RankedTensorType getStackedType(RankedTensorType type, size_t count) {
  SmallVector<int64_t> sizes(type.getShape());
  sizes.insert(sizes.begin(), static_cast<int64_t>(count));
  return type.clone(sizes);
}

/// `reassociation` states which dimensions a reshape collapses or expands.
/// Returns the reassociation of the same reshape for tensors that have an
/// additional first dimension, which the reshape leaves as it is: {{0}, {1, 2}}
/// for {{0, 1}}.
static SmallVector<ReassociationIndices>
withFirstDim(ArrayRef<ReassociationIndices> reassociation) {
  SmallVector<ReassociationIndices> shifted = {{0}};
  for (ReassociationIndices dims : reassociation) {
    for (int64_t &dim : dims)
      ++dim;
    shifted.push_back(dims);
  }
  return shifted;
}

Value Stacker::stackWeights(ArrayRef<Value> values) {
  auto type = cast<RankedTensorType>(values.front().getType());
  RankedTensorType stacked = getStackedType(type, values.size()),
                   single = getStackedType(type, 1);
  Location loc = values.front().getLoc();
  SmallVector<ReassociationIndices> reassociation = {{0, 1}};
  for (int64_t dim = 1; dim < type.getRank(); ++dim)
    reassociation.push_back({dim + 1});
  SmallVector<OpFoldResult> offsets(single.getRank(), rewriter.getIndexAttr(0)),
      strides(single.getRank(), rewriter.getIndexAttr(1)),
      sizes = getAsIndexOpFoldResult(rewriter.getContext(), single.getShape());
  Value result = tensor::EmptyOp::create(rewriter, loc, stacked.getShape(),
                                         stacked.getElementType());
  for (auto [number, value] : llvm::enumerate(values)) {
    // A stack is built where its first use stands. A constant that stands
    // behind this place is moved in front of it.
    Operation *constant = value.getDefiningOp();
    Operation *place = &*rewriter.getInsertionPoint();
    if (constant && !constant->isBeforeInBlock(place))
      rewriter.moveOpBefore(constant, place);
    Value part = tensor::ExpandShapeOp::create(rewriter, loc, single, value,
                                               reassociation);
    offsets[0] = rewriter.getIndexAttr(static_cast<int64_t>(number));
    result = tensor::InsertSliceOp::create(rewriter, loc, part, result, offsets,
                                           sizes, strides);
  }
  return result;
}

Value Stacker::stack(ArrayRef<Value> values) {
  auto found = stacks.find(values.front());
  if (found != stacks.end() && ArrayRef(found->second.first) == values)
    return found->second.second;
  if (llvm::all_of(values, isWeight))
    return stackWeights(values);
  auto type = cast<RankedTensorType>(values.front().getType());
  Operation *first = values.front().getDefiningOp();
  if (isReshape(first)) {
    Value source = stack(llvm::map_to_vector(values, [](Value value) {
      return value.getDefiningOp()->getOperand(0);
    }));
    RankedTensorType stacked = getStackedType(type, values.size());
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(first))
      return tensor::CollapseShapeOp::create(
          rewriter, first->getLoc(), stacked, source,
          withFirstDim(collapse.getReassociationIndices()));
    return tensor::ExpandShapeOp::create(
        rewriter, first->getLoc(), stacked, source,
        withFirstDim(
            cast<tensor::ExpandShapeOp>(first).getReassociationIndices()));
  }
  auto generic = cast<linalg::GenericOp>(first);
  Captures captures;
  for (Value value : values.drop_front())
    (void)addMember(generic, value.getDefiningOp<linalg::GenericOp>(),
                    captures);
  return stackBodies(generic, captures, values.size()).getResult(0);
}

/// Builds the generic that replaces `count` stacked generics. It has the body
/// of `first`, one of them, and an additional first dimension, whose coordinate
/// is the index of a stacked generic. This coordinate selects the tensor of
/// this generic in each stack that the body reads.
linalg::GenericOp Stacker::stackBodies(linalg::GenericOp first,
                                       const Captures &captures, size_t count) {
  llvm::DenseMap<Value, Value> stacked;
  for (const auto &[value, values] : captures)
    if (!areAllEqual(values))
      stacked[value] = stack(values);
  RankedTensorType type = getStackedType(getType(first), count);
  Location loc = first.getLoc();
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto result = linalg::GenericOp::create(
      rewriter, loc, type, /*inputs=*/ValueRange(), empty,
      ArrayRef(rewriter.getMultiDimIdentityMap(type.getRank())), iterators);
  result->setDiscardableAttrs(first->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.cloneRegionBefore(first.getRegion(), result.getRegion(),
                             result.getRegion().begin());
  Block *body = result.getBody();
  body->walk([&](linalg::IndexOp index) { index.setDim(index.getDim() + 1); });
  rewriter.setInsertionPointToStart(body);
  Value number = linalg::IndexOp::create(rewriter, loc, 0);
  body->walk([&](tensor::ExtractOp extract) {
    Value tensor = stacked.lookup(extract.getTensor());
    if (!tensor)
      return;
    Values indices = {number};
    llvm::append_range(indices, extract.getIndices());
    rewriter.setInsertionPoint(extract);
    rewriter.replaceOpWithNewOp<tensor::ExtractOp>(extract, tensor, indices);
  });
  return result;
}

static linalg::GenericOp getEarliest(ArrayRef<linalg::GenericOp> members) {
  return *llvm::min_element(members,
                            [](linalg::GenericOp lhs, linalg::GenericOp rhs) {
                              return lhs->isBeforeInBlock(rhs);
                            });
}

Members Stacker::replace(ArrayRef<linalg::GenericOp> members,
                         const Captures &captures) {
  linalg::GenericOp earliest = getEarliest(members);
  rewriter.setInsertionPoint(earliest);
  linalg::GenericOp all =
      stackBodies(members.front(), captures, members.size());
  RankedTensorType type = getType(members.front());
  Members parts;
  for (auto [number, member] : llvm::enumerate(members)) {
    Location loc = member->getLoc();
    rewriter.setInsertionPoint(earliest);
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                          type.getElementType());
    SmallVector<utils::IteratorType> iterators(type.getRank(),
                                               utils::IteratorType::parallel);
    parts.push_back(linalg::GenericOp::create(
        rewriter, loc, type, /*inputs=*/ValueRange(), empty,
        ArrayRef(rewriter.getMultiDimIdentityMap(type.getRank())), iterators,
        [&, number = static_cast<int64_t>(number)](OpBuilder &b, Location loc,
                                                   ValueRange) {
          Values indices = {arith::ConstantIndexOp::create(b, loc, number)};
          for (int64_t dim = 0; dim < type.getRank(); ++dim)
            indices.push_back(linalg::IndexOp::create(b, loc, dim));
          linalg::YieldOp::create(
              b, loc,
              tensor::ExtractOp::create(b, loc, all.getResult(0), indices)
                  .getResult());
        }));
  }
  Values results;
  for (auto [member, part] : llvm::zip_equal(members, parts)) {
    results.push_back(part.getResult(0));
    rewriter.replaceAllOpUsesWith(member, part->getResults());
  }
  for (linalg::GenericOp member : members)
    rewriter.eraseOp(member);
  stacks[results.front()] = {results, all.getResult(0)};
  return parts;
}

void Stacker::redirect(ArrayRef<linalg::GenericOp> members,
                       const Captures &captures) {
  linalg::GenericOp earliest = getEarliest(members);
  for (const auto &[key, values] : captures) {
    if (areAllEqual(values) || resultsApart.contains(key))
      continue;
    rewriter.setInsertionPoint(earliest);
    Value stacked = stack(values);
    for (auto [number, member] : llvm::enumerate(members)) {
      OpBuilder::InsertionGuard guard(rewriter);
      Block *body = linalg::GenericOp(member).getBody();
      rewriter.setInsertionPointToStart(body);
      Value coordinate = arith::ConstantIndexOp::create(
          rewriter, member->getLoc(), static_cast<int64_t>(number));
      body->walk([&, value = values[number]](tensor::ExtractOp extract) {
        if (extract.getTensor() != value)
          return;
        Values indices = {coordinate};
        llvm::append_range(indices, extract.getIndices());
        rewriter.setInsertionPoint(extract);
        rewriter.replaceOpWithNewOp<tensor::ExtractOp>(extract, stacked,
                                                       indices);
      });
    }
  }
  for (linalg::GenericOp member : members)
    resultsApart.insert(member.getResult(0));
}

/// Returns the readers of `parts` if each part has exactly one reader, a
/// generic without loops, and no two parts have the same reader. Returns no
/// readers otherwise.
static Members getReaders(ArrayRef<linalg::GenericOp> parts) {
  llvm::SetVector<Operation *> readers;
  for (linalg::GenericOp part : parts) {
    llvm::SetVector<Operation *> ofPart;
    for (Operation *user : part->getUsers()) {
      auto reader = user->getParentOfType<linalg::GenericOp>();
      if (!isa<tensor::ExtractOp>(user) || !reader || !isFree(reader) ||
          reader->getBlock() != part->getBlock() ||
          !reader.getBody()->getOps<scf::ForOp>().empty() ||
          !isLookedUp(reader.getResult(0)))
        return {};
      ofPart.insert(reader);
    }
    if (ofPart.size() != 1 || !readers.insert(ofPart.front()))
      return {};
  }
  return llvm::map_to_vector(readers, llvm::CastTo<linalg::GenericOp>);
}

void Stacker::stackMembers(ArrayRef<linalg::GenericOp> members,
                           bool staysApart) {
  Members next(members);
  Captures captures;
  while (!next.empty() && match(next, captures)) {
    if (staysApart)
      redirect(next, captures);
    else
      next = replace(next, captures);
    next = getReaders(next);
    captures.clear();
  }
}

namespace {
struct StackProducts : dml::impl::StackProductsBase<StackProducts> {
  using StackProductsBase::StackProductsBase;

  void runOnOperation() override {
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    func::FuncOp function = getOperation();
    if (!function.getBody().hasOneBlock())
      return;
    Stacker stacker(function, profile);
    double maxSums =
        cost::sums::maxStackedSums * profile.getSpeed().multiprocessors;
    auto hasManySums = [&](linalg::GenericOp op) {
      return static_cast<double>(getType(op).getNumElements()) > maxSums;
    };
    auto isOfWeights = [&](Value tensor) {
      return stacker.isOfWeights(tensor);
    };
    llvm::MapVector<size_t, Members> alike;
    for (auto op : function.getOps<linalg::GenericOp>()) {
      if (!isFree(op) || (hasManySums(op) && !sharedWeights) ||
          !addsUpProducts(op) || !isLookedUp(op.getResult(0)))
        continue;
      // Products of weights with weights are computed only once, in the
      // initialization, and are not stacked.
      llvm::SetVector<Value> tensors = getTensors(op);
      if (llvm::any_of(tensors, isOfWeights) &&
          !llvm::all_of(tensors, isOfWeights))
        alike[stacker.hash(op)].push_back(op);
    }
    for (const auto &[hash, members] : alike)
      if (members.size() > 1)
        stacker.stackMembers(members, hasManySums(members.front()));
  }
};
} // namespace
