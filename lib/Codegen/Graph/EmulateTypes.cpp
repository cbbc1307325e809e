//===- EmulateTypes.cpp - Element types that a device lacks ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Analysis/ElementMap.h"
#include "Graph/Words.h"
#include "dml/Codegen/Passes.h"
#include "dml/IR/ConstantData.h"
#include "dml/IR/DML.h"
#include "dml/Target/DeviceProfileAttr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/Support/MathExtras.h"

#include "llvm/ADT/StringExtras.h"

namespace dml {
#define GEN_PASS_DEF_EMULATETYPES
#include "dml/Codegen/Passes.h.inc"
} // namespace dml

using namespace mlir;
using namespace dml;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isWide(Type elementType) {
  return elementType.getIntOrFloatBitWidth() > wordBits;
}

/// Returns the type to which emulated wide types are converted: two words.
static VectorType getWideType(Builder &b) {
  return VectorType::get(2, b.getIntegerType(wordBits));
}

static bool isNibble(Type elementType) { return elementType.isInteger(4); }

/// Returns the number of elements in a word, for a type that is not wide.
static int64_t getNumPerWord(Type elementType) {
  return wordBits / elementType.getIntOrFloatBitWidth();
}

namespace {
/// Converts types that the device lacks to 32-bit words. A tensor becomes a
/// flat tensor of words with the same bytes. A value of a narrow type becomes
/// its zero extension to i32. A value of a wide type becomes two words.
class WordTypeConverter : public TypeConverter {
public:
  explicit WordTypeConverter(const DeviceProfile &profile) : profile(profile) {
    addConversion([](Type type) { return type; });
    addConversion([this](Type type) -> std::optional<Type> {
      if (!isEmulated(type))
        return std::nullopt;
      Builder b(type.getContext());
      return isWide(type) ? Type(getWideType(b)) : b.getIntegerType(wordBits);
    });
    addConversion([this](RankedTensorType type) -> std::optional<Type> {
      if (!isEmulated(type.getElementType()) || !type.hasStaticShape())
        return std::nullopt;
      int64_t words = llvm::divideCeil(
          type.getNumElements() * type.getElementTypeBitWidth(), wordBits);
      return RankedTensorType::get(
          words, IntegerType::get(type.getContext(), wordBits));
    });
  }

  /// Whether the device lacks `type`, so that 32-bit words represent its
  /// values. No device has 4-bit integers.
  bool isEmulated(Type type) const {
    return isNibble(type) ||
           (type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0 &&
            !profile.includes(DeviceProfile::getRequired(type, true)));
  }

private:
  DeviceProfile profile;
};
} // namespace

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The name of an attribute that marks some casts which ConvertGeneric builds.
/// Such a cast leads from an element, which the cloned body computes, to the
/// words that represent the element, and the pattern DropElementCast removes
/// it. The casts that MLIR's conversion inserts have no mark, and MLIR removes
/// them.
static constexpr StringLiteral elementAttrName = "element";

namespace {
/// Converts a generic that computes elements to a generic that computes words.
struct ConvertGeneric : OpConversionPattern<linalg::GenericOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(linalg::GenericOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getNumResults() != 1 || !isElementMap(op))
      return rewriter.notifyMatchFailure(op, "no map from coordinates");
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    auto wordsType = getTypeConverter()->convertType<RankedTensorType>(type);
    Value empty =
        tensor::EmptyOp::create(rewriter, op.getLoc(), wordsType, ValueRange());
    auto words = linalg::GenericOp::create(
        rewriter, op.getLoc(), wordsType, /*inputs=*/ValueRange(), empty,
        ArrayRef<AffineMap>(rewriter.getMultiDimIdentityMap(1)),
        ArrayRef<utils::IteratorType>(utils::IteratorType::parallel),
        [&](OpBuilder &nested, Location loc, ValueRange) {
          // The body is built with the rewriter of the conversion, so that the
          // conversion visits the operations of the body as well.
          OpBuilder::InsertionGuard guard(rewriter);
          rewriter.setInsertionPointToEnd(nested.getInsertionBlock());
          WordBuilder b(loc, rewriter);
          Value word = linalg::IndexOp::create(b, 0);
          linalg::YieldOp::create(b, isWide(type.getElementType())
                                         ? buildHalf(b, op, type, word)
                                         : buildPacked(b, op, type, word));
        },
        op->getDiscardableAttrDictionary().getValue());
    rewriter.replaceOp(op, words);
    return success();
  }

