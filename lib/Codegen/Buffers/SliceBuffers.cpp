//===- SliceBuffers.cpp - Ranges of buffers too large to bind -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/ElementMap.h"
#include "Emit/IndexForms.h"
#include "dml/Codegen/IR/BufferOps.h"
#include "dml/Codegen/IR/Placement.h"
#include "dml/Codegen/Passes.h"
#include "dml/IR/DML.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <vector>

namespace dml {
#define GEN_PASS_DEF_SLICEBUFFERS
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// The bytes that a slice reads and writes
//===----------------------------------------------------------------------===//

namespace {
/// A slice: the part of a generic's output that one of several kernels
/// computes. The slice has `sizes[d]` coordinates in each dimension d, from
/// `offsets[d]` on.
struct Box {
  SmallVector<int64_t> offsets, sizes;

  IndexRange getRange(int64_t dim) const {
    return {offsets[dim], offsets[dim] + sizes[dim] - 1};
  }
  /// Returns the part of this slice with `size` coordinates in dimension `dim`,
  /// without the first `skipped` coordinates.
  Box getPart(int64_t dim, int64_t skipped, int64_t size) const {
    Box part = *this;
    part.offsets[dim] += skipped;
    part.sizes[dim] = size;
    return part;
  }
};

/// The bytes of a buffer from `begin` to `end`, without the byte at `end`.
struct ByteRange {
  int64_t begin, end;

  int64_t size() const { return end - begin; }
  void add(const ByteRange &other) {
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
  }
  /// Returns the range that a kernel must bind to use the bytes of this range.
  /// A bound range begins at a multiple of 256: to use the bytes from 1,000 on,
  /// a kernel binds a range from byte 768 on.
  ByteRange getBound() const {
    return {begin - begin % static_cast<int64_t>(DeviceProfile::rangeAlignment),
            end};
  }
};

/// Infers the ranges of the integers in a body, for the elements of the output
/// whose coordinates lie in `box`.
class BodyRanges {
public:
  explicit BodyRanges(const Box &box) : box(box) {}

  IndexRange get(Value index) {
    ConstantIntRanges range = compute(index);
    return {range.smin().getSExtValue(), range.smax().getSExtValue()};
  }

private:
  static ConstantIntRanges fromRange(const IndexRange &range) {
    constexpr unsigned bits = IndexType::kInternalStorageBitWidth;
    return ConstantIntRanges::fromSigned(APInt(bits, range.min, true),
                                         APInt(bits, range.max, true));
  }

  ConstantIntRanges compute(Value value) {
    if (auto found = known.find(value); found != known.end())
      return found->second;
    ConstantIntRanges range = infer(value);
    known.try_emplace(value, range);
    return range;
  }

  ConstantIntRanges infer(Value value) {
    auto unknown = ConstantIntRanges::maxRange(
        ConstantIntRanges::getStorageBitwidth(value.getType()));
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop || argument != loop.getInductionVar() ||
          !value.getType().isIndex())
        return unknown;
      int64_t first = get(loop.getLowerBound()).min;
      return fromRange(
          {first, std::max(first, get(loop.getUpperBound()).max - 1)});
    }
    Operation *op = value.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      return fromRange(box.getRange(static_cast<int64_t>(index.getDim())));
    auto inferable = dyn_cast<InferIntRangeInterface>(op);
    if (!inferable || op->getNumRegions())
      return unknown;
    SmallVector<IntegerValueRange> operands;
    for (Value operand : op->getOperands())
      operands.push_back(operand.getType().isIntOrIndex()
                             ? IntegerValueRange(compute(operand))
                             : IntegerValueRange());
    inferable.inferResultRangesFromOptional(
        operands, [&](Value result, const IntegerValueRange &range) {
          if (result == value && !range.isUninitialized())
            unknown = range.getValue();
        });
    return unknown;
  }

  const Box &box;
  llvm::DenseMap<Value, ConstantIntRanges> known;
};

