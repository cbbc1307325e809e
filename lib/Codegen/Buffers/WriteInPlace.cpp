//===- WriteInPlace.cpp - Outputs in the buffers of inputs ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/ElementMap.h"
#include "Emit/TileBuilder.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/IR/Placement.h"
#include "dml/Codegen/Passes.h"
#include "dml/IR/DML.h"
#include "dml/IR/InPlace.h"
#include "dml/Target/DeviceProfile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace dml {
#define GEN_PASS_DEF_WRITEINPLACE
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

/// Returns the argument or the allocation of which `buffer` is a view.
static Value getRootBuffer(Value buffer) {
  while (isBufferView(buffer.getDefiningOp()))
    buffer = buffer.getDefiningOp()->getOperand(0);
  return buffer;
}

//===----------------------------------------------------------------------===//
// Memory of operations
//===----------------------------------------------------------------------===//

namespace {
/// A buffer, or a view of a buffer, that an operation reads or writes.
struct BufferUse {
  Value buffer;
  bool writes;
  /// The load in the body of a generic that reads the buffer. Null if the
  /// buffer is used in another way.
  memref::LoadOp load = {};
};
} // namespace

/// Returns the buffers that `op` reads and writes, or nothing if `op` may
/// access other memory as well.
static std::optional<SmallVector<BufferUse>> getUses(Operation &op) {
  SmallVector<BufferUse> uses;
  if (isBufferView(&op) ||
      isa<memref::AllocOp, memref::DeallocOp, memref::GetGlobalOp>(op) ||
      (op.getNumRegions() == 0 && isMemoryEffectFree(&op)))
    return uses;
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    uses.push_back({copy.getSource(), false});
    uses.push_back({copy.getTarget(), true});
    return uses;
  }
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || !generic.hasPureBufferSemantics())
    return std::nullopt;
  for (Value input : generic.getDpsInputs())
    uses.push_back({input, false});
  for (auto [output, element] :
       llvm::zip_equal(generic.getDpsInits(), generic.getRegionOutputArgs())) {
    if (!element.use_empty())
      uses.push_back({output, false});
    uses.push_back({output, true});
  }
  bool isKnown = true;
  generic.getBody()->walk([&](Operation *nested) {
    if (auto load = dyn_cast<memref::LoadOp>(nested))
      uses.push_back({load.getMemRef(), false, load});
    else if (llvm::any_of(nested->getOperandTypes(),
                          llvm::IsaPred<BaseMemRefType>))
      isKnown = false;
  });
  return isKnown ? std::optional(uses) : std::nullopt;
}

/// Whether `later` must not move in front of `earlier`: `later` uses a result
/// of `earlier`, or one of both writes a buffer that the other accesses.
static bool dependsOn(Operation &later, Operation &earlier) {
  bool usesResult = false;
  later.walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      usesResult |= operand.getDefiningOp() == &earlier;
  });
  if (usesResult)
    return true;
  auto uses = getUses(later), others = getUses(earlier);
  if (!uses || !others)
    return true;
  for (const BufferUse &use : *uses)
    for (const BufferUse &other : *others)
      if ((use.writes || other.writes) &&
          getRootBuffer(use.buffer) == getRootBuffer(other.buffer))
        return true;
  return false;
}

/// Moves `reader`, which stands behind `writer` in the same block, to the place
/// in front of `writer`. The operations between the two on which `reader`
/// depends are moved as well. Returns false, and changes nothing, if `reader`
/// or one of these operations depends on `writer`.
static bool hoistBefore(Operation *reader, Operation *writer) {
  SmallVector<Operation *> moved = {reader};
  for (Operation *op = reader->getPrevNode();; op = op->getPrevNode()) {
    bool isNeeded = llvm::any_of(
        moved, [&](Operation *later) { return dependsOn(*later, *op); });
    if (op == writer && isNeeded)
      return false;
    if (op == writer)
      break;
    if (isNeeded)
      moved.push_back(op);
  }
  for (Operation *op : llvm::reverse(moved))
    op->moveBefore(writer);
  return true;
}

