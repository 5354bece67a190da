"""Every model and variant, and what it can do. Each property in `tests/laws` is tested on all that can.

A new model is one line in `VARIANTS`. What it can do is looked up where it can be, so that nobody forgets to claim it.
"""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import hedgerow as hr
from thorough import THOROUGH

ONLY_ONLINE = (hr.OnlineForestRegressor, hr.OnlineConformalRegressor, hr.OnlineQuantileForestRegressor)
KERNELS = (hr.MondrianFeatures, hr.MondrianKernelRidge)
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


# name of a variant: how to make one, with nothing learned
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
    "forest, keyed": lambda: forest(cuts="keyed"),
    "forest, two targets": forest,
    "forest, two targets, window": lambda: forest(window=70),
    "class forest": class_forest,
    "class forest, paper": lambda: class_forest(hyperparameters="paper"),
    "class forest, unpaused": lambda: class_forest(base="empirical", pause_pure=False),
    "class forest, window": lambda: class_forest(window=70),
    "class forest, keyed": lambda: class_forest(cuts="keyed"),
    "class forest, balanced": lambda: class_forest(class_weight="balanced"),
    "boosting": boosting,
    "boosting, positive": lambda: boosting(target="positive"),
    "boosting, plain": lambda: boosting(max_stages=1, linear=False, shape="common"),
    "boosting, two targets": boosting,
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


LIKE_OTHERS = {
    "forest, positive",
    "forest, two targets, window",
    "boosting, positive",
    "boosting, plain",
    "class boosting, balanced",
    "conformal, Mondrian, normalised",
}
"""Variants that add little to others and take long: properties are tested on them in the thorough run only."""
IN_TURN = [("boosting", "boosting, two targets"), ("kernel ridge", "kernel ridge, iterative")]
"""Pairs of a class that take longest: a property is tested on one of each, and on both in the thorough run."""


@dataclass(frozen=True)
class Case:
    """One variant of a model."""

    name: str
    new: Callable[[], Any]

    @cached_property
    def kind(self) -> type:
        return type(self.new())

    @cached_property
    def parameters(self) -> dict[str, Any]:
        return self.new().get_params()

    def can(self, method: str) -> bool:
        return hasattr(self.kind, method)

    def takes(self, method: str, argument: str) -> bool:
        return self.can(method) and argument in inspect.signature(getattr(self.kind, method)).parameters

    @property
    def classes(self) -> bool:
        return self.can("predict_proba")

    @property
    def regresses(self) -> bool:
        return self.can("predict_dist") or self.can("predict_interval")

    @property
    def several(self) -> bool:
        """Whether rows have several targets."""
        return "two targets" in self.name

    @property
    def takes_several(self) -> bool:
        """Whether they may have."""
        return issubclass(self.kind, hr.MondrianForestRegressor | hr.MondrianBoostingRegressor)

    @property
    def predicts(self) -> bool:
        return self.can("predict")

    @property
    def weighs(self) -> bool:
        return self.takes("fit", "sample_weight")

    @property
    def online(self) -> bool:
        return self.can("partial_fit") and self.parameters.get("class_weight") != "balanced"

    @property
    def learns_rows(self) -> bool:
        return self.online and self.can("predict_one")

    @property
    def forecasts(self) -> bool:
        return self.online and self.can("predict_then_learn")

    @property
    def says_more(self) -> bool:
        """Whether forecasts can be distributions or moments."""
        return self.forecasts and self.takes("predict_then_learn", "returns")

    @property
    def only_online(self) -> bool:
        """Whether `fit` is `partial_fit` from the beginning."""
        return issubclass(self.kind, ONLY_ONLINE)

    @property
    def unlearns(self) -> bool:
        return self.can("unlearn")

    @property
    def renumbers(self) -> bool:
        """Whether files may number rows, or cells, differently: where numbers are used again, or cells come late."""
        return self.parameters.get("window") is not None or issubclass(self.kind, KERNELS)

    @property
    def repeats_one_target(self) -> bool:
        """Whether the mean after one row is its target: not with a prior, nor where targets are transformed."""
        return self.regresses and self.can("partial_fit") and self.parameters.get("target", "auto") == "auto"

    @property
    def copies(self) -> bool:
        """Whether a row of weight two is two rows, in batch: not where the order of rows matters."""
        ordered = self.only_online or self.parameters.get("window") is not None
        return self.weighs and not ordered and self.parameters.get("solver") != "iterative"

    @property
    def jobs(self) -> str | None:
        """Name of the parameter that says how many threads."""
        return next((name for name in ("n_jobs", "base__n_jobs") if name in self.parameters), None)

    def data(self, n: int = 400, seed: int = 0) -> tuple[Any, Any]:
        """Return rows of three columns and targets, or labels, of the kind that the model takes."""
        X, y = draw_numbers(n, seed)
        if self.classes:
            return X, draw_labels(X, seed)
        if self.several:
            return X, np.column_stack([y, 100.0 * X[:, 2] - 5.0 * y + draw_numbers(n, seed + 1)[1]])
        return X, np.round(np.abs(y) * 3) + 1 if self.parameters.get("target") in ("positive", "count") else y

    def fitted(self, n: int = 100) -> Any:
        return self.new().fit(*self.data(n))

    def seasoned(self) -> Any:
        """Return a model that has learned in all its ways, so that all arrays of its file hold something."""
        X, y = self.data(60)
        weights = np.linspace(1, 2, 60).round() if self.classes else np.linspace(0.75, 2, 60)
        model = self.new().fit(X[:40], y[:40], **self.weighted(weights[:40]))
        if self.online:
            model.partial_fit(X[40:], y[40:], **self.weighted(weights[40:]))
        if self.unlearns:
            model.unlearn(X[30:34], y[30:34], **self.weighted(weights[30:34]))
        return model

    def weighted(self, weights: Any) -> dict[str, Any]:
        return {"sample_weight": weights} if self.weighs else {}


