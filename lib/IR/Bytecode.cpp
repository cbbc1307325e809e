//===- Bytecode.cpp - Bytecode that anybody may have written --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// MLIR's reader of bytecode trusts much of a file: it reserves memory for
// counts, follows attributes that contain themselves, and builds attributes
// whose bytes do not fit their type. Two checks stand in front of it:
//
// 1. BytecodeCheck goes through the file once, before the reader, in memory
//    that is proportional to the file: counts, indices, what each attribute and
//    type contains, how deep they and the regions are nested, orders of uses.
// 2. Callbacks of the reader, which know the types that an attribute names,
//    judge values by their types, and parameters as the parser of text does.
//
// What the reader itself checks (most indices, names, the ends of sections) is
// left to the reader.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/Nesting.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeReaderConfig.h"
#include "mlir/Bytecode/Encoding.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <deque>

using namespace dml;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Encodings of attributes and types
//===----------------------------------------------------------------------===//

/// What an attribute or a type consists of, by its number in the encoding of
/// its dialect (BuiltinDialectBytecode.td, QuantDialectBytecode.td):
///   A  an attribute, by its index     T  a type, by its index
///   v  a number                       s  a string, by its index
///   b  a count and bytes              y  a byte
///   [] a count, and as many elements  .  what depends on the type in front
///   -  a number that nothing has
constexpr llvm::StringLiteral builtinAttributes[] = {
    "[A]", "[AA]", "s",  "sT",  "A",   "A[A]", "T",   "",
    "T.",  "T.",   "AA", "Avv", "[A]", "[A]A", "AA",  "",
    "Tv",  "Tvb",  "Tb", "Tv.", "TAA", "A",    "A[v]"};
constexpr llvm::StringLiteral builtinTypes[] = {
    "v",     "",    "[T][T]", "",      "",       "",     "",
    "",      "",    "T",      "[v]TA", "A[v]TA", "",     "[v]T",
    "A[v]T", "[T]", "T",      "AT",    "T",      "[v]T", "[y][v]T"};
constexpr llvm::StringLiteral quantTypes[] = {
    "-", "vTvv", "vTTvv", "Tvv", "vTTvvvv", "vTTvvv[v][v]", "vTTvv[v][v]AA"};

/// The numbers of the encodings that the reader's callbacks look at.
enum AttributeCode : uint64_t {
  kDictionary = 1,
  kInteger = 8,
  kFloat = 9,
  kFused = 12,
  kFusedWithMetadata = 13,
  kDenseArray = 17,
  kDenseElements = 18,
  kDenseStrings = 19,
  kSparseElements = 20,
  kFileLineColRange = 22,
};
enum TypeCode : uint64_t {
  kIntegerType = 0,
  kComplex = 9,
  kMemRef = 10,
  kMemRefWithSpace = 11,
  kRankedTensor = 13,
  kRankedTensorWithEncoding = 14,
  kUnrankedMemRef = 16,
  kUnrankedMemRefWithSpace = 17,
  kUnrankedTensor = 18,
  kVector = 19,
  kScalableVector = 20,
};
enum QuantCode : uint64_t {
  kAnyQuantized = 1,
  kAnyQuantizedExpressed = 2,
  kCalibrated = 3,
  kUniform = 4,
  kUniformPerAxis = 5,
  kUniformSubChannel = 6,
};

//===----------------------------------------------------------------------===//
// BytecodeCheck
//===----------------------------------------------------------------------===//

namespace {
/// Bytes that are still to be read.
struct Bytes {
  const uint8_t *at = nullptr, *end = nullptr;
  size_t size() const { return end - at; }
  bool empty() const { return at == end; }
};

class BytecodeCheck {
public:
  explicit BytecodeCheck(llvm::StringRef file)
      : file({file.bytes_begin(), file.bytes_end()}) {}

  /// Goes through the file. Returns what is wrong, or an empty string.
  std::string run();

private:
  // Reads return 0 or nothing after the first error, which `message` tells.
  void fail(const Bytes &bytes, const llvm::Twine &what) {
    if (message.empty())
      message = ("bytecode is damaged at byte " +
                 llvm::Twine(bytes.at - file.at) + ": " + what)
                    .str();
  }
  bool isGood() const { return message.empty(); }
  uint8_t readByte(Bytes &bytes);
  uint64_t readNumber(Bytes &bytes);
  /// Reads the number of things that follow, each of which has a byte at least.
  uint64_t readCount(Bytes &bytes, llvm::StringRef things);
  uint64_t readIndex(Bytes &bytes, size_t count, llvm::StringRef thing);
  Bytes readBytes(Bytes &bytes, uint64_t count);
  /// Reads a section, whose number goes to `id`.
  Bytes readSection(Bytes &bytes, uint8_t &id);

  void checkStrings(Bytes bytes);
  void checkProperties(Bytes bytes);
  void checkDialects(Bytes bytes);
  void checkResources(Bytes offsets, Bytes data);
  void checkElements(Bytes offsets, Bytes data);
  void checkDepth();

