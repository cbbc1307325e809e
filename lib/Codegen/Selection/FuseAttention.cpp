//===- FuseAttention.cpp - Attention without its scores -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Three generics that compute scores, their softmax, and products of that with
// values become one, whose body has a loop for each. As it stands, it says the
// same as before, and would compute scores three times for each element of the
// output; the kernel that it is marked for computes them once.
//
//===----------------------------------------------------------------------===//

#include "Analysis/Attention.h"
#include "Analysis/BodySlice.h"
#include "Analysis/ElementMap.h"
#include "Emit/IndexForms.h"
#include "Emit/TileBuilder.h"
#include "Graph/BodyFusion.h"
#include "Kernels/MatrixKernel.h"
#include "dml/Codegen/Passes.h"
#include "dml/Target/AttentionCosts.h"
#include "dml/Target/CostModel.h"
#include "dml/Target/MatrixCosts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace dml {
#define GEN_PASS_DEF_FUSEATTENTION
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

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

namespace {
/// A sum of products with a softmax, and what it is made of.
class Fusion {
public:
  Fusion(linalg::GenericOp products, const DeviceProfile &profile)
      : products(products), profile(profile), rewriter(products) {}
  ~Fusion() {
    if (fused)
      rewriter.eraseOp(fused);
  }

  /// Builds the fused generic beside the others. Nothing if there is none.
  std::optional<Attention> build();
  /// Puts the fused generic in the place of the others, marked for `kernel`.
  void apply(Attribute kernel);

  /// The generics that are a part of the fused one, which apply() erases.
  ArrayRef<linalg::GenericOp> getProducers() const { return producers; }

private:
  bool isPart(linalg::GenericOp producer);
  bool readWeightsByKey();
  bool inlineReads(linalg::GenericOp producer);
  linalg::GenericOp findNext();
  bool isSupported();

  linalg::GenericOp products, fused;
  const DeviceProfile &profile;
  IRRewriter rewriter;
  /// The generics that have been put into the fused one, from weights to
  /// scores, and the reshapes that each is read through, the last ones first.
  SmallVector<linalg::GenericOp> producers;
  SmallVector<SmallVector<Operation *>> reshapes;
  /// The coordinates of the fused generic's elements.
  SmallVector<Value> indices;
};
} // namespace

