"""What a model is and has learned, in a few lines, and what its target is called."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

LEARNED = {
    "n_samples_": "rows held",
    "n_samples_seen_": "rows ever learned",
    "n_features_in_": "features",
    "target_name_": "target",
    "target_": "kind of target",
    "n_stages_": "stages",
    "n_nodes_": "nodes in all trees",
    "depth_": "depth",
    "n_leaves_": "leaves, posterior mean",
    "n_draws_": "draws of each chain",
    "noise_": "noise, posterior mean",
    "lifetime_": "lifetime",
    "alpha_": "ridge",
    "n_drifts_": "drifts noticed",
    "prior_mean_": "prior mean",
    "drift_variance_": "drift variance",
    "drift_rate_": "drift rate",
    "noise_variance_": "noise variance",
    "loo_error_": "leave-one-out RMSE",
    "loo_log_loss_": "leave-one-out log loss",
}
"""Fitted attributes worth showing, in this order. A model that lacks one shows fewer."""

MOST_NAMED = 12


@dataclass(frozen=True)
class Summary:
    """A few facts about a model, as text, and as a table in notebooks.

    Attributes
    ----------
    title : str
        The model's class.
    facts : dict
        Values by what they are; what models do not know is left out.
    """

    title: str
    facts: dict[str, Any]

    def __str__(self) -> str:
        width = max(map(len, self.facts))
        return "\n".join([self.title, *(f"  {what:<{width}}  {_words(value)}" for what, value in self.facts.items())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        style = ' style="text-align:left"'
        rows = "".join(
            f"<tr><th{style}>{escape(what)}</th><td{style}>{escape(_words(value))}</td></tr>"
            for what, value in self.facts.items()
        )
        return f"<table><caption{style}><b>{escape(self.title)}</b></caption><tbody>{rows}</tbody></table>"


class Summarised:
    """A model that describes itself."""

    _target_name: str | None = None

    @property
    def target_name_(self: Any) -> str | None:
        """What the target is called, if the first rows came with a series that has a name."""
        self._check_fitted()
        name: str | None = self._target_name
        return name

    def summary(self: Any) -> Summary:
        """Return what the model is and has learned: rows, columns, target, learned numbers, leave-one-out score.

        Returns
        -------
        summary : Summary
            `print` shows it as text, a notebook as a table; `facts` has the values.

        Examples
        --------
        >>> import numpy as np
        >>> from hedgerow import MondrianForestRegressor
        >>> X = np.random.default_rng(0).uniform(size=(100, 2))
        >>> facts = MondrianForestRegressor(10, random_state=0).fit(X, X[:, 0]).summary().facts
        >>> facts["rows held"], facts["columns"]
        (100, '2 number')
        """
        name = type(self).__name__
        if not self.__sklearn_is_fitted__():
            return Summary(name, {"state": "not fitted"})
        facts = {words: getattr(self, attribute, None) for attribute, words in LEARNED.items()}
        kinds = Counter(self.column_kinds_.values())
        facts["columns"] = ", ".join(f"{n} {kind}" for kind, n in kinds.most_common())
        if hasattr(self, "classes_"):
            facts["classes"] = _some(self.classes_)
        if hasattr(self, "loo_score_"):
            facts["leave-one-out accuracy" if hasattr(self, "classes_") else "leave-one-out R2"] = self.loo_score_
        return Summary(name, {words: value for words, value in facts.items() if value is not None})


def name_of(y: Any) -> str | None:
    """Return what targets are called, if they are a series with a name."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None  # that of a nameless series of polars is empty


def _some(labels: Any) -> str:
    shown = ", ".join(map(str, labels[:MOST_NAMED]))
    return shown if len(labels) <= MOST_NAMED else f"{shown} and {len(labels) - MOST_NAMED} more"


def _words(value: Any) -> str:
    """Return a value as it is read: numbers in four digits."""
    if isinstance(value, np.ndarray):
        return ", ".join(_words(each) for each in value.ravel()[:MOST_NAMED])
    if isinstance(value, float | np.floating):
        number = float(value)
        return f"{number:,.0f}" if math.isfinite(number) and abs(number) >= 1000 else f"{number:.4g}"
    return f"{value:,}" if type(value) is int else str(value)