/// Returns the name of the operator from which `op` was lowered, and the name
/// of the model's node, if there is one. Used in error messages.
static std::string getOperatorName(Operation *op) {
  auto label = op->getAttrOfType<StringAttr>(labelAttrName);
  StringRef name = label ? label.getValue() : op->getName().getStringRef();
  std::string text = ("'" + name + "'").str();
  op->getLoc()->walk([&](Location part) {
    auto node = dyn_cast<NameLoc>(part);
    if (!node)
      return WalkResult::advance();
    text += (" (" + node.getName().getValue() + ")").str();
    return WalkResult::interrupt();
  });
  return text;
}

//===----------------------------------------------------------------------===//
// Places of elements
//===----------------------------------------------------------------------===//

namespace {
/// The place of each element of a buffer, as the byte of the root at which the
/// element begins. This byte is a linear function of the element's coordinates:
/// element (i, j) begins at byte offset + factors[0] * i + factors[1] * j.
struct BytePlace {
  int64_t offset = 0;
  SmallVector<int64_t> factors;

  bool operator==(const BytePlace &other) const {
    return offset == other.offset && factors == other.factors;
  }
};
} // namespace

/// Returns the bytes of the root at which the elements of `buffer` begin, as a
/// function of their coordinates in `buffer`. Returns nothing if this function
/// is not linear, or if elements do not consist of whole bytes.
static std::optional<BytePlace> getElementPlace(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  std::optional<Placement> placement = getPlacement(buffer);
  if (!placement || !type.hasStaticShape() ||
      !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0)
    return std::nullopt;
  int64_t bytes = type.getElementTypeBitWidth() / 8, packed = bytes;
  BytePlace place;
  place.factors.resize(type.getRank());
  for (int64_t dim = type.getRank(); dim-- > 0;) {
    place.factors[dim] = packed;
    packed *= type.getDimSize(dim);
  }
  for (const Strip &strip : placement->strips) {
    if (strip.count > 1) {
      // The bytes of the buffer lie in runs at equal distances in a larger
      // buffer, such as runs of 64 bytes that begin 256 bytes apart. If a
      // coordinate's factor is a multiple of the run's length, such as 128
      // bytes, the coordinate steps over whole runs, here by 512 bytes in the
      // larger buffer. The other coordinates must stay within a run, even if
      // all of them have their largest values. Otherwise, the position in the
      // larger buffer is not a linear function.
      int64_t end = place.offset + bytes;
      for (auto [factor, size] :
           llvm::zip_equal(place.factors, type.getShape())) {
        if (factor % strip.run == 0)
          factor = factor / strip.run * strip.stride;
        else
          end += (size - 1) * factor;
      }
      if (end > strip.run)
        return std::nullopt;
    }
    place.offset += strip.offset;
  }
  return place;
}

/// Returns the least and the greatest value of a linear function for all
/// coordinates in `shape`.
static std::pair<int64_t, int64_t> getRange(const BytePlace &function,
                                            ArrayRef<int64_t> shape) {
  int64_t least = function.offset, greatest = function.offset;
  for (auto [factor, size] : llvm::zip_equal(function.factors, shape))
    (factor < 0 ? least : greatest) += factor * (size - 1);
  return {least, greatest};
}

namespace {
/// Digits of a linear function of the coordinates that is never negative:
/// (number floordiv divisor) mod modulus, or without a modulus if it is 0. For
/// example, the last digit of a decimal number has divisor 1 and modulus 10,
/// and all digits before it have divisor 10 and modulus 0.
struct Digits {
  BytePlace number;
  int64_t divisor = 1, modulus = 0;
};

/// An index: the sum of a linear function of the coordinates and of digits,
/// each with a factor. A body that computes 32-bit words splits the number of
/// an f16, twice the number of the word, into coordinates, and adds these up
/// again. For example, the sum 16 * (n floordiv 16) + n mod 16 is the number n,
/// and n floordiv 2 is the word of the f16 with this number.
struct Index {
  BytePlace linear;
  SmallVector<std::pair<int64_t, Digits>> digits;
};

/// Reads indices in the body of a generic as functions of the coordinates of
/// the element that the generic computes.
class IndexReader {
public:
  explicit IndexReader(linalg::GenericOp op)
      : op(op), shape(getOutputType(op).getShape()) {}