private:
  /// Builds the word at index `word` of a tensor whose elements are wider than
  /// a word. The word is one half of an element.
  Value buildHalf(WordBuilder &b, linalg::GenericOp op, RankedTensorType type,
                  Value word) const {
    Value position = arith::DivUIOp::create(b, word, b.index(2));
    Value isHigh = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq,
        arith::RemUIOp::create(b, word, b.index(2)), b.index(1));
    Value element = buildElement(b, op, type, position);
    Wide words = b.split(element);
    return b.select(isHigh, words.high, words.low);
  }

  /// Builds the word at index `word` of a tensor whose elements are narrower
  /// than a word. The word holds several elements.
  Value buildPacked(WordBuilder &b, linalg::GenericOp op, RankedTensorType type,
                    Value word) const {
    int64_t count = getNumPerWord(type.getElementType());
    Value result;
    for (int64_t lane = 0; lane < count; ++lane) {
      Value position = b.createOrFold<arith::AddIOp>(
          arith::MulIOp::create(b, word, b.index(count)), b.index(lane));
      // If the last word is not full, its unused bits repeat the last element.
      if (type.getNumElements() % count != 0)
        position = arith::MinUIOp::create(b, position,
                                          b.index(type.getNumElements() - 1));
      Value element = buildElement(b, op, type, position);
      element = b.with<arith::ShLIOp>(
          element, static_cast<uint32_t>(lane * type.getElementTypeBitWidth()));
      result = result ? arith::OrIOp::create(b, result, element) : element;
    }
    return result;
  }

  /// Clones the body of `op` for the element at row-major position `position`,
  /// and returns the converted element.
  Value buildElement(WordBuilder &b, linalg::GenericOp op,
                     RankedTensorType type, Value position) const {
    SmallVector<Value> coordinates(type.getRank());
    for (int64_t dim = type.getRank(); dim-- > 0;) {
      // The outermost coordinate is the last quotient and needs no remainder.
      Value size = b.index(type.getDimSize(dim));
      coordinates[dim] =
          dim ? b.createOrFold<arith::RemUIOp>(position, size) : position;
      position = b.createOrFold<arith::DivUIOp>(position, size);
    }
    IRMapping mapping;
    Block *body = op.getBody();
    for (Operation &nested : body->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(nested))
        mapping.map(index.getResult(), coordinates[index.getDim()]);
      else
        b.clone(nested, mapping);
    }
    Value element =
        mapping.lookupOrDefault(body->getTerminator()->getOperand(0));
    auto cast = UnrealizedConversionCastOp::create(
        b, getTypeConverter()->convertType(element.getType()), element);
    cast->setAttr(elementAttrName, b.getUnitAttr());
    return cast.getResult(0);
  }
};

struct DropElementCast : OpConversionPattern<UnrealizedConversionCastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(UnrealizedConversionCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (adaptor.getInputs().getTypes() != op.getResultTypes())
      return rewriter.notifyMatchFailure(op, "the element does not convert");
    rewriter.replaceOp(op, adaptor.getInputs());
    return success();
  }
};

struct ConvertExtract : OpConversionPattern<tensor::ExtractOp> {
  using OpConversionPattern::OpConversionPattern;

  /// The place of an element in a tensor of words. `word` is the index of the
  /// element's word. `lane`, an index or an i32, counts the elements of the
  /// word from its lowest bits: element 10 of 8 bits has the word 2 and the
  /// lane 2.
  struct Place {
    Value word, lane;
  };

  /// Divides the position of a 4-bit element into the index of its word and its
  /// place in the word, by arithmetic on indices. Code generation follows
  /// indices as linear forms. A thread that reads neighbouring elements
  /// therefore loads their word once and shifts it by constants. In tensors of
  /// 2^31 elements and more, an index of 32 bits may not hold the position as a
  /// signed number, and the function returns nothing. It also returns nothing
  /// for elements of other types.
  static std::optional<Place> divideIndex(WordBuilder &b, RankedTensorType type,
                                          Value position) {
    if (!isNibble(type.getElementType()) || !type.hasStaticShape() ||
        type.getNumElements() > std::numeric_limits<int32_t>::max())
      return std::nullopt;
    Value count = b.index(getNumPerWord(type.getElementType()));
    Value word = b.createOrFold<arith::DivUIOp>(position, count);
    return Place{word, b.createOrFold<arith::RemUIOp>(position, count)};
  }

  /// Divides the position of an element into the index of its word and its
  /// place in the word, by arithmetic on unsigned i32. Tensors have fewer than
  /// 2^32 elements, so that an i32 holds the position even where range analysis
  /// does not prove this.
  static Place divideWord(WordBuilder &b, Type element, Value position) {
    auto count = static_cast<uint32_t>(getNumPerWord(element));
    position = b.createOrFold<arith::IndexCastOp>(b.getI32Type(), position);
    Value word = arith::IndexCastUIOp::create(
        b, b.getIndexType(), b.with<arith::DivUIOp>(position, count));
    return {word, b.with<arith::RemUIOp>(position, count)};
  }

  /// Builds the number of bits by which a word is shifted right so that the
  /// element at the place `lane`, of `width` bits, is in the word's lowest
  /// bits.
  static Value buildShift(WordBuilder &b, Value lane, uint32_t width) {
    if (!lane.getType().isIndex())
      return b.with<arith::MulIOp>(lane, width);
    return b.createOrFold<arith::IndexCastOp>(
        b.getI32Type(), b.createOrFold<arith::MulIOp>(lane, b.index(width)));
  }

  LogicalResult
  matchAndRewrite(tensor::ExtractOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    WordBuilder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getTensor().getType());
    Value position = b.index(0);
    for (auto [size, index] :
         llvm::zip_equal(type.getShape(), adaptor.getIndices()))
      position = b.createOrFold<arith::AddIOp>(
          b.createOrFold<arith::MulIOp>(position, b.index(size)), index);

    Type element = type.getElementType();
    if (isWide(element)) {
      Value first = b.createOrFold<arith::MulIOp>(position, b.index(2));
      Value second = b.createOrFold<arith::AddIOp>(first, b.index(1));
      Wide words = {tensor::ExtractOp::create(b, adaptor.getTensor(), first),
                    tensor::ExtractOp::create(b, adaptor.getTensor(), second)};
      rewriter.replaceOp(
          op, b.join(words, getTypeConverter()->convertType(element)));
      return success();
    }
    std::optional<Place> place = divideIndex(b, type, position);
    if (!place)
      place = divideWord(b, element, position);
    uint32_t width = element.getIntOrFloatBitWidth();
    Value word = tensor::ExtractOp::create(b, adaptor.getTensor(), place->word);
    Value bits =
        arith::ShRUIOp::create(b, word, buildShift(b, place->lane, width));
    uint32_t mask = (1u << width) - 1;
    rewriter.replaceOp(op, b.with<arith::AndIOp>(bits, mask));
    return success();
  }
};

