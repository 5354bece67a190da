"""Every model and variant, with what it can do. Laws in `tests/laws` run over all that claim a capability.

A new model is one line here. Capabilities are facts of the class that are looked up (`online`, `unlearns`, `classes`,
...) where they can be, so that nobody forgets to claim one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pytest

import hedgerow as hr

ONLINE_FOREST = {"n_estimators": 4, "grace_period": 20, "random_state": 1}
FEW_DRAWS = {"n_estimators": 8, "n_chains": 2, "n_burn_in": 10, "n_draws": 10, "random_state": 3, "progress": False}


def online_forest(**changed: Any) -> Any:
    return hr.OnlineForestRegressor(**{**ONLINE_FOREST, **changed})


def conformal(base: Any = None, **changed: Any) -> Any:
    base = online_forest() if base is None else base
    return hr.OnlineConformalRegressor(base, **{"calibration_size": 60, **changed})


def forest(**changed: Any) -> Any:
    return hr.MondrianForestRegressor(**{"n_estimators": 7, "random_state": 3, **changed})


def class_forest(**changed: Any) -> Any:
    return hr.MondrianForestClassifier(**{"n_estimators": 7, "random_state": 3, **changed})


def boosting(**changed: Any) -> Any:
    return hr.MondrianBoostingRegressor(**{"n_estimators": 5, "random_state": 3, **changed})


def class_boosting(**changed: Any) -> Any:
    return hr.MondrianBoostingClassifier(**{"n_estimators": 5, "random_state": 3, **changed})


def ridge(**changed: Any) -> Any:
    return hr.MondrianKernelRidge(**{"n_estimators": 5, "random_state": 3, **changed})


def bart(**changed: Any) -> Any:
    return hr.BARTRegressor(**{**FEW_DRAWS, **changed})


def class_bart(**changed: Any) -> Any:
    return hr.BARTClassifier(**{**FEW_DRAWS, **changed})


def tree(**changed: Any) -> Any:
    return hr.BayesianTreeRegressor(**{"n_particles": 30, "n_islands": 2, "random_state": 3, **changed})


def class_tree(**changed: Any) -> Any:
    return hr.BayesianTreeClassifier(**{"n_particles": 30, "n_islands": 2, "random_state": 3, **changed})


VARIANTS: dict[str, Callable[[], Any]] = {
    "forest": forest,
    "forest, paper": lambda: forest(hyperparameters="paper"),
    "forest, moments": lambda: forest(smoothing="moments"),
    "forest, rank": lambda: forest(scaling="rank"),
    "forest, unscaled": lambda: forest(scaling="none", min_samples_split=2),
    "forest, window": lambda: forest(window=70, min_samples_split=3),
    "forest, lifetime": lambda: forest(lifetime=2.0),
    "forest, positive": lambda: forest(target="positive"),
    "forest, counts": lambda: forest(target="count"),
    "class forest": class_forest,
    "class forest, paper": lambda: class_forest(hyperparameters="paper"),
    "class forest, unpaused": lambda: class_forest(base="empirical", pause_pure=False),
    "class forest, window": lambda: class_forest(window=70),
    "class forest, balanced": lambda: class_forest(class_weight="balanced"),
    "boosting": boosting,
    "boosting, positive": lambda: boosting(target="positive"),
    "boosting, plain": lambda: boosting(max_stages=1, linear=False, shape="common"),
    "class boosting": class_boosting,
    "class boosting, balanced": lambda: class_boosting(class_weight="balanced"),
    "kernel features": lambda: hr.MondrianFeatures(n_estimators=5, random_state=3),
    "kernel ridge": ridge,
    "kernel ridge, fixed": lambda: ridge(lifetime=1.0, alpha=0.1, leaf_fit="independent"),
    "kernel ridge, iterative": lambda: ridge(solver="iterative"),
    "Bayesian tree": tree,
    "Bayesian tree, chain": lambda: tree(sampler="cgm", n_steps=200),
    "Bayesian tree, classes": class_tree,
    "Bayesian tree, classes, chain": lambda: class_tree(sampler="cgm", n_steps=200),
    "BART": bart,
    "BART, varying noise": lambda: bart(noise="varying"),
    "BART, grow and prune": lambda: bart(sampler="grow_prune"),
    "BART, particles": lambda: bart(sampler="pg"),
    "BART, classes": class_bart,
    "online forest": online_forest,
    "online forest, linear": lambda: online_forest(leaf_model="linear"),
    "online forest, Hoeffding": lambda: online_forest(
        split_test="hoeffding", split_confidence=1e-3, drift_detection="page_hinkley"
    ),
    "online forest, bounded": lambda: online_forest(max_nodes=9, leaf_capacity=25, drift_detection=False),
    "conformal": conformal,
    "conformal, all options": lambda: conformal(
        update_every=7, adaptive=True, normalised=True, size_matched=True, adaptation_rate=0.02
    ),
    "conformal, approximate": lambda: conformal(mode="approximate", adaptive=True, normalised=True),
    "conformal, Mondrian": lambda: conformal(forest(hyperparameters="paper")),
    "conformal, Mondrian, normalised": lambda: conformal(forest(hyperparameters="paper"), normalised=True),
    "quantile forest": lambda: hr.OnlineQuantileForestRegressor(online_forest()),
    "quantile forest, conformal": lambda: hr.OnlineQuantileForestRegressor(
        online_forest(max_nodes=9), sketch_size=16, conformal=True, calibration_size=50
    ),
}


@dataclass(frozen=True)
class Case:
    """One variant of a model."""

    name: str
    new: Callable[[], Any]

    @cached_property
    def kind(self) -> type:
        return type(self.new())

    def can(self, method: str) -> bool:
        return hasattr(self.kind, method)

    @property
    def classes(self) -> bool:
        return self.can("predict_proba")

    @property
    def regresses(self) -> bool:
        return self.can("predict_dist") or self.can("predict_interval")

    @property
    def online(self) -> bool:
        return self.can("partial_fit")

    @property
    def unlearns(self) -> bool:
        return self.can("unlearn")

    def data(self, n: int = 400, seed: int = 0) -> tuple[Any, Any]:
        """Return rows of three columns and targets, or labels, of the kind that the model takes."""
        X, y = draw_numbers(n, seed)
        return (X, draw_labels(X, seed)) if self.classes else (X, y)


CASES = [Case(name, new) for name, new in VARIANTS.items()]


def every(*needed: str) -> Any:
    """Parametrise a test by `case`: all variants that have these properties or methods."""
    chosen = [
        case for case in CASES if all(getattr(case, what) if hasattr(Case, what) else case.can(what) for what in needed)
    ]
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case.name)


def draw_numbers(n: int = 400, seed: int = 0) -> tuple[Any, Any]:
    """A step and a slope in two of three columns; targets turn over after three quarters."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3)) * [1.0, 1000.0, 1.0]
    y = 5.0 * (X[:, 0] > 0.5) + X[:, 1] / 500 + rng.normal(scale=0.2, size=n)
    y[3 * n // 4 :] *= -1
    return X, y


def draw_labels(X: Any, seed: int = 0) -> Any:
    """Three classes, with names, that follow two of the columns."""
    rng = np.random.default_rng(seed + 1)
    scores = 3.0 * (X[:, 0] > 0.4) + X[:, 1] / 500 + rng.normal(scale=0.3, size=len(X))
    return np.array(["blue", "green", "red"])[np.clip(scores / 2, 0, 2).astype(int)]
