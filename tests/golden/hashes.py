"""Hashes of everything that each model predicts after each way of learning: the net under a change of code.

`python tests/golden/hashes.py` prints them. They depend on the machine's mathematics library, so they are compared
between two versions of the code on one machine (`--against file`), and are not kept.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from models import CASES, Case

N = 220


def learned(case: Case) -> dict[str, Any]:
    """Return the model after each way of learning that it has."""
    X, y = case.data(N)
    if "positive" in case.name or "counts" in case.name:
        y = np.round(np.abs(y) * 3) + 1
    if "kernel features" in case.name:
        return {"fit": case.new().fit(X)}
    weights = np.random.default_rng(5).integers(1, 3, size=N).astype(float)
    ways = {
        "fit": lambda: case.new().fit(X, y),
        "weights": lambda: case.new().fit(X, y, sample_weight=weights),
        "fit and partial_fit": lambda: case.new().fit(X[:100], y[:100]).partial_fit(X[100:], y[100:]),
        "rows": lambda: row_by_row(case.new(), X[:120], y[:120]),
        "unlearn": lambda: case.new().fit(X, y).unlearn(X[150:190], y[150:190]),
    }
    models = {}
    for name, way in ways.items():
        try:
            models[name] = way()
        except (TypeError, AttributeError, ValueError) as error:
            if name == "fit":
                raise
            models[name] = type(error).__name__
    return models


def row_by_row(model: Any, X: Any, y: Any) -> Any:
    for x, label in zip(X, y, strict=True):
        model.learn_one(x, label)
    return model


def said(case: Case, model: Any) -> dict[str, Any]:
    """Return all that a model says about some rows, near and far."""
    X, y = case.data(N)
    asked = np.concatenate([X[:25], X[:15] * 1.7 - 0.4])
    at = np.concatenate([y[:25], y[:15]])
    if "counts" in case.name or "positive" in case.name:
        at = np.round(np.abs(at) * 3) + 1
    answers: dict[str, Any] = {}

    def add(name: str, ask: Any) -> None:
        try:
            answers[name] = ask()
        except Exception as error:
            answers[name] = type(error).__name__

    methods = ("predict", "predict_proba", "transform", "apply", "cells", "predict_interval", "predict_uncertainty")
    for name in methods:
        if hasattr(model, name):
            add(name, lambda name=name: getattr(model, name)(asked))
    if case.regresses:
        add("std", lambda: model.predict(asked, return_std=True))
        add("quantiles", lambda: model.predict_quantiles(asked, [0.1, 0.5, 0.9]))
        add("log_density", lambda: model.log_density(asked, at))
        add(
            "dist",
            lambda: [model.predict_dist(asked).ppf([0.2, 0.7]), model.predict_dist(asked).rvs(3, random_state=1)],
        )
    add("one", lambda: model.predict_one(asked[3]))
    add("proba_one", lambda: sorted(model.predict_proba_one(asked[3]).items()))
    for name in ("loo_predict", "loo_predict_proba"):
        if hasattr(model, name):
            add(name, lambda name=name: tuple(getattr(model, name)()))
    for name in ("feature_importances_", "axis_rates_", "n_nodes_", "log_marginal_likelihood_", "target_"):
        add(name, lambda name=name: getattr(model, name))
    if hasattr(model, "predict_then_learn"):
        add("forecasts", lambda: forecasts(model, asked, at))
        add("after", lambda: model.predict(asked))
    return answers


def forecasts(model: Any, X: Any, y: Any) -> Any:
    made = model.predict_then_learn(X, y)
    if hasattr(made, "interval"):
        return [made.mean(), made.std(), made.interval(0.9)] if hasattr(made, "mean") else made.interval(0.9)
    return made


def digest(answer: Any) -> str:
    found = hashlib.sha256()

    def feed(part: Any) -> None:
        if isinstance(part, list | tuple):
            for inner in part:
                feed(inner)
        elif hasattr(part, "toarray"):
            feed(part.toarray())
        elif isinstance(part, np.ndarray) and part.dtype != object:
            found.update(repr(part.shape).encode() + np.ascontiguousarray(part).tobytes())
        elif isinstance(part, np.ndarray):
            found.update(repr(part.tolist()).encode())
        else:
            found.update(repr(part).encode())

    feed(answer)
    return found.hexdigest()[:16]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    hashes: dict[str, str] = {}
    for case in CASES:
        if options.only in case.name:
            for way, model in learned(case).items():
                if isinstance(model, str):
                    hashes[f"{case.name} / {way}"] = model
                    continue
                for what, answer in said(case, model).items():
                    hashes[f"{case.name} / {way} / {what}"] = answer if isinstance(answer, str) else digest(answer)
    if options.against is None:
        json.dump(hashes, sys.stdout, indent=1, ensure_ascii=False)
        return 0
    before = {name: found for name, found in json.loads(options.against.read_text()).items() if options.only in name}
    moved = [name for name in before if hashes.get(name) != before[name] and before[name] != "AttributeError"]
    for name in moved:
        print(f"{name}: {before[name]} -> {hashes.get(name)}")
    print(f"{len(before) - len(moved)} of {len(before)} the same")
    return bool(moved)


if __name__ == "__main__":
    sys.exit(main())
