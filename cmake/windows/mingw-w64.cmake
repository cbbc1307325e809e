# Builds for Windows on x86-64 with Debian's mingw-w64, on Linux:
#   cmake -S runtime --preset windows
# What is built runs under Wine (scripts/with-wine), which CTest does by itself.
#
# SPDX-License-Identifier: Apache-2.0
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
# The variant whose C++ library has threads.
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_CROSSCOMPILING_EMULATOR wine)

# Programs and libraries carry the compiler's own libraries, and need no DLL but those of
# Windows. The second option links the checks of the stack.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -fstack-protector-strong")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static -fstack-protector-strong")

# Headers that are the same on all systems are those of this system: links lead to them,
# since /usr/include has this system's C library too.
set(common "${CMAKE_BINARY_DIR}/common")
file(MAKE_DIRECTORY "${common}/include" "${common}/lib")
foreach(folder flatbuffers vk_video vulkan)
  file(CREATE_LINK "/usr/include/${folder}" "${common}/include/${folder}" SYMBOLIC)
endforeach()

# The import library of Vulkan's loader, made of the functions that its header declares.
if(NOT EXISTS "${common}/lib/libvulkan-1.a")
  file(STRINGS "${common}/include/vulkan/vulkan_core.h" functions
    REGEX "VKAPI_CALL vk[A-Za-z0-9]+\\(")
  list(TRANSFORM functions REPLACE ".*VKAPI_CALL (vk[A-Za-z0-9]+).*" "\\1")
  list(JOIN functions "\n" functions)
  file(WRITE "${common}/lib/vulkan-1.def" "LIBRARY vulkan-1.dll\nEXPORTS\n${functions}\n")
  execute_process(COMMAND x86_64-w64-mingw32-dlltool -d "${common}/lib/vulkan-1.def"
    -l "${common}/lib/libvulkan-1.a" COMMAND_ERROR_IS_FATAL ANY)
endif()

set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32 "${common}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
# CMAKE_PREFIX_PATH says where packages for Windows are installed.
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
