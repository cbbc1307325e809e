# SPDX-License-Identifier: Apache-2.0
"""The shared library: where it is, its structures and its functions.

The structures are those of dml/runtime.h and dml/session.h under the same names, and a
test compares their layouts with the headers.
"""

from __future__ import annotations

import ctypes
import os
import threading
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_float, c_int,
                    c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p)
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

from ._errors import CLASSES, Error, InvalidArgument, LibraryNotFound
from ._version import __version__

MAX_RANK = 8
UNKNOWN_RANK = 0xFFFFFFFF

MessageCallback = CFUNCTYPE(None, c_void_p, c_int, c_char_p)
ProgressCallback = CFUNCTYPE(c_bool, c_void_p, c_char_p, c_float)
# What it returns is an address: ctypes has no functions that return texts.
ReadWeightCallback = CFUNCTYPE(c_void_p, c_void_p, c_uint64, c_size_t, c_void_p)


class DmlStepInfo(Structure):
    _fields_ = [
        ("next", c_void_p),
        ("kind", c_int),
        ("label", c_char_p),
        ("kernel", c_char_p),
        ("kernelIndex", c_uint32),
        ("workgroupCount", c_uint32 * 3),
        ("workgroupSize", c_uint32 * 3),
        ("boundSize", c_uint64),
        ("barrier", c_bool),
    ]


class DmlStepTime(Structure):
    _fields_ = [("begin", c_uint64), ("end", c_uint64)]


class DmlRunTimes(Structure):
    _fields_ = [
        ("next", c_void_p),
        ("steps", POINTER(DmlStepInfo)),
        ("times", POINTER(DmlStepTime)),
        ("stepCount", c_uint32),
        ("submitTime", c_uint64),
        ("finishTime", c_uint64),
    ]


RunTimesCallback = CFUNCTYPE(None, c_void_p, POINTER(DmlRunTimes))


class DmlMatrixShape(Structure):
    _fields_ = [("rows", c_uint32), ("columns", c_uint32), ("terms", c_uint32),
                ("factors", c_int), ("sums", c_int)]


class DmlDeviceLimits(Structure):
    _fields_ = [
        ("maxStorageBufferRange", c_uint64),
        ("maxMemoryAllocationSize", c_uint64),
        ("minStorageBufferOffsetAlignment", c_uint64),
        ("maxPerStageDescriptorStorageBuffers", c_uint32),
        ("maxComputeWorkGroupInvocations", c_uint32),
        ("maxComputeWorkGroupSize", c_uint32 * 3),
        ("maxComputeWorkGroupCount", c_uint32 * 3),
        ("maxComputeSharedMemorySize", c_uint32),
        ("subgroupSize", c_uint32),
        ("minSubgroupSize", c_uint32),
        ("maxSubgroupSize", c_uint32),
        ("maxComputeWorkgroupSubgroups", c_uint32),
        ("matrixShapeCount", c_uint32),
        ("matrixShapes", DmlMatrixShape * 32),
        ("maxLoopIterations", c_uint64),
        ("timestampPeriod", c_float),
        ("multiprocessorCount", c_uint32),
        ("multiprocessorRegisterCount", c_uint32),
        ("maxThreadRegisterCount", c_uint32),
    ]


class DmlDeviceInfo(Structure):
    _fields_ = [
        ("next", c_void_p),
        ("name", c_char * 256),
        ("uuid", c_uint8 * 16),
        ("type", c_int),
        ("driverName", c_char * 256),
        ("driverInfo", c_char * 256),
        ("apiVersion", c_uint32),
        ("features", c_uint32),
        ("limits", DmlDeviceLimits),
        ("deviceMemorySize", c_uint64),
        ("vendorID", c_uint32),
        ("deviceID", c_uint32),
        ("driverVersion", c_uint32),
        ("driverID", c_int),
        ("pipelineCacheUUID", c_uint8 * 16),
        ("pciAddress", c_char * 16),
    ]


class DmlDeviceCreateInfo(Structure):
    _fields_ = [("next", c_void_p), ("selector", c_char_p), ("robustBufferAccess", c_bool),
                ("disabledFeatures", c_uint32), ("allocator", c_void_p)]


