"""Writes all pairs of 8-bit numbers as an array of 65536x2, for NumPy.

    write_pairs.py u1|i1 FILE.npy

SPDX-License-Identifier: Apache-2.0
"""
import sys

header = f"{{'descr': '|{sys.argv[1]}', 'fortran_order': False, 'shape': (65536, 2), }}"
header = header.ljust(117) + "\n"
with open(sys.argv[2], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    file.write(bytes(number for pair in range(65536) for number in divmod(pair, 256)))
