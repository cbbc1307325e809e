//===- FeatureLevelsTest.cpp - Every operator at every level --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// These tests visit all registered operators and name none of them. The types
// that operators must accept are in Inputs/support.txt, copied by hand from
// DirectML's documentation. Inputs/boundaries.txt contains a whole message of
// each kind.
//
//===----------------------------------------------------------------------===//

#include "dml/IR/DML.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace mlir;
using namespace dml;

namespace {

constexpr int64_t maxTestedRank = 9;

/// "InputGradientTensor" -> "input_gradient", "InputTensors" -> "inputs",
/// "ROITensor" -> "roi", "PaddingMode" -> "padding_mode".
std::string toSnakeCase(StringRef name) {
  bool isPlural = name.consume_back("Tensors");
  name.consume_back("Tensor");
  std::string result;
  for (auto [i, c] : llvm::enumerate(name)) {
    // A word begins where a capital follows or precedes a small letter.
    bool isAfterSmall = i != 0 && !llvm::isUpper(name[i - 1]);
    bool isBeforeSmall = i + 1 < name.size() && llvm::isLower(name[i + 1]);
    if (i != 0 && llvm::isUpper(c) && (isAfterSmall || isBeforeSmall))
      result += '_';
    result += llvm::toLower(c);
  }
  if (isPlural)
    result += 's';
  return result;
}

/// "FLOAT32" for f32: the name of a data type on DirectML's pages.
std::string getPageName(DataType dataType) {
  std::string name = stringifyDataType(dataType).upper();
  StringRef kind = StringRef(name).take_until(llvm::isDigit);
  StringRef page = kind == "F" ? "FLOAT" : kind == "I" ? "INT" : "UINT";
  return (page + StringRef(name).drop_front(kind.size())).str();
}

/// Inputs/support.txt.
struct GoldenSupport {
  struct Row {
    FeatureLevel level;
    int64_t minRank, maxRank;
    std::set<std::string> dataTypes;
  };
  /// By operator and tensor; newest first.
  std::map<std::pair<std::string, std::string>, std::vector<Row>> tensors;
  /// By operator and case.
  std::map<std::pair<std::string, std::string>, FeatureLevel> modes;
  /// By operator and rule.
  std::map<std::pair<std::string, std::string>, FeatureLevel> rules;

  static GoldenSupport read() {
    GoldenSupport golden;
    auto buffer = llvm::MemoryBuffer::getFile(DML_TEST_INPUTS "/support.txt");
    EXPECT_TRUE(buffer) << "no support.txt";
    SmallVector<StringRef> lines;
    (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines) {
      SmallVector<StringRef> words;
      line.split(words, ' ', 5);
      if (words[0] == "tensor") {
        auto [minRank, maxRank] = words[4].split('-');
        Row row{*parseFeatureLevel(words[3]), 0, 0, {}};
        EXPECT_FALSE(minRank.getAsInteger(10, row.minRank)) << line.str();
        EXPECT_FALSE(maxRank.getAsInteger(10, row.maxRank)) << line.str();
        SmallVector<StringRef> types;
        words[5].split(types, ", ");
        for (StringRef type : types)
          row.dataTypes.insert(type.str());
        golden.tensors[{words[1].str(), toSnakeCase(words[2])}].push_back(row);
      } else if (words[0] == "mode") {
        golden.modes[{words[1].str(), words[3].lower()}] =
            *parseFeatureLevel(words[4]);
      } else if (words[0] == "rule") {
        golden.rules[{words[1].str(), words[2].str()}] =
            *parseFeatureLevel(words[3]);
      } else {
        EXPECT_EQ(words[0], "#") << line.str();
      }
    }
    return golden;
  }