class DmlBufferRange(Structure):
    # VkBuffer is a handle of 64 bits.
    _fields_ = [("buffer", c_uint64), ("offset", c_uint64), ("size", c_uint64)]


class DmlBufferInfo(Structure):
    _fields_ = [("next", c_void_p), ("buffer", c_uint64), ("size", c_uint64),
                ("mapped", c_void_p)]


class DmlNamedSize(Structure):
    _fields_ = [("name", c_char_p), ("size", c_int64)]


class DmlNamedValue(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class DmlNamedBytes(Structure):
    _fields_ = [("name", c_char_p), ("data", c_void_p), ("size", c_size_t)]


class DmlOperatorSet(Structure):
    _fields_ = [("domain", c_char_p), ("version", c_int64)]


class DmlModelCreateInfo(Structure):
    _fields_ = [("next", c_void_p), ("name", c_char_p), ("operatorSets", POINTER(DmlOperatorSet)),
                ("operatorSetCount", c_uint32), ("identifier", c_char_p)]


class DmlModelTensor(Structure):
    _fields_ = [("next", c_void_p), ("name", c_char_p), ("elementType", c_int),
                ("rank", c_uint32), ("sizes", POINTER(c_int64)),
                ("dimensionNames", POINTER(c_char_p))]


class DmlModelWeight(Structure):
    _fields_ = [
        ("next", c_void_p),
        ("name", c_char_p),
        ("elementType", c_int),
        ("rank", c_uint32),
        ("sizes", POINTER(c_int64)),
        ("byteSize", c_uint64),
        ("data", c_void_p),
        ("read", ReadWeightCallback),
        ("userData", c_void_p),
        ("path", c_char_p),
        ("offset", c_uint64),
        ("identifier", c_char_p),
    ]


class DmlModelAttribute(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_int),
        ("f", c_float),
        ("i", c_int64),
        ("s", c_char_p),
        ("count", c_uint32),
        ("floats", POINTER(c_float)),
        ("ints", POINTER(c_int64)),
        ("strings", POINTER(c_char_p)),
        ("tensor", POINTER(DmlModelWeight)),
        ("graph", c_void_p),
    ]


class DmlModelNode(Structure):
    _fields_ = [
        ("next", c_void_p),
        ("domain", c_char_p),
        ("type", c_char_p),
        ("name", c_char_p),
        ("inputs", POINTER(c_char_p)),
        ("inputCount", c_uint32),
        ("outputs", POINTER(c_char_p)),
        ("outputCount", c_uint32),
        ("attributes", POINTER(DmlModelAttribute)),
        ("attributeCount", c_uint32),
    ]


class DmlSessionCreateInfo(Structure):
    _fields_ = [
        ("next", c_void_p),
        ("path", c_char_p),
        ("bytes", c_void_p),
        ("byteSize", c_size_t),
        ("model", c_void_p),
        ("format", c_int),
        ("function", c_char_p),
        ("dimensions", POINTER(DmlNamedSize)),
        ("dimensionCount", c_uint32),
        ("weights", POINTER(DmlNamedBytes)),
        ("weightCount", c_uint32),
        ("weightsPath", c_char_p),
        ("device", c_void_p),
        ("deviceSelector", c_char_p),
        ("waitLimit", c_uint64),
        ("options", POINTER(DmlNamedValue)),
        ("optionCount", c_uint32),
        ("programBudget", c_uint64),
        ("cacheDirectory", c_char_p),
        ("cacheBudget", c_uint64),
        ("identifier", c_char_p),
        ("messageCallback", MessageCallback),
        ("progressCallback", ProgressCallback),
        ("runTimesCallback", RunTimesCallback),
        ("tracePath", c_char_p),
        ("userData", c_void_p),
    ]


class DmlSessionInfo(Structure):
    _fields_ = [
        ("next", c_void_p),
        ("inputCount", c_uint32),
        ("outputCount", c_uint32),
        ("device", c_void_p),
        ("deviceProfile", c_char_p),
        ("programCount", c_uint32),
        ("programBytes", c_uint64),
        ("compiledCount", c_uint64),
        ("cachedCount", c_uint64),
        ("weightBytes", c_uint64),
    ]


