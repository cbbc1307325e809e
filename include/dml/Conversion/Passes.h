//===- Passes.h - Conversions out of the dml dialect ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_CONVERSION_PASSES_H
#define DML_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace dml {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dml/Conversion/Passes.h.inc"

/// Adds the patterns that convert dml operators to linalg. `typeConverter`
/// converts tensors of unsigned integers to tensors of signless integers.
void populateDMLToLinalgPatterns(const mlir::TypeConverter &typeConverter,
                                 mlir::RewritePatternSet &patterns);

} // namespace dml

#endif // DML_CONVERSION_PASSES_H