  bool supports(StringRef op, StringRef tensor, FeatureLevel level,
                int64_t rank, StringRef dataType) const {
    auto it = tensors.find({op.str(), tensor.str()});
    if (it == tensors.end())
      return false;
    for (const Row &row : it->second)
      if (row.level <= level)
        return row.minRank <= rank && rank <= row.maxRank &&
               row.dataTypes.count(dataType.str());
    return false;
  }
};

class FeatureLevelsTest : public ::testing::Test {
protected:
  FeatureLevelsTest() {
    context.loadDialect<DMLDialect>();
    context.printOpOnDiagnostic(false);
    for (RegisteredOperationName name :
         context.getRegisteredOperationsByDialect("dml")) {
      const OperatorSupport *support = getOperatorSupport(name);
      if (!support)
        continue;
      if (support->selector.empty())
        operators.push_back({name, support});
      // An operator whose table depends on an attribute counts as one operator
      // for each case of the attribute.
      for (const EnumCaseSupport &enumCase : support->enumCases)
        if (enumCase.attribute == support->selector)
          operators.push_back({name, support, &enumCase});
    }
    llvm::stable_sort(operators, [](const auto &lhs, const auto &rhs) {
      return lhs.name.getStringRef() < rhs.name.getStringRef();
    });
  }

  struct Operator {
    OperationName name;
    const OperatorSupport *support;
    /// The case of the attribute that the table depends on, if it does.
    const EnumCaseSupport *selected = nullptr;

    /// "PADDING".
    StringRef getShortName() const {
      StringRef name = support->operatorType;
      name.consume_front("DML_OPERATOR_");
      return name;
    }
    /// The same, or "REDUCE:SUM": what the pages' tables are for.
    std::string getTableName() const {
      std::string name = getShortName().str();
      return selected ? name + ":" + selected->enumCase.upper() : name;
    }
    std::optional<uint32_t> getSelected() const {
      return selected ? std::optional(selected->value) : std::nullopt;
    }
    ArrayRef<TensorSupport> getTensors() const {
      return support->getRow(newestFeatureLevel, getSelected())->tensors;
    }
    /// Whether an op of it can have `enumCase`.
    bool hasCase(const EnumCaseSupport &enumCase) const {
      return !selected || enumCase.attribute != support->selector ||
             &enumCase == selected;
    }
  };

  Type getTensorType(int64_t rank, DataType dataType) {
    return RankedTensorType::get(SmallVector<int64_t>(rank, 1),
                                 getElementType(dataType, &context));
  }

  /// Creates a module with one operation that has tensors of the given types,
  /// and no attributes except the one on which its table depends. The operation
  /// is not valid, but levels are checked before all other properties.
  OwningOpRef<ModuleOp> buildOp(const Operator &op, ArrayRef<Type> types) {
    Location loc = UnknownLoc::get(&context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    OperationState state(loc, op.name);
    for (auto [tensor, type] : llvm::zip_equal(op.getTensors(), types)) {
      if (op.support->getTensorInfo(tensor.tensor)->isResult)
        state.addTypes(type);
      else
        state.addOperands(
            UnrealizedConversionCastOp::create(builder, loc, type, ValueRange{})
                .getResult(0));
    }
    if (op.selected)
      state.addAttribute(op.support->selector,
                         parseAttribute(op.selected->syntax, &context));
    if (op.name.hasTrait<OpTrait::AttrSizedOperandSegments>())
      state.addAttribute("operandSegmentSizes",
                         builder.getDenseI32ArrayAttr(
                             SmallVector<int32_t>(state.operands.size(), 1)));
    if (op.name.hasTrait<OpTrait::AttrSizedResultSegments>())
      state.addAttribute("resultSegmentSizes",
                         builder.getDenseI32ArrayAttr(
                             SmallVector<int32_t>(state.types.size(), 1)));
    builder.create(state);
    return module;
  }

  FeatureLevelOpInterface getOp(ModuleOp module) {
    return cast<FeatureLevelOpInterface>(module.getBody()->back());
  }

  /// Returns the error, with its notes, for `dml.target` of `level` on
  /// `module`, or "" if there is none.
  std::string verifyTarget(ModuleOp module, FeatureLevel level) {
    std::string message;
    llvm::raw_string_ostream os(message);
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      os << diagnostic.str() << "\n";
      for (Diagnostic &note : diagnostic.getNotes())
        os << "    " << note.str() << "\n";
    });
    NamedAttribute target(StringAttr::get(&context, targetAttrName),
                          TargetAttr::get(&context, level));
    LogicalResult result =
        context.getLoadedDialect<DMLDialect>()->verifyOperationAttribute(
            module, target);
    EXPECT_EQ(succeeded(result), message.empty());
    return message;
  }