/// Packs 4-bit elements, two into each byte, with the first of both in the low
/// half. `data` holds each element in a byte of its own.
ConstantData packNibbles(ConstantData data, std::vector<char> &packed) {
  ArrayRef<char> elements = data.bytes;
  if (data.isSplat) {
    packed.push_back(static_cast<char>((elements[0] & 0xf) * 0x11));
    return {packed, /*isSplat=*/true, /*isPacked=*/true};
  }
  packed.resize(llvm::divideCeil(elements.size(), 2));
  for (auto [i, element] : llvm::enumerate(elements))
    packed[i / 2] =
        static_cast<char>(packed[i / 2] | (element & 0xf) << (i % 2 * 4));
  return {packed, /*isSplat=*/false, /*isPacked=*/true};
}

/// Replaces a reshape or a cast of a tensor by its operand, since the words of
/// a tensor do not depend on the tensor's shape.
template <typename Op> struct DropReshape : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value source = adaptor.getOperands().front();
    if (source.getType() !=
        this->getTypeConverter()->convertType(op->getResult(0).getType()))
      return rewriter.notifyMatchFailure(op, "no static shape");
    rewriter.replaceOp(op, source);
    return success();
  }
};

struct ConvertEmpty : OpConversionPattern<tensor::EmptyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::EmptyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<tensor::EmptyOp>(
        op, getTypeConverter()->convertType<RankedTensorType>(op.getType()),
        ValueRange());
    return success();
  }
};
} // namespace

/// Returns the index of the first 32-bit word of `op`, a slice that a loop
/// reads or writes: a row of a tensor, or a range of a tensor with one
/// dimension, whose place depends on the iteration. Row i of a tensor of 8 x
/// 256 elements of 8 bits begins at word 64 * i. Returns null if `op` is any
/// other slice, or if rows do not begin at whole words.
static Value getRowWord(OffsetSizeAndStrideOpInterface op,
                        RankedTensorType whole, OpBuilder &builder) {
  auto place = dyn_cast<Value>(op.getMixedOffsets()[0]);
  int64_t bits = whole.getElementTypeBitWidth();
  for (int64_t dim = 1; dim < whole.getRank(); ++dim) {
    bits *= whole.getDimSize(dim);
    if (op.getStaticOffsets()[dim] != 0 || op.getStaticSizes()[0] != 1 ||
        (whole.getRank() > 2 &&
         op.getStaticSizes()[dim] != whole.getDimSize(dim)))
      return nullptr;
  }
  // If a row does not consist of whole words, the offset must be a product such
  // as `%i * 64`. The slice then begins at a multiple of 64 rows, which may be
  // whole words.
  auto product = place ? place.getDefiningOp<arith::MulIOp>() : nullptr;
  std::optional<int64_t> size =
      product ? getConstantIntValue(product.getRhs()) : std::nullopt;
  if (size && bits % wordBits != 0) {
    place = product.getLhs();
    bits *= *size;
  }
  if (!place || bits % wordBits != 0 ||
      !llvm::all_of(op.getStaticStrides(),
                    [](int64_t stride) { return stride == 1; }))
    return nullptr;
  Value words =
      arith::ConstantIndexOp::create(builder, op->getLoc(), bits / wordBits);
  return arith::MulIOp::create(builder, op->getLoc(), place, words);
}

namespace {
/// Converts a slice that a loop reads to a slice of words.
struct ConvertExtractSlice : OpConversionPattern<tensor::ExtractSliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::ExtractSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value word = getRowWord(op, op.getSourceType(), rewriter);
    if (!word)
      return op.emitError(
                 "wants a row of whole 32-bit words, to be a slice of ")
             << op.getSourceType() << " that the device profile has words for";
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, type, adaptor.getSource(), OpFoldResult(word),
        OpFoldResult(rewriter.getIndexAttr(type.getNumElements())),
        OpFoldResult(rewriter.getIndexAttr(1)));
    return success();
  }
};
} // namespace

