//===- MemoryReaderTest.cpp - DirectML's structures in memory -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Structures are laid out by a list of their offsets (Inputs/layouts.txt),
// which is not made from the table that the reader goes by.
//
//===----------------------------------------------------------------------===//

#include "Fields.h"
#include "Memory.h"
#include "Testing/Programs/Generator.h"
#include "dml/IR/Ownership.h"
#include "dml/Import/DirectML.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/LineIterator.h"
#include "gtest/gtest.h"
#include <cstring>
#include <deque>

using namespace mlir;
using namespace dml;
using namespace dml::directml;

namespace {

/// The structure of an operator, as the list has it.
struct Layout {
  uint32_t type = 0;
  std::vector<std::pair<std::string, size_t>> offsets;
  size_t size = 0;

  size_t getOffset(llvm::StringRef field) const {
    for (const auto &[name, offset] : offsets)
      if (name == field)
        return offset;
    ADD_FAILURE() << "there is no field " << field.str();
    return 0;
  }
};

/// The list, by the operators' names such as "GEMM".
const std::map<std::string, Layout> &getLayouts() {
  static const std::map<std::string, Layout> layouts = [] {
    std::map<std::string, Layout> result;
    auto file = llvm::MemoryBuffer::getFile(DML_LAYOUTS);
    if (!file) {
      ADD_FAILURE() << DML_LAYOUTS << ": " << file.getError().message();
      return result;
    }
    for (llvm::line_iterator line(**file, /*SkipBlanks=*/true, '#');
         !line.is_at_end(); ++line) {
      llvm::SmallVector<llvm::StringRef> words;
      line->split(words, ' ');
      Layout &layout = result[words.front().str()];
      EXPECT_FALSE(words[1].getAsInteger(10, layout.type));
      EXPECT_FALSE(words.back().getAsInteger(10, layout.size));
      for (llvm::StringRef word :
           llvm::ArrayRef(words).drop_front(2).drop_back()) {
        auto [name, offset] = word.split(':');
        EXPECT_FALSE(offset.getAsInteger(
            10, layout.offsets.emplace_back(name.str(), 0).second));
      }
    }
    return result;
  }();
  return layouts;
}

/// Memory that a program would have on its stack.
class Memory {
public:
  /// Returns zeros, aligned like DirectML's structures.
  void *allocate(size_t bytes) {
    return blocks.emplace_back(bytes / sizeof(uint64_t) + 1).data();
  }
  template <typename T> T *copy(const T &value) {
    return new (allocate(sizeof(T))) T(value);
  }
  template <typename T> T *copy(llvm::ArrayRef<T> values) {
    auto *result = static_cast<T *>(allocate(values.size() * sizeof(T)));
    llvm::copy(values, result);
    return result;
  }

private:
  std::deque<std::vector<uint64_t>> blocks;
};

/// Fills the structure of an operator by the names of its fields.
class Filled {
public:
  Filled(Memory &memory, llvm::StringRef op)
      : layout(getLayouts().at(op.str())),
        bytes(static_cast<char *>(memory.allocate(layout.size))) {
    desc = memory.copy(memory::Typed{layout.type, bytes});
  }
  template <typename T> Filled &set(llvm::StringRef field, const T &value) {
    std::memcpy(bytes + layout.getOffset(field), &value, sizeof(T));
    return *this;
  }
  bool has(llvm::StringRef field) const {
    return llvm::any_of(layout.offsets, [&](const auto &known) {
      return known.first == field;
    });
  }

  const Layout &layout;
  char *bytes;
  memory::Typed *desc;
};

class MemoryReaderTest : public ::testing::Test {
protected:
  MemoryReaderTest() {
    context.loadDialect<DMLDialect, arith::ArithDialect, func::FuncDialect,
                        tensor::TensorDialect>();
  }

