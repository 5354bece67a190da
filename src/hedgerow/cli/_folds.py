"""Cross-validation: which rows are learned, and which are predicted."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.cli._output import UsageError

Fold = tuple[Any, Any]
"""Numbers of the rows that are learned, and of those that are predicted."""


def folds_of(y: Any, task: str, k: int, seed: int) -> list[Fold]:
    """Return k folds, drawn at random; each has about the same share of every class."""
    n = len(y)
    if k > n:
        raise UsageError(f"--cv {k} needs {k} rows at least, and there are {n}")
    order = np.random.default_rng(seed).permutation(n)
    if task == "classification":
        labels = np.unique(y, return_inverse=True)[1]
        order = order[np.argsort(labels[order], kind="stable")]
    fold = np.empty(n, dtype=int)
    fold[order] = np.arange(n) % k
    return [(np.flatnonzero(fold != part), np.flatnonzero(fold == part)) for part in range(k)]
