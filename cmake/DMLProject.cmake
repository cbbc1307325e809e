# What dml says of itself, for the build, the CMake and pkg-config packages and
# Debian's: the one place. (A release begins with its version here.)
#
# SPDX-License-Identifier: Apache-2.0
include_guard()

set(DML_VERSION 0.1.0)
set(DML_SUMMARY "DirectML's operators on Vulkan")
set(DML_LICENSE "Apache-2.0")