namespace {
/// Converts an insertion to an insertion of words, if the insertion fills a
/// range of one dimension and the range consists of whole words. The last word
/// of the whole tensor may be incomplete.
struct ConvertInsertSlice : OpConversionPattern<tensor::InsertSliceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::InsertSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    if (ShapedType::isDynamic(op.getStaticOffsets()[0]))
      if (Value word = getRowWord(op, type, rewriter)) {
        int64_t count = cast<RankedTensorType>(adaptor.getSource().getType())
                            .getNumElements();
        rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
            op, adaptor.getSource(), adaptor.getDest(),
            ArrayRef<OpFoldResult>(word),
            ArrayRef<OpFoldResult>(rewriter.getIndexAttr(count)),
            ArrayRef<OpFoldResult>(rewriter.getIndexAttr(1)));
        return success();
      }
    int64_t inner = type.getElementTypeBitWidth(), outer = 1;
    for (int64_t size : type.getShape())
      inner *= size;
    // The dimension in which the insertion fills a range, and the dimensions
    // after this dimension, form rows of `row` words each. In each row, the
    // insertion fills `count` words, from word `start` on. If an insertion
    // fills the columns 4 to 7 of a tensor of 3 x 8 elements of 8 bits, a row
    // has 2 words, `start` is 1 and `count` is 1.
    int64_t start = 0, count = 0, row = 0;
    auto refuse = [&] {
      return op.emitError("wants a constant range of one dimension, of whole "
                          "32-bit words, to be a slice of ")
             << type << " that the device profile has words for";
    };
    for (auto [offset, size, stride, whole] :
         llvm::zip_equal(op.getStaticOffsets(), op.getStaticSizes(),
                         op.getStaticStrides(), type.getShape())) {
      int64_t numRows = outer;
      outer *= whole;
      inner /= whole;
      if (size == whole)
        continue;
      if (row || stride != 1 || ShapedType::isDynamic(offset) ||
          ShapedType::isDynamic(size))
        return refuse();
      bool isLast = offset + size == whole && numRows == 1;
      if (offset * inner % wordBits || (!isLast && size * inner % wordBits) ||
          (numRows > 1 && whole * inner % wordBits))
        return refuse();
      start = offset * inner / wordBits;
      count = llvm::divideCeilSigned(size * inner, wordBits);
      row = llvm::divideCeilSigned(whole * inner, wordBits);
    }
    if (!row) {
      rewriter.replaceOp(op, adaptor.getSource());
      return success();
    }
    WordBuilder b(op.getLoc(), rewriter);
    Value source = adaptor.getSource(), dest = adaptor.getDest();
    auto destType = cast<RankedTensorType>(dest.getType());
    int64_t rows = destType.getNumElements() / row;
    auto indices = [&](ArrayRef<int64_t> values) {
      return getAsIndexOpFoldResult(b.getContext(), values);
    };
    if (rows == 1) {
      rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
          op, source, dest, indices({start}), indices({count}), indices({1}));
      return success();
    }
    SmallVector<ReassociationIndices> all = {{0, 1}};
    source = tensor::ExpandShapeOp::create(b, destType.clone({rows, count}),
                                           source, all);
    dest = tensor::ExpandShapeOp::create(b, destType.clone({rows, row}), dest,
                                         all);
    Value inserted =
        tensor::InsertSliceOp::create(b, source, dest, indices({0, start}),
                                      indices({rows, count}), indices({1, 1}));
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, destType, inserted,
                                                         all);
    return success();
  }
};

struct ConvertConstant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (auto shaped = dyn_cast<RankedTensorType>(type)) {
      std::optional<ConstantData> data = getConstantData(op.getValue());
      if (!data)
        return op.emitError("the constant of type ")
               << op.getType()
               << " wants a dense value, or a resource that the module has and "
                  "that is as large as the type";
      std::vector<char> packed;
      if (isNibble(cast<ShapedType>(op.getType()).getElementType()) &&
          !data->isPacked)
        data = packNibbles(*data, packed);
      // Words have the same bytes as the elements. A splat of elements becomes
      // a splat of words if an element is at most as wide as a word.
      size_t step = data->bytes.size();
      bool isWordSplat = data->isSplat && step <= sizeof(uint32_t);
      uint64_t size = sizeof(uint32_t) *
                      (isWordSplat ? 1 : uint64_t(shaped.getNumElements()));
      if (data->isSplat && size > maxConstantBytes)
        return op.emitError("the constant has ")
               << size << " bytes, but the constants of an executable have at "
               << "most " << maxConstantBytes;
      // A resource that is as large as all words together already has the bytes
      // of the words. The new constant refers to the same resource, so that
      // nothing is copied.
      auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
      if (resource && step == size) {
        rewriter.replaceOpWithNewOp<arith::ConstantOp>(
            op,
            DenseResourceElementsAttr::get(shaped, resource.getRawHandle()));
        return success();
      }
      std::vector<char> bytes(size);
      size_t end = data->isSplat ? bytes.size() : step;
      for (size_t i = 0; i < end; i += step)
        llvm::copy(data->bytes, bytes.data() + i);
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(
          op, DenseElementsAttr::getFromRawBuffer(shaped, bytes));
      return success();
    }
    APInt element;
    if (auto number = dyn_cast<FloatAttr>(op.getValue()))
      element = number.getValue().bitcastToAPInt();
    else if (auto number = dyn_cast<IntegerAttr>(op.getValue()))
      element = number.getValue();
    else
      return rewriter.notifyMatchFailure(op, "no tensor and no number");

    SmallVector<uint32_t> words;
    unsigned width = std::min(element.getBitWidth(), wordBits);
    for (unsigned bit = 0; bit < element.getBitWidth(); bit += wordBits)
      words.push_back(
          static_cast<uint32_t>(element.extractBitsAsZExtValue(width, bit)));
    TypedAttr value;
    if (auto shaped = dyn_cast<ShapedType>(type))
      value = DenseElementsAttr::get(shaped, ArrayRef<uint32_t>(words));
    else
      value = IntegerAttr::get(type, static_cast<int32_t>(words.front()));
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

struct ConvertSelect : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    WordBuilder b(op.getLoc(), rewriter);
    Value condition = adaptor.getCondition();
    Value whenTrue = adaptor.getTrueValue();
    Value whenFalse = adaptor.getFalseValue();
    if (!isWide(op.getType())) {
      rewriter.replaceOp(op, b.select(condition, whenTrue, whenFalse));
      return success();
    }
    // A number of two words is selected by two operations, one for each word.
    // Often only one of the two words is used, and the other selection is
    // removed.
    Wide chosen = b.select(condition, b.split(whenTrue), b.split(whenFalse));
    rewriter.replaceOp(op, b.join(chosen, whenTrue.getType()));
    return success();
  }
};