/// A buffer of type `type` that a body reads or writes, with its placement.
struct SlicedAccess {
  MemRefType type;
  Placement placement;

  int64_t getElementBytes() const { return type.getElementTypeBitWidth() / 8; }
  int64_t getRootBytes() const {
    return getNumBytes(cast<MemRefType>(placement.root.getType()));
  }
  /// Returns the range of the root that contains the elements at `indices`.
  /// Range analysis may have estimated ranges of indices that exceed the shape
  /// of the buffer, such as 0 to 9 for 8 rows. The function limits the ranges
  /// of indices to the shape, since no thread reads outside of the buffer.
  ByteRange getBytes(ArrayRef<IndexRange> indices) const;
};
} // namespace

ByteRange SlicedAccess::getBytes(ArrayRef<IndexRange> indices) const {
  IndexRange position = {0, 0};
  for (auto [index, size] : llvm::zip_equal(indices, type.getShape())) {
    position.min =
        position.min * size + std::clamp<int64_t>(index.min, 0, size - 1);
    position.max =
        position.max * size + std::clamp<int64_t>(index.max, 0, size - 1);
  }
  int64_t width = getElementBytes();
  // `bytes` is from the first byte of the first element to the last byte of the
  // last element.
  IndexRange bytes = {position.min * width, position.max * width + width - 1};
  for (const Strip &strip : placement.strips) {
    IndexRange row = {0, 0}, column = bytes;
    if (strip.count > 1) {
      row = {bytes.min / strip.run, bytes.max / strip.run};
      column = {bytes.min % strip.run, bytes.max % strip.run};
      if (row.min != row.max)
        column = {0, strip.run - 1};
    }
    bytes = {strip.offset + row.min * strip.stride + column.min,
             strip.offset + row.max * strip.stride + column.max};
  }
  return {bytes.min, bytes.max + 1};
}

/// Returns the type of `buffer` and its place within its root buffer, or
/// nothing if the place is unknown, the shape is dynamic, or an element has no
/// whole number of bytes.
static std::optional<SlicedAccess> getAccess(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  std::optional<Placement> placement = getPlacement(buffer);
  if (!placement || !type.hasStaticShape() ||
      !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8)
    return std::nullopt;
  return SlicedAccess{type, std::move(*placement)};
}

//===----------------------------------------------------------------------===//
// Slicing
//===----------------------------------------------------------------------===//

/// The largest number of slices into which an output is divided. With more
/// slices, each kernel would have very little work.
static constexpr size_t maxSlices = 256;

/// Returns the name of the operator that `op` was lowered from, for errors.
static StringRef getLabel(linalg::GenericOp op) {
  auto label = op->getAttrOfType<StringAttr>(labelAttrName);
  return label ? label.getValue() : op->getName().getStringRef();
}

/// Returns the roots of all buffers that `op` writes or reads.
static llvm::SmallSetVector<Value, 4> getRoots(linalg::GenericOp op) {
  llvm::SmallSetVector<Value, 4> roots;
  auto insert = [&](Value buffer) {
    while (isBufferView(buffer.getDefiningOp()))
      buffer = buffer.getDefiningOp()->getOperand(0);
    roots.insert(buffer);
  };
  llvm::for_each(op.getOutputs(), insert);
  op.getBody()->walk([&](memref::LoadOp load) { insert(load.getMemRef()); });
  return roots;
}

namespace {
/// Divides the output of one linalg.generic into slices, and the generic into
/// one generic for each slice.
class Slicer {
public:
  Slicer(linalg::GenericOp op, const DeviceProfile &profile)
      : op(op), profile(profile),
        limit(llvm::alignDown(profile.getMaxStorageBufferRange(),
                              DeviceProfile::rangeAlignment)) {}

  /// If the generic binds a buffer that is larger than a device can bind,
  /// decides into which slices the output is divided. Fails with an error if no
  /// division that the pass tries fits the device.
  LogicalResult plan();
  /// Replaces the generic by one generic for each slice, if there are slices.
  void build();

private:
  struct Read {
    memref::LoadOp load;
    SlicedAccess access;
  };

