# SPDX-License-Identifier: Apache-2.0
"""A model that a program builds node by node."""

from __future__ import annotations

import ctypes
import math
import os
import threading
from ctypes import byref, c_char_p, c_float, c_int64, c_void_p
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Callable, List, Mapping, Optional, Sequence, Union

from . import _library, _types
from ._devices import Handle
from ._errors import InvalidArgument
from ._library import (DmlModelAttribute, DmlModelCreateInfo, DmlModelNode, DmlModelTensor,
                       DmlModelWeight, DmlOperatorSet, ReadWeightCallback)

if TYPE_CHECKING:
    import numpy as np

# The numbers of ONNX's TensorProto.DataType.
_ELEMENTS = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6,
             "int64": 7, "bool": 9, "float16": 10, "float64": 11, "uint32": 12, "uint64": 13,
             "uint4": 21, "int4": 22}

#: Fills a piece of a weight: `read(offset, destination)`.
Read = Callable[[int, memoryview], None]
#: A size, the name of an open one, or None for an open one without a name.
Dimension = Union[int, str, None]


class Model:
    """A model of ONNX's operators that is made in memory, for a ``dml.Session``.

    >>> model = dml.Model({"": 17})
    >>> model.input("x", "float32", ["batch", 4])
    >>> model.weight("w", np.eye(4, dtype=np.float32))
    >>> model.node("MatMul", ["x", "w"], ["y"])
    >>> model.node("Softmax", ["y"], ["z"], axis=1)
    >>> model.output("z")
    >>> session = dml.Session(model)

    It is as an .onnx file would be, and is checked as one: what is wrong with its nodes is
    said when a session runs. Nodes are added in an order in which each reads what stands
    before it. A model from which a session was made, or that is a graph within a node, does
    not change any more.
    """

    def __init__(self, opsets: Optional[Mapping[str, int]] = None, *, name: str = "<model>",
                 identifier: Optional[str] = None) -> None:
        """Begins a model.

        opsets      versions of operators, by domain; {"": 21} without. A graph within a node
                    has those of its model.
        name        for messages
        identifier  what tells the contents of this model's weights from those of all others:
                    sessions under an equal identifier share weights on a device, and find
                    programs in the cache without reading weights
        """
        #: Arrays and functions that the weights refer to.
        self._keep: List[Any] = []
        sets = [DmlOperatorSet(_library.encode("domain", domain),
                               _library.to_int("a version", version))
                for domain, version in ({"": 21} if opsets is None else _library.want_mapping(
                    "opsets", opsets, "versions")).items()]
        info = DmlModelCreateInfo()
        info.name = _library.encode("name of the model", name)
        info.operatorSets = (DmlOperatorSet * len(sets))(*sets)
        info.operatorSetCount = len(sets)
        if identifier is not None:
            info.identifier = _library.encode("identifier", identifier)
        handle = c_void_p()
        _library.call(_library.get().dmlCreateModel, byref(info), byref(handle))
        self._handle = Handle(handle.value, "dmlDestroyModel", self._keep)

    def input(self, name: str, dtype: Any, shape: Sequence[Dimension]) -> None:
        """Adds an input. A size is a number, a name of one that is open, or None.

        >>> model.input("image", np.float32, ["batch", 3, 224, 224])
        """
        self._add("dmlAddModelInput", name, dtype, shape)

    def output(self, name: str, dtype: Any = None,
               shape: Optional[Sequence[Dimension]] = None) -> None:
        """Adds an output, whose type and shape may be left open.

        >>> model.output("scores")
        """
        self._add("dmlAddModelOutput", name, dtype, shape)

    def value(self, name: str, dtype: Any = None,
              shape: Optional[Sequence[Dimension]] = None) -> None:
        """Says what the type and the shape of a tensor between nodes are, which a run checks.

        >>> model.value("features", np.float32, ["batch", 512])
        """
        self._add("dmlAddModelValue", name, dtype, shape)

    def weight(self, name: str, array: Any, *, dtype: Optional[str] = None,
               identifier: Optional[str] = None) -> None:
        """Adds a tensor that is known. The array is not copied, but where it has gaps, and
        must not change. Of bytes, the dtype "uint4" or "int4" makes elements of 4 bits.

        >>> model.weight("w", np.zeros((4, 4), np.float32))
        """
        weight = self._describe_array(f"weight '{name}'", array, dtype)
        weight.name = _library.encode("name of a weight", name)
        self._add_weight(weight, identifier)

    def read_weight(self, name: str, dtype: Any, shape: Sequence[int], read: Read, *,
                    identifier: Optional[str] = None) -> None:
        """Adds a tensor whose bytes a function writes: ``read(offset, destination)`` fills a
        writable memoryview, of at most 1 MiB, with the bytes from `offset` on. It is called
        on any thread; what it raises fails the run with ``dml.InputOutput``.

        >>> def read(offset, destination):
        ...     file.seek(offset)
        ...     file.readinto(destination)
        >>> model.read_weight("w", np.float16, (4096, 4096), read)
        """
        weight = self._describe(f"weight '{name}'", dtype, shape)
        weight.name = _library.encode("name of a weight", name)
        weight.read = self._make_callback(read)
        self._add_weight(weight, identifier)

    def file_weight(self, name: str, dtype: Any, shape: Sequence[int],
                    path: "Union[str, os.PathLike[str]]", offset: int = 0, *,
                    identifier: Optional[str] = None) -> None:
        """Adds a tensor whose bytes stand in a file, from `offset` on.

        >>> model.file_weight("w", np.float16, (4096, 4096), "weights.bin", 1 << 20)
        """
        weight = self._describe(f"weight '{name}'", dtype, shape)
        weight.name = _library.encode("name of a weight", name)
        weight.path = _library.encode_path("path of a weight", path)
        weight.offset = _library.to_int(f"offset of weight '{name}'", offset, 0)
        self._add_weight(weight, identifier)

    def node(self, operator: str, inputs: Sequence[str], outputs: Sequence[str], *,
             name: str = "", domain: str = "", **attributes: Any) -> None:
        """Adds a node. "" is an input or output that is absent. An attribute is a number, a
        string, a list of these, an array for a tensor, or a ``dml.Model`` for a graph.

        >>> model.node("Conv", ["x", "w", "b"], ["y"], pads=[1, 1, 1, 1])
        """
        keep: List[Any] = []
        node = DmlModelNode()
        node.domain = _library.encode("domain", domain)
        node.type = _library.encode("operator", operator)
        node.name = _library.encode("name of a node", name)
        node.inputs, node.inputCount = _to_strings("input", inputs)
        node.outputs, node.outputCount = _to_strings("output", outputs)
        node.attributes = (DmlModelAttribute * len(attributes))(
            *(self._convert(f"attribute '{key}'", key, value, keep)
              for key, value in attributes.items()))
        node.attributeCount = len(attributes)
        _library.call(_library.get().dmlAddModelNode, self._handle.value, byref(node))

    def __repr__(self) -> str:
        return "<dml.Model>"

    # Conversions.

    def _add(self, function: str, name: str, dtype: Any,
             shape: Optional[Sequence[Dimension]]) -> None:
        tensor = DmlModelTensor()
        tensor.name = _library.encode("name of a tensor", name)
        if dtype is not None:
            tensor.elementType = _ELEMENTS[_get_type_name(f"'{name}'", dtype)]
        tensor.rank = _library.UNKNOWN_RANK
        if shape is not None:
            shape = _library.to_list(f"the shape of '{name}'", shape, "sizes")
            tensor.rank = len(shape)
            tensor.sizes = (c_int64 * len(shape))(
                *(-1 if size is None or isinstance(size, str)
                  else _library.to_int(f"a size of '{name}'", size) for size in shape))
            tensor.dimensionNames = (c_char_p * len(shape))(
                *(_library.encode("name of a size", size) if isinstance(size, str) else None
                  for size in shape))
        _library.call(getattr(_library.get(), function), self._handle.value, byref(tensor))

    def _add_weight(self, weight: DmlModelWeight, identifier: Optional[str]) -> None:
        if identifier is not None:
            weight.identifier = _library.encode("identifier", identifier)
        _library.call(_library.get().dmlAddModelWeight, self._handle.value, byref(weight))

    def _describe(self, kind: str, dtype: Any, shape: Sequence[int]) -> DmlModelWeight:
        """A weight without its elements."""
        weight = DmlModelWeight()
        type_name = _get_type_name(kind, dtype)
        weight.elementType = _ELEMENTS[type_name]
        sizes = _library.to_sizes(kind, shape)
        weight.rank = len(sizes)
        weight.sizes = (c_int64 * len(sizes))(*sizes)
        weight.byteSize = _types.count_bytes(_types.find(type_name), sizes)
        return weight

    def _describe_array(self, kind: str, array: Any, dtype: Optional[str]) -> DmlModelWeight:
        np = _types.import_numpy()
        array = _types.to_array(kind, array)
        shape = array.shape
        weight = self._describe(kind, dtype if dtype is not None else array.dtype, shape)
        if dtype in ("uint4", "int4"):
            array = _types.pack4(kind, array, _types.find(dtype))
        elif dtype is not None and np.dtype(_get_type_name(kind, dtype)) != array.dtype:
            raise InvalidArgument(f"{kind} is an array of {array.dtype}, but wanted is {dtype}")
        array = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
        weight.data = array.ctypes.data
        self._keep.append(array)
        return weight

    def _make_callback(self, read: Read) -> Any:
        if not callable(read):
            raise InvalidArgument(f"what reads a weight is of the type {type(read).__name__}, but "
                                  "wanted is a function")
        messages = threading.local()

        def call(_data: int, offset: int, size: int, destination: int) -> Optional[int]:
            try:
                piece = (ctypes.c_uint8 * size).from_address(destination)
                read(offset, memoryview(piece).cast("B"))
                return None
            except BaseException as error:
                text = f"{type(error).__name__}: {error}".encode(errors="replace")
                messages.text = ctypes.create_string_buffer(text.replace(b"\0", b"?"))
                return ctypes.addressof(messages.text)

        callback = ReadWeightCallback(call)
        self._keep.append(callback)
        return callback

    def _convert(self, kind: str, name: str, value: Any, keep: List[Any]) -> DmlModelAttribute:
        """An attribute for C. What it refers to lives as long as its fields or `keep`."""
        attribute = DmlModelAttribute()
        attribute.name = _library.encode("name of an attribute", name)
        if isinstance(value, Model):
            attribute.type = 5
            attribute.graph = value._handle.value
            self._keep.append(value._keep)
        elif isinstance(value, str):
            attribute.type, attribute.s = 3, _library.encode(kind, value)
        elif isinstance(value, Integral):
            attribute.type, attribute.i = 2, _library.to_int(kind, value)
        elif isinstance(value, Real):
            attribute.type, attribute.f = 1, _to_float(kind, value)
        elif isinstance(value, (list, tuple)):
            _set_list(attribute, kind, value)
        elif hasattr(value, "__array__"):
            tensor = self._describe_array(kind, value, None)
            keep.append(tensor)
            attribute.type, attribute.tensor = 4, ctypes.pointer(tensor)
        else:
            raise InvalidArgument(f"{kind} is of the type {type(value).__name__}, but wanted is a "
                                  "number, a string, a list of these, an array or a dml.Model")
        return attribute


