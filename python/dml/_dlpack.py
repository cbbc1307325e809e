# SPDX-License-Identifier: Apache-2.0
"""DLPack: capsules that lend the memory of tensors to other libraries.

The structures are those of dlpack.h before its version 1, which every library reads.
"""

from __future__ import annotations

import ctypes
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int32, c_int64, c_uint8,
                    c_uint16, c_uint64, c_void_p, py_object)
from typing import Any, Dict, Tuple

#: Memory that the host may read and write.
CPU = 1
#: A VkBuffer, whose handle stands in the place of an address.
VULKAN = 7

_CODES = {"int": 0, "uint": 1, "float": 2}


class DLDevice(Structure):
    _fields_ = [("device_type", c_int), ("device_id", c_int32)]


class DLDataType(Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class DLTensor(Structure):
    _fields_ = [("data", c_void_p), ("device", DLDevice), ("ndim", c_int32),
                ("dtype", DLDataType), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class DLManagedTensor(Structure):
    pass


_Deleter = CFUNCTYPE(None, POINTER(DLManagedTensor))
DLManagedTensor._fields_ = [("dl_tensor", DLTensor), ("manager_ctx", c_void_p),
                            ("deleter", _Deleter)]

_new = ctypes.pythonapi.PyCapsule_New
_new.restype = py_object
_new.argtypes = [c_void_p, c_char_p, c_void_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype = c_int
_is_valid.argtypes = [c_void_p, c_char_p]
_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = c_void_p
_get_pointer.argtypes = [c_void_p, c_char_p]

_NAME = b"dltensor"
# What is lent: the structures and their owner, by the structure's address.
_lent: Dict[int, Tuple[Any, ...]] = {}


def _delete(managed: Any) -> None:
    """Called by whoever took the capsule, when the tensor is no longer used."""
    _lent.pop(ctypes.addressof(managed.contents), None)


def _destroy(capsule: int) -> None:
    """Called when the capsule is destroyed. One that was taken has another name."""
    if _is_valid(capsule, _NAME):
        _lent.pop(_get_pointer(capsule, _NAME), None)


_deleter = _Deleter(_delete)
# PyDLL's kind of function: called with the interpreter's lock held.
_destructor = ctypes.PYFUNCTYPE(None, c_void_p)(_destroy)


def lend(owner: Any, address: int, device: Tuple[int, int], dtype: str, bits: int,
         shape: Tuple[int, ...]) -> Any:
    """A capsule with a packed tensor, which keeps `owner` alive."""
    managed = DLManagedTensor()
    sizes = (c_int64 * max(len(shape), 1))(*shape)
    tensor = managed.dl_tensor
    tensor.data = address
    tensor.device = DLDevice(*device)
    tensor.ndim = len(shape)
    tensor.dtype = DLDataType(_CODES[dtype.rstrip("0123456789")], bits, 1)
    tensor.shape = sizes
    # No strides: packed, the last dimension first.
    tensor.strides = None
    tensor.byte_offset = 0
    managed.deleter = _deleter
    pointer = ctypes.addressof(managed)
    _lent[pointer] = (managed, sizes, owner)
    return _new(pointer, _NAME, ctypes.cast(_destructor, c_void_p))