  /// Returns the loads of `generic` from buffers that are too large to bind.
  /// Returns nothing if the placement of a buffer is unknown.
  std::optional<SmallVector<Read>> getLargeReads(linalg::GenericOp generic);
  /// Returns the ranges of bytes that the loads `reads` read to compute slice
  /// `box`.
  static SmallVector<ByteRange> getBytes(ArrayRef<Read> reads, const Box &box);
  ByteRange getOutputBytes(const Box &box) const;
  /// Returns the number of bytes by which the ranges of slice `box` exceed the
  /// size that a device can bind, added up over all buffers. The slice's bytes
  /// of an output that is too large to bind as a whole must be consecutive. If
  /// they are not, all bytes from the first to the last count as excess.
  int64_t getExcess(const Box &box) const;
  /// Divides `box` into slices and appends them to `slices`. If possible, each
  /// slice binds at most one range of each buffer. Otherwise, the function
  /// chooses slices that read as few bytes as possible beyond the size of a
  /// range (getExcess()), and loads select between several ranges of a buffer
  /// (getRanges()). Fails if there would be more than `maxSlices` slices.
  LogicalResult cut(const Box &box, SmallVectorImpl<Box> &slices) const;
  int64_t getSliceSize(const Box &box, int64_t dim) const;
  /// Returns, for each load in `reads`, the ranges of the load's buffer that
  /// slice `box` binds. If a load has several ranges, the thread selects the
  /// range that contains its element.
  SmallVector<SmallVector<ByteRange>> getRanges(ArrayRef<Read> reads,
                                                const Box &box) const;
  /// Verifies that slice `box` binds no more storage buffers than the device
  /// allows.
  LogicalResult verifyBindings(const Box &box);
  /// For a generic that remains one kernel, verifies that each buffer is small
  /// enough to bind.
  LogicalResult verifyWhole();
  /// Divides the output into slices, so that one kernel for each slice can bind
  /// ranges of the buffers that are too large to bind as a whole. Leaves
  /// `slices` empty if all buffers can be bound as a whole, if the pass does
  /// not support the generic, or if no division is found that fits the device.
  /// The generic then remains one kernel, and verifyWhole() reports an error if
  /// a buffer is too large.
  void planSlices();

  void build(const Box &box);
  Value buildOutput(ImplicitLocOpBuilder &b, const Box &box);
  void buildReads(linalg::GenericOp slice);
  /// Builds the position of the element that `read` reads, counted in elements
  /// of the root.
  static Value buildPosition(ImplicitLocOpBuilder &b, const Read &read);
  Value buildRange(linalg::GenericOp slice, const Read &read,
                   const ByteRange &bytes);

  linalg::GenericOp op;
  const DeviceProfile &profile;
  /// The largest number of bytes in a range.
  int64_t limit;
  SlicedAccess output;
  /// The loads from buffers that are too large to bind.
  SmallVector<Read> large;
  /// The loads that must read a single range of their buffers in each slice,
  /// which limits the sizes of slices: all loads of `large`. If there would be
  /// too many slices, the list is empty, and each load of `large` selects
  /// between several ranges of its buffer.
  SmallVector<Read> reads;
  SmallVector<Box> slices;
  /// The ranges that the slice under construction binds, identified by root,
  /// first byte, last byte and type.
  llvm::MapVector<std::tuple<Value, int64_t, int64_t, Type>, Value> ranges;
};
} // namespace

std::optional<SmallVector<Slicer::Read>>
Slicer::getLargeReads(linalg::GenericOp generic) {
  SmallVector<Read> found;
  bool isKnown = true;
  generic.getBody()->walk([&](memref::LoadOp load) {
    std::optional<SlicedAccess> access = getAccess(load.getMemRef());
    isKnown &= access.has_value();
    if (access && access->getRootBytes() > limit)
      found.push_back({load, std::move(*access)});
  });
  if (!isKnown)
    return std::nullopt;
  return found;
}