  /// An attribute or a type.
  struct Element {
    llvm::StringRef dialect;
    bool isEncoded;
    Bytes bytes;
    /// The place of the first element that this one contains in `contained`.
    size_t begin = 0;
  };
  void checkElement(Element &element, bool isType);
  void readForm(Bytes &bytes, llvm::StringRef form);

  /// The regions of an operation, and the block that is being read.
  struct Regions {
    uint64_t regions, blocks = 0, operations = 0;
    /// The values that the region announces, and those that it has defined.
    uint64_t announced = 0, defined = 0;
    /// The place of the region's first value in `uses`.
    size_t firstValue = 0;
    bool isOpen = false, hasBytes = false, isIsolated = false;
  };
  /// The largest place among the uses of a value that a file orders by pairs.
  struct Order {
    size_t value;
    uint64_t largest;
  };
  void checkIR(Bytes bytes);
  void openRegion(Bytes &bytes, Regions &regions);
  void closeRegion(const Bytes &bytes, Regions &regions);
  void readBlockHeader(Bytes &bytes, Regions &regions);
  void readOperation(Bytes &bytes);
  void readOrders(Bytes &bytes, uint64_t values, size_t firstValue);

  Bytes file;
  std::string message;
  uint64_t version = 0;
  llvm::SmallVector<llvm::StringRef> strings, dialects;
  /// The attributes, and behind them the types.
  std::vector<Element> elements;
  size_t numAttributes = 0;
  std::vector<size_t> contained;
  std::vector<Regions> stack;
  /// The bytes of isolated regions, one in the other.
  std::deque<Bytes> sources;
  /// The number of uses of each value that can be seen, and the places where
  /// the values of isolated regions begin.
  std::vector<uint64_t> uses;
  std::vector<size_t> scopes;
  std::vector<Order> orders;
  uint64_t totalValues = 0;
};
} // namespace

uint8_t BytecodeCheck::readByte(Bytes &bytes) {
  if (isGood() && !bytes.empty())
    return *bytes.at++;
  fail(bytes, "a part ends too early");
  return 0;
}

uint64_t BytecodeCheck::readNumber(Bytes &bytes) {
  // The zeros below the lowest bit that is set are the number of further bytes.
  uint8_t first = readByte(bytes);
  unsigned more = first ? llvm::countr_zero(first) : 8;
  uint64_t number = more < 8 ? first : 0;
  for (unsigned i = 0; i < more; ++i)
    number |= uint64_t(readByte(bytes)) << 8 * (more < 8 ? i + 1 : i);
  return !isGood() ? 0 : more < 8 ? number >> (more + 1) : number;
}

uint64_t BytecodeCheck::readCount(Bytes &bytes, llvm::StringRef things) {
  uint64_t count = readNumber(bytes);
  if (count <= bytes.size())
    return count;
  fail(bytes, llvm::Twine(count) + " " + things + " are announced, but " +
                  llvm::Twine(bytes.size()) + " bytes are left");
  return 0;
}

uint64_t BytecodeCheck::readIndex(Bytes &bytes, size_t count,
                                  llvm::StringRef thing) {
  uint64_t index = readNumber(bytes);
  if (index < count)
    return index;
  fail(bytes, "found " + thing + " " + llvm::Twine(index) + " of " +
                  llvm::Twine(count));
  return 0;
}

Bytes BytecodeCheck::readBytes(Bytes &bytes, uint64_t count) {
  if (count > bytes.size())
    fail(bytes, llvm::Twine(count) + " bytes are announced, but " +
                    llvm::Twine(bytes.size()) + " are left");
  if (!isGood())
    return {bytes.at, bytes.at};
  const uint8_t *begin = bytes.at;
  bytes.at += count;
  return {begin, bytes.at};
}

Bytes BytecodeCheck::readSection(Bytes &bytes, uint8_t &id) {
  uint8_t first = readByte(bytes);
  id = first & 0x7f;
  if (id >= bytecode::Section::kNumSections)
    fail(bytes, "found section " + llvm::Twine(unsigned(id)));
  uint64_t length = readNumber(bytes);
  if (first & 0x80) {
    uint64_t alignment = readNumber(bytes);
    if (!llvm::isPowerOf2_64(alignment) || !llvm::isUInt<31>(alignment))
      fail(bytes, "found an alignment of " + llvm::Twine(alignment));
    while (isGood() && reinterpret_cast<uintptr_t>(bytes.at) & (alignment - 1))
      readByte(bytes);
  }
  return readBytes(bytes, length);
}

