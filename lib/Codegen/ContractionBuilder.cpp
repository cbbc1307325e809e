//===- ContractionBuilder.cpp - What kernels of contractions share --------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"
#include "VectorPacker.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

ContractionBuilder::ContractionBuilder(linalg::GenericOp op,
                                       const Contraction &contraction,
                                       int64_t numThreads)
    : b(op.getLoc(), op), op(op), contraction(contraction),
      numThreads(numThreads),
      type(cast<MemRefType>(op.getOutputs().front().getType())),
      placement(getPlacement(op.getOutputs().front()).value_or(Placement())) {}

LinearForm ContractionBuilder::createGroups(int64_t groups) {
  GroupedLaunch grouped = createLaunch(b, op, groups, numThreads);
  launch = grouped.launch;
  views.emplace(launch);
  forms.emplace(launch.getThreadIds().x, numThreads);
  batch.resize(type.getRank());
  LinearForm group = forms->getOpaque(grouped.group, {0, grouped.count - 1});
  if (grouped.count == groups)
    return group;
  // All threads meet at barriers; only what they store is left out.
  isWanted = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, grouped.group,
                                   constant(groups));
  return forms->min(b, group, groups - 1);
}

Value ContractionBuilder::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

void ContractionBuilder::setDims(ArrayRef<int64_t> dims, LinearForm position,
                                 Forms &coordinates) {
  int64_t inner = 1;
  for (int64_t dim : dims)
    inner *= type.getDimSize(dim);
  for (int64_t dim : dims) {
    inner /= type.getDimSize(dim);
    std::tie(coordinates[dim], position) = forms->divide(b, position, inner);
  }
}

LinearForm ContractionBuilder::getPosition(const ContractionOperand &operand,
                                           LinearForm vector, int64_t lane,
                                           int64_t lanes) {
  if (operand.size % lanes == 0) {
    vector = forms->min(b, vector, operand.size / lanes - 1);
    return forms->add(b, forms->mul(b, vector, lanes), lane);
  }
  return forms->min(b, forms->add(b, forms->mul(b, vector, lanes), lane),
                    operand.size - 1);
}

void ContractionBuilder::buildFactors(TileBuilder &builder,
                                      const ContractionOperand &operand,
                                      ArrayRef<Operation *> slice,
                                      LinearForm vector, int64_t lanes,
                                      ArrayRef<LinearForm> steps) {
  SmallVector<Forms> ofVector;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    ofVector.push_back(batch);
    setDims(operand.dims, getPosition(operand, vector, lane, lanes),
            ofVector.back());
  }
  SmallVector<Forms> coordinates;
  for (LinearForm step : steps) {
    auto first = static_cast<int64_t>(coordinates.size());
    llvm::append_range(coordinates, ofVector);
    for (size_t i = contraction.loops.size(); i-- > 0;) {
      scf::ForOp loop = contraction.loops[i];
      LinearForm induction = step;
      if (i > 0)
        std::tie(step, induction) =
            forms->divide(b, step, contraction.trips[i]);
      for (int64_t lane = 0; lane < lanes; ++lane)
        builder.bind(first + lane, loop.getInductionVar(), induction);
    }
  }
  builder.buildSlice(slice, coordinates);
}

/// By how much `form` grows with `atom`.
static std::optional<int64_t> getCoefficient(const LinearForm &form,
                                             const LinearForm &atom) {
  for (LinearForm::Term term : form.terms)
    if (!atom.isConstant() && term.first == atom.terms.front().first)
      return std::abs(term.second);
  return std::nullopt;
}

namespace {
/// Builds factors at positions and iterations of which nothing is known, in a
/// block that nothing comes of.
class Probe : ContractionBuilder {
public:
  Probe(linalg::GenericOp op, const Contraction &contraction)
      : ContractionBuilder(op, contraction, /*numThreads=*/1) {
    b.setInsertionPointToEnd(&discarded);
    Value thread = constant(0);
    views.emplace(thread.getDefiningOp());
    forms.emplace(thread, numThreads);
    batch.resize(type.getRank());
  }