SmallVector<ByteRange> Slicer::getBytes(ArrayRef<Read> reads, const Box &box) {
  BodyRanges ranges(box);
  return llvm::map_to_vector(reads, [&](const Read &read) {
    auto load = read.load;
    return read.access.getBytes(llvm::map_to_vector(
        load.getIndices(), [&](Value index) { return ranges.get(index); }));
  });
}

ByteRange Slicer::getOutputBytes(const Box &box) const {
  return output.getBytes(
      llvm::map_to_vector(llvm::seq<int64_t>(output.type.getRank()),
                          [&](int64_t dim) { return box.getRange(dim); }));
}

int64_t Slicer::getExcess(const Box &box) const {
  llvm::SmallMapVector<Value, ByteRange, 4> byRoot;
  for (auto [read, bytes] : llvm::zip_equal(reads, getBytes(reads, box))) {
    auto [found, isNew] = byRoot.insert({read.access.placement.root, bytes});
    if (!isNew)
      found->second.add(bytes);
  }
  int64_t excess = 0;
  for (auto &[_, bytes] : byRoot)
    excess += std::max<int64_t>(0, bytes.getBound().size() - limit);
  if (output.getRootBytes() <= limit)
    return excess;
  // If the output is too large to bind as a whole, each slice must consist of
  // consecutive bytes of the output, so that the slice is one range.
  ByteRange bytes = getOutputBytes(box);
  int64_t own = llvm::product_of(box.sizes) * output.getElementBytes();
  if (bytes.size() > own)
    return excess + bytes.size();
  return excess + std::max<int64_t>(0, bytes.getBound().size() +
                                           DeviceProfile::vectorBytes - limit);
}

/// Returns the number of coordinates of `dim` in a slice of `box`: the largest
/// number for which each buffer's bytes fit one range, but at least 1.
int64_t Slicer::getSliceSize(const Box &box, int64_t dim) const {
  int64_t fits = 0, size = box.sizes[dim];
  while (size - fits > 1) {
    int64_t middle = fits + (size - fits) / 2;
    (getExcess(box.getPart(dim, 0, middle)) ? size : fits) = middle;
  }
  // If possible, the next slice begins at a multiple of 256 bytes, where a
  // bound range may begin, or else at a multiple of 16 bytes, where a vector
  // may begin.
  int64_t inner = output.getElementBytes();
  for (int64_t later = dim + 1; later < output.type.getRank(); ++later)
    inner *= output.type.getDimSize(later);
  for (int64_t wanted :
       {int64_t(DeviceProfile::rangeAlignment), DeviceProfile::vectorBytes}) {
    int64_t step = wanted / std::gcd(wanted, inner);
    if (fits >= step)
      return fits - fits % step;
  }
  return std::max<int64_t>(fits, 1);
}

LogicalResult Slicer::cut(const Box &box, SmallVectorImpl<Box> &slices) const {
  int64_t excess = getExcess(box);
  for (int64_t dim = 0; excess && dim < output.type.getRank(); ++dim) {
    int64_t size = box.sizes[dim];
    if (size == 1 || getExcess(box.getPart(dim, 0, 1)) >= excess)
      continue;
    int64_t step = getSliceSize(box, dim);
    for (int64_t done = 0; done < size; done += step)
      if (failed(
              cut(box.getPart(dim, done, std::min(step, size - done)), slices)))
        return failure();
    return success();
  }
  slices.push_back(box);
  return success(slices.size() <= maxSlices);
}

