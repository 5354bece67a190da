"""What looks into the files of a release finds what it is there to find."""

import importlib.util
from pathlib import Path

import pytest

spec = importlib.util.spec_from_file_location(
    "check_instructions", Path(__file__).parents[2] / "tools" / "check_instructions.py"
)
check_instructions = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_instructions)


def test_clones_are_those_that_the_core_asks_for():
    assert {".avx2", ".avx512f"} <= set(check_instructions.clones())
    assert not any("default" in clone for clone in check_instructions.clones())


@pytest.mark.parametrize(
    ("instruction", "found"),
    [
        ("vaddsd %xmm0,%xmm1,%xmm2", "vaddsd"),
        ("lock andn %rax,%rbx,%rcx", "andn"),
        ("addsd %xmm0,%xmm1", None),
        ("verw (%rax)", None),
        ("tzcnt %rax,%rbx", None),
    ],
)
def test_instructions_that_old_processors_lack(instruction, found):
    listing = ["", "0000000000000000 <_Z3sumv>:", "   0:\tret", f"   4:\t{instruction}"]
    assert list(check_instructions.too_new(listing)) == ([("_Z3sumv", found)] if found else [])
