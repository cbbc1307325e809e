# SPDX-License-Identifier: Apache-2.0
"""The types of elements, those of DmlDataType."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Tuple

from ._errors import InvalidArgument, Unsupported

if TYPE_CHECKING:
    import numpy as np


def import_numpy() -> Any:
    """NumPy, which what concerns arrays needs."""
    try:
        import numpy
    except ImportError as error:
        raise Unsupported(f"arrays need NumPy, which cannot be imported ({error}); it comes with "
                          "pip install 'dml[numpy]', or with Debian's python3-numpy") from None
    return numpy


def to_array(kind: str, value: Any) -> "np.ndarray[Any, Any]":
    """The array that NumPy makes of what the caller gave."""
    np = import_numpy()
    try:
        return np.asarray(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidArgument(f"{kind} is no array: {error}") from None


def want_finite(kind: str, array: "np.ndarray[Any, Any]", result: "np.ndarray[Any, Any]") -> None:
    """Fails where a number of `array` is an infinity in `result`, of a narrower type."""
    np = import_numpy()
    if bool(np.any(np.isfinite(array) & ~np.isfinite(result))):
        raise InvalidArgument(f"{kind} has numbers from {array.min()} to {array.max()}, but "
                              f"{np.finfo(result.dtype).max} is the largest of {result.dtype}")


class ElementType(NamedTuple):
    """A type of elements."""

    #: The value of DmlDataType.
    code: int
    #: NumPy's name of the type that arrays have.
    dtype: str
    #: The name that onnxruntime uses.
    name: str
    bits: int


_ALL = (
    ElementType(1, "float32", "tensor(float)", 32),
    ElementType(2, "float16", "tensor(float16)", 16),
    ElementType(3, "uint32", "tensor(uint32)", 32),
    ElementType(4, "uint16", "tensor(uint16)", 16),
    ElementType(5, "uint8", "tensor(uint8)", 8),
    ElementType(6, "int32", "tensor(int32)", 32),
    ElementType(7, "int16", "tensor(int16)", 16),
    ElementType(8, "int8", "tensor(int8)", 8),
    ElementType(9, "float64", "tensor(double)", 64),
    ElementType(10, "uint64", "tensor(uint64)", 64),
    ElementType(11, "int64", "tensor(int64)", 64),
    # NumPy has no types of 4 bits: arrays have a byte for each element.
    ElementType(12, "uint8", "tensor(uint4)", 4),
    ElementType(13, "int8", "tensor(int4)", 4),
)
UNKNOWN = ElementType(0, "", "", 0)
BY_CODE: Dict[int, ElementType] = {each.code: each for each in _ALL}
#: By the names of NumPy's types; of the types that NumPy lacks, by names of that kind.
BY_DTYPE: Dict[str, ElementType] = {
    **{each.dtype: each for each in _ALL if each.bits >= 8},
    "uint4": BY_CODE[12], "int4": BY_CODE[13]}


def count_bytes(element: ElementType, shape: Tuple[int, ...]) -> int:
    """The bytes of a packed tensor."""
    count = 1
    for size in shape:
        count *= size
    return (count * element.bits + 7) // 8


def find(dtype: Any) -> ElementType:
    """The type of the elements of an array; truth values are bytes."""
    # The name of a dtype of NumPy does not tell the order of bytes.
    name = str(getattr(dtype, "name", dtype))
    if name == "bool":
        name = "uint8"
    element = BY_DTYPE.get(name)
    if element is None:
        raise InvalidArgument(f"the elements are of the type {dtype}, but wanted is one of "
                              f"{', '.join(BY_DTYPE)}")
    return element


def pack4(kind: str, array: "np.ndarray[Any, Any]", element: ElementType
          ) -> "np.ndarray[Any, Any]":
    """Bytes with two elements of 4 bits each, the first in the low half."""
    np = import_numpy()
    low, high = (0, 15) if element.dtype == "uint8" else (-8, 7)
    if array.size and (array.min() < low or array.max() > high):
        raise InvalidArgument(f"{kind} has elements from {array.min()} to {array.max()}, but "
                              f"wanted are {low} to {high}, those of {element.name}")
    flat = array.reshape(-1).astype(np.uint8) & 15
    if flat.size % 2:
        flat = np.append(flat, np.uint8(0))
    return flat[0::2] | (flat[1::2] << 4)


def unpack4(packed: "np.ndarray[Any, Any]", shape: Tuple[int, ...], element: ElementType
            ) -> "np.ndarray[Any, Any]":
    """An array with a byte for each of the elements of 4 bits that `packed` has."""
    np = import_numpy()
    flat = np.empty(packed.size * 2, np.uint8)
    flat[0::2] = packed & 15
    flat[1::2] = packed >> 4
    count = int(np.prod(shape, dtype=np.int64))
    flat = flat[:count].reshape(shape)
    # 8 to 15 are the numbers below 0: 15 is -1.
    return (flat ^ 8).astype(np.int8) - np.int8(8) if element.dtype == "int8" else flat