/// Converts a bitcast between two types of equal width, if the device lacks one
/// of the types or both.
struct ConvertBitcast : OpConversionPattern<arith::BitcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::BitcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    WordBuilder b(op.getLoc(), rewriter);
    Type type = getTypeConverter()->convertType(op.getType());
    Value bits = adaptor.getIn();
    if (bits.getType() == type) {
      rewriter.replaceOp(op, bits);
      return success();
    }
    if (isWide(op.getType())) {
      rewriter.replaceOp(op, b.join(b.split(bits), type));
      return success();
    }
    // The device supports one of the two types of the bitcast. The other type
    // has been converted to a word. vector.bitcast converts between a vector of
    // one word and a vector of numbers of the supported type. A word that is to
    // become an f16, for example, becomes two f16, and the first of them is the
    // result.
    uint32_t width = op.getType().getIntOrFloatBitWidth();
    auto wordType = VectorType::get(1, b.getI32Type());
    bool fromWord = type == op.getType();
    auto partsType =
        VectorType::get(getNumPerWord(op.getType()),
                        fromWord ? type : adaptor.getIn().getType());
    if (fromWord) {
      Value word = vector::FromElementsOp::create(b, wordType, bits);
      Value parts = vector::BitCastOp::create(b, partsType, word);
      rewriter.replaceOpWithNewOp<vector::ExtractOp>(op, parts, 0);
      return success();
    }
    Value parts = vector::FromElementsOp::create(
        b, partsType,
        SmallVector<Value>(partsType.getNumElements(), adaptor.getIn()));
    Value word = vector::ExtractOp::create(
        b, vector::BitCastOp::create(b, wordType, parts), 0);
    rewriter.replaceOp(op, b.with<arith::AndIOp>(word, (1u << width) - 1));
    return success();
  }
};

/// Converts extensions of f16 to f32 and of f32 to f64. These conversions are
/// exact.
struct ConvertExtF : OpConversionPattern<arith::ExtFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ExtFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    WordBuilder b(op.getLoc(), rewriter);
    if (op.getIn().getType().isF32() && op.getType().isF64()) {
      Value bits = arith::BitcastOp::create(b, b.getI32Type(), adaptor.getIn());
      rewriter.replaceOp(op, b.join(b.widenFloat(bits), getWideType(b)));
      return success();
    }
    if (!op.getIn().getType().isF16() || !op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not from f16 to f32");
    Value bits = adaptor.getIn();
    Value sign = b.with<arith::ShLIOp>(b.with<arith::AndIOp>(bits, 0x8000), 16);
    Value magnitude = b.with<arith::AndIOp>(bits, 0x7fff);
    // The bias of the exponent is 15 in f16 and 127 in f32. Denormals of f16
    // are multiples of 2^-24, which are normal numbers in f32.
    Value shifted = b.with<arith::ShLIOp>(magnitude, 13);
    Value normal = b.with<arith::AddIOp>(shifted, (127 - 15) << 23);
    Value special = b.with<arith::AddIOp>(shifted, (255 - 31) << 23);
    Value unit =
        arith::ConstantOp::create(b, rewriter.getF32FloatAttr(0x1p-24f));
    Value denormal = arith::BitcastOp::create(
        b, b.getI32Type(),
        arith::MulFOp::create(
            b, arith::UIToFPOp::create(b, b.getF32Type(), magnitude), unit));
    using Predicate = arith::CmpIPredicate;
    Value result =
        b.select(b.compare(Predicate::ult, magnitude, 0x0400), denormal,
                 b.select(b.compare(Predicate::uge, magnitude, 0x7c00), special,
                          normal));
    result = arith::OrIOp::create(b, result, sign);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), result);
    return success();
  }
};

/// Converts truncations of f32 to f16 and of f64 to f32, which round to
/// nearest, ties to even.
struct ConvertTruncF : OpConversionPattern<arith::TruncFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    WordBuilder b(op.getLoc(), rewriter);
    if (op.getIn().getType().isF64() && op.getType().isF32()) {
      Value bits = b.narrowFloat(b.split(adaptor.getIn()));
      rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), bits);
      return success();
    }
    if (!op.getIn().getType().isF32() || !op.getType().isF16())
      return rewriter.notifyMatchFailure(op, "not from f32 to f16");
    Value bits = arith::BitcastOp::create(b, b.getI32Type(), adaptor.getIn());
    Value sign =
        b.with<arith::AndIOp>(b.with<arith::ShRUIOp>(bits, 16), 0x8000);
    Value magnitude = b.with<arith::AndIOp>(bits, 0x7fffffff);
    // The mantissa of an f16 has 13 bits less than that of an f32. Adding
    // 0xfff, and 1 more if the lowest remaining bit is odd, rounds to nearest,
    // ties to even. A carry out of the mantissa correctly increments the
    // exponent.
    Value isOdd =
        b.with<arith::AndIOp>(b.with<arith::ShRUIOp>(magnitude, 13), 1);
    Value rounded = arith::AddIOp::create(
        b, b.with<arith::AddIOp>(magnitude, 0xfff), isOdd);
    Value normal = b.with<arith::ShRUIOp>(
        b.with<arith::SubIOp>(rounded, (127 - 15) << 23), 13);
    // The bits of a denormal f16 are the number divided by 2^-24.
    // Multiplication by a power of two is exact.
    Value scale =
        arith::ConstantOp::create(b, rewriter.getF32FloatAttr(0x1p24f));
    Value multiples = math::RoundEvenOp::create(
        b,
        arith::MulFOp::create(
            b, arith::BitcastOp::create(b, b.getF32Type(), magnitude), scale));
    using Predicate = arith::CmpIPredicate;
    Value isDenormal = b.compare(Predicate::ult, magnitude, 0x38800000);
    // The conversion to an integer is undefined for numbers out of range, even
    // if its result is not used. All numbers but denormals are therefore
    // replaced by 0 before the conversion.
    Value zero = arith::ConstantOp::create(b, rewriter.getF32FloatAttr(0));
    Value denormal = arith::FPToUIOp::create(
        b, b.getI32Type(), b.select(isDenormal, multiples, zero));
    Value result = b.select(isDenormal, denormal, normal);
    // Numbers from 65520 on round to 2^16, which f16 lacks, and become
    // infinite. The bits of 65520 as an f32 are 0x477ff000.
    result = b.select(b.compare(Predicate::uge, magnitude, 0x477ff000),
                      b.word(0x7c00), result);
    result = b.select(b.compare(Predicate::ugt, magnitude, 0x7f800000),
                      b.word(0x7e00), result);
    rewriter.replaceOpWithNewOp<arith::OrIOp>(op, result, sign);
    return success();
  }
};