std::string BytecodeCheck::run() {
  Bytes bytes = file;
  readBytes(bytes, 4);
  version = readNumber(bytes);
  // The reader says which versions it reads.
  if (isGood() && version > bytecode::kVersion)
    return "";
  while (readByte(bytes) != 0 && isGood())
    ; // The producer.
  std::optional<Bytes> sections[bytecode::Section::kNumSections];
  while (isGood() && !bytes.empty()) {
    uint8_t id;
    Bytes section = readSection(bytes, id);
    if (!isGood())
      break;
    if (sections[id])
      fail(bytes, "section " + llvm::Twine(unsigned(id)) + " is there twice");
    sections[id] = section;
  }
  for (auto id : {bytecode::Section::kString, bytecode::Section::kDialect,
                  bytecode::Section::kAttrType,
                  bytecode::Section::kAttrTypeOffset, bytecode::Section::kIR})
    if (!sections[id])
      fail(bytes, "section " + llvm::Twine(unsigned(id)) + " is missing");
  if (!isGood())
    return message;
  checkStrings(*sections[bytecode::Section::kString]);
  if (auto properties = sections[bytecode::Section::kProperties])
    checkProperties(*properties);
  checkDialects(*sections[bytecode::Section::kDialect]);
  auto resources = sections[bytecode::Section::kResource];
  auto resourceOffsets = sections[bytecode::Section::kResourceOffset];
  if (resources && resourceOffsets)
    checkResources(*resourceOffsets, *resources);
  checkElements(*sections[bytecode::Section::kAttrTypeOffset],
                *sections[bytecode::Section::kAttrType]);
  checkIR(*sections[bytecode::Section::kIR]);
  return message;
}

void BytecodeCheck::checkStrings(Bytes bytes) {
  const uint8_t *end = bytes.end;
  strings.resize(readCount(bytes, "strings"));
  // The last string stands first.
  for (llvm::StringRef &string : llvm::reverse(strings)) {
    uint64_t size = readNumber(bytes);
    if (size == 0 || end < bytes.at || size > uint64_t(end - bytes.at))
      return fail(bytes, "a string has " + llvm::Twine(size) + " bytes");
    end -= size;
    string = llvm::StringRef(reinterpret_cast<const char *>(end), size - 1);
  }
}

void BytecodeCheck::checkProperties(Bytes bytes) {
  if (bytes.empty())
    return;
  for (uint64_t i = readCount(bytes, "properties"); i > 0 && isGood(); --i)
    readBytes(bytes, readNumber(bytes));
}

void BytecodeCheck::checkDialects(Bytes bytes) {
  dialects.resize(readCount(bytes, "dialects"));
  for (llvm::StringRef &dialect : dialects) {
    uint64_t index = readNumber(bytes);
    bool hasVersion = false;
    if (version >= bytecode::kDialectVersioning) {
      hasVersion = index & 1;
      index >>= 1;
    }
    if (index >= strings.size())
      return fail(bytes, "found string " + llvm::Twine(index) + " of " +
                             llvm::Twine(strings.size()));
    dialect = strings[index];
    uint8_t id;
    if (hasVersion)
      readSection(bytes, id);
  }
  if (version >= bytecode::kElideUnknownBlockArgLocation)
    readCount(bytes, "names of operations");
}

void BytecodeCheck::checkResources(Bytes offsets, Bytes data) {
  auto checkGroup = [&] {
    for (uint64_t i = readCount(offsets, "resources"); i > 0 && isGood(); --i) {
      readIndex(offsets, strings.size(), "string");
      Bytes entry = readBytes(data, readNumber(offsets));
      uint8_t kind = readByte(offsets);
      if (kind > static_cast<uint8_t>(AsmResourceEntryKind::String))
        fail(offsets,
             "found a resource of kind " + llvm::Twine(unsigned(kind)));
      if (kind != static_cast<uint8_t>(AsmResourceEntryKind::Blob) ||
          entry.empty())
        continue;
      uint64_t alignment = readNumber(entry);
      if (!llvm::isPowerOf2_64(alignment) || !llvm::isUInt<31>(alignment))
        fail(entry, "found an alignment of " + llvm::Twine(alignment));
    }
  };
  for (uint64_t i = readCount(offsets, "groups of resources");
       i > 0 && isGood(); --i) {
    readIndex(offsets, strings.size(), "string");
    checkGroup();
  }
  while (isGood() && !offsets.empty()) {
    readIndex(offsets, dialects.size(), "dialect");
    checkGroup();
  }
}

void BytecodeCheck::checkElements(Bytes offsets, Bytes data) {
  numAttributes = readCount(offsets, "attributes");
  uint64_t numTypes = readCount(offsets, "types");
  for (uint64_t end : {numAttributes, numAttributes + numTypes})
    while (isGood() && elements.size() < end) {
      uint64_t dialect = readIndex(offsets, dialects.size(), "dialect");
      uint64_t count = readCount(offsets, "attributes or types");
      if (count > end - elements.size())
        fail(offsets, llvm::Twine(count) + " attributes or types are too many");
      for (; count > 0 && isGood(); --count) {
        uint64_t size = readNumber(offsets);
        elements.push_back(
            {dialects[dialect], bool(size & 1), readBytes(data, size >> 1)});
      }
    }
  for (auto [i, element] : llvm::enumerate(elements))
    if (isGood())
      checkElement(element, /*isType=*/i >= numAttributes);
  if (isGood())
    checkDepth();
}