  /// Returns types that `level` supports for all tensors of `op`, or types of
  /// the newest level if `level` does not have the operator.
  SmallVector<Type> getSupportedTypes(const Operator &op, FeatureLevel level) {
    const LevelSupport *row = op.support->getRow(level, op.getSelected());
    if (!row)
      row = op.support->getRow(newestFeatureLevel, op.getSelected());
    return llvm::map_to_vector(row->tensors, [&](const TensorSupport &tensor) {
      for (DataType type : getDataTypes())
        if (tensor.supportsDataType(type))
          return getTensorType(tensor.minRank, type);
      llvm_unreachable("a tensor without data types");
    });
  }

  /// Calls `callback` for everything that an op of `op` may need of a level.
  void
  forEachRequirement(const Operator &op,
                     llvm::function_ref<void(const Requirement &)> callback) {
    auto call = [&](Requirement::Kind kind, StringRef subject = {},
                    int64_t value = 0) {
      callback({kind, subject, value, std::nullopt, op.getSelected()});
    };
    call(Requirement::Kind::Operator);
    for (const EnumCaseSupport &enumCase : op.support->enumCases)
      if (op.hasCase(enumCase))
        call(Requirement::Kind::EnumCase, enumCase.attribute, enumCase.value);
    for (const TensorSupport &tensor : op.getTensors()) {
      for (DataType type : getDataTypes())
        call(Requirement::Kind::DataType, tensor.tensor,
             static_cast<int64_t>(type));
      for (int64_t rank = 0; rank <= maxTestedRank; ++rank)
        call(Requirement::Kind::Rank, tensor.tensor, rank);
    }
  }

  MLIRContext context;
  SmallVector<Operator> operators;
};

TEST_F(FeatureLevelsTest, LevelsAreInDirectMLsOrder) {
  ArrayRef<FeatureLevelInfo> levels = getFeatureLevels();
  EXPECT_EQ(levels.back().level, newestFeatureLevel);
  for (size_t i = 0; i < levels.size(); ++i) {
    StringRef number = getFeatureLevelNumber(levels[i].level);
    EXPECT_EQ(parseFeatureLevel(number), levels[i].level);
    EXPECT_EQ(parseFeatureLevel(("fl_" + number).str()), levels[i].level);
    unsigned major = 0, minor = 0;
    EXPECT_FALSE(number.split('_').first.getAsInteger(10, major));
    EXPECT_FALSE(number.split('_').second.getAsInteger(10, minor));
    EXPECT_EQ(static_cast<uint32_t>(levels[i].level), major << 12 | minor << 8);
    if (i > 0) {
      EXPECT_LT(levels[i - 1].level, levels[i].level);
    }
  }
  // The table has every case of the enum.
  size_t cases = 0;
  for (uint32_t value = 0; value < 0x10000; ++value)
    cases += symbolizeFeatureLevel(value).has_value();
  EXPECT_EQ(cases, levels.size());
  for (StringRef text : {"", "5", "5_3", "fl_", "fl_fl_5_0", "7_0", "0x5000"})
    EXPECT_FALSE(parseFeatureLevel(text)) << text.str();
}

TEST_F(FeatureLevelsTest, FirstWindowsIsNeverOlderThanTheLevel) {
  EXPECT_EQ(getFirstWindowsRelease(FeatureLevel::fl_2_1),
            getFirstWindowsRelease(FeatureLevel::fl_4_0));
  EXPECT_NE(getFirstWindowsRelease(FeatureLevel::fl_4_0),
            getFirstWindowsRelease(FeatureLevel::fl_4_1));
  EXPECT_TRUE(getFirstWindowsRelease(FeatureLevel::fl_5_1).empty());
}

