"""The target of a table: whether it is a number or a class, and what to do where it is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.cli._columns import kind_of
from hedgerow.cli._output import Output, UsageError
from hedgerow.cli._text import is_text

TASKS = ("auto", "regression", "classification")
FEW = 10
"""So many different numbers, or fewer, may be classes."""
OFTEN = 3
"""Numbers are few only if each comes at least so often, in the mean."""


def without_missing(out: Output, frame: Any, target: str, path: Path) -> Any:
    """Return the rows that have a target, and say how many do not."""
    has_target = frame[target].notna()
    missing = int((~has_target).sum())
    if missing == len(frame):
        raise ValueError(f"column {target!r} of {str(path)!r} is empty, so there is nothing to learn from")
    if missing:
        out.say(f"{missing:,} of {len(frame):,} rows have no {target!r}; they are left out")
    out.facts(rows=len(frame) - missing, rows_without_target=missing)
    return frame[has_target]  # with its index, which numbers the rows of the file


def decide_task(out: Output, column: Any, target: str, path: Path, task: str) -> str:
    """Return "regression" or "classification".

    Text, and true and false, are classes. Numbers of which there are only a few different ones may be either: somebody
    at a terminal is asked. Otherwise two numbers are taken for classes, with a note, and more must be decided by
    `--task`.
    """
    kind = kind_of(column)
    if kind not in ("number", "boolean", "category"):
        raise ValueError(f"column {target!r} of {str(path)!r} holds {kind}s, which cannot be predicted; use another")
    if task != "auto":
        return task
    distinct = column.nunique()
    if kind == "category":
        refuse_hardly_classes(distinct, len(column), target, path)
    if kind != "number":
        return "classification"
    return task_of_numbers(out, column.to_numpy(), target)


def refuse_hardly_classes(n_distinct: int, n_rows: int, target: str, path: Path, advice: str = "") -> None:
    """Refuse text that differs in most rows as a target of classes."""
    if n_distinct > max(2, n_rows // 2):
        raise UsageError(
            f"column {target!r} of {str(path)!r} is text with {n_distinct:,} different values in {n_rows:,} rows, "
            f"so hardly a class; {advice or 'give another --target'}, or say --task classification"
        )


def task_of_numbers(out: Output, values: Any, target: str) -> str:
    """Return the task of a target that is numbers."""
    distinct = np.unique(values)
    if distinct.size > FEW or distinct.size * OFTEN > len(values):
        return "regression"
    return _of_few_numbers(out, distinct.tolist(), target)


def target_values(column: Any, task: str, target: str, path: Path) -> Any:
    """Return targets as an array of finite numbers, or labels."""
    if task == "classification":
        labels = column.to_numpy()
        if column.dtype.kind == "f" and np.isfinite(labels).all() and (labels % 1 == 0).all():
            return labels.astype(np.int64)  # whole numbers beside rows without a target
        return labels.astype(bool) if kind_of(column) == "boolean" else labels
    if is_text(column) and kind_of(column) != "boolean":
        raise ValueError(
            f"column {target!r} of {str(path)!r} does not hold numbers: {column.map(str).iloc[0]!r:.60}; "
            "--task classification takes it for classes"
        )
    found = column.astype(float).to_numpy()
    if not np.isfinite(found).all():
        row = int(np.argmin(np.isfinite(found)))
        raise ValueError(f"column {target!r} of {str(path)!r} is {found[row]} in row {row + 1:,}; mend or drop it")
    return found


def _of_few_numbers(out: Output, values: list[float], target: str) -> str:
    listed = ", ".join(f"{value:g}" for value in values)
    has_only = f"{target!r} has only the value{'s' if len(values) > 1 else ''} {listed}"
    answer = ""
    if out.can_ask():
        answer = out.ask(
            f"{has_only}. Are they classes, or amounts?\n"
            "classification predicts the probability of each, regression a number",
            ["classification", "regression"],
            "classification" if len(values) == 2 else "regression",
        )
    if answer:
        return answer
    if len(values) == 2:
        out.say(f"{target!r} is {listed} only, so taken for two classes; --task regression takes it for a number")
        return "classification"
    raise UsageError(
        f"{has_only}: add --task classification if these are classes, or --task regression if they are amounts"
    )