void BytecodeCheck::checkElement(Element &element, bool isType) {
  element.begin = contained.size();
  Bytes bytes = element.bytes;
  if (!element.isEncoded) {
    // The assembly format, behind which stands a zero.
    llvm::StringRef text(reinterpret_cast<const char *>(bytes.at),
                         bytes.size());
    if (llvm::Error error =
            checkNesting(text.take_until([](char c) { return !c; })))
      fail(bytes, llvm::toString(std::move(error)));
    return;
  }
  llvm::ArrayRef<llvm::StringLiteral> forms;
  if (element.dialect == "builtin")
    forms = isType ? llvm::ArrayRef(builtinTypes)
                   : llvm::ArrayRef(builtinAttributes);
  else if (element.dialect == "quant" && isType)
    forms = quantTypes;
  else
    return fail(bytes, "an attribute or type is in an encoding of the dialect "
                       "'" +
                           element.dialect + "', which is not read");
  uint64_t code = readNumber(bytes);
  if (code >= forms.size() || forms[code] == "-")
    return fail(bytes, "the dialect '" + element.dialect +
                           "' has no encoding " + llvm::Twine(code));
  readForm(bytes, forms[code]);
}

void BytecodeCheck::readForm(Bytes &bytes, llvm::StringRef form) {
  for (; !form.empty() && isGood(); form = form.drop_front())
    switch (form.front()) {
    case 'A':
      contained.push_back(readIndex(bytes, numAttributes, "attribute"));
      break;
    case 'T':
      contained.push_back(
          numAttributes +
          readIndex(bytes, elements.size() - numAttributes, "type"));
      break;
    case 's':
      readIndex(bytes, strings.size(), "string");
      break;
    case 'v':
      readNumber(bytes);
      break;
    case 'b':
      readBytes(bytes, readNumber(bytes));
      break;
    case 'y':
      readByte(bytes);
      break;
    case '[': {
      auto [inner, rest] = form.drop_front().split(']');
      for (uint64_t i = readCount(bytes, "elements"); i > 0 && isGood(); --i)
        readForm(bytes, inner);
      // The closing bracket is dropped next.
      form = form.drop_front(inner.size() + 1);
      break;
    }
    case '.':
      return;
    }
}