TEST_F(FeatureLevelsTest, TablesAreWellFormed) {
  ASSERT_FALSE(operators.empty());
  for (const Operator &op : operators) {
    SCOPED_TRACE(op.name.getStringRef().str());
    EXPECT_EQ(op.name.getStringRef(), "dml." + op.getShortName().lower());
    ArrayRef<LevelSupport> rows = op.support->levels;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i > 0) {
        // Rows of one level are for different cases of the selector.
        EXPECT_GE(rows[i - 1].level, rows[i].level) << "newest first";
        if (rows[i - 1].level == rows[i].level) {
          EXPECT_EQ(rows[i - 1].cases & rows[i].cases, 0u);
        }
      }
      for (const TensorSupport &tensor : rows[i].tensors) {
        SCOPED_TRACE(tensor.tensor.str());
        // What holds for every tensor of DirectML.
        EXPECT_LE(1, tensor.minRank);
        EXPECT_LE(tensor.minRank, tensor.maxRank);
        EXPECT_LE(tensor.maxRank, 8);
        EXPECT_NE(tensor.dataTypes, 0u);
        if (rows[i].level < FeatureLevel::fl_3_0) {
          EXPECT_LE(tensor.maxRank, 5) << "6 to 8 dimensions came with 3_0";
          for (DataType type :
               {DataType::FLOAT64, DataType::INT64, DataType::UINT64})
            EXPECT_FALSE(tensor.supportsDataType(type))
                << "64-bit types came with 3_0";
        }
        if (rows[i].level < FeatureLevel::fl_6_3)
          for (DataType type : {DataType::INT4, DataType::UINT4})
            EXPECT_FALSE(tensor.supportsDataType(type))
                << "4-bit types came with 6_3";
      }
    }
  }
}

/// Every operator, level, tensor, data type and rank is accepted or rejected as
/// DirectML's documentation states.
TEST_F(FeatureLevelsTest, SupportIsThatOfThePages) {
  GoldenSupport golden = GoldenSupport::read();
  size_t cases = 0, accepted = 0;
  for (const Operator &op : operators)
    for (const FeatureLevelInfo &info : getFeatureLevels())
      for (auto [index, tensor] : llvm::enumerate(op.getTensors()))
        for (DataType dataType : getDataTypes())
          for (int64_t rank = 0; rank <= maxTestedRank; ++rank) {
            SmallVector<Type> types = getSupportedTypes(op, info.level);
            types[index] = getTensorType(rank, dataType);
            std::string name = getPageName(dataType);
            bool wanted = golden.supports(op.getTableName(), tensor.tensor,
                                          info.level, rank, name);
            OwningOpRef<ModuleOp> module = buildOp(op, types);
            // Tensors that differ may be more than an old level takes.
            wanted &= llvm::all_of(
                getOp(*module).getRequirements(),
                [&](const Requirement &requirement) {
                  return requirement.kind != Requirement::Kind::Rule ||
                         op.support->supports(requirement, info.level);
                });
            EXPECT_EQ(getOp(*module).getViolations(info.level).empty(), wanted)
                << op.name.getStringRef().str() << " "
                << getFeatureLevelNumber(info.level).str() << " "
                << tensor.tensor.str() << " " << name << " rank " << rank;
            EXPECT_EQ(verifyTarget(*module, info.level).empty(), wanted);
            ++cases;
            accepted += wanted;
          }
  // Nothing on the pages is without an operator, tensor or case here.
  for (const auto &entry : golden.tensors) {
    const auto &key = entry.first;
    EXPECT_TRUE(llvm::any_of(operators,
                             [&](const Operator &op) {
                               return op.getTableName() == key.first &&
                                      llvm::any_of(
                                          op.getTensors(),
                                          [&](const TensorSupport &tensor) {
                                            return tensor.tensor == key.second;
                                          });
                             }))
        << key.first << " " << key.second;
  }
  RecordProperty("cases", static_cast<int>(cases));
  llvm::outs() << cases << " cases, " << accepted << " of them accepted\n";
}