  /// Returns the function, or nothing if `value` is no such function, or may
  /// not fit its type.
  std::optional<Index> read(Value value);

private:
  std::optional<Index> readAny(Value value);
  std::optional<Index> readSum(Value lhs, Value rhs, int64_t factorOfRhs);
  std::optional<Index> divide(Index index, int64_t divisor,
                              bool wantsRemainder);
  Index getDigits(Digits digits);
  void scale(Index &index, int64_t factor);
  void join(Index &index);
  std::pair<int64_t, int64_t> getRangeOf(const Index &index);
  int64_t getGreatest(const Digits &digits);

  linalg::GenericOp op;
  ArrayRef<int64_t> shape;
  /// A body may add an index to itself, the sum to itself, and so on. Since
  /// both operands of a sum are read, n such sums would take 2^n reads without
  /// a limit.
  int64_t readsLeft = 256;
};
} // namespace

int64_t IndexReader::getGreatest(const Digits &digits) {
  int64_t quotient = getRange(digits.number, shape).second / digits.divisor;
  return digits.modulus ? std::min(quotient, digits.modulus - 1) : quotient;
}

std::pair<int64_t, int64_t> IndexReader::getRangeOf(const Index &index) {
  auto [least, greatest] = getRange(index.linear, shape);
  for (const auto &[factor, digits] : index.digits)
    (factor < 0 ? least : greatest) += factor * getGreatest(digits);
  return {least, greatest};
}

void IndexReader::scale(Index &index, int64_t factor) {
  index.linear.offset *= factor;
  for (int64_t &each : index.linear.factors)
    each *= factor;
  for (auto &each : index.digits)
    each.first *= factor;
}

/// Returns `digits` as an index: without a modulus that no number reaches, and
/// as a linear function if all digits are there.
Index IndexReader::getDigits(Digits digits) {
  Index index;
  index.linear.factors.resize(shape.size());
  int64_t greatest = getRange(digits.number, shape).second;
  if (digits.modulus && greatest / digits.divisor < digits.modulus)
    digits.modulus = 0;
  if (digits.divisor > greatest)
    return index;
  if (digits.divisor == 1 && digits.modulus == 0)
    index.linear = digits.number;
  else
    index.digits.emplace_back(1, digits);
  return index;
}

/// Joins neighbouring digits of the same number. For example, the last digit of
/// a decimal number and 10 times the digit before it are the number modulo 100.
void IndexReader::join(Index &index) {
  auto &all = index.digits;
  for (size_t i = 0; i < all.size(); ++i) {
    auto [factor, low] = all[i];
    auto *high =
        llvm::find_if(all, [&, factor = factor, &low = low](auto &each) {
          return low.modulus != 0 && each.first == factor * low.modulus &&
                 each.second.divisor == low.divisor * low.modulus &&
                 each.second.number == low.number;
        });
    if (high == all.end())
      continue;
    Index joined = getDigits(
        {low.number, low.divisor, low.modulus * high->second.modulus});
    all[i] = {0, low};
    all.erase(high);
    llvm::erase_if(all, [](auto &each) { return each.first == 0; });
    scale(joined, factor);
    index.linear.offset += joined.linear.offset;
    for (auto [sum, own] :
         llvm::zip_equal(index.linear.factors, joined.linear.factors))
      sum += own;
    llvm::append_range(all, joined.digits);
    // The joined digits may have neighbours in turn.
    return join(index);
  }
}

std::optional<Index> IndexReader::readSum(Value lhs, Value rhs,
                                          int64_t factorOfRhs) {
  std::optional<Index> sum = read(lhs);
  if (!sum)
    return std::nullopt;
  std::optional<Index> other = read(rhs);
  if (!other)
    return std::nullopt;
  scale(*other, factorOfRhs);
  sum->linear.offset += other->linear.offset;
  for (auto [factor, own] :
       llvm::zip_equal(sum->linear.factors, other->linear.factors))
    factor += own;
  llvm::append_range(sum->digits, other->digits);
  join(*sum);
  return sum;
}

