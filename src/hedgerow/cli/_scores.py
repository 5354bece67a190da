"""Scores of predictions of rows that were not learned, and what they are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hedgerow.cli._honest import Honest, honest_predictions
from hedgerow.cli._output import Output, UsageError
from hedgerow.cli._training import Training
from hedgerow.metrics import crps

CONFIDENCE = 0.9
LEVELS = (np.arange(50) + 0.5) / 50
"""Of the quantiles that the CRPS is computed from, the same for all models."""
LEAST_ROWS = 10
"""With fewer, nothing is scored."""
LEAST_SHOWN = 0.0005
"""Columns that matter less are not listed."""
LEAST_PROBABILITY = 1e-15
"""A class that was thought impossible costs the log of this, not infinitely much."""

NEARLY_ALONE, NEARLY_NO_ERROR = 0.9, {"RMSE": 0.05, "log loss": 0.25}
"""Importance of a column, and error as a share of the baseline's, from which a model is too good to be believed."""

Scores = dict[str, float]


def check_confidence(*confidences: float) -> None:
    """Refuse what is no probability."""
    wrong = [value for value in confidences if not 0 < value < 1]
    if wrong:
        raise UsageError(f"--confidence must lie between 0 and 1, got {wrong[0]}")


def number_scores(y: Any, mean: Any, interval: Any, quantiles: Any = None) -> Scores:
    """Scores of means and intervals, and of quantiles at LEVELS if there are any."""
    errors, spread = y - mean, float(np.sum((y - y.mean()) ** 2))
    scores = {
        "RMSE": float(np.sqrt(np.mean(errors**2))),
        "MAE": float(np.mean(np.abs(errors))),
        "R2": 1 - float(np.sum(errors**2)) / spread if spread > 0 else float("nan"),
    }
    if quantiles is not None:
        scores["CRPS"] = crps(y, quantiles, levels=LEVELS)
    covered = (interval[:, 0] <= y) & (y <= interval[:, 1])
    return scores | {"coverage": float(covered.mean()), "width": float(np.mean(interval[:, 1] - interval[:, 0]))}


def class_scores(y: Any, probabilities: Any, classes: Any) -> Scores:
    """Scores of probabilities, columns in the order of `classes`; a label may be none of them."""
    places = {label: place for place, label in enumerate(np.asarray(classes).tolist())}
    own = np.array([places.get(label, -1) for label in np.asarray(y).tolist()])
    given = np.where(own >= 0, probabilities[np.arange(len(own)), own], 0.0)
    return {
        "log loss": float(-np.mean(np.log(np.maximum(given, LEAST_PROBABILITY)))),
        "accuracy": float(np.mean(np.argmax(probabilities, axis=1) == own)),
    }


def quantile_levels(confidence: float) -> Any:
    """Levels to ask for: LEVELS, then the ends of the interval."""
    return np.append(LEVELS, [0.5 - confidence / 2, 0.5 + confidence / 2])


def scores_of(model: Any, X: Any, y: Any, task: str, confidence: float) -> Scores:
    """Scores of a model of this library on rows that it has not learned."""
    if task == "classification":
        return class_scores(y, model.predict_proba(X), model.classes_)
    quantiles = model.predict_quantiles(X, quantile_levels(confidence))
    return number_scores(y, model.predict(X), quantiles[:, -2:], quantiles[:, :-2])


def baseline_scores(y: Any, y_new: Any, task: str, confidence: float) -> Scores:
    """Scores without any column: of the mean and quantiles of targets, or of how common classes are."""
    if task == "classification":
        classes, counts = np.unique(y, return_counts=True)
        return class_scores(y_new, np.tile(counts / counts.sum(), (len(y_new), 1)), classes)
    quantiles = np.tile(np.quantile(y, quantile_levels(confidence)), (len(y_new), 1))
    return number_scores(y_new, np.full(len(y_new), y.mean()), quantiles[:, -2:], quantiles[:, :-2])


def show_honest_scores(out: Output, model: Any, rows: Training, confidence: float) -> list[dict[str, Any]]:
    """Show how well a fitted model predicts rows that it has not learned, beside a baseline, and return that."""
    if len(rows) < LEAST_ROWS:
        out.say(f"{len(rows)} rows are too few to say how well the model predicts")
        return []
    honest = honest_predictions(out, model, rows)
    intervals = f"; intervals of {confidence:.0%}" if rows.task == "regression" else ""
    scores = beside_baseline(model, honest, confidence)
    out.table("scores", scores, f"Scores, {honest.how}{intervals}")
    out.facts(scored_by=honest.how, confidence=confidence)
    return scores


def too_good(scores: Sequence[Mapping[str, Any]], strongest: Sequence[tuple[str, float]], target: str) -> str:
    """Return a warning if one column gives the target nearly without error: it may be known only afterwards."""
    if not scores or not strongest or strongest[0][1] < NEARLY_ALONE:
        return ""
    own, baseline = scores
    measure = "RMSE" if "RMSE" in own else "log loss"
    if own[measure] > NEARLY_NO_ERROR[measure] * baseline[measure]:
        return ""
    return f"{strongest[0][0]!r} alone tells {target!r} nearly without error: is it known before {target!r} is?"


def beside_baseline(model: Any, honest: Honest, confidence: float) -> list[dict[str, Any]]:
    """Return the scores of a model, and those without any column."""
    if honest.task == "classification":
        scores = class_scores(honest.y, honest.probabilities, honest.classes)
    else:
        quantiles = None if honest.quantiles is None else honest.quantiles(LEVELS)
        scores = number_scores(honest.y, honest.mean, honest.interval(confidence), quantiles)
    baseline = baseline_scores(honest.y_learned, honest.y, honest.task, confidence)
    named = {type(model).__name__: scores, BASELINES[honest.task]: {name: baseline[name] for name in scores}}
    return [{"model": name, **each} for name, each in named.items()]


BASELINES = {"regression": "always the mean", "classification": "class frequencies"}


def show_strongest(out: Output, model: Any, most: int = 10) -> list[tuple[str, float]]:
    """Show which columns matter most, where a model has importances, and return them."""
    importances = getattr(model, "feature_importances_", None)
    if importances is None:
        return []
    names = list(getattr(model, "feature_names_in_", range(len(importances))))
    order = np.argsort(importances)[::-1]
    ranked = [(str(names[place]), float(importances[place])) for place in order]
    rows = [{"column": name, "importance": value} for name, value in ranked]
    shown = rows[: min(most, int(np.sum(importances >= LEAST_SHOWN)))]
    out.table("importances", shown, "Strongest columns")
    out.facts(importances=rows)
    return ranked
