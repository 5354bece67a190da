"""From a file to what a model learns: rows with a target, columns taken for something, numbers or classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hedgerow.cli._columns import LEFT_OUT, Column, features, look_at, require_learned, show_columns
from hedgerow.cli._memory import Budget
from hedgerow.cli._names import chosen, listed, require
from hedgerow.cli._output import Output, UsageError
from hedgerow.cli._table import read_table
from hedgerow.cli._target import TASKS, decide_task, target_values, without_missing
from hedgerow.cli._text import AS_IT_IS, Reading, knowing


@dataclass(frozen=True)
class Training:
    """Rows to learn from."""

    X: Any
    """A pandas frame of the columns that are used."""
    y: Any
    """Numbers, or labels of classes."""
    task: str
    """"regression" or "classification"."""
    kinds: Mapping[str, str]
    """What each column was taken for."""
    columns: Sequence[Column] = ()
    """All columns of the file but the target, those left out too."""
    target: str = ""
    """What the target is called."""

    def __len__(self) -> int:
        return len(self.X)

    @property
    def named_y(self) -> Any:
        """Targets as a series, from which a model learns what they are called."""
        import pandas as pd

        return pd.Series(self.y, index=self.X.index, name=self.target)


def training_rows(
    out: Output,
    path: Path,
    target: str,
    task: str,
    ignore: Sequence[str] | None,
    categorical: Sequence[str] | None,
    use: Sequence[str] | None,
    budget: Budget | None = None,
    reading: Reading = AS_IT_IS,
) -> Training:
    """Read a file, or what of it fits into the budget, and say what its columns and its target were taken for."""
    chosen("--task", task, TASKS)
    with out.progress(f"reading {path}"):
        # Names between commas and names with commas differ only when the columns are known.
        texts = {*(categorical or ()), *listed(categorical, ())}
        frame = read_table(path, out.say, texts.__contains__, budget, reading)
    require(frame.columns, [target], path, "--target")
    if target in frame.attrs.get("twice", ()):
        raise ValueError(f"{str(path)!r} has several columns {target!r}; rename all but the one that is the target")
    given = {"--ignore": ignore, "--categorical": categorical, "--use": use}
    names = {option: listed(values, frame.columns) for option, values in given.items()}
    for option, columns in names.items():
        require(frame.columns, columns, path, option)
        if target in columns:
            raise UsageError(f"{option}: {target!r} is the target")
    frame = without_missing(out, frame, target, path)
    task = decide_task(out, frame[target], target, path, task)
    if budget is not None:
        frame = within(out, frame, budget.rows(frame.shape[1], task), budget.seed)
    y = target_values(frame[target], task, target, path)
    rest = [str(name) for name in frame.columns if name != target and name not in names["--ignore"]]
    if not rest:
        raise ValueError(f"{str(path)!r} has no column besides the target and those ignored")
    found = look_at(frame, rest, names["--categorical"], names["--use"])
    show_columns(out, found)
    used = [column.name for column in found if column.is_used]
    if not used:
        raise ValueError(
            f"no column of {str(path)!r} is left to learn from; --use {rest[0]!r} uses one that was left out"
        )
    kinds = {column.name: column.kind for column in found if column.is_used}
    out.facts(task=task, target=target)
    return Training(features(frame, used, path, kinds), y, task, kinds, found, target)


def within(out: Output, frame: Any, n: int, seed: int) -> Any:
    """Return at most n rows, drawn at random, and say so if the file has more."""
    n_all = frame.attrs.get("n_all", len(frame))
    some = frame if len(frame) <= n else frame.sample(n, random_state=seed).sort_index()
    if "n_all" in frame.attrs or len(some) < n_all:
        out.say(f"{len(some):,} of {n_all:,} rows, drawn at random, fit into --max-memory and are used")
    return some


def further_rows(
    out: Output, path: Path, target: str, task: str, kinds: Mapping[str, str], reading: Reading = AS_IT_IS
) -> Training:
    """Read another file with columns that are known already."""
    with out.progress(f"reading {path}"):
        frame = read_table(path, out.say, lambda name: kinds.get(name) == "category", reading=knowing(reading, kinds))
    require(frame.columns, [target], path, "--target")
    require_learned(frame, list(kinds), path)
    frame = without_missing(out, frame, target, path)
    y = target_values(frame[target], task, target, path)
    found = look_at(frame, [str(name) for name in frame.columns if name != target], [], list(kinds))
    columns = [
        replace(column, kind=kinds[column.name])
        if column.name in kinds
        else column
        if not column.is_used
        else replace(column, kind=LEFT_OUT, notes="was not given to the model")
        for column in found
    ]
    return Training(features(frame, list(kinds), path, kinds), y, task, kinds, columns, target)
