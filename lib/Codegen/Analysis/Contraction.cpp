//===- Contraction.cpp - Sums of products of two operands -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/Contraction.h"
#include "Analysis/BodySlice.h"
#include "Analysis/ElementMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace dml;

/// The one loop that `block` has, whose result is `result`.
static scf::ForOp findLoop(Block &block, Value result) {
  auto loop = result.getDefiningOp<scf::ForOp>();
  return loop && loop->getBlock() == &block &&
                 llvm::hasSingleElement(block.getOps<scf::ForOp>())
             ? loop
             : scf::ForOp();
}

LogicalResult Contraction::readLoops(scf::ForOp outermost) {
  for (scf::ForOp loop = outermost; loop;) {
    std::optional<int64_t> count = getCountFromZero(loop);
    if (!count || loop.getNumResults() != 1 ||
        loop.getResult(0).getType() != sumType ||
        llvm::MulOverflow(steps, *count, steps))
      return failure();
    loops.push_back(loop);
    trips.push_back(*count);
    Block &body = *loop.getBody();
    if (body.getOps<scf::ForOp>().empty())
      return success();
    scf::ForOp inner = findLoop(body, body.getTerminator()->getOperand(0));
    if (!inner || inner.getInitArgs()[0] != loop.getRegionIterArg(0))
      return failure();
    loop = inner;
  }
  return failure();
}

/// Reads `added` as the sum of a product and of what was added before, which is
/// returned, or null if it is none.
static Value readProduct(Value added, ContractionTerm &term) {
  Operation *op = added.getDefiningOp();
  if (auto fma = dyn_cast_if_present<math::FmaOp>(op)) {
    term.lhs = fma.getA();
    term.rhs = fma.getB();
    return fma.getC();
  }
  if (auto add = dyn_cast_if_present<arith::AddIOp>(op))
    for (auto [sum, factors] : {std::pair(add.getLhs(), add.getRhs()),
                                std::pair(add.getRhs(), add.getLhs())})
      if (auto product = factors.getDefiningOp<arith::MulIOp>()) {
        term.lhs = product.getLhs();
        term.rhs = product.getRhs();
        return sum;
      }
  return Value();
}

SmallVector<ContractionTerm> dml::readTerms(Value sum, Value init) {
  SmallVector<ContractionTerm> terms;
  Block *block = sum.getParentBlock();
  while (sum != init) {
    ContractionTerm term;
    Value added = sum;
    auto select = sum.getDefiningOp<arith::SelectOp>();
    if (select) {
      term.condition = select.getCondition();
      added = select.getTrueValue();
    }
    Value before = readProduct(added, term);
    if (!before || added.getParentBlock() != block ||
        (select && select.getFalseValue() != before))
      return {};
    terms.push_back(term);
    sum = before;
  }
  std::reverse(terms.begin(), terms.end());
  return terms;
}

std::optional<Contraction> Contraction::match(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || !isElementMap(op))
    return std::nullopt;
  auto type = dyn_cast<MemRefType>(op.getOutputs().front().getType());
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
      !type.getElementType().isIntOrFloat() ||
      !llvm::is_contained({8, 16, 32}, type.getElementTypeBitWidth()))
    return std::nullopt;

  Block &body = *op.getBody();
  auto loops = body.getOps<scf::ForOp>();
  if (!llvm::hasSingleElement(loops))
    return std::nullopt;
  Contraction contraction;
  scf::ForOp outermost = *loops.begin();
  if (outermost.getNumResults() != 1)
    return std::nullopt;
  contraction.sumType = outermost.getResult(0).getType();
  Value init = outermost.getInitArgs()[0];
  bool isZero =
      contraction.sumType.isF32()         ? matchPattern(init, m_AnyZeroFloat())
      : contraction.sumType.isInteger(32) ? matchPattern(init, m_Zero())
                                          : false;
  if (!isZero || failed(contraction.readLoops(outermost)))
    return std::nullopt;
  scf::ForOp innermostLoop = contraction.loops.back();
  SmallVector<ContractionTerm> terms =
      readTerms(innermostLoop.getBody()->getTerminator()->getOperand(0),
                innermostLoop.getRegionIterArg(0));
  if (terms.empty())
    return std::nullopt;

  auto given = llvm::map_to_vector(contraction.loops, [](scf::ForOp loop) {
    return Value(loop.getInductionVar());
  });
  BodySlice lhs(op, given), rhs(op, given), conditions(op, given);
  for (const ContractionTerm &term : terms) {
    if (failed(lhs.add(term.lhs)) || failed(rhs.add(term.rhs)) ||
        (term.condition && failed(conditions.add(term.condition))))
      return std::nullopt;
    contraction.rows.factors.push_back(term.lhs);
    contraction.columns.factors.push_back(term.rhs);
    contraction.conditions.push_back(term.condition);
  }
  BodySlice epilogue(op, {outermost.getResult(0)});
  if (failed(epilogue.add(body.getTerminator()->getOperand(0))))
    return std::nullopt;
  contraction.rows.slice = lhs.getOperations();
  contraction.columns.slice = rhs.getOperations();
  contraction.conditionSlice = conditions.getOperations();
  contraction.epilogue = epilogue.getOperations();

  llvm::SmallBitVector ofLhs = lhs.getDims(), ofRhs = rhs.getDims(),
                       ofBoth = ofLhs;
  ofBoth &= ofRhs;
  // The columns are where the output's neighbours lie.
  int64_t innermost = type.getRank() - 1;
  while (innermost > 0 && type.getDimSize(innermost) == 1)
    --innermost;
  if (ofLhs[innermost] && !ofBoth[innermost]) {
    std::swap(contraction.rows, contraction.columns);
    std::swap(ofLhs, ofRhs);
  }
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t size = type.getDimSize(dim);
    if (size == 1)
      continue;
    bool isRow = ofLhs[dim], isColumn = ofRhs[dim];
    if (isRow == isColumn) {
      contraction.batchDims.push_back(dim);
      contraction.batches *= size;
      continue;
    }
    ContractionOperand &operand =
        isRow ? contraction.rows : contraction.columns;
    operand.dims.push_back(dim);
    operand.size *= size;
  }
  // A condition holds for all elements of a workgroup or for none, even if
  // there is one row alone.
  llvm::SmallBitVector ofConditions = conditions.getDims();
  for (const ContractionOperand *operand :
       {&contraction.rows, &contraction.columns})
    if (llvm::any_of(operand->dims,
                     [&](int64_t dim) { return ofConditions[dim]; }))
      return std::nullopt;
  if (contraction.columns.dims.empty())
    return std::nullopt;
  return contraction;
}

