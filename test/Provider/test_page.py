#!/usr/bin/env python3
"""The programs of docs/OnnxRuntime.md, as far as the machine has what they need.

  test_page.py HOST PROVIDER C-COMPILER C++-COMPILER [HEADERS]

The program in C runs everywhere: where there are no HEADERS of ONNX Runtime, it is compiled
with the provider's own declarations. That in C++ needs HEADERS, and that in Python the package
onnxruntime of 1.23 or newer; what is left out is said."""
#
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import subprocess
import sys
import tempfile

import host

PAGE = host.ROOT / "docs/OnnxRuntime.md"
WANTED = r"the first of 10 scores: 0\.\d+\n"


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


def get_program(language, provider, folder):
    """The page's program, with the paths of this machine."""
    program = re.search(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.M | re.S)[1]
    for path, here in (("/usr/local/lib/libdml_onnxruntime.so", provider),
                       ("/tmp/digits/digits.onnx", f"{folder}/digits.onnx")):
        if path not in program:
            sys.exit(f"the program in {language} does not name {path}")
        program = program.replace(path, str(here))
    return program


def run_compiled(language, compiler, provider, folder, headers):
    library = pathlib.Path(host.find_onnxruntime())
    source = pathlib.Path(folder, f"program.{language}")
    source.write_text(get_program(language, provider, folder))
    program = source.with_suffix("")
    flags = ["-std=c11"] if language == "c" else ["-std=c++17", "-x", "c++"]
    run(compiler, *flags, f"-I{headers}", str(source), "-x", "none", str(library),
        f"-Wl,-rpath,{library.parent}", "-o", str(program))
    return run(str(program))


def has_python():
    """Whether the package onnxruntime loads plugins."""
    probe = "import onnxruntime; onnxruntime.register_execution_provider_library"
    return subprocess.run([sys.executable, "-c", probe], stderr=subprocess.DEVNULL).returncode == 0


def main():
    provider = pathlib.Path(sys.argv[2]).resolve()
    headers = sys.argv[5] if len(sys.argv) > 5 else ""
    outputs, left_out = {}, []
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-B", str(host.ROOT / "examples/digits/make_digits.py"), folder)
        own = pathlib.Path(folder, "onnxruntime_c_api.h")
        own.write_text(f'#include "{host.ROOT}/lib/Provider/OnnxRuntimeAbi.h"\n')
        outputs["C"] = run_compiled("c", sys.argv[3], provider, folder, headers or folder)
        if headers and pathlib.Path(headers, "onnxruntime_cxx_api.h").exists():
            outputs["C++"] = run_compiled("cpp", sys.argv[4], provider, folder, headers)
        else:
            left_out.append("C++ (no headers of ONNX Runtime)")
        if has_python():
            outputs["Python"] = run(sys.executable, "-c",
                                    get_program("python", provider, folder))
        else:
            left_out.append("Python (no package onnxruntime with plugins)")
    for language, output in outputs.items():
        if not re.fullmatch(WANTED, output):
            sys.exit(f"the program in {language} prints {output!r}")
    print(f"the programs in {', '.join(outputs)} run; left out: {', '.join(left_out) or 'none'}")


main()
