//===- AttentionMatrices.cpp - Factors of attention as matrices -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Kernels/AttentionMatrices.h"
#include "Emit/VectorPacker.h"
#include "Kernels/MatrixKernel.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

std::string AttentionMatrices::get(const Attention &attention,
                                   StringRef shapeName,
                                   const DeviceProfile &profile,
                                   AttentionMatrices &matrices) {
  std::optional<MatrixShape> shape = MatrixShape::parse(shapeName);
  if (!shape || !llvm::is_contained(profile.getMatrixShapes(), *shape) ||
      shape->factors != "f16" || shape->sums != "f32")
    return "has the shape '" + shapeName.str() +
           "', which is none of factors of f16 and sums of f32 of the device "
           "profile '" +
           profile.str() + "'";
  if (!canMultiply(attention.scores, *shape) ||
      !canMultiply(attention.products, *shape))
    return "wants queries, keys and values that were widened from f16";
  matrices.shape = *shape;
  int64_t ofStep = attention.scores.getTermsOfStep();
  matrices.unit = std::lcm(lanes, ofStep);
  matrices.stepsOfUnit = matrices.unit / ofStep;
  // Limited sizes keep the products below from overflowing.
  constexpr int64_t maxSize = 1 << 12;
  if (matrices.unit > maxSize || attention.scores.getTerms() > maxSize ||
      attention.products.columns.size > maxSize)
    return "stands on sums of more than " + std::to_string(maxSize) + " terms";
  matrices.terms = llvm::alignTo(attention.scores.getTerms(),
                                 std::lcm(matrices.unit, shape->terms));
  matrices.columns =
      llvm::alignTo(attention.products.columns.size, shape->columns);
  matrices.termsPitch = getLinePitch(matrices.terms, lanes);
  matrices.valuesPitch = getLinePitch(matrices.columns, lanes);
  return "";
}

std::string
AttentionMatrices::findProblemOfBlocks(int64_t keys,
                                       const DeviceProfile &profile) const {
  if (shape.rows % lanes || shape.columns % lanes || shape.terms % lanes ||
      keys % shape.columns || keys % shape.terms ||
      keys > profile.getMaxWorkgroupMemory())
    return "has " + std::to_string(keys) +
           " keys, but whole matrices are wanted, whose edges are multiples "
           "of " +
           std::to_string(lanes);
  return "";
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

Value AttentionMatrixBuilder::buildIsUpTo(LinearForm number, Value last) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ule,
                               forms->materialize(b, number), last);
}

Value AttentionMatrixBuilder::buildCount(LinearForm number, int64_t last,
                                         int64_t most) {
  return most <= last ? Value() : buildIsUpTo(number, constant(last));
}

AttentionMatrixBuilder::Forms
AttentionMatrixBuilder::getQueryCoordinates(LinearForm number) {
  const ContractionOperand &ofQueries = attention.scores.rows;
  return getCoordinates(
      ofQueries,
      forms->min(
          b, forms->add(b, forms->mul(b, rows.tile, queriesOfGroup), number),
          ofQueries.size - 1));
}

int64_t AttentionMatrixBuilder::getLastOfBlocks() const {
  return llvm::alignTo(attention.keys, keysOfBlock) - 1;
}

//===----------------------------------------------------------------------===//
// To workgroup memory
//===----------------------------------------------------------------------===//

/// Returns lines of `lines` queries or keys.
AttentionMatrixBuilder::Lines
AttentionMatrixBuilder::getTermLines(const ContractionOperand &operand,
                                     int64_t lines, int64_t first,
                                     int64_t ofStage) {
  StagedArea area;
  area.memory = memory;
  area.lines = lines;
  area.itemsOfLine = matrices.terms / matrices.unit;
  area.vectorsOfItem = matrices.unit / lanes;
  area.first = first;
  area.ofLine = matrices.termsPitch;
  area.ofItem = area.vectorsOfItem;
  area.ofVector = 1;
  area.ofBuffer = ofStage;
  return {operand, area};
}