Value Slicer::buildOutput(ImplicitLocOpBuilder &b, const Box &box) {
  Value buffer = op.getOutputs().front();
  Type element = output.type.getElementType();
  int64_t width = output.getElementBytes();
  auto pack = [&](Value view, ArrayRef<int64_t> shape) -> Value {
    return b.createOrFold<BufferViewOp>(MemRefType::get(shape, element), view,
                                        /*whole=*/false);
  };
  auto getPart = [&](Value source, int64_t dim, int64_t offset, int64_t size) {
    auto shape = llvm::to_vector(cast<MemRefType>(source.getType()).getShape());
    SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)),
        strides(shape.size(), b.getIndexAttr(1));
    offsets[dim] = b.getIndexAttr(offset);
    shape[dim] = size;
    Value part = memref::SubViewOp::create(
        b, source, offsets, getAsIndexOpFoldResult(b.getContext(), shape),
        strides);
    return pack(part, shape);
  };

  if (output.getRootBytes() <= limit) {
    for (int64_t dim = 0; dim < output.type.getRank(); ++dim)
      if (box.sizes[dim] != output.type.getDimSize(dim))
        buffer =
            getPart(pack(buffer, cast<MemRefType>(buffer.getType()).getShape()),
                    dim, box.offsets[dim], box.sizes[dim]);
    return buffer;
  }
  ByteRange bytes = getOutputBytes(box), bound = bytes.getBound();
  // A kernel stores whole vectors. The last vector may extend beyond the slice.
  // The bytes of the root behind the slice are therefore bound as well.
  if (bound.end != output.getRootBytes())
    bound.end = llvm::alignTo(bound.end, DeviceProfile::vectorBytes);
  Value range =
      BufferRangeOp::create(b, MemRefType::get({bound.size() / width}, element),
                            output.placement.root, bound.begin);
  if (bound.size() != bytes.size())
    range = getPart(range, 0, (bytes.begin - bound.begin) / width,
                    bytes.size() / width);
  return pack(range, box.sizes);
}

Value Slicer::buildRange(linalg::GenericOp slice, const Read &read,
                         const ByteRange &bytes) {
  Value root = read.access.placement.root;
  Type element = read.access.type.getElementType();
  Value &range = ranges[{root, bytes.begin, bytes.end, element}];
  if (range)
    return range;
  OpBuilder b(slice);
  auto type =
      MemRefType::get({bytes.size() / read.access.getElementBytes()}, element);
  range = BufferRangeOp::create(b, op.getLoc(), type, root, bytes.begin);
  return range;
}

Value Slicer::buildPosition(ImplicitLocOpBuilder &b, const Read &read) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto add = [&](Value value, Value other) {
    return b.createOrFold<arith::AddIOp>(value, other);
  };
  auto multiply = [&](Value value, int64_t by) {
    return b.createOrFold<arith::MulIOp>(value, constant(by));
  };
  Value position = constant(0);
  auto load = read.load;
  for (auto [index, size] :
       llvm::zip_equal(load.getIndices(), read.access.type.getShape()))
    position = add(multiply(position, size), index);
  int64_t width = read.access.getElementBytes();
  for (const Strip &strip : read.access.placement.strips) {
    if (strip.count > 1) {
      Value run = constant(strip.run / width);
      Value row = arith::DivUIOp::create(b, position, run);
      position = add(multiply(row, strip.stride / width),
                     arith::RemUIOp::create(b, position, run));
    }
    position = add(position, constant(strip.offset / width));
  }
  return position;
}

