//===- MatrixProductsTest.cpp - The kernel that dml-bench assembles -------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Few devices have cooperative matrices. These tests therefore check the
// kernels with the runtime's reader, which needs no device.
//
//===----------------------------------------------------------------------===//

#include "dml-bench/MatrixProducts.h"
#include "SPIRVReader.h"

#include <gmock/gmock.h>

using namespace dml::runtime;
using namespace dml::tools;

TEST(MatrixProducts, AreAKernelThatTheRuntimeRuns) {
  for (DmlMatrixShape shape :
       {DmlMatrixShape{16, 16, 16, DML_DATA_TYPE_FLOAT16,
                       DML_DATA_TYPE_FLOAT32},
        DmlMatrixShape{16, 8, 8, DML_DATA_TYPE_FLOAT16, DML_DATA_TYPE_FLOAT32},
        DmlMatrixShape{16, 16, 32, DML_DATA_TYPE_INT8, DML_DATA_TYPE_INT32},
        DmlMatrixShape{8, 16, 32, DML_DATA_TYPE_UINT8, DML_DATA_TYPE_INT32}}) {
    MatrixProducts products = makeMatrixProducts(shape, 32);
    auto module = readSPIRVModule(products.code);
    ASSERT_TRUE(module) << module.status().message();
    bool isFloat = shape.factors == DML_DATA_TYPE_FLOAT16;
    EXPECT_EQ(module->features, DML_FEATURE_COOPERATIVE_MATRIX_BIT |
                                    DML_FEATURE_VULKAN_MEMORY_MODEL_BIT |
                                    (isFloat ? DML_FEATURE_SHADER_FLOAT16_BIT
                                             : DML_FEATURE_SHADER_INT8_BIT));
    ASSERT_EQ(module->matrixShapes.size(), 1u);
    const DmlMatrixShape &read = module->matrixShapes[0];
    EXPECT_EQ(read.rows, shape.rows);
    EXPECT_EQ(read.columns, shape.columns);
    EXPECT_EQ(read.terms, shape.terms);
    EXPECT_EQ(read.factors, shape.factors);
    ASSERT_EQ(module->entryPoints.size(), 1u);
    EXPECT_EQ(module->entryPoints.at("main").sharedMemorySize,
              products.sharedMemorySize);
    // 8 sums, to each of which 256 products are added.
    EXPECT_EQ(products.operations,
              4096.0 * shape.rows * shape.columns * shape.terms);
  }
}
