//===- TensorTest.cpp - Tests of host tensors -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "ReferenceTest.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>
#include <random>

using namespace dml;
using namespace dml::reference;
using llvm::APFloat;

namespace {

TEST(Half, EveryValueConvertsAsInAPFloat) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    APFloat wanted(APFloat::IEEEhalf(), llvm::APInt(16, bits));
    float found = convertFromHalf(bits);
    if (wanted.isNaN()) {
      EXPECT_TRUE(std::isnan(found)) << bits;
      EXPECT_EQ(convertToHalf(found), bits | 0x200) << bits;
      continue;
    }
    bool losesInfo;
    wanted.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    EXPECT_EQ(llvm::bit_cast<uint32_t>(found),
              wanted.bitcastToAPInt().getZExtValue())
        << bits;
    EXPECT_EQ(convertToHalf(found), bits);
  }
}

TEST(Half, RoundsAsAPFloat) {
  std::mt19937 random(1);
  auto check = [](float value) {
    APFloat wanted(value);
    bool losesInfo;
    wanted.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    EXPECT_EQ(convertToHalf(value), wanted.bitcastToAPInt().getZExtValue())
        << value;
  };
  for (int i = 0; i < 100000; ++i) {
    // Exponents around those that f16 has.
    float magnitude = std::ldexp(1.0f + (random() >> 9) * 0x1p-23f,
                                 static_cast<int>(random() % 44) - 27);
    check(magnitude);
    check(-magnitude);
  }
  // Ties, and the ends of the range.
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    float low = convertFromHalf(bits);
    float high = bits == 0x7bff ? 65536.0f : convertFromHalf(bits + 1);
    float middle = (low + high) / 2;
    check(middle);
    check(std::nextafter(middle, 0.0f));
    check(std::nextafter(middle, 1e9f));
  }
  check(std::numeric_limits<float>::infinity());
}

TEST(Tensor, NumbersSaturate) {
  const double infinity = std::numeric_limits<double>::infinity();
  auto store = [](DataType type, double value) {
    return makeTensor(type, {1}, {value});
  };
  for (DataType type : allDataTypes)
    for (double value : {0.0, 1.0, 42.0, 100.0})
      EXPECT_EQ(store(type, value).getNumber(0), value);
  EXPECT_EQ(store(DataType::INT8, 1000).getNumber(0), 127);
  EXPECT_EQ(store(DataType::INT8, -infinity).getNumber(0), -128);
  EXPECT_EQ(store(DataType::UINT8, -1).getNumber(0), 0);
  EXPECT_EQ(store(DataType::UINT8, 255.5).getNumber(0), 255);
  EXPECT_EQ(store(DataType::UINT16, NAN).getNumber(0), 0);
  EXPECT_EQ(getElements<int64_t>(store(DataType::INT64, 1e30))[0],
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(getElements<int64_t>(store(DataType::INT64, -1e30))[0],
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(getElements<uint64_t>(store(DataType::UINT64, infinity))[0],
            std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(getElements<uint64_t>(store(DataType::UINT64, 0x1p63))[0],
            uint64_t(1) << 63);
  // Halves go to even.
  EXPECT_EQ(store(DataType::INT32, 2.5).getNumber(0), 2);
  EXPECT_EQ(store(DataType::INT32, 3.5).getNumber(0), 4);
}

TEST(Tensor, TooLargeFails) {
  EXPECT_TRUE(
      failed(Tensor::create(DataType::FLOAT64, {1LL << 40, 1LL << 40})));
  EXPECT_TRUE(failed(Tensor::create(DataType::FLOAT64, {1LL << 60})));
  EXPECT_TRUE(failed(Tensor::create(DataType::FLOAT64, {-1})));
}

TEST(Tensor, ForEachCoordinateIsRowMajor) {
  std::vector<std::vector<int64_t>> visited;
  forEachCoordinate({2, 1, 3}, [&](llvm::ArrayRef<int64_t> coordinate) {
    visited.emplace_back(coordinate.begin(), coordinate.end());
  });
  EXPECT_EQ(
      visited,
      (std::vector<std::vector<int64_t>>{
          {0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {1, 0, 0}, {1, 0, 1}, {1, 0, 2}}));
  int count = 0;
  forEachCoordinate({}, [&](llvm::ArrayRef<int64_t>) { ++count; });
  EXPECT_EQ(count, 1);
  forEachCoordinate({3, 0}, [&](llvm::ArrayRef<int64_t>) { ++count; });
  EXPECT_EQ(count, 1);
}

} // namespace
