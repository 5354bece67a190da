"""``hedgerow info``: what is in a model file."""

from __future__ import annotations

from inspect import signature
from shlex import quote
from typing import Any

import hedgerow
from hedgerow.cli._columns import KINDS
from hedgerow.cli._models import read_model
from hedgerow.cli._options import ModelFile
from hedgerow.cli._output import Output


def info(out: Output, model: ModelFile) -> None:
    """Describe a saved model: class, columns, parameters and fitted values."""
    loaded = read_model(model)
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
    return dict(model.summary().facts)
