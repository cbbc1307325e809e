# A .zip of the runtime for Windows, by CPack: the DLL, its import library and its
# definition file, the static library, the headers, the tools, an example.
#
# SPDX-License-Identifier: Apache-2.0
include_guard()

set(CPACK_GENERATOR ZIP)
set(CPACK_PACKAGE_NAME dml-runtime)
set(CPACK_PACKAGE_VENDOR dml)
# One archive, which unpacks into a folder of its name.
set(CPACK_PACKAGE_FILE_NAME "dml-runtime-${PROJECT_VERSION}-windows-x86_64")
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_STRIP_FILES ON)
include(CPack)
