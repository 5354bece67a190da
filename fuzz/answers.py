"""What is wrong with the answers of a model: numbers that cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hedgerow import BayesianTreeRegressor

ROUNDING = 1e-6


def complaints(model: Any, method: str, answer: Any, asked: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with an answer to a question that was not refused."""
    parts = answer if isinstance(answer, tuple) else (answer,)
    is_right = _is_no_nan if isinstance(model, INFINITE_VARIANCES) else np.isfinite
    if method in FINITE and not all(is_right(_numbers(part)).all() for part in parts):
        yield f"not finite: {answer!r:.300}"
    if method in ("predict", "predict_one") and isinstance(answer, tuple) and (_numbers(answer[1]) < 0).any():
        yield f"a negative standard deviation: {answer[1]!r:.300}"
    if method in ("std", "predict_uncertainty") and any((_numbers(part) < -ROUNDING).any() for part in parts):
        yield f"negative: {answer!r:.300}"
    if method in ("predict_quantiles", "ppf"):
        yield from _quantiles(answer, asked.get("quantiles", asked.get("q")))
    if method in ("predict_interval", "interval") and not _ends_are_in_order(answer, asked.get("confidence")):
        yield f"the ends of an interval are not in order: {answer!r:.300}"
    if method in ("predict_proba", "predict_log_proba"):
        shares = np.exp(answer) if method == "predict_log_proba" else answer
        yield from _shares(shares.sum(axis=1), shares)
    if method == "predict_proba_one" and answer:
        shares = np.array(list(answer.values()))
        yield from _shares(shares.sum(), shares)
    if method == "rvs" and np.isnan(answer).any():  # draws from what is not known yet may be infinite
        yield f"a draw is no number: {answer!r:.300}"
    if method in ("cdf", "pdf", "logpdf") and not np.isfinite(np.asarray(asked["y"], dtype=float)).all():
        return  # the answer to no number is no number
    if method == "cdf" and not ((answer >= 0) & (answer <= 1)).all():
        yield f"no probability: {answer!r:.300}"
    if method in ("log_density", "logpdf", "pdf") and (np.isnan(answer).any() or (answer == np.inf).any()):
        yield f"no density: {answer!r:.300}"
    if method == "pdf" and (answer < 0).any():
        yield f"a negative density: {answer!r:.300}"


FINITE = ("predict", "predict_one", "mean", "std", "covariance", "transform", "predict_uncertainty")
"""Methods whose answers are finite numbers, whatever was learned and asked."""

INFINITE_VARIANCES = (BayesianTreeRegressor,)
"""Models whose variance may be infinite: with `noise_df` of at most 1, in a leaf of one row."""


def _is_no_nan(numbers: Any) -> Any:
    return ~np.isnan(numbers)


def _numbers(part: Any) -> Any:
    """Return what can be compared with numbers; labels are fine whatever they are."""
    part = part.toarray() if hasattr(part, "toarray") else np.asarray(part)
    return part if part.dtype.kind in "biuf" else np.zeros(1)


def _quantiles(answer: Any, levels: Any) -> Iterator[str]:
    if np.isnan(answer).any():
        yield f"a quantile is no number: {answer!r:.300}"
    elif np.ndim(levels) == 1:
        order = np.argsort(np.asarray(levels, dtype=float), kind="stable")
        in_order = answer[..., order]
        if (in_order[..., 1:] < in_order[..., :-1]).any():
            yield f"quantiles are not in order: {answer!r:.300} of levels {levels!r:.100}"


def _ends_are_in_order(answer: Any, confidence: Any) -> bool:
    """Whether lower ends are below upper ones; of several confidences, in the axis before the last."""
    ends = answer if confidence is None or np.ndim(confidence) == 0 else np.moveaxis(answer, -2, -1)
    return bool((ends[..., 0] <= ends[..., 1]).all())


def _shares(totals: Any, shares: Any) -> Iterator[str]:
    if not (np.abs(totals - 1) < ROUNDING).all() or not ((shares >= 0) & (shares <= 1 + ROUNDING)).all():
        yield f"probabilities do not sum to one: {shares!r:.300}"
