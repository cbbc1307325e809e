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
// Reads of tensors
//===----------------------------------------------------------------------===//

/// Returns the generic that computes the tensor which `extract` reads, directly
/// or through reshapes, or null.
static linalg::GenericOp getProducer(tensor::ExtractOp extract) {
  Value tensor = extract.getTensor();
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
      tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  auto producer = tensor.getDefiningOp<linalg::GenericOp>();
  return producer && producer->getNumResults() == 1 ? producer
                                                    : linalg::GenericOp();
}

/// Whether the elements of `producer` are quotients, like those of a softmax.
static bool yieldsQuotients(linalg::GenericOp producer) {
  return producer.getBody()
      ->getTerminator()
      ->getOperand(0)
      .getDefiningOp<arith::DivFOp>();
}

/// Whether the body of `op` reads elements that are quotients.
static bool readsQuotients(linalg::GenericOp op) {
  return op.getBody()
      ->walk([](tensor::ExtractOp extract) {
        linalg::GenericOp producer = getProducer(extract);
        return producer && yieldsQuotients(producer) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the bodies of `readers` are the only readers of `tensor`. Adds the
/// reshapes between the tensor and its readers to `reshapes`, from the last to
/// the first.
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
/// and of induction variables.
class BodyForms {
public:
  /// `indices` are the coordinates of the body's element. `b` builds operations
  /// for index arithmetic that is not linear.
  BodyForms(ImplicitLocOpBuilder &b, ArrayRef<Value> indices)
      : b(b), indices(indices), forms(Value(), 1) {}

  LinearForm get(Value value);
  /// Returns the coordinates, in the result of `producer`, of the element that
  /// `extract` reads there, directly or through reshapes. Returns no
  /// coordinates if the position could be negative.
  Forms getCoordinates(tensor::ExtractOp extract, linalg::GenericOp producer);
  /// Returns the row-major position of the element that `extract` reads.
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
    // A quotient or a remainder is an opaque value with a known range.
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

/// Adds `producer` to the parts of the fused generic. Returns false if other
/// generics than these parts read the result of `producer`, or if the generic
/// has a kernel already.
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

namespace {
/// A loop over keys that multiplies weights with values. An iteration has one
/// key or several: of three keys each, iteration 5 has keys 15, 16 and 17.
struct KeyLoop {
  scf::ForOp loop;
  /// The number of iterations.
  int64_t steps = 0;
  /// The products of an iteration, whose `lhs` are elements of `weights`.
  SmallVector<ContractionTerm> terms;
  linalg::GenericOp weights;
  /// The coordinates of the weight of key 0, and the coordinate that is the
  /// number of the key.
  Forms row;
  size_t keyDim = 0;

  int64_t getKeysOfStep() const { return static_cast<int64_t>(terms.size()); }
};

/// The values of the keys of an iteration, where values of consecutive keys lie
/// at one distance from each other.
struct ValueRun {
  /// The read of the value of an iteration's first key, and the operations that
  /// make the factor from it.
  tensor::ExtractOp read;
  SmallVector<Operation *> chain;
  /// The position of the value of key 0, and the distance.
  LinearForm first;
  int64_t distance = 0;
};
} // namespace

/// Returns the read of a weight if `factor` is one: an element of a softmax,
/// and of `weights` if that is not null. Returns null for other factors.
static tensor::ExtractOp findWeight(Value factor, linalg::GenericOp weights) {
  auto extract = factor.getDefiningOp<tensor::ExtractOp>();
  linalg::GenericOp producer =
      extract ? getProducer(extract) : linalg::GenericOp();
  return producer && (!weights || producer == weights) &&
                 yieldsQuotients(producer)
             ? extract
             : tensor::ExtractOp();
}

/// Reads the only loop in the body of `op` as a loop over keys.
static std::optional<KeyLoop> readKeyLoop(linalg::GenericOp op) {
  auto loops = op.getBody()->getOps<scf::ForOp>();
  if (!llvm::hasSingleElement(loops))
    return std::nullopt;
  KeyLoop keys;
  scf::ForOp loop = *loops.begin();
  std::optional<int64_t> steps = getCountFromZero(loop);
  if (!steps || loop.getNumResults() != 1 ||
      !loop.getResult(0).getType().isF32() ||
      !loop.getBody()->getOps<scf::ForOp>().empty())
    return std::nullopt;
  keys.loop = loop;
  keys.steps = *steps;
  keys.terms =
      readTerms(loop.getYieldedValues().front(), loop.getRegionIterArg(0));
  if (keys.terms.empty())
    return std::nullopt;
  for (ContractionTerm &term : keys.terms) {
    if (!findWeight(term.lhs, keys.weights))
      std::swap(term.lhs, term.rhs);
    tensor::ExtractOp weight = findWeight(term.lhs, keys.weights);
    if (!weight || (keys.terms.size() > 1 && term.condition))
      return std::nullopt;
    keys.weights = getProducer(weight);
  }
  return keys;
}

/// Removes the multiple of `number` from `form`, and returns the factor.
static int64_t removeMultiple(LinearForm &form, const LinearForm &number) {
  int64_t factor = 0;
  llvm::erase_if(form.terms, [&](LinearForm::Term term) {
    bool isOfNumber =
        !number.isConstant() && term.first == number.terms.front().first;
    if (isOfNumber)
      factor = term.second;
    return isOfNumber;
  });
  return factor;
}

/// Reads the coordinates of the weights of all keys. Succeeds if one coordinate
/// is the number of the key, and the others do not depend on the key.
static LogicalResult locateWeights(BodyForms &body, KeyLoop &keys) {
  LinearForm step = body.get(keys.loop.getInductionVar());
  for (auto [number, term] : llvm::enumerate(keys.terms)) {
    Forms coordinates = body.getCoordinates(
        term.lhs.getDefiningOp<tensor::ExtractOp>(), keys.weights);
    LinearForm key = body.forms.add(
        body.b, body.forms.mul(body.b, step, keys.getKeysOfStep()),
        static_cast<int64_t>(number));
    if (number == 0)
      keys.keyDim = llvm::find(coordinates, key) - coordinates.begin();
    if (keys.keyDim >= coordinates.size() || !(coordinates[keys.keyDim] == key))
      return failure();
    coordinates[keys.keyDim] = 0;
    if (number == 0)
      keys.row = coordinates;
    if (keys.row != coordinates)
      return failure();
  }
  return success(llvm::none_of(
      keys.row, [&](LinearForm form) { return removeMultiple(form, step); }));
}

/// The read of an element that `factor` is computed from, by operations of one
/// operand each; null if there is none. Adds these operations, in their order,
/// to `chain`.
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

/// Whether two chains of operations compute the same from their elements.
static bool haveEqualOps(ArrayRef<Operation *> lhs, ArrayRef<Operation *> rhs) {
  return lhs.size() == rhs.size() &&
         llvm::all_of(llvm::zip_equal(lhs, rhs), [](auto pair) {
           return OperationEquivalence::isEquivalentTo(
               std::get<0>(pair), std::get<1>(pair),
               OperationEquivalence::ignoreValueEquivalence,
               /*markEquivalent=*/nullptr,
               OperationEquivalence::IgnoreLocations);
         });
}

/// Reads the values of an iteration's keys. Nothing if the values of
/// consecutive keys do not lie at one distance from each other.
static std::optional<ValueRun> locateValues(BodyForms &body,
                                            const KeyLoop &keys) {
  ValueRun values;
  values.read = findElement(keys.terms.front().rhs, values.chain);
  if (!values.read)
    return std::nullopt;
  LinearForm position = body.getPosition(values.read);
  values.first = position;
  int64_t ofStep = removeMultiple(
      values.first, body.get(scf::ForOp(keys.loop).getInductionVar()));
  if (ofStep % keys.getKeysOfStep())
    return std::nullopt;
  values.distance = ofStep / keys.getKeysOfStep();
  for (const ContractionTerm &term : keys.terms) {
    SmallVector<Operation *> chain;
    tensor::ExtractOp read = findElement(term.rhs, chain);
    if (!read || read.getTensor() != values.read.getTensor() ||
        !haveEqualOps(chain, values.chain) ||
        !(body.getPosition(read) == position))
      return std::nullopt;
    position = body.forms.add(body.b, position, values.distance);
  }
  return values;
}

/// Builds the loop of `keys` with one key in each iteration. `coordinates` are
/// those of the weight of key 0.
static scf::ForOp buildLoopByKey(BodyForms &body, KeyLoop &keys,
                                 ValueRun &values,
                                 SmallVector<Value> coordinates) {
  ImplicitLocOpBuilder &b = body.b;
  scf::ForOp loop = keys.loop;
  auto byKey = scf::ForOp::create(
      b, loop.getLowerBound(),
      arith::ConstantIndexOp::create(b, keys.getKeysOfStep() * keys.steps),
      loop.getStep(), loop.getInitArgs());
  b.setInsertionPointToStart(byKey.getBody());
  coordinates[keys.keyDim] = byKey.getInductionVar();
  Value weight =
      tensor::ExtractOp::create(b, keys.weights.getResult(0), coordinates);
  LinearForm key = body.get(byKey.getInductionVar());
  LinearForm position =
      body.forms.add(b, values.first, body.forms.mul(b, key, values.distance));
  Value tensor = values.read.getTensor();
  SmallVector<Value> at = llvm::map_to_vector(
      body.delinearize(position,
                       cast<RankedTensorType>(tensor.getType()).getShape()),
      [&](const LinearForm &coordinate) {
        return body.forms.materialize(b, coordinate);
      });
  Value factor = tensor::ExtractOp::create(b, tensor, at);
  for (Operation *op : values.chain) {
    IRMapping mapping;
    mapping.map(op->getOperand(0), factor);
    factor = b.clone(*op, mapping)->getResult(0);
  }
  scf::YieldOp::create(b, ValueRange(math::FmaOp::create(
                              b, weight, factor, byKey.getRegionIterArg(0))));
  return byKey;
}

/// Makes the loop of the fused generic a loop with one key in each iteration,
/// whose weight is read at coordinates of the tensor of weights, and takes the
/// weights into the fused generic. False if the loop is none over keys.
///
/// A graph's own product reads weights as one row of elements, and has four
/// keys in each iteration. For 128 queries, 1024 keys and 64 columns,
///
///   %sum = scf.for %step = 0 to 256 iter_args(%before = 0.0) {
///     %0 = fma(%row[1024 * %query + 4 * %step],
///              %values[256 * %step + %column], %before)
///     %1 = fma(%row[1024 * %query + 4 * %step + 1],
///              %values[256 * %step + 64 + %column], %0)
///     ...                                          // keys 2 and 3 of the step
///   }
///
/// becomes, since the values of consecutive keys lie 64 elements apart,
///
///   %sum = scf.for %key = 0 to 1024 iter_args(%before = 0.0) {
///     yield fma(%weights[%query, %key], %values[64 * %key + %column], %before)
///   }
bool AttentionFusion::readWeightsByKey() {
  std::optional<KeyLoop> keys = readKeyLoop(fused);
  if (!keys)
    return false;
  // Index arithmetic that is not linear in the body's values would be built
  // into `discarded`. Such a loop is not fused.
  ImplicitLocOpBuilder b(fused.getLoc(), fused.getContext());
  Block discarded;
  b.setInsertionPointToEnd(&discarded);
  BodyForms body(b, indices);
  if (failed(locateWeights(body, *keys)))
    return false;
  std::optional<ValueRun> values;
  if (keys->terms.size() > 1) {
    values = locateValues(body, *keys);
    if (!values)
      return false;
  }
  if (!discarded.empty())
    return false;

  b.setInsertionPoint(keys->loop);
  SmallVector<Value> coordinates =
      llvm::map_to_vector(keys->row, [&](const LinearForm &coordinate) {
        return body.forms.materialize(b, coordinate);
      });
  if (values) {
    rewriter.replaceOp(keys->loop,
                       buildLoopByKey(body, *keys, *values, coordinates));
  } else {
    auto weight = keys->terms.front().lhs.getDefiningOp<tensor::ExtractOp>();
    coordinates[keys->keyDim] = keys->loop.getInductionVar();
    b.setInsertionPoint(weight);
    rewriter.replaceOp(weight, tensor::ExtractOp::create(
                                   b, keys->weights.getResult(0), coordinates));
  }
  return isPart(keys->weights) && inlineReads(keys->weights);
}

/// Replaces all reads of the result of `producer` in the fused generic by the
/// body of `producer`.
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

/// Returns a generic that the fused one reads and that is to become a part: a
/// generic that reduces a query's row of scores, or a generic that computes the
/// scores. Returns null if all parts are there.
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
    // Reads in a loop inside a loop over keys are reads of queries and keys.
    // Generics that compute queries or keys are no parts, even if they add up
    // products or reduce rows.
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

/// Whether a kernel for the profile can bind the tensors of the fused generic:
/// their number and sizes are within the limits, and the profile has the types
/// of their elements. (Tensors of other types become tensors of words, which no
/// attention kernel reads.)
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
