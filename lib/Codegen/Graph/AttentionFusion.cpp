//===- AttentionFusion.cpp - Attention as one generic ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Graph/AttentionFusion.h"
#include "Analysis/BodySlice.h"
#include "Analysis/ElementMap.h"
#include "Emit/IndexForms.h"
#include "Emit/TileBuilder.h"
#include "Graph/BodyFusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace dml;

using Forms = SmallVector<LinearForm>;

//===----------------------------------------------------------------------===//
// What is read
//===----------------------------------------------------------------------===//

/// The generic that computes what `extract` reads, in whatever shape it does.
static linalg::GenericOp getProducer(tensor::ExtractOp extract) {
  Value tensor = extract.getTensor();
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
      tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  auto producer = tensor.getDefiningOp<linalg::GenericOp>();
  return producer && producer->getNumResults() == 1 ? producer
                                                    : linalg::GenericOp();
}

/// Whether the elements of `producer` are quotients, as those of a softmax are.
static bool yieldsQuotients(linalg::GenericOp producer) {
  return producer.getBody()
      ->getTerminator()
      ->getOperand(0)
      .getDefiningOp<arith::DivFOp>();
}

/// Whether the body of `op` reads such elements.
static bool readsQuotients(linalg::GenericOp op) {
  return op.getBody()
      ->walk([](tensor::ExtractOp extract) {
        linalg::GenericOp producer = getProducer(extract);
        return producer && yieldsQuotients(producer) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether nothing but bodies of `readers` reads `tensor`. Adds the reshapes
/// that it is read through, the last ones first.
static bool isReadByAlone(Value tensor, ArrayRef<linalg::GenericOp> readers,
                          SmallVectorImpl<Operation *> &reshapes) {
  return llvm::all_of(tensor.getUsers(), [&](Operation *user) {
    if (isa<tensor::ExtractOp>(user))
      return llvm::is_contained(readers,
                                user->getParentOfType<linalg::GenericOp>());
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user) ||
        !isReadByAlone(user->getResult(0), readers, reshapes))
      return false;
    reshapes.push_back(user);
    return true;
  });
}

namespace {
/// The index arithmetic of a body as linear forms of the output's coordinates
/// and of loops' numbers.
class BodyForms {
public:
  /// `indices` are the body's coordinates. What is no form is built where `b`
  /// stands.
  BodyForms(ImplicitLocOpBuilder &b, ArrayRef<Value> indices)
      : b(b), indices(indices), forms(Value(), 1) {}

  LinearForm get(Value value);
  /// The coordinates of what `extract` reads in the result of `producer`.
  Forms getCoordinates(tensor::ExtractOp extract, linalg::GenericOp producer);
  /// Where the element that `extract` reads is among those of its tensor.
  LinearForm getPosition(tensor::ExtractOp extract);
  Forms delinearize(LinearForm position, ArrayRef<int64_t> shape);

  ImplicitLocOpBuilder &b;
  ArrayRef<Value> indices;
  IndexForms forms;
};
} // namespace

LinearForm BodyForms::get(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  if (auto index = value.getDefiningOp<linalg::IndexOp>()) {
    auto generic = index->getParentOfType<linalg::GenericOp>();
    int64_t size = generic.getStaticLoopRanges()[index.getDim()];
    return forms.getOpaque(indices[index.getDim()], {0, size - 1});
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && loop.getInductionVar() == value)
      if (std::optional<int64_t> count = getCountFromZero(loop))
        return forms.getOpaque(value, {0, *count - 1});
    return forms.getOpaque(value);
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::AddIOp>(op))
    return forms.add(b, get(op->getOperand(0)), get(op->getOperand(1)));
  if (isa<arith::SubIOp>(op))
    return forms.sub(b, get(op->getOperand(0)), get(op->getOperand(1)));
  if (isa<arith::MulIOp>(op))
    return forms.mul(b, get(op->getOperand(0)), get(op->getOperand(1)));
  if (isa<arith::DivUIOp, arith::RemUIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&number)) &&
      number.getSExtValue() > 0) {
    // The quotient stays what it is, but for its range.
    IndexRange range = forms.getRange(get(op->getOperand(0)));
    int64_t divisor = number.getSExtValue();
    if (range.min >= 0)
      return forms.getOpaque(
          value, isa<arith::DivUIOp>(op)
                     ? IndexRange{range.min / divisor, range.max / divisor}
                     : IndexRange{0, divisor - 1});
  }
  return forms.getOpaque(value);
}

