#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the tokens of dml-decoder, in place and with copies, with those that NumPy reckons
without a cache.

    test_decoder.py DML-DECODER FOLDER
"""
import subprocess
import sys
from pathlib import Path

import make_decoder

CAPACITY, TOKEN, COUNT = 64, 5, 50


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / "decoder.onnx"
    model.write_bytes(make_decoder.make_decoder(CAPACITY))
    wanted = make_decoder.generate(make_decoder.make_weights(CAPACITY), TOKEN, COUNT)
    assert len(set(wanted)) > 5, f"the tokens hardly differ: {wanted}"
    for options in ([], ["--copies"]):
        run = subprocess.run([program, model, str(TOKEN), str(COUNT), *options], check=True,
                             stdout=subprocess.PIPE, text=True)
        found = [int(token) for token in run.stdout.split()]
        assert found == wanted, f"{options}: the tokens are {found}, but wanted are {wanted}"
    most = "wanted is 1 to 64"
    for token, count, message in (("5", "65", most), ("5", "0", most), ("5", "-1", most),
                                  ("5", "1x", most), ("x", "1", "wanted is 0 to 95"),
                                  ("500", "1", "wanted is 0 to 95"),
                                  ("-1", "1", "wanted is 0 to 95")):
        run = subprocess.run([program, model, token, count], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
        assert (run.returncode, run.stdout) == (2, "") and message in run.stderr, run
    for capacity in ("0", "-1", "x", "65537"):
        run = subprocess.run([sys.executable, make_decoder.__file__, folder / "none", capacity],
                             stderr=subprocess.PIPE, text=True)
        assert run.returncode == 1 and "wanted is 1 to 65536" in run.stderr, run
        assert not (folder / "none").exists()
    print(f"{COUNT} tokens are those that NumPy reckons: {wanted}")


if __name__ == "__main__":
    main()