/// Extends `value`, a number of the narrow type `from`, to a word. The value
/// either has the type `from`, or has already been converted to a word.
static Value getWord(WordBuilder &b, Value value, Type from, bool isSigned) {
  unsigned width = from.getIntOrFloatBitWidth();
  if (width == wordBits)
    return value;
  if (value.getType() != from)
    return isSigned ? b.extendSign(value, width) : value;
  return isSigned ? b.createOrFold<arith::ExtSIOp>(b.getI32Type(), value)
                  : b.createOrFold<arith::ExtUIOp>(b.getI32Type(), value);
}

/// Converts conversions of integers to floats. Integers are converted to f16
/// through f32, which represents all integers in the range of f16 exactly.
template <typename Op> struct ConvertToFloat : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    WordBuilder b(op.getLoc(), rewriter);
    constexpr bool isSigned = std::is_same_v<Op, arith::SIToFPOp>;
    Value integer = adaptor.getIn();
    Type from = op.getIn().getType(), to = op.getType();
    Type type = this->getTypeConverter()->convertType(to);
    if (!isWide(from))
      integer = getWord(b, integer, from, isSigned);
    if (isa<VectorType>(type)) {
      Wide number =
          isWide(from) ? b.split(integer) : b.extend(integer, isSigned);
      rewriter.replaceOp(op, b.join(b.toDouble(number, isSigned), type));
      return success();
    }
    Type computed = to.isF16() ? b.getF32Type() : to;
    Value number;
    if (isa<VectorType>(integer.getType())) {
      Value bits = b.toSingle(b.split(integer), isSigned);
      number = arith::BitcastOp::create(b, computed, bits);
    } else {
      number = Op::create(b, computed, integer);
    }
    if (computed != to)
      number = arith::TruncFOp::create(b, to, number);
    rewriter.replaceOp(op, number);
    return success();
  }
};

/// Converts conversions of floats to integers.
template <typename Op> struct ConvertFromFloat : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    WordBuilder b(op.getLoc(), rewriter);
    constexpr bool isSigned = std::is_same_v<Op, arith::FPToSIOp>;
    Type from = op.getIn().getType(), to = op.getType();
    Type type = this->getTypeConverter()->convertType(to);
    Value number = adaptor.getIn();
    bool hasWords = isa<VectorType>(number.getType());
    if (!hasWords && isa<VectorType>(type) && !from.isF32())
      return rewriter.notifyMatchFailure(op, "not from f32");
    if (isWide(to)) {
      Wide words = hasWords ? b.fromDouble(b.split(number), isSigned)
                            : b.fromSingle(number, isSigned);
      rewriter.replaceOp(op, b.join(words, type));
      return success();
    }
    Value word = hasWords ? b.fromDouble(b.split(number), isSigned).low
                          : Op::create(b, b.getI32Type(), number).getResult();
    unsigned width = to.getIntOrFloatBitWidth();
    if (type == to && width < wordBits)
      word = arith::TruncIOp::create(b, to, word);
    else if (width < wordBits)
      word = b.with<arith::AndIOp>(word, (1u << width) - 1);
    rewriter.replaceOp(op, word);
    return success();
  }
};

struct ConvertCmpF : OpConversionPattern<arith::CmpFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::CmpFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getLhs().getType().isF64())
      return rewriter.notifyMatchFailure(op, "not of f64");
    WordBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, b.compareDoubles(op.getPredicate(),
                                            b.split(adaptor.getLhs()),
                                            b.split(adaptor.getRhs())));
    return success();
  }
};

/// Converts arithmetic on integers. Narrow integers are computed as words:
/// signed operations first sign-extend their operands, and the upper bits of
/// the result are cleared afterwards. Wide integers are computed by a function
/// of WordBuilder.
template <typename Op> struct ConvertArithmetic : OpConversionPattern<Op> {
  using WideFn = Wide (WordBuilder::*)(Wide, Wide);

  ConvertArithmetic(const TypeConverter &typeConverter, MLIRContext *context,
                    bool isSigned, WideFn wide)
      : OpConversionPattern<Op>(typeConverter, context), isSigned(isSigned),
        wide(wide) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    WordBuilder b(op.getLoc(), rewriter);
    Value lhs = adaptor.getLhs(), rhs = adaptor.getRhs();
    if (isWide(op.getType())) {
      Wide result = (b.*wide)(b.split(lhs), b.split(rhs));
      rewriter.replaceOp(op, b.join(result, lhs.getType()));
      return success();
    }
    unsigned width = op.getType().getIntOrFloatBitWidth();
    if (isSigned) {
      lhs = b.extendSign(lhs, width);
      rhs = b.extendSign(rhs, width);
    }
    Value result = b.createOrFold<Op>(lhs, rhs);
    rewriter.replaceOp(op, b.with<arith::AndIOp>(result, (1u << width) - 1));
    return success();
  }

