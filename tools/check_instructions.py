"""Hold compiled files against the processors that we promise: AVX only where it is chosen at load time.

Everything is compiled for x86-64-v2. Functions that GCC clones for AVX2 have ".avx2" in their names, and the loader
picks them by what the processor can do. Reads what `objdump` prints.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
INSTRUCTION = re.compile(r"^\s+[0-9a-f]+:\t(?:(?:rep|repz|repnz|lock|bnd|notrack|data16|cs|ds) )*(\S+)")
# Names that begin with v are AVX and later, but for these; then what else came with x86-64-v3. `tzcnt` is not listed:
# an older processor takes it for `bsf`, which compilers use on purpose.
NOT_VECTORS = {"verr", "verw"}
OTHERS = re.compile("andn|bextr|blsi|blsmsk|blsr|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx|lzcnt|movbe")
CLONE = ".avx2"


def too_new(path: Path) -> Iterator[tuple[str, str]]:
    """Yield function and instruction wherever a function uses what x86-64-v2 does not have."""
    listing = subprocess.run(
        ["objdump", "--disassemble", "--no-show-raw-insn", "--demangle=none", str(path)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    function = ""
    for line in listing.stdout.splitlines():
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
    wrong, clones = [], set()
    for path in objects:
        for function, name in too_new(path):
            if CLONE in function:
                clones.add(function)
            else:
                wrong.append(f"{path.relative_to(folder)}: {name} in {function}")
    if wrong or not clones:
        sys.exit("\n".join(wrong[:20]) or "no function has been cloned for AVX2: is the pattern stale?")
    print(f"x86-64-v2: {len(objects)} compiled files, AVX in {len(clones)} clones and nowhere else")
