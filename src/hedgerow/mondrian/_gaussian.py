"""Mondrian forests with real labels: which native forest they are, how it is smoothed, and what is written to files."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hedgerow import _core
from hedgerow._persistence import Arrays
from hedgerow._validation import NO_WEIGHTS, check_positive, n_threads_of
from hedgerow.mondrian._calibration import FEWEST_ROWS as FEWEST_FAR
from hedgerow.mondrian._calibration import (
    MOST_SLAB_WORK,
    Calibration,
    LeftOut,
    draw_slabs,
    learn_calibration,
    with_distance,
    with_tails,
)
from hedgerow.mondrian._forest import MondrianForest
from hedgerow.mondrian._learning import FEWEST_ROWS, N_TREES, Sample, learn_smoothing
from hedgerow.mondrian._noise import FEWEST_ROWS as FEWEST_NOISY
from hedgerow.mondrian._noise import Noise, learn_noise
from hedgerow.mondrian._smoothing import Smoothing, paper_ratio
from hedgerow.targets import (
    Target,
    Untransformed,
    check_target,
    first_target,
    is_due,
    learn_target,
    target_from_description,
)

Floats = npt.NDArray[np.float64]

LARGEST_LABEL = 1e150
"""Labels further than this from their mean would overflow when squared."""


class GaussianForest(MondrianForest):
    """The part of a Mondrian forest for regression that knows its label model."""

    min_samples_split: int | None
    smoothing: str
    prior_mean: float | None
    drift_variance: float | None
    drift_rate: float | None
    noise_variance: float | None
    signal_to_noise: float | None
    target: Any

    _target: Target
    _origin: float  # subtracted from all labels
    _calibration: Calibration
    _noise: Noise | None
    _noise_ratio: float  # K where the core has no hierarchy to keep it

    _SHAPING = (*MondrianForest._SHAPING, "smoothing", "target")
    _ALWAYS_REAL: ClassVar[bool] = False  # whether it is a part of something else, which gives it labels

    @property
    def target_(self) -> str:
        """What targets are: "real", "positive", "count" or "functions"."""
        self._check_learned()
        return self._target.name

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.smoothing not in ("hierarchy", "moments"):
            raise ValueError(f"smoothing must be 'hierarchy' or 'moments', got {self.smoothing!r}")
        for name in ("drift_variance", "drift_rate", "noise_variance", "signal_to_noise"):
            check_positive(name, getattr(self, name), or_none=True)
        if self.noise_variance is not None and self.signal_to_noise is not None:
            raise ValueError("noise_variance and signal_to_noise both fix the noise; set one of them")
        if self.prior_mean is not None and not (isinstance(self.prior_mean, Real) and math.isfinite(self.prior_mean)):
            raise ValueError(f"prior_mean must be a finite number or None, got {self.prior_mean!r}")

        check_target(self.target)

    def _check_hierarchy(self, name: str) -> None:
        if self.smoothing != "hierarchy":
            raise AttributeError(f"{name} exists only with smoothing='hierarchy'; 'moments' is not a full model")
        self._check_learned()

    def _y_checks(self) -> dict[str, Any]:
        return {"y_numeric": True}

    def _new_core(self, **shape: Any) -> Any:
        if self.smoothing == "moments":
            return _core.MomentsForest(**shape)
        return (_core.ExponentialForest if self._learns else _core.HierarchyForest)(**shape)

    @property
    def _least_split(self) -> int:
        return self.min_samples_split if self.min_samples_split is not None else 2 if self._learns else 10

    def _begin_labels(self, y: Any) -> None:
        self._calibration, self._noise = Calibration(), None
        self._adopt_target(
            Untransformed() if self._asked_target == "auto" else first_target(self._asked_target, _finite(y)), y
        )

    def _begin_target(self, X: Floats, y: Any, weights: Floats) -> None:
        if self._asked_target != "real":
            self._adopt_target(learn_target(self._asked_target, X, _finite(y), weights, self._new_small_forest), y)

    def _adopt_target(self, target: Target, y: Any) -> None:
        """Take a kind of target, and an origin from targets."""
        self._target, labels = target, target.encode(_finite(y))
        with np.errstate(over="ignore"):
            self._origin = float(np.mean(labels / 2)) * 2

    def _encode_labels(self, y: Any) -> Floats:
        """Labels from an origin near them, so that a large offset costs no precision."""
        targets = _finite(y)
        self._target.check(targets)
        labels = self._target.encode(targets)
        if labels.size and not np.abs(labels / 2 - self._origin / 2).max() <= LARGEST_LABEL:
            raise ValueError(f"labels must lie within {LARGEST_LABEL:g} of their mean; divide y by a constant")
        shifted: Floats = labels - self._origin
        return shifted

    def _encode_label(self, y: Any) -> float:
        label = _number(y) - self._origin
        if isinstance(self._target, Untransformed) and abs(label) <= LARGEST_LABEL:
            return label
        return float(self._arrive(self._read_labels([y]), NO_WEIGHTS)[0][0])

    def _encode_known_label(self, y: Any) -> float:
        return float(self._encode_labels([_number(y)])[0])

    def _read_labels(self, y: Any) -> Floats:
        targets = _finite(y)
        if self._is_learned_target and not self._target.admits(targets).all():
            return targets  # the forest will turn to real targets on the way
        self._encode_labels(targets)
        return targets

    def _arrive(self, labels: Floats, weights: Floats) -> tuple[Floats, Floats]:
        if not self._target.admits(labels[:1]).all():
            self._reencode(Untransformed())
            self._review(keeps_target=True)
        admitted = self._target.admits(labels)
        alike = slice(labels.size if admitted.all() else int(np.argmin(admitted)))
        return self._encode_labels(labels[alike]), self._target.weigh(labels[alike], weights[alike])

    def _weigh(self, labels: Floats, weights: Floats, online: bool) -> Floats:
        return weights if online else self._weighted(labels, weights)

    def _weighted(self, labels: Floats, weights: Floats) -> Floats:
        return self._target.weigh(self._decoded(labels), weights)

    def _weigh_one(self, label: float) -> float:
        return (
            1.0 if isinstance(self._target, Untransformed) else float(self._weighted(np.array([label]), np.ones(1))[0])
        )

    def _decoded(self, labels: Floats) -> Floats:
        """Targets of labels that the core holds."""
        return self._target.decode(self._origin + labels)

    # Kinds of targets.

    @property
    def _asked_target(self) -> Any:
        """What is asked for: "auto" is "real" where the user speaks of labels, or follows the paper."""
        numbers = self.prior_mean, self.drift_variance, self.noise_variance
        is_plain = not self._learns or self.smoothing == "moments" or numbers != (None, None, None)
        return "real" if self._ALWAYS_REAL or (is_plain and self.target == "auto") else self.target

    @property
    def _is_learned_target(self) -> bool:
        return isinstance(self._asked_target, str) and self._asked_target == "auto"

    def _review_target(self) -> None:
        n, asked = self._core.n_rows, self._asked_target
        if not isinstance(asked, str) or asked == "real" or not is_due(n):
            return
        y, weights = self._decoded(self._core.row_labels()), self._core.row_weights()
        rows = self._core.row_values(), y, self._target.unweigh(y, weights if weights.size else np.ones(n))
        self._reencode(learn_target(asked, *rows, self._new_small_forest))

    def _reencode(self, target: Target) -> None:
        """Bring all labels held to another kind of target. Trees have not looked at labels, and stay."""
        if isinstance(target, Untransformed) and isinstance(self._target, Untransformed):
            return
        arrays, before = self._core.archive(), self._core
        y, weights = self._decoded(arrays["rows.labels"]), arrays["rows.weights"]
        weights = target.weigh(y, self._target.unweigh(y, weights if weights.size else np.ones(y.size)))
        self._adopt_target(target, self._decoded(before.row_labels()))
        labels = target.encode(y) - self._origin
        held, heavy = (np.delete(part, arrays["rows.freed"]) for part in (labels, weights))
        mean = float(np.average(held, weights=heavy))
        arrays["seen.labels"] = np.array([heavy.sum(), mean, float(heavy @ (held - mean) ** 2)])
        arrays["rows.labels"], arrays["rows.weights"] = labels, weights if (weights != 1.0).any() else NO_WEIGHTS
        core = self._empty_core(before.width, before.seed)
        core.restore(arrays)
        if not isinstance(core, _core.MomentsForest):
            core.set_model(*before.model, n_threads_of(self.n_jobs))
        self._core = core

    def _settings(self) -> Smoothing:
        return Smoothing(
            prior_mean=self.prior_mean,
            drift_variance=self.drift_variance,
            drift_rate=self.drift_rate,
            noise_variance=self.noise_variance,
            signal_to_noise=self.signal_to_noise,
            lifetime=float(self.lifetime),
        )

    def _set_label_model(self, core: Any) -> None:
        settings = self._settings()
        weight, _, squares = core.label_moments
        if self.smoothing == "moments":
            self._noise_ratio = paper_ratio(weight) if self.signal_to_noise is None else self.signal_to_noise
            return
        if self._learns:
            numbers = settings.first_guess() if core.generation == 0 else core.model
        else:
            rate = settings.rate(core.width, weight)
            numbers = rate, settings.ratio(rate, weight, squares / weight if weight > 0 else 1.0)
        if numbers != core.model:
            core.set_model(*numbers, n_threads_of(self.n_jobs))

    def _learn_label_model(self, core: Any, sample: Sample) -> None:
        if not self._learns or self.smoothing == "moments" or sample.copies.n_units < FEWEST_ROWS:
            return
        effort = self._effort(self._learns_again(core))
        n_trees = max(effort.fewest_smoothing, effort.most_smoothing // core.n_rows)
        numbers = learn_smoothing(
            core.smoothing_problem(min(N_TREES, n_trees), sample.copies.groups),
            core.query(self._rule_of(core, Calibration()))[0],
            sample.mean_weight,
            (self.drift_rate, self._settings().known_ratio()),
            effort.n_searches,
        )
        core.set_model(*numbers, n_threads_of(self.n_jobs))

    def _calibrated(self, core: Any, sample: Sample, rates: Floats) -> dict[str, Any]:
        most, n_units = self._EFFORT.most_calibrating, sample.copies.n_units
        if not self._learns or self.smoothing == "moments" or n_units < FEWEST_ROWS or most == 0:
            return {"_calibration": Calibration(), "_noise": None}
        rule, n_threads = self._rule_of(core, Calibration()), n_threads_of(self.n_jobs)
        units, of_units = sample.units
        some = np.unique(np.linspace(0, n_units - 1, min(n_units, most)).astype(np.intp))
        places, weights = units[some].astype(np.uint32), _of(of_units, some)
        said = core.leave_one_out_by_tree(rule, places, sample.copies.groups, n_threads)
        rows = LeftOut(sample.labels[places], weights, *said)
        fixed, known_ratio = (self.drift_variance, self.noise_variance), self.signal_to_noise
        is_free = fixed == (None, None) and known_ratio is None
        weight, _, squares = core.label_moments
        variance = squares / weight
        learns_distance = is_free and n_units >= FEWEST_FAR
        found = learn_calibration(rows, fixed, known_ratio, 0.0 if learns_distance else variance)
        if math.isnan(found.variance) or not learns_distance:
            return {"_calibration": found, "_noise": None}
        slabs = self._left_out_slabs(core, sample, rates)
        found = with_distance(found, rows, slabs, variance, 1.0 / (core.model[1] * sample.mean_weight))
        noise, factors = None, np.ones(n_units)
        if n_units >= FEWEST_NOISY:
            mean, within, between = core.leave_one_out(rule, core.n_trees, sample.copies.groups, n_threads)
            errors = (sample.labels - mean) ** 2 / (found.variances(within) + found.spread**2 * between)
            noise, factors = learn_noise(sample.X[units], errors[units], of_units, self._new_noise_forest, core.seed)
        return {"_calibration": with_tails(found, rows, factors[some]), "_noise": noise}

    def _left_out_slabs(self, core: Any, sample: Sample, rates: Floats) -> list[LeftOut]:
        """Slabs of rows, left out one after another; asks some of the trees."""
        rule, n_threads = self._rule_of(core, Calibration()), n_threads_of(self.n_jobs)
        units, weights = sample.units
        n_trees = min(core.n_trees, max(5, MOST_SLAB_WORK // units.size))
        slabs = []
        for out, asked in draw_slabs(sample.X, units, rates if rates.size else np.ones(core.width), core.seed):
            places = units[asked].astype(np.uint32)
            said = core.leave_rows_out_by_tree(rule, n_trees, out, places, n_threads)
            slabs.append(LeftOut(sample.labels[places], _of(weights, asked), *said))
        return slabs

    def _new_noise_forest(self) -> Any:
        """A forest for the logarithms of squared residuals: it has neither intervals nor noise of its own."""
        raise NotImplementedError

    def _new_small_forest(self) -> Any:
        """A forest for some of the rows, that is asked what it says of each without it."""
        raise NotImplementedError

    def _rule(self) -> _core.QueryRule:
        return self._rule_of(self._core, self._calibration)

    def _rule_of(self, core: Any, calibration: Calibration) -> _core.QueryRule:
        """The core tells which model it is: parameters may have been set to something else since it began."""
        if isinstance(core, _core.MomentsForest):
            return self._settings().moments_rule(self._noise_ratio, self._origin, self._learns)
        if isinstance(core, _core.ExponentialForest):
            return self._settings().learned_rule(core.model, calibration, self._origin)
        return self._settings().hierarchy_rule(core.model, self._origin)

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        state = super()._fitted_state()
        if state is not None:
            is_hierarchy = not isinstance(self._core, _core.MomentsForest)
            model = list(self._core.model) if is_hierarchy else [self._noise_ratio]
            calibration = None if math.isnan(self._calibration.variance) else list(self._calibration)
            noise, arrays = (None, {}) if self._noise is None else self._noise.described()
            target, of_target = self._target.described()
            state[0].update(origin=self._origin, model=model, calibration=calibration, noise=noise, target=target)
            state[1].update(arrays | of_target)
        return state

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        self._origin = float(numbers["origin"])
        self._calibration, self._noise = Calibration(), None
        if numbers["calibration"] is not None:
            self._calibration = Calibration.from_numbers(numbers["calibration"])
        if numbers["noise"] is not None:
            self._noise = Noise.from_description(numbers["noise"], arrays, self._new_noise_forest())
        new_forest, width = self._new_small_forest, int(numbers["width"])
        self._target = target_from_description(numbers["target"], arrays, new_forest, width)
        self._restored_model = [float(number) for number in numbers["model"]]
        if not math.isfinite(self._origin):
            raise ValueError("its origin is not finite")
        if not all(math.isfinite(number) and number > 0 for number in self._restored_model):
            raise ValueError("its smoothing is not positive and finite")
        super()._restore_fitted_state(numbers, arrays)
        del self._restored_model

    def _restore_label_model(self, core: Any) -> None:
        if self.smoothing == "hierarchy":
            rate, ratio = self._restored_model
            core.set_model(rate, ratio, 1)
        else:
            (self._noise_ratio,) = self._restored_model


def _number(y: Any) -> float:
    try:
        return float(y)
    except (TypeError, ValueError):
        raise ValueError(f"a label must be a number, got {y!r}") from None


def _finite(y: Any) -> Floats:
    labels = np.asarray(y, dtype=np.float64)
    if not np.isfinite(labels).all():
        raise ValueError("y contains NaN or infinity; every label must be a finite number")
    return labels


def _of(weights: Floats, places: npt.NDArray[np.intp]) -> Floats:
    return weights[places] if weights.size else weights
