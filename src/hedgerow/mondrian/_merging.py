"""One Mondrian forest out of several that were grown with keyed cuts from one seed, each on rows of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from copy import deepcopy
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from hedgerow.base.classes import ClassTable
from hedgerow.base.columns import Cells
from hedgerow.base.rows import NO_WEIGHTS, Rows
from hedgerow.mondrian._learner import ForestLearner, as_set

NOT_COMPARED = {"n_jobs", "random_state"}
"""Parameters that may differ: what the seed is counts, not where it came from."""

FEW = 8
"""Rows enter trees one by one if there are so many times as many in these. More are grown anew together with them."""


class Part(NamedTuple):
    """What another forest brings: a copy of what is needed of it, so that it may go on learning."""

    rows: Rows  # as they were given, in the order in which they came
    classes: list[Hashable]  # their names by number; none for a regressor
    names: frozenset[str]  # of the parts that it was merged from, or of itself


def merge(models: Iterable[Any]) -> Any:
    """Return one forest that holds the rows of several, as if it had been fitted to all of them.

    The forests are `MondrianForestRegressor` or `MondrianForestClassifier` with ``cuts="keyed"``, the same parameters
    and the same integer as `random_state`. Each has learned rows of its own. Neither their order nor how rows were
    divided among them makes a difference to the trees or to what is predicted.

    Parameters
    ----------
    models : iterable of forests
        At least one. They stay as they are.

    Returns
    -------
    model : forest
        Of the same class: bit for bit what ``fit`` on all rows gives, up to the order in which rows are listed.

    See Also
    --------
    MondrianForestRegressor.merge : the same in place.

    Examples
    --------
    >>> import numpy as np
    >>> import hedgerow
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(300, 2))
    >>> y = X[:, 0] + rng.normal(scale=0.1, size=300)
    >>> def new():
    ...     return hedgerow.MondrianForestRegressor(cuts="keyed", random_state=7)
    >>> parts = [new().fit(X[i::3], y[i::3]) for i in range(3)]
    >>> whole = hedgerow.merge(parts)
    >>> bool((whole.predict(X) == new().fit(X, y).predict(X)).all())
    True
    """
    parts = list(models)
    if not parts:
        raise ValueError("merge needs at least one forest, got none")
    if not all(hasattr(part, "merge") for part in parts):
        wrong = next(part for part in parts if not hasattr(part, "merge"))
        raise TypeError(f"merge takes Mondrian forests, got {type(wrong).__name__}")
    added = [part_of(parts[0], other) for other in parts[1:]]
    if not any(part.rows.y.size for part in added):
        return deepcopy(parts[0])
    whole = clone(parts[0])
    with parts[0]._reading:
        vars(whole).update(vars(parts[0]))  # the learner is replaced, not changed
        return join(whole, added, may_change=False)


def part_of(model: Any, other: Any) -> Part:
    """Return what another forest brings to this one, or raise TypeError or ValueError if they do not fit."""
    if type(other) is not type(model):
        raise TypeError(f"a {type(model).__name__} is merged with its like, got {type(other).__name__}")
    with other._reading:
        other._check_fitted()
        _check_alike(model, other)
        return _described(other)


def join(model: Any, parts: Sequence[Part], may_change: bool = True) -> Any:
    """Let a model hold the rows of parts too; all or none. Unless its learner may be changed, it gets another one."""
    _check_mergeable(model)
    own, learner, query = _described(model), model._learner, model._current.query
    names = own.names
    for part in parts:
        if names & part.names:
            raise ValueError(
                "a part was merged before, and its rows would count twice; rows of it that were unlearned since come "
                "back by partial_fit"
            )
        names |= part.names
    n_added, settings = sum(part.rows.y.size for part in parts), learner.settings
    if not n_added:
        return model
    are_few = may_change and n_added * FEW < learner.core.n_rows
    if settings.is_fixed and are_few and all(part.classes == own.classes for part in parts):
        learner.take(_joined([part.rows for part in parts]), query)
    else:
        rows = _joined(_with_same_classes(model, [own, *parts]))
        model._learner = type(learner).begin(rows, settings, learner.seed, query, **model._described())
    if model._columns.is_plain:  # what stands for a missing value in a query is taken from all rows
        values = np.concatenate([part.rows.X for part in (own, *parts)])
        model._take_columns(Cells(model._columns.words, values), is_batch=True)
    model._learner.parts = names
    return model


def _described(model: Any) -> Part:
    learner: ForestLearner = model._learner
    rows = learner.held()
    names = learner.parts or (frozenset([_digest(model, rows)]) if rows.y.size else frozenset())
    return Part(rows, list(model._classes.numbers) if hasattr(model, "_classes") else [], names)


def _digest(model: Any, rows: Rows) -> str:
    """Return a name that follows from the set of rows."""
    ordered = as_set(rows)[0]
    weights = ordered.weights if ordered.weights.size else np.ones(ordered.y.size)
    digest = hashlib.blake2b(digest_size=16)
    for array in (ordered.X, ordered.y, weights):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(repr(list(model._classes.numbers) if hasattr(model, "_classes") else []).encode())
    return digest.hexdigest()


def _check_mergeable(model: Any) -> None:
    model._check_fitted()
    model._check_unchanged()
    settings = model._learner.settings
    if not settings.is_keyed:
        raise ValueError("only forests with cuts='keyed' can be merged: free cuts are drawn anew by each forest")
    if settings.window is not None:
        raise ValueError("forests with a window cannot be merged: it is not known which rows came last")
    if getattr(settings, "class_weight", None) == "balanced":
        raise ValueError("class_weight='balanced' needs all rows at once; merge forests with weights that are given")


def _check_alike(model: Any, other: Any) -> None:
    """Raise ValueError unless two forests of one class were made and have learned alike, rows apart."""
    _check_mergeable(model)
    _check_mergeable(other)
    ours, theirs = model.get_params(), other.get_params()
    for name in ours.keys() - NOT_COMPARED:
        if not _are_equal(ours[name], theirs[name]):
            raise ValueError(f"forests to be merged differ in {name}: {ours[name]!r} and {theirs[name]!r}")
    for each in fields(model._learner.settings):
        if getattr(model._learner.settings, each.name) != getattr(other._learner.settings, each.name):
            raise ValueError(f"forests to be merged have learned with different {each.name}")
    if model._learner.seed != other._learner.seed:
        raise ValueError(
            "forests to be merged have different random seeds, so that their cuts differ: fit all of them with the "
            "same integer as random_state"
        )
    if model._feature_names() != other._feature_names():
        raise ValueError(
            f"forests to be merged have different columns: {model._feature_names()} and {other._feature_names()}"
        )
    if not (model._columns.is_plain and other._columns.is_plain) and model._columns != other._columns:
        raise ValueError(
            "forests to be merged have different maps of columns, such as of categories, dates or missing values: "
            "bring columns to numbers in the same way for all parts first"
        )


def _are_equal(one: Any, other: Any) -> bool:
    return one is other or bool(np.all(one == other))


def _joined(parts: list[Rows]) -> Rows:
    weights = [part.weights if part.weights.size else np.ones(part.y.size) for part in parts]
    return Rows(
        np.concatenate([part.X for part in parts]),
        np.concatenate([part.y for part in parts]),
        np.concatenate(weights) if any(part.weights.size for part in parts) else NO_WEIGHTS,
    )


def _with_same_classes(model: Any, parts: list[Part]) -> list[Rows]:
    """Return the rows of all parts. A classifier knows all their classes from now on, numbered in order."""
    if not hasattr(model, "_classes"):
        return [part.rows for part in parts]
    known = ClassTable([name for part in parts for name in part.classes])
    names = list(known.numbers)
    model._classes = ClassTable(names[number] for number in known.order)
    numbered = []
    for part in parts:
        numbers = np.array([model._classes.numbers[name] for name in part.classes], dtype=np.float64)
        numbered.append(part.rows._replace(y=numbers[part.rows.y.astype(np.intp)]))
    return numbered