  bool isAlongSteps(const ContractionOperand &operand) {
    const auto *load = llvm::find_if(operand.slice, [](Operation *nested) {
      return isa<memref::LoadOp>(nested);
    });
    if (load == operand.slice.end())
      return false;
    constexpr int64_t side = ThreadBlock::side;
    LinearForm vector = forms->getOpaque(
        constant(0), {0, llvm::divideCeilSigned(operand.size, side) - 1});
    LinearForm step =
        forms->getOpaque(constant(0), {0, contraction.steps - 1});
    TileBuilder builder(b, op, *forms, *views);
    buildFactors(builder, operand, operand.slice, vector, side, step);
    Scalar element = builder.getScalar(0, (*load)->getResult(0));
    LinearForm position = std::get<Load>(element).position;
    std::optional<int64_t> alongSteps = getCoefficient(position, step),
                           alongVectors = getCoefficient(position, vector);
    return alongSteps && alongVectors &&
           *alongSteps * side < *alongVectors * contraction.getTermsOfStep();
  }

private:
  Block discarded;
};
} // namespace

bool dml::isAlongSteps(linalg::GenericOp op, const Contraction &contraction,
                       const ContractionOperand &operand) {
  return Probe(op, contraction).isAlongSteps(operand);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

int64_t ContractionBuilder::getStoredTogether(int64_t lanes) const {
  int64_t run = 1, dim = type.getRank();
  while (dim > 0 && (type.getDimSize(dim - 1) == 1 ||
                     llvm::is_contained(contraction.columns.dims, dim - 1)))
    run *= type.getDimSize(--dim);
  int64_t bytes = lanes * type.getElementTypeBitWidth() / 8;
  bool isAligned =
      placement.strips.empty() || placement.getAlignment() % bytes == 0;
  return run % lanes || !isAligned ? 1 : lanes;
}

Value ContractionBuilder::both(Value lhs, Value rhs) {
  return lhs && rhs ? arith::AndIOp::create(b, lhs, rhs).getResult()
         : lhs      ? lhs
                    : rhs;
}

Value ContractionBuilder::isInside(const ContractionOperand &operand,
                                   int64_t multiple, LinearForm position) {
  if (operand.size % multiple == 0)
    return Value();
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                               forms->materialize(b, position),
                               constant(operand.size));
}

void ContractionBuilder::storeElements(
    TileBuilder &builder, ArrayRef<Forms> coordinates, ValueRange sums,
    llvm::function_ref<Value(int64_t)> isInside) {
  auto lanes = static_cast<int64_t>(coordinates.size());
  int64_t together = getStoredTogether(lanes);
  Packing packing(type.getElementType(),
                  together * type.getElementTypeBitWidth() / 8);
  Value output = views->getVectors(b, op.getOutputs().front(), packing);
  Value total = scf::ForOp(contraction.loops.front()).getResult(0);
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  for (int64_t lane = 0; lane < lanes; ++lane)
    builder.bind(lane, total, sums[lane]);
  builder.buildSlice(contraction.epilogue, coordinates);
  for (int64_t lane = 0; lane < lanes; lane += together) {
    SmallVector<Scalar> elements;
    for (int64_t element = lane; element < lane + together; ++element)
      elements.push_back(builder.getScalar(element, yielded));
    Value value = VectorPacker(builder.getShared(), packing).pack(elements);
    LinearForm position = builder.linearize(type, coordinates[lane]);
    Value place = forms->materialize(
        b, getPlace(*forms, b, placement,
                    forms->divide(b, position, together).first, packing.bytes));
    Value inside = isInside(lane);
    OpBuilder::InsertionGuard guard(b);
    if (inside)
      b.setInsertionPointToStart(scf::IfOp::create(b, inside).thenBlock());
    memref::StoreOp::create(b, value, output, place);
  }
}