SmallVector<SmallVector<ByteRange>> Slicer::getRanges(ArrayRef<Read> reads,
                                                      const Box &box) const {
  SmallVector<ByteRange> bytes = getBytes(reads, box);
  llvm::SmallMapVector<Value, ByteRange, 4> byRoot;
  for (auto [read, range] : llvm::zip_equal(reads, bytes)) {
    auto [found, isNew] = byRoot.insert({read.access.placement.root, range});
    if (!isNew)
      found->second.add(range);
  }
  // Loads of one buffer whose ranges begin at the same byte share one range.
  llvm::DenseMap<std::pair<Value, int64_t>, int64_t> ends;
  for (auto [read, range] : llvm::zip_equal(reads, bytes)) {
    int64_t &end = ends[{read.access.placement.root, range.getBound().begin}];
    end = std::max(end, range.end);
  }
  SmallVector<SmallVector<ByteRange>> result;
  for (auto [read, own] : llvm::zip_equal(reads, bytes)) {
    ByteRange bound =
        byRoot.find(read.access.placement.root)->second.getBound();
    if (bound.size() > limit) {
      ByteRange all = bound;
      bound = own.getBound();
      bound.end = ends.at({read.access.placement.root, bound.begin});
      // A range has at most `limit` bytes. A load that may read more bytes of a
      // buffer needs several ranges, and selects between them. The ranges
      // divide the bytes that all loads of the buffer read, so that the loads
      // share their ranges and the kernel binds each range only once. For
      // example, if each of four loads needs five ranges, and the loads are one
      // row apart, they share five ranges instead of using twenty.
      if (bound.size() > limit)
        bound = all;
    }
    SmallVector<ByteRange> &ranges = result.emplace_back();
    for (int64_t begin = bound.begin; begin < bound.end; begin += limit)
      ranges.push_back({begin, std::min(begin + limit, bound.end)});
  }
  return result;
}

void Slicer::buildReads(linalg::GenericOp slice) {
  ranges.clear();
  SmallVector<Read> reads = *getLargeReads(slice);
  Box box;
  box.sizes = llvm::to_vector(
      cast<MemRefType>(slice.getOutputs().front().getType()).getShape());
  box.offsets.assign(box.sizes.size(), 0);
  for (auto [read, bound] : llvm::zip_equal(reads, getRanges(reads, box))) {
    ImplicitLocOpBuilder b(read.load.getLoc(), read.load);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    int64_t width = read.access.getElementBytes();
    Value position = buildPosition(b, read);
    Value element;
    if (bound.size() == 1) {
      const ByteRange &only = bound.front();
      Value range = buildRange(slice, read, only);
      element =
          memref::LoadOp::create(b, range,
                                 ValueRange(b.createOrFold<arith::SubIOp>(
                                     position, constant(only.begin / width))));
    } else {
      // The element's position may lie in any of several ranges. The thread
      // loads one element from each range, at an index that is limited to the
      // range. It then selects the element of the range that contains the
      // position.
      for (const ByteRange &part : bound) {
        Value within =
            arith::SubIOp::create(b, position, constant(part.begin / width));
        within = arith::MaxSIOp::create(b, within, constant(0));
        within = arith::MinSIOp::create(b, within,
                                        constant(part.size() / width - 1));
        Value loaded = memref::LoadOp::create(b, buildRange(slice, read, part),
                                              ValueRange(within));
        if (!element) {
          element = loaded;
          continue;
        }
        Value isBehind =
            arith::CmpIOp::create(b, arith::CmpIPredicate::sge, position,
                                  constant(part.begin / width));
        element = arith::SelectOp::create(b, isBehind, loaded, element);
      }
    }
    read.load.replaceAllUsesWith(element);
    read.load.erase();
  }
}

void Slicer::build(const Box &box) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value buffer = buildOutput(b, box);
  auto slice = cast<linalg::GenericOp>(b.clone(*op));
  slice.getOutputsMutable()[0].set(buffer);
  slice.getBody()->walk([&](linalg::IndexOp index) {
    int64_t offset = box.offsets[index.getDim()];
    if (offset == 0)
      return;
    b.setInsertionPointAfter(index);
    Value shifted = arith::AddIOp::create(
        b, index, arith::ConstantIndexOp::create(b, offset));
    index.getResult().replaceAllUsesExcept(shifted, shifted.getDefiningOp());
  });
  buildReads(slice);
}

