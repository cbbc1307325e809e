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
// Reads
//===----------------------------------------------------------------------===//

/// Returns the generic that computes the tensor which `extract` reads, directly
/// or through reshapes. Returns null if there is no such generic.
static linalg::GenericOp getProducer(tensor::ExtractOp extract) {
  Value tensor = extract.getTensor();
  while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
      tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  auto producer = tensor.getDefiningOp<linalg::GenericOp>();
  return producer && producer->getNumResults() == 1 ? producer
                                                    : linalg::GenericOp();
}

/// Whether the body of `producer` yields a quotient, perhaps rounded to f16.
/// The last step of a softmax divides an exponential by a sum of exponentials.
/// The function is therefore a quick test of whether `producer` may compute the
/// weights of attention.
static bool yieldsQuotients(linalg::GenericOp producer) {
  Value yielded = producer.getBody()->getTerminator()->getOperand(0);
  if (auto rounding = yielded.getDefiningOp<arith::TruncFOp>())
    yielded = rounding.getIn();
  return yielded.getDefiningOp<arith::DivFOp>();
}

/// Returns the read of an element of a tensor from which `factor` is read or
/// widened, or null if `factor` is something else.
static tensor::ExtractOp getReadOf(Value factor) {
  if (auto widening = factor.getDefiningOp<arith::ExtFOp>())
    factor = widening.getIn();
  return factor.getDefiningOp<tensor::ExtractOp>();
}