/// Divides `index` by `divisor`. Returns the quotient or the remainder.
std::optional<Index> IndexReader::divide(Index index, int64_t divisor,
                                         bool wantsRemainder) {
  if (divisor <= 0 || getRangeOf(index).first < 0)
    return std::nullopt;
  if (!index.digits.empty()) {
    // The quotient of a sum is not the sum of quotients.
    const auto &[factor, digits] = index.digits.front();
    bool isAlone = index.digits.size() == 1 && factor == 1 &&
                   index.linear.offset == 0 &&
                   llvm::all_of(index.linear.factors,
                                [](int64_t each) { return each == 0; });
    if (!isAlone || digits.modulus % divisor)
      return std::nullopt;
    return getDigits(wantsRemainder
                         ? Digits{digits.number, digits.divisor, divisor}
                         : Digits{digits.number, digits.divisor * divisor,
                                  digits.modulus / divisor});
  }
  // If the divisor divides all factors, the quotient is linear as well.
  if (llvm::all_of(index.linear.factors,
                   [&](int64_t factor) { return factor % divisor == 0; })) {
    int64_t offset = index.linear.offset;
    for (int64_t &factor : index.linear.factors)
      factor = wantsRemainder ? 0 : factor / divisor;
    index.linear.offset = wantsRemainder ? offset % divisor : offset / divisor;
    return index;
  }
  return getDigits(wantsRemainder ? Digits{index.linear, 1, divisor}
                                  : Digits{index.linear, divisor, 0});
}

std::optional<Index> IndexReader::read(Value value) {
  std::optional<Index> index = readAny(value);
  auto type = dyn_cast<IntegerType>(value.getType());
  if (!index || !type || type.getWidth() >= 64)
    return index;
  auto [least, greatest] = getRangeOf(*index);
  return llvm::isIntN(type.getWidth(), least) &&
                 llvm::isIntN(type.getWidth(), greatest)
             ? index
             : std::nullopt;
}

std::optional<Index> IndexReader::readAny(Value value) {
  Index index;
  index.linear.factors.resize(shape.size());
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    index.linear.offset = constant.getSExtValue();
    return index;
  }
  Operation *by = value.getDefiningOp();
  if (!by || readsLeft == 0)
    return std::nullopt;
  --readsLeft;
  if (auto coordinate = dyn_cast<linalg::IndexOp>(by)) {
    if (coordinate->getParentOfType<linalg::GenericOp>() != op)
      return std::nullopt;
    index.linear.factors[coordinate.getDim()] = 1;
    return index;
  }
  if (isa<arith::AddIOp, arith::SubIOp>(by))
    return readSum(by->getOperand(0), by->getOperand(1),
                   isa<arith::SubIOp>(by) ? -1 : 1);
  if (isa<arith::IndexCastOp>(by))
    return read(by->getOperand(0));
  if (isa<arith::IndexCastUIOp>(by)) {
    // An unsigned number that is negative as a signed one becomes another.
    std::optional<Index> number = read(by->getOperand(0));
    return number && getRangeOf(*number).first >= 0 ? number : std::nullopt;
  }
  if (by->getNumOperands() != 2 ||
      !matchPattern(by->getOperand(1), m_ConstantInt(&constant)))
    return std::nullopt;
  int64_t number = constant.getSExtValue();
  if (!isa<arith::MulIOp, arith::MinUIOp, arith::DivUIOp, arith::RemUIOp>(by))
    return std::nullopt;
  std::optional<Index> operand = read(by->getOperand(0));
  if (!operand)
    return std::nullopt;
  if (isa<arith::MulIOp>(by)) {
    scale(*operand, number);
    return operand;
  }
  if (isa<arith::MinUIOp>(by)) {
    // If no index exceeds the constant, the minimum is always the index.
    auto [least, greatest] = getRangeOf(*operand);
    return least >= 0 && greatest <= number ? operand : std::nullopt;
  }
  return divide(std::move(*operand), number, isa<arith::RemUIOp>(by));
}

/// Adds `scale` times the index `value` to the linear function `place`. `value`
/// is computed in the body of `op`. Returns false if `value` is not a linear
/// function of the coordinates.
static bool addIndex(Value value, linalg::GenericOp op, int64_t scale,
                     BytePlace &place) {
  std::optional<Index> index = IndexReader(op).read(value);
  if (!index || !index->digits.empty())
    return false;
  place.offset += scale * index->linear.offset;
  for (auto [factor, own] :
       llvm::zip_equal(place.factors, index->linear.factors))
    factor += scale * own;
  return true;
}

/// Sets the factor of each dimension of size 1 to 0, since the coordinate in
/// such a dimension is always 0.
static void dropUnits(BytePlace &place, ArrayRef<int64_t> shape) {
  for (auto [factor, size] : llvm::zip_equal(place.factors, shape))
    if (size == 1)
      factor = 0;
}

