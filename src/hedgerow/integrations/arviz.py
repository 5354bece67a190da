"""Draws of BART as ArviZ's ``InferenceData``: its plots, summaries and model comparison."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import norm

try:
    import arviz
except ImportError as error:
    raise ImportError("to_arviz needs ArviZ: pip install 'hedgerow[arviz]'") from error

__all__ = ["to_arviz"]


def to_arviz(model: Any, X: Any = None, y: Any = None) -> Any:
    """Return a fitted `BARTRegressor` or `BARTClassifier` as ``arviz.InferenceData``.

    Parameters
    ----------
    model : fitted BARTRegressor or BARTClassifier
        Whose draws.
    X : array or frame of shape (n_samples, n_features), optional
        Rows whose predictions are the variable "prediction". Default: the rows that `diagnostics` follows.
    y : array of shape (n_samples,), optional
        Labels of these rows: adds the group "log_likelihood", row by row.

    Returns
    -------
    data : arviz.InferenceData
        Group "posterior" has "noise" (for numbers), "n_leaves", "prediction" and, if noise varies, "noise_of_row";
        group "sample_stats" has "lp", the log likelihood of all labels learned, and "root_changes".

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import BARTRegressor
    >>> X = np.linspace(0, 1, 50).reshape(-1, 1)
    >>> model = BARTRegressor(10, n_chains=1, n_draws=50, n_burn_in=50, random_state=0).fit(X, X[:, 0] ** 2)
    >>> data = model.to_arviz()  # doctest: +SKIP
    """
    if y is not None and X is None:
        raise ValueError("y are the labels of X: give both, or neither")
    trace = model.trace_
    shape = next(iter(trace.values())).shape
    rows = model._probes if X is None else model._query_rows(X)
    drawn = model._draws(rows)
    posterior = {name: trace[name] for name in ("noise", "n_leaves") if name in trace}
    posterior["prediction"] = drawn.reshape(*shape, *drawn.shape[1:])
    dims = {"prediction": ["row", "class"][: drawn.ndim - 1], "noise_of_row": ["row"], "y": ["row"]}
    noise: Any = None if hasattr(model, "classes_") else model._noise_draws(rows)
    if model._chains.setup.varying is not None:
        posterior["noise_of_row"] = noise.reshape(*shape, -1)
    coords: dict[str, Any] = {"row": model._probe_rows if X is None else np.arange(drawn.shape[1])}
    if drawn.ndim == 3:
        coords["class"] = [str(label) for label in model.classes_]
    return arviz.from_dict(
        posterior=posterior,
        sample_stats={"lp": trace["log_likelihood"], "root_changes": trace["root_changes"]},
        log_likelihood=None if y is None else {"y": _log_likelihood(model, drawn, noise, y).reshape(*shape, -1)},
        coords=coords,
        dims=dims,
        attrs={"inference_library": "hedgerow"},
    )


def _log_likelihood(model: Any, drawn: Any, noise: Any, y: Any) -> Any:
    """Of each label under each draw, and its noise if there is any: shape (draws, rows)."""
    if noise is not None:
        return norm.logpdf(np.asarray(y, dtype=np.float64), drawn, noise)
    places = model._known_numbers_of(y).astype(int)
    if (places < 0).any():
        raise ValueError("y has classes that the model does not know")
    if drawn.ndim == 2:
        drawn = np.where(places == len(model.classes_) - 1, drawn, 1.0 - drawn)
        return np.log(np.maximum(drawn, 1e-300))
    return np.log(np.take_along_axis(drawn, places[None, :, None], axis=2)[:, :, 0])