CASES = [Case(name, new) for name, new in VARIANTS.items()]
BY_NAME = {case.name: case for case in CASES}


def every(*needed: str, one_a_class: bool = False, also: tuple[str, ...] = ()) -> Any:
    """Parametrise a test by `case`: all variants that have these properties or methods, or one of each class.

    Variants named in `also` are added. Unless the run is thorough, some take turns, by the name of the test.
    """
    chosen = [
        case for case in CASES if all(getattr(case, what) if hasattr(Case, what) else case.can(what) for what in needed)
    ]
    if not THOROUGH:
        chosen = [case for case in chosen if case.name not in LIKE_OTHERS]
    if one_a_class:
        chosen = list({case.kind: case for case in reversed(chosen)}.values())[::-1]
    chosen += [BY_NAME[name] for name in also]

    def parametrised(test: Any) -> Any:
        names = {case.name for case in chosen}
        turn = crc32(test.__name__.encode()) % 2
        left_out = set() if THOROUGH else {pair[turn] for pair in IN_TURN if names.issuperset(pair)}
        tested = [case for case in chosen if case.name not in left_out]
        return pytest.mark.parametrize("case", tested, ids=[case.name for case in tested])(test)

    return parametrised


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


# What a model knows, and what it says.

IN_MEMORY = Path("/dev/shm")  # where there is one: `save` waits for the disk


def bits(model: Any) -> bytes:
    """Return all that a model knows: the content of its file."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as folder:
        model.save(Path(folder) / "model")
        return (Path(folder) / "model").read_bytes()


ASKED = (
    "predict", "predict_proba", "transform", "apply", "cells", "score_samples", "predict_interval",
    "predict_uncertainty",
)  # fmt: skip
ATTRIBUTES = ("feature_importances_", "axis_rates_", "n_nodes_", "log_marginal_likelihood_", "target_")


def questions(model: Any, X: Any, y: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield everything that can be asked of a model about some rows, by name."""
    for name in ASKED:
        if hasattr(model, name):
            yield name, lambda name=name: getattr(model, name)(X)
    if hasattr(model, "predict_interval"):
        yield "std", lambda: model.predict(X, return_std=True)
        yield "quantiles", lambda: model.predict_quantiles(X, [0.1, 0.5, 0.9])
        yield "log_density", lambda: model.log_density(X, y)
        yield (
            "dist",
            lambda: [model.predict_dist(X).ppf([0.2, 0.7]), model.predict_dist(X).rvs(3, random_state=1)],
        )
    if hasattr(model, "predict_one"):
        yield "one", lambda: model.predict_one(X[3])
    if hasattr(model, "predict_proba_one"):
        yield "proba_one", lambda: sorted(model.predict_proba_one(X[3]).items())
    if hasattr(model, "query"):
        yield "query", lambda: model.query(X, 3)
    for name in ("loo_predict", "loo_predict_proba"):
        if hasattr(model, name):
            yield name, lambda name=name: tuple(getattr(model, name)())
    for name in ATTRIBUTES:
        if hasattr(model, name):
            yield name, lambda name=name: getattr(model, name)


def answers(model: Any, X: Any, y: Any) -> dict[str, bytes]:
    """Return all that a model says about some rows, as bytes; of a question that it refuses, the words."""
    given = {}
    for name, ask in questions(model, X, y):
        try:
            given[name] = b"".join(as_bytes(ask()))
        except (ValueError, AttributeError) as error:
            given[name] = str(error).encode()
    return given


def numbers(model: Any, X: Any) -> Any:
    """Return what a model says about rows, as one array of numbers: means and intervals, probabilities, or cells."""
    if hasattr(model, "predict_interval"):
        mean, std = model.predict(X, return_std=True)
        return np.column_stack([mean, std, model.predict_interval(X).reshape(len(mean), -1)])
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.transform(X).toarray()


def make_sense(found: Any) -> bool:
    """Tell whether such numbers could be: finite, but for ends of intervals, which may not be known yet."""
    return bool(np.isfinite(found[:, :2]).all() and not np.isnan(found).any())


def as_bytes(answer: Any) -> Iterator[bytes]:
    if isinstance(answer, list | tuple):
        for inner in answer:
            yield from as_bytes(inner)
    elif hasattr(answer, "toarray"):
        yield from as_bytes(answer.toarray())
    elif isinstance(answer, np.ndarray) and answer.dtype != object:
        yield repr(answer.shape).encode() + np.ascontiguousarray(answer).tobytes()
    elif isinstance(answer, np.ndarray):
        yield repr(answer.tolist()).encode()
    else:
        yield repr(answer).encode()


def row_by_row(model: Any, X: Any, y: Any) -> Any:
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
    return model
