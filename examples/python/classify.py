# SPDX-License-Identifier: Apache-2.0
"""Says what a picture shows: classify.py MODEL NAMES PICTURE, a PGM or PPM file"""
import re
import sys

import dml
import numpy as np

model, names, picture = sys.argv[1:]
data = open(picture, "rb").read()
header = re.match(rb"P[56]\s+(\d+)\s+(\d+)\s+(\d+)\s", data)
width, height, most = map(int, header.groups())
pixels = np.frombuffer(data, np.uint8, offset=header.end()).reshape(height, width, -1)
image = pixels.transpose(2, 0, 1)[None] / np.float32(most)
session = dml.Session(model)
(scores,) = session.run(None, {session.inputs[0].name: image})
for place in scores[0].argsort()[::-1][:5]:
    print(f"{scores[0][place]:.4f} {open(names).read().splitlines()[place]}")
