"""What is done while calls fail: `save` to a free name, a taken one, through a link; runs that write checkpoints."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import hedgerow
from hedgerow import MondrianForestRegressor
from hedgerow.stream import Run, evaluate
from hedgerow.stream._checkpoint import read_checkpoint

N_ROWS, EVERY = 2_000, 1_000


def rows(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 2))
    return X, X[:, 0] + rng.normal(scale=0.1, size=n)


def small_forest(seed: int = 0) -> MondrianForestRegressor:
    return MondrianForestRegressor(1, window=30, hyperparameters="paper", random_state=seed)


def model(seed: int) -> MondrianForestRegressor:
    """Return a model unlike those of other seeds."""
    return small_forest(seed).partial_fit(*rows(40, seed))


class Saving:
    """A model is saved where there is none, in the place of another, or through a link to another."""

    def __init__(self, kind: str) -> None:
        self.kind, self.names = kind, {"free": ["model"], "taken": ["model"], "link": ["latest", "store"]}[kind]
        self.held = None if kind == "free" else model(1)._to_bytes()
        self._take(2)

    def _take(self, seed: int) -> None:
        self.seed, self.model = seed, model(seed)
        self.content = self.model._to_bytes()

    def go_on(self, found: str) -> None:
        """Let another be saved where that was found."""
        self.held = self.content if found == "new" else self.held
        self._take(self.seed + 1)

    def path(self, folder: Path) -> Path:
        return folder / self.names[0]

    def prepare(self, folder: Path) -> None:
        """Make what is there before."""
        if self.kind == "link":
            (folder / "store").mkdir()
            self.path(folder).symlink_to(Path("store") / "model")
        if self.held is not None:
            self.path(folder).write_bytes(self.held)

    def act(self, folder: Path) -> None:
        self.model.save(self.path(folder))

    def in_memory(self, folder: Path) -> list[str]:
        """Return what is wrong with the model after an error: it is as it was, and can be saved elsewhere."""
        problems = ["the model has changed"] if self.model._to_bytes() != self.content else []
        elsewhere = folder.with_name("elsewhere")
        self.model.save(elsewhere)
        if hedgerow.load(elsewhere)._to_bytes() != self.content:
            problems.append("the model cannot be saved elsewhere")
        return problems

    def found(self, folder: Path) -> str:
        """Return what the name leads to: the old, the new, nothing, or a torn file."""
        path = self.path(folder)
        if not path.exists():
            return "nothing" if self.held is None else "lost"
        content = path.read_bytes()
        if content not in (self.held, self.content):
            return "torn"
        hedgerow.load(path)
        return "new" if content == self.content else "old"

    def leftovers(self, folder: Path) -> list[str]:
        """Return names of files that should not be there."""
        ours = [self.path(folder).resolve(), *(folder / name for name in self.names)]
        return [str(path.relative_to(folder)) for path in folder.rglob("*") if path not in ours]

    def finish(self, folder: Path) -> list[str]:
        """Do it once more, undisturbed, and return what is wrong then."""
        self.act(folder)
        problems = [f"{name} is left" for name in self.leftovers(folder)]
        if self.kind == "link" and not self.path(folder).is_symlink():
            problems.append("the link is gone")
        return problems + ([] if self.found(folder) == "new" else ["the next save is not there"])


class Checkpoints:
    """A run writes checkpoints from its beginning, or goes on from one."""

    def __init__(self, kind: str) -> None:
        self.n_before = {"begun": 0, "gone on with": EVERY}[kind]
        self.X, self.y = rows(N_ROWS, 0)
        self.states = []
        for n in range(EVERY, N_ROWS + 1, EVERY):
            forest = small_forest()
            self.expected = evaluate(forest, (self.X[:n], self.y[:n]), progress=False)
            self.states.append(forest._to_bytes())

    def path(self, folder: Path) -> Path:
        return folder / "checkpoint"

    def prepare(self, folder: Path) -> None:
        """Make what is there before."""
        if self.n_before:
            self._run(small_forest(), folder, self.n_before)

    def act(self, folder: Path) -> None:
        self.model = small_forest()
        self._run(self.model, folder, N_ROWS)

    def in_memory(self, folder: Path) -> list[str]:
        """Return what is wrong with the model after an error: it has learned whole chunks, and can be saved."""
        content = self.model._to_bytes()
        problems = [] if content in [small_forest()._to_bytes(), *self.states] else ["the model is none of the run"]
        elsewhere = folder.with_name("elsewhere")
        self.model.save(elsewhere)
        if hedgerow.load(elsewhere)._to_bytes() != content:
            problems.append("the model cannot be saved elsewhere")
        return problems

    def found(self, folder: Path) -> str:
        """Return how far the checkpoint is, or what is wrong with it."""
        if not self.path(folder).exists():
            return "lost" if self.n_before else "nothing"
        try:
            n = read_checkpoint(self.path(folder)).run.n_rows
        except ValueError:
            return "torn"
        return f"row {n}" if n >= self.n_before else "lost"

    def go_on(self, found: str) -> None:
        """Let a run go on from what was found."""
        self.n_before = max(self.n_before, *(int(word) for word in found.split() if word.isdigit()), 0)

    def leftovers(self, folder: Path) -> list[str]:
        """Return names of files that should not be there."""
        return [path.name for path in folder.iterdir() if path.name not in ("checkpoint", "checkpoint.previous")]

    def finish(self, folder: Path, alone: bool = True) -> list[str]:
        """Run again, undisturbed, and return what is wrong then."""
        forest = small_forest()
        run = self._run(forest, folder, N_ROWS)
        problems = [f"{name} is left" for name in self.leftovers(folder) if alone]
        if run != self.expected:
            problems.append("other scores than those of an uninterrupted run")
        if forest._to_bytes() != self.states[-1]:
            problems.append("another model than that of an uninterrupted run")
        return problems

    def _run(self, forest: Any, folder: Path, n: int) -> Run:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # such as: the checkpoint is torn
            rows = (self.X[:n], self.y[:n])
            return evaluate(forest, rows, checkpoint=self.path(folder), checkpoint_every=EVERY, progress=False)


SCENARIOS: dict[str, Callable[[], Any]] = {
    "save, free name": lambda: Saving("free"),
    "save, name taken": lambda: Saving("taken"),
    "save, link": lambda: Saving("link"),
    "checkpoints, from the beginning": lambda: Checkpoints("begun"),
    "checkpoints, gone on with": lambda: Checkpoints("gone on with"),
}
