//===- ConversionPatterns.cpp - Kernels to SPIR-V by patterns -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "SPIRV/ConversionPatterns.h"
#include "SPIRV/NarrowIntegers.h"
#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/VectorToSPIRV/VectorToSPIRV.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"

using namespace mlir;
using namespace dml;

namespace {
/// Converts a cast of an i1 to an index, which upstream does not support. Such
/// casts result from folding a cast of an i1 to i32 with a cast to index.
template <typename Op> struct ConvertTruthCast : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getIn().getType().isInteger(1))
      return rewriter.notifyMatchFailure(op, "the operand is no i1");
    Type type = this->getTypeConverter()->convertType(op.getType());
    constexpr int64_t one = std::is_same_v<Op, arith::IndexCastOp> ? -1 : 1;
    auto getConstant = [&](int64_t value) {
      return spirv::ConstantOp::create(rewriter, op.getLoc(), type,
                                       IntegerAttr::get(type, value));
    };
    rewriter.replaceOpWithNewOp<spirv::SelectOp>(
        op, type, adaptor.getIn(), getConstant(one), getConstant(0));
    return success();
  }
};

/// Converts gpu.lane_id, the index of a thread in its subgroup, which upstream
/// does not support.
struct ConvertLaneId : OpConversionPattern<gpu::LaneIdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(gpu::LaneIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto *converter = getTypeConverter<SPIRVTypeConverter>();
    Type word = rewriter.getI32Type();
    Value number = spirv::getBuiltinVariableValue(
        op, spirv::BuiltIn::SubgroupLocalInvocationId, word, rewriter);
    Type index = converter->getIndexType();
    if (index != word)
      number = spirv::UConvertOp::create(rewriter, op.getLoc(), index, number);
    rewriter.replaceOp(op, number);
    return success();
  }
};
} // namespace

LogicalResult dml::convertToSPIRV(ArrayRef<Operation *> modules,
                                  spirv::TargetEnvAttr targetEnv,
                                  unsigned indexBits) {
  SPIRVConversionOptions options;
  options.use64bitIndex = indexBits == wideBits;
  // The conversion does not emulate types. Kernels with types that the device
  // lacks have already been rejected, with the name of the feature.
  options.emulateLT32BitScalarTypes = false;
  options.emulateUnsupportedFloatTypes = false;
  SPIRVTypeConverter typeConverter(targetEnv, options);
  populateMMAToSPIRVCoopMatrixTypeConversion(typeConverter);
  ScfToSPIRVContext scfContext;
  RewritePatternSet patterns(targetEnv.getContext());
  populateGPUToSPIRVPatterns(typeConverter, patterns);
  populateGpuWMMAToSPIRVCoopMatrixKHRConversionPatterns(typeConverter,
                                                        patterns);
  populateSCFToSPIRVPatterns(typeConverter, scfContext, patterns);
  arith::populateArithToSPIRVPatterns(typeConverter, patterns);
  patterns.add<ConvertTruthCast<arith::IndexCastOp>,
               ConvertTruthCast<arith::IndexCastUIOp>>(typeConverter,
                                                       patterns.getContext());
  patterns.add<ConvertLaneId>(typeConverter, patterns.getContext());
  populateMathToSPIRVPatterns(typeConverter, patterns);
  populateMemRefToSPIRVPatterns(typeConverter, patterns);
  populateVectorToSPIRVPatterns(typeConverter, patterns);
  return applyFullConversion(modules, *SPIRVConversionTarget::get(targetEnv),
                             std::move(patterns));
}
