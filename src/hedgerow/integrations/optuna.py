"""Mondrian forests as a sampler for Optuna: its studies, pruners and storages, at a cost that does not grow."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from hedgerow.optimize import Categorical, Integer, Optimizer, Parameter, Real

try:
    from optuna.distributions import (
        BaseDistribution,
        CategoricalDistribution,
        IntDistribution,
    )
    from optuna.samplers import BaseSampler, RandomSampler
    from optuna.study import Study, StudyDirection
    from optuna.trial import FrozenTrial, TrialState
except ImportError as error:
    raise ImportError("hedgerow.integrations.optuna needs optuna: pip install 'hedgerow[optuna]'") from error

__all__ = ["MondrianSampler"]


class MondrianSampler(BaseSampler):  # type: ignore[misc]
    """Optuna's sampler by a `hedgerow.optimize.Optimizer`.

    All parameters that trials had so far are sampled together, those too that are only there sometimes; one that is
    asked for the first time, or whose range keeps changing, is drawn at random. Pruned trials count with the value they
    reported last, or with the median if that is worse; failed trials count as failed. For one objective only.

    Parameters
    ----------
    seed : int, optional
        Random seed.
    **parameters
        As for `Optimizer`: `acquisition`, `exploration`, `n_initial`, `n_candidates`, `local_search`, `surrogate`.

    Examples
    --------
    >>> import optuna
    >>> from hedgerow.integrations.optuna import MondrianSampler
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(sampler=MondrianSampler(seed=0))
    >>> study.optimize(lambda trial: (trial.suggest_float("x", -10, 10) - 2) ** 2, n_trials=30)
    >>> round(study.best_params["x"], 2)
    2.0
    """

    _study_id: int | None
    _finished: list[FrozenTrial]  # in the order in which they were seen to be finished
    _waiting: list[int]  # numbers of trials that were seen unfinished
    _distributions: dict[str, BaseDistribution | None]  # None where trials differ
    _optimizer: Optimizer | None
    _search_space: dict[str, BaseDistribution]
    _asked: dict[int, dict[str, Any]]  # points by number of trial

    def __init__(self, seed: int | None = None, **parameters: Any) -> None:
        if "random_state" in parameters or "bounds" in parameters:
            raise TypeError("a sampler takes a seed, and its space from the trials; leave out random_state and bounds")
        Optimizer([(0, 1)], **parameters)  # to hear now of parameters that cannot be
        self._parameters = parameters
        self._random = RandomSampler(seed=seed)
        self._seeds = np.random.SeedSequence(seed)
        self._lock = threading.RLock()
        self._begin()

    # What Optuna calls.

    def reseed_rng(self) -> None:
        """Begin another randomness, as parallel workers need."""
        with self._lock:
            self._random.reseed_rng()
            self._seeds = np.random.SeedSequence()
            self._begin()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Return all parameters of finished trials that had the same range in each of them."""
        self._raise_error_if_multi_objective(study)
        with self._lock:
            self._look_at(study)
            space = sorted(self._distributions.items())
            return {name: found for name, found in space if found is not None and not found.single()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return a value for each parameter."""
        self._raise_error_if_multi_objective(study)
        if not search_space:
            return {}
        with self._lock:
            self._look_at(study)
            if self._optimizer is None or search_space != self._search_space:
                seed = int(self._seeds.spawn(1)[0].generate_state(1)[0])
                self._search_space, self._n_told, self._asked = dict(search_space), 0, {}
                bounds = {name: _parameter(distribution) for name, distribution in search_space.items()}
                self._optimizer = Optimizer(bounds, random_state=seed, **self._parameters)
            self._tell_finished(study)
            point = self._optimizer.ask()
            self._asked[trial.number] = point
            return {name: _external(search_space[name], value) for name, value in point.items()}

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """Return a random value: nothing is known of this parameter yet."""
        self._raise_error_if_multi_objective(study)
        return self._random.sample_independent(study, trial, param_name, param_distribution)

    # Below: private.

    def _begin(self, study_id: int | None = None) -> None:
        """Know nothing of any trial."""
        self._study_id = study_id
        self._finished, self._waiting, self._n_seen = [], [], 0
        self._distributions, self._search_space, self._asked = {}, {}, {}
        self._optimizer, self._n_told = None, 0

    def _look_at(self, study: Study) -> None:
        """Take note of trials that have finished since last time, whoever ran them."""
        if self._study_id != study._study_id:
            self._begin(study._study_id)
        trials = study.get_trials(deepcopy=False)
        waiting = []
        for number in [*self._waiting, *range(self._n_seen, len(trials))]:
            trial = trials[number]
            if not trial.state.is_finished():
                waiting.append(number)
                continue
            self._finished.append(trial)
            if trial.state != TrialState.FAIL:
                for name, distribution in trial.distributions.items():
                    known = self._distributions.setdefault(name, distribution)
                    if known is not None and known != distribution:
                        self._distributions[name] = None
        self._waiting, self._n_seen = waiting, len(trials)

    def _tell_finished(self, study: Study) -> None:
        assert self._optimizer is not None
        sign = -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0
        for trial in self._finished[self._n_told :]:
            point = self._point(trial)
            if point is not None:
                self._optimizer.tell(point, self._value(trial, sign))
        self._n_told = len(self._finished)

    def _point(self, trial: FrozenTrial) -> dict[str, Any] | None:
        """Return the point of a trial, or None if it is not in the space.

        What the trial did not use is as it was proposed, or else amid its range.
        """
        point = self._asked.pop(trial.number, {})
        for name, distribution in self._search_space.items():
            if name in trial.params:
                if not distribution._contains(distribution.to_internal_repr(trial.params[name])):
                    return None
                point[name] = _internal(distribution, trial.params[name])
            elif name not in point:
                point[name] = _parameter(distribution).from_unit(0.5)
        return point if any(name in trial.params for name in self._search_space) else None

    def _value(self, trial: FrozenTrial, sign: float) -> float | None:
        """Return what is to be minimised; None for a failed trial."""
        if trial.state == TrialState.COMPLETE:
            return sign * float(trial.value)
        if trial.state == TrialState.PRUNED and trial.last_step is not None:
            last = sign * float(trial.intermediate_values[trial.last_step])
            found = self._optimizer.result().values if self._optimizer is not None else np.empty(0)
            found = found[~np.isnan(found)]
            return max(last, float(np.median(found))) if found.size else last
        return None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()


def _parameter(distribution: BaseDistribution) -> Parameter:
    """Return what hedgerow calls the parameter; one with a step is the number of steps."""
    if isinstance(distribution, CategoricalDistribution):
        return Categorical(range(len(distribution.choices)))
    if distribution.step is not None and not distribution.log:
        return Integer(0, round((distribution.high - distribution.low) / distribution.step))
    kind: Any = Integer if isinstance(distribution, IntDistribution) else Real
    return kind(distribution.low, distribution.high, log=distribution.log)  # type: ignore[no-any-return]


def _external(distribution: BaseDistribution, value: Any) -> Any:
    """Return the value that Optuna knows for one of ours."""
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[value]
    if distribution.step is not None and not distribution.log:
        return min(distribution.low + value * distribution.step, distribution.high)
    return value


def _internal(distribution: BaseDistribution, value: Any) -> Any:
    """Return our value for one of Optuna's."""
    if isinstance(distribution, CategoricalDistribution):
        return int(distribution.to_internal_repr(value))
    if distribution.step is not None and not distribution.log:
        return round((value - distribution.low) / distribution.step)
    return value