  memory::BufferTensor *buffer(std::vector<uint32_t> sizes,
                               DataType type = DataType::FLOAT32) {
    uint64_t elements = 1;
    for (uint32_t size : sizes)
      elements *= size;
    unsigned bits = getElementType(type, &context).getIntOrFloatBitWidth();
    return memory.copy(memory::BufferTensor{
        static_cast<uint32_t>(type), 0, static_cast<uint32_t>(sizes.size()),
        memory.copy(llvm::ArrayRef<uint32_t>(sizes)), nullptr,
        llvm::alignTo(elements * bits, 32) / 8, 0});
  }
  memory::Typed typed(const void *desc) { return {1, desc}; }
  memory::Typed *tensor(const memory::BufferTensor *desc) {
    return memory.copy(typed(desc));
  }
  memory::Typed *tensor(std::vector<uint32_t> sizes) {
    return tensor(buffer(std::move(sizes)));
  }

  /// The error of reading the operator.
  std::string readError(const void *desc) {
    auto op = readOperator(desc, &context);
    return op ? "no error" : llvm::toString(op.takeError());
  }
  std::string readError(const Filled &filled) { return readError(filled.desc); }

  std::shared_ptr<const MemoryOperator> read(const Filled &filled) {
    auto op = readOperator(filled.desc, &context);
    if (!op) {
      ADD_FAILURE() << llvm::toString(op.takeError());
      return nullptr;
    }
    operators.push_back(*op);
    return *op;
  }

  /// The error of a graph, or its program.
  std::string import(const memory::Graph &graph,
                     MemoryModule *result = nullptr) {
    auto find = [&](const void *pointer) -> const MemoryOperator * {
      for (const auto &op : operators)
        if (op.get() == pointer)
          return op.get();
      return nullptr;
    };
    auto module = importGraph(&graph, find, "graph", &context);
    if (!module)
      return llvm::toString(module.takeError());
    std::string text;
    llvm::raw_string_ostream os(text);
    module->module->print(os);
    if (result)
      *result = std::move(*module);
    return text;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  Memory memory;
  std::vector<std::shared_ptr<const MemoryOperator>> operators;
};

#define EXPECT_HAS(text, part)                                                 \
  do {                                                                         \
    std::string whole = (text);                                                \
    EXPECT_NE(whole.find(part), std::string::npos)                             \
        << "wanted: " << (part) << "\ngot: " << whole;                         \
  } while (false)

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

TEST_F(MemoryReaderTest, StructuresAreLaidOutAsDirectMLHasThem) {
  unsigned count = 0;
  for (RegisteredOperationName name :
       context.getRegisteredOperationsByDialect("dml")) {
    if (!getOperatorSupport(name) ||
        getOperatorSupport(name)->operatorType.empty())
      continue;
    llvm::StringRef type = getOperatorSupport(name)->operatorType;
    SCOPED_TRACE(type.str());
    ASSERT_TRUE(type.consume_front("DML_OPERATOR_"));
    auto known = getLayouts().find(type.str());
    if (known == getLayouts().end()) {
      EXPECT_EQ(getLayouts().count(name.stripDialect().upper()), 0u);
      ADD_FAILURE() << "the list lacks it";
      continue;
    }
    ++count;
    const Layout &wanted = known->second;
    EXPECT_EQ(getOperatorType(wanted.type),
              getOperatorSupport(name)->operatorType.str());
    Structure found = getStructure(name);
    EXPECT_EQ(found.size, wanted.size);
    ASSERT_EQ(found.members.size(), wanted.offsets.size());
    for (auto [member, offset] :
         llvm::zip_equal(found.members, wanted.offsets)) {
      EXPECT_EQ(member.name, offset.first);
      EXPECT_EQ(member.offset, offset.second) << member.name;
    }
  }
  EXPECT_EQ(count, 177u);
  EXPECT_EQ(count, getLayouts().size());
  EXPECT_EQ(getLastOperatorType(), 177u);
}

//===----------------------------------------------------------------------===//
// Every operator
//===----------------------------------------------------------------------===//

/// Fills the structure that describes an operation, field by field.
class OperationWriter {
public:
  OperationWriter(Memory &memory, Operation *op) : memory(memory), op(op) {}

