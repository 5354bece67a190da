"""``hedgerow info``: what is in a model file."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

import hedgerow
from hedgerow.cli._console import console, errors_in_words

FACTS = {
    "n_samples_": "rows held",
    "n_samples_seen_": "rows ever learned",
    "n_features_in_": "features",
    "n_nodes_": "nodes in all trees",
    "depth_": "depth",
    "n_leaves_": "leaves, posterior mean",
    "n_draws_": "draws of each chain",
    "noise_": "noise, posterior mean",
    "prior_mean_": "prior mean",
    "drift_variance_": "drift variance",
    "drift_rate_": "drift rate",
    "noise_variance_": "noise variance",
}
"""Fitted attributes worth showing. A model that lacks one, or has not learned, shows fewer."""

KINDS = {
    "number": "numbers",
    "boolean": "true or false",
    "category": "categories",
    "date": "dates",
    "time": "times of day",
    "duration": "durations",
    "unknown": "always missing",
}
"""Kinds of columns, in words."""


def info(
    model: Annotated[Path, typer.Argument(help="File written by hedgerow fit or by a model's save method.")],
) -> None:
    """Show the class, the parameters and the fitted numbers of a saved model."""
    with errors_in_words():
        loaded = hedgerow.load(model)
        if isinstance(loaded, hedgerow.stream.Run):
            raise ValueError(f"{str(model)!r} is a run, not a model; hedgerow report shows it")
    place = f"{escape(str(model))}, {model.stat().st_size / 1e6:,.1f} MB"
    title = f"[bold]{type(loaded).__name__}[/]  [dim]{place}[/]"
    table = Table(title=title, title_justify="left", show_header=False, header_style="bold", pad_edge=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    defaults = signature(type(loaded)).parameters
    for name, value in loaded.get_params(deep=False).items():
        changed = repr(value) != repr(defaults[name].default)
        table.add_row(name, f"[bold]{escape(repr(value))}[/]" if changed else escape(repr(value)))
    table.add_section()
    for name, value in _facts(loaded).items():
        table.add_row(name, escape(value))
    table.add_section()
    for name, value in _columns(loaded).items():
        table.add_row(name, escape(value))
    console.print(table)


def _facts(model: Any) -> dict[str, str]:
    if isinstance(model, hedgerow.optimize.Optimizer):
        result = model.result()
        return {"evaluations": f"{result.n_calls:,}", "least value": f"{result.fun:.6g}", "found at": str(result.x)}
    facts = {}
    for attribute, words in FACTS.items():
        value = getattr(model, attribute, None) if hasattr(model, "n_features_in_") else None
        if value is not None:
            facts[words] = f"{value:,}" if isinstance(value, int) else f"{value:.6g}"
    if hasattr(model, "classes_"):
        facts["classes"] = _some(model.classes_)
    return facts or {"state": "not fitted"}


def _columns(model: Any) -> dict[str, str]:
    """What each column was taken for, unless all are numbers without names."""
    kinds = model.column_kinds_ if hasattr(model, "n_features_in_") else {}
    if not hasattr(model, "feature_names_in_") and set(kinds.values()) <= {"number"}:
        return {}
    return {
        words: ", ".join(name for name in kinds if kinds[name] == kind)
        for kind, words in KINDS.items()
        if kind in kinds.values()
    }


def _some(labels: Any) -> str:
    shown = ", ".join(map(str, labels[:12]))
    return shown if len(labels) <= 12 else f"{shown} and {len(labels) - 12} more"