/// Returns the byte of the root at which `load` loads, as a function of the
/// coordinates of the element that `op` computes. Returns nothing if this
/// function is not linear.
static std::optional<BytePlace> getLoadPlace(memref::LoadOp load,
                                             linalg::GenericOp op) {
  std::optional<BytePlace> element = getElementPlace(load.getMemRef());
  if (!element || !mapsElements(op))
    return std::nullopt;
  BytePlace place;
  place.offset = element->offset;
  ArrayRef<int64_t> shape = getOutputType(op).getShape();
  place.factors.resize(shape.size());
  for (auto [index, factor] :
       llvm::zip_equal(load.getIndices(), element->factors))
    if (!addIndex(index, op, factor, place))
      return std::nullopt;
  dropUnits(place, shape);
  return place;
}

/// Returns all bytes of the root that `load` reads while `op` computes its
/// elements, as a strip: runs of equal length at equal distances. 3 rows of 8
/// bytes at distances of 40 bytes are a strip of 3 runs. Returns nothing if the
/// bytes are not known to form a strip.
static std::optional<Strip> getLoadExtent(memref::LoadOp load,
                                          linalg::GenericOp op) {
  std::optional<BytePlace> place = getLoadPlace(load, op);
  if (!place)
    return std::nullopt;
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [factor, size] :
       llvm::zip_equal(place->factors, getOutputType(op).getShape())) {
    if (factor < 0)
      return std::nullopt;
    if (factor > 0)
      dims.emplace_back(factor, size);
  }
  llvm::sort(dims);
  int64_t run = load.getMemRefType().getElementTypeBitWidth() / 8;
  size_t next = 0;
  for (; next < dims.size() && dims[next].first <= run; ++next)
    run += (dims[next].second - 1) * dims[next].first;
  if (next == dims.size())
    return Strip{place->offset, run, run, 1};
  auto [stride, count] = dims[next++];
  for (; next < dims.size() && dims[next].first == stride * count; ++next)
    count *= dims[next].second;
  if (next == dims.size())
    return Strip{place->offset, run, stride, count};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// One pair
//===----------------------------------------------------------------------===//

namespace {
/// Changes a function so that an input and an output can have the same buffer.
class PairWriter {
public:
  PairWriter(func::FuncOp function, BlockArgument input, BlockArgument output)
      : function(function), input(input), output(output) {}

  LogicalResult run();

private:
  /// An access of an operation to the input or the output, two arguments of the
  /// function, with the range of the buffer that the operation accesses. The
  /// caller binds one buffer as both arguments, so that a write of the output
  /// overwrites the input.
  struct PairUse {
    Value buffer;
    Placement placement;
    Strip extent;
  };
  /// The accesses of one operation to the input and the output, two arguments
  /// of the function.
  struct PairUses {
    SmallVector<PairUse> inputReads, outputReads, writes;
  };

  std::string getName(BlockArgument argument, StringRef kind);
  InFlightDiagnostic fail(Operation *op);
  FailureOr<PairUses> getPairUses(Operation &op);
  /// The input and the output are arguments of the function that the caller
  /// binds to one buffer. Moves operations that read elements of the input
  /// before operations that overwrite these elements. Reports an error if an
  /// operation cannot be moved.
  LogicalResult orderReads();
  LogicalResult findLateRead(Operation *&reader, Operation *&writer);
  LogicalResult writeInPlace(Operation &op);
  LogicalResult proveOwnElements(linalg::GenericOp op, const PairUse &written,
                                 SmallVectorImpl<memref::LoadOp> &loads);
  LogicalResult writeThroughCopy(linalg::GenericOp op);
  bool isOwnElement(memref::LoadOp load, linalg::GenericOp op,
                    const PairUse &written);
  bool storesToItself(Operation &op, const PairUses &uses);

  func::FuncOp function;
  BlockArgument input, output;
};
} // namespace

std::string PairWriter::getName(BlockArgument argument, StringRef kind) {
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    nameAttrName);
  return name ? (kind + " '" + name.getValue() + "'").str()
              : "argument " + std::to_string(argument.getArgNumber());
}

InFlightDiagnostic PairWriter::fail(Operation *op) {
  return emitError(op->getLoc())
         << getName(output, "output") << " cannot be in the place of "
         << getName(input, "input") << ": " << getOperatorName(op) << " ";
}

