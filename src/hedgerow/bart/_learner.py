"""The chains of a model with all that they need to go on: rows in bins, targets, settings, what was drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np

from hedgerow import _core
from hedgerow.bart._diagnostics import Diagnostics, diagnose
from hedgerow.bart._sampling import sample
from hedgerow.bart._settings import BARTQuery, BARTSettings
from hedgerow.base.rows import Floats, Rows
from hedgerow.base.work import pieces
from hedgerow.files import Stored

MOST_FEATURES = 2**24
"""A rule is packed into 32 bits, eight of them for its cut."""
MOST_WEIGHT = 2.0**32
"""Of all rows together: sums of residuals are kept in integers."""
NUMBERS_AT_A_TIME = 2**22
"""Draws of predictions that are held at once."""
DRAWS_AT_A_TIME = 2**26
"""Draws of predictions that are summed up by one call of the core: about a second. Between two calls Python looks for
Ctrl-C."""
AUTO_DRAWS = (100, 200, 300, 500, 700, 1000)
"""Draws of each chain after which "auto" looks whether they are enough; at the last it ends in any case."""
N_PROBES = 20
"""Training rows whose predictions `diagnostics` follows."""


class Probes(NamedTuple):
    """Rows that are followed, and their places among all rows."""

    X: Floats
    rows: list[int]


class ChainLearner:
    """Chains, the targets that they run on, and what they have drawn so far."""

    def __init__(
        self, settings: Any, seed: int, response: Any, sampler: Any, targets: Floats, weights: Floats, probes: Probes
    ) -> None:
        self.settings, self.seed, self.response, self.sampler = settings, seed, response, sampler
        self.probes = probes
        self.n_wanted = self.n_draws  # of each chain: more than there are after Ctrl-C
        self.complaints: tuple[str, ...] = ()  # of diagnostics, when "auto" looked last
        self._targets, self._weights = targets, weights

    @classmethod
    def begin(cls, rows: Rows, settings: BARTSettings, seed: int, query: BARTQuery) -> Self:
        """Draw from the posterior given all rows, until Ctrl-C if there is a draw by then."""
        n, width = rows.X.shape
        if width > MOST_FEATURES:
            raise ValueError(f"X must have at most {MOST_FEATURES} columns, got {width}")
        if (rows.weights.sum() if rows.weights.size else n) > MOST_WEIGHT:
            raise ValueError(f"the rows' weights add up to more than {MOST_WEIGHT:.0f}; divide them by a constant")
        followed = np.unique(np.linspace(0, n - 1, N_PROBES).round().astype(int))
        probes = Probes(rows.X[followed], followed.tolist())
        response, rows = settings.RESPONSE.of(rows, settings)
        start = getattr(_core.ChainStart, settings.start)
        given = settings.core(response, seed)
        sampler = _core.SumOfTreesSampler.begin(*rows, start=start, n_threads=query.n_threads, **given)
        learner = cls(settings, seed, response, sampler, rows.y, rows.weights, probes)
        learner.draw(settings.n_draws, query)
        return learner

    def draw(self, n_more: int | str, query: BARTQuery) -> None:
        """Go on until each chain has kept so many draws more, or as many as are enough ("auto"), or until Ctrl-C."""
        n_burn_in, thin = self.settings.n_burn_in, self.settings.thin
        is_auto, steps = (True, AUTO_DRAWS) if isinstance(n_more, str) else (False, (n_more,))
        self.complaints = ()
        goal = sample(
            self.sampler,
            n_burn_in=n_burn_in,
            thin=thin,
            goals=[self.settings.sweeps_for(self.n_draws + step) for step in steps],
            is_enough=lambda: is_auto and self._is_content(query),
            n_threads=query.n_threads,
            progress=query.progress,
        )
        self.n_wanted = (goal - n_burn_in) // thin

    def _is_content(self, query: BARTQuery) -> bool:
        """Whether diagnostics have nothing to complain of."""
        sums = np.concatenate([found for _, found in self.sums(self.probes.X, query.n_threads)])
        drawn = {"predictions": self.response.predictions(sums, query.n_threads)}
        if self.response.varying is not None:
            drawn["noise_of_rows"] = self.log_variances(self.probes.X, query.n_threads)
        self.complaints = self.diagnostics({name: np.moveaxis(found, 1, 0) for name, found in drawn.items()}).warnings
        return not self.complaints

    def diagnostics(self, drawn: dict[str, Floats]) -> Diagnostics:
        """Return how well chains have mixed, given all draws at the rows that are followed: draws first."""
        n_chains, n_draws = self.settings.n_chains, self.n_draws
        return diagnose(
            self.trace,
            {name: found.reshape(n_chains, n_draws, -1) for name, found in drawn.items()},
            probe_rows=self.probes.rows,
            bytes_per_draw=self.n_bytes / (n_chains * n_draws),
        )

    @property
    def row_axes(self) -> Floats:
        """What it sees of the rows that it holds: those that diagnostics follow."""
        return self.probes.X

    @property
    def n_draws(self) -> int:
        """Draws that each chain has kept."""
        return int(self.sampler.n_draws)

    @property
    def n_bytes(self) -> int:
        """Memory that all draws take."""
        return int(self.sampler.n_bytes)

    @property
    def trace(self) -> dict[str, Floats]:
        """What is noted down of each draw, each of shape (n_chains, n_draws)."""
        names = ("noise", "log_likelihood", "n_leaves", "root_changes")
        notes = dict(zip(names, np.moveaxis(self.sampler.notes(), 2, 0), strict=True))
        total = float(self._weights.sum()) if self._weights.size else float(self._targets.size)
        found: dict[str, Floats] = self.response.trace(notes, total)
        return found

    def parts(self, X: Floats) -> Iterator[slice]:
        """Yield a few rows at a time: all draws for them may be held at once."""
        n_sums = len(self.response.offsets)
        n_rows = max(1, NUMBERS_AT_A_TIME // (self.settings.n_chains * self.n_draws * n_sums))
        for begin in range(0, X.shape[0], n_rows):
            yield slice(begin, min(begin + n_rows, X.shape[0]))

    def sums(self, X: Floats, n_threads: int) -> Iterator[tuple[slice, Floats]]:
        """Yield a few rows at a time and all draws for each of them: shape (rows, draws, sums)."""
        for part in self.parts(X):
            drawn: Floats = self.sampler.predict(np.ascontiguousarray(X[part]), n_threads)
            drawn += np.array(self.response.offsets)
            yield part, drawn

    def moments(self, X: Floats, n_threads: int) -> Floats:
        """Mean and variance over all draws of the trees' sum at each row, where there is one sum: shape (2, rows)."""
        return self._over_draws(lambda rows: self.sampler.moments(rows, n_threads), X)

    def probabilities(self, X: Floats, weights: Floats, n_threads: int) -> Floats:
        """Mean over all draws of the probabilities of two classes of these weights: shape (2, rows)."""
        summed = self._over_draws(lambda rows: self.sampler.sum_probabilities(rows, *weights, n_threads), X)
        summed /= self.settings.n_chains * self.n_draws
        return summed

    def _over_draws(self, compute: Callable[[Floats], Floats], X: Floats) -> Floats:
        """Two numbers for each row, of some rows at a time."""
        found = np.empty((2, X.shape[0]))
        for part in pieces(X.shape[0], self.settings.n_chains * self.n_draws, DRAWS_AT_A_TIME):
            found[:, part] = compute(np.ascontiguousarray(X[part]))
        return found

    def log_variances(self, X: Floats, n_threads: int) -> Floats:
        """Logarithm of the noise's variance at each row by each draw, where noise varies: shape (rows, draws)."""
        drawn: Floats = self.sampler.predict_noise(np.ascontiguousarray(X), n_threads)
        return drawn[:, :, 0]

    # Files.

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {
            "seed": self.seed,
            "response": self.response.state(),
            "targets": self._targets,
            "weights": self._weights,
            "probes": self.probes._asdict(),
            "sampler": self.sampler.archive(),
        }

    @classmethod
    def from_state(cls, stored: Stored, settings: BARTSettings, width: int) -> Self:
        """Take back what `state` gave."""
        seed = stored.integer("seed", 0, 2**64 - 1)
        response = settings.RESPONSE.from_state(stored.part("response"), settings)
        targets, weights = stored.array("targets"), stored.array("weights")
        n_classes, arrays = response.n_classes, stored.arrays("sampler")
        if arrays["rows.bins"].ndim != 1 or arrays["rows.bins"].size != targets.size * width:
            raise ValueError("its rows and targets differ in number")
        if weights.size not in (0, 0 if n_classes else targets.size):
            raise ValueError("its weights are not those of its rows")
        if not (weights >= np.finfo(np.float64).tiny).all() or not weights.sum() <= MOST_WEIGHT:
            raise ValueError("its weights are out of range")
        if not (np.isin(targets, np.arange(n_classes)) if n_classes else np.abs(targets) <= 0.5).all():
            raise ValueError("its targets are out of range")
        _check_sizes(arrays, settings, response)
        sampler = _core.SumOfTreesSampler.restore(arrays, targets, weights, **settings.core(response, seed))
        n_kept = (sampler.n_sweeps - settings.n_burn_in) // settings.thin
        if sampler.n_draws < 1 or sampler.n_draws != n_kept:
            raise ValueError("it has another number of draws than its sweeps have left")
        return cls(settings, seed, response, sampler, targets, weights, _probes(stored.part("probes"), width))


def _probes(stored: Stored, width: int) -> Probes:
    places = stored.sequence("rows")
    if not places or not all(type(place) is int and place >= 0 for place in places):
        raise ValueError("the rows that it follows are missing, or have no places")
    return Probes(stored.array("X", (len(places), width)), places)


def _check_sizes(arrays: dict[str, Any], settings: BARTSettings, response: Any) -> None:
    """The size in a file is believed only if the file has the arrays for it."""
    for chain in range(settings.n_chains):
        if settings.n_estimators * len(response.offsets) > arrays[f"chain{chain}.state.values"].size:
            raise ValueError("it has fewer trees than it claims")
        if response.varying and response.varying.n_trees > arrays[f"chain{chain}.noise.state.values"].size:
            raise ValueError("its noise has fewer trees than it claims")
    if f"chain{settings.n_chains}.state.values" in arrays:
        raise ValueError("it has more chains than it claims")
