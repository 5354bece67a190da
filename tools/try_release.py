"""Install a file of a release into an empty environment, as a user would, and try it there: README, demo, tests.

The tests are those of the source archive beside it, unpacked into an empty folder: nothing of a clone is used.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

EXAMPLE = re.compile(r"```python\n(.*?)```\s+prints\s+```text\n(.*?)```", flags=re.DOTALL)
MOST_SECONDS_TO_IMPORT = 0.5
MOST_SECONDS_TO_INSTALL = 10.0
"""A wheel, without what it needs."""
ABOUT_THIS_PROCESSOR = ("OPENBLAS_CORETYPE", "NPY_ENABLE_CPU_FEATURES")
"""What says that libraries should not look what the processor can do."""
# One instruction of AVX (vzeroupper) and a return, as bytes that are called.
AVX = """
import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex("c5f877c3"))
ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
"""


class Environment:
    """A virtual environment of one interpreter, and a folder to work in."""

    def __init__(self, folder: Path, python: str) -> None:
        self.folder, self.bin = folder, folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
        subprocess.run([python, "-m", "venv", str(folder / "venv")], check=True)
        self.pip("--upgrade", "pip>=25.1")

    def call(
        self, *command: str, cwd: Path | None = None, under: Sequence[str] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, under an emulator if one is given."""
        program, *arguments = command
        return subprocess.run(
            [*under, str(self.bin / program), *arguments],
            cwd=cwd or self.folder,
            env={name: value for name, value in os.environ.items() if not under or name not in ABOUT_THIS_PROCESSOR},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def run(self, *command: str, cwd: Path | None = None, under: Sequence[str] = ()) -> str:
        """Run a program; what it prints, or an end to everything if it fails."""
        done = self.call(*command, cwd=cwd, under=under)
        if done.returncode:
            sys.exit(f"{done.stdout}\n{' '.join(command)} failed with {done.returncode}")
        return done.stdout

    def pip(self, *arguments: str) -> None:
        """Install."""
        self.run("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments)


def say(what: str, since: float) -> None:
    """Print how long something took."""
    print(f"  {what:<40}{time.perf_counter() - since:7.1f} s", flush=True)


def unpack(archive: Path, folder: Path) -> Path:
    """Return the folder of the sources."""
    with tarfile.open(archive) as sources:
        sources.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if (path / "pyproject.toml").exists())


def install(there: Environment, release: Path) -> None:
    """Install what a release needs, then itself, timed apart."""
    began = time.perf_counter()
    if release.suffix == ".whl":
        there.pip("--only-binary=:all:", str(release))
        say("installed with what it needs", began)
        there.run("python", "-m", "pip", "uninstall", "--quiet", "--yes", "hedgerow")
        began = time.perf_counter()
        there.pip("--no-deps", str(release))
        say("installed once more, alone", began)
        if (seconds := time.perf_counter() - began) > MOST_SECONDS_TO_INSTALL:
            sys.exit(f"the wheel took {seconds:.0f} s to install, more than {MOST_SECONDS_TO_INSTALL:.0f}")
    else:
        there.pip(str(release))
        say("built and installed", began)


def try_import(there: Environment) -> None:
    """Time the import, best of three."""
    code = "import time; began = time.perf_counter(); import hedgerow; print(time.perf_counter() - began)"
    seconds = min(float(there.run("python", "-c", code)) for _ in range(3))
    if seconds > MOST_SECONDS_TO_IMPORT:
        sys.exit(f"import hedgerow takes {seconds:.2f} s, more than {MOST_SECONDS_TO_IMPORT}")
    print(f"  {'import hedgerow':<40}{seconds:7.2f} s", flush=True)


def try_readme(there: Environment, sources: Path, under: Sequence[str] = ()) -> None:
    """Run the examples of the README and compare what they print."""
    began = time.perf_counter()
    examples = EXAMPLE.findall((sources / "README.md").read_text(encoding="utf-8")) or sys.exit("README: no example")
    for code, printed in examples:
        found = there.run("python", "-c", code, under=under)
        if found != printed:
            sys.exit(f"the README's example printed\n{found}\ninstead of\n{printed}")
    say("the README's example", began)


def try_processor(there: Environment, sources: Path, processor: str) -> None:
    """Run the examples of the README on an emulated processor without AVX."""
    under = ("qemu-x86_64", "-cpu", processor)
    if shutil.which(under[0]) is None:
        sys.exit("qemu-x86_64 is needed to emulate a processor: it is part of Debian's package qemu-user")
    if there.call("python", "-c", AVX).returncode:
        sys.exit("this machine has no AVX: there is nothing to emulate")
    there.run("python", "-c", "", under=under)
    if not there.call("python", "-c", AVX, under=under).returncode:
        sys.exit(f"{processor} has AVX: name an older processor")
    print(f"on an emulated {processor}, which refuses AVX", flush=True)
    try_readme(there, sources, under)


def try_demo(there: Environment, release: Path) -> None:
    """Run the demonstration."""
    there.pip(f"hedgerow[demo] @ {release.as_uri()}")
    began = time.perf_counter()
    there.run("hedgerow", "demo")
    say("hedgerow demo", began)


def try_tests(there: Environment, sources: Path, tests: list[str], workers: int) -> None:
    """Run tests of the unpacked sources against what is installed."""
    there.pip("--group", f"{sources / 'pyproject.toml'}:test")
    began = time.perf_counter()
    printed = there.run(
        "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", str(workers), *tests, cwd=sources
    )
    say(f"tests: {printed.strip().splitlines()[-1].split(' in ')[0].strip('= ')}", began)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("release", type=lambda name: Path(name).resolve(), help="a wheel or a source archive")
    parser.add_argument("--sources", type=Path, required=True, help="the source archive, for README and tests")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--no-demo", action="store_true")
    parser.add_argument("--processor", help="nothing but README's example on this processor, emulated: Nehalem")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("tests", nargs="*", help="tests to run; none unless named")
    asked = parser.parse_intermixed_args()  # Python 3.11 finds no tests behind options otherwise
    version = subprocess.run([asked.python, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    print(f"{asked.release.name} in an empty {version}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        sources = unpack(asked.sources, Path(folder))
        there = Environment(Path(folder), asked.python)
        install(there, asked.release)
        if asked.processor:
            sys.exit(try_processor(there, sources, asked.processor))
        try_import(there)
        try_readme(there, sources)
        if not asked.no_demo:
            try_demo(there, asked.release)
        if asked.tests:
            try_tests(there, sources, asked.tests, asked.workers)
