"""The loader and the readers, guided by coverage: libFuzzer, through atheris, keeps input that reaches new lines.

`python -m fuzz.guided files -max_total_time=180`; options are those of libFuzzer. Damage is done by `mutations`, so
that most input gets past the first checks.
"""

from __future__ import annotations

import ctypes
import sys
import warnings
from pathlib import Path
from random import Random
from typing import Any

import atheris
from safetensors import SafetensorError

with atheris.instrument_imports(include=["hedgerow", "json", "csv"], enable_loader_override=False):
    from fuzz import files, readers
    from fuzz.judge import REFUSED, Judge
    from fuzz.mutations import change_bytes
    from hedgerow.files import Saveable
    from models import CASES


def load(content: bytes) -> None:
    """Load a file, and ask the model, if there is one."""
    judge = Judge()
    model = judge.call("load", lambda: Saveable._from_bytes(content), (ValueError,))
    if model is not REFUSED:
        files.ask(judge, model, CASES[0], Random(len(content)))
    _complain(judge)


def read(content: bytes) -> None:
    """Read a table in all formats; the first byte says in which, and how."""
    judge = Judge()
    with files.folder() as place:
        path = place / f"table{readers.ENDINGS[content[0] % len(readers.ENDINGS)] if content else '.csv'}"
        path.write_bytes(content[1:])
        readers.read(Random(content[0] if content else 0), judge, path)
    _complain(judge)


def change_file(content: bytes, most: int, seed: int) -> bytes:
    """Return a file with damage to its parts, if it has parts, or to its bytes."""
    rng = Random(seed)
    try:
        return files.damaged(rng, content, files.whole(rng.choice(CASES).name, False))[:most]
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, IndexError):  # it is no file any more
        return change_bytes(rng, content)[:most]


def change_table(content: bytes, most: int, seed: int) -> bytes:
    """Return a table with damage to its bytes, or another one."""
    rng = Random(seed)
    if rng.random() < 0.1:
        with files.folder() as place:
            path = readers.damaged_table(rng, place)
            ending = readers.ENDINGS.index("".join(path.suffixes))
            return (bytes([ending + len(readers.ENDINGS) * rng.randrange(40)]) + path.read_bytes())[:most]
    return (content[:1] + change_bytes(rng, content[1:]))[:most]


TARGETS: dict[str, Any] = {"files": (load, change_file), "readers": (read, change_table)}


def main() -> None:
    """Hand over to libFuzzer, with whole files to begin with."""
    warnings.simplefilter("ignore")
    if not hasattr(ctypes.CDLL(None), "LLVMFuzzerRunDriver"):
        sys.exit("libFuzzer is not loaded first, so the sanitizer would hide coverage from it: use make fuzz-guided")
    name, *options = sys.argv[1:]
    target, mutator = TARGETS[name]
    with files.folder() as corpus:
        _write_first(name, corpus)
        arguments = [sys.argv[0], "-rss_limit_mb=4096", "-timeout=60", *options, str(corpus)]
        atheris.Setup(arguments, target, custom_mutator=mutator)
        atheris.Fuzz()


def _write_first(name: str, corpus: Path) -> None:
    for number, case in enumerate(CASES):
        content = files.whole(case.name, number % 3 == 0) if name == "files" else change_table(b"", 2**20, number)
        (corpus / str(number)).write_bytes(content)


def _complain(judge: Judge) -> None:
    if judge.faults:
        raise AssertionError("\n".join(f"{fault}: {words}" for fault, words in judge.faults))


if __name__ == "__main__":
    main()