TEST_F(FeatureLevelsTest, EnumCasesAreThoseOfThePages) {
  GoldenSupport golden = GoldenSupport::read();
  // Two attributes of an operator may have the same cases, such as the two
  // transforms of GEMM.
  auto unseen = golden.modes;
  size_t cases = 0;
  for (const Operator &op : operators)
    for (const EnumCaseSupport &enumCase : op.support->enumCases) {
      // The others are those of another entry.
      if (!op.hasCase(enumCase))
        continue;
      auto it =
          golden.modes.find({op.getShortName().str(), enumCase.enumCase.str()});
      ASSERT_NE(it, golden.modes.end()) << enumCase.enumCase.str();
      for (const FeatureLevelInfo &info : getFeatureLevels()) {
        EXPECT_EQ(op.support->supports({Requirement::Kind::EnumCase,
                                        enumCase.attribute, enumCase.value},
                                       info.level),
                  info.level >= it->second)
            << enumCase.enumCase.str();
        ++cases;
      }
      unseen.erase(it->first);
    }
  EXPECT_TRUE(unseen.empty()) << unseen.begin()->first.second;
  llvm::outs() << cases << " cases\n";
}

TEST_F(FeatureLevelsTest, RulesAreThoseOfThePages) {
  std::map<std::pair<std::string, std::string>, FeatureLevel> found;
  for (const Operator &op : operators)
    for (const RuleSupport &rule : op.support->rules) {
      found[{op.getShortName().str(), rule.name.str()}] = rule.level;
      EXPECT_GT(rule.level, op.support->getIntroducedLevel());
    }
  EXPECT_EQ(found, GoldenSupport::read().rules);
}

/// Each level supports everything that the level before supports. Exceptions in
/// DirectML would be listed here.
TEST_F(FeatureLevelsTest, LevelsOnlyAdd) {
  const std::set<std::string> exceptions = {};
  size_t cases = 0;
  for (const Operator &op : operators)
    forEachRequirement(op, [&](const Requirement &requirement) {
      bool older = false;
      for (const FeatureLevelInfo &info : getFeatureLevels()) {
        bool newer = op.support->supports(requirement, info.level);
        std::string what = op.support->describe(requirement) + " at " +
                           getFeatureLevelNumber(info.level).str();
        EXPECT_TRUE(newer || !older || exceptions.count(what)) << what;
        older = newer;
        ++cases;
      }
    });
  llvm::outs() << cases << " cases\n";
}

/// The level that is deduced supports the op, and the one below does not.
TEST_F(FeatureLevelsTest, DeducedLevelIsTheOldest) {
  size_t cases = 0;
  for (const Operator &op : operators)
    for (DataType dataType : getDataTypes())
      for (int64_t rank = 0; rank <= maxTestedRank; ++rank) {
        OwningOpRef<ModuleOp> module =
            buildOp(op, SmallVector<Type>(op.getTensors().size(),
                                          getTensorType(rank, dataType)));
        auto [level, deciding] = getOp(*module).getMinimumLevel();
        for (const FeatureLevelInfo &info : getFeatureLevels())
          EXPECT_EQ(verifyTarget(*module, info.level).empty(),
                    level && info.level >= *level);
        if (level && *level > getFeatureLevels().front().level) {
          EXPECT_EQ(op.support->getMinimumLevel(deciding), level);
        }
        ++cases;
      }
  llvm::outs() << cases << " cases\n";
}

/// A requirement that some levels meet and the next older ones do not.
struct Boundary {
  Requirement requirement;
  /// The oldest level that meets the requirement, if one does.
  std::optional<FeatureLevel> minimum;
  /// The newest level that does not.
  FeatureLevel below;
};

/// Inputs/boundaries.txt: messages by what is rejected.
std::map<std::string, std::string> readBoundaryMessages() {
  auto buffer = llvm::MemoryBuffer::getFile(DML_TEST_INPUTS "/boundaries.txt");
  EXPECT_TRUE(buffer) << "no boundaries.txt";
  std::map<std::string, std::string> messages;
  SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::string *message = nullptr;
  for (StringRef line : lines) {
    // A note of the message is indented further.
    if (line.starts_with("    ") || line.consume_front("  "))
      *message += (line + "\n").str();
    else if (!line.starts_with("#"))
      message = &messages[line.str()];
  }
  return messages;
}