private:
  bool isSigned;
  WideFn wide;
};

struct ConvertCmpI : OpConversionPattern<arith::CmpIOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::CmpIOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = op.getLhs().getType();
    WordBuilder b(op.getLoc(), rewriter);
    Value lhs = adaptor.getLhs(), rhs = adaptor.getRhs();
    if (isWide(type)) {
      rewriter.replaceOp(
          op, b.compare(op.getPredicate(), b.split(lhs), b.split(rhs)));
      return success();
    }
    using Predicate = arith::CmpIPredicate;
    if (llvm::is_contained(
            {Predicate::slt, Predicate::sle, Predicate::sgt, Predicate::sge},
            op.getPredicate())) {
      lhs = b.extendSign(lhs, type.getIntOrFloatBitWidth());
      rhs = b.extendSign(rhs, type.getIntOrFloatBitWidth());
    }
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, op.getPredicate(), lhs, rhs);
    return success();
  }
};

/// Converts a truncation of one or two words to a word, or to the low 4, 8 or
/// 16 bits of a word.
struct ConvertTruncI : OpConversionPattern<arith::TruncIOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::TruncIOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    WordBuilder b(op.getLoc(), rewriter);
    Value word = adaptor.getIn();
    if (isWide(op.getIn().getType()))
      word = b.split(word).low;
    Type type = getTypeConverter()->convertType(op.getType());
    if (type == op.getType()) {
      if (word.getType() != type)
        word = arith::TruncIOp::create(b, type, word);
      rewriter.replaceOp(op, word);
      return success();
    }
    if (!word.getType().isInteger(wordBits))
      return rewriter.notifyMatchFailure(op, "not from a word");
    unsigned width = op.getType().getIntOrFloatBitWidth();
    rewriter.replaceOp(op, b.with<arith::AndIOp>(word, (1u << width) - 1));
    return success();
  }
};

/// Converts casts of indices to wide integers. The high word of the result is
/// 0, since an index has 32 bits: `dml-convert-kernels-to-spirv` rejects
/// kernels with larger indices.
struct ConvertIndexCastUI : OpConversionPattern<arith::IndexCastUIOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::IndexCastUIOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType());
    if (!isa<VectorType>(type))
      return rewriter.notifyMatchFailure(op, "not to two words");
    WordBuilder b(op.getLoc(), rewriter);
    Value word =
        arith::IndexCastUIOp::create(b, b.getI32Type(), adaptor.getIn());
    rewriter.replaceOp(op, b.join(b.extend(word, /*isSigned=*/false), type));
    return success();
  }
};

/// Converts an integer extension. The operand is a converted narrow integer, an
/// i1, or an integer that the device supports. The result is an integer that
/// the device supports, or one or two words.
template <typename Op> struct ConvertExtI : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    WordBuilder b(op.getLoc(), rewriter);
    constexpr bool isSigned = std::is_same_v<Op, arith::ExtSIOp>;
    Type to = op.getType();
    Type type = this->getTypeConverter()->convertType(to);
    Value word = getWord(b, adaptor.getIn(), op.getIn().getType(), isSigned);
    unsigned width = to.getIntOrFloatBitWidth();
    if (isa<VectorType>(type))
      word = b.join(b.extend(word, isSigned), type);
    else if (width > wordBits)
      word = Op::create(b, to, word);
    else if (width < wordBits && type == to)
      word = arith::TruncIOp::create(b, to, word);
    else if (width < wordBits && isSigned)
      word = b.with<arith::AndIOp>(word, (1u << width) - 1);
    rewriter.replaceOp(op, word);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//
} // namespace

/// The operations on two integers. Each entry has the operation, whether narrow
/// operands are sign-extended, and the function of WordBuilder that computes
/// the operation for wide operands.
#define DML_INTEGER_ARITHMETIC(X)                                              \
  X(arith::AddIOp, false, add)                                                 \
  X(arith::AndIOp, false, bitAnd)                                              \
  X(arith::DivSIOp, true, divSigned)                                           \
  X(arith::DivUIOp, false, divUnsigned)                                        \
  X(arith::MaxSIOp, true, maxSigned)                                           \
  X(arith::MaxUIOp, false, maxUnsigned)                                        \
  X(arith::MinSIOp, true, minSigned)                                           \
  X(arith::MinUIOp, false, minUnsigned)                                        \
  X(arith::MulIOp, false, mul)                                                 \
  X(arith::OrIOp, false, bitOr)                                                \
  X(arith::RemSIOp, true, remSigned)                                           \
  X(arith::RemUIOp, false, remUnsigned)                                        \
  X(arith::ShLIOp, false, shiftLeft)                                           \
  X(arith::ShRSIOp, true, shiftRightSigned)                                    \
  X(arith::ShRUIOp, false, shiftRight)                                         \
  X(arith::SubIOp, false, sub)                                                 \
  X(arith::XOrIOp, false, bitXor)

