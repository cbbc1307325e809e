//===- ContractionOps.cpp - Sums of products to linalg --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "dml/IR/ContractionOps.h"
#include "LoweringUtils.h"

using namespace mlir;
using namespace dml;

void dml::populateContractionPatterns(const TypeConverter &typeConverter,
                                      RewritePatternSet &patterns) {}
