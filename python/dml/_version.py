# SPDX-License-Identifier: Apache-2.0
"""The version of the package, which is that of the library (cmake/DMLProject.cmake)."""

__version__ = "0.1.0"
