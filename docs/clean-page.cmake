# Makes summaries of attributes readable in the page PAGE, which mlir-tblgen has
# written: they are what errors say (DML_Kind in DMLAttributes.td), and their "<"
# are no HTML.
#
# SPDX-License-Identifier: Apache-2.0
file(READ "${PAGE}" text)
set(start "[Ff]ound {{\\$_self}}, wanted ")
string(REGEX MATCHALL "${start}[^\n]*" summaries "${text}")
list(REMOVE_DUPLICATES summaries)
foreach(summary IN LISTS summaries)
  string(REGEX REPLACE "^${start}" "" clean "${summary}")
  string(REGEX REPLACE "(#[a-z_.]+|array)<([^>]*)>" "<code>\\1&lt;\\2&gt;</code>"
         clean "${clean}")
  string(REPLACE "${summary}" "${clean}" text "${text}")
endforeach()
file(WRITE "${PAGE}" "${text}")
