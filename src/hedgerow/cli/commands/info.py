"""``hedgerow info``: what is in a model file."""

from __future__ import annotations

from inspect import signature
from shlex import quote
from typing import Any

import hedgerow
from hedgerow.cli._columns import KINDS
from hedgerow.cli._options import ModelFile
from hedgerow.cli._output import Output

FACTS = {
    "n_samples_": "rows held",
    "n_samples_seen_": "rows ever learned",
    "n_features_in_": "features",
    "n_nodes_": "nodes in all trees",
    "n_stages_": "stages",
    "depth_": "depth",
    "n_leaves_": "leaves, posterior mean",
    "n_draws_": "draws of each chain",
    "noise_": "noise, posterior mean",
    "target_": "kind of target",
    "prior_mean_": "prior mean",
    "drift_variance_": "drift variance",
    "drift_rate_": "drift rate",
    "noise_variance_": "noise variance",
}
"""Fitted attributes worth showing. A model that lacks one, or has not learned, shows fewer."""


def info(out: Output, model: ModelFile) -> None:
    """Show the class, the parameters and the fitted numbers of a saved model."""
    loaded = hedgerow.load(model)
    if isinstance(loaded, hedgerow.stream.Run):
        raise ValueError(f"{str(model)!r} is a run, not a model; hedgerow report {quote(str(model))} shows it")
    name = type(loaded).__name__
    out.facts(model=name, file=str(model), bytes=model.stat().st_size)
    facts = {"class": name, **_facts(loaded)}
    out.table("about", [{"fact": words, "value": value} for words, value in facts.items()], f"{name}, {model}")
    kinds = loaded.column_kinds_ if hasattr(loaded, "n_features_in_") else {}
    if hasattr(loaded, "feature_names_in_") or not set(kinds.values()) <= {"number"}:
        out.table(
            "columns", [{"column": column, "taken for": KINDS[kind]} for column, kind in kinds.items()], "Columns"
        )
    defaults = signature(type(loaded)).parameters
    rows = [
        {"parameter": parameter, "value": repr(value), "default": repr(defaults[parameter].default)}
        for parameter, value in loaded.get_params(deep=False).items()
    ]
    out.table("parameters", rows, "Parameters")


def _facts(model: Any) -> dict[str, Any]:
    if isinstance(model, hedgerow.optimize.Optimizer):
        result = model.result()
        return {"evaluations": result.n_calls, "least value": result.fun, "found at": str(result.x)}
    facts = {}
    for attribute, words in FACTS.items():
        value = getattr(model, attribute, None) if hasattr(model, "n_features_in_") else None
        if value is not None:
            facts[words] = value
    if hasattr(model, "classes_"):
        facts["classes"] = _some(model.classes_)
    return facts or {"state": "not fitted"}


def _some(labels: Any) -> str:
    shown = ", ".join(map(str, labels[:12]))
    return shown if len(labels) <= 12 else f"{shown} and {len(labels) - 12} more"
