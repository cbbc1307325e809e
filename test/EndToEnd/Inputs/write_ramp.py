"""Writes a .npy file of f32 whose last element is the largest.

    write_ramp.py FILE SIZE...

SPDX-License-Identifier: Apache-2.0
"""
import array
import math
import struct
import sys

path, *sizes = sys.argv[1:]
shape = tuple(int(size) for size in sizes)
header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}"
header += " " * (-(len(header) + 11) % 64) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    array.array("f", range(math.prod(shape))).tofile(file)
