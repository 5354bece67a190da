"""Several processes at one file: two that save while another reads, and two runs on one checkpoint."""

from __future__ import annotations

import os
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hedgerow
from faults.scenarios import Checkpoints, model


def savers(n_saves: str) -> Iterator[dict[str, Any]]:
    """Two processes save so often to one name; meanwhile it is read, and every read must be one of the two models."""
    contents = {model(seed)._to_bytes(): seed for seed in (1, 2)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model(1).save(path)
        own = {seed: model(seed) for seed in (1, 2)}
        children = [child(lambda seed=seed: [own[seed].save(path) for _ in range(int(n_saves))]) for seed in own]
        seen = {1: 0, 2: 0, "torn": 0}
        codes: list[int] = []
        while len(codes) < len(children):
            codes += [status for pid in children if (status := ended(pid)) is not None]
            seen[contents.get(hedgerow.load(path)._to_bytes(), "torn")] += 1
        yield {"codes": codes, "seen": seen, "names": os.listdir(folder)}


def runs(n_rounds: str) -> Iterator[dict[str, Any]]:
    """Two processes try the same run on one checkpoint until they are let; both must end as if alone."""
    scenario = Checkpoints("begun")
    for _ in range(int(n_rounds)):
        with tempfile.TemporaryDirectory() as folder:
            refusals = os.memfd_create("refusals")

            def insist(folder: Path = Path(folder), refusals: int = refusals) -> None:
                while True:
                    try:
                        problems = scenario.finish(folder, alone=False)
                    except BlockingIOError:
                        os.write(refusals, b".")
                    else:
                        assert problems == [], problems
                        return

            children = [child(insist) for _ in range(2)]
            codes = [os.waitpid(pid, 0)[1] for pid in children]
            yield {"codes": codes, "refusals": os.fstat(refusals).st_size, "names": sorted(os.listdir(folder))}
            os.close(refusals)


def child(act: Callable[[], Any]) -> int:
    """Return the number of a new process that does this and ends with 0, or with 1 if it raises."""
    number = os.fork()
    if number == 0:
        try:
            act()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return number


def ended(number: int) -> int | None:
    """Return how a process has ended; None if it goes on, or was asked before."""
    try:
        found, status = os.waitpid(number, os.WNOHANG)
    except ChildProcessError:
        return None
    return status if found else None