class DmlSessionTensorInfo(Structure):
    _fields_ = [
        ("next", c_void_p),
        ("name", c_char_p),
        ("dataType", c_int),
        ("rank", c_uint32),
        ("sizes", c_int64 * MAX_RANK),
        ("dimensionNames", c_char_p * MAX_RANK),
    ]


class DmlSessionTensor(Structure):
    _fields_ = [
        ("next", c_void_p),
        ("name", c_char_p),
        ("dataType", c_int),
        ("rank", c_uint32),
        ("sizes", c_int64 * MAX_RANK),
        ("data", c_void_p),
        ("byteSize", c_size_t),
        ("buffer", DmlBufferRange),
    ]


class DmlExplainInfo(Structure):
    _fields_ = [
        ("next", c_void_p),
        ("path", c_char_p),
        ("bytes", c_void_p),
        ("byteSize", c_size_t),
        ("model", c_void_p),
        ("format", c_int),
        ("dimensions", POINTER(DmlNamedSize)),
        ("dimensionCount", c_uint32),
        ("level", c_char_p),
        ("ortOptimizations", c_bool),
    ]


class DmlVerdictInfo(Structure):
    _fields_ = [
        ("next", c_void_p),
        ("level", c_char_p),
        ("directML", c_char_p),
        ("windows", c_char_p),
        ("askedLevel", c_char_p),
        ("fit", c_int),
        ("canLegalize", c_bool),
        ("operatorCount", c_uint32),
        ("problemCount", c_uint32),
    ]


class DmlProblemInfo(Structure):
    _fields_ = [
        ("next", c_void_p),
        ("kind", c_int),
        ("name", c_char_p),
        ("function", c_char_p),
        ("node", c_char_p),
        ("line", c_uint32),
        ("column", c_uint32),
        ("level", c_char_p),
        ("reason", c_char_p),
        ("rewrite", c_char_p),
        ("whyNoRewrite", c_char_p),
    ]


class DmlBytes(Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]


class DmlCompileInfo(Structure):
    _fields_ = [
        ("next", c_void_p),
        ("path", c_char_p),
        ("bytes", c_void_p),
        ("byteSize", c_size_t),
        ("model", c_void_p),
        ("format", c_int),
        ("dimensions", POINTER(DmlNamedSize)),
        ("dimensionCount", c_uint32),
        ("deviceProfiles", POINTER(c_char_p)),
        ("deviceProfileCount", c_uint32),
        ("options", POINTER(DmlNamedValue)),
        ("optionCount", c_uint32),
        ("messageCallback", MessageCallback),
        ("progressCallback", ProgressCallback),
        ("userData", c_void_p),
    ]


# Functions that return a DmlResult and take a DmlError * at their end: their other
# parameters.
_FALLIBLE: Dict[str, Tuple[Any, ...]] = {
    "dmlCreateInstance": (c_void_p, POINTER(c_void_p)),
    "dmlGetDeviceInfo": (c_void_p, c_uint32, POINTER(DmlDeviceInfo)),
    "dmlFindDevice": (c_void_p, c_char_p, POINTER(c_uint32)),
    "dmlCreateDevice": (c_void_p, POINTER(DmlDeviceCreateInfo), POINTER(c_void_p)),
    "dmlCreateBuffer": (c_void_p, c_uint64, c_int, POINTER(c_void_p)),
    "dmlWriteBuffer": (c_void_p, c_uint64, c_void_p, c_size_t),
    "dmlReadBuffer": (c_void_p, c_uint64, c_void_p, c_size_t),
    "dmlCreateModel": (POINTER(DmlModelCreateInfo), POINTER(c_void_p)),
    "dmlAddModelInput": (c_void_p, POINTER(DmlModelTensor)),
    "dmlAddModelOutput": (c_void_p, POINTER(DmlModelTensor)),
    "dmlAddModelValue": (c_void_p, POINTER(DmlModelTensor)),
    "dmlAddModelWeight": (c_void_p, POINTER(DmlModelWeight)),
    "dmlAddModelNode": (c_void_p, POINTER(DmlModelNode)),
    "dmlCreateSession": (POINTER(DmlSessionCreateInfo), POINTER(c_void_p)),
    "dmlGetSessionInfo": (c_void_p, POINTER(DmlSessionInfo)),
    "dmlGetSessionInput": (c_void_p, c_uint32, POINTER(DmlSessionTensorInfo)),
    "dmlGetSessionOutput": (c_void_p, c_uint32, POINTER(DmlSessionTensorInfo)),
    "dmlRunSession": (c_void_p, POINTER(DmlSessionTensor), c_uint32,
                      POINTER(DmlSessionTensor), c_uint32),
    "dmlPrepareSession": (c_void_p, POINTER(DmlSessionTensor), c_uint32,
                          POINTER(DmlSessionTensor), c_uint32),
    "dmlGetSessionTuning": (c_void_p, POINTER(DmlBytes)),
    "dmlExplainModel": (POINTER(DmlExplainInfo), POINTER(c_void_p)),
    "dmlGetVerdictInfo": (c_void_p, POINTER(DmlVerdictInfo)),
    "dmlGetVerdictProblem": (c_void_p, c_uint32, POINTER(DmlProblemInfo)),
    "dmlLegalizeModel": (POINTER(DmlExplainInfo), c_int, POINTER(DmlBytes)),
    "dmlCompileModel": (POINTER(DmlCompileInfo), POINTER(DmlBytes)),
}