/// The sums of a thread are carried through loops: with what it loads for them,
/// these fit the registers that devices have for a thread.
static constexpr int64_t maxSums = 128;

/// Terms that a thread of a sliced kernel has written out, at most.
static constexpr int64_t maxSliceTerms = 128;

/// The most threads of a workgroup that any device has, about: tiles of more
/// are none, so that nothing below overflows.
static constexpr int64_t maxThreads = 1024;

std::optional<ThreadBlock> ThreadBlock::get(const ContractionTile &tile) {
  if (tile.threads > maxThreads || tile.threads % tile.slices)
    return std::nullopt;
  int64_t threads = tile.threads / tile.slices;
  int64_t maxTile = maxSums * threads;
  if (tile.rows > maxTile || tile.columns > maxTile ||
      tile.rows * tile.columns > maxTile)
    return std::nullopt;
  int64_t perThread = tile.rows * tile.columns / threads;
  for (int64_t columns : {2 * side, side}) {
    ThreadBlock block{perThread / columns, columns, 0, 0};
    // As many rows as columns, or twice as many.
    if (block.rows < columns || block.rows % side)
      continue;
    block.threadRows = tile.rows / block.rows;
    block.threadColumns = tile.columns / block.columns;
    if (block.threadRows * block.rows == tile.rows &&
        block.threadColumns * block.columns == tile.columns &&
        block.threadRows * block.threadColumns == threads &&
        block.getVectors() % tile.slices == 0)
      return block;
  }
  return std::nullopt;
}

bool dml::isChosen(const ContractionOperand &operand) {
  return llvm::any_of(operand.slice,
                      [](Operation *op) { return isa<arith::SelectOp>(op); });
}

std::string dml::findTileProblem(const Contraction &contraction,
                                 const ContractionTile &tile,
                                 const DeviceProfile &profile) {
  if (!ThreadBlock::get(tile))
    return "is no " + std::to_string(tile.threads) +
           " blocks of rows and columns that are multiples of " +
           std::to_string(ThreadBlock::side) + " and have at most " +
           std::to_string(maxSums) + " elements, in " +
           std::to_string(tile.slices) + " slices";
  if (tile.threads > profile.getMaxWorkgroupSize())
    return "has " + std::to_string(tile.threads) +
           " threads, but the device profile has " +
           std::to_string(profile.getMaxWorkgroupSize());
  // No more than there are bytes, so that nothing below overflows.
  int64_t maxMemory = profile.getMaxWorkgroupMemory();
  if (tile.terms > maxMemory || tile.terms % contraction.getTermsOfStep())
    return "has " + std::to_string(tile.terms) +
           " terms, but a multiple of the " +
           std::to_string(contraction.getTermsOfStep()) +
           " of an iteration is wanted";
  if (tile.terms % tile.slices ||
      (tile.together > 0 && tile.terms % tile.together))
    return "has " + std::to_string(tile.terms) +
           " terms, but a multiple of its slices and of the terms that a "
           "thread loads together is wanted";
  int64_t bytes = std::max(getStagedVectors(tile), getExchangedVectors(tile)) *
                  DeviceProfile::vectorBytes;
  if (bytes > maxMemory)
    return "takes " + std::to_string(bytes) +
           " bytes of workgroup memory, but the device profile has " +
           std::to_string(maxMemory);
  return "";
}

std::string dml::findTileProblem(const Contraction &contraction,
                                 const SliceTile &tile) {
  constexpr int64_t threads = DeviceProfile::workgroupSize;
  if (tile.slices < 2 || tile.slices > threads || threads % tile.slices)
    return "has " + std::to_string(tile.slices) + " slices, but a divisor of " +
           std::to_string(threads) + " from 2 on is wanted";
  if (tile.rows > maxSums || tile.columns > maxSums ||
      tile.rows * tile.columns > maxSums)
    return "has more than " + std::to_string(maxSums) + " sums for a thread";
  // What a row's threads add up meets in workgroup memory.
  constexpr int64_t maxColumns =
      DeviceProfile::workgroupMemory / (threads * sizeof(float));
  if (tile.columns > maxColumns)
    return "has " + std::to_string(tile.columns) +
           " columns, but no more than " + std::to_string(maxColumns) +
           " are wanted, whose sums fit in workgroup memory";
  if (tile.terms > maxSliceTerms || tile.times > maxSliceTerms ||
      tile.terms * tile.times > maxSliceTerms ||
      tile.terms % contraction.getTermsOfStep())
    return "has " + std::to_string(tile.terms) + " terms " +
           std::to_string(tile.times) + " times, but a multiple of the " +
           std::to_string(contraction.getTermsOfStep()) +
           " of an iteration is wanted, and no more than " +
           std::to_string(maxSliceTerms) + " in all";
  return "";
}
