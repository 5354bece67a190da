"""Hold compiled files against the processors that we promise: AVX only where it is chosen at load time.

Everything is compiled for x86-64-v2. A function that GCC clones for AVX2 has ".avx2" in its name, likewise for other
targets of `target_clones`, and the loader picks one by what the processor can do. Reads what `objdump` prints.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
INSTRUCTION = re.compile(r"^\s+[0-9a-f]+:\t(?:(?:rep|repz|repnz|lock|bnd|notrack|data16|cs|ds) )*(\S+)")
# Names that begin with v are AVX and later, but for these; then what else came with x86-64-v3. `tzcnt` is not listed:
# an older processor takes it for `bsf`, which compilers use on purpose.
NOT_VECTORS = {"verr", "verw"}
OTHERS = re.compile("andn|bextr|blsi|blsmsk|blsr|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx|lzcnt|movbe")
COMPILER = Path(__file__).parent.parent / "cpp" / "include" / "hedgerow" / "numeric" / "compiler.hpp"


def clones() -> tuple[str, ...]:
    """Return what the names of cloned functions contain, as the core asks the compiler for them: ".avx2" and so on."""
    asked = re.findall(r"target_clones\(([^)]*)\)", COMPILER.read_text(encoding="utf-8"))
    return tuple(f".{target}" for targets in asked for target in re.findall(r'"(\w+)"', targets) if target != "default")


def disassembled(path: Path) -> list[str]:
    """Return the lines that `objdump` prints of a compiled file."""
    listing = subprocess.run(
        ["objdump", "--disassemble", "--no-show-raw-insn", "--demangle=none", str(path)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return listing.stdout.splitlines()


def too_new(listing: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield function and instruction wherever a function uses what x86-64-v2 does not have."""
    function = ""
    for line in listing:
        if found := FUNCTION.match(line):
            function = found[1]
        elif found := INSTRUCTION.match(line):
            name = found[1]
            if OTHERS.fullmatch(name) or (name.startswith("v") and name not in NOT_VECTORS):
                yield function, name


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    objects = sorted(folder.rglob("*.o")) or sys.exit(f"{folder}: no compiled files here")
    if shutil.which("objdump") is None:
        sys.exit("objdump is needed to see the instructions: it is part of binutils")
    wrong, cloned = set(), set()
    for path in objects:
        for function, name in too_new(disassembled(path)):
            if any(clone in function for clone in clones()):
                cloned.add(function)
            else:
                wrong.add(f"{path.relative_to(folder)}: {name} in {function}")
    if wrong or not cloned:
        sys.exit("\n".join(sorted(wrong)[:20]) or "no function has been cloned: is the pattern stale?")
    print(f"x86-64-v2: {len(objects)} compiled files, AVX in {len(cloned)} clones and nowhere else")