# Other functions: what they return, and their parameters.
_OTHERS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
    "dmlGetVersion": (c_char_p, ()),
    "dmlGetErrorMessage": (c_char_p, (c_void_p,)),
    "dmlDestroyError": (None, (c_void_p,)),
    "dmlGetFeatureName": (c_char_p, (c_int,)),
    "dmlGetDeviceCount": (c_uint32, (c_void_p,)),
    "dmlDestroyInstance": (None, (c_void_p,)),
    "dmlDestroyDevice": (None, (c_void_p,)),
    "dmlGetBufferInfo": (None, (c_void_p, POINTER(DmlBufferInfo))),
    "dmlDestroyBuffer": (None, (c_void_p,)),
    "dmlDestroyModel": (None, (c_void_p,)),
    "dmlDestroySession": (None, (c_void_p,)),
    "dmlFreeTensor": (None, (POINTER(DmlSessionTensor),)),
    "dmlGetVerdictText": (c_char_p, (c_void_p,)),
    "dmlGetVerdictJson": (c_char_p, (c_void_p,)),
    "dmlDestroyVerdict": (None, (c_void_p,)),
    "dmlFreeBytes": (None, (POINTER(DmlBytes),)),
}

_lock = threading.Lock()
_library: Optional[ctypes.CDLL] = None


def _list_places() -> Iterator[str]:
    """The files that may be the library, the best first, but for the system's."""
    soname = "libdml.so." + ".".join(__version__.split(".")[:2])
    package = Path(__file__).resolve().parent
    # The wheel carries the library.
    yield str(package / soname)
    # PREFIX/lib/python3/dist-packages/dml is installed with PREFIX/lib/libdml.so.
    installed = package.parents[2]
    yield str(installed / soname)
    # The source has its builds beside python/.
    root = package.parents[1]
    if (root / "CMakePresets.json").is_file():
        for preset in ("release", "travel", "asserts", "debug"):
            yield str(root / "build" / preset / "lib" / soname)


def _open() -> ctypes.CDLL:
    stated = os.environ.get("DML_LIBRARY")
    if stated:
        try:
            return ctypes.CDLL(stated)
        except OSError as error:
            raise LibraryNotFound(
                f"the library '{stated}', which the environment variable DML_LIBRARY names, "
                f"cannot be loaded: {error}") from None
    tried: List[str] = []
    for place in _list_places():
        tried.append(place)
        if os.path.exists(place):
            try:
                return ctypes.CDLL(place)
            except OSError as error:
                raise LibraryNotFound(f"the library '{place}' cannot be loaded: {error}") from None
    # The loader's own places.
    soname = os.path.basename(tried[0])
    try:
        return ctypes.CDLL(soname)
    except OSError:
        raise LibraryNotFound(
            f"found no library {soname} among {', '.join(tried)} and the system's libraries; "
            "install dml's wheel or the package dml-tools, or set the environment variable "
            "DML_LIBRARY to the file") from None


