//===- ReferenceTest.h - Interpreting operators in tests --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_UNITTESTS_REFERENCE_REFERENCETEST_H
#define DML_UNITTESTS_REFERENCE_REFERENCETEST_H

#include "dml/IR/DML.h"
#include "dml/Reference/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

namespace dml::reference {

/// Which part of an estimate a test looks at.
enum class Result { exact, lower, upper };

inline Tensor getPart(const Estimate &estimate, Result result) {
  return result == Result::exact   ? estimate.value
         : result == Result::lower ? estimate.lower
                                   : estimate.upper;
}

class ReferenceTest : public testing::Test {
protected:
  ReferenceTest() {
    context.loadDialect<DMLDialect, mlir::arith::ArithDialect,
                        mlir::func::FuncDialect, mlir::scf::SCFDialect,
                        mlir::tensor::TensorDialect>();
  }

  /// Interprets the first function of `source`; errors become `diagnostics`.
  llvm::FailureOr<llvm::SmallVector<Tensor>>
  interpretSource(llvm::StringRef source, llvm::ArrayRef<Tensor> inputs,
                  Result result = Result::exact) {
    mlir::ScopedDiagnosticHandler handler(
        &context, [this](mlir::Diagnostic &diagnostic) {
          diagnostics += diagnostic.str() + "\n";
          return mlir::success();
        });
    auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
    if (!module)
      return mlir::failure();
    auto functions = module->getOps<mlir::func::FuncOp>();
    if (functions.empty())
      return mlir::failure();
    auto estimates = interpret(*functions.begin(), inputs);
    if (failed(estimates))
      return mlir::failure();
    return llvm::map_to_vector(*estimates, [&](const Estimate &estimate) {
      return getPart(estimate, result);
    });
  }

  /// Interprets one operation, whose operands are %0, %1, ... and whose text
  /// ends in its result's type.
  Tensor interpretOp(const std::string &op, llvm::ArrayRef<Tensor> inputs,
                     Result result = Result::exact) {
    std::string source = "func.func @main(", resultType;
    for (auto [index, input] : llvm::enumerate(inputs))
      source += (index ? ", %" : "%") + std::to_string(index) + ": " +
                getTypeName(input);
    size_t arrow = op.rfind("->");
    resultType = op.substr(arrow + 2);
    source += ") -> " + resultType + " {\n%result = " + op +
              "\nreturn %result : " + resultType + "\n}";
    auto outputs = interpretSource(source, inputs, result);
    EXPECT_TRUE(succeeded(outputs)) << diagnostics << source;
    return succeeded(outputs) ? outputs->front()
                              : *Tensor::create(DataType::FLOAT32, {0});
  }

  std::string getTypeName(const Tensor &tensor) {
    std::string name;
    llvm::raw_string_ostream(name) << mlir::RankedTensorType::get(
        tensor.getShape(), getElementType(tensor.getDataType(), &context));
    return name;
  }

  mlir::MLIRContext context;
  std::string diagnostics;
};

inline Tensor makeTensor(DataType type, std::vector<int64_t> shape,
                         std::vector<double> values) {
  return Tensor::of<double>(type, shape, values);
}

/// {1, 2, 3, ...}
inline Tensor makeIota(DataType type, std::vector<int64_t> shape) {
  std::vector<double> values(*getNumElements(shape));
  for (auto [index, value] : llvm::enumerate(values))
    value = index + 1;
  return makeTensor(type, shape, values);
}

inline std::vector<double> getNumbers(const Tensor &tensor) {
  std::vector<double> numbers;
  for (int64_t index = 0; index < tensor.getNumElements(); ++index)
    numbers.push_back(tensor.getNumber(index));
  return numbers;
}

/// The elements' bits.
template <typename T> std::vector<T> getElements(const Tensor &tensor) {
  auto *begin = reinterpret_cast<const T *>(tensor.getData());
  return {begin, begin + tensor.getNumBytes() / sizeof(T)};
}

template <typename T>
Tensor makeFromElements(DataType type, std::vector<int64_t> shape,
                        std::vector<T> elements) {
  Tensor tensor = *Tensor::create(type, shape);
  std::copy(elements.begin(), elements.end(),
            reinterpret_cast<T *>(tensor.getData()));
  return tensor;
}

inline constexpr DataType allDataTypes[] = {
    DataType::FLOAT64, DataType::FLOAT32, DataType::FLOAT16, DataType::INT64,
    DataType::INT32,   DataType::INT16,   DataType::INT8,    DataType::UINT64,
    DataType::UINT32,  DataType::UINT16,  DataType::UINT8};

using Numbers = std::vector<double>;

} // namespace dml::reference

#endif // DML_UNITTESTS_REFERENCE_REFERENCETEST_H
