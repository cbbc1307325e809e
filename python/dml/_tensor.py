# SPDX-License-Identifier: Apache-2.0
"""Tensors in the memory of a device."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Optional, Sequence, Tuple, Union

from . import _devices, _dlpack, _library, _types
from ._devices import Device
from ._errors import InvalidArgument, Unsupported
from ._library import DmlBufferInfo, DmlBufferRange

if TYPE_CHECKING:
    import numpy as np

_MEMORY_DEVICE = 0
# Buffers are bound with sizes of multiples of 16.
_GRANULE = 16


class Tensor:
    """A tensor in the memory of a device: an input of runs that is copied there once, or
    an output that stays there and is the next run's input.

    >>> image = dml.Tensor.from_numpy(array, device=session.device)
    >>> (scores,) = session.run(None, {"image": image}, device_outputs=True)
    >>> scores.numpy()

    A tensor is used by one thread at a time. ``numpy.from_dlpack(tensor)`` reads and writes
    the memory itself where the host can: on CPUs and on GPUs that share the host's memory.
    """

    def __init__(self, shape: Sequence[int], dtype: Any = "float32",
                 device: Union[Device, str, int, None] = None) -> None:
        """Makes a tensor of zeros. `dtype` is NumPy's type or the name of it, or "uint4" or
        "int4", whose arrays have a byte for each element; `device` is as for ``Session``.

        >>> state = dml.Tensor((1, 8, 4096, 64), "float16", device=session.device)
        """
        element = _types.find(_name(dtype))
        sizes = _library.to_sizes("a tensor", shape)
        chosen = _devices.find(device)
        self._create(sizes, element, chosen, _devices.open(chosen))

    def _create(self, shape: Tuple[int, ...], element: _types.ElementType, device: Device,
                handle: _devices.Handle) -> None:
        self._shape = shape
        self._element = element
        self._device = device
        self._opened = handle
        self._bytes = _types.count_bytes(element, shape)
        size = max(-(-self._bytes // _GRANULE) * _GRANULE, _GRANULE)
        buffer = c_void_p()
        library = _library.get()
        _library.call(library.dmlCreateBuffer, handle.value, size, _MEMORY_DEVICE, byref(buffer))
        self._buffer = _devices.Handle(buffer.value, "dmlDestroyBuffer", handle,
                                       on_device=True)
        info = DmlBufferInfo()
        library.dmlGetBufferInfo(buffer, byref(info))
        self._mapped: Optional[int] = info.mapped
        self._range = DmlBufferRange(info.buffer, 0, size)

    @classmethod
    def _make(cls, shape: Tuple[int, ...], element: _types.ElementType, device: Device,
              handle: _devices.Handle) -> "Tensor":
        tensor = cls.__new__(cls)
        tensor._create(shape, element, device, handle)
        return tensor

    @classmethod
    def from_numpy(cls, array: Any, device: Union[Device, str, int, None] = None,
                   dtype: Any = None) -> "Tensor":
        """Copies an array to a device. `dtype` is that of the array, but where it is "uint4"
        or "int4".

        >>> tensor = dml.Tensor.from_numpy(np.zeros((2, 3), np.float32))
        """
        array = _types.to_array("the array", array)
        tensor = cls(array.shape, array.dtype if dtype is None else dtype, device)
        tensor.copy_from(array)
        return tensor

    def copy_from(self, array: Any) -> None:
        """Writes an array of the same shape and type into the tensor.

        >>> tensor.copy_from(np.ones(tensor.shape, tensor.dtype))
        """
        np = _types.import_numpy()
        array = _types.to_array("the array", array)
        if array.shape != self._shape or _types.find(array.dtype).dtype != self._element.dtype:
            raise InvalidArgument(
                f"the array has the shape {array.shape} and the type {array.dtype}, but wanted "
                f"are those of the tensor, {self._shape} and {self._element.dtype}")
        source = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
        if self._element.bits == 4:
            source = _types.pack4("the array", source, self._element)
        _library.call(_library.get().dmlWriteBuffer, self._buffer.value, 0,
                      source.ctypes.data, self._bytes)

    def numpy(self) -> "np.ndarray[Any, Any]":
        """Copies the elements into a new array.

        >>> tensor.numpy().sum()
        """
        np = _types.import_numpy()
        if self._element.bits == 4:
            packed = np.empty(self._bytes, np.uint8)
            self._read(packed)
            return _types.unpack4(packed, self._shape, self._element)
        array = np.empty(self._shape, self._element.dtype)
        self._read(array)
        return array

    def _read(self, array: "np.ndarray[Any, Any]") -> None:
        _library.call(_library.get().dmlReadBuffer, self._buffer.value, 0, array.ctypes.data,
                      self._bytes)

    @property
    def shape(self) -> Tuple[int, ...]:
        """The sizes.

        >>> dml.Tensor((2, 3)).shape
        (2, 3)
        """
        return self._shape

    @property
    def dtype(self) -> "np.dtype[Any]":
        """NumPy's type of the elements.

        >>> dml.Tensor((2, 3), "float16").dtype
        dtype('float16')
        """
        np = _types.import_numpy()
        return np.dtype(self._element.dtype)

    @property
    def device(self) -> Device:
        """The device whose memory has the elements.

        >>> dml.Tensor((2, 3), device=0).device.index
        0
        """
        return self._device

    @property
    def nbytes(self) -> int:
        """The bytes of the elements.

        >>> dml.Tensor((2, 3), "float16").nbytes
        12
        """
        return self._bytes

    def __dlpack_device__(self) -> Tuple[int, int]:
        """The kind and the number of the device, for DLPack: kDLCPU where the host reads
        the memory, else kDLVulkan.

        >>> dml.Tensor((2, 3)).__dlpack_device__()
        """
        if self._mapped is not None:
            return (_dlpack.CPU, 0)
        return (_dlpack.VULKAN, self._device.index)

    def __dlpack__(self, *, stream: Optional[int] = None,
                   max_version: Optional[Tuple[int, int]] = None,
                   dl_device: Optional[Tuple[int, int]] = None,
                   copy: Optional[bool] = None) -> Any:
        """Lends the memory to another library. On kDLVulkan the address is the VkBuffer.
        Runs are finished when they return, so that there is nothing to wait for.

        >>> array = np.from_dlpack(tensor)
        """
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise Unsupported(f"the tensor's memory is on the device {self.__dlpack_device__()} "
                              f"of DLPack, but wanted is {tuple(dl_device)}")
        if copy:
            raise Unsupported("the tensor lends its memory to DLPack without a copy, but wanted "
                              "is a copy, which numpy() makes")
        if self._element.bits == 4:
            raise Unsupported("DLPack has no name for elements of 4 bits")
        address = self._mapped if self._mapped is not None else self._range.buffer
        return _dlpack.lend(self, address, self.__dlpack_device__(), self._element.dtype,
                            self._element.bits, self._shape)

    def __repr__(self) -> str:
        sizes = "x".join(map(str, self._shape)) or "scalar"
        return f"<dml.Tensor {sizes} of {self._element.dtype} on {self._device.name}>"


def _name(dtype: Any) -> str:
    """NumPy's name of a type, where NumPy is loaded only if the type is no name."""
    if isinstance(dtype, str) and (dtype in _types.BY_DTYPE or dtype == "bool"):
        return dtype
    if dtype is None:
        raise InvalidArgument("the type of elements is None, but wanted is one of NumPy's")
    np = _types.import_numpy()
    try:
        return np.dtype(dtype).name
    except TypeError as error:
        raise InvalidArgument(f"{dtype!r} is no type of elements: {error}") from None