AttentionMatrixBuilder::Lines
AttentionMatrixBuilder::getKeyLines(int64_t first, int64_t ofStage) {
  const ContractionOperand &keys = attention.scores.columns;
  Lines lines = getTermLines(keys, keysOfBlock, first, ofStage);
  // Where neighbouring keys of a term lie closer together than neighbouring
  // terms of a key, consecutive threads load terms of consecutive keys.
  lines.area.isAcrossLines =
      !isAlongSteps(keys, attention.scores, attention.key);
  return lines;
}

AttentionMatrixBuilder::Lines
AttentionMatrixBuilder::getValueLines(int64_t first, int64_t ofStage) {
  StagedArea area;
  area.memory = memory;
  area.lines = keysOfBlock;
  area.itemsOfLine = matrices.columns / lanes;
  area.vectorsOfItem = 1;
  area.first = first;
  area.ofLine = matrices.valuesPitch;
  area.ofItem = 1;
  area.ofVector = 1;
  area.ofBuffer = ofStage;
  return {contraction.columns, area};
}

/// Loads item `item` of the factors of scores: terms of a query, or of a key of
/// block `keyBlock`. An item has the terms of a unit: of as many iterations of
/// the loop over terms as fill whole vectors of 16 bytes. With 3 terms in an
/// iteration and vectors of 8, a unit has 8 iterations.
SmallVector<Value> AttentionMatrixBuilder::loadTerms(const Lines &lines,
                                                     const StagedItem &item,
                                                     LinearForm keyBlock) {
  const Contraction &sums = attention.scores;
  bool areKeys = &lines.operand == &sums.columns;
  LinearForm position = forms->min(
      b,
      forms->add(
          b, forms->mul(b, areKeys ? keyBlock : rows.tile, lines.area.lines),
          item.line),
      lines.operand.size - 1);
  int64_t stepsOfUnit = matrices.stepsOfUnit, ofStep = sums.getTermsOfStep();
  LinearForm first = forms->mul(b, item.inLine, stepsOfUnit);
  // If the loop over terms consists of whole units of `stepsOfUnit` iterations,
  // the iterations of an item either all exist or all lie beyond the end of the
  // loop. One condition then decides for the whole item. Otherwise each
  // iteration of an item has a condition of its own.
  bool isWhole = sums.steps % stepsOfUnit == 0;
  int64_t last = sums.steps - (isWhole ? stepsOfUnit : 1);
  int64_t most =
      lines.area.itemsOfLine * stepsOfUnit - (isWhole ? stepsOfUnit : 1);
  SmallVector<Value> counts(stepsOfUnit);
  if (isWhole) {
    counts.assign(stepsOfUnit, buildCount(first, last, most));
    first = forms->min(b, first, last);
  }
  TileBuilder builder(b, op, *forms, *views);
  Forms ofLine = getCoordinates(lines.operand, areKeys ? 0 : position);
  SmallVector<Forms> coordinates(stepsOfUnit, ofLine);
  for (int64_t i = 0; i < stepsOfUnit; ++i) {
    LinearForm step = forms->add(b, first, i);
    if (!isWhole) {
      counts[i] = buildCount(step, last, most);
      step = forms->min(b, step, last);
    }
    bindStep(builder, i, step, sums);
    if (areKeys)
      builder.bind(i, attention.key, position);
  }
  builder.buildSlice(lines.operand.slice, coordinates);
  SmallVector<Value> vectors;
  for (int64_t vector = 0; vector < lines.area.vectorsOfItem; ++vector) {
    SmallVector<BuiltFactor> factors;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t term = vector * lanes + lane;
      factors.push_back({term / ofStep, term % ofStep});
    }
    vectors.push_back(
        packFactors(builder, lines.operand, shape.factors, factors, counts));
  }
  return vectors;
}

/// Loads item `item` of the values of block `keyBlock`. An item is a vector of
/// neighbouring columns of one key's values.
SmallVector<Value> AttentionMatrixBuilder::loadValues(const StagedItem &item,
                                                      LinearForm keyBlock) {
  const ContractionOperand &operand = contraction.columns;
  LinearForm key =
      forms->add(b, forms->mul(b, keyBlock, keysOfBlock), item.line);
  // The value of a missing key is replaced by 0. The weight of such a key is 0,
  // but 0 times a value that is NaN would be NaN. The same holds for a key that
  // no query of the workgroup sees.
  SmallVector<Value> counts(
      lanes, lastSeen ? buildIsUpTo(key, lastSeen)
                      : buildCount(key, attention.keys - 1, getLastOfBlocks()));
  key = forms->min(b, key, attention.keys - 1);
  TileBuilder builder(b, op, *forms, *views);
  SmallVector<Forms> coordinates;
  SmallVector<BuiltFactor> factors;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    bindStep(builder, lane, key);
    coordinates.push_back(getCoordinates(
        operand, getPosition(operand, item.inLine, lane, lanes)));
    factors.push_back({lane, 0});
  }
  builder.buildSlice(operand.slice, coordinates);
  return {packFactors(builder, operand, shape.factors, factors, counts)};
}

