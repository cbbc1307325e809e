# Makes Options.def, the compiler's options as lines of C++ macros, of the records of
# Options.td as llvm-tblgen prints them.
#   cmake -DRECORDS=Options.json -DOUTPUT=Options.def -P WriteOptions.cmake
#
# SPDX-License-Identifier: Apache-2.0
file(READ "${RECORDS}" json)
set(text "// Generated from Options.td. A line has the arguments
// TYPE, MEMBER, NAME, DEFAULT, VALUE_NAME, DESCRIPTION.
#ifndef DML_CODEGEN_OPTION
#define DML_CODEGEN_OPTION(...)
#endif
#ifndef DML_OPERATOR_OPTION
#define DML_OPERATOR_OPTION(...)
#endif
#ifndef DML_TUNING_OPTION
#define DML_TUNING_OPTION(...)
#endif
")
string(JSON count LENGTH "${json}" !instanceof DML_Option)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON record GET "${json}" !instanceof DML_Option ${i})
  foreach(field IN ITEMS cppName argument type defaultValue valueName description
          isOfCodegen isTuning)
    string(JSON ${field} GET "${json}" ${record} ${field})
  endforeach()
  set(arguments "(${type}, ${cppName}, \"${argument}\", ${defaultValue}, \"${valueName}\",
    \"${description}\")\n")
  if(isOfCodegen)
    string(APPEND text "DML_CODEGEN_OPTION${arguments}")
  else()
    string(APPEND text "DML_OPERATOR_OPTION${arguments}")
  endif()
  if(isTuning)
    string(APPEND text "DML_TUNING_OPTION${arguments}")
  endif()
endforeach()
string(APPEND text "#undef DML_CODEGEN_OPTION
#undef DML_OPERATOR_OPTION
#undef DML_TUNING_OPTION
")
file(WRITE "${OUTPUT}" "${text}")
