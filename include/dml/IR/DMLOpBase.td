//===- DMLOpBase.td - Base class of the operators ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef DML_IR_DMLOPBASE_TD
#define DML_IR_DMLOPBASE_TD

include "dml/IR/DMLAttributes.td"
include "dml/IR/DMLInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// A DirectML tensor. FeatureLevelOpInterface checks the shape and the data type
/// with messages that name the tensor.
def DML_Tensor : TensorOf<[AnyFloat, AnyInteger]>;

/// The definition of a static table `name`, which may be empty.
class DML_ArrayCpp<string type, string name, list<string> elements> {
  string cpp = !if(!empty(elements),
      "  static constexpr ::llvm::ArrayRef<::dml::" # type # "> " # name # ";\n",
      "  static constexpr ::dml::" # type # " " # name # "[] = {" #
      !interleave(elements, ", ") # "};\n");
}

/// The number, counted from 1, of the first list that contains `name`, or 0 if
/// there is none.
class DML_GroupOf<string name, list<list<string>> groups> {
  int number = !foldl(0, !range(!size(groups)), found, i,
      !if(!and(!eq(found, 0),
               !foldl(false, groups[i], has, n, !or(has, !eq(n, name)))),
          !add(i, 1), found));
}

/// The argument or result `d` of a dag as a TensorInfo in C++, or "" for an
/// attribute.
class DML_TensorCpp<dag values, int i, string isResult,
                    list<list<string>> types, list<list<string>> shapes> {
  string name = !getdagname(values, i);
  bit isTensor = !isa<TypeConstraint>(!getdagarg<Constraint>(values, i));
  bit isOptional = !isa<Optional>(!getdagarg<Constraint>(values, i));
  bit isVariadic = !isa<Variadic>(!getdagarg<Constraint>(values, i));
  string count = !if(isOptional, "Optional", !if(isVariadic, "Variadic", "One"));
  string cpp = "{\"" # name # "\", ::dml::TensorInfo::Count::" # count # ", " #
      isResult # ", " # DML_GroupOf<name, types>.number # ", " #
      DML_GroupOf<name, shapes>.number # "}";
  // The assembly format of the operand. Optional operands are preceded by their
  // names.
  string format = !if(!not(isTensor), "",
      !if(isOptional, "(`" # name # "` `(` $" # name # "^ `)`)?",
          !if(!eq(i, 0), "", "`,` ") # "$" # name));
  // The assembly format of the result's type if several results are optional.
  string resultFormat = !if(isOptional,
      "(`" # name # "` `(` type($" # name # ")^ `)`)?",
      "type($" # name # ")");
}

/// The DirectML operator DML_OPERATOR_<operatorName>. A definition states its
/// support table in `support`, with the newest level first, and its enum
/// attributes in `enumSupport`. FeatureLevelOpInterface uses both.
class DML_Op<string mnemonic, string operatorName, list<Trait> traits = []>
    : Op<DML_Dialect, mnemonic,
         [Pure, DeclareOpInterfaceMethods<FeatureLevelOpInterface,
            ["getOperatorSupport", "getEnumCaseValue", "getTensorRange",
             "meetsCondition"]>] #
         traits> {
  /// The rows of the support table. The oldest level is the level at which the
  /// operator was introduced.
  list<DML_Support> support = [];
  list<DML_CasesSupport> enumSupport = [];
  /// Another name of the operator. For example, SCATTER is another name of
  /// SCATTER_ELEMENTS.
  string otherName = "";
  /// The enum attribute on which rows of `support` depend (see their `cases`).
  string selector = "";
  /// The groups of tensors with equal element types, and the groups of tensors
  /// with equal shapes.
  list<list<string>> sameElementTypes = [];
  list<list<string>> sameShapes = [];
  /// The constraints on array attributes.
  list<DML_Array> arrays = [];
  /// The conditions that older levels do not accept, in addition to the table.
  list<DML_Rule> rules = [];
  /// Whether rewrites may change the rank (RankChange::Independent). The
  /// default is that they may not.
  bit independentDimensions = 0;
  /// The page on which the table is based.
  string supportSource = "DML_" # operatorName # "_OPERATOR_DESC, https://learn."
      # "microsoft.com/windows/win32/api/directml/ns-directml-dml_"
      # !tolower(operatorName) # "_operator_desc";

  list<DML_TensorCpp> operandTensors = !filter(t,
      !foreach(i, !range(!size(arguments)),
          DML_TensorCpp<arguments, i, "false", sameElementTypes, sameShapes>),
      t.isTensor);
  list<DML_TensorCpp> resultTensors = !foreach(i, !range(!size(results)),
      DML_TensorCpp<results, i, "true", sameElementTypes, sameShapes>);
  list<DML_TensorCpp> tensors = operandTensors # resultTensors;

  bit hasOptionalOperand = !foldl(false, operandTensors, any, t,
                                  !or(any, t.isOptional));
  // With several optional results, the types alone do not determine which
  // results are present.
  bit hasOptionalResults = !lt(1, !foldl(0, resultTensors, count, t,
      !add(count, !if(t.isOptional, 1, 0))));
  let assemblyFormat = !if(hasOptionalOperand,
      !interleave(!foreach(t, operandTensors, t.format), " "), "operands") #
      " attr-dict `:` " # !if(hasOptionalResults,
      "`(` type(operands) `)` `->` " #
      !interleave(!foreach(t, resultTensors, t.resultFormat), " "),
      "functional-type(operands, results)");

  /// The names of the operands, followed by the names of the results.
  list<string> tensorNames = !foreach(t, tensors, t.name);
  assert !foldl(true, support, ok, row, !and(ok, !or(!empty(row.tensors),
      !eq(!interleave(!foreach(t, row.tensors, t.tensor), ", "),
          !interleave(tensorNames, ", "))))),
      "a row of " # operatorName # " wants the tensors " #
      !interleave(tensorNames, ", ");

  let extraClassDefinition = [{
    const ::dml::OperatorSupport &$cppClass::getOperatorSupport() {
  }] # DML_ArrayCpp<"TensorInfo", "tensors",
          !foreach(t, tensors, t.cpp)>.cpp
     # !interleave(!foreach(i, !range(!size(support)),
      "  static constexpr ::dml::TensorSupport row" # i #
      "[] = {" # !interleave(!if(!empty(support[i].tensors),
          !foreach(name, tensorNames,
                   "{\"" # name # "\", " # support[i].sameLimitsCpp # "}"),
          !foreach(t, support[i].tensors,
                   "{\"" # t.tensor # "\", " # t.limitsCpp # "}")),
      ", ") # "};\n"), "") # [{
      static constexpr ::dml::LevelSupport levels[] = {
  }] # !interleave(!foreach(i, !range(!size(support)),
      "{::dml::FeatureLevel::" # support[i].level.symbol # ", row" # i # ", " #
      support[i].casesCpp # "}"), ", ") # [{
      };
  }] # DML_ArrayCpp<"EnumCaseSupport", "enumCases",
          !listflatten(!foreach(e, enumSupport, e.casesCpp))>.cpp
     # DML_ArrayCpp<"ArraySupport", "arrays",
          !foreach(a, arrays, a.cpp)>.cpp
     # DML_ArrayCpp<"RuleSupport", "rules",
          !foreach(r, rules, r.cpp)>.cpp # [{
      static constexpr ::dml::OperatorSupport support = {
  }] # "\"DML_OPERATOR_" # operatorName #
       "\", \"" # !if(!empty(otherName), "", "DML_OPERATOR_" # otherName) #
       "\", tensors, levels, \"" # selector # "\", enumCases, arrays, rules, " #
       "::dml::RankChange::" #
       !if(independentDimensions, "Independent", "Never") #
       ", \"" # supportSource # "\"" # [{
      };
      return support;
    }
    std::optional<uint32_t>
    $cppClass::getEnumCaseValue(::llvm::StringRef attribute) {
  }] # !interleave(!foreach(e, enumSupport, e.valueCpp), "") # [{
      return std::nullopt;
    }
    std::pair<unsigned, unsigned> $cppClass::getTensorRange(unsigned index) {
  }] # "  if (index < " # !size(operandTensors) # ")\n" #
       "    return getODSOperandIndexAndLength(index);\n" #
       "  return getODSResultIndexAndLength(index - " #
       !size(operandTensors) # ");\n" # [{
    }
    bool $cppClass::meetsCondition(unsigned rule) {
  }] # !if(!empty(rules), "", "  ::dml::FeatureLevelOpInterface op = *this;\n")
     # !interleave(!foreach(i, !range(!size(rules)),
      "  if (rule == " # i # ")\n    return " # rules[i].condition # ";\n"), "")
     # [{
      return false;
    }
  }];
}

#endif // DML_IR_DMLOPBASE_TD
