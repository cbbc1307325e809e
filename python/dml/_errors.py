# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the package: one class for each result of the library."""

from __future__ import annotations

from typing import Dict, Type


class Error(Exception):
    """What a call of the library fails with. The text is the library's message.

    >>> try:
    ...     dml.Session("missing.onnx")
    ... except dml.Error as error:
    ...     print(error.result, error)
    """

    #: The name of the result in C, such as ``"DML_ERROR_NOT_FOUND"``.
    result: str = "DML_ERROR"


class InvalidArgument(Error, ValueError):
    """A name, a type, a shape or an option that the call does not take."""

    result = "DML_ERROR_INVALID_ARGUMENT"


class InvalidExecutable(Error):
    """The bytes are no valid executable."""

    result = "DML_ERROR_INVALID_EXECUTABLE"


class NotFound(Error):
    """There is no such device, function or file."""

    result = "DML_ERROR_NOT_FOUND"


class Unsupported(Error):
    """The model or the device exists, but lacks something that is needed."""

    result = "DML_ERROR_UNSUPPORTED"


class OutOfMemory(Error):
    """The host or the device has no memory left for what the message names."""

    result = "DML_ERROR_OUT_OF_MEMORY"


class DeviceLost(Error):
    """The device stopped working. New sessions open the device anew."""

    result = "DML_ERROR_DEVICE_LOST"


class Timeout(Error):
    """The device had not finished when the time was up."""

    result = "DML_ERROR_TIMEOUT"


class InputOutput(Error):
    """A file cannot be read or written."""

    result = "DML_ERROR_IO"


class VulkanError(Error):
    """Any other failure of a Vulkan call, which the message names."""

    result = "DML_ERROR_VULKAN"


class Cancelled(Error):
    """The progress function returned False."""

    result = "DML_ERROR_CANCELLED"


class LibraryNotFound(Error):
    """The shared library of dml cannot be loaded. The message lists the places."""

    result = "DML_ERROR_NOT_FOUND"


#: The class of each value of DmlResult.
CLASSES: Dict[int, Type[Error]] = {
    1: InvalidArgument,
    2: InvalidExecutable,
    3: NotFound,
    4: Unsupported,
    5: OutOfMemory,
    6: DeviceLost,
    7: Timeout,
    8: InputOutput,
    9: VulkanError,
    10: Cancelled,
}
