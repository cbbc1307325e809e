# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX models with nothing but NumPy: the few messages of onnx.proto that a model
needs, in the encoding of Protocol Buffers."""
import struct

import numpy as np

TYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7,
         "bool": 9, "float16": 10, "float64": 11, "uint32": 12, "uint64": 13}


def encode_number(value):
    """A number of any size, 7 bits to a byte: 300 is the bytes 0xac 0x02."""
    value &= 2**64 - 1
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    return bytes(encoded) + bytes([value])


def field(number, value):
    """A field of a message: an integer, a float, a text, or the bytes of a message."""
    if isinstance(value, float):
        return encode_number(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return encode_number(number << 3) + encode_number(value)
    if isinstance(value, str):
        value = value.encode()
    return encode_number(number << 3 | 2) + encode_number(len(value)) + value


def make_tensor(name, array):
    array = np.asarray(array)
    return b"".join([*(field(1, size) for size in array.shape),
                     field(2, TYPES[array.dtype.name]), field(8, name),
                     field(9, array.tobytes())])


def make_external_tensor(name, dtype, shape, file, offset, length):
    """A weight whose bytes are `length` bytes of a file in the model's folder."""
    place = {"location": file, "offset": str(offset), "length": str(length)}
    return b"".join([*(field(1, size) for size in shape), field(2, TYPES[dtype]), field(8, name),
                     *(field(13, field(1, key) + field(2, value))
                       for key, value in place.items()),
                     field(14, 1)])


def make_value(name, dtype, shape):
    """An input or an output. A size is a number or the name of an open one."""
    sizes = b"".join(field(1, field(2 if isinstance(size, str) else 1, size))
                     for size in shape)
    return field(1, name) + field(2, field(1, field(1, TYPES[dtype]) + field(2, sizes)))


def make_attribute(name, value):
    if isinstance(value, list):
        return field(1, name) + b"".join(field(8, each) for each in value) + field(20, 7)
    if isinstance(value, np.ndarray):
        return field(1, name) + field(5, make_tensor("", value)) + field(20, 4)
    number, kind = {float: (2, 1), int: (3, 2), str: (4, 3)}[type(value)]
    return field(1, name) + field(number, value) + field(20, kind)


def make_node(operator, inputs, outputs, domain="", name="", **attributes):
    return b"".join([*(field(1, each) for each in inputs), *(field(2, each) for each in outputs),
                     field(3, name), field(4, operator),
                     *(field(5, make_attribute(*each)) for each in attributes.items()),
                     field(7, domain)])


def make_model(nodes, inputs, outputs, weights={}, opset=13, domains={}, tensors=()):
    """The bytes of a model. `inputs` and `outputs` are lists of (name, type, shape), `domains`
    has the versions of other operator sets, and `tensors` are weights that are encoded already."""
    graph = b"".join([*(field(1, node) for node in nodes), field(2, "graph"),
                      *(field(5, make_tensor(*each)) for each in weights.items()),
                      *(field(5, each) for each in tensors),
                      *(field(11, make_value(*each)) for each in inputs),
                      *(field(12, make_value(*each)) for each in outputs)])
    return field(1, 8) + field(7, graph) + b"".join(
        field(8, field(1, domain) + field(2, version))
        for domain, version in {"": opset, **domains}.items())