  Filled write() {
    auto support = *getOperatorSupport(op->getName());
    llvm::StringRef type = support.operatorType;
    type.consume_front("DML_OPERATOR_");
    Filled filled(memory, type);
    auto interface = cast<FeatureLevelOpInterface>(op);
    for (const TensorInfo &info : support.tensors) {
      std::vector<memory::Typed> tensors;
      for (const FeatureLevelOpInterface::Tensor &tensor :
           interface.getTensors())
        if (tensor.info->name == info.name)
          tensors.push_back(writeTensor(
              tensor.info->isResult ? op->getResult(tensor.number).getType()
                                    : op->getOperand(tensor.number).getType()));
      if (info.count == TensorInfo::Count::Variadic)
        filled.set(getCountField(info), static_cast<uint32_t>(tensors.size()));
      if (!tensors.empty())
        filled.set(getTensorFieldName(info),
                   memory.copy(llvm::ArrayRef<memory::Typed>(tensors)));
    }
    writeAttributes(filled, op->getName(),
                    [&](llvm::StringRef name) { return op->getAttr(name); });
    return filled;
  }

private:
  memory::Typed writeTensor(Type any) {
    auto type = cast<RankedTensorType>(any);
    std::vector<uint32_t> sizes(type.getShape().begin(), type.getShape().end());
    uint64_t bits =
        type.getNumElements() * type.getElementType().getIntOrFloatBitWidth();
    return {1, memory.copy(memory::BufferTensor{
                   static_cast<uint32_t>(*getDataType(type.getElementType())),
                   0, static_cast<uint32_t>(sizes.size()),
                   memory.copy(llvm::ArrayRef<uint32_t>(sizes)), nullptr,
                   llvm::alignTo(bits, 32) / 8, 0})};
  }

  static float toFloat(Attribute attribute) {
    return cast<FloatAttr>(attribute).getValue().convertToFloat();
  }

  memory::Typed writeActivation(ActivationAttr attribute) {
    std::string name = attribute.getValue() == ActivationFunction::clip
                           ? "element_wise_clip"
                           : ("activation_" +
                              stringifyActivationFunction(attribute.getValue()))
                                 .str();
    Filled filled(memory, llvm::StringRef(name).upper());
    writeAttributes(filled, OperationName("dml." + name, op->getContext()),
                    [&](llvm::StringRef name) {
                      return attribute.getParameters().get(name);
                    });
    return *filled.desc;
  }

  void
  writeAttributes(Filled &filled, OperationName name,
                  llvm::function_ref<Attribute(llvm::StringRef)> getAttribute) {
    for (const FieldRow &row : getFields(name)) {
      Attribute value = getAttribute(row.attribute);
      if (!value) {
        EXPECT_TRUE(row.isOptional) << row.attribute.str();
        continue;
      }
      std::string field = getFieldName(row);
      auto setArray = [&](auto elements) {
        using T = typename decltype(elements)::value_type;
        filled.set(row.count, static_cast<uint32_t>(elements.size()));
        filled.set(field, memory.copy(llvm::ArrayRef<T>(elements)));
      };
      switch (row.kind) {
      case FieldKind::Enum:
        filled.set(field, getCase(row, value));
        break;
      case FieldKind::Bool:
        filled.set(field, uint32_t(cast<BoolAttr>(value).getValue()));
        break;
      case FieldKind::Float:
        filled.set(field, toFloat(value));
        break;
      case FieldKind::Integer:
        filled.set(field,
                   static_cast<uint32_t>(cast<IntegerAttr>(value).getInt()));
        break;
      case FieldKind::Integers: {
        auto numbers = cast<DenseI64ArrayAttr>(value).asArrayRef();
        if (row.isSize2D())
          filled.set(field, memory::Size2D{uint32_t(numbers[1]),
                                           uint32_t(numbers[0])});
        else
          setArray(std::vector<uint32_t>(numbers.begin(), numbers.end()));
        break;
      }
      case FieldKind::Floats: {
        auto numbers = cast<DenseF32ArrayAttr>(value).asArrayRef();
        setArray(std::vector<float>(numbers.begin(), numbers.end()));
        break;
      }
      case FieldKind::Scalar: {
        auto typed = cast<TypedAttr>(value);
        filled.set(getTypeField(row),
                   static_cast<uint32_t>(*getDataType(typed.getType())));
        llvm::APInt bits =
            isa<FloatAttr>(value)
                ? cast<FloatAttr>(value).getValue().bitcastToAPInt()
                : cast<IntegerAttr>(value).getValue();
        filled.set(field, memory::Scalar{bits.getZExtValue()});
        break;
      }
      case FieldKind::ScaleBias: {
        auto scaleBias = cast<ScaleBiasAttr>(value);
        filled.set(field, memory.copy(
                              memory::ScaleBias{toFloat(scaleBias.getScale()),
                                                toFloat(scaleBias.getBias())}));
        break;
      }
      case FieldKind::Activation:
        filled.set(field,
                   memory.copy(writeActivation(cast<ActivationAttr>(value))));
        break;
      case FieldKind::Activations: {
        std::vector<memory::Typed> activations;
        for (Attribute each : cast<ArrayAttr>(value))
          activations.push_back(writeActivation(cast<ActivationAttr>(each)));
        setArray(std::move(activations));
        break;
      }
      }
    }
  }