/// Whether the body of `op` reads a tensor of quotients (yieldsQuotients()).
static bool readsQuotients(linalg::GenericOp op) {
  return op.getBody()
      ->walk([](tensor::ExtractOp extract) {
        linalg::GenericOp producer = getProducer(extract);
        return producer && yieldsQuotients(producer) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether only the bodies of `readers` read `tensor`, directly or through
/// reshapes. Adds to `reshapes` the reshapes through which they read, from the
/// last to the first.
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
/// Expresses the index arithmetic of a body as linear forms, such as 4 * i + j
/// + 3, of the output's coordinates and of the induction variables of loops.
class BodyForms {
public:
  /// `indices` are the coordinates of the element that the body computes. `b`
  /// builds operations for index arithmetic that is not linear.
  BodyForms(ImplicitLocOpBuilder &b, ArrayRef<Value> indices)
      : b(b), indices(indices), forms(Value(), 1) {}

  LinearForm get(Value value);
  /// Returns the coordinates, in the result of `producer`, of the element that
  /// `extract` reads directly or through reshapes. If there are reshapes, the
  /// coordinates are quotients and remainders of the element's position.
  /// Returns an empty list if the range of the position includes negative
  /// numbers, which IndexForms::divide() does not accept.
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
  if (!isa<arith::DivUIOp, arith::RemUIOp, arith::MinUIOp>(op) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&number)) ||
      number.getSExtValue() <= 0)
    return forms.getOpaque(value);
  LinearForm operand = get(op->getOperand(0));
  IndexRange range = forms.getRange(operand);
  int64_t constant = number.getSExtValue();
  if (range.min < 0)
    return forms.getOpaque(value);
  if (isa<arith::MinUIOp>(op))
    return range.max <= constant ? operand : forms.getOpaque(value);
  // A reader of reshaped tensors computes coordinates by quotients and
  // remainders, which are linear where the terms allow: for columns below 64,
  // (64 * key + column) / 64 is the key, and the remainder is the column.
  LinearForm quotient(operand.constant / constant),
      remainder(operand.constant % constant);
  for (LinearForm::Term term : operand.terms)
    if (term.second % constant == 0)
      quotient.terms.emplace_back(term.first, term.second / constant);
    else
      remainder.terms.push_back(term);
  bool isQuotient = isa<arith::DivUIOp>(op);
  if (IndexRange{0, constant - 1}.contains(forms.getRange(remainder)))
    return isQuotient ? quotient : remainder;
  // Any other quotient or remainder is not linear in its operand. The linear
  // form therefore treats it as a variable of its own, with its own range.
  return forms.getOpaque(
      value, isQuotient ? IndexRange{range.min / constant, range.max / constant}
                        : IndexRange{0, constant - 1});
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
  // The position of the element lies inside of the tensor, since reads are
  // never out of bounds.
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

/// Adds `producer` to the generics that are fused. Returns false if a generic
/// that is not fused reads the result of `producer`, or if a kernel has already
/// been chosen for `producer`.
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

/// If `factor` is computed from an element of a tensor by a chain of operations
/// with one operand each, returns the read of the element, and adds the
/// operations to `chain` in their order. Returns null otherwise.
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

/// Whether `factor` is read from a generic that yields quotients, as a softmax
/// does. If `weights` is not null, `weights` must be this generic. Otherwise
/// sets `weights` to this generic.
static bool readsWeight(Value factor, linalg::GenericOp &weights) {
  tensor::ExtractOp extract = getReadOf(factor);
  linalg::GenericOp producer =
      extract ? getProducer(extract) : linalg::GenericOp();
  if (!producer || (weights && producer != weights) ||
      !yieldsQuotients(producer))
    return false;
  weights = producer;
  return true;
}

/// Whether `form` contains the induction variable whose form is `step`.
static bool dependsOn(const LinearForm &form, const LinearForm &step) {
  return !step.isConstant() &&
         llvm::any_of(form.terms, [&](LinearForm::Term term) {
           return term.first == step.terms.front().first;
         });
}

namespace {
/// The reads of weights in one iteration of a loop over keys. If an iteration
/// adds several terms, it reads the weights of consecutive keys, from one
/// tensor of weights.
struct WeightReads {
  linalg::GenericOp weights;
  SmallVector<tensor::ExtractOp> elements;
  /// The coordinates of the row of weights that belongs to the query, with 0 in
  /// the dimension of the keys.
  Forms row;
  size_t keyDim = 0;
};

/// The reads of values in one iteration of a loop over keys. All values are
/// elements of one tensor at equal distances: the value of key k lies at the
/// position `first` + k * `distance`.
struct ValueReads {
  tensor::ExtractOp element;
  /// The operations that compute the value, a factor of the product of weight
  /// and value, from the element. Each operation has one operand.
  SmallVector<Operation *> chain;
  LinearForm first;
  int64_t distance = 0;
};
} // namespace

/// Finds the weights in `terms`, the products that iteration `step` of the loop
/// over keys adds, and makes each weight the first factor of its term. Returns
/// nothing if the terms do not have the weights of consecutive keys, or if
/// different iterations read different rows of weights.
static std::optional<WeightReads>
readWeights(BodyForms &body, MutableArrayRef<ContractionTerm> terms,
            const LinearForm &step) {
  WeightReads reads;
  auto numTerms = static_cast<int64_t>(terms.size());
  for (auto [number, term] : llvm::enumerate(terms)) {
    if (!readsWeight(term.lhs, reads.weights))
      std::swap(term.lhs, term.rhs);
    if (!readsWeight(term.lhs, reads.weights) ||
        (numTerms > 1 && term.condition))
      return std::nullopt;
    reads.elements.push_back(getReadOf(term.lhs));
    Forms coordinates =
        body.getCoordinates(reads.elements.back(), reads.weights);
    if (coordinates.empty())
      return std::nullopt;
    LinearForm key =
        body.forms.add(body.b, body.forms.mul(body.b, step, numTerms),
                       static_cast<int64_t>(number));
    if (number == 0)
      reads.keyDim = llvm::find(coordinates, key) - coordinates.begin();
    if (reads.keyDim == coordinates.size() ||
        !(coordinates[reads.keyDim] == key))
      return std::nullopt;
    coordinates[reads.keyDim] = 0;
    if (number == 0)
      reads.row = coordinates;
    if (reads.row != coordinates)
      return std::nullopt;
  }
  if (llvm::any_of(reads.row, [&](const LinearForm &coordinate) {
        return dependsOn(coordinate, step);
      }))
    return std::nullopt;
  return reads;
}

/// Finds the values in `terms`, the products that iteration `step` of the loop
/// over keys adds. Returns nothing unless the values of all keys lie at equal
/// distances.
static std::optional<ValueReads> readValues(BodyForms &body,
                                            ArrayRef<ContractionTerm> terms,
                                            const LinearForm &step) {
  ValueReads reads;
  reads.element = findElement(terms.front().rhs, reads.chain);
  if (!reads.element)
    return std::nullopt;
  reads.first = body.getPosition(reads.element);
  LinearForm behind = reads.first;
  llvm::erase_if(reads.first.terms, [&](LinearForm::Term term) {
    bool isStep = !step.isConstant() && term.first == step.terms.front().first;
    if (isStep)
      reads.distance = term.second;
    return isStep;
  });
  auto numTerms = static_cast<int64_t>(terms.size());
  if (reads.distance % numTerms)
    return std::nullopt;
  reads.distance /= numTerms;
  auto areEqual = [](auto pair) {
    return OperationEquivalence::isEquivalentTo(
        std::get<0>(pair), std::get<1>(pair),
        OperationEquivalence::ignoreValueEquivalence,
        /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
  };
  for (const ContractionTerm &term : terms) {
    SmallVector<Operation *> own;
    tensor::ExtractOp element = findElement(term.rhs, own);
    if (!element || element.getTensor() != reads.element.getTensor() ||
        own.size() != reads.chain.size() ||
        !(body.getPosition(element) == behind) ||
        !llvm::all_of(llvm::zip_equal(own, reads.chain), areEqual))
      return std::nullopt;
    behind = body.forms.add(body.b, behind, reads.distance);
  }
  return reads;
}

/// Replaces `loop` by a loop of `count` iterations, each of which adds the
/// product of the weight and the value of one key.
static scf::ForOp buildLoopByKey(BodyForms &body, scf::ForOp loop,
                                 int64_t count, const WeightReads &weights,
                                 SmallVector<Value> coordinates,
                                 const ValueReads &values) {
  ImplicitLocOpBuilder &b = body.b;
  auto byKey = scf::ForOp::create(b, loop.getLowerBound(),
                                  arith::ConstantIndexOp::create(b, count),
                                  loop.getStep(), loop.getInitArgs());
  b.setInsertionPointToStart(byKey.getBody());
  coordinates[weights.keyDim] = byKey.getInductionVar();
  linalg::GenericOp producer = weights.weights;
  Value weight =
      tensor::ExtractOp::create(b, producer.getResult(0), coordinates);
  if (Type sum = byKey.getResult(0).getType(); weight.getType() != sum)
    weight = arith::ExtFOp::create(b, sum, weight);
  LinearForm key = body.get(byKey.getInductionVar());
  LinearForm place =
      body.forms.add(b, values.first, body.forms.mul(b, key, values.distance));
  tensor::ExtractOp element = values.element;
  auto shape = element.getTensor().getType().getShape();
  SmallVector<Value> at = llvm::map_to_vector(
      body.delinearize(place, shape), [&](const LinearForm &coordinate) {
        return body.forms.materialize(b, coordinate);
      });
  Value factor = tensor::ExtractOp::create(b, element.getTensor(), at);
  for (Operation *op : values.chain) {
    IRMapping mapping;
    mapping.map(op->getOperand(0), factor);
    factor = b.clone(*op, mapping)->getResult(0);
  }
  scf::YieldOp::create(b, ValueRange(math::FmaOp::create(
                              b, weight, factor, byKey.getRegionIterArg(0))));
  return byKey;
}

/// Returns the only loop in the body of `fused` if the loop adds up f32 and
/// contains no other loop. Returns null otherwise. In a product of weights and
/// values, this loop iterates over keys. A later check decides whether `fused`
/// is such a product.
static scf::ForOp findLoopOverKeys(linalg::GenericOp fused) {
  auto loops = fused.getBody()->getOps<scf::ForOp>();
  if (!llvm::hasSingleElement(loops))
    return {};
  scf::ForOp loop = *loops.begin();
  bool isSum = getCountFromZero(loop) && loop.getNumResults() == 1 &&
               loop.getResult(0).getType().isF32() &&
               loop.getBody()->getOps<scf::ForOp>().empty();
  return isSum ? loop : scf::ForOp();
}

/// Rewrites the loop of `fused`, which adds up products of weights and values.
/// Afterwards, each iteration adds the product of one key. It reads the key's
/// weight by coordinates in the tensor of weights instead of a position in a
/// reshaped tensor. The read is then replaced by the body that computes the
/// weights. Returns false if the loop is not a sum of weights times values.
///
/// The product may come from a matrix product of the model instead of an
/// attention operator. Such a product may read the weights through a reshape to
/// a single row, and the lowering of matrix products lets each iteration add
/// four terms, here four keys. For 128 queries, 1024 keys and 64 columns,
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
  scf::ForOp loop = findLoopOverKeys(fused);
  if (!loop)
    return false;
  SmallVector<ContractionTerm> terms = readTerms(
      loop.getBody()->getTerminator()->getOperand(0), loop.getRegionIterArg(0));
  if (terms.empty())
    return false;

  // The linear forms may build operations for index arithmetic that is not
  // linear, although the analysis must not change the body. These operations
  // are therefore built in the block `discarded`. If the block is not empty in
  // the end, the loop is not fused.
  ImplicitLocOpBuilder b(fused.getLoc(), fused.getContext());
  Block discarded;
  b.setInsertionPointToEnd(&discarded);
  BodyForms body(b, indices);
  LinearForm step = body.get(loop.getInductionVar());
  std::optional<WeightReads> weights = readWeights(body, terms, step);
  if (!weights)
    return false;
  std::optional<ValueReads> values;
  if (terms.size() > 1) {
    values = readValues(body, terms, step);
    if (!values)
      return false;
  }
  if (!discarded.empty())
    return false;

  b.setInsertionPoint(loop);
  SmallVector<Value> coordinates =
      llvm::map_to_vector(weights->row, [&](const LinearForm &coordinate) {
        return body.forms.materialize(b, coordinate);
      });
  if (values) {
    int64_t count =
        static_cast<int64_t>(terms.size()) * *getCountFromZero(loop);
    rewriter.replaceOp(loop, buildLoopByKey(body, loop, count, *weights,
                                            coordinates, *values));
  } else {
    coordinates[weights->keyDim] = loop.getInductionVar();
    tensor::ExtractOp element = weights->elements.front();
    b.setInsertionPoint(element);
    rewriter.replaceOp(
        element, tensor::ExtractOp::create(b, weights->weights.getResult(0),
                                           coordinates));
  }
  return isPart(weights->weights) && inlineReads(weights->weights);
}

/// Replaces each read of the result of `producer` in the fused generic by the
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

/// Returns a generic that belongs to the attention and whose result the fused
/// generic reads: a reduction over a query's scores, or the computation of
/// scores. Adds this generic to those that are fused (isPart()). Returns null
/// if there is no such generic.
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
    // The generics that compute queries and keys are not fused, although they
    // may contain sums of products or reductions as well. The fused generic
    // reads their results in the loop over terms, which lies inside of the loop
    // over keys. It reads the result of a generic that is to be fused in the
    // loop over keys itself, or outside of loops.
    Operation *loop = extract->getParentOp();
    if (loop != fused && loop->getParentOp() != fused)
      return WalkResult::advance();
    // The number of keys that a query sees may also be the result of a
    // reduction, such as the sum of a mask. The generic of this reduction is
    // not fused. Its result is an integer, or has readers outside of the
    // attention, such as the write of new keys into a cache (isPart()).
    if (!isa<FloatType>(getElementTypeOrSelf(producer.getResult(0))))
      return WalkResult::advance();
    if ((contains(producer, isCombining) ||
         (isCombining(loop) && !contains(loop, isProduct) &&
          contains(producer, isProduct))) &&
        isPart(producer)) {
      next = producer;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return next;
}

/// Whether a kernel for the profile can bind the tensors of the fused generic:
/// their number and sizes are within the limits, and the profile supports the
/// types of their elements. (Tensors of other types become tensors of words,
/// which no attention kernel reads.)
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
    if (!inlineReads(next))
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
