"""What BART for numbers and for classes has in common: chains, how they went, which columns they split, files."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from hedgerow._batch_model import BatchModel
from hedgerow._persistence import Arrays
from hedgerow._random import draw_seed
from hedgerow._transaction import all_or_nothing
from hedgerow._validation import check_integer, check_within, n_threads_of
from hedgerow.bart._chains import (
    MOST_CHAINS,
    MOST_FEATURES,
    MOST_PARTICLES,
    MOST_SWEEPS,
    MOST_TREES,
    MOST_WEIGHT,
    Chains,
    Setup,
    in_one_order,
)
from hedgerow.bart._diagnostics import Diagnostics, complaint, diagnose
from hedgerow.bart._moves import moves_for
from hedgerow.bart._sampling import sample

Floats = npt.NDArray[np.float64]

STARTS = ("leaves", "prior")
"""Where chains may begin."""
N_PROBES = 20
"""Training rows whose predictions `diagnostics` follows."""


def shares_of(counts: npt.NDArray[np.uint32]) -> Floats:
    """Return each row of counts divided by its sum; zeros stay."""
    shares: Floats = counts / np.maximum(counts.sum(axis=1, keepdims=True, dtype=np.float64), 1.0)
    return shares


class BART(BatchModel):
    """Base of both. A subclass brings what stands between a sum of trees and the labels."""

    n_estimators: int
    sampler: Any
    n_particles: int
    n_chains: int
    n_draws: int
    n_burn_in: int
    thin: int
    start: str
    split_base: float
    split_decay: float
    shrinkage: float
    n_jobs: int | None
    random_state: Any
    progress: bool | None

    _chains: Chains
    _probes: Floats
    _probe_rows: list[int]

    # What labels decide.

    @abstractmethod
    def _take_weights(self, X: Floats, y: Any, sample_weight: Any) -> tuple[Floats, Any, Floats]:
        """Rows that count, and their weights; none at all are an empty array."""

    @abstractmethod
    def _take_labels(self, y: Any) -> Floats:
        """Labels as the core takes them."""

    @abstractmethod
    def _label_setup(self, X: Floats, labels: Floats, weights: Floats) -> dict[str, Any]:
        """Return the numbers of `Setup` that depend on the labels."""

    @abstractmethod
    def _draws(self, X: Floats) -> Floats:
        """What each draw says of each row: draws first, then rows."""

    def _followed_draws(self, X: Floats) -> dict[str, Floats]:
        """Return what `diagnostics` follows at some rows, by name."""
        return {"predictions": self._draws(X)}

    # Learning.

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Draw sums of trees from their posterior given all rows, forgetting whatever was learned before.

        Ctrl-C ends it. Before the first draw the model stays as it was; after that the draws so far are kept, and
        `continue_sampling` goes on.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Numbers, all finite.
        y : array of shape (n_samples,)
            Labels.
        sample_weight : array of shape (n_samples,), optional
            A row of weight w counts as w equal rows. Rows of weight zero are ignored. For classes weights must be whole
            numbers.

        Returns
        -------
        self
        """
        moves, n_rounds = self._check_parameters()
        X, y = self._validated(X, y, reset=True)
        if X.shape[1] > MOST_FEATURES:
            raise ValueError(f"X must have at most {MOST_FEATURES} columns, got {X.shape[1]}")
        X, y, weights = self._take_weights(X, y, sample_weight)
        if X.shape[0] == 0:
            raise ValueError("every sample_weight is zero: there is no row to learn")
        if (weights.sum() if weights.size else X.shape[0]) > MOST_WEIGHT:
            raise ValueError(f"the rows' weights add up to more than {MOST_WEIGHT:.0f}; divide them by a constant")
        self._probe_rows = np.unique(np.linspace(0, X.shape[0] - 1, N_PROBES).round().astype(int)).tolist()
        self._probes = X[self._probe_rows].copy()
        X, labels, weights = in_one_order(X, self._take_labels(y), weights)
        setup = Setup(
            n_trees=int(self.n_estimators),
            moves=moves,
            n_rounds=n_rounds,
            n_particles=int(self.n_particles),
            split_base=float(self.split_base),
            split_decay=float(self.split_decay),
            n_chains=int(self.n_chains),
            n_burn_in=int(self.n_burn_in),
            thin=int(self.thin),
            seed=draw_seed(self.random_state),
            **self._label_setup(X, labels, weights),
        )
        self._chains = Chains.begin(setup, X, labels, weights, self.start, n_threads_of(self.n_jobs))
        self._sample(int(self.n_draws), stacklevel=4)
        return self

    def continue_sampling(self, n_draws: int = 1000) -> Self:
        """Draw more, from where the chains are: the same bits as if `fit` had been asked for all of them.

        Settings are those of `fit`. Ctrl-C keeps the draws so far.

        Parameters
        ----------
        n_draws : int, default=1000
            Draws that each chain adds.

        Returns
        -------
        self
        """
        self._check_learned()
        check_integer("n_draws", n_draws, least=1)
        n_threads_of(self.n_jobs)
        self._sample(int(n_draws), stacklevel=3)
        return self

    # What the chains say of themselves.

    @property
    def n_draws_(self) -> int:
        """Draws that each chain has kept."""
        self._check_learned()
        return self._chains.n_draws

    @property
    def trace_(self) -> dict[str, Floats]:
        """What was noted down of each draw, by name, each of shape (n_chains, n_draws).

        "noise" (for numbers; its standard deviation), "log_likelihood" of all labels, "n_leaves" (mean over trees) and
        "root_changes" (share of trees whose root changed in the last sweep). Of trees of the mean, if noise varies.
        """
        self._check_learned()
        return self._chains.notes

    def diagnostics(self) -> Diagnostics:
        """Say how well the chains have mixed: R-hat, effective sample sizes, and a warning in words where they differ.

        Returns
        -------
        diagnostics : Diagnostics
            ``print`` it.
        """
        self._check_learned()
        n_chains = self._chains.setup.n_chains
        return diagnose(
            self.trace_,
            {
                name: drawn.reshape(n_chains, self.n_draws_, -1)
                for name, drawn in self._followed_draws(self._probes).items()
            },
            probe_rows=self._probe_rows,
            bytes_per_draw=self._chains.sampler.n_bytes / (n_chains * self.n_draws_),
        )

    def to_arviz(self, X: Any = None, y: Any = None) -> Any:
        """Return the draws as ArviZ's ``InferenceData``; needs the extra ``hedgerow[arviz]``.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), optional
            Rows whose predictions are to be among the variables. Default: the rows that `diagnostics` follows.
        y : array of shape (n_samples,), optional
            Labels of these rows: adds their log likelihood, row by row, for ``arviz.loo``.

        Returns
        -------
        data : arviz.InferenceData
        """
        from hedgerow.integrations.arviz import to_arviz

        return to_arviz(self, X, y)

    # Which columns matter.

    @property
    def split_inclusion_(self) -> Floats:
        """Mean over draws of the share of all splits that fall on each column (Chipman et al. 2010, section 3.2).

        `split_inclusion_bands` has its posterior bands.
        """
        shares: Floats = self._split_shares().mean(axis=0)
        return shares

    def split_inclusion_bands(self, confidence: float = 0.9) -> Floats:
        """Central posterior interval of the share of splits on each column: shape (n_features, 2)."""
        check_within("confidence", confidence, 1e-12, 1.0 - 1e-12, "between 0 and 1")
        tail = 0.5 - 0.5 * confidence
        bands: Floats = np.quantile(self._split_shares(), [tail, 1.0 - tail], axis=0).T
        return bands

    @property
    def feature_importances_(self) -> Floats:
        """Share of all splits of all draws that fall on each column; zeros if there is none."""
        self._check_learned()
        counts = self._chains.sampler.split_counts().sum(axis=0, dtype=np.float64)
        shares: Floats = counts / max(counts.sum(), 1.0)
        return shares

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_chains")

    # Below: private.

    def _check_parameters(self) -> tuple[dict[str, int], int]:
        """Raise ValueError if a parameter makes no sense; return the moves of a round, and the rounds of a sweep."""
        for name, least, most in (
            ("n_estimators", 1, MOST_TREES),
            ("n_particles", 2, MOST_PARTICLES),
            ("n_chains", 1, MOST_CHAINS),
            ("n_draws", 1, MOST_SWEEPS),
            ("n_burn_in", 0, MOST_SWEEPS),
            ("thin", 1, MOST_SWEEPS),
        ):
            check_integer(name, getattr(self, name), least)
            if getattr(self, name) > most:
                raise ValueError(f"{name} must be at most {most}, got {getattr(self, name)!r}")
        check_within("split_base", self.split_base, 1e-300, 1.0 - 1e-16, "between 0 and 1, both left out")
        check_within("split_decay", self.split_decay, 0.0, 1e6, "of at least 0")
        check_within("shrinkage", self.shrinkage, 1e-3, 1e3, "from 0.001 to 1000")
        n_threads_of(self.n_jobs)
        if self.progress is not None and not isinstance(self.progress, bool | np.bool_):
            raise ValueError(f"progress must be True, False or None, got {self.progress!r}")
        if self.start not in STARTS:
            raise ValueError(f"start must be one of {', '.join(map(repr, STARTS))}, got {self.start!r}")
        return moves_for(self.sampler, int(self.n_estimators), float(self.split_decay))

    def _sample(self, n_more: int, stacklevel: int) -> None:
        """Draw more, and say so if that was cut short or if the chains disagree."""
        chains, setup = self._chains, self._chains.setup
        wanted = chains.n_draws + n_more
        if (setup.n_burn_in + wanted * setup.thin) * setup.n_rounds > MOST_SWEEPS:
            raise ValueError(f"chains end after {MOST_SWEEPS} sweeps; ask for fewer draws or a smaller thin")
        is_complete = sample(
            chains.sampler,
            n_burn_in=setup.n_burn_in,
            thin=setup.thin,
            goal=setup.n_burn_in + wanted * setup.thin,
            n_threads=n_threads_of(self.n_jobs),
            progress=self.progress,
        )
        if not is_complete:
            warnings.warn(
                f"interrupted: {chains.n_draws} of {wanted} draws of each chain were kept. The model can be used; "
                f"continue_sampling({wanted - chains.n_draws}) goes on from here.",
                UserWarning,
                stacklevel=stacklevel,
            )
        words = complaint(self.trace_) if setup.n_chains > 1 else ""
        if words:
            warnings.warn(words, ConvergenceWarning, stacklevel=stacklevel)

    def _split_shares(self) -> Floats:
        """Share of the splits of each draw that fall on each column: shape (n_chains * n_draws, n_features)."""
        self._check_learned()
        return shares_of(self._chains.sampler.split_counts())

    # Files.

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        if not self.__sklearn_is_fitted__():
            return None
        numbers, arrays = self._chains.to_file()
        return (
            {**self._columns(), "setup": numbers, "probe_rows": self._probe_rows},
            {**arrays, "probes": self._probes},
        )

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        self._restore_columns(numbers)
        self._probe_rows = [int(row) for row in numbers["probe_rows"]]
        self._probes = arrays["probes"]
        if self._probes.dtype != np.float64 or self._probes.shape != (len(self._probe_rows), self.n_features_in_):
            raise ValueError("its probe rows have another shape than its rows")
        if not self._probe_rows or not np.isfinite(self._probes).all():
            raise ValueError("its probe rows are not finite, or missing")
        self._chains = Chains.from_file(numbers["setup"], arrays, self.n_features_in_)