class BoundaryTest : public FeatureLevelsTest {
protected:
  std::optional<Boundary> getBoundary(const Operator &op,
                                      const Requirement &requirement) {
    std::optional<FeatureLevel> minimum =
        op.support->getMinimumLevel(requirement);
    std::optional<FeatureLevel> below =
        minimum ? std::nullopt : std::optional(newestFeatureLevel);
    for (const FeatureLevelInfo &info : getFeatureLevels())
      if (minimum && info.level < *minimum)
        below = info.level;
    // Older levels do not have the operator at all: one boundary says so.
    if (!below || (minimum == op.support->getIntroducedLevel() &&
                   requirement.kind != Requirement::Kind::Operator))
      return std::nullopt;
    return Boundary{requirement, minimum, *below};
  }

  /// An op that `level` supports but for `requirement`.
  OwningOpRef<ModuleOp> buildWith(const Operator &op,
                                  const Requirement &requirement,
                                  FeatureLevel level) {
    bool isCase = requirement.kind == Requirement::Kind::EnumCase;
    SmallVector<Type> types = getSupportedTypes(op, level);
    for (auto [type, tensor] : llvm::zip_equal(types, op.getTensors())) {
      if (tensor.tensor != requirement.subject || isCase)
        continue;
      auto old = cast<RankedTensorType>(type);
      type = requirement.kind == Requirement::Kind::Rank
                 ? getTensorType(requirement.value,
                                 *getDataType(old.getElementType()))
                 : getTensorType(old.getRank(),
                                 static_cast<DataType>(requirement.value));
    }
    OwningOpRef<ModuleOp> module = buildOp(op, types);
    if (isCase)
      setCase(op, requirement, getOp(*module));
    return module;
  }

  void setCase(const Operator &op, const Requirement &requirement,
               Operation *built) {
    StringRef syntax =
        op.support->getEnumCase(requirement.subject, requirement.value)->syntax;
    if (!syntax.empty())
      built->setAttr(requirement.subject, parseAttribute(syntax, &context));
    // The cases of an optional operand: present and absent.
    for (auto [index, tensor] : llvm::enumerate(op.getTensors()))
      if (tensor.tensor == requirement.subject && requirement.value == 1)
        built->eraseOperand(index);
  }

  /// Returns the part of the message that names the value found, which follows
  /// the name of the tensor or attribute.
  static std::string getFound(const Operator &op,
                              const Requirement &requirement) {
    switch (requirement.kind) {
    case Requirement::Kind::DataType:
      return stringifyDataType(static_cast<DataType>(requirement.value)).str();
    case Requirement::Kind::Rank:
      return "rank " + std::to_string(requirement.value);
    default:
      return op.support->getEnumCase(requirement.subject, requirement.value)
          ->enumCase.lower();
    }
  }

  /// Checks the parts of a message: the operator, the tensor or attribute, what
  /// was found, the level, what the level supports instead, and the level that
  /// is wanted, with a page of DirectML's.
  void checkMessage(const Operator &op, const Boundary &boundary,
                    StringRef message) {
    std::string level = getFeatureLevelNumber(boundary.below).str();
    StringRef rest = message;
    EXPECT_TRUE(
        rest.consume_front(("'" + op.name.getStringRef() + "' op ").str()));
    EXPECT_TRUE(rest.contains("\n    according to "));
    EXPECT_TRUE(rest.contains(", https://"));
    rest = rest.take_front(rest.find('\n'));
    if (boundary.requirement.kind == Requirement::Kind::Operator) {
      EXPECT_EQ(rest.str(), "is not in feature level " + level + " (" +
                                op.support->operatorType.str() + " needs " +
                                getFeatureLevelNumber(*boundary.minimum).str() +
                                ")");
      return;
    }
    std::string found = getFound(op, boundary.requirement);
    // The first of several inputs is "inputs[0]".
    EXPECT_TRUE(rest.consume_front(boundary.requirement.subject));
    rest.consume_front("[0]");
    StringRef verb = boundary.requirement.kind == Requirement::Kind::EnumCase
                         ? " is "
                     : boundary.requirement.kind == Requirement::Kind::Rank
                         ? " has "
                         : " has element type ";
    EXPECT_TRUE(rest.consume_front((verb + found).str()));
    EXPECT_TRUE(
        rest.consume_front(", but feature level " + level + " supports "));
    std::string wanted =
        boundary.minimum
            ? " (" + found + " needs " +
                  getFeatureLevelNumber(*boundary.minimum).str() + ")"
            : " (no feature level supports " + found + ")";
    EXPECT_TRUE(rest.consume_back(wanted));
    checkSupported(op, boundary, rest);
  }

