//===- BytecodeTest.cpp - Bytecode that anybody may have written ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Modules with all encodings of the builtin dialect and many shapes of the IR
// are written as bytecode, damaged, and read: each is read or refused with an
// error. DML_MUTATIONS in the environment says how many are damaged.
//
//===----------------------------------------------------------------------===//

#include "Testing/Mutation/Mutator.h"
#include "dml/IR/DMLOps.h"
#include "dml/IR/Nesting.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cstdio>
#include <cstdlib>

using namespace dml;
using namespace mlir;

namespace {

/// Attributes and types in each of their encodings, regions that are isolated
/// and not, forward references, blocks with arguments and successors, and uses
/// in an order of their own.
constexpr llvm::StringLiteral everything = R"(
#place = loc("model.mlir":3:5)
#named = loc("name"(#place))
module attributes {
  test.dictionary = {a = 1 : i1, b = 2 : i8, c = -3 : i32, d = 4 : index,
                     e = 1267650600228229401496703205376 : i128},
  test.floats = [1.0 : f32, 2.0 : f16, 3.0 : bf16, 4.0 : f64, 5.0 : f80,
                 6.0 : f128, 0.5 : f8E4M3FN],
  test.strings = ["a", "b" : i32, @symbol, @symbol::@inner, unit, f32],
  test.dense = [dense<[1, 2, 3]> : tensor<3xi32>, dense<7.0> : tensor<4x4xf32>,
                dense<[true, false, true, true, false, true, false, true, true]>
                : tensor<9xi1>, dense<true> : tensor<9xi1>,
                dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>,
                dense<["x", "y"]> : tensor<2x!test.string>,
                dense<"x"> : tensor<8x!test.string>,
                sparse<[[0, 0], [1, 2]], [1, 5]> : tensor<3x4xi32>,
                array<i64: 1, 2, 3>, array<i1: true, false>,
                array<f32: 1.0>, distinct[0]<1 : i32>,
                dense_resource<blob> : tensor<4xf32>],
  test.types = [tensor<2x?xf32>, tensor<2xf32, "encoding">, tensor<*xf32>,
                memref<2x3xf32>, memref<2xf32, 3 : i32>, memref<*xf32>,
                memref<*xf32, 1 : i32>, memref<2x3xf32, strided<[1, 2]>>,
                vector<4xf32>, vector<[4]x2xf32>, tuple<i1, f32>, none,
                complex<f32>, (i1, f32) -> (index, bf16), si8, ui16,
                f80, f128, !quant.uniform<i8:f32, 0.5:3>,
                !quant.uniform<i8:f32:1, {0.5, 0.25:-1}>, !quant.any<i8:f32>,
                !quant.any<i8<-3:5>>, !quant.calibrated<f32<-0.5:0.75>>,
                !quant.uniform<i8:f32:{0:1, 1:2}, {{0.5, 0.25}}>],
  test.map = affine_map<(d0, d1) -> (d0 + d1)>
} {
  func.func @main(%a: tensor<2x3xf32> loc(#named), %b: tensor<2x3xf32>)
      -> tensor<4x3xf32> {
    %0 = dml.tile %a {repeats = array<i64: 2, 1>}
        : (tensor<2x3xf32>) -> tensor<4x3xf32> loc(fused[#place, #named])
    %1 = dml.tile %b {repeats = array<i64: 2, 1>}
        : (tensor<2x3xf32>) -> tensor<4x3xf32> loc(fused<"pass">[#place])
    %2:3 = "test.many"(%0, %1, %0) ({
    ^entry(%x: i32, %y: i32):
      "test.use"(%x, %y, %x) : (i32, i32, i32) -> ()
      "test.branch"()[^next, ^next] : () -> () loc(callsite(#place at #named))
    ^next:
      "test.use"(%x, %0, %0) : (i32, tensor<4x3xf32>, tensor<4x3xf32>) -> ()
      "test.branch"()[^next] : () -> ()
    }, {}) {test.attribute} : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>)
        -> (i32, i32, tensor<4x3xf32>)
    return %2#2 : tensor<4x3xf32>
  }
  module @inner {
    func.func private @f(i32)
    "test.use"(%later, %later) : (i32, i32) -> ()
    %later = "test.later"(%later) : (i32) -> i32
  }
}
{-# dialect_resources: { builtin: {
  blob: "0x0400000000000080000000810000008200000083"
} } #-}
)";

class BytecodeTest : public testing::Test {
protected:
  BytecodeTest() {
    context.allowUnregisteredDialects();
    context.loadDialect<DMLDialect, func::FuncDialect, quant::QuantDialect>();
  }

  std::string write(ModuleOp module) {
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    EXPECT_TRUE(succeeded(writeBytecodeToFile(module, os)));
    return bytes;
  }

  /// Reads bytecode. The module is null after an error, whose text goes to
  /// `message`.
  OwningOpRef<ModuleOp> read(llvm::StringRef bytes, bool verifies = true) {
    message.clear();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &each) {
      if (message.empty() && each.getSeverity() == DiagnosticSeverity::Error)
        message = each.str();
      return success();
    });
    auto sources = std::make_shared<llvm::SourceMgr>();
    sources->AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(bytes, "case"), llvm::SMLoc());
    return parseBytecode(sources, &context, verifies);
  }

  OwningOpRef<ModuleOp> parse(llvm::StringRef text) {
    return parseSourceString<ModuleOp>(
        text, ParserConfig(&context, /*verifyAfterParse=*/false));
  }

  std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os, OpPrintingFlags().printGenericOpForm().enableDebugInfo());
    return text;
  }

  MLIRContext context;
  std::string message;
};

TEST_F(BytecodeTest, EveryEncodingIsReadAsItWasWritten) {
  auto module = parse(everything);
  ASSERT_TRUE(module);
  auto copy = read(write(*module), /*verifies=*/false);
  ASSERT_TRUE(copy) << message;
  // The context has one blob of each name.
  std::string text = print(*copy);
  for (size_t at; (at = text.find("blob_1")) != std::string::npos;)
    text.replace(at, 6, "blob");
  EXPECT_EQ(text, print(*module));
}

TEST_F(BytecodeTest, CountsBeyondTheFileAreRefused) {
  auto module = parse("module {}");
  std::string bytes = write(*module);
  // Behind the name of the producer stands the section of dialects: its number,
  // its length, and the count of dialects.
  size_t section = bytes.find('\0') + 1;
  ASSERT_EQ(bytes[section], 1);
  for (std::string count : {std::string("\xff"), std::string(2, '\xfe')}) {
    std::string damaged = bytes;
    damaged.replace(section + 2, count.size(), count);
    EXPECT_FALSE(read(damaged));
    EXPECT_NE(message.find("dialects are announced, but"), std::string::npos)
        << message;
  }
  // A file that ends anywhere.
  for (size_t size = 4; size < bytes.size(); ++size) {
    EXPECT_FALSE(read(bytes.substr(0, size)));
    EXPECT_NE(message, "");
  }
}

TEST_F(BytecodeTest, DamageIsReadOrRefused) {
  const char *wanted = std::getenv("DML_MUTATIONS");
  uint64_t count = wanted ? std::strtoull(wanted, nullptr, 10) : 1500;
  const char *wantedSeed = std::getenv("DML_SEED");
  uint64_t seed = wantedSeed ? std::strtoull(wantedSeed, nullptr, 10) : 1;
  auto module = parse(everything);
  ASSERT_TRUE(module);
  std::string bytes = write(*module);
  unsigned numRead = 0, numRefused = 0, numValid = 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (wanted)
      std::fprintf(stderr, "case %llu\n",
                   static_cast<unsigned long long>(seed + i));
    fuzz::Random random(seed + i);
    auto read = this->read(fuzz::spoilBytes(bytes, random), /*verifies=*/false);
    if (!read) {
      EXPECT_NE(message, "") << "case " << i << " fails without an error";
      ++numRefused;
      continue;
    }
    ++numRead;
    // What was read can be verified, and then printed and written.
    ScopedDiagnosticHandler handler(&context, [](Diagnostic &) {});
    if (failed(verify(*read)))
      continue;
    ++numValid;
    EXPECT_NE(print(*read), "");
    EXPECT_NE(write(*read), "");
  }
  llvm::outs() << count << " damaged: " << numRefused << " refused, " << numRead
               << " read, " << numValid << " valid\n";
  EXPECT_GT(numRefused, count / 4);
  EXPECT_GT(numValid, 0u);
}

} // namespace
