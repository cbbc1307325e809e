//===- Optimizations.cpp - What ONNX Runtime fuses for DirectML -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// ONNX Runtime rewrites a graph before and after its DirectML provider has
// accepted nodes. This file implements the rewrites that match a fixed pattern
// and change which DirectML operators are used. They follow ONNX Runtime 1.19
// to 1.22 (graph_transformer_utils.cc, and the provider's
// GraphTransformer.cpp), in the same order:
//
//  * ConvBNFusion: BatchNormalization becomes part of a convolution's weights;
//  * GeluFusion: x / sqrt(2), Erf, + 1, * x and * 0.5 become Gelu;
//  * LayerNormFusion: the nine nodes that normalize become one;
//  * FastGeluFusion: the same for the approximation with Tanh;
//  * BiasGeluFusion: Gelu includes the bias that is added before it;
//  * the provider's own: an activation becomes a part of the convolution,
//    product, normalization or sum before it.
//
// QDQSelectorActionTransformer and MatMulIntegerToFloatFusion, which create
// nodes on integers, are in QuantizedNodes.cpp.
//
// Other rewrites only remove or move operators, and therefore require no newer
// feature level: constant folding; common subexpression elimination; the
// removal of nodes without effect; the fusions of a convolution or a product
// with an addition, a multiplication, a padding or a transposition; the fusions
// of Relu with Clip, and of nodes with a following quantization;
// QuickGeluFusion; and SkipLayerNormFusion. AttentionFusion begins with a
// LayerNormalization, which remains, and EmbedLayerNormFusion begins with the
// attention that AttentionFusion creates. The LayerNormalization requires
// MEAN_VARIANCE_NORMALIZATION2 of level 6_3, and the nodes that these two
// rewrites create only require MULTIHEAD_ATTENTION of level 6_1 and older
// operators.
//
//===----------------------------------------------------------------------===//

#include "OnnxRuntime/Optimizations.h"
#include "Reader/Constant.h"
#include "dml/IR/ActivationOps.h"
#include "dml/IR/ContractionOps.h"
#include "dml/IR/NormalizationOps.h"
#include "dml/IR/Origin.h"
#include "dml/IR/ViewOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <map>

using namespace mlir;
using namespace dml;
using namespace dml::onnx;

namespace {
/// An ONNX activation that becomes an attribute of the preceding operator, such
/// as Relu after Conv.
struct FusedActivation {
  /// The ONNX operator.
  StringLiteral type;
  /// Whether Add and Sum fuse the activation as well.
  bool isFusedByAdd;
};

class Optimizer {
public:
  Optimizer(func::FuncOp function, NodeOrigins types, OptimizationNotes notes);
  void run();

private:
  /// Whether `op` was built from an ONNX operator of type `type` that the
  /// provider accepts.
  bool isOf(Operation *op, StringRef type) const;
  /// Returns the operator that computes `value`, possibly through reshapes.
  /// Returns null if `value` has another reader.
  Operation *getSoleProducer(Value value) const;
  /// Returns the same operator if its node has the type `type`, and null
  /// otherwise.
  Operation *getSoleProducer(Value value, StringRef type) const;
  /// Returns the operator that computes the first operand of `reader`. Returns
  /// null if the operand has another reader, or if there is a change of shape
  /// between the nodes of the two operators.
  Operation *getNodeBefore(Operation *reader) const;
  void replace(Operation *op, Operation *by, StringRef type, StringRef fusion);
  /// Records that `fusion` created `op`.
  void note(Operation *op, StringRef fusion);

  void foldBatchNormalization(BatchNormalizationOp op);
  void fuseGelu(Operation *op);
  void fuseLayerNormalization(Operation *op);
  void fuseFastGelu(Operation *op);
  void fuseBiasGelu(Operation *op);
  void fuseActivation(Operation *op);

  func::FuncOp function;
  NodeOrigins types;
  OptimizationNotes notes;
};
} // namespace

static constexpr FusedActivation fusedActivations[] = {
    {"Elu", false},      {"HardSigmoid", false},
    {"LeakyRelu", true}, {"ParametricSoftplus", false},
    {"Relu", true},      {"ScaledTanh", false},
    {"Selu", false},     {"Sigmoid", false},
    {"Softplus", false}, {"Softsign", false},
    {"Tanh", false},     {"ThresholdedRelu", false},
};

