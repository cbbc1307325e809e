//===- ContractionBuilder.cpp - Kernels of contractions -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Emit/ContractionBuilder.h"
#include "Analysis/QuantizedFactor.h"
#include "Emit/Launch.h"
#include "Emit/VectorPacker.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dml;

ContractionBuilder::ContractionBuilder(linalg::GenericOp op,
                                       const Contraction &contraction)
    : b(op.getLoc(), op), op(op), contraction(contraction),
      type(cast<MemRefType>(op.getOutputs().front().getType())),
      placement(getPlacement(op.getOutputs().front()).value_or(Placement())) {}

void ContractionBuilder::buildLaunch(int64_t rowPositions,
                                     int64_t columnPositions, int64_t threads,
                                     OperandTile &rows, OperandTile &columns,
                                     int64_t panel) {
  int64_t rowTiles =
      llvm::divideCeilSigned(contraction.rows.size, rowPositions);
  int64_t columnTiles =
      llvm::divideCeilSigned(contraction.columns.size, columnPositions);
  int64_t groups = rowTiles * columnTiles * contraction.batches;
  GroupedLaunch grouped = createLaunch(b, op, groups, threads);
  launch = grouped.launch;
  views.emplace(launch);
  forms.emplace(launch.getThreadIds().x, threads);
  LinearForm group = forms->getOpaque(grouped.group, {0, grouped.count - 1});
  if (grouped.count > groups) {
    // Workgroups without a tile run as well, but do not store anything.
    isWanted = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                     grouped.group, constant(groups));
    group = forms->min(b, group, groups - 1);
  }
  rows = {&contraction.rows, rowPositions, {}};
  columns = {&contraction.columns, columnPositions, {}};
  LinearForm numberOfBatch, inPanel, ofPanel;
  std::tie(group, inPanel) = forms->divide(b, group, panel);
  std::tie(group, columns.tile) = forms->divide(b, group, columnTiles);
  std::tie(numberOfBatch, ofPanel) = forms->divide(b, group, rowTiles / panel);
  rows.tile = forms->add(b, forms->mul(b, ofPanel, panel), inPanel);
  batch.resize(type.getRank());
  setDims(contraction.batchDims, numberOfBatch, batch, /*areOfBatch=*/true);
}