LinearForm BodyForms::getPosition(tensor::ExtractOp extract) {
  LinearForm position;
  for (auto [index, size] : llvm::zip_equal(
           extract.getIndices(), extract.getTensor().getType().getShape()))
    position = forms.add(b, forms.mul(b, position, size), get(index));
  return position;
}

Forms BodyForms::delinearize(LinearForm position, ArrayRef<int64_t> shape) {
  Forms coordinates(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (dim == 0)
      coordinates[dim] = position;
    else
      std::tie(position, coordinates[dim]) =
          forms.divide(b, position, shape[dim]);
  }
  return coordinates;
}

Forms BodyForms::getCoordinates(tensor::ExtractOp extract,
                                linalg::GenericOp producer) {
  if (extract.getTensor() == producer.getResult(0))
    return llvm::map_to_vector(extract.getIndices(),
                               [&](Value index) { return get(index); });
  // A read is never out of bounds.
  auto type = cast<RankedTensorType>(producer.getResult(0).getType());
  LinearForm position =
      forms.getWithin(getPosition(extract), {0, type.getNumElements() - 1});
  if (forms.getRange(position).min < 0)
    return {};
  return delinearize(position, type.getShape());
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

/// Whether `producer` may become a part of the fused generic: nothing else
/// reads what it computes. It is one from then on.
bool AttentionFusion::isPart(linalg::GenericOp producer) {
  SmallVector<linalg::GenericOp> readers(producers);
  readers.append({products, fused});
  SmallVector<Operation *> path;
  if (producer->getBlock() != products->getBlock() ||
      producer->hasAttr(kernelAttrName) || !isElementMap(producer) ||
      !isReadByAlone(producer.getResult(0), readers, path))
    return false;
  producers.push_back(producer);
  reshapes.push_back(std::move(path));
  return true;
}

/// What a factor is computed of, by operations of one operand each: an element
/// that is read.
static tensor::ExtractOp findElement(Value factor,
                                     SmallVectorImpl<Operation *> &chain) {
  while (Operation *op = factor.getDefiningOp()) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      std::reverse(chain.begin(), chain.end());
      return extract;
    }
    if (op->getNumOperands() != 1 || op->getNumResults() != 1 ||
        op->getNumRegions() || !isMemoryEffectFree(op))
      break;
    chain.push_back(op);
    factor = op->getOperand(0);
  }
  return {};
}