/// The ONNX operators other than Add and Sum that fuse an activation.
static constexpr StringLiteral fusingTypes[] = {"BatchNormalization",
                                                "Conv",
                                                "ConvTranspose",
                                                "Gemm",
                                                "MatMul",
                                                "InstanceNormalization",
                                                "MeanVarianceNormalization"};

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static bool isReshape(Operation *op) {
  return isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

/// Returns `value` without the reshapes that are applied to it.
static Value lookThroughReshapes(Value value) {
  while (isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Returns the number to which all elements of `value` are equal, if there is
/// one.
static std::optional<double> getSplat(Value value) {
  value = lookThroughReshapes(value);
  while (auto view = value.getDefiningOp<ViewOp>())
    value = lookThroughReshapes(view.getOperand());
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue())
                           : DenseFPElementsAttr();
  if (!elements || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APFloat>().convertToDouble();
}

/// Whether `number` is equal to `wanted` in the digits that ONNX Runtime
/// compares.
static bool isNearly(std::optional<double> number, double wanted) {
  return number && std::abs(*number - wanted) <= 1e-4 * std::abs(wanted);
}

/// Returns the elements of a float constant.
static std::optional<SmallVector<double>> getFloats(Value value) {
  value = lookThroughReshapes(value);
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return std::nullopt;
  auto type = cast<RankedTensorType>(value.getType());
  std::optional<DataType> dataType = getDataType(type.getElementType());
  if (dataType != DataType::FLOAT32 && dataType != DataType::FLOAT16)
    return std::nullopt;
  SmallVector<double> numbers;
  if (auto elements = dyn_cast<DenseFPElementsAttr>(constant.getValue())) {
    for (APFloat element : elements.getValues<APFloat>())
      numbers.push_back(element.convertToDouble());
    return numbers;
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return std::nullopt;
  size_t width = getByteWidth(*dataType);
  ArrayRef<char> data = blob->getData();
  FileMemory::want(data);
  if (data.size() != type.getNumElements() * width)
    return std::nullopt;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type.getElementType()).getFloatSemantics();
  for (size_t at = 0; at < data.size(); at += width) {
    uint32_t bits = 0;
    std::memcpy(&bits, data.data() + at, width);
    numbers.push_back(
        APFloat(semantics, APInt(width * 8, bits)).convertToDouble());
  }
  return numbers;
}

/// Builds a constant with `numbers`, rounded to the element type of `type`.
static Value buildFloats(OpBuilder &builder, Location loc,
                         RankedTensorType type, ArrayRef<double> numbers) {
  DataType dataType = *getDataType(type.getElementType());
  size_t width = getByteWidth(dataType);
  auto bytes = std::make_shared<std::vector<char>>(numbers.size() * width);
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type.getElementType()).getFloatSemantics();
  for (auto [index, number] : llvm::enumerate(numbers)) {
    APFloat rounded(number);
    bool losesInfo;
    rounded.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    uint64_t bits = rounded.bitcastToAPInt().getZExtValue();
    std::memcpy(bytes->data() + index * width, &bits, width);
  }
  return reader::buildConstant(builder, loc, dataType, type.getShape(), *bytes,
                               bytes, "weights",
                               bytes->size() > reader::maxInlineBytes);
}

/// If one of the two operands of `op` satisfies `fits`, returns the other
/// operand and then this one. Returns nothing otherwise.
static std::optional<std::pair<Value, Value>>
splitOperands(Operation *op, llvm::function_ref<bool(Value)> fits) {
  for (unsigned index : {1, 0})
    if (fits(op->getOperand(index)))
      return std::pair(op->getOperand(1 - index), op->getOperand(index));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Optimizer::Optimizer(func::FuncOp function, NodeOrigins all,
                     OptimizationNotes notes)
    : function(function), notes(std::move(notes)) {
  // Operators without readers have been erased.
  function.walk([&](Operation *op) {
    if (auto found = all.find(op); found != all.end())
      types.insert(*found);
  });
}

bool Optimizer::isOf(Operation *op, StringRef type) const {
  auto found = types.find(op);
  return found != types.end() && found->second.type == type &&
         !op->hasAttr(notTakenAttrName);
}

Operation *Optimizer::getSoleProducer(Value value) const {
  if (!value.hasOneUse())
    return nullptr;
  // Nothing is fused into the body of a loop or out of it.
  Block *block = (*value.user_begin())->getBlock();
  while (value.hasOneUse() && isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == block && value.hasOneUse() &&
                 types.contains(op)
             ? op
             : nullptr;
}

Operation *Optimizer::getSoleProducer(Value value, StringRef type) const {
  Operation *op = getSoleProducer(value);
  return op && isOf(op, type) ? op : nullptr;
}

Operation *Optimizer::getNodeBefore(Operation *reader) const {
  Operation *op = getSoleProducer(reader->getOperand(0));
  return op && types.at(op).output == types.at(reader).input ? op : nullptr;
}

void Optimizer::note(Operation *op, StringRef fusion) {
  ++notes.fused[fusion];
  StringRef before;
  if (auto attribute = op->getAttrOfType<StringAttr>(fusedAttrName))
    before = attribute.getValue();
  op->setAttr(
      fusedAttrName,
      StringAttr::get(op->getContext(),
                      (before + (before.empty() ? "" : ", ") + fusion).str()));
}

void Optimizer::replace(Operation *op, Operation *by, StringRef type,
                        StringRef fusion) {
  NodeOrigin before = types.lookup(op);
  NodeOrigin &after = types[by];
  if (after.type.empty())
    after.input = before.input;
  after.type = type;
  after.output = before.output;
  note(by, fusion);
  OpBuilder builder(op);
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  op->getResult(0).replaceAllUsesWith(reader::reshape(
      builder, by->getLoc(), by->getResult(0), result.getShape()));
}

//===----------------------------------------------------------------------===//
// Fusions
//===----------------------------------------------------------------------===//

void Optimizer::foldBatchNormalization(BatchNormalizationOp op) {
  auto convolution = dyn_cast_or_null<ConvolutionOp>(getNodeBefore(op));
  if (!convolution || !isOf(convolution, "Conv") || op.getFusedActivation() ||
      convolution.getFusedActivation())
    return;
  auto filter = getFloats(convolution.getFilter());
  auto mean = getFloats(op.getMean()), variance = getFloats(op.getVariance()),
       scale = getFloats(op.getScale()), bias = getFloats(op.getBias());
  if (!filter || !mean || !variance || !scale || !bias)
    return;
  size_t channels = mean->size();
  SmallVector<double> offset(channels, 0);
  if (Value given = convolution.getBias()) {
    auto numbers = getFloats(given);
    if (!numbers)
      return;
    offset = *numbers;
  }
  if (filter->size() % channels != 0 || variance->size() != channels ||
      scale->size() != channels || bias->size() != channels ||
      offset.size() != channels)
    return;
  // The first dimension of the filter corresponds to the channels of the
  // output.
  size_t each = filter->size() / channels;
  double epsilon = op.getEpsilon().convertToDouble();
  for (size_t channel = 0; channel < channels; ++channel) {
    double factor =
        (*scale)[channel] / std::sqrt((*variance)[channel] + epsilon);
    for (size_t at = 0; at < each; ++at)
      (*filter)[channel * each + at] *= factor;
    offset[channel] =
        (offset[channel] - (*mean)[channel]) * factor + (*bias)[channel];
  }
  OpBuilder builder(convolution);
  Location loc = convolution.getLoc();
  auto type = cast<RankedTensorType>(convolution.getFilter().getType());
  auto output = cast<RankedTensorType>(convolution.getOutput().getType());
  SmallVector<int64_t> perChannel(output.getRank(), 1);
  perChannel[1] = static_cast<int64_t>(channels);
  convolution.getFilterMutable().assign(
      buildFloats(builder, loc, type, *filter));
  convolution.getBiasMutable().assign(
      buildFloats(builder, loc, output.clone(perChannel), offset));
  replace(op, convolution, "Conv", "ConvBNFusion");
}

/// Whether `op` is dml.`mnemonic`.
static bool isOperator(Operation *op, StringRef mnemonic) {
  StringRef name = op ? op->getName().getStringRef() : "";
  return name.consume_front("dml.") && name == mnemonic;
}

void Optimizer::fuseGelu(Operation *op) {
  auto isNumber = [](double wanted) {
    return [=](Value value) { return isNearly(getSplat(value), wanted); };
  };
  auto getMul = [&](Value value) { return getSoleProducer(value, "Mul"); };
  // Matches (x * sum) * 0.5, or (x * 0.5) * sum.
  Value x, sum;
  if (auto halved = splitOperands(op, isNumber(0.5))) {
    Operation *product = getMul(halved->first);
    if (!product)
      return;
    auto isSum = [&](Value value) {
      return isOperator(getSoleProducer(value), "element_wise_add");
    };
    auto parts = splitOperands(product, isSum);
    if (!parts)
      return;
    std::tie(x, sum) = *parts;
  } else {
    auto isHalf = [&](Value value) {
      Operation *half = getMul(value);
      return half && splitOperands(half, isNumber(0.5));
    };
    auto parts = splitOperands(op, isHalf);
    if (!parts)
      return;
    sum = parts->first;
    x = splitOperands(getMul(parts->second), isNumber(0.5))->first;
  }
  // Matches sum = Erf(x / sqrt(2)) + 1.
  Operation *add = getSoleProducer(sum, "Add");
  if (!add)
    return;
  auto one = splitOperands(add, isNumber(1));
  Operation *erf = one ? getSoleProducer(one->first, "Erf") : nullptr;
  if (!erf)
    return;
  Operation *quotient = getSoleProducer(erf->getOperand(0), "Div");
  if (!quotient ||
      !isNearly(getSplat(quotient->getOperand(1)), std::sqrt(2.0)) ||
      lookThroughReshapes(quotient->getOperand(0)) != lookThroughReshapes(x))
    return;
  OpBuilder builder(op);
  auto gelu = reader::buildOperator(
      builder, op->getLoc(),
      OperationName(ActivationGeluOp::getOperationName(), op->getContext()),
      {{"input", x}}, {}, x.getType());
  if (!gelu)
    return llvm::consumeError(gelu.takeError());
  // From version 1.20 on, ONNX Runtime replaces the nodes by ONNX's own Gelu if
  // the operator set contains it. The provider has no kernel for Gelu, but the
  // CPU has one.
  if (types.at(op).opset >= 20)
    notes.open.insert(
        {"GeluFusion from version 20 of the operator set on", ""});
  replace(op, *gelu, "Gelu", "GeluFusion");
}

/// Returns the exponent of a power if it is known.
static std::optional<double> getExponent(Operation *power) {
  if (power->getNumOperands() == 2)
    return getSplat(power->getOperand(1));
  auto exponent = power->getAttrOfType<FloatAttr>("exponent");
  return exponent ? std::optional(exponent.getValueAsDouble()) : std::nullopt;
}

void Optimizer::fuseFastGelu(Operation *op) {
  auto isNumber = [](double wanted) {
    return [=](Value value) { return isNearly(getSplat(value), wanted); };
  };
  // If `value` is the product or sum, by a node of type `type`, of the number
  // `wanted` and another operand, and has no other reader, returns the other
  // operand. Returns null otherwise.
  auto getBeside = [&](Value value, StringRef type, double wanted) -> Value {
    Operation *producer = getSoleProducer(value, type);
    auto parts =
        producer ? splitOperands(producer, isNumber(wanted)) : std::nullopt;
    return parts ? parts->first : Value();
  };
  // Matches (x * 0.5) * (Tanh(argument) + 1).
  auto outer = splitOperands(op, [&](Value value) {
    Value rest = getBeside(value, "Add", 1);
    return rest && getSoleProducer(rest, "Tanh");
  });
  if (!outer)
    return;
  Value x = getBeside(outer->first, "Mul", 0.5);
  if (!x)
    return;
  Value argument = getSoleProducer(getBeside(outer->second, "Add", 1), "Tanh")
                       ->getOperand(0);
  auto isX = [&](Value value) {
    return value && lookThroughReshapes(value) == lookThroughReshapes(x);
  };
  // The square root of 2 / pi, and the factor of the cubic term.
  static constexpr double root = 0.7978845834732056, cubic = 0.044715;
  bool isFast = false;
  if (Value sum = getBeside(argument, "Mul", root)) {
    // Matches (x + Pow(x, 3) * 0.044715) * root.
    Operation *add = getSoleProducer(sum, "Add");
    auto parts =
        add ? splitOperands(add,
                            [&](Value value) {
                              return getBeside(value, "Mul", cubic) != nullptr;
                            })
            : std::nullopt;
    Operation *power =
        parts ? getSoleProducer(getBeside(parts->second, "Mul", cubic), "Pow")
              : nullptr;
    isFast = power && isX(parts->first) && isX(power->getOperand(0)) &&
             isNearly(getExponent(power), 3);
  } else if (Operation *product = getSoleProducer(argument, "Mul")) {
    // Matches (x * root) * (x * 0.044715 * x + 1).
    auto parts = splitOperands(product, [&](Value value) {
      return getBeside(value, "Add", 1) != nullptr;
    });
    Operation *square =
        parts ? getSoleProducer(getBeside(parts->second, "Add", 1), "Mul")
              : nullptr;
    isFast =
        square && isX(getBeside(parts->first, "Mul", root)) &&
        llvm::any_of(llvm::seq(2), [&](int index) {
          return isX(square->getOperand(index)) &&
                 isX(getBeside(square->getOperand(1 - index), "Mul", cubic));
        });
  }
  if (!isFast)
    return;
  OpBuilder builder(op);
  auto gelu = reader::buildOperator(
      builder, op->getLoc(),
      OperationName(ActivationGeluOp::getOperationName(), op->getContext()),
      {{"input", x}}, {}, x.getType());
  if (!gelu)
    return llvm::consumeError(gelu.takeError());
  replace(op, *gelu, "Gelu", "FastGeluFusion");
}

void Optimizer::fuseLayerNormalization(Operation *op) {
  // Matches beta + gamma * (x - mean) / sqrt(average of (x - mean)^2 +
  // epsilon).
  auto isProduct = [&](Value value) {
    return getSoleProducer(value, "Mul") != nullptr;
  };
  auto sum = splitOperands(op, isProduct);
  if (!sum)
    return;
  Operation *product = getSoleProducer(sum->second);
  auto isQuotient = [&](Value value) {
    return getSoleProducer(value, "Div") != nullptr;
  };
  auto factors = splitOperands(product, isQuotient);
  if (!factors)
    return;
  Operation *quotient = getSoleProducer(factors->second);
  // A number that is computed once for each row is read through a view that
  // broadcasts it.
  auto getRepeated = [&](Value value) -> Operation * {
    value = lookThroughReshapes(value);
    if (auto view = value.getDefiningOp<ViewOp>())
      value = lookThroughReshapes(view.getOperand());
    Operation *producer = value.getDefiningOp();
    return producer && types.contains(producer) ? producer : nullptr;
  };
  Operation *root = getRepeated(quotient->getOperand(1));
  Operation *shifted =
      root && isOf(root, "Sqrt")
          ? lookThroughReshapes(root->getOperand(0)).getDefiningOp()
          : nullptr;
  if (!shifted || !isOf(shifted, "Add"))
    return;
  auto epsilon = splitOperands(
      shifted, [](Value value) { return getSplat(value).has_value(); });
  if (!epsilon)
    return;
  auto getAverage = [&](Value value) -> Operation * {
    Operation *reduce = lookThroughReshapes(value).getDefiningOp();
    return reduce && isOf(reduce, "ReduceMean") ? reduce : nullptr;
  };
  Operation *variance = getAverage(epsilon->first);
  Operation *square =
      variance ? lookThroughReshapes(variance->getOperand(0)).getDefiningOp()
               : nullptr;
  Value centered = lookThroughReshapes(quotient->getOperand(0));
  bool isSquare = square && (isOf(square, "Pow") || isOf(square, "Mul")) &&
                  lookThroughReshapes(square->getOperand(0)) == centered;
  if (isSquare && isOf(square, "Pow")) {
    isSquare = isNearly(getExponent(square), 2);
  } else if (isSquare) {
    isSquare = lookThroughReshapes(square->getOperand(1)) == centered;
  }
  Operation *difference = centered.getDefiningOp();
  if (!isSquare || !difference || !isOf(difference, "Sub"))
    return;
  Value x = difference->getOperand(0);
  Operation *mean = getRepeated(difference->getOperand(1));
  if (!mean || !isOf(mean, "ReduceMean") ||
      lookThroughReshapes(mean->getOperand(0)) != lookThroughReshapes(x) ||
      mean->getAttr("axes") != variance->getAttr("axes"))
    return;
  auto axes = mean->getAttrOfType<DenseI64ArrayAttr>("axes");
  auto type = cast<RankedTensorType>(x.getType());
  // Requires that the reduced axes are the last ones, and that the parameters
  // have no other readers.
  if (!axes || axes.empty() || mean->getOperand(0).getType() != x.getType() ||
      axes.asArrayRef().back() != type.getRank() - 1)
    return;
  for (auto [index, axis] : llvm::enumerate(axes.asArrayRef()))
    if (axis != type.getRank() - axes.size() + static_cast<int64_t>(index))
      return;
  Value gamma = factors->first, beta = sum->first;
  if (gamma.getType() != type || beta.getType() != type)
    return;
  OpBuilder builder(op);
  auto normalized = reader::buildOperator(
      builder, op->getLoc(),
      OperationName(MeanVarianceNormalization2Op::getOperationName(),
                    op->getContext()),
      {{"input", x}, {"scale", gamma}, {"bias", beta}},
      {builder.getNamedAttr("axes", axes),
       builder.getNamedAttr("use_mean", builder.getBoolAttr(true)),
       builder.getNamedAttr("use_variance", builder.getBoolAttr(true)),
       builder.getNamedAttr(
           "epsilon", builder.getF32FloatAttr(
                          static_cast<float>(*getSplat(epsilon->second))))},
      type);
  if (!normalized)
    return llvm::consumeError(normalized.takeError());
  replace(op, *normalized, "LayerNormalization", "LayerNormFusion");
}

/// Returns the activation that `op` computes, as an attribute for an operator
/// that fuses it.
static ActivationAttr getActivation(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("dml.activation_"))
    return {};
  auto function = symbolizeActivationFunction(name);
  if (!function)
    return {};
  SmallVector<NamedAttribute> parameters;
  for (StringAttr parameter : op->getName().getAttributeNames())
    if (auto value = op->getInherentAttr(parameter); value && *value)
      parameters.emplace_back(parameter, *value);
  return ActivationAttr::getChecked(
      [&] { return op->emitError(); }, op->getContext(), *function,
      DictionaryAttr::get(op->getContext(), parameters));
}

void Optimizer::fuseBiasGelu(Operation *op) {
  Operation *add = getNodeBefore(op);
  if (!add || !isOf(add, "Add") ||
      add->getResult(0).getType() != op->getResult(0).getType())
    return;
  // A bias is a list along the last dimension, broadcast along the others.
  auto isBias = [](Value value) {
    auto view = lookThroughReshapes(value).getDefiningOp<ViewOp>();
    if (!view)
      return false;
    auto type = cast<RankedTensorType>(view.getOperand().getType());
    return type.getNumElements() == type.getShape().back() &&
           type.getShape().back() ==
               cast<RankedTensorType>(value.getType()).getShape().back();
  };
  if (!splitOperands(add, isBias))
    return;
  OpBuilder builder(op);
  auto sum = reader::buildOperator(
      builder, op->getLoc(),
      OperationName("dml.element_wise_add1", op->getContext()),
      {{"a", add->getOperand(0)}, {"b", add->getOperand(1)}},
      builder.getNamedAttr("fused_activation", getActivation(op)),
      op->getResultTypes());
  if (!sum)
    return llvm::consumeError(sum.takeError());
  replace(op, *sum, "BiasGelu", "BiasGeluFusion");
}

void Optimizer::fuseActivation(Operation *op) {
  const auto *row =
      llvm::find_if(fusedActivations, [&](const FusedActivation &row) {
        return isOf(op, row.type);
      });
  if (row == std::end(fusedActivations) || op->getNumOperands() != 1)
    return;
  ActivationAttr activation = getActivation(op);
  Operation *producer = getNodeBefore(op);
  if (!activation || !producer)
    return;
  OpBuilder builder(producer);
  bool isSum = isOf(producer, "Add") || isOf(producer, "Sum");
  if (isSum) {
    // A sum of more than two operands consists of several operators.
    if (!row->isFusedByAdd || !isOperator(producer, "element_wise_add") ||
        llvm::any_of(producer->getOperands(), [&](Value operand) {
          Operation *before = operand.getDefiningOp();
          return before && types.contains(before) &&
                 before->getLoc() == producer->getLoc();
        }))
      return;
    auto sum = reader::buildOperator(
        builder, producer->getLoc(),
        OperationName("dml.element_wise_add1", op->getContext()),
        {{"a", producer->getOperand(0)}, {"b", producer->getOperand(1)}},
        builder.getNamedAttr("fused_activation", activation),
        producer->getResultTypes());
    if (!sum)
      return llvm::consumeError(sum.takeError());
    replace(op, *sum, "Add", "activation in Add");
    return;
  }
  const auto *type = llvm::find_if(
      fusingTypes, [&](StringRef type) { return isOf(producer, type); });
  if (type == std::end(fusingTypes) ||
      !llvm::is_contained(producer->getName().getAttributeNames(),
                          "fused_activation") ||
      producer->getAttr("fused_activation"))
    return;
  producer->setAttr("fused_activation", activation);
  // If the operator cannot fuse this activation, it is not changed.
  ScopedDiagnosticHandler handler(op->getContext(),
                                  [](Diagnostic &) { return success(); });
  if (failed(verify(producer))) {
    producer->removeAttr("fused_activation");
    return;
  }
  replace(op, producer, *type, "activation in the operator before it");
}

void Optimizer::run() {
  auto forEach = [&](StringRef type, void (Optimizer::*fuse)(Operation *)) {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (isOf(op, type))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      (this->*fuse)(op);
  };
  SmallVector<BatchNormalizationOp> normalizations;
  function.walk([&](BatchNormalizationOp op) {
    if (isOf(op, "BatchNormalization"))
      normalizations.push_back(op);
  });
  llvm::for_each(normalizations, [&](auto op) { foldBatchNormalization(op); });
  auto eraseDead = [&] {
    function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (isOpTriviallyDead(op)) {
        types.erase(op);
        op->erase();
      }
    });
  };
  eraseDead();
  forEach("Mul", &Optimizer::fuseGelu);
  eraseDead();
  forEach("Add", &Optimizer::fuseLayerNormalization);
  eraseDead();
  forEach("Mul", &Optimizer::fuseFastGelu);
  eraseDead();
  forEach("Gelu", &Optimizer::fuseBiasGelu);
  eraseDead();
  for (const FusedActivation &row : fusedActivations)
    forEach(row.type, &Optimizer::fuseActivation);
  eraseDead();

  Builder builder(function.getContext());
  SmallVector<NamedAttribute> fused;
  for (auto [name, count] : notes.fused)
    fused.push_back(
        builder.getNamedAttr(name, builder.getI64IntegerAttr(count)));
  // If an optimization could create several operators, the newest one counts.
  // An unknown operator counts as newer than all others.
  std::map<StringRef, std::optional<FeatureLevel>> newest;
  for (const auto &[name, makes] : notes.open) {
    std::optional<FeatureLevel> level;
    if (const OperatorSupport *support = getOperatorSupport(
            OperationName(("dml." + makes).str(), function.getContext())))
      level = support->getIntroducedLevel();
    auto [entry, isNew] = newest.try_emplace(name, level);
    if (!isNew && entry->second)
      entry->second = level ? std::max(*entry->second, *level) : level;
  }
  SmallVector<NamedAttribute> open;
  for (auto [name, level] : newest)
    open.push_back(builder.getNamedAttr(
        name,
        builder.getStringAttr(level ? getFeatureLevelNumber(*level) : "")));
  function->getParentOfType<ModuleOp>()->setAttr(
      optimizedAttrName,
      builder.getDictionaryAttr(
          {builder.getNamedAttr("fused", builder.getDictionaryAttr(fused)),
           builder.getNamedAttr("open", builder.getDictionaryAttr(open))}));
}

void dml::onnx::optimize(func::FuncOp function, NodeOrigins types,
                         OptimizationNotes notes) {
  Optimizer(function, std::move(types), std::move(notes)).run();
}
