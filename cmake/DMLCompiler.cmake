# How the compiler's libraries and tools are built and installed.
#
# SPDX-License-Identifier: Apache-2.0
include_guard()

option(DML_PRECOMPILE_HEADERS
  "Precompile MLIR's headers: reading them takes most of a file's compile time"
  ON)

# A compilation of a model spends its time in MLIR's and LLVM's libraries: with -O1, the
# compiler compiles ResNet-50 in the time it takes with -O3, the interpreter is a sixth
# faster, and a clean build takes a fifth less. The runtime keeps the build type's own.
set(DML_COMPILER_OPTIMIZATION
  $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU,Clang>>:-O1>)

# Settings of a directory whose targets or descriptions use MLIR's headers.
macro(dml_use_mlir)
  include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  include_directories("${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
  separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND ${LLVM_DEFINITIONS})
  add_definitions(${LLVM_DEFINITIONS_LIST})
endmacro()

# dml_add_precompiled_headers(SET [OPTIONS option...] [HEADERS header...]
#                             [LINK library...]): the precompiled headers SET, which are
# MLIR's, the dialect's and HEADERS, and the options that they and the code that uses
# them are compiled with: precompiled headers serve objects with the same flags only.
# SET is a file of 140 MB with Clang and half a gigabyte with GCC. No header of a family
# is among them, since a change of one operator would compile every file.
function(dml_add_precompiled_headers set)
  cmake_parse_arguments(ARG "" "" "OPTIONS;HEADERS;LINK" ${ARGN})
  list(APPEND ARG_OPTIONS ${DML_COMPILER_OPTIMIZATION})
  if(NOT DML_PRECOMPILE_HEADERS)
    add_library(${set} INTERFACE)
    target_compile_options(${set} INTERFACE ${ARG_OPTIONS})
    return()
  endif()
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/${set}.cpp" CONTENT "")
  add_library(${set} OBJECT "${PROJECT_BINARY_DIR}/${set}.cpp")
  add_dependencies(${set} DMLIRIncGen)
  target_link_libraries(${set} PRIVATE ${ARG_LINK})
  target_compile_features(${set} PUBLIC cxx_std_17)
  dml_target_warnings(${set})
  # ccache reads what the preprocessor leaves; GCC's then names the header only.
  target_compile_options(${set} PUBLIC
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess> ${ARG_OPTIONS})
  target_precompile_headers(${set} PRIVATE
    <dml/IR/DML.h>
    <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/GPU/IR/GPUDialect.h>
    <mlir/Dialect/Linalg/IR/Linalg.h>
    <mlir/Dialect/Math/IR/Math.h>
    <mlir/Dialect/MemRef/IR/MemRef.h>
    <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/SPIRV/IR/SPIRVOps.h>
    <mlir/Dialect/Tensor/IR/Tensor.h>
    <mlir/Dialect/Vector/IR/VectorOps.h>
    <mlir/IR/BuiltinOps.h>
    <mlir/IR/ImplicitLocOpBuilder.h>
    <mlir/IR/Matchers.h>
    <mlir/IR/OpImplementation.h>
    <mlir/IR/PatternMatch.h>
    <mlir/Parser/Parser.h>
    <mlir/Pass/Pass.h>
    <mlir/Pass/PassManager.h>
    <mlir/Transforms/DialectConversion.h>
    <llvm/ADT/MapVector.h>
    <llvm/Support/Error.h>
    <llvm/Support/FileSystem.h>
    <llvm/Support/FormatVariadic.h>
    <llvm/Support/MemoryBuffer.h>
    <map>
    <variant>
    ${ARG_HEADERS})
endfunction()

# Compiles TARGET with the options and the precompiled headers of SET.
function(dml_use_precompiled_headers target set)
  target_compile_options(${target} PRIVATE
    $<TARGET_PROPERTY:${set},INTERFACE_COMPILE_OPTIONS>)
  if(DML_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${set})
  endif()
endfunction()

# Compiles TARGET, a part of the compiler or of its tools, without exceptions, as MLIR
# is: it reports failures by values, and code that unwinds takes an eighth of a file's
# compile time.
function(dml_precompile_headers target)
  dml_use_precompiled_headers(${target} dml_precompiled_headers)
endfunction()

