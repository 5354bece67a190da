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
from hedgerow.base.columns import Cells, Columns
from hedgerow.base.columns.kinds import Unknown
from hedgerow.base.rows import NO_WEIGHTS, Floats, Rows
from hedgerow.mondrian._learner import ForestLearner
from hedgerow.mondrian._sowing import as_set

NOT_COMPARED = {"n_jobs", "random_state"}
"""Parameters that may differ: what the seed is counts, not where it came from."""

MOST_NAMES = 8
"""Names of columns that an error lists."""

FEW = 8
"""Rows enter trees one by one if there are so many times as many in these. More are grown anew together with them."""


class Part(NamedTuple):
    """What a forest brings: a copy of what is needed of it, so that it may go on learning."""

    rows: Rows  # as they were given, in the order in which they came
    classes: list[Hashable]  # their names by number; none for a regressor
    names: frozenset[str]  # of the parts that it was merged from, or of itself
    parameters: dict[str, Any]
    settings: Any  # with which it has learned
    seed: int
    feature_names: list[str]
    columns: Columns

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.rows.y.shape[0])

    @property
    def n_targets(self) -> int:
        """How many targets a row has."""
        return 1 if self.rows.y.ndim == 1 else int(self.rows.y.shape[1])


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
    if not isinstance(models, Iterable):
        raise TypeError(f"merge takes a list of forests, got {type(models).__name__}")
    parts = list(models)
    if not parts:
        raise ValueError("merge needs at least one forest, got none")
    if not all(hasattr(part, "merge") for part in parts):
        wrong = next(part for part in parts if not hasattr(part, "merge"))
        advice = "; merge what its to_local() returns" if hasattr(wrong, "to_local") else ""
        raise TypeError(f"merge takes Mondrian forests, got {type(wrong).__name__}{advice}")
    added = [part_of(type(parts[0]), other) for other in parts[1:]]
    whole = clone(parts[0])
    with parts[0]._reading:
        vars(whole).update(vars(parts[0]))  # the learner is replaced, not changed
        merged = join(whole, added, may_change=False)
        return deepcopy(merged) if merged._learner is parts[0]._learner else merged


def part_of(kind: type[Any], other: Any) -> Part:
    """Return what another forest brings to one of this class; TypeError or ValueError if it cannot be merged at all."""
    if type(other) is not kind:
        raise TypeError(f"a {kind.__name__} is merged with its like, got {type(other).__name__}")
    with other._reading:
        return _described(other)


def join(model: Any, parts: Sequence[Part], may_change: bool = True) -> Any:
    """Let a model hold the rows of parts too; all or none. Unless its learner may be changed, it gets another one."""
    own, learner, query = _described(model), model._learner, model._current.query
    names = own.names
    for part in parts:
        _check_alike(own, part)
        if names & part.names:
            raise ValueError(
                "a part was merged before, and its rows would count twice; rows of it that were unlearned since come "
                "back by partial_fit"
            )
        names |= part.names
    n_added, settings = sum(part.n_rows for part in parts), learner.settings
    if not n_added:
        return model
    cells = _cells([own, *parts])
    model._take_columns(cells, is_batch=True)
    are_few = may_change and n_added * FEW < learner.core.n_rows
    are_alike = all(part.classes == own.classes and part.columns.is_plain for part in (own, *parts))
    if settings.is_fixed and are_few and are_alike:
        learner.take(_joined([part.rows for part in parts], cells.values[own.n_rows :]), query)
    else:
        rows = _joined(_with_same_classes(model, [own, *parts]), model._columns.axes(cells.values))
        model._learner = type(learner).begin(rows, settings, learner.seed, query, **model._described())
    model._learner.parts = names
    return model


def _described(model: Any) -> Part:
    _check_mergeable(model)
    learner: ForestLearner = model._learner
    rows, classes = learner.held(), list(model._classes.numbers) if hasattr(model, "_classes") else []
    names = learner.parts or (frozenset([_digest(rows, classes)]) if rows.y.size else frozenset())
    parameters = {name: value for name, value in model.get_params().items() if name not in NOT_COMPARED}
    about = parameters, learner.settings, learner.seed, model._feature_names(), model._columns
    return Part(rows, classes, names, *about)


def _digest(rows: Rows, classes: list[Hashable]) -> str:
    """Return a name that follows from the set of rows."""
    ordered = as_set(rows)[0]
    weights = ordered.weights if ordered.weights.size else np.ones(ordered.y.shape[0])
    digest = hashlib.blake2b(digest_size=16)
    for array in (ordered.X, ordered.y, weights):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(repr(classes).encode())
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


def _check_alike(own: Part, other: Part) -> None:
    """Raise ValueError unless two forests of one class were made and have learned alike, rows apart."""
    for name, value in own.parameters.items():
        if not _are_equal(value, other.parameters[name]):
            raise ValueError(f"forests to be merged differ in {name}: {value!r} and {other.parameters[name]!r}")
    for each in fields(own.settings):
        if getattr(own.settings, each.name) != getattr(other.settings, each.name):
            raise ValueError(f"forests to be merged have learned with different {each.name}")
    if own.n_targets != other.n_targets:
        raise ValueError(f"forests to be merged have {own.n_targets} and {other.n_targets} targets a row")
    if own.seed != other.seed:
        raise ValueError(
            "forests to be merged have different random seeds, so that their cuts differ: fit all of them with the "
            "same integer as random_state"
        )
    if own.feature_names != other.feature_names:
        raise ValueError(
            f"forests to be merged have different columns: {_difference(own.feature_names, other.feature_names)}"
        )
    for name, *words in zip(own.feature_names, own.columns.words, other.columns.words, strict=True):
        if len({*words} - {Unknown.word}) > 1:
            raise ValueError(
                f"forests to be merged took column {name!r} for different things, {words[0]} and {words[1]}: give it "
                "the same type in all parts"
            )


def _difference(own: list[str], other: list[str]) -> str:
    """Say how names of columns differ, in a few of them."""
    only = [sorted(set(one) - set(another))[:MOST_NAMES] for one, another in ((own, other), (other, own))]
    if not any(only):
        place = next(place for place, names in enumerate(zip(own, other, strict=True)) if len(set(names)) > 1)
        return f"the order differs, column {place} is {own[place]!r} in one and {other[place]!r} in another"
    return " and ".join(f"{names} in {who} only" for names, who in zip(only, ("one", "another"), strict=True) if names)


def _cells(parts: Sequence[Part]) -> Cells:
    """Return the table of all rows as it was given; a column without a value in some part has the kind of others."""
    known = zip(*(part.columns.words for part in parts), strict=True)
    words = [next((word for word in column if word != Unknown.word), Unknown.word) for column in known]
    return Cells(words, np.concatenate([part.columns.values(part.rows.X) for part in parts]))


def _are_equal(one: Any, other: Any) -> bool:
    return one is other or bool(np.all(one == other))


def _joined(parts: list[Rows], X: Floats) -> Rows:
    """Return all rows, whose columns are X."""
    weights = [part.weights if part.weights.size else np.ones(part.y.shape[0]) for part in parts]
    return Rows(
        X,
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
