#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the Debian packages of a build, installs them in an empty root, and runs
what is in them there.

    test/packages/check_packages.py BUILD FOLDER

The root has what the packages depend on, taken from the packages of this system,
and nothing else: a dependency that is missing is a program that does not start.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
C_PROJECT = EXAMPLES.parent / "runtime/unittests/c-project"
SYSTEM_PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
NAMES = ["dml-compiler-dev", "dml-dev", "dml-runtime", "dml-tools", "python3-dml"]
RUNTIME_TOOLS = ["dml-bench", "dml-inspect", "dml-run"]


def run(*command, **options):
    """What `command` prints; ends the test where it fails."""
    result = subprocess.run([str(word) for word in command], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            **options)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nfailed "
                 f"({result.returncode}):\n{result.stdout}")
    return result.stdout


def expect(condition, message):
    if not condition:
        sys.exit(message)


def field(package, name):
    return run("dpkg-deb", "--field", package, name).strip()


def parse_dependencies(text):
    """The names in a Depends field: a list of alternatives for each."""
    return [[re.match(r"[\w.+-]+", choice.strip())[0]
             for choice in clause.split("|")]
            for clause in text.split(",") if clause.strip()]


def read_installed():
    """The packages of this system: name -> (dependencies, files)."""
    format = "${Package}\t${Provides}\t${Pre-Depends}, ${Depends}\n"
    installed = {}
    for line in run("dpkg-query", "-W", "-f", format).splitlines():
        name, provides, depends = line.split("\t")
        for alias in [name] + [p[0] for p in parse_dependencies(provides)]:
            installed.setdefault(alias, (name, parse_dependencies(depends)))
    return installed


def find_closure(clauses, installed):
    """All packages of this system that `clauses` need."""
    found, todo = set(), list(clauses)
    while todo:
        choices = todo.pop()
        choice = next((c for c in choices if c in installed), None)
        expect(choice, f"no package of this system is {' or '.join(choices)}")
        name, depends = installed[choice]
        if name not in found:
            found.add(name)
            todo += depends
    return found


def copy_file(source, target):
    if source.is_symlink():
        if not target.is_symlink():
            target.symlink_to(os.readlink(source))
    elif source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
    elif source.is_file() and not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def fill_root(root, packages):
    """Puts the files of this system's `packages` into `root`."""
    for folder in ("bin", "lib", "lib64", "sbin"):
        (root / "usr" / folder).mkdir(parents=True)
        (root / folder).symlink_to(f"usr/{folder}")
    listing = run("dpkg-query", "-L", *sorted(packages))
    for line in sorted(set(listing.splitlines())):
        if (line.startswith("/") and line != "/." and
                not line.startswith(("/usr/share/doc", "/usr/share/man",
                                     "/usr/share/locale"))):
            target = root / line[1:]
            if not (target.is_symlink() and target.is_dir()):
                copy_file(Path(line), target)


def check_control(packages, version):
    expect(sorted(packages) == NAMES, f"packages: {sorted(packages)}")
    for name, package in packages.items():
        expect(field(package, "Version") == version,
               f"{name} has the version {field(package, 'Version')}, not "
               f"{version}")
        expect(field(package, "Maintainer").startswith("dml maintainers <"),
               f"{name} is maintained by {field(package, 'Maintainer')}")
        expect("Vulkan: " in field(package, "Description"),
               f"{name} has no description")
    for name, library in (("dml-runtime", "libc6"), ("dml-tools", "libmlir-")):
        expect(library in field(packages[name], "Depends"),
               f"{name} depends on {field(packages[name], 'Depends')}, where "
               f"{library} is missing")


def install(root, packages):
    """Unpacks the packages with dpkg, which refuses two with the same file."""
    state = root / "var/lib/dpkg"
    for folder in ("info", "updates", "triggers"):
        (state / folder).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    run("dpkg", f"--root={root}", "--force-not-root", "--force-bad-path",
        "--force-depends", "--no-triggers", "--unpack", *packages,
        env={**os.environ, "PATH": SYSTEM_PATH})