/// Whether a pattern converts `op`, which has an operand or a result of the
/// emulated type `type`.
static bool isComputed(Operation *op, Type type) {
  if (isa<arith::BitcastOp, arith::ConstantOp, arith::ExtFOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::SelectOp, arith::SIToFPOp, arith::TruncFOp,
          arith::TruncIOp, arith::UIToFPOp>(op))
    return true;
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return !type.isF16();
  if (isa<FloatType>(type))
    return type.isF64() && isa<arith::CmpFOp>(op);
#define DML_IS(Op, isSigned, wide) || isa<Op>(op)
  return isa<arith::CmpIOp>(op) ||
         (isa<arith::IndexCastUIOp>(op) && isWide(type) &&
          op->getOperand(0).getType().isIndex()) DML_INTEGER_ARITHMETIC(DML_IS);
#undef DML_IS
}

/// Reports arithmetic on types that the profile lacks and that no pattern
/// converts. The message names the missing Vulkan features.
static LogicalResult verifyArithmetic(ModuleOp module,
                                      const WordTypeConverter &typeConverter,
                                      const DeviceProfile &profile) {
  WalkResult result = module.walk([&](Operation *op) {
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            op->getDialect()))
      return WalkResult::advance();
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(),
                                              op->getResultTypes())) {
      if (!type.isIntOrFloat() || !typeConverter.isEmulated(type) ||
          isComputed(op, type))
        continue;
      // Kernels that compute with a type also load and store it. The message
      // therefore names the features for both arithmetic and storage.
      DeviceProfile required;
      for (bool isStored : {false, true})
        required.add(DeviceProfile::getRequired(type, isStored));
      SmallVector<StringRef> missing;
      for (const DeviceFeatureInfo &info : getDeviceFeatures())
        if (required.has(info.feature) && !profile.has(info.feature))
          missing.push_back(info.vulkanName);
      if (missing.empty())
        continue;
      emitError(op->getLoc())
          << "arithmetic on " << type << " needs the Vulkan feature "
          << llvm::join(missing, ", ") << ", which the device profile '"
          << profile.str() << "' lacks";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {

struct EmulateTypes : dml::impl::EmulateTypesBase<EmulateTypes> {
  using Base::Base;

  void runOnOperation() override {
    const DeviceProfile &profile = getDeviceProfile(getOperation());
    WordTypeConverter typeConverter(profile);
    if (failed(verifyArithmetic(getOperation(), typeConverter, profile)))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      keepTensorTypes(function,
                      [&](Type type) { return !typeConverter.isLegal(type); });

    MLIRContext *context = &getContext();
    auto isLegal = [&](Operation *op) { return typeConverter.isLegal(op); };
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addDynamicallyLegalOp<
        arith::BitcastOp, arith::CmpFOp, arith::CmpIOp, arith::ConstantOp,
        arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::FPToSIOp,
        arith::FPToUIOp, arith::IndexCastUIOp, arith::SelectOp, arith::SIToFPOp,
        arith::TruncFOp, arith::TruncIOp, arith::UIToFPOp, func::CallOp,
        func::ReturnOp, tensor::CastOp, tensor::CollapseShapeOp,
        tensor::EmptyOp, tensor::ExpandShapeOp, tensor::ExtractOp,
        tensor::ExtractSliceOp, tensor::InsertSliceOp>(isLegal);
#define DML_ADD_LEGAL(Op, isSigned, wide)                                      \
  target.addDynamicallyLegalOp<Op>(isLegal);
    DML_INTEGER_ARITHMETIC(DML_ADD_LEGAL)
#undef DML_ADD_LEGAL
    target.addDynamicallyLegalOp<UnrealizedConversionCastOp>(
        [](Operation *op) { return !op->hasAttr(elementAttrName); });
    target.addDynamicallyLegalOp<linalg::GenericOp>([&](linalg::GenericOp op) {
      return typeConverter.isLegal(op->getResultTypes());
    });
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
      return typeConverter.isSignatureLegal(op.getFunctionType());
    });

    RewritePatternSet patterns(context);
    patterns.add<
        ConvertGeneric, DropElementCast, ConvertExtract, ConvertEmpty,
        ConvertExtractSlice, ConvertInsertSlice, ConvertConstant, ConvertSelect,
        ConvertBitcast, ConvertExtF, ConvertTruncF, ConvertCmpF, ConvertCmpI,
        ConvertToFloat<arith::SIToFPOp>, ConvertToFloat<arith::UIToFPOp>,
        ConvertFromFloat<arith::FPToSIOp>, ConvertFromFloat<arith::FPToUIOp>,
        ConvertIndexCastUI, ConvertTruncI, ConvertExtI<arith::ExtSIOp>,
        ConvertExtI<arith::ExtUIOp>, DropReshape<tensor::CastOp>,
        DropReshape<tensor::CollapseShapeOp>,
        DropReshape<tensor::ExpandShapeOp>>(typeConverter, context);
#define DML_ADD_PATTERN(Op, isSigned, wide)                                    \
  patterns.add<ConvertArithmetic<Op>>(                                         \
      typeConverter, context, isSigned,                                        \
      ConvertArithmetic<Op>::WideFn(&WordBuilder::wide));
    DML_INTEGER_ARITHMETIC(DML_ADD_PATTERN)
#undef DML_ADD_PATTERN
    // Loops and functions may pass values of emulated types.
    scf::populateSCFStructuralTypeConversionsAndLegality(typeConverter,
                                                         patterns, target);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(
        patterns, typeConverter);
    populateReturnOpTypeConversionPattern(patterns, typeConverter);
    populateCallOpTypeConversionPattern(patterns, typeConverter);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