/// Finds how deep attributes and types are nested, without recursion.
void BytecodeCheck::checkDepth() {
  enum : unsigned { New = ~0u, Open = ~0u - 1 };
  std::vector<unsigned> depths(elements.size(), New);
  std::vector<size_t> pending;
  auto getContained = [&](size_t element) {
    size_t end = element + 1 < elements.size() ? elements[element + 1].begin
                                               : contained.size();
    return llvm::ArrayRef(contained).slice(elements[element].begin,
                                           end - elements[element].begin);
  };
  for (size_t root = 0; root < elements.size(); ++root) {
    pending.push_back(root);
    while (!pending.empty()) {
      size_t element = pending.back();
      if (depths[element] == New) {
        depths[element] = Open;
        for (size_t inner : getContained(element)) {
          if (depths[inner] == Open)
            return fail(elements[inner].bytes,
                        "an attribute or type contains itself");
          if (depths[inner] == New)
            pending.push_back(inner);
        }
        continue;
      }
      pending.pop_back();
      if (depths[element] != Open)
        continue;
      unsigned depth = 0;
      for (size_t inner : getContained(element))
        depth = std::max(depth, depths[inner] + 1);
      depths[element] = depth;
    }
  }
  unsigned deepest = depths.empty() ? 0 : *llvm::max_element(depths);
  if (deepest > kMostNested)
    message = "attributes or types are nested " + std::to_string(deepest) +
              " deep, but wanted are at most " + std::to_string(kMostNested);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void BytecodeCheck::checkIR(Bytes bytes) {
  if (!isGood())
    return;
  // The operations outside of all regions are those of a block without
  // arguments, and their results are not counted as values.
  sources.push_back(bytes);
  scopes.push_back(0);
  uint64_t header = readNumber(sources.back());
  if (header & 1)
    fail(sources.back(), "the block around all operations has arguments");
  Regions root{/*regions=*/1};
  root.blocks = 1;
  root.operations = header >> 1;
  root.isOpen = root.hasBytes = root.isIsolated = true;
  stack.push_back(root);
  while (isGood() && !stack.empty()) {
    Bytes &source = sources.back();
    Regions &regions = stack.back();
    if (!regions.isOpen) {
      if (regions.regions > 0) {
        openRegion(source, regions);
        continue;
      }
      if (regions.isIsolated)
        scopes.pop_back();
      if (regions.hasBytes)
        sources.pop_back();
      stack.pop_back();
    } else if (regions.operations > 0) {
      --regions.operations;
      readOperation(source);
    } else if (--regions.blocks > 0) {
      readBlockHeader(source, regions);
    } else {
      closeRegion(source, regions);
    }
  }
}

void BytecodeCheck::openRegion(Bytes &bytes, Regions &regions) {
  regions.blocks = readCount(bytes, "blocks");
  if (regions.blocks == 0) {
    --regions.regions;
    return;
  }
  regions.announced = readCount(bytes, "values");
  // Each value is written somewhere.
  totalValues += regions.announced;
  if (totalValues > file.size())
    return fail(bytes, "more values are announced than the file has bytes");
  regions.defined = 0;
  regions.firstValue = uses.size();
  uses.resize(uses.size() + regions.announced);
  regions.isOpen = true;
  readBlockHeader(bytes, regions);
}

void BytecodeCheck::closeRegion(const Bytes &bytes, Regions &regions) {
  bool isRoot = stack.size() == 1;
  if (!isRoot && regions.defined != regions.announced)
    return fail(bytes, llvm::Twine(regions.announced) +
                           " values are announced, but " +
                           llvm::Twine(regions.defined) + " are there");
  for (; !orders.empty() && orders.back().value >= regions.firstValue;
       orders.pop_back())
    if (orders.back().largest >= uses[orders.back().value])
      return fail(bytes, "an order of uses has more than there are");
  uses.resize(regions.firstValue);
  regions.isOpen = false;
  --regions.regions;
}

void BytecodeCheck::readBlockHeader(Bytes &bytes, Regions &regions) {
  uint64_t header = readNumber(bytes);
  regions.operations = header >> 1;
  if (!(header & 1))
    return;
  uint64_t count = readCount(bytes, "arguments");
  for (uint64_t i = 0; i < count && isGood(); ++i) {
    uint64_t type = readNumber(bytes);
    if (version < bytecode::kElideUnknownBlockArgLocation || type & 1)
      readNumber(bytes);
  }
  size_t first = regions.firstValue + regions.defined;
  regions.defined += count;
  if (regions.defined > regions.announced)
    return fail(bytes, "a region has more values than it announces");
  if (version >= bytecode::kUseListOrdering && readByte(bytes))
    readOrders(bytes, count, first);
}

void BytecodeCheck::readOperation(Bytes &bytes) {
  Regions &parent = stack.back();
  bool isRoot = stack.size() == 1;
  readNumber(bytes); // The name.
  uint8_t mask = readByte(bytes);
  readNumber(bytes); // The location.
  if (mask & bytecode::OpEncodingMask::kHasAttrs)
    readNumber(bytes);
  if (mask & bytecode::OpEncodingMask::kHasProperties)
    readNumber(bytes);
  uint64_t results = 0;
  if (mask & bytecode::OpEncodingMask::kHasResults)
    results = readCount(bytes, "results");
  for (uint64_t i = 0; i < results && isGood(); ++i)
    readNumber(bytes);
  if (mask & bytecode::OpEncodingMask::kHasOperands) {
    size_t scope = scopes.back();
    for (uint64_t i = readCount(bytes, "operands"); i > 0 && isGood(); --i) {
      uint64_t value = readIndex(bytes, uses.size() - scope, "value");
      if (isGood())
        ++uses[scope + value];
    }
  }
  if (mask & bytecode::OpEncodingMask::kHasSuccessors)
    for (uint64_t i = readCount(bytes, "successors"); i > 0 && isGood(); --i)
      readNumber(bytes);
  size_t first = parent.firstValue + parent.defined;
  if (!isRoot) {
    parent.defined += results;
    if (parent.defined > parent.announced)
      return fail(bytes, "a region has more values than it announces");
  }
  if (version >= bytecode::kUseListOrdering &&
      mask & bytecode::OpEncodingMask::kHasUseListOrders) {
    // Nothing can use the results of an operation outside of all regions.
    if (isRoot)
      return fail(bytes, "values without uses have an order of uses");
    readOrders(bytes, results, first);
  }
  if (!(mask & bytecode::OpEncodingMask::kHasInlineRegions))
    return;
  uint64_t flagged = readNumber(bytes);
  Regions regions{/*regions=*/flagged >> 1};
  if (regions.regions == 0)
    return;
  regions.isIsolated = flagged & 1;
  if (stack.size() > kMostNested) {
    message = "regions are nested " + std::to_string(stack.size()) +
              " deep, but wanted are at most " + std::to_string(kMostNested);
    return;
  }
  if (regions.isIsolated)
    scopes.push_back(uses.size());
  Bytes inner = bytes;
  if (regions.isIsolated && version >= bytecode::kLazyLoading) {
    uint8_t id;
    inner = readSection(bytes, id);
    regions.hasBytes = true;
    sources.push_back(inner);
  }
  if (regions.regions > inner.size())
    return fail(inner, llvm::Twine(regions.regions) +
                           " regions are announced, but " +
                           llvm::Twine(inner.size()) + " bytes are left");
  stack.push_back(regions);
}

void BytecodeCheck::readOrders(Bytes &bytes, uint64_t values,
                               size_t firstValue) {
  if (values == 0)
    return fail(bytes, "no values have an order of uses");
  uint64_t count = values > 1 ? readCount(bytes, "orders of uses") : 1;
  for (; count > 0 && isGood(); --count) {
    uint64_t value = values > 1 ? readIndex(bytes, values, "value") : 0;
    uint64_t flagged = readNumber(bytes);
    bool isOfPairs = flagged & 1;
    Order order{firstValue + value, 0};
    for (uint64_t i = 0; i < flagged >> 1 && isGood(); ++i) {
      uint64_t place = readNumber(bytes);
      // Places beyond 32 bits would be cut.
      if (!llvm::isUInt<32>(place))
        fail(bytes, "an order of uses has more than there are");
      // Of a pair, the first place is written to.
      if (isOfPairs && i % 2 == 0)
        order.largest = std::max(order.largest, place);
    }
    if (isOfPairs && flagged >> 1)
      orders.push_back(order);
  }
}

//===----------------------------------------------------------------------===//
// Callbacks of the reader
//===----------------------------------------------------------------------===//

/// Reads a number of so many bits, which must fit them.
static LogicalResult checkEncodedNumber(DialectBytecodeReader &reader,
                                        unsigned width) {
  auto refuse = [&]() -> LogicalResult {
    return reader.emitError("a number does not fit its " + llvm::Twine(width) +
                            " bits");
  };
  if (width <= 8) {
    auto number = reader.readAPIntWithKnownWidth(8);
    return failed(number)                     ? failure()
           : number->getActiveBits() <= width ? success()
                                              : refuse();
  }
  if (width <= 64) {
    int64_t number;
    if (failed(reader.readSignedVarInt(number)))
      return failure();
    return llvm::isIntN(width, number) || llvm::isUIntN(width, number)
               ? success()
               : refuse();
  }
  uint64_t words;
  if (failed(reader.readVarInt(words)))
    return failure();
  return words > 0 && words <= llvm::divideCeil(width, 64) ? success()
                                                           : refuse();
}

/// Returns the number of elements of a tensor or a vector of elements that
/// attributes can have, or none.
static std::optional<uint64_t> countEncoded(ShapedType type) {
  if (!isa<RankedTensorType, VectorType>(type) || !type.hasStaticShape())
    return std::nullopt;
  uint64_t count = 1;
  bool overflows = false;
  for (int64_t size : type.getShape())
    count = llvm::SaturatingMultiply<uint64_t>(count, size, &overflows);
  // A size of 0 stands behind sizes whose product overflows in no sound type.
  if (overflows || !llvm::isUInt<48>(count))
    return std::nullopt;
  return count;
}

static LogicalResult checkDenseElements(DialectBytecodeReader &reader) {
  ShapedType type;
  if (failed(reader.readType(type)))
    return failure();
  Type element = type.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  std::optional<uint64_t> count = countEncoded(type);
  if (!count || !element.isIntOrIndexOrFloat())
    return reader.emitError("dense elements have the type ") << type;
  ArrayRef<char> bytes;
  if (failed(reader.readBlob(bytes)))
    return failure();
  // Eight elements of a bit share a byte.
  bool isPacked = type.getElementType().isInteger(1) && bytes.size() != 1 &&
                  bytes.size() == llvm::divideCeil(*count, 8);
  bool isSplat;
  if (isPacked || DenseElementsAttr::isValidRawBuffer(type, bytes, isSplat))
    return success();
  return reader.emitError("dense elements have ")
         << bytes.size() << " bytes, which is no size of " << type;
}

static LogicalResult checkDenseStrings(DialectBytecodeReader &reader) {
  ShapedType type;
  uint64_t isSplat;
  if (failed(reader.readType(type)) || failed(reader.readVarInt(isSplat)))
    return failure();
  std::optional<uint64_t> count = countEncoded(type);
  if (!count)
    return reader.emitError("dense elements have the type ") << type;
  // Each string has a byte, so that the entry's end bounds the loop.
  StringRef string;
  for (uint64_t i = isSplat ? 1 : *count; i > 0; --i)
    if (failed(reader.readString(string)))
      return failure();
  return success();
}

/// Checks an attribute before the builtin dialect reads it. Sets `entry` where
/// the dialect would misread the attribute.
static LogicalResult checkEncodedAttribute(DialectBytecodeReader &reader,
                                           StringRef dialect,
                                           Attribute &entry) {
  uint64_t code;
  if (dialect != "builtin")
    return success();
  if (failed(reader.readVarInt(code)))
    return failure();
  auto emitError = [&] { return reader.emitError(""); };
  switch (code) {
  case kDictionary: {
    SmallVector<NamedAttribute> attributes;
    auto readNamed = [&]() -> FailureOr<NamedAttribute> {
      StringAttr name;
      Attribute value;
      if (failed(reader.readAttribute(name)) ||
          failed(reader.readAttribute(value)))
        return failure();
      return NamedAttribute(name, value);
    };
    if (failed(reader.readList(attributes, readNamed)))
      return failure();
    if (auto twice = DictionaryAttr::findDuplicate(attributes, false))
      return reader.emitError("a dictionary has the attribute '" +
                              twice->getName().getValue() + "' twice");
    return success();
  }
  case kInteger: {
    Type type;
    if (failed(reader.readType(type)))
      return failure();
    if (!type.isIntOrIndex())
      return reader.emitError("an integer has the type ") << type;
    return checkEncodedNumber(
        reader, type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
  }
  case kFloat: {
    Type type;
    if (failed(reader.readType(type)))
      return failure();
    if (!isa<FloatType>(type))
      return reader.emitError("a floating-point number has the type ") << type;
    return checkEncodedNumber(reader, type.getIntOrFloatBitWidth());
  }
  case kFused:
  case kFusedWithMetadata: {
    SmallVector<LocationAttr> locations;
    Attribute metadata;
    if (failed(reader.readAttributes(locations)) ||
        (code == kFusedWithMetadata && failed(reader.readAttribute(metadata))))
      return failure();
    // Of one location or none, there is no fused one.
    entry =
        FusedLoc::get(SmallVector<Location>(locations.begin(), locations.end()),
                      metadata, reader.getContext());
    return success();
  }
  case kDenseArray: {
    Type type;
    uint64_t size;
    ArrayRef<char> bytes;
    if (failed(reader.readType(type)) || failed(reader.readVarInt(size)) ||
        failed(reader.readBlob(bytes)))
      return failure();
    if (!type.isIntOrIndexOrFloat() || size > bytes.size() ||
        (type.isInteger(1) &&
         llvm::any_of(bytes, [](char byte) { return byte != 0 && byte != 1; })))
      return reader.emitError("an array of ")
             << size << " " << type << " has " << bytes.size() << " bytes";
    entry = DenseArrayAttr::getChecked(emitError, type, int64_t(size), bytes);
    return success(!!entry);
  }
  case kDenseElements:
    return checkDenseElements(reader);
  case kDenseStrings:
    return checkDenseStrings(reader);
  case kSparseElements: {
    ShapedType type;
    DenseIntElementsAttr indices;
    DenseElementsAttr values;
    if (failed(reader.readType(type)) ||
        failed(reader.readAttribute(indices)) ||
        failed(reader.readAttribute(values)))
      return failure();
    ShapedType places = indices.getType();
    if (!countEncoded(type) || !places.getElementType().isSignlessInteger(64) ||
        places.getRank() < 1 || values.getType().getRank() != 1 ||
        places.getDimSize(0) != values.getType().getDimSize(0) ||
        values.getElementType() != type.getElementType())
      return reader.emitError("sparse elements of type ")
             << type << " have indices of type " << places
             << " and values of type " << values.getType();
    entry = SparseElementsAttr::getChecked(emitError, type, indices, values);
    return success(!!entry);
  }
  case kFileLineColRange: {
    StringAttr file;
    uint64_t count;
    if (failed(reader.readAttribute(file)) || failed(reader.readVarInt(count)))
      return failure();
    if (count > 4)
      return reader.emitError("a place in a file has ") << count << " numbers";
    return success();
  }
  }
  return success();
}

/// Reads a type of the builtin dialect that not all parameters have.
static LogicalResult readBuiltinType(DialectBytecodeReader &reader,
                                     uint64_t code, Type &entry) {
  auto emitError = [&] { return reader.emitError(""); };
  Attribute attribute;
  SmallVector<bool> isScalable;
  SmallVector<int64_t> shape;
  Type element;
  switch (code) {
  case kIntegerType: {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return failure();
    if ((number & 3) > IntegerType::Unsigned ||
        number >> 2 > IntegerType::kMaxWidth)
      return reader.emitError("an integer type has ")
             << (number >> 2) << " bits and signedness " << (number & 3);
    return success();
  }
  case kMemRefWithSpace:
  case kRankedTensorWithEncoding:
  case kUnrankedMemRefWithSpace:
    if (failed(reader.readAttribute(attribute)))
      return failure();
    break;
  case kScalableVector:
    if (failed(reader.readList(
            isScalable, [&](bool &value) { return reader.readBool(value); })))
      return failure();
    break;
  case kComplex:
  case kMemRef:
  case kRankedTensor:
  case kUnrankedMemRef:
  case kUnrankedTensor:
  case kVector:
    break;
  default:
    return success();
  }
  bool hasShape = code != kComplex && code != kUnrankedMemRef &&
                  code != kUnrankedMemRefWithSpace && code != kUnrankedTensor;
  if ((hasShape && failed(reader.readSignedVarInts(shape))) ||
      failed(reader.readType(element)))
    return failure();
  switch (code) {
  case kComplex:
    entry = ComplexType::getChecked(emitError, element);
    break;
  case kMemRef:
  case kMemRefWithSpace: {
    MemRefLayoutAttrInterface layout;
    if (failed(reader.readAttribute(layout)))
      return failure();
    entry =
        MemRefType::getChecked(emitError, shape, element, layout, attribute);
    break;
  }
  case kUnrankedMemRef:
  case kUnrankedMemRefWithSpace:
    entry = UnrankedMemRefType::getChecked(emitError, element, attribute);
    break;
  case kUnrankedTensor:
    entry = UnrankedTensorType::getChecked(emitError, element);
    break;
  case kRankedTensor:
  case kRankedTensorWithEncoding:
    entry = RankedTensorType::getChecked(emitError, shape, element, attribute);
    break;
  case kVector:
    isScalable.resize(shape.size());
    [[fallthrough]];
  case kScalableVector:
    entry = VectorType::getChecked(emitError, shape, element, isScalable);
    break;
  }
  return success(!!entry);
}

/// Reads a type of the quant dialect.
static LogicalResult readQuantType(DialectBytecodeReader &reader, uint64_t code,
                                   Type &entry) {
  using namespace mlir::quant;
  auto emitError = [&] { return reader.emitError(""); };
  auto readDouble = [&](double &value) -> LogicalResult {
    auto number = reader.readAPFloatWithKnownSemantics(APFloat::IEEEdouble());
    if (failed(number))
      return failure();
    value = number->convertToDouble();
    return success();
  };
  Type storage, expressed;
  uint64_t flags = 0;
  if (code == kCalibrated) {
    double min, max;
    if (failed(reader.readType(expressed)) || failed(readDouble(min)) ||
        failed(readDouble(max)))
      return failure();
    entry = CalibratedQuantizedType::getChecked(emitError, expressed, min, max);
    return success(!!entry);
  }
  if (failed(reader.readVarInt(flags)) || failed(reader.readType(storage)) ||
      (code != kAnyQuantized && failed(reader.readType(expressed))))
    return failure();
  if (!llvm::isUInt<32>(flags))
    return reader.emitError("a quantized type has the flags ") << flags;
  uint64_t axis = 0;
  double scale = 1;
  int64_t zeroPoint = 0, min = 0, max = 0;
  if (code == kUniform &&
      (failed(readDouble(scale)) || failed(reader.readSignedVarInt(zeroPoint))))
    return failure();
  if (code == kUniformPerAxis && failed(reader.readVarInt(axis)))
    return failure();
  if (failed(reader.readSignedVarInt(min)) ||
      failed(reader.readSignedVarInt(max)))
    return failure();
  switch (code) {
  case kAnyQuantized:
  case kAnyQuantizedExpressed:
    entry = AnyQuantizedType::getChecked(emitError, flags, storage, expressed,
                                         min, max);
    break;
  case kUniform:
    entry = UniformQuantizedType::getChecked(
        emitError, flags, storage, expressed, scale, zeroPoint, min, max);
    break;
  case kUniformPerAxis: {
    SmallVector<double> scales;
    SmallVector<int64_t> zeroPoints;
    if (failed(reader.readList(scales, readDouble)) ||
        failed(reader.readSignedVarInts(zeroPoints)))
      return failure();
    if (!llvm::isUInt<31>(axis))
      return reader.emitError("a quantized type has the axis ") << axis;
    entry = UniformQuantizedPerAxisType::getChecked(
        emitError, flags, storage, expressed, scales, zeroPoints,
        static_cast<int32_t>(axis), min, max);
    break;
  }
  case kUniformSubChannel: {
    SmallVector<int64_t> axes, blocks;
    DenseElementsAttr scales, zeroPoints;
    if (failed(reader.readSignedVarInts(axes)) ||
        failed(reader.readSignedVarInts(blocks)) ||
        failed(reader.readAttribute(scales)) ||
        failed(reader.readAttribute(zeroPoints)))
      return failure();
    SmallVector<int32_t> narrowAxes(axes.begin(), axes.end());
    if (!llvm::equal(narrowAxes, axes))
      return reader.emitError("a quantized type has axes beyond 32 bits");
    entry = UniformQuantizedSubChannelType::getChecked(
        emitError, flags, storage, expressed, scales, zeroPoints, narrowAxes,
        blocks, min, max);
    break;
  }
  default:
    return success();
  }
  return success(!!entry);
}

/// Reads a type whose parameters its dialect would not check.
static LogicalResult readEncodedType(DialectBytecodeReader &reader,
                                     StringRef dialect, Type &entry) {
  bool isBuiltin = dialect == "builtin";
  uint64_t code;
  if (!isBuiltin && dialect != "quant")
    return success();
  if (failed(reader.readVarInt(code)))
    return failure();
  return isBuiltin ? readBuiltinType(reader, code, entry)
                   : readQuantType(reader, code, entry);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

OwningOpRef<ModuleOp>
dml::parseBytecode(const std::shared_ptr<llvm::SourceMgr> &sources,
                   MLIRContext *context, bool verifies) {
  const llvm::MemoryBuffer *file =
      sources->getMemoryBuffer(sources->getMainFileID());
  std::string message = BytecodeCheck(file->getBuffer()).run();
  if (!message.empty()) {
    emitError(FileLineColLoc::get(context, file->getBufferIdentifier(), 0, 0),
              message);
    return nullptr;
  }
  ParserConfig config(context, verifies);
  BytecodeReaderConfig &callbacks = config.getBytecodeReaderConfig();
  callbacks.attachAttributeCallback(&checkEncodedAttribute);
  callbacks.attachTypeCallback(&readEncodedType);
  return parseSourceFile<ModuleOp>(sources, config);
}