/// Whether `producer` may become a part of the fused generic: nothing else
/// reads what it computes. It is one from then on.
bool Fusion::isPart(linalg::GenericOp producer) {
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
bool Fusion::readWeightsByKey() {
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
bool Fusion::inlineReads(linalg::GenericOp producer) {
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
linalg::GenericOp Fusion::findNext() {
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
bool Fusion::isSupported() {
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

std::optional<Attention> Fusion::build() {
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

void Fusion::apply(Attribute kernel) {
  for (linalg::GenericOp producer : producers)
    joinLabels(producer, fused);
  fused->setAttr(kernelAttrName, kernel);
  rewriter.replaceOp(products, fused);
  for (auto [producer, path] : llvm::zip_equal(producers, reshapes)) {
    for (Operation *reshape : path)
      rewriter.eraseOp(reshape);
    rewriter.eraseOp(producer);
  }
  fused = {};
}

//===----------------------------------------------------------------------===//
// What fusion costs
//===----------------------------------------------------------------------===//

/// Tiles from those that load least for a product to those that leave the most
/// workgroups.
static constexpr std::pair<int64_t, int64_t> tileShapes[] = {
    {128, 64}, {64, 64}, {64, 32}, {32, 64}, {16, 128}};

/// Returns the operations that a product takes where a thread adds up `rows` by
/// `columns` sums: it shares the loads of its factors.
static double getOpsOfProduct(double rows, double columns,
                              const DeviceSpeed &device) {
  return 1 + cost::getOpsPerLoad(device) * (rows + columns) /
                 ThreadBlock::side / (rows * columns);
}

/// Returns the cycles that an attention kernel takes, as if it had a workgroup
/// for each multiprocessor at least.
static double getTime(const Attention &attention, const AttentionTile &tile,
                      const DeviceSpeed &device) {
  AttentionLayout layout = *AttentionLayout::get(attention, tile);
  auto rows = static_cast<double>(layout.block.rows),
       keys = static_cast<double>(layout.block.columns),
       columns = static_cast<double>(layout.columnVectors * ThreadBlock::side),
       queries = static_cast<double>(tile.queries),
       keysOfBlock = static_cast<double>(tile.keys);
  auto terms = static_cast<double>(
           llvm::alignTo(attention.scores.getTerms(), tile.terms)),
       allColumns = static_cast<double>(layout.getColumns());
  double ofScore = terms * getOpsOfProduct(rows, keys, device) +
                   allColumns * getOpsOfProduct(rows, columns, device) +
                   cost::attention::opsPerScore;
  double ofStaging =
      cost::getOpsPerLoad(device) *
      ((queries + keysOfBlock) * terms + keysOfBlock * allColumns);
  auto groups = static_cast<double>(
      llvm::divideCeilSigned(attention.products.rows.size, tile.queries) *
      attention.products.batches);
  auto blocks =
      static_cast<double>(llvm::divideCeilSigned(attention.keys, tile.keys));
  return std::max(groups, device.multiprocessors) * blocks *
         (queries * keysOfBlock * ofScore + ofStaging) /
         device.getOpsPerCycle();
}

/// Returns the cycles of kernels that compute scores, weights and products one
/// after the other.
static double getTimeApart(const Attention &attention,
                           const DeviceProfile &profile) {
  const DeviceSpeed &device = profile.getSpeed();
  auto scores = static_cast<double>(attention.keys) *
                static_cast<double>(attention.products.rows.size) *
                static_cast<double>(attention.products.batches);
  double ofProduct =
      getOpsOfProduct(2 * ThreadBlock::side, 2 * ThreadBlock::side, device);
  auto terms = static_cast<double>(attention.scores.getTerms()),
       columns = static_cast<double>(attention.products.columns.size);
  // Matrix kernels add up the scores of f16 where the device has matrices.
  double ofScoreProduct = ofProduct;
  for (const MatrixShape &shape : profile.getMatrixShapes())
    if (canMultiply(attention.scores, shape))
      ofScoreProduct = DeviceSpeed::opsPerCycle * sizeof(uint16_t) /
                       device.matrixBytesPerCycle;
  double operations = scores * (terms * ofScoreProduct + columns * ofProduct +
                                cost::attention::opsPerScore);
  double bytes = scores * sizeof(float);
  bool isCached = bytes <= cost::cachedShare * device.cacheBytes;
  return cost::attention::waitingKernels *
             (device.launchCycles + device.kernelCycles) +
         operations / device.getOpsPerCycle() +
         (isCached ? 0
                   : cost::attention::passesOfScores * bytes *
                         device.getCyclesPerByte());
}

/// Returns the cycles of a kernel that multiplies matrices. The units of a
/// multiprocessor work side by side.
static double getTime(const Attention &attention,
                      const MatrixAttentionTile &tile,
                      const MatrixAttentionLayout &layout,
                      const DeviceProfile &profile) {
  const DeviceSpeed &device = profile.getSpeed();
  auto queries = static_cast<double>(tile.queries),
       keys = static_cast<double>(tile.keys),
       terms = static_cast<double>(layout.terms + layout.columns);
  constexpr double bytesOfFactor = sizeof(uint16_t);
  double staged = keys * terms * bytesOfFactor;
  double products = queries * staged / device.matrixBytesPerCycle;
  double scores =
      queries * keys * cost::attention::opsPerScore / DeviceSpeed::opsPerCycle;
  // Each subgroup loads all that is staged. A score is stored and loaded, and
  // so is its weight.
  double subgroups = queries / static_cast<double>(layout.subgroupSize);
  constexpr double bytesOfScore = 2 * (sizeof(float) + bytesOfFactor);
  double shared = ((1 + subgroups) * staged + queries * keys * bytesOfScore) /
                  device.workgroupBytesPerCycle;
  double cached = staged / device.lastCacheBytesPerCycle;
  double together = std::max({products + scores, shared, cached});
  // A workgroup alone waits at its barriers.
  double barriers = tile.stages == 1 ? 2 : 1;
  double alone =
      std::max(products * std::max(device.matrixUnits / subgroups, 1.0),
               shared) +
      scores + barriers * cost::matrix::getBarrierCycles(device) +
      cost::matrix::getStageCycles(device);
  // A thread has its shares of outputs, of queries, of what is on its way, and
  // of the next block's sums, and a query's scores.
  double registers =
      static_cast<double>(layout.columns) + 2 * keys +
      cost::matrix::otherRegisters +
      (static_cast<double>(layout.terms) + staged / queries / bytesOfFactor) *
          bytesOfFactor / sizeof(float);
  double ofRegisters = std::floor(device.registers / (queries * registers)),
         ofMemory = std::floor(
             cost::matrix::workgroupMemories *
             static_cast<double>(profile.getMaxWorkgroupMemory()) /
             static_cast<double>(layout.vectors * DeviceProfile::vectorBytes));
  auto groups = static_cast<double>(
      llvm::divideCeilSigned(attention.products.rows.size, tile.queries) *
      attention.products.batches);
  double ofEach = std::ceil(groups / device.multiprocessors);
  double resident = std::clamp(std::min(ofRegisters, ofMemory), 1.0, ofEach);
  double ofBlock = std::max(together, alone / resident);
  if (resident > 1)
    ofBlock += cost::matrix::unhiddenShare * alone;
  auto blocks =
      static_cast<double>(llvm::divideCeilSigned(attention.keys, tile.keys));
  bool spills = ofRegisters < 1 || registers > device.registersOfThread;
  return ofEach * (spills ? cost::matrix::spillTimes : 1) *
         (blocks * ofBlock + cost::matrix::getStartCycles(device) / resident);
}

/// Returns the tile of a kernel that multiplies matrices with the least time,
/// where that is less than `least`, which it becomes.
static std::optional<MatrixAttentionTile>
chooseMatrixTile(const Attention &attention, const DeviceProfile &profile,
                 double &least) {
  std::optional<MatrixAttentionTile> best;
  for (const MatrixShape &shape : profile.getMatrixShapes())
    for (int64_t queries : {32, 64, 128, 256})
      for (int64_t keys : {16, 32, 64, 128})
        for (int64_t stages : {1, 2}) {
          MatrixAttentionTile tile{queries, keys, shape.str(), stages};
          MatrixAttentionLayout layout;
          if (!MatrixAttentionLayout::get(attention, tile, profile, layout)
                   .empty())
            continue;
          double time = getTime(attention, tile, layout, profile);
          if (time >= least)
            continue;
          least = time;
          best = tile;
        }
  return best;
}

/// Returns the tile of the least time, where that is less than `least`.
static std::optional<AttentionTile> chooseTile(const Attention &attention,
                                               const DeviceProfile &profile,
                                               double least) {
  std::optional<AttentionTile> best;
  for (auto [queries, keys] : tileShapes) {
    std::optional<AttentionTile> tile =
        getAttentionTile(attention, queries, keys, profile);
    if (!tile)
      continue;
    double time = getTime(attention, *tile, profile.getSpeed());
    if (time >= least)
      continue;
    least = time;
    best = tile;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
/// The kernel that is asked for wherever it can be.
struct Wanted {
  /// Queries and keys, or a `dml.kernel` with a matrix_attention_tile.
  int64_t queries = 0, keys = 0;
  std::optional<MatrixAttentionTile> matrixTile;

  static std::optional<Wanted> parse(StringRef text, MLIRContext *context);
  /// The `dml.kernel` of `attention`, or null if it cannot have what is wanted.
  Attribute getChoice(const Attention &attention, const DeviceProfile &profile,
                      MLIRContext *context) const;
};
} // namespace

std::optional<Wanted> Wanted::parse(StringRef text, MLIRContext *context) {
  Wanted wanted;
  if (text.starts_with("{")) {
    Attribute kernel = parseKernelAttr(text, context);
    if (kernel)
      wanted.matrixTile = KernelChoice::get(kernel)->matrixAttentionTile;
    return wanted.matrixTile ? std::optional(wanted) : std::nullopt;
  }
  auto [queries, keys] = text.split('x');
  if (queries.getAsInteger(10, wanted.queries) ||
      keys.getAsInteger(10, wanted.keys) || wanted.queries < 1 ||
      wanted.keys < 1 || !ThreadBlock::get({wanted.queries, wanted.keys, 1}))
    return std::nullopt;
  return wanted;
}

Attribute Wanted::getChoice(const Attention &attention,
                            const DeviceProfile &profile,
                            MLIRContext *context) const {
  if (matrixTile) {
    MatrixAttentionLayout layout;
    return MatrixAttentionLayout::get(attention, *matrixTile, profile, layout)
                   .empty()
               ? matrixTile->getAttr(context)
               : Attribute();
  }
  std::optional<AttentionTile> tile =
      getAttentionTile(attention, queries, keys, profile);
  return tile ? tile->getAttr(context) : Attribute();
}

/// Returns the kernel of the least time, or null if kernels that write scores
/// take the least.
static Attribute chooseKernel(const Attention &attention,
                              const DeviceProfile &profile,
                              MLIRContext *context) {
  double least = getTimeApart(attention, profile);
  std::optional<MatrixAttentionTile> matrixTile =
      chooseMatrixTile(attention, profile, least);
  if (std::optional<AttentionTile> tile = chooseTile(attention, profile, least))
    return tile->getAttr(context);
  return matrixTile ? matrixTile->getAttr(context) : Attribute();
}

namespace {
struct FuseAttention : dml::impl::FuseAttentionBase<FuseAttention> {
  using FuseAttentionBase::FuseAttentionBase;

  void runOnOperation() override {
    FailureOr<DeviceProfile> profile =
        DeviceProfile::parse(deviceProfile, getOperation());
    if (failed(profile))
      return signalPassFailure();
    std::optional<Wanted> wanted;
    if (attentionTile != "auto" && attentionTile != "none") {
      wanted = Wanted::parse(attentionTile, &getContext());
      if (!wanted) {
        getOperation().emitError("attention-tile is '")
            << attentionTile
            << "', but wants to be 'auto', 'none', queries and keys that "
            << DeviceProfile::workgroupSize
            << " threads can share, such as '64x32', or a 'dml.kernel' with a "
               "matrix_attention_tile";
        return signalPassFailure();
      }
    }
    if (attentionTile == "none")
      return;
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) {
      if (!op->hasAttr(kernelAttrName))
        generics.push_back(op);
    });
    // Products come after what they are fused with.
    llvm::SmallPtrSet<Operation *, 8> erased;
    for (linalg::GenericOp op : llvm::reverse(generics)) {
      if (erased.contains(op))
        continue;
      Fusion fusion(op, *profile);
      std::optional<Attention> attention = fusion.build();
      if (!attention)
        continue;
      Attribute kernel =
          wanted ? wanted->getChoice(*attention, *profile, &getContext())
                 : chooseKernel(*attention, *profile, &getContext());
      if (!kernel)
        continue;
      for (linalg::GenericOp producer : fusion.getProducers())
        erased.insert(producer);
      fusion.apply(kernel);
    }
  }
};
} // namespace