FailureOr<PairWriter::PairUses> PairWriter::getPairUses(Operation &op) {
  PairUses result;
  std::optional<SmallVector<BufferUse>> uses = getUses(op);
  if (!uses) {
    bool touches = false;
    op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        Value root = getRootBuffer(operand);
        touches |= root == input || root == output;
      }
    });
    if (!touches || isa<func::ReturnOp>(op))
      return result;
    return fail(&op) << "uses the buffer in a way that the compiler does not "
                        "know";
  }
  for (const BufferUse &use : *uses) {
    Value root = getRootBuffer(use.buffer);
    if (root != input && root != output)
      continue;
    std::optional<Placement> placement = getPlacement(use.buffer);
    if (!placement)
      return fail(&op) << "uses a view of the buffer that has no constant "
                          "place";
    if (root == input && use.writes)
      return fail(&op) << "writes the input";
    auto &list = root == input
                     ? result.inputReads
                     : (use.writes ? result.writes : result.outputReads);
    Strip extent = placement->getExtent(use.buffer);
    if (use.load)
      extent =
          getLoadExtent(use.load, cast<linalg::GenericOp>(op)).value_or(extent);
    list.push_back({use.buffer, std::move(*placement), extent});
  }
  return result;
}

/// Whether `load`, in the body of `op`, always loads the element of the input
/// that lies where `op` stores the computed element. `written` is the output of
/// `op`.
bool PairWriter::isOwnElement(memref::LoadOp load, linalg::GenericOp op,
                              const PairUse &written) {
  if (getRootBuffer(load.getMemRef()) != input ||
      load.getMemRefType().getElementType() !=
          getOutputType(op).getElementType())
    return false;
  std::optional<BytePlace> loaded = getLoadPlace(load, op),
                           computed = getElementPlace(written.buffer);
  if (!loaded || !computed)
    return false;
  dropUnits(*computed, getOutputType(op).getShape());
  return *loaded == *computed;
}

/// Whether `op` changes nothing: it only stores elements of the input, each at
/// the byte from which it is loaded.
bool PairWriter::storesToItself(Operation &op, const PairUses &uses) {
  if (uses.writes.size() != 1)
    return false;
  const PairUse &to = uses.writes.front();
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    if (!mapsElements(generic))
      return false;
    auto load = generic.getBody()
                    ->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<memref::LoadOp>();
    return load && isOwnElement(load, generic, to);
  }
  if (!isa<memref::CopyOp>(op) || uses.inputReads.size() != 1)
    return false;
  const PairUse &from = uses.inputReads.front();
  return from.placement.strips == to.placement.strips &&
         getNumBytes(cast<MemRefType>(from.buffer.getType())) ==
             getNumBytes(cast<MemRefType>(to.buffer.getType()));
}

/// Finds an operation, `reader`, that reads elements of the input after another
/// operation, `writer`, has overwritten them with elements of the output.
/// Leaves both null if there is no such pair. An operation that only stores
/// elements of the input to their own places (storesToItself()) does not count
/// as a writer.
LogicalResult PairWriter::findLateRead(Operation *&reader, Operation *&writer) {
  SmallVector<std::pair<Operation *, Strip>> written;
  for (Operation &op : function.getBody().front()) {
    FailureOr<PairUses> uses = getPairUses(op);
    if (failed(uses))
      return failure();
    for (const PairUse &read : uses->inputReads)
      for (auto [before, extent] : written)
        if (extent.overlaps(read.extent)) {
          reader = &op;
          writer = before;
          return success();
        }
    if (storesToItself(op, *uses))
      continue;
    for (const PairUse &write : uses->writes)
      written.push_back({&op, write.extent});
  }
  return success();
}

LogicalResult PairWriter::orderReads() {
  // Each move puts a reader of the input in front of an operation that would
  // overwrite the elements before they are read. The limit on the number of
  // moves ensures that the loop ends.
  size_t moves = function.getBody().front().getOperations().size();
  while (true) {
    Operation *reader = nullptr, *writer = nullptr;
    if (failed(findLateRead(reader, writer)))
      return failure();
    if (!reader)
      return success();
    if (moves-- == 0 || !hoistBefore(reader, writer))
      return fail(reader) << "reads the input after " << getOperatorName(writer)
                          << " has written the output";
  }
}