  /// The value of the enumerator that the attribute prints.
  static uint32_t getCase(const FieldRow &row, Attribute value) {
    std::string text;
    llvm::raw_string_ostream(text) << value;
    for (const FieldCaseRow &enumCase : getFieldCases())
      if (enumCase.enumName == row.enumName &&
          llvm::StringRef(text).ends_with(("<" + enumCase.name + ">").str()))
        return enumCase.value;
    ADD_FAILURE() << text << " is no case of " << row.enumName.str();
    return 0;
  }

  Memory &memory;
  Operation *op;
};

/// The operation of a module that has one.
FeatureLevelOpInterface getOperation(ModuleOp module) {
  FeatureLevelOpInterface result;
  module.walk([&](FeatureLevelOpInterface op) {
    if (!getOperatorSupport(op->getName())->operatorType.empty())
      result = op;
  });
  return result;
}

TEST_F(MemoryReaderTest, EachOperatorIsReadAsItWasDescribed) {
  std::map<llvm::StringRef, unsigned> counts;
  uint64_t seed = 0;
  for (const fuzz::Cell &cell : fuzz::getCells(&context, newestFeatureLevel)) {
    // Some cells of each operator, spread over its types and ranks.
    if (seed++ % 7 != 0 && counts[cell.op] > 3)
      continue;
    if (counts[cell.op] > 24)
      continue;
    OwningOpRef<ModuleOp> module = fuzz::drawProgram(&context, cell, seed);
    Operation *wanted = getOperation(*module);
    if (!wanted || wanted->getName().getStringRef() != cell.op)
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << *wanted;
    SCOPED_TRACE(text);
    Memory memory;
    Filled filled = OperationWriter(memory, wanted).write();
    auto op = readOperator(filled.desc, &context);
    if (!op) {
      ADD_FAILURE() << llvm::toString(op.takeError());
      continue;
    }
    auto imported = importOperator(**op, "", &context);
    ASSERT_TRUE(bool(imported)) << llvm::toString(imported.takeError());
    Operation *found = getOperation(*imported->module);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->getName(), wanted->getName());
    EXPECT_EQ(found->getDiscardableAttrDictionary(),
              wanted->getDiscardableAttrDictionary());
    EXPECT_EQ(found->getPropertiesAsAttribute(),
              wanted->getPropertiesAsAttribute());
    EXPECT_EQ(found->getOperandTypes(), wanted->getOperandTypes());
    EXPECT_EQ(found->getResultTypes(), wanted->getResultTypes());
    ++counts[cell.op];
  }
  unsigned operators = 0;
  for (const auto &[name, count] : counts)
    operators += count > 0;
  EXPECT_EQ(operators, 177u);
}

//===----------------------------------------------------------------------===//
// Errors of operators
//===----------------------------------------------------------------------===//

TEST_F(MemoryReaderTest, RefusesWhatIsNoOperator) {
  EXPECT_EQ(readError(nullptr),
            "DML_OPERATOR_DESC: found null, wanted a description");
  memory::Typed desc{0, &desc};
  EXPECT_HAS(readError(&desc), "DML_OPERATOR_DESC.Type: found 0, wanted a "
                               "DML_OPERATOR_TYPE from 1 "
                               "(DML_OPERATOR_ELEMENT_WISE_IDENTITY) to 177 "
                               "(DML_OPERATOR_UNFOLD)");
  desc.type = 178;
  EXPECT_HAS(readError(&desc), "found 178");
  desc = {64, nullptr};
  EXPECT_EQ(readError(&desc), "DML_OPERATOR_DESC.Desc: found null, wanted the "
                              "description of DML_OPERATOR_PADDING");
}

TEST_F(MemoryReaderTest, RefusesFaultyTensors) {
  Filled relu(memory, "ACTIVATION_RELU");
  relu.set("OutputTensor", tensor({1, 1, 2, 2}));
  auto errorOf = [&](const memory::BufferTensor &desc) {
    relu.set("InputTensor", tensor(memory.copy(desc)));
    return readError(relu);
  };
  memory::BufferTensor good = *buffer({1, 1, 2, 2});
  EXPECT_EQ(errorOf(good), "no error");
  memory::BufferTensor bad = good;
  bad.dataType = 14;
  EXPECT_HAS(errorOf(bad), "DML_OPERATOR_ACTIVATION_RELU.InputTensor.Desc."
                           "DataType: found 14, wanted a "
                           "DML_TENSOR_DATA_TYPE: FLOAT32 (1), ");
  bad = good;
  bad.flags = 2;
  EXPECT_HAS(errorOf(bad), "Flags: found 2, wanted DML_TENSOR_FLAG_NONE (0)");
  bad = good;
  bad.dimensionCount = 9;
  EXPECT_HAS(errorOf(bad), "DimensionCount: found 9, wanted 1 to 8");
  bad.dimensionCount = 0;
  EXPECT_HAS(errorOf(bad), "DimensionCount: found 0, wanted 1 to 8");
  bad = good;
  bad.sizes = nullptr;
  EXPECT_HAS(errorOf(bad), "Sizes: found null, wanted a pointer to 4 sizes");
  uint32_t zero[] = {1, 0, 2, 2};
  bad.sizes = zero;
  EXPECT_HAS(errorOf(bad), "Sizes[1]: found 0");
  uint32_t huge[] = {65536, 65536, 1, 1};
  bad.sizes = huge;
  EXPECT_HAS(errorOf(bad), "at most 2^32 - 1 elements");
  bad = good;
  bad.totalTensorSizeInBytes = 12;
  EXPECT_HAS(errorOf(bad), "TotalTensorSizeInBytes: found 12, wanted at least "
                           "16");
  bad.totalTensorSizeInBytes = 0;
  EXPECT_HAS(errorOf(bad), "TotalTensorSizeInBytes: found 0");
  bad = good;
  uint32_t gaps[] = {16, 16, 8, 1};
  bad.strides = gaps;
  bad.totalTensorSizeInBytes = 64;
  EXPECT_HAS(errorOf(bad), "Strides: found [16, 16, 8, 1], wanted strides of "
                           "a tensor of the sizes [1, 1, 2, 2] that has no "
                           "gaps");
  bad = good;
  bad.guaranteedBaseOffsetAlignment = 3;
  EXPECT_HAS(errorOf(bad), "GuaranteedBaseOffsetAlignment: found 3");

  relu.set("InputTensor", memory.copy(memory::Typed{2, &good}));
  EXPECT_HAS(readError(relu), "InputTensor.Type: found 2, wanted "
                              "DML_TENSOR_TYPE_BUFFER (1)");
  relu.set("InputTensor", tensor(nullptr));
  EXPECT_HAS(readError(relu), "InputTensor.Desc: found null, wanted a "
                              "DML_BUFFER_TENSOR_DESC");
  relu.set<const void *>("InputTensor", nullptr);
  EXPECT_HAS(readError(relu),
             "InputTensor: found null, wanted a DML_TENSOR_DESC");
  relu.set("InputTensor", tensor({1, 1, 2, 2}));
  memory::BufferTensor owned = good;
  owned.flags = 1;
  relu.set("OutputTensor", tensor(&owned));
  EXPECT_HAS(readError(relu), "OutputTensor.Desc.Flags: found OWNED_BY_DML, "
                              "wanted NONE for an output");
}

TEST_F(MemoryReaderTest, RefusesFaultyFields) {
  Filled padding(memory, "PADDING");
  uint32_t ones[] = {0, 0, 1, 1};
  padding.set("InputTensor", tensor({1, 1, 2, 2}))
      .set("OutputTensor", tensor({1, 1, 4, 4}))
      .set("DimensionCount", 4u)
      .set<const void *>("StartPadding", ones)
      .set<const void *>("EndPadding", ones);
  EXPECT_EQ(readError(padding), "no error");
  padding.set("PaddingMode", 5u);
  EXPECT_HAS(readError(padding), "DML_OPERATOR_PADDING.PaddingMode: found 5, "
                                 "wanted one of ");
  padding.set("PaddingMode", 1u).set("DimensionCount", 9u);
  EXPECT_HAS(readError(padding), "DimensionCount: found 9, wanted 0 to 8");
  padding.set("DimensionCount", 3u);
  EXPECT_HAS(readError(padding), "'dml.padding' op ");
  padding.set("DimensionCount", 4u).set<const void *>("EndPadding", nullptr);
  EXPECT_HAS(readError(padding), "EndPadding: found null, wanted a pointer to "
                                 "4 values");
  padding.set<const void *>("EndPadding", ones)
      .set("OutputTensor", tensor({1, 1, 4, 5}));
  EXPECT_HAS(readError(padding), "DML_OPERATOR_PADDING: 'dml.padding' op ");

  Filled join(memory, "JOIN");
  join.set("OutputTensor", tensor({1, 1, 4, 2}))
      .set("InputCount", 0xccccccccu)
      .set("Axis", 2u);
  EXPECT_HAS(readError(join), "InputCount: found 3435973836, wanted 0 to ");

  Filled clip(memory, "ELEMENT_WISE_CLIP1");
  clip.set("InputTensor", tensor({4})).set("OutputTensor", tensor({4}));
  EXPECT_HAS(readError(clip), "MinMaxDataType: found 0, wanted a "
                              "DML_TENSOR_DATA_TYPE");
}

TEST_F(MemoryReaderTest, RefusesFaultyActivations) {
  Filled add(memory, "ELEMENT_WISE_ADD1");
  add.set("ATensor", tensor({4}))
      .set("BTensor", tensor({4}))
      .set("OutputTensor", tensor({4}));
  Filled relu(memory, "ACTIVATION_RELU");
  add.set("FusedActivation", relu.desc);
  EXPECT_EQ(readError(add), "no error");
  relu.set("InputTensor", tensor({4}));
  EXPECT_HAS(readError(add),
             "DML_OPERATOR_ELEMENT_WISE_ADD1.FusedActivation.Desc.InputTensor: "
             "found a pointer, wanted null, since a fused operator has no "
             "tensors");
  add.set("FusedActivation", memory.copy(memory::Typed{1000, relu.bytes}));
  EXPECT_HAS(readError(add), "FusedActivation.Type: found 1000");
  add.set("FusedActivation", memory.copy(memory::Typed{44, nullptr}));
  EXPECT_HAS(readError(add), "FusedActivation.Desc: found null");
  Filled gemm(memory, "GEMM");
  add.set("FusedActivation", gemm.desc);
  EXPECT_HAS(readError(add), "FusedActivation.Type: found DML_OPERATOR_GEMM, "
                             "wanted an operator that others fuse");
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// A graph that multiplies by a constant, adds a graph input, and takes the
/// result for one that another type is stated of.
class MemoryGraphTest : public MemoryReaderTest {
protected:
  MemoryGraphTest() {
    Filled gemm(memory, "GEMM");
    gemm.set("ATensor", tensor({1, 1, 2, 2}))
        .set("BTensor", tensor({1, 1, 2, 2}))
        .set("OutputTensor", tensor({1, 1, 2, 2}))
        .set("Alpha", 1.0f);
    Filled add(memory, "ELEMENT_WISE_ADD");
    add.set("ATensor", tensor({4}))
        .set("BTensor", tensor({4}))
        .set("OutputTensor", tensor({4}));
    gemmNode.op = read(gemm).get();
    addNode.op = read(add).get();
  }

  memory::Graph getGraph() {
    nodes = {{1, &addNode}, {2, &constantNode}, {1, &gemmNode}};
    return {static_cast<uint32_t>(inputCount),         outputCount,
            static_cast<uint32_t>(nodes.size()),       nodes.data(),
            static_cast<uint32_t>(inputEdges.size()),  inputEdges.data(),
            static_cast<uint32_t>(outputEdges.size()), outputEdges.data(),
            static_cast<uint32_t>(edges.size()),       edges.data()};
  }

  uint32_t inputCount = 3, outputCount = 1;
  float weights[4] = {1, 2, 3, 4};
  memory::OperatorNode gemmNode{nullptr, "product"}, addNode{nullptr, nullptr};
  memory::ConstantNode constantNode{weights, sizeof(weights), "weights"};
  memory::InputEdge first{0, 2, 0, "x"}, second{2, 0, 1, nullptr};
  memory::OutputEdge output{0, 0, 0, "y"};
  memory::IntermediateEdge toGemm{1, 0, 2, 1, nullptr},
      toAdd{2, 0, 0, 0, nullptr};
  std::vector<memory::Typed> nodes, inputEdges{{1, &first}, {1, &second}},
      outputEdges{{2, &output}}, edges{{3, &toGemm}, {3, &toAdd}};
};

TEST_F(MemoryGraphTest, NodesEdgesAndConstants) {
  MemoryModule result;
  std::string text = import(getGraph(), &result);
  EXPECT_HAS(text, "@main(%arg0: tensor<1x1x2x2xf32> {dml.name = \"x\"}, "
                   "%arg1: tensor<4xf32> {dml.name = \"input2\"}) -> "
                   "(tensor<4xf32> {dml.name = \"y\"})");
  EXPECT_HAS(text, "dml.gemm %arg0, %cst");
  EXPECT_LT(text.find("dml.gemm"), text.find("dml.element_wise_add"));
  ASSERT_EQ(result.inputs.size(), 3u);
  EXPECT_TRUE(result.inputs[0].isBound);
  EXPECT_FALSE(result.inputs[1].isBound);
  EXPECT_TRUE(result.inputs[2].isBound);
  EXPECT_EQ(result.inputs[2].index, 1u);
  ASSERT_EQ(result.outputs.size(), 1u);
}

TEST_F(MemoryGraphTest, NamesOfEdgesNeedNotDiffer) {
  second.name = "x";
  output.name = "input0";
  EXPECT_HAS(import(getGraph()), "{dml.name = \"x\"}, %arg1: tensor<4xf32> "
                                 "{dml.name = \"input2\"}) -> (tensor<4xf32> "
                                 "{dml.name = \"output0\"})");
  first.name = "a\nb";
  EXPECT_HAS(import(getGraph()), "{dml.name = \"input0\"}");
}

TEST_F(MemoryGraphTest, OwnedInputs) {
  Filled gemm(memory, "GEMM");
  memory::BufferTensor *owned = buffer({1, 1, 2, 2});
  owned->flags = 1;
  gemm.set("ATensor", tensor({1, 1, 2, 2}))
      .set("BTensor", tensor(owned))
      .set("OutputTensor", tensor({1, 1, 2, 2}))
      .set("Alpha", 1.0f);
  gemmNode.op = read(gemm).get();
  memory::InputEdge weight{1, 2, 1, "weight"};
  inputEdges.push_back({1, &weight});
  edges = {{3, &toAdd}};
  MemoryModule result;
  EXPECT_HAS(import(getGraph(), &result),
             "{dml.name = \"weight\", dml.owned_by_dml}");
  EXPECT_TRUE(result.inputs[1].isOwned);
  EXPECT_FALSE(result.inputs[0].isOwned);
  // One input, once with the flag and once without it.
  weight.graphInputIndex = 0;
  EXPECT_HAS(import(getGraph()), "Nodes[2].Desc.Operator.BTensor.Desc.Flags: "
                                 "found a flag OWNED_BY_DML that differs");
  // The output of a node with the flag.
  inputEdges.pop_back();
  Filled identity(memory, "ELEMENT_WISE_IDENTITY");
  identity.set("InputTensor", tensor({4})).set("OutputTensor", tensor({4}));
  addNode.op = read(identity).get();
  inputEdges = {{1, &first}};
  first = {0, 0, 0, nullptr};
  memory::InputEdge other{1, 2, 0, nullptr};
  inputEdges.push_back({1, &other});
  memory::IntermediateEdge toWeight{0, 0, 2, 1, nullptr};
  edges = {{3, &toWeight}};
  output = {2, 0, 0, nullptr};
  EXPECT_HAS(import(getGraph()), "found OWNED_BY_DML for the output of another "
                                 "node, wanted NONE");
}

TEST_F(MemoryGraphTest, RefusesFaultyGraphs) {
  auto expect = [&](const std::string &part) {
    EXPECT_HAS(import(getGraph()), part);
  };
  auto with = [&](auto &place, auto value, const std::string &part) {
    auto before = place;
    place = value;
    expect(part);
    place = before;
  };
  memory::Graph graph = getGraph();
  graph.nodes = nullptr;
  EXPECT_HAS(import(graph), "Nodes: found null, wanted a pointer to 3 nodes");
  graph = getGraph();
  graph.nodeCount = 0;
  EXPECT_HAS(import(graph), "NodeCount: found 0, wanted 1 to 1048576");
  graph = getGraph();
  graph.inputEdges = nullptr;
  EXPECT_HAS(import(graph), "InputEdges: found null, wanted a pointer to 2");
  graph = getGraph();
  graph.intermediateEdgeCount = 0xdddddddd;
  EXPECT_HAS(import(graph), "IntermediateEdgeCount: found 3722304989, wanted 0 "
                            "to 1048576");
  with(outputCount, 0u, "OutputCount: found 0, wanted 1 to 1048576");
  with(outputCount, 2u,
       "OutputEdges: found no edge to graph output 1, wanted "
       "one");
  with(first.graphInputIndex, 3u,
       "InputEdges[0].Desc.GraphInputIndex: found 3, wanted less than 3, the "
       "number of graph inputs");
  with(first.toNodeIndex, 3u,
       "InputEdges[0].Desc.ToNodeIndex: found 3, wanted less than 3");
  with(first.toNodeInputIndex, 2u,
       "InputEdges[0].Desc.ToNodeInputIndex: found 2, which is CTensor, wanted "
       "an input that the description of Nodes[2] has");
  with(first.toNodeInputIndex, 3u,
       "ToNodeInputIndex: found 3, wanted less than 3, the number of inputs of "
       "Nodes[2]");
  with(first.toNodeInputIndex, 1u,
       "found a second edge to input 1, BTensor, of "
       "Nodes[2], wanted one");
  with(toAdd.fromNodeIndex, 7u,
       "IntermediateEdges[1].Desc.FromNodeIndex: found 7");
  with(toAdd.fromNodeOutputIndex, 1u,
       "FromNodeOutputIndex: found 1, wanted "
       "less than 1, the number of outputs");
  with(toAdd.fromNodeIndex, 0u, "Nodes[0]: found a node on or behind a cycle");
  with(output.fromNodeIndex, 1u,
       "OutputEdges[0].Desc.FromNodeIndex: found 1, "
       "which is a constant, wanted an operator");
  with(output.graphOutputIndex, 1u,
       "GraphOutputIndex: found 1, wanted less "
       "than 1, the number of graph outputs");
  with(edges[0].type, 2u,
       "IntermediateEdges[0].Type: found 2, wanted "
       "DML_GRAPH_EDGE_TYPE_INTERMEDIATE (3)");
  with(edges[0].desc, nullptr, "IntermediateEdges[0].Desc: found null");
  with(gemmNode.op, nullptr,
       "Nodes[2].Desc.Operator: found null, wanted an "
       "operator");
  with(gemmNode.op, weights,
       "Nodes[2].Desc.Operator: found a pointer to "
       "something else, wanted an operator that was "
       "created here");
  with(constantNode.data, nullptr, "Nodes[1].Desc.Data: found null");
  with(constantNode.dataSize, uint64_t(12),
       "Nodes[1].Desc: found 12 bytes of elements, wanted 16");
  with(inputEdges, std::vector<memory::Typed>{{1, &first}},
       "Nodes[0]: found no edge to input 1, BTensor, wanted one, since its "
       "description is not null");
}

} // namespace
