"""How the shape of what is left over differs from row to row, learned by forests of indicators.

Predicted without its fold, each row has a level u = F(z) at which its label fell in the common distribution. Were that
right for all rows alike, u would be uniform wherever one looks. For some levels c the indicators 1{u <= c} are learned
as the components of a vector, by the forests that learn classes. Their squared errors, added over the levels, are the
continuous ranked probability score of the levels, so smoothing is chosen by that score. Where rows are skewed, heavy on
one side, cut off or discrete, probabilities move; with them move means and variances.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.base.copies import Copies
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.settings import Query
from hedgerow.boosting._mondrian_stage import PROBE, STAGE, VectorStage
from hedgerow.files import Stored
from hedgerow.mondrian._growing import mean_square
from hedgerow.predictive import LocationScale, Reshaped

LEVELS = np.array([0.02, *np.arange(1, 20) / 20, 0.98])
KNOTS = np.array([0.0, *LEVELS, 1.0])

FEWEST_ROWS = 100
MOST_ROWS = 10_000
"""Rows that shapes are learned from."""

PROBED_ROWS, PROBED_TREES = 1000, 10
"""Whether a larger forest is worth growing is learned from a small one on so many rows."""

LEAST_GAIN = 0.002
"""A stage that takes away less than this share of the score is not kept."""

N_FOLDS = 4
"""Folds without which rows are predicted, for shapes to be learned from that."""
IN_NO_FOLD = 0xFFFFFFFF

SHARES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
"""How much of the common shape stays in every row's own, one of these."""


class Reshaping(NamedTuple):
    """Forests of indicators, in stages: the first sees where a row is predicted and how surely, the second all."""

    forests: list[VectorStage]
    sees_columns: list[bool]  # of each forest: are the rows' own columns among those it sees?
    drawn: npt.NDArray[np.uint32]  # the rows it has learned from
    offsets: Floats  # of LEVELS: how much more often ranks lay below them than they should
    share: float  # of the common shape in every row's own

    def apply(self, dist: LocationScale, X: Floats, spread: Floats, query: Query) -> LocationScale:
        """Return the distributions of rows, reshaped; `spread` is their scale by leave-one-out."""
        moved = np.zeros((X.shape[0], LEVELS.size))
        for forest, sees in zip(self.forests, self.sees_columns, strict=True):
            moved += forest.moments(_seen(X, dist.location, spread, sees), query)[0]
        return self._reshaped(dist, moved)

    def apply_left_out(
        self, dist: LocationScale, X: Floats, spread: Floats, copies: Copies, query: Query
    ) -> LocationScale:
        """Return the same for the rows that were there when it was learned, each without itself and its copies."""
        moved = np.zeros((X.shape[0], LEVELS.size))
        for forest, sees in zip(self.forests, self.sees_columns, strict=True):
            moved += _left_out(forest, _seen(X, dist.location, spread, sees), self.drawn, copies, query)
        return self._reshaped(dist, moved)

    def _reshaped(self, dist: LocationScale, moved: Floats) -> LocationScale:
        levels = levels_of(self.offsets + moved, self.share)
        return Reshaped(dist.location, dist.scale, dist.shape, KNOTS, levels)

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {**self._asdict(), "forests": [forest.state() for forest in self.forests]}

    @classmethod
    def from_state(cls, stored: Stored, width: int, n_learned: int) -> Reshaping:
        """Take back what `state` gave, for a model of so many columns that was learned from so many rows."""
        forests = [VectorStage.from_state(part) for part in stored.parts("forests")]
        sees, drawn = stored.sequence("sees_columns"), stored.array("drawn", dtype=np.uint32)
        offsets, share = stored.array("offsets", LEVELS.shape), stored.number("share", 1e-9, 1.0)
        if sees not in ([False], [True], [False, True]) or len(forests) != len(sees):
            raise ValueError("the forests of its shapes are not those that there are")
        for forest, sees_columns in zip(forests, sees, strict=True):
            if forest.width != 2 + sees_columns * width or forest.label_shape != (LEVELS.size,):
                raise ValueError("a forest of its shapes has the wrong width")
            if forest.forest.core.n_rows != drawn.size:
                raise ValueError("a forest of its shapes has learned from other rows")
        if not (np.diff(drawn.astype(np.int64), append=n_learned) > 0).all():
            raise ValueError("the rows that its shapes were learned from are not in order")
        if not (np.abs(offsets) <= 1).all():
            raise ValueError("its shapes are not shapes")
        return cls(forests, sees, drawn, offsets, share)


