# Debian packages of what is built, by CPack (scripts/package). Each component of
# the installation is one:
#
#   runtime       dml-runtime       the runtime's shared library, and its tools
#   dev           dml-dev           its header, its static library, how to find it
#   tools         dml-tools         the compiler's tools, its shared library
#   compiler-dev  dml-compiler-dev  its headers, its static libraries
#   python        python3-dml       the package for Python
#
# SPDX-License-Identifier: Apache-2.0
include_guard()

# The project has no mailbox, which the reserved domain says.
set(DML_PACKAGER "dml maintainers <maintainers@dml.invalid>" CACHE STRING
    "Who makes the Debian packages, as their Maintainer: \"Name <mail>\"")

# Declares the package of a component.
#   dml_add_package(COMPONENT [NAME name] SECTION section TITLE "few words"
#     DESCRIPTION "sentences" [DEPENDS ...] [RECOMMENDS ...] [SUGGESTS ...])
# What the package's programs and libraries link is found out and need not stand
# in DEPENDS.
function(dml_add_package component)
  cmake_parse_arguments(ARG "" "NAME;SECTION;TITLE;DESCRIPTION"
    "DEPENDS;RECOMMENDS;SUGGESTS" ${ARGN})
  set(name dml-${component})
  if(ARG_NAME)
    set(name ${ARG_NAME})
  endif()
  string(TOUPPER "CPACK_DEBIAN_${component}" prefix)
  foreach(field DEPENDS RECOMMENDS SUGGESTS)
    list(JOIN ARG_${field} ", " value)
    set(${prefix}_PACKAGE_${field} "${value}" PARENT_SCOPE)
  endforeach()
  set(${prefix}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(${prefix}_PACKAGE_SECTION ${ARG_SECTION} PARENT_SCOPE)
  set(${prefix}_DESCRIPTION
    "${DML_SUMMARY}: ${ARG_TITLE}\n${ARG_DESCRIPTION}" PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)

  set(DML_PACKAGE ${name})
  configure_file("${PROJECT_SOURCE_DIR}/cmake/copyright.in"
    "${PROJECT_BINARY_DIR}/packages/${name}.copyright" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/packages/${name}.copyright"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${name}" RENAME copyright
    COMPONENT ${component})
  # The runtime has its own, where it is built alone, too.
  if(NOT component MATCHES "^(runtime|dev)$")
    dml_install_licences(${name} ${component})
  endif()
endfunction()

set(same_version "(= ${PROJECT_VERSION})")
dml_add_package(runtime SECTION libs
  TITLE "runtime"
  DESCRIPTION
"Runs programs that dml-tools compiled on Vulkan 1.2 devices, a CPU included: a
library with a C API, and the programs dml-run, dml-inspect and dml-bench. The
library opens Vulkan's loader when it is used."
  RECOMMENDS libvulkan1 "mesa-vulkan-drivers | vulkan-icd"
  SUGGESTS dml-tools)
dml_add_package(dev SECTION libdevel
  TITLE "runtime, development files"
  DESCRIPTION
"The headers of the runtime's C API and of its classes for C++, its static library,
its files for CMake and pkg-config, and two programs as examples."
  DEPENDS "dml-runtime ${same_version}" libvulkan-dev)
dml_add_package(tools SECTION devel
  TITLE "compiler"
  DESCRIPTION
"The compiler from DirectML's operators, ONNX models and DirectML's own formats
to programs that dml-runtime runs: dml-compile, dml-explain, dml-opt and others,
and a library with a C API that is a plugin of mlir-opt, too."
  RECOMMENDS dml-runtime)
dml_add_package(compiler-dev SECTION libdevel
  TITLE "compiler, development files"
  DESCRIPTION
"The headers of the compiler's C and C++ APIs, its static libraries, and its
files for CMake and pkg-config."
  DEPENDS "dml-tools ${same_version}" libmlir-${LLVM_VERSION_MAJOR}-dev
    spirv-tools)
dml_add_package(python NAME python3-dml SECTION python
  TITLE "models in Python"
  DESCRIPTION
"The package dml for Python 3, which opens ONNX models and others and runs them on
Vulkan devices, with NumPy's arrays or with tensors that stay on the device."
  DEPENDS "dml-tools ${same_version}" python3:any
  RECOMMENDS python3-numpy libvulkan1 "mesa-vulkan-drivers | vulkan-icd")
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
  "${PROJECT_SOURCE_DIR}/cmake/python3-dml/postinst"
  "${PROJECT_SOURCE_DIR}/cmake/python3-dml/prerm")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dml)
set(CPACK_PACKAGE_VENDOR dml)
# Each package has a first line of its own.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_PACKAGE_CONTACT "${DML_PACKAGER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# In a fraction of the time of zstd and xz as dpkg uses them.
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)
include(CPack)