  /// What a message lists is what the pages have for the level.
  void checkSupported(const Operator &op, const Boundary &boundary,
                      StringRef list) {
    StringRef tensor = boundary.requirement.subject;
    std::set<std::string> listed, wanted;
    SmallVector<StringRef> words;
    if (boundary.requirement.kind == Requirement::Kind::DataType) {
      list.split(words, ", ");
      for (DataType type : getDataTypes())
        for (int64_t rank = 1; rank <= maxTestedRank; ++rank)
          if (golden.supports(op.getTableName(), tensor, boundary.below, rank,
                              getPageName(type)))
            wanted.insert(stringifyDataType(type).str());
    } else if (boundary.requirement.kind == Requirement::Kind::Rank) {
      EXPECT_TRUE(list.consume_front("rank "));
      // "4", "4 or 5", "1 to 8".
      list.split(words, list.contains(" to ") ? " to " : " or ");
      std::set<int64_t> ranks;
      for (DataType type : getDataTypes())
        for (int64_t rank = 1; rank <= maxTestedRank; ++rank)
          if (golden.supports(op.getTableName(), tensor, boundary.below, rank,
                              getPageName(type)))
            ranks.insert(rank);
      ASSERT_FALSE(ranks.empty());
      wanted = {std::to_string(*ranks.begin()),
                std::to_string(*ranks.rbegin())};
    } else {
      list.split(words, ", ");
      for (StringRef word : words)
        EXPECT_NE(word.str(), getFound(op, boundary.requirement));
      EXPECT_FALSE(list.empty());
      return;
    }
    for (StringRef word : words)
      listed.insert(word.str());
    EXPECT_EQ(listed, wanted);
  }

  GoldenSupport golden = GoldenSupport::read();
};

/// On the two sides of each boundary, one operation is accepted, and one is
/// rejected with a message that has all of its parts.
TEST_F(BoundaryTest, OneSideIsAcceptedAndTheOtherRejected) {
  std::map<std::string, std::string> messages = readBoundaryMessages();
  size_t boundaries = 0;
  for (const Operator &op : operators)
    forEachRequirement(op, [&](const Requirement &requirement) {
      std::optional<Boundary> boundary = getBoundary(op, requirement);
      if (!boundary)
        return;
      std::string what =
          op.name.getStringRef().str() +
          (op.selected ? " of " + op.selected->enumCase.str() : "") + ", " +
          op.support->describe(requirement) + ": ";
      if (boundary->minimum) {
        EXPECT_EQ(verifyTarget(*buildWith(op, requirement, *boundary->minimum),
                               *boundary->minimum),
                  "");
        what += getFeatureLevelNumber(*boundary->minimum).str() + " accepts, ";
      }
      what += getFeatureLevelNumber(boundary->below).str() + " rejects";
      SCOPED_TRACE(what);
      std::string message = verifyTarget(
          *buildWith(op, requirement, boundary->below), boundary->below);
      ASSERT_NE(message, "");
      checkMessage(op, *boundary, message);
      ++boundaries;
      auto known = messages.find(what);
      if (known == messages.end())
        return;
      EXPECT_EQ(message, known->second);
      messages.erase(known);
    });
  EXPECT_TRUE(messages.empty())
      << "no boundary is '" << messages.begin()->first << "'";
  llvm::outs() << boundaries << " boundaries\n";
}

/// The queries hold for ops that the verifier would reject.
TEST_F(FeatureLevelsTest, UnverifiedOpsAreAnswered) {
  for (const Operator &op : operators) {
    Location loc = UnknownLoc::get(&context);
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    for (unsigned results : {0, 1, 9}) {
      OperationState state(loc, op.name);
      state.addTypes(SmallVector<Type>(results, builder.getI1Type()));
      auto dmlOp = cast<FeatureLevelOpInterface>(builder.create(state));
      EXPECT_EQ(dmlOp.getMinimumLevel().level, dmlOp.getIntroducedLevel());
    }
    EXPECT_EQ(verifyTarget(*module, newestFeatureLevel), "");
  }
}

} // namespace