/// Makes the loop of `fused` one that has one key in each iteration, whose
/// weight it reads at coordinates of the tensor of weights.
bool AttentionFusion::readWeightsByKey() {
  auto loops = fused.getBody()->getOps<scf::ForOp>();
  if (!llvm::hasSingleElement(loops))
    return false;
  scf::ForOp loop = *loops.begin();
  std::optional<int64_t> count = getCountFromZero(loop);
  if (!count || loop.getNumResults() != 1 ||
      !loop.getResult(0).getType().isF32() ||
      !loop.getBody()->getOps<scf::ForOp>().empty())
    return false;
  SmallVector<ContractionTerm> terms = readTerms(
      loop.getBody()->getTerminator()->getOperand(0), loop.getRegionIterArg(0));
  auto numTerms = static_cast<int64_t>(terms.size());
  if (terms.empty())
    return false;

  // Where each term has its weight. What would have to be built is no form.
  ImplicitLocOpBuilder b(fused.getLoc(), fused.getContext());
  Block discarded;
  b.setInsertionPointToEnd(&discarded);
  BodyForms body(b, indices);
  Forms rows;
  SmallVector<tensor::ExtractOp> elements;
  LinearForm step = body.get(loop.getInductionVar());
  linalg::GenericOp weights;
  size_t keyDim = 0;
  for (auto [number, term] : llvm::enumerate(terms)) {
    auto readsWeight = [&](Value factor) {
      auto extract = factor.getDefiningOp<tensor::ExtractOp>();
      linalg::GenericOp producer =
          extract ? getProducer(extract) : linalg::GenericOp();
      if (!producer || (weights && producer != weights) ||
          !yieldsQuotients(producer))
        return false;
      weights = producer;
      return true;
    };
    if (!readsWeight(term.lhs))
      std::swap(term.lhs, term.rhs);
    if (!readsWeight(term.lhs) || (numTerms > 1 && term.condition))
      return false;
    elements.push_back(term.lhs.getDefiningOp<tensor::ExtractOp>());
    Forms coordinates = body.getCoordinates(elements.back(), weights);
    if (coordinates.empty())
      return false;
    LinearForm key = body.forms.add(b, body.forms.mul(b, step, numTerms),
                                    static_cast<int64_t>(number));
    if (number == 0)
      keyDim = llvm::find(coordinates, key) - coordinates.begin();
    if (keyDim == coordinates.size() || !(coordinates[keyDim] == key))
      return false;
    coordinates[keyDim] = 0;
    if (number == 0)
      rows = coordinates;
    if (rows != coordinates)
      return false;
  }
  // No row depends on the key.
  auto isOfStep = [&](const LinearForm &form) {
    return llvm::any_of(form.terms, [&](LinearForm::Term term) {
      return !step.isConstant() && term.first == step.terms.front().first;
    });
  };
  if (llvm::any_of(rows, isOfStep))
    return false;

  // Where the values of an iteration lie side by side, the key's value lies so
  // many elements behind the first one.
  SmallVector<Operation *> chain;
  tensor::ExtractOp value;
  LinearForm first;
  int64_t distance = 0;
  if (numTerms > 1) {
    value = findElement(terms.front().rhs, chain);
    if (!value)
      return false;
    first = body.getPosition(value);
    LinearForm behind = first;
    llvm::erase_if(first.terms, [&](LinearForm::Term term) {
      bool isStep =
          !step.isConstant() && term.first == step.terms.front().first;
      if (isStep)
        distance = term.second;
      return isStep;
    });
    if (distance % numTerms)
      return false;
    distance /= numTerms;
    for (const ContractionTerm &term : terms) {
      SmallVector<Operation *> own;
      tensor::ExtractOp element = findElement(term.rhs, own);
      bool isSame = element && element.getTensor() == value.getTensor() &&
                    own.size() == chain.size() &&
                    body.getPosition(element) == behind &&
                    llvm::all_of(llvm::zip_equal(own, chain), [](auto pair) {
                      return OperationEquivalence::isEquivalentTo(
                          std::get<0>(pair), std::get<1>(pair),
                          OperationEquivalence::ignoreValueEquivalence,
                          /*markEquivalent=*/nullptr,
                          OperationEquivalence::IgnoreLocations);
                    });
      if (!isSame)
        return false;
      behind = body.forms.add(b, behind, distance);
    }
  }
  if (!discarded.empty())
    return false;

  b.setInsertionPoint(loop);
  SmallVector<Value> coordinates =
      llvm::map_to_vector(rows, [&](const LinearForm &row) {
        return body.forms.materialize(b, row);
      });
  if (numTerms == 1) {
    coordinates[keyDim] = loop.getInductionVar();
    b.setInsertionPoint(elements.front());
    rewriter.replaceOp(
        elements.front(),
        tensor::ExtractOp::create(b, weights.getResult(0), coordinates));
    return isPart(weights) && inlineReads(weights);
  }
  auto byKey =
      scf::ForOp::create(b, loop.getLowerBound(),
                         arith::ConstantIndexOp::create(b, numTerms * *count),
                         loop.getStep(), loop.getInitArgs());
  b.setInsertionPointToStart(byKey.getBody());
  coordinates[keyDim] = byKey.getInductionVar();
  Value weight =
      tensor::ExtractOp::create(b, weights.getResult(0), coordinates);
  LinearForm key = body.get(byKey.getInductionVar());
  LinearForm place = body.forms.add(b, first, body.forms.mul(b, key, distance));
  auto shape = value.getTensor().getType().getShape();
  SmallVector<Value> at = llvm::map_to_vector(
      body.delinearize(place, shape), [&](const LinearForm &coordinate) {
        return body.forms.materialize(b, coordinate);
      });
  Value factor = tensor::ExtractOp::create(b, value.getTensor(), at);
  for (Operation *op : chain) {
    IRMapping mapping;
    mapping.map(op->getOperand(0), factor);
    factor = b.clone(*op, mapping)->getResult(0);
  }
  scf::YieldOp::create(b, ValueRange(math::FmaOp::create(
                              b, weight, factor, byKey.getRegionIterArg(0))));
  rewriter.replaceOp(loop, byKey);
  return isPart(weights) && inlineReads(weights);
}