def check_in_root(root, version, programs):
    """Runs each program in the root."""
    prefix = ([] if os.geteuid() == 0 else
              [shutil.which("unshare"), "--map-root-user"])

    def inside(*command):
        return run(*prefix, shutil.which("chroot", path=SYSTEM_PATH), root,
                   *command, env={"PATH": "/usr/bin"})

    for program in programs:
        printed = inside(f"/usr/bin/{program}", "--version")
        expect(f"{program} {version}" in printed, f"{program}: {printed}")
        expect((root / f"usr/share/man/man1/{program}.1").is_file(),
               f"{program} has no man page")
    for name in NAMES:
        for file in ("copyright", "LICENSE", "NOTICE"):
            expect((root / f"usr/share/doc/{name}/{file}").is_file(),
                   f"{name} has no file {file}")

    signature = r"main\(%input: 1x1x4x4xf32\) -> \(%output: 1x1x8x10xf32\)"
    sample = "/usr/share/doc/dml-runtime/examples/padding.dmlx"
    expect(re.search(signature,
                     inside("/usr/bin/dml-run", sample, "--print-signature")),
           "the sample has another signature")
    shutil.copy(EXAMPLES / "padding.mlir", root / "padding.mlir")
    inside("/usr/bin/dml-compile", "/padding.mlir", "-o", "/padding.dmlx")
    expect(re.search(signature, inside("/usr/bin/dml-run", "/padding.dmlx",
                                       "--print-signature")),
           "padding.mlir has another signature")
    # The package for Python finds the library of dml-tools.
    printed = inside("/usr/bin/python3", "-B", "-m", "dml", "--version")
    expect(re.fullmatch(rf"dml {re.escape(version)} \((.*/)?libdml\.so\..*\)\n", printed),
           f"python3 -m dml: {printed}")
    printed = inside("/usr/bin/python3", "-B", "-c", "import dml; print(repr(dml.explain("
                     "'/padding.mlir', level='1_0')), len(dml.compile('/padding.mlir')) > 0)")
    expect(re.match(r"<dml.Verdict: needs \d_\d, (runs|does not run) at 1_0; ", printed) and
           printed.endswith(" True\n"), f"dml.explain: {printed}")


def check_development(root, folder):
    """Builds projects in C against the packages' files."""
    sources = {C_PROJECT: ["print-functions", root / "padding.dmlx"],
               root / "usr/share/doc/dml-dev/examples/embed":
                   ["dml-embed-cpp", root / "padding.dmlx"],
               EXAMPLES / "embed-compiler-c":
                   ["dml-embed-compiler-c", EXAMPLES / "padding.mlir",
                    folder / "padding.dmlx"]}
    for source, (program, *arguments) in sources.items():
        build = folder / source.name
        run("cmake", "-G", "Ninja", "-S", source, "-B", build,
            f"-DCMAKE_PREFIX_PATH={root / 'usr'}")
        run("cmake", "--build", build)
        run(build / program, *arguments)


def main():
    build, folder = (Path(argument).resolve() for argument in sys.argv[1:])
    shutil.rmtree(folder, ignore_errors=True)
    root = folder / "root"
    root.mkdir(parents=True)
    run("cpack", "-G", "DEB", "-B", folder / "packages", cwd=build)
    packages = {path.name.split("_")[0]: path
                for path in (folder / "packages").glob("*.deb")}
    version = re.search(r"^CMAKE_PROJECT_VERSION:\w+=(.*)$",
                        (build / "CMakeCache.txt").read_text(), re.M)[1]
    check_control(packages, version)

    # Every program of the build is in the one package or the other.
    # The reader's fuzzer and the judge are tests.
    programs = sorted(path.name for path in (build / "bin").glob("dml-*")
                      if path.name not in ("dml-fuzz-reader", "dml-judge-nodes"))
    for name, wanted in (("dml-runtime", RUNTIME_TOOLS),
                         ("dml-tools", sorted(set(programs) -
                                              set(RUNTIME_TOOLS)))):
        found = re.findall(r" \./usr/bin/(.+)$",
                           run("dpkg-deb", "--contents", packages[name]), re.M)
        expect(sorted(found) == wanted,
               f"{name} has {sorted(found)}, wanted {wanted}")

    depends = [choices for name in ("dml-runtime", "dml-tools", "python3-dml")
               for choices in parse_dependencies(
                   field(packages[name], "Depends"))
               if not choices[0].startswith("dml-")]
    closure = find_closure(depends, read_installed())
    fill_root(root, closure)
    install(root, packages.values())
    check_in_root(root, version, programs)
    check_development(root, folder)


if __name__ == "__main__":
    main()