# A library of the compiler: static, and part of the package `dml` unless it is
# INTERNAL to a tool.
#   dml_add_library(NAME [INTERNAL] sources... DEPENDS generated... LINK libraries...)
function(dml_add_library name)
  cmake_parse_arguments(ARG "INTERNAL" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(dml::${name} ALIAS ${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} ${DML_MLIR})
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_compile_features(${name} PUBLIC cxx_std_17)
  dml_target_warnings(${name})
  dml_precompile_headers(${name})
  dml_compile_in_batches(${name})
  if(NOT ARG_INTERNAL AND NOT DML_STATIC_MLIR)
    install(TARGETS ${name} EXPORT dml-targets
      ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT compiler-dev)
  endif()
endfunction()

# A tool of the compiler.
function(dml_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ${DML_MLIR}
    dml_sanitizer_defaults)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tools")
  target_compile_definitions(${name} PRIVATE
    DML_TOOL="${name}" DML_VERSION="${PROJECT_VERSION}")
  dml_target_warnings(${name})
  dml_precompile_headers(${name})
  # The tests that lit runs need every tool (test/CMakeLists.txt).
  set_property(GLOBAL APPEND PROPERTY DML_TOOLS ${name})
  dml_install_tool(${name} tools)
endfunction()

# Installs how CMake finds the package `dml`, as a part of `component`.
function(dml_install_config component)
  include(CMakePackageConfigHelpers)
  set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/dml")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/dml-config.cmake.in"
    "${PROJECT_BINARY_DIR}/dml-config.cmake" INSTALL_DESTINATION "${config_dir}")
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/dml-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES
    "${PROJECT_BINARY_DIR}/dml-config.cmake"
    "${PROJECT_BINARY_DIR}/dml-config-version.cmake"
    DESTINATION "${config_dir}" COMPONENT ${component})
  install(EXPORT dml-session-targets NAMESPACE dml::
    DESTINATION "${config_dir}" COMPONENT ${component})
  dml_install_pkg_config(dml ${component})
endfunction()

# Installs NAME.pc, how pkg-config finds a library, as a part of `component`.
function(dml_install_pkg_config name component)
  file(RELATIVE_PATH DML_PC_INCLUDE
    "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    "/prefix/${CMAKE_INSTALL_INCLUDEDIR}")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in"
    "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT ${component})
endfunction()

# Installs the component `session` of the preset travel: libdml, the headers of its C
# functions, and how CMake finds them. The compiler's libraries for C++ are not in it: they
# would bring a second MLIR to a program that links both.
function(dml_install_session)
  file(GLOB headers "${PROJECT_SOURCE_DIR}/include/dml/*.h"
    "${PROJECT_SOURCE_DIR}/include/dml/*.hpp"
    "${PROJECT_SOURCE_DIR}/runtime/include/dml/*.h"
    "${PROJECT_SOURCE_DIR}/runtime/include/dml/*.hpp")
  install(FILES ${headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/dml"
    COMPONENT session)
  dml_install_licences(dml session)
  dml_install_config(session)
endfunction()

# Installs the package `dml`, for find_package(dml): headers, descriptions and
# what was generated from them, the libraries, and the configuration.
function(dml_install_package)
  if(DML_STATIC_MLIR)
    dml_install_session()
    return()
  endif()
  foreach(root "${PROJECT_SOURCE_DIR}/include/dml"
          "${PROJECT_SOURCE_DIR}/include/dml-c" "${PROJECT_BINARY_DIR}/include/dml")
    install(DIRECTORY "${root}"
      DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT compiler-dev
      FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.td" PATTERN "*.inc" PATTERN "*.def"
      PATTERN "CMakeFiles" EXCLUDE)
  endforeach()

  dml_install_config(compiler-dev)
  install(EXPORT dml-targets NAMESPACE dml::
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/dml" COMPONENT compiler-dev)

  set(DML_PC_MLIR_CFLAGS ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  list(REMOVE_DUPLICATES DML_PC_MLIR_CFLAGS)
  list(TRANSFORM DML_PC_MLIR_CFLAGS PREPEND "-I")
  list(JOIN DML_PC_MLIR_CFLAGS " " DML_PC_MLIR_CFLAGS)
  dml_install_pkg_config(dml-compiler compiler-dev)
endfunction()