/// Puts the body of `producer` in the place of all that reads its result.
bool AttentionFusion::inlineReads(linalg::GenericOp producer) {
  SmallVector<tensor::ExtractOp> reads;
  fused.getBody()->walk([&](tensor::ExtractOp extract) {
    if (getProducer(extract) == producer)
      reads.push_back(extract);
  });
  for (tensor::ExtractOp read : reads) {
    ImplicitLocOpBuilder b(read.getLoc(), read);
    BodyForms body(b, indices);
    Forms coordinates = body.getCoordinates(read, producer);
    if (coordinates.empty())
      return false;
    SmallVector<Value> at =
        llvm::map_to_vector(coordinates, [&](const LinearForm &coordinate) {
          return body.forms.materialize(b, coordinate);
        });
    IRMapping mapping;
    for (Operation &nested : producer.getBody()->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
        mapping.map(index.getResult(), at[index.getDim()]);
        continue;
      }
      Operation *clone = b.clone(nested, mapping);
      clone->walk([&](linalg::IndexOp index) {
        rewriter.replaceOp(index, at[index.getDim()]);
      });
    }
    rewriter.replaceOp(read,
                       mapping.lookupOrDefault(
                           producer.getBody()->getTerminator()->getOperand(0)));
  }
  hoistFromLoops(fused);
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, fused);
  return true;
}

/// A generic that the fused one reads and that belongs to it: one that combines
/// a query's row of scores, or one that computes these. Null if there is none.
linalg::GenericOp AttentionFusion::findNext() {
  linalg::GenericOp next;
  fused.getBody()->walk([&](tensor::ExtractOp extract) {
    linalg::GenericOp producer = getProducer(extract);
    if (!producer)
      return WalkResult::advance();
    auto contains = [](Operation *op, auto isWanted) {
      return op
          ->walk([&](Operation *nested) {
            return isWanted(nested) ? WalkResult::interrupt()
                                    : WalkResult::advance();
          })
          .wasInterrupted();
    };
    auto isCombining = [](Operation *op) {
      return op->hasAttr(anyOrderAttrName);
    };
    auto isProduct = llvm::IsaPred<math::FmaOp>;
    // Queries and keys, of which a loop within one over keys makes scores, may
    // be sums of products themselves, or normalized by rows of their own.
    Operation *loop = extract->getParentOp();
    if (loop != fused && loop->getParentOp() != fused)
      return WalkResult::advance();
    if (contains(producer, isCombining) ||
        (isCombining(loop) && !contains(loop, isProduct) &&
         contains(producer, isProduct))) {
      next = producer;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return next;
}

/// Whether the profile has the types of all elements, which are words
/// otherwise, and binds all tensors that the body reads, each as a whole.
bool AttentionFusion::isSupported() {
  llvm::SmallPtrSet<Value, 8> tensors = {fused.getResult(0)};
  fused.getBody()->walk(
      [&](tensor::ExtractOp extract) { tensors.insert(extract.getTensor()); });
  return static_cast<int64_t>(tensors.size()) <=
             profile.getMaxStorageBuffers() &&
         llvm::all_of(tensors, [&](Value tensor) {
           auto type = cast<RankedTensorType>(tensor.getType());
           constexpr int64_t bitsOfByte = 8;
           return profile.includes(DeviceProfile::getRequired(
                      type.getElementType(), /*isStored=*/true)) &&
                  type.getNumElements() <= profile.getMaxStorageBufferRange() *
                                               bitsOfByte /
                                               type.getElementTypeBitWidth();
         });
}

std::optional<Attention> AttentionFusion::build() {
  if (!isElementMap(products) || !TileBuilder::hasLoops(products) ||
      !readsQuotients(products))
    return std::nullopt;
  fused = cast<linalg::GenericOp>(rewriter.clone(*products));
  ImplicitLocOpBuilder b(fused.getLoc(), rewriter);
  b.setInsertionPointToStart(fused.getBody());
  for (int64_t dim = 0, rank = fused.getNumLoops(); dim < rank; ++dim)
    indices.push_back(linalg::IndexOp::create(b, dim));
  if (!readWeightsByKey())
    return std::nullopt;
  while (linalg::GenericOp next = findNext())
    if (!isPart(next) || !inlineReads(next))
      return std::nullopt;
  return isSupported() ? Attention::match(fused) : std::nullopt;
}

linalg::GenericOp AttentionFusion::apply() {
  for (linalg::GenericOp producer : producers)
    joinLabels(producer, fused);
  rewriter.replaceOp(products, fused);
  for (auto [producer, path] : llvm::zip_equal(producers, reshapes)) {
    for (Operation *reshape : path)
      rewriter.eraseOp(reshape);
    rewriter.eraseOp(producer);
  }
  return std::exchange(fused, {});
}