void Slicer::planSlices() {
  if (!op.hasPureBufferSemantics() || !mapsElements(op))
    return;
  std::optional<SlicedAccess> access = getAccess(op.getOutputs().front());
  std::optional<SmallVector<Read>> found = getLargeReads(op);
  if (!access || !found || (found->empty() && access->getRootBytes() <= limit))
    return;
  output = std::move(*access);
  large = std::move(*found);
  reads = large;
  Box whole;
  whole.sizes = llvm::to_vector(output.type.getShape());
  whole.offsets.assign(whole.sizes.size(), 0);
  if (failed(cut(whole, slices))) {
    // If each load read a single range of its buffer, there would be too many
    // slices. Each load therefore selects between several ranges. The output is
    // then sliced only if the output itself is too large to bind as a whole.
    slices.clear();
    reads.clear();
    if (failed(cut(whole, slices)))
      slices.clear();
  }
  // A load can select between several ranges of its buffer, but stores of whole
  // vectors need a single range of the output. If the output's range of a slice
  // is still too large, the generic is not sliced, and verifyWhole() reports
  // the error.
  if (output.getRootBytes() > limit &&
      llvm::any_of(slices, [&](const Box &box) {
        ByteRange bytes = getOutputBytes(box);
        return bytes.getBound().size() + DeviceProfile::vectorBytes > limit;
      }))
    slices.clear();
}

LogicalResult Slicer::verifyBindings(const Box &box) {
  llvm::SmallDenseSet<std::pair<Value, int64_t>> known;
  int64_t bytes = 0;
  for (auto [read, bound] : llvm::zip_equal(large, getRanges(large, box)))
    for (const ByteRange &range : bound)
      if (known.insert({read.access.placement.root, range.begin}).second)
        bytes += range.size();
  // The kernel binds its output and the ranges, which have `bytes` bytes
  // together. dml-limit-buffers can combine ranges in one buffer, but a buffer
  // has at most `limit` bytes. The kernel therefore binds at least `bytes` /
  // `limit` buffers beside its output. More buffers than the device allows are
  // an error.
  int64_t count = 1 + llvm::divideCeilSigned(bytes, limit);
  if (count <= profile.getMaxStorageBuffers())
    return success();
  return emitError(op.getLoc(), "'")
         << getLabel(op) << "' binds " << count
         << " storage buffers, since a slice of its result reads " << bytes
         << " bytes of tensors that are larger than a range of "
         << profile.getMaxStorageBufferRange()
         << " bytes, but the device profile '" << profile.str() << "' has "
         << profile.getMaxStorageBuffers();
}

LogicalResult Slicer::verifyWhole() {
  if (!op.hasPureBufferSemantics())
    return success();
  for (Value root : getRoots(op)) {
    auto type = cast<MemRefType>(root.getType());
    if (!type.hasStaticShape())
      continue;
    auto bytes = static_cast<int64_t>(
        llvm::alignTo(getNumBytes(type), DeviceProfile::vectorBytes));
    if (bytes > profile.getMaxStorageBufferRange())
      return emitError(op.getLoc(), "'")
             << getLabel(op) << "' binds " << type << ", which has " << bytes
             << " bytes and was not sliced, since no " << maxSlices
             << " slices or fewer are known that bind a range of it each, but "
                "the device profile '"
             << profile.str() << "' has " << profile.getMaxStorageBufferRange()
             << " as its maxStorageBufferRange";
  }
  return success();
}

LogicalResult Slicer::plan() {
  planSlices();
  if (slices.empty())
    return verifyWhole();
  return success(llvm::all_of(
      slices, [&](const Box &box) { return succeeded(verifyBindings(box)); }));
}

void Slicer::build() {
  if (slices.empty())
    return;
  for (const Box &box : slices)
    build(box);
  op.erase();
}

namespace {
struct SliceBuffers : dml::impl::SliceBuffersBase<SliceBuffers> {
  using Base::Base;

  void runOnOperation() override {
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    std::vector<Slicer> slicers;
    getOperation().walk(
        [&](linalg::GenericOp op) { slicers.push_back(Slicer(op, profile)); });
    // The slices of all generics are planned before any generic is replaced, so
    // that a generic that no device can bind is rejected immediately.
    for (Slicer &slicer : slicers)
      if (failed(slicer.plan()))
        return signalPassFailure();
    for (Slicer &slicer : slicers)
      slicer.build();
  }
};
} // namespace