SmallVector<Value> AttentionMatrixBuilder::load(const Lines &lines,
                                                LinearForm keyBlock) {
  bool areValues = &lines.operand == &contraction.columns;
  return Staging(b, *forms, threads)
      .load(lines.area, [&](const StagedItem &item) {
        return areValues ? loadValues(item, keyBlock)
                         : loadTerms(lines, item, keyBlock);
      });
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

void AttentionMatrixBuilder::meet() {
  spirv::ControlBarrierOp::create(b, spirv::Scope::Subgroup,
                                  spirv::Scope::Subgroup,
                                  spirv::MemorySemantics::AcquireRelease |
                                      spirv::MemorySemantics::WorkgroupMemory);
}

Value AttentionMatrixBuilder::getZeroSums() {
  return gpu::SubgroupMmaConstantMatrixOp::create(b, getSumsType(),
                                                  constantOf(0));
}

Value AttentionMatrixBuilder::loadMatrix(gpu::MMAMatrixType type,
                                         LinearForm place, int64_t pitch,
                                         bool isTransposed) {
  return gpu::SubgroupMmaLoadMatrixOp::create(
      b, type, memory, ValueRange(forms->materialize(b, place)),
      b.getIndexAttr(pitch), isTransposed ? b.getUnitAttr() : UnitAttr());
}

void AttentionMatrixBuilder::storeMatrix(Value matrix, LinearForm place,
                                         int64_t pitch) {
  gpu::SubgroupMmaStoreMatrixOp::create(
      b, matrix, memory, ValueRange(forms->materialize(b, place)),
      b.getIndexAttr(pitch), UnitAttr());
}

Value AttentionMatrixBuilder::multiply(Value row, Value column, Value sum) {
  return gpu::SubgroupMmaComputeOp::create(b, sum.getType(), row, column, sum,
                                           UnitAttr(), UnitAttr());
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value AttentionMatrixBuilder::constantOf(double value, int64_t count) {
  TypedAttr attribute = b.getF32FloatAttr(static_cast<float>(value));
  if (count > 1)
    attribute = DenseElementsAttr::get(VectorType::get(count, b.getF32Type()),
                                       attribute);
  return arith::ConstantOp::create(b, attribute);
}

Value AttentionMatrixBuilder::loadNumbers(LinearForm place) {
  Value vector =
      memref::LoadOp::create(b, memory, forms->materialize(b, place));
  return vector::BitCastOp::create(
      b, VectorType::get(wordsOfVector, b.getF32Type()), vector);
}

Value AttentionMatrixBuilder::packHalves(ArrayRef<Value> numbers) {
  auto wordType = VectorType::get(1, b.getI32Type()),
       pairType = VectorType::get(2, b.getF16Type());
  SmallVector<Value> words;
  for (size_t first = 0; first < numbers.size(); first += 2) {
    ArrayRef<Value> two = numbers.slice(first, 2);
    Value pair = vector::FromElementsOp::create(
        b, VectorType::get(2, two.front().getType()), two);
    if (pair.getType() != pairType)
      pair = arith::TruncFOp::create(b, pairType, pair);
    words.push_back(vector::ExtractOp::create(
        b, vector::BitCastOp::create(b, wordType, pair), 0));
  }
  return vector::FromElementsOp::create(
      b, VectorType::get(wordsOfVector, b.getI32Type()), words);
}

void AttentionMatrixBuilder::storeVector(Value vector, LinearForm place) {
  memref::StoreOp::create(
      b,
      vector::BitCastOp::create(
          b, VectorType::get(wordsOfVector, b.getI32Type()), vector),
      memory, forms->materialize(b, place));
}
