"""What is chosen by the honest error of small first stages on some of the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow.base.rows import Rows
from hedgerow.boosting._chains import Making, Recipe, make_chain
from hedgerow.boosting._settings import BoostingSettings

FEWEST_ROWS = 16
"""With fewer rows nothing is chosen."""

MOST_ROWS = 1000
N_TREES = 10
TRANSFORMS = ("range", "half", "rank")


class Choice(NamedTuple):
    """How columns are scaled, and whether a ridge regression comes first."""

    transform: str
    linear: bool


def choose(rows: Rows, making: Making, settings: BoostingSettings) -> Choice:
    """Choose what is left open."""
    transform = settings.scaling
    transforms = TRANSFORMS if transform == "auto" else (transform,)
    linears = settings.linears
    if rows.y.size == 0 or making.copies.n_units < FEWEST_ROWS:
        return Choice("half" if transform == "auto" else transform, linears == (True,))
    if len(transforms) == len(linears) == 1:
        return Choice(transforms[0], linears[0])
    n = rows.X.shape[0]
    few = np.sort(np.random.default_rng(making.seed).choice(n, min(MOST_ROWS, n), replace=False))
    some, of_few = rows.part(few), making.of(few, N_TREES)
    errors: dict[Choice, float] = {}

    def error(choice: Choice) -> float:
        if choice not in errors:
            recipe = Recipe((*("linear",) * choice.linear, "mondrian"), N_TREES)
            errors[choice] = make_chain(recipe, some, of_few.scaled(choice.transform)).chain.error
        return errors[choice]

    plain = min((Choice(kind, linears[0]) for kind in transforms), key=error)
    return min((plain._replace(linear=first) for first in linears), key=error)
