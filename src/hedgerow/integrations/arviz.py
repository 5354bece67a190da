"""Draws of BART for ArviZ, as ``InferenceData`` or, from ArviZ 1 on, as ``DataTree``: plots, summaries, comparison."""

from __future__ import annotations

from typing import Any

try:
    import arviz
except ImportError as error:
    raise ImportError("to_arviz needs ArviZ: pip install 'hedgerow[arviz]'") from error

__all__ = ["to_arviz"]


def to_arviz(model: Any, X: Any = None, y: Any = None) -> Any:
    """Return a fitted `BARTRegressor` or `BARTClassifier` as ``arviz.InferenceData``; in ArviZ 1 as ``DataTree``.

    Parameters
    ----------
    model : fitted BARTRegressor or BARTClassifier
        Whose draws.
    X : array or frame of shape (n_samples, n_features), optional
        Rows whose predictions are the variable "prediction". Default: the rows that `diagnostics` follows.
    y : array of shape (n_samples,), optional
        Targets or labels of these rows: adds the group "log_likelihood", row by row.

    Returns
    -------
    data : arviz.InferenceData or xarray.DataTree
        Group "posterior" has "noise" (for numbers), "n_leaves", "prediction" and, if noise varies, "noise_of_row";
        group "sample_stats" has "lp", the log likelihood of all rows learned, and "root_changes".

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import BARTRegressor
    >>> X = np.linspace(0, 1, 50).reshape(-1, 1)
    >>> model = BARTRegressor(10, n_chains=1, n_draws=50, n_burn_in=50, random_state=0).fit(X, X[:, 0] ** 2)
    >>> data = model.to_arviz()  # doctest: +SKIP
    """
    if y is not None and X is None:
        raise ValueError("y are the targets of X: give both, or neither")
    trace = model.trace_
    shape = next(iter(trace.values())).shape
    rows = model._followed(X)
    drawn = {name: draws.reshape(*shape, *draws.shape[1:]) for name, draws in model._draws_at(rows.X).items()}
    posterior = {name: trace[name] for name in ("noise", "n_leaves") if name in trace}
    posterior["prediction"] = drawn["predictions"]
    if "noise_of_rows" in drawn:
        posterior["noise_of_row"] = drawn["noise_of_rows"]
    coords: dict[str, Any] = {"row": rows.rows}
    if drawn["predictions"].ndim == 4:
        coords["class"] = [str(label) for label in model.classes_]
    groups: dict[str, Any] = {
        "posterior": posterior,
        "sample_stats": {"lp": trace["log_likelihood"], "root_changes": trace["root_changes"]},
    }
    if y is not None:
        groups["log_likelihood"] = {"y": model._log_likelihoods_at(rows.X, y).reshape(*shape, -1)}
    dims = {"prediction": ["row", "class"][: drawn["predictions"].ndim - 2], "noise_of_row": ["row"], "y": ["row"]}
    made_by = {"inference_library": "hedgerow"}
    if arviz.__version__.startswith("0."):
        return arviz.from_dict(**groups, coords=coords, dims=dims, attrs=made_by)
    return arviz.from_dict(groups, coords=coords, dims=dims, attrs={"/": made_by})