def _set_list(attribute: DmlModelAttribute, kind: str, values: Sequence[Any]) -> None:
    attribute.count = len(values)
    if values and all(isinstance(value, str) for value in values):
        attribute.type = 8
        attribute.strings, attribute.count = _to_strings(kind, values)
    elif any(not isinstance(value, Integral) for value in values) and all(
            isinstance(value, Real) for value in values):
        attribute.type = 6
        attribute.floats = (c_float * len(values))(*(_to_float(kind, value) for value in values))
    else:
        attribute.type = 7
        attribute.ints = (c_int64 * len(values))(
            *(_library.to_int(kind, value) for value in values))


def _to_float(kind: str, value: Real) -> float:
    """A number that float32, the type of attributes, has."""
    number = float(value)
    if math.isfinite(number) and not math.isfinite(c_float(number).value):
        raise InvalidArgument(f"{kind} is {number}, which float32 does not have")
    return number


def _to_strings(kind: str, texts: Sequence[str]) -> Any:
    texts = _library.to_list(f"the {kind}s", texts, "strings")
    return (c_char_p * len(texts))(*(_library.encode(kind, text) for text in texts)), len(texts)


def _get_type_name(kind: str, dtype: Any) -> str:
    """The name of a type of NumPy's, or of one that NumPy lacks."""
    name = dtype
    if not isinstance(dtype, str) or dtype not in _ELEMENTS:
        np = _types.import_numpy()
        try:
            name = np.dtype(dtype).name
        except TypeError:
            pass
    if not isinstance(name, str) or name not in _ELEMENTS:
        raise InvalidArgument(f"the elements of {kind} are of the type {name}, but wanted is one "
                              f"of {', '.join(_ELEMENTS)}")
    return str(name)