def levels_of(moved: Floats, share: float) -> Floats:
    """Rows of levels that rise from 0 to 1, as near as can be to LEVELS moved by so much."""
    levels = np.clip(LEVELS + moved, 0.0, 1.0)
    upper = np.maximum.accumulate(levels, axis=1)
    lower = np.minimum.accumulate(levels[:, ::-1], axis=1)[:, ::-1]
    rising = 0.5 * (upper + lower)
    ends = np.zeros((moved.shape[0], 1)), np.ones((moved.shape[0], 1))
    found: Floats = np.hstack([ends[0], rising + share * (LEVELS - rising), ends[1]])
    return found


def draw(n: int, most: int, seed: int) -> npt.NDArray[np.intp]:
    """Draw rows without replacement, in order."""
    return np.sort(np.random.default_rng(seed).choice(n, min(n, most), replace=False))


def fit_reshaping(
    rows: Rows,
    copies: Copies,
    dist: LocationScale,
    drawn: npt.NDArray[np.intp],
    seed: int,
    n_trees: int,
    query: Query,
) -> Reshaping | None:
    """Learn shapes from the rows drawn, and what was predicted of each without its fold; None if that does not pay.

    The forests see where a row was predicted and how surely. Without its fold, not leave-one-out: what is predicted
    without one row differs from row to row by the very target that is missing, and where little else differs a forest
    would read the target off it. What is predicted without a fold is the same function for all of the fold.
    """
    if copies.n_units < FEWEST_ROWS:
        return None
    seeds = np.random.SeedSequence([seed, 1]).generate_state(5).tolist()
    ranks, weights = dist.cdf(rows.y), rows.weights
    indicators = (ranks[:, None] <= LEVELS) - LEVELS
    offsets = np.average(indicators, axis=0, weights=weights if weights.size else None)
    residuals, forests, sees_columns = indicators - offsets, [], []
    least_gain = LEAST_GAIN + N_FOLDS / copies.n_units
    for number, sees in enumerate((False, True)):
        columns = _seen(rows.X, dist.location, dist.scale, sees)
        probed = draw(rows.y.size, PROBED_ROWS, seeds[0])
        few = Rows(columns[probed], residuals[probed], _few(weights, probed))
        probe = {"n_trees": PROBED_TREES, "seed": seeds[1 + number], "effort": PROBE}
        left = few.y - _fitted(few, copies.of(probed), query, **probe)[1]
        if mean_square(left, few.weights) > mean_square(few.y, few.weights):
            continue
        whole = {"n_trees": n_trees, "seed": seeds[3 + number], "effort": STAGE}
        stage, predicted = _fitted(Rows(columns, residuals, weights), copies, query, **whole)
        left = residuals - predicted
        if mean_square(left, weights) < (1.0 - least_gain) * mean_square(residuals, weights):
            forests.append(stage)
            sees_columns.append(sees)
            residuals = left
    if not forests:
        return None
    moved = indicators - residuals
    share = max(SHARES, key=lambda share: _mean_log_slope(levels_of(moved, share), ranks, weights))
    return Reshaping(forests, sees_columns, drawn.astype(np.uint32), offsets, share)


def _fitted(rows: Rows, copies: Copies, query: Query, **how: Any) -> tuple[VectorStage, Floats]:
    """Return a stage that has learned, and what it predicts for each row without it."""
    stage = VectorStage.grown(rows, copies, query, scaling="half", **how)
    return stage, stage.left_out(copies.groups, query).mean


def _seen(X: Floats, location: Floats, scale: Floats, sees_columns: bool) -> Floats:
    predicted = location, np.log(scale)
    return np.ascontiguousarray(np.column_stack([X, *predicted] if sees_columns else predicted))


def _few(weights: Floats, rows: Any) -> Floats:
    return weights[rows] if weights.size else weights


def _left_out(forest: VectorStage, columns: Floats, drawn: npt.NDArray[Any], copies: Copies, query: Query) -> Floats:
    """Predictions of a forest for each row without it; for rows that it has not learned, its usual predictions."""
    others = np.ones(columns.shape[0], dtype=bool)
    others[drawn] = False
    found = np.empty((columns.shape[0], LEVELS.size))
    found[drawn] = forest.left_out(copies.of(drawn.astype(np.intp)).groups, query).mean
    if others.any():
        found[others] = forest.moments(np.ascontiguousarray(columns[others]), query)[0]
    return found


def _mean_log_slope(levels: Floats, ranks: Floats, weights: Floats) -> float:
    """How much more likely the labels are, in the mean of logarithms, than under the common shape."""
    slopes = np.diff(levels, axis=1) / np.diff(KNOTS)
    at = np.searchsorted(LEVELS, ranks, side="right")
    logs = np.log(slopes[np.arange(ranks.size), at])
    return float(np.average(logs, weights=weights if weights.size else None))