def _declare(library: ctypes.CDLL) -> None:
    # A library of other programs may have the same name.
    version = getattr(library, "dmlGetVersion", None)
    if version is None:
        raise LibraryNotFound(f"'{library._name}' is no library of dml: the function "
                              "dmlGetVersion is missing")
    for name, parameters in _FALLIBLE.items():
        function = getattr(library, name, None)
        if function is not None:
            function.restype = c_int
            function.argtypes = [*parameters, POINTER(c_void_p)]
    for name, (result, parameters) in _OTHERS.items():
        function = getattr(library, name, None)
        if function is not None:
            function.restype = result
            function.argtypes = list(parameters)
    found = version().decode()
    if found.split(".")[:2] != __version__.split(".")[:2]:
        raise LibraryNotFound(f"'{library._name}' has the version {found}, but wanted is "
                              f"{__version__}")


def get() -> ctypes.CDLL:
    """The library, which the first call loads."""
    global _library
    if _library is None:
        with _lock:
            if _library is None:
                library = _open()
                _declare(library)
                _library = library
    return _library


def get_path() -> str:
    """The file of the library."""
    return str(get()._name)


def check(result: int, error: c_void_p) -> None:
    """Raises what a call failed with."""
    if result == 0:
        return
    library = get()
    message = (library.dmlGetErrorMessage(error) or b"").decode(errors="replace")
    library.dmlDestroyError(error)
    raise CLASSES.get(result, Error)(message)


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function that returns a DmlResult; raises what it fails with."""
    error = c_void_p()
    result = function(*arguments, ctypes.byref(error))
    if result != 0:
        check(result, error)


def take_bytes(result: DmlBytes) -> bytes:
    """Copies the bytes of a call, and frees them."""
    try:
        return ctypes.string_at(result.data, result.size)
    finally:
        get().dmlFreeBytes(ctypes.byref(result))


def encode(kind: str, text: str) -> bytes:
    """A string for C."""
    if not isinstance(text, str):
        raise InvalidArgument(f"the {kind} is of the type {type(text).__name__}, but wanted "
                              "is str")
    try:
        encoded = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise InvalidArgument(f"the {kind} {text!r} is no Unicode: {error.reason}") from None
    if b"\0" in encoded:
        raise InvalidArgument(f"the {kind} {text!r} has a null character")
    return encoded


def encode_path(kind: str, path: "os.PathLike[str] | str") -> bytes:
    """A path for C."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise InvalidArgument(f"the {kind} is of the type {type(path).__name__}, but wanted is "
                              "a path")
    try:
        encoded = os.fsencode(path)
    except UnicodeEncodeError as error:
        raise InvalidArgument(f"the {kind} {path!r} is no Unicode: {error.reason}") from None
    if b"\0" in encoded:
        raise InvalidArgument(f"the {kind} {os.fspath(path)!r} has a null character")
    return encoded


def to_int(kind: str, value: Any, least: int = -2**63) -> int:
    """An integer for C, of 64 bits."""
    try:
        number = int(value.__index__())
    except (AttributeError, TypeError):
        raise InvalidArgument(f"{kind} is {value!r}, but wanted is an integer") from None
    if not -2**63 <= number < 2**63:
        raise InvalidArgument(f"{kind} is {number}, but wanted is an integer of 64 bits")
    if number < least:
        raise InvalidArgument(f"{kind} is {number}, but wanted is an integer from {least} on")
    return number


def to_sizes(kind: str, shape: Any) -> Tuple[int, ...]:
    """The sizes of a shape, each of which is 0 or more."""
    return tuple(to_int(f"a size of {kind}", size, 0)
                 for size in to_list(f"the shape of {kind}", shape, "sizes"))


def to_list(kind: str, values: Any, what: str) -> List[Any]:
    """A list of what the caller gave, which is no string of letters."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InvalidArgument(f"{kind}: found the {type(values).__name__} {values!r}, but wanted is "
                              f"a list of {what}")
    return list(values)


def want_mapping(kind: str, value: Any, what: str) -> Any:
    """Returns a dictionary of the caller's, or an empty one for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidArgument(f"the {kind} are of the type {type(value).__name__}, but wanted is "
                              f"a dictionary from names to {what}")
    return value


def decode(text: Optional[bytes]) -> str:
    """A string of C, from which `encode` makes the same bytes."""
    return (text or b"").decode("utf-8", "surrogateescape")
