"""Conformal intervals for online regressors."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from hedgerow._persistence import Arrays, construct, describe
from hedgerow._random import draw_seed
from hedgerow._validation import check_integer, check_positive
from hedgerow.mondrian import MondrianForestRegressor
from hedgerow.online._calibration import Calibration, ForecastCalibration, OutOfBagCalibration
from hedgerow.online._error_sizes import ErrorSizes
from hedgerow.online._forest import OnlineForestRegressor
from hedgerow.online._learner import OnlineRegressor, pieces
from hedgerow.predictive import LocationScale
from hedgerow.predictive._conformal import FEWEST, ConformalShape

Floats = npt.NDArray[np.float64]


class OnlineConformalRegressor(OnlineRegressor):
    """Intervals that cover as often as they say, around any online forest.

    Rows that the base model was not trained on are scored by how far off it was; an interval reaches as far as the
    score that a share ``confidence`` of them does not exceed: the one of rank ``ceil(confidence * (n + 1))`` of n. If
    rows are exchangeable, a new label lies outside with probability at most ``1 - confidence``, whatever the base model
    is worth; with ``adaptive=True`` the share of misses approaches it on any stream. Any confidence may be asked for at
    any time. (The report that this follows takes rank ``floor(confidence * n)``, which misses slightly too often.)

    Coverage is marginal only: right on average over all rows. By default all intervals have the same width, so where
    noise varies, quiet rows are covered too often and noisy rows too seldom; ``normalised=True`` is for such data.

    Parameters
    ----------
    base : OnlineForestRegressor or MondrianForestRegressor, optional
        The model to calibrate. Its parameters are taken, nothing that it has learned. Default:
        ``OnlineForestRegressor()``.
    calibration_size : int, default=1000
        Rows to calibrate on: those that came last.
    mode : {"exact", "approximate"}, default="exact"
        "exact" keeps, for each of the latest rows, the mean of the trees that never learned it, and follows every
        change of these trees. "approximate" keeps the error of the forecast made before the row was learned, and leaves
        it as it was. A Mondrian forest learns every row in every tree, so its scores are always those of forecasts.
    update_every : int, default=1
        Exact mode only: scores follow the trees after that many rows. 1 is affordable; 50 is the report's choice.
    adaptive : bool, default=False
        Whether confidences adapt to misses and hits, so that coverage survives drift.
    adaptation_rate : float, default=0.005
        How far they move at a time.
    normalised : bool, default=False
        Whether errors are measured in how large errors were at such rows before, so that the width of an interval
        follows noise that varies. A second online forest of five trees learns that from the errors of forecasts, in
        standard deviations of the base model; it grows by the same rules as an online base.
    size_matched : bool, default=False
        Exact mode only: few trees are out of bag for a row, and their mean errs more than that of all trees, so
        intervals are wider than need be. True shrinks them by an estimate of the difference. They are then valid for
        large `calibration_size` rather than for any.
    random_state : int, RandomState or None
        Where the randomness starts, if the base model does not say.

    Attributes
    ----------
    base_ : estimator
        The model that has learned.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    n_samples_seen_ : int
        Rows ever learned.
    scores_ : array
        Scores of the calibration rows, in order.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import OnlineConformalRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(3000, 2))
    >>> y = 3 * (X[:, 0] > 0.5) + rng.normal(scale=0.1, size=3000)
    >>> model = OnlineConformalRegressor(random_state=0)
    >>> mean, interval = model.predict_then_learn(X, y, confidence=0.9)
    >>> missed = (y < interval[:, 0]) | (y > interval[:, 1])
    >>> bool(missed[1000:].mean() < 0.12)
    True
    >>> narrow, wide = (np.diff(model.predict_interval(X[:1], confidence=c))[0, 0] for c in (0.5, 0.99))
    >>> bool(narrow < wide)
    True
    """

    _SHAPING = ("calibration_size", "mode", "update_every", "adaptive", "adaptation_rate", "normalised", "size_matched")

    base_: Any
    _calibration: Calibration

    def __init__(
        self,
        base: Any = None,
        *,
        calibration_size: int = 1000,
        mode: str = "exact",
        update_every: int = 1,
        adaptive: bool = False,
        adaptation_rate: float = 0.005,
        normalised: bool = False,
        size_matched: bool = False,
        random_state: Any = None,
    ) -> None:
        self.base = base
        self.calibration_size = calibration_size
        self.mode = mode
        self.update_every = update_every
        self.adaptive = adaptive
        self.adaptation_rate = adaptation_rate
        self.normalised = normalised
        self.size_matched = size_matched
        self.random_state = random_state

    # Predicting.

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Mean of the base model and, if asked, the standard deviation of the calibrated distribution."""
        means = self._calibration_of(X)[0]
        return (means, self.predict_dist(X).std()) if return_std else means

    def predict_interval(self, X: Any, confidence: float = 0.9) -> Floats:
        """Return the conformal interval of each row: shape (n_samples, 2).

        Infinite while there are fewer than ``confidence / (1 - confidence)`` scores.
        """
        means, scales = self._calibration_of(X)
        return _intervals(means, scales, self._core.radii(_checked(confidence)))

    def predict_dist(self, X: Any) -> LocationScale:
        """Return a distribution of each row, symmetric about its mean; quantiles are ends of conformal intervals."""
        means, scales = self._calibration_of(X)
        shape = ConformalShape(self.scores_, self._core.radii)
        if self.scores_.size < FEWEST:
            scales = self.base_.predict_dist(self._query_rows(X)).std()
        return LocationScale(means, scales, shape)

    def predict_then_learn(
        self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None, confidence: float = 0.9
    ) -> tuple[Floats, Floats]:
        """Predict each row just before learning it, in one call.

        The same as a loop over `predict`, `predict_interval` and `learn_one`, only faster.

        Parameters
        ----------
        X, y, sample_weight
            As for `partial_fit`. Rows of weight zero are neither predicted nor learned.
        confidence : float, default=0.9
            Of the intervals.

        Returns
        -------
        mean : array of shape (n_samples,)
        interval : array of shape (n_samples, 2)
        """
        confidences = _checked(confidence)
        found: list[tuple[Floats, ...]] = [(np.empty(0), np.empty(0), np.empty((0, 1)))]
        for piece in pieces(*self._prepared(X, y, sample_weight)):
            found.append(self._calibration.predict_then_learn(*piece, confidences))
        means, scales, radii = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return means, _intervals(means, scales, radii[:, 0])

    @property
    def scores_(self) -> Floats:
        """Scores of the calibration rows, in order."""
        self._check_learned()
        scores: Floats = self._core.scores()
        return scores

    @property
    def n_samples_seen_(self) -> int:
        """Number of rows learned, weightless ones left out."""
        self._check_learned()
        return int(self.base_.n_samples_seen_)

    def __sizeof__(self) -> int:
        """Bytes, those of the base model and of the calibration rows included."""
        if not self.__sklearn_is_fitted__():
            return object.__sizeof__(self)
        rows = sum(int(array.nbytes) for array in self._core.archive().values())
        sizes = self._calibration.sizes
        learned = int(self.base_.__sizeof__()) + (0 if sizes is None else int(sizes.core.n_bytes))
        return object.__sizeof__(self) + learned + int(rows)

    # Below: private.

    def _check_parameters(self) -> None:
        check_integer("calibration_size", self.calibration_size, least=1)
        check_integer("update_every", self.update_every, least=1)
        check_positive("adaptation_rate", self.adaptation_rate)
        if self.mode not in ("exact", "approximate"):
            raise ValueError(f"mode must be 'exact' or 'approximate', got {self.mode!r}")
        for name in ("adaptive", "normalised", "size_matched"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name} must be True or False, got {getattr(self, name)!r}")
        if self.base is not None and not isinstance(self.base, OnlineForestRegressor | MondrianForestRegressor):
            raise ValueError(f"base must be an OnlineForestRegressor or a MondrianForestRegressor, got {self.base!r}")
        base = self._new_base()
        base._check_parameters()
        if self.mode == "exact" and isinstance(base, OnlineForestRegressor) and base.leaf_model == "linear":
            raise ValueError(
                "mode='exact' follows leaves whose rows changed, but linear leaves change with every row: "
                "set mode='approximate', or leaf_model='mean' in the base"
            )

    def _new_base(self) -> Any:
        base = OnlineForestRegressor() if self.base is None else clone(self.base)
        return base.set_params(random_state=self.random_state) if base.random_state is None else base

    def _begin(self, width: int) -> None:
        self.base_ = self._new_base()
        if isinstance(self.base_, OnlineForestRegressor):
            self.base_.n_features_in_ = width
            self.base_._start(width)
        self._calibrate_base(width, (draw_seed(self.base_.random_state) + 1) % 2**64)

    def _calibrate_base(self, width: int, seed: int) -> None:
        """No scores yet; the base may have learned. The seed is not the base's own."""
        sizes = ErrorSizes(self.base_, width, seed) if self.normalised else None
        rate = float(self.adaptation_rate) if self.adaptive else 0.0
        if self.mode == "exact" and isinstance(self.base_, OnlineForestRegressor):
            rule = {
                "capacity": int(self.calibration_size),
                "update_every": int(self.update_every),
                "size_matched": bool(self.size_matched),
                "adaptation_rate": rate,
            }
            self._calibration = OutOfBagCalibration(self.base_, sizes, rule)
        else:
            self._calibration = ForecastCalibration(self.base_, sizes, int(self.calibration_size), rate)
        self._core = self._calibration.core

    def _calibration_of(self, X: Any) -> tuple[Floats, Floats]:
        rows = self._query_rows(X)
        return self._calibration.forecasts(rows)

    def _learn(self, X: Floats, y: Floats, weights: Floats) -> None:
        self._calibration.predict_then_learn(X, y, weights, np.empty(0))

    def _learn_row(self, x: Any, y: float) -> None:
        self._learn(x.reshape(1, -1), np.array([y]), np.empty(0))

    def _mean_row(self, x: Any) -> float:
        return float(self._calibration.forecasts(x.reshape(1, -1))[0][0])

    def _with_row(self, call: Any, x: Any, *rest: Any) -> Any:
        return call(self._read_row(x), *rest)

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        state = super()._fitted_state()
        if state is None:
            return None
        base_state = self.base_._fitted_state()
        assert base_state is not None
        arrays = {f"base.{name}": array for name, array in base_state[1].items()}
        arrays |= {f"calibration.{name}": array for name, array in self._core.archive().items()}
        numbers = {**state[0], "base": describe(self.base_), "base_state": base_state[0]}
        if (sizes := self._calibration.sizes) is not None:
            arrays |= {f"sizes.{name}": array for name, array in sizes.archive().items()}
            numbers["sizes_seed"] = sizes.seed
        return numbers, arrays

    def _restore_core(self, width: int, numbers: dict[str, Any], arrays: Arrays) -> None:
        def part(prefix: str) -> Arrays:
            return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}

        base = construct(numbers["base"], (OnlineForestRegressor, MondrianForestRegressor))
        base._restore_fitted_state(numbers["base_state"], part("base."))
        if base.n_features_in_ != width:
            raise ValueError("its base has another number of features")
        seed = int(numbers["sizes_seed"]) if self.normalised else 0
        if not 0 <= seed < 2**64:
            raise ValueError("the seed of its error sizes is out of range")
        self.base_ = base
        self._calibrate_base(width, seed)
        self._calibration.restore(part("calibration."))
        if (sizes := self._calibration.sizes) is not None:
            sizes.restore(part("sizes."), self._core.n_scores)


def _checked(confidence: float) -> Floats:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence!r}")
    return np.array([float(confidence)])


def _intervals(means: Floats, scales: Floats, radii: Floats) -> Floats:
    reach = scales * radii
    return np.column_stack([means - reach, means + reach])
