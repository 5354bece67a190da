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

from models import CASES, Case, as_bytes, questions, row_by_row

N = 220


def learned(case: Case) -> dict[str, Any]:
    """Return the model after each way of learning that it has."""
    X, y = case.data(N)
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


def said(case: Case, model: Any) -> dict[str, Any]:
    """Return all that a model says about some rows, near and far."""
    X, y = case.data(N)
    asked = np.concatenate([X[:25], X[:15] * 1.7 - 0.4])
    at = np.concatenate([y[:25], y[:15]])
    to_ask = dict(questions(model, asked, at))
    if hasattr(model, "predict_then_learn"):
        to_ask |= {"forecasts": lambda: forecasts(model, asked, at), "after": lambda: model.predict(asked)}
    answers: dict[str, Any] = {}
    for name, ask in to_ask.items():
        try:
            answers[name] = ask()
        except Exception as error:
            answers[name] = type(error).__name__
    return answers


def forecasts(model: Any, X: Any, y: Any) -> Any:
    made = model.predict_then_learn(X, y)
    if hasattr(made, "interval"):
        return [made.mean(), made.std(), made.interval(0.9)] if hasattr(made, "mean") else made.interval(0.9)
    return made


def digest(answer: Any) -> str:
    return hashlib.sha256(b"".join(as_bytes(answer))).hexdigest()[:16]


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
