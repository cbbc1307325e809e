"""Writes files that no tool reads, or that are cut off, into a folder: foreign_files.py FOLDER

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
text = (folder / "commented.mlir").read_text()
(folder / "marked.mlir").write_text(text, encoding="utf-8-sig")
(folder / "wide.mlir").write_text(text, encoding="utf-16")
(folder / "letter.mlir").write_text("été")
(folder / "marked.json").write_text('{"resources": {}}', encoding="utf-8-sig")
subprocess.run(["dml-compile", folder / "commented.mlir", "-o", folder / "whole.dmlx"], check=True)
(folder / "cut.dmlx").write_bytes((folder / "whole.dmlx").read_bytes()[:200])