Value ContractionBuilder::getZero(int64_t lanes) {
  Type type = contraction.sumType;
  if (lanes > 1)
    type = VectorType::get(lanes, type);
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

Value ContractionBuilder::addProduct(Value lhs, Value rhs, Value sum) {
  if (contraction.sumType.isF32())
    return math::FmaOp::create(b, lhs, rhs, sum);
  return arith::AddIOp::create(b, arith::MulIOp::create(b, lhs, rhs), sum);
}

Value ContractionBuilder::add(Value sum, Value term) {
  if (contraction.sumType.isF32())
    return arith::AddFOp::create(b, sum, term);
  return arith::AddIOp::create(b, sum, term);
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

int64_t ContractionBuilder::getSize(int64_t dim, bool isOfBatch) const {
  int64_t size = type.getDimSize(dim);
  if (dim != contraction.sharedDim)
    return size;
  return isOfBatch ? size / contraction.columnsOfShared
                   : contraction.columnsOfShared;
}

void ContractionBuilder::setDims(ArrayRef<int64_t> dims, LinearForm position,
                                 Forms &coordinates, bool areOfBatch) {
  int64_t inner = 1;
  for (int64_t dim : dims)
    inner *= getSize(dim, areOfBatch);
  for (int64_t dim : dims) {
    inner /= getSize(dim, areOfBatch);
    LinearForm coordinate;
    std::tie(coordinate, position) = forms->divide(b, position, inner);
    if (dim == contraction.sharedDim)
      coordinate = areOfBatch
                       ? forms->mul(b, coordinate, contraction.columnsOfShared)
                       : forms->add(b, coordinates[dim], coordinate);
    coordinates[dim] = coordinate;
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

ContractionBuilder::Forms
ContractionBuilder::getCoordinates(const ContractionOperand &operand,
                                   LinearForm position) {
  Forms coordinates = batch;
  setDims(operand.dims, position, coordinates);
  return coordinates;
}

void ContractionBuilder::bindStep(TileBuilder &builder, size_t lane,
                                  LinearForm step, const Contraction &sums) {
  for (size_t i = sums.loops.size(); i-- > 0;) {
    LinearForm induction = step;
    if (i > 0)
      std::tie(step, induction) = forms->divide(b, step, sums.trips[i]);
    scf::ForOp loop = sums.loops[i];
    builder.bind(lane, loop.getInductionVar(), induction);
  }
}

/// Returns the magnitude of the coefficient of `atom` in the linear form
/// `form`, or nothing if `atom` does not occur in `form`. In 8 t - 3 r + 1, the
/// atom r has the coefficient of magnitude 3.
static std::optional<int64_t> getCoefficient(const LinearForm &form,
                                             const LinearForm &atom) {
  for (LinearForm::Term term : form.terms)
    if (!atom.isConstant() && term.first == atom.terms.front().first)
      return std::abs(term.second);
  return std::nullopt;
}

/// Returns the distance between two positions in a buffer, if the distance is a
/// constant, and nothing otherwise.
static std::optional<int64_t> getDistance(IndexForms &forms,
                                          ImplicitLocOpBuilder &b,
                                          const LinearForm &lhs,
                                          const LinearForm &rhs) {
  LinearForm difference = forms.sub(b, lhs, rhs);
  if (!difference.isConstant())
    return std::nullopt;
  return std::abs(difference.constant);
}

FactorStrides ContractionBuilder::getStrides(const ContractionOperand &operand,
                                             const Contraction &sums,
                                             Value position) {
  Block discarded;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&discarded);
  IndexForms::Scope scope(*forms);
  constexpr int64_t lanes = ThreadBlock::side;
  // Maps each load of a word of 4-bit numbers to the factor that the body
  // extracts from this word.
  llvm::DenseMap<Operation *, QuantizedFactor> nibbles;
  for (const QuantizedFactor &factor : matchQuantizedFactors(operand))
    if (factor.lane)
      nibbles.try_emplace(factor.loaded.getDefiningOp(), factor);
  // Returns the positions, in their buffers, of the elements that the operand's
  // loads read: in iteration `step` of the loop over terms, for the first row
  // or column of vector `vector`. The strides are the numbers by which these
  // positions grow with `vector` and with `step`.
  auto getPlaces = [&](LinearForm vector, LinearForm step) {
    TileBuilder builder(b, op, *forms, *views);
    bindStep(builder, 0, step, sums);
    LinearForm first = getPosition(operand, vector, 0, lanes);
    if (position)
      builder.bind(0, position, first);
    builder.buildSlice(operand.slice, getCoordinates(operand, first));
    SmallVector<LinearForm> places;
    for (Operation *nested : operand.slice) {
      if (!isa<memref::LoadOp>(nested))
        continue;
      LinearForm place =
          std::get<Load>(builder.getScalar(0, nested->getResult(0))).position;
      auto nibble = nibbles.find(nested);
      if (nibble != nibbles.end()) {
        const QuantizedFactor &factor = nibble->second;
        Scalar lane = builder.getScalar(0, factor.lane);
        place = forms->add(b, forms->mul(b, place, factor.getNumPerWord()),
                           std::get<LinearForm>(lane));
      }
      places.push_back(place);
    }
    return places;
  };
  // The positions are linear forms of two variables (atoms): the index of the
  // vector, and the index of the iteration of the loop over terms. The strides
  // are the coefficients of these atoms. Each atom needs a value, although the
  // code that is built from the values is discarded. The thread numbers y and z
  // serve as these values, since nothing else uses them.
  LinearForm vector =
      forms->getOpaque(launch.getThreadIds().y,
                       {0, llvm::divideCeilSigned(operand.size, lanes) - 1});
  LinearForm step =
      forms->getOpaque(launch.getThreadIds().z, {0, sums.steps - 1});
  FactorStrides strides;
  strides.terms = sums.getTermsOfStep();
  for (const LinearForm &place : getPlaces(vector, step)) {
    // The address of some loads, such as the load of a zero point, does not
    // depend on the iteration of the loop over terms. Such a load has no stride
    // from term to term, and the next load is tried.
    strides.ofStep = getCoefficient(place, step);
    if (!strides.ofStep)
      continue;
    if (std::optional<int64_t> ofVector = getCoefficient(place, vector))
      strides.ofPosition = llvm::divideCeilSigned(*ofVector, lanes);
    break;
  }
  // In a convolution, the index of the iteration of the loop over terms is
  // divided into a filter tap and a channel, so that the linear form of a
  // load's position has no coefficient of the iteration. The strides are then
  // measured. `ofStep` is the distance between the positions of the first two
  // iterations, and `ofPosition` is found from the first two vectors. Most
  // later iterations have the same distance. The distance differs, for example,
  // where an iteration begins another row of taps.
  if (!strides.ofStep && sums.steps > 1 && operand.size > lanes) {
    SmallVector<LinearForm> places = getPlaces(0, 0);
    for (auto [first, ofStep, ofVector] :
         llvm::zip_equal(places, getPlaces(0, 1), getPlaces(1, 0))) {
      std::optional<int64_t> alongSteps = getDistance(*forms, b, ofStep, first),
                             alongVectors =
                                 getDistance(*forms, b, ofVector, first);
      if (!alongSteps || !alongVectors || *alongSteps == 0)
        continue;
      strides.ofStep = alongSteps;
      strides.ofPosition = llvm::divideCeilSigned(*alongVectors, lanes);
      break;
    }
  }
  return strides;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

int64_t ContractionBuilder::getStoredTogether(int64_t lanes) const {
  int64_t run = 1, dim = type.getRank();
  while (dim > 0 && (type.getDimSize(dim - 1) == 1 ||
                     llvm::is_contained(contraction.columns.dims, dim - 1))) {
    run *= getSize(--dim);
    if (dim == contraction.sharedDim)
      break;
  }
  for (int64_t together = lanes; together > 1; together /= 2) {
    int64_t bytes = together * type.getElementTypeBitWidth() / 8;
    bool isAligned =
        placement.strips.empty() || placement.getAlignment() % bytes == 0;
    if (bytes <= DeviceProfile::vectorBytes && bytes >= 4 &&
        run % together == 0 && isAligned)
      return together;
  }
  return 1;
}

Value ContractionBuilder::buildIsInside(const OperandTile &tile,
                                        LinearForm position) {
  if (tile.operand->size % tile.positions == 0)
    return Value();
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                               forms->materialize(b, position),
                               constant(tile.operand->size));
}

void ContractionBuilder::storeElements(TileBuilder &builder,
                                       const OperandTile &rows, LinearForm row,
                                       const OperandTile &columns,
                                       LinearForm vector,
                                       ArrayRef<Value> sums) {
  auto lanes = static_cast<int64_t>(sums.size()) / contraction.sums;
  int64_t together = getStoredTogether(lanes);
  Packing packing(type.getElementType(),
                  together * type.getElementTypeBitWidth() / 8);
  OutputVectors output(b, *views, op.getOutputs().front(), packing);
  ValueRange totals = scf::ForOp(contraction.loops.front()).getResults();
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  Value rowInside = both(b, isWanted, buildIsInside(rows, row));
  Forms ofRow =
      getCoordinates(*rows.operand, forms->min(b, row, rows.operand->size - 1));
  SmallVector<Forms> coordinates;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    coordinates.push_back(ofRow);
    setDims(columns.operand->dims,
            getPosition(*columns.operand, vector, lane, lanes),
            coordinates.back());
    for (auto [total, sum] : llvm::zip_equal(
             totals, sums.slice(lane * contraction.sums, contraction.sums)))
      builder.bind(lane, total, sum);
  }
  builder.buildSlice(contraction.epilogue, coordinates);
  for (int64_t lane = 0; lane < lanes; lane += together) {
    SmallVector<Scalar> elements;
    for (int64_t element = lane; element < lane + together; ++element)
      elements.push_back(builder.getScalar(element, yielded));
    Value value = VectorPacker(builder.getShared(), packing).pack(elements);
    LinearForm position = builder.linearize(type, coordinates[lane]);
    Value place =
        output.getPlace(*forms, b, forms->divide(b, position, together).first);
    Value inside =
        both(b, rowInside,
             buildIsInside(columns,
                           forms->add(b, forms->mul(b, vector, lanes), lane)));
    OpBuilder::InsertionGuard guard(b);
    if (inside)
      b.setInsertionPointToStart(scf::IfOp::create(b, inside).thenBlock());
    memref::StoreOp::create(b, value, output.getBuffer(), place);
  }
}

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

namespace {
/// Builds a launch only to find the strides of the operands. The launch is then
/// discarded.
class Probe : ContractionBuilder {
public:
  Probe(linalg::GenericOp op, const Contraction &contraction)
      : ContractionBuilder(op, contraction) {
    b.setInsertionPointToEnd(&discarded);
    OperandTile rows, columns;
    buildLaunch(1, 1, DeviceProfile::workgroupSize, rows, columns);
  }
  OperandStrides getOperandStrides() {
    return {getStrides(contraction.rows, contraction),
            getStrides(contraction.columns, contraction)};
  }

private:
  Block discarded;
};
} // namespace

OperandStrides OperandStrides::get(linalg::GenericOp op,
                                   const Contraction &contraction) {
  return Probe(op, contraction).getOperandStrides();
}
