# MLIR and LLVM, shared or static, and shared libraries of dml that travel: that need
# libc and libm alone.
#
# SPDX-License-Identifier: Apache-2.0
include_guard()

option(DML_STATIC_MLIR
  "Link the static libraries of MLIR and LLVM, of which only the used sections are kept"
  OFF)

# The linker drops or keeps a section as a whole: each function gets one of its own.
if(DML_STATIC_MLIR)
  add_compile_options(-ffunction-sections -fdata-sections)
endif()

# Sets DML_MLIR, the libraries of MLIR and LLVM that dml's own libraries and programs
# link. Called where find_package has found MLIR.
macro(dml_choose_mlir)
  if(DML_STATIC_MLIR)
    dml_add_static_mlir()
    # Other projects that link dml's installed libraries bring MLIR themselves.
    set(DML_MLIR $<BUILD_INTERFACE:dml_static_mlir>)
  else()
    # The package was built with libMLIR.so but does not say so; mixing it with the
    # static MLIR libraries would put two copies of MLIR into one process.
    set(MLIR_LINK_MLIR_DYLIB ON)
    set(DML_MLIR MLIR LLVM)
  endif()
endmacro()

# Adds dml_static_mlir: every static library of MLIR and LLVM, of which the linker takes
# the files that are referred to, and of these the sections that are.
function(dml_add_static_mlir)
  find_package(Threads REQUIRED)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=lld DML_HAS_LLD)
  if(NOT DML_HAS_LLD)
    message(FATAL_ERROR "found no linker lld, but DML_STATIC_MLIR wants it (lld-22)")
  endif()
  set(archives)
  foreach(library IN LISTS MLIR_EXPORTED_TARGETS LLVM_AVAILABLE_LIBS)
    # LLVM lists libraries of other projects, too, whose packages may be missing: those
    # of BOLT and Polly.
    set(type "")
    if(TARGET ${library} AND library MATCHES "^(MLIR|LLVM)")
      get_target_property(type ${library} TYPE)
    endif()
    if(type STREQUAL "STATIC_LIBRARY")
      # By file: the targets name the compression libraries that LLVM may use, and dml
      # uses nothing of LLVM that compresses.
      list(APPEND archives $<TARGET_FILE:${library}>)
    endif()
  endforeach()
  add_library(dml_static_mlir INTERFACE)
  target_link_libraries(dml_static_mlir INTERFACE
    "$<LINK_GROUP:RESCAN,${archives}>" ${CMAKE_DL_LIBS} Threads::Threads)
  # Identical functions are folded into one, which saves a fifth of the whole: an
  # operation of MLIR has dozens of functions that differ in their types only. Functions
  # that are folded have one address. MLIR, LLVM and dml tell types apart by the
  # addresses of variables, which lld never folds (test/travel compares).
  target_link_options(dml_static_mlir INTERFACE
    -fuse-ld=lld -static-libstdc++ -static-libgcc
    LINKER:--gc-sections LINKER:--icf=all LINKER:-O2)
endfunction()

# Makes the shared library `target` show nothing but the symbols that one of the
# patterns names: dml_show_only(TARGET pattern...).
function(dml_show_only target)
  set(patterns ${ARGN})
  if(NOT DML_STATIC_MLIR)
    # The identities of types and traits are shown for the loader alone, so that they
    # are those of libMLIR.so: a trait that the library does not define explicitly would
    # be another one in the library, and a constant no constant.
    list(APPEND patterns _ZZN4mlir6detail14TypeIDResolver*
      _ZGVZN4mlir6detail14TypeIDResolver* _ZN4mlir6detail14TypeIDResolver*)
  endif()
  list(JOIN patterns "; " patterns)
  set(map "${CMAKE_CURRENT_BINARY_DIR}/${target}.map")
  file(CONFIGURE OUTPUT "${map}" CONTENT "{ global: @patterns@; local: *; };\n" @ONLY)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${map}")
  # MLIR's registries keep what the library registers: the library stays loaded.
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}"
    LINKER:-z,now LINKER:-z,relro LINKER:-z,nodelete)
endfunction()

# Adds a shared library that programs use through the C functions that the patterns of
# EXPORTS name, such as dml*. These functions are in static libraries that LINK names as
# WHOLE_ARCHIVE; of other static libraries, only what these refer to is linked. With
# DML_STATIC_MLIR the library needs libc and libm alone, and shares no symbol with another
# LLVM of the process; else it is a thin one, which needs libMLIR.so and libLLVM.so.
#   dml_add_travelling_library(NAME LINK libraries... EXPORTS patterns...)
function(dml_add_travelling_library name)
  cmake_parse_arguments(ARG "" "" "LINK;EXPORTS" ${ARGN})
  file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp" CONTENT "")
  add_library(${name} SHARED "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ${DML_MLIR})
  dml_show_only(${name} ${ARG_EXPORTS})
  set_target_properties(${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib"
    VERSION "${PROJECT_VERSION}"
    SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}"
    INSTALL_RPATH "$ORIGIN"
    INSTALL_RPATH_USE_LINK_PATH ON)
  if(DML_STATIC_MLIR)
    target_sources(${name} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/travel/arc4random.cpp")
    # Where the library refers to its own functions, no other library's take their
    # place. The link map says what takes the bytes (test/travel).
    target_link_options(${name} PRIVATE LINKER:-Bsymbolic LINKER:-z,defs
      LINKER:--strip-all "LINKER:-Map=$<TARGET_FILE:${name}>.link-map")
  endif()
endfunction()