/// Proves that the input and the output `written` of `op` can be one buffer. To
/// compute an element of the output, `op` may load only the element of the
/// input at the same place. No other thread can then overwrite the loaded
/// element before it is loaded. Adds the loads of the input to `loads`. Loads
/// from other places are rejected even if they do not overlap `written`, since
/// kernels load whole vectors, which may extend into `written`.
LogicalResult
PairWriter::proveOwnElements(linalg::GenericOp op, const PairUse &written,
                             SmallVectorImpl<memref::LoadOp> &loads) {
  if (!mapsElements(op))
    return fail(op) << "is no map of elements";
  WalkResult result = op.getBody()->walk([&](memref::LoadOp load) {
    if (getRootBuffer(load.getMemRef()) != input)
      return WalkResult::advance();
    if (!isOwnElement(load, op, written))
      return WalkResult::interrupt();
    loads.push_back(load);
    return WalkResult::advance();
  });
  if (!result.wasInterrupted())
    return success();
  return fail(op) << "reads elements of the input that other invocations of "
                     "its kernel write";
}

/// Makes `op`, whose body has loops, write a new buffer, and copies this buffer
/// to the output. (The kernels for bodies with loops, such as contractions and
/// reductions of rows, do not accept a body that reads the old element of its
/// output.)
LogicalResult PairWriter::writeThroughCopy(linalg::GenericOp op) {
  Value target = op.getDpsInits().front();
  auto type = dyn_cast<MemRefType>(target.getType());
  if (target != output || !type)
    return fail(op) << "writes a part of the output with loops over the input";
  OpBuilder builder(op);
  Value whole = memref::AllocOp::create(builder, op.getLoc(), type);
  op.getDpsInitsMutable()[0].assign(whole);
  builder.setInsertionPointAfter(op);
  memref::CopyOp::create(builder, op.getLoc(), whole, target);
  return success();
}

/// If `op` reads the input and writes the output, rewrites `op` for a single
/// buffer that holds both. `op` must load each element of the input from the
/// place where it stores an element of the output. After the rewriting, the
/// body uses the old value of the output's element instead of the load. Erases
/// `op` if it only stores elements to the places from which it loads them.
LogicalResult PairWriter::writeInPlace(Operation &op) {
  FailureOr<PairUses> uses = getPairUses(op);
  if (failed(uses))
    return failure();
  if (storesToItself(op, *uses)) {
    op.erase();
    return success();
  }
  if (uses->inputReads.empty() || uses->writes.empty())
    return success();
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || uses->writes.size() != 1)
    return fail(&op) << "copies elements of the input to other places";
  SmallVector<memref::LoadOp> loads;
  if (failed(proveOwnElements(generic, uses->writes.front(), loads)))
    return failure();
  if (!uses->outputReads.empty())
    return fail(&op) << "reads elements of the input and of the output";
  if (TileBuilder::hasLoops(generic))
    return writeThroughCopy(generic);
  for (memref::LoadOp load : loads) {
    load.replaceAllUsesWith(Value(generic.getRegionOutputArgs().front()));
    load.erase();
  }
  return success();
}

LogicalResult PairWriter::run() {
  if (failed(orderReads()))
    return failure();
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
    if (failed(writeInPlace(op)))
      return failure();
  input.replaceAllUsesWith(output);
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct WriteInPlace : dml::impl::WriteInPlaceBase<WriteInPlace> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    llvm::SmallMapVector<Attribute, SmallVector<BlockArgument, 2>, 4> pairs;
    if (!function.isDeclaration())
      for (BlockArgument argument : function.getArguments())
        if (Attribute number =
                function.getArgAttr(argument.getArgNumber(), inPlaceAttrName))
          pairs[number].push_back(argument);
    for (auto &[number, pair] : pairs) {
      if (!function.getBody().hasOneBlock() || pair.size() != 2 ||
          pair[0].getType() != pair[1].getType()) {
        emitError(function.getLoc(), "attribute '")
            << inPlaceAttrName << "' is " << number
            << ", but wants two buffers of one type in a function without "
               "control flow";
        return signalPassFailure();
      }
      // The first buffer of each pair is the input and the second is the
      // output, since bufferization appends the results of a function to its
      // arguments.
      if (failed(PairWriter(function, pair[0], pair[1]).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
