"""hedgerow's online models as river estimators: dictionaries in, features that come and go.

The models themselves are strict: every row has the features of the first. Here is where leniency lives: each feature
becomes columns of numbers, and the model is widened when there are new ones.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from hedgerow.base.columns import Selection
from hedgerow.base.columns.kinds import KINDS, MISSING, Category, Kind
from hedgerow.base.columns.table import NUMBERS, is_missing, kind_of_value, read_value
from hedgerow.mondrian import MondrianForestClassifier, MondrianForestRegressor
from hedgerow.predictive import NormalMixture

try:
    from river import base
except ImportError as error:
    raise ImportError("hedgerow.integrations.river needs river: pip install 'hedgerow[river]'") from error

__all__ = ["RiverClassifier", "RiverRegressor"]

Row = Mapping[Hashable, Any]


N_PLACES = 3
"""Columns of a category: so many random places, of which a cut makes a random subset each."""


class _Feature(NamedTuple):
    """What a feature is taken for, and where its columns begin."""

    name: Hashable
    kind: Kind
    column: int

    def value(self, given: Any) -> float:
        """Return one number for what was given, or raise ValueError."""
        return _number(self.name, given, self.kind.word)

    def axes(self, value: float) -> list[float]:
        """Return the columns of a value."""
        return [value] if self.kind.n_axes == 1 else [float(axis[0]) for axis in self.kind.axes(np.array([value]))]


class _OnlineAdapter(base.Estimator):  # type: ignore[misc]
    """What the adapters have in common: which columns a feature has, and which values they have where it is absent."""

    _PREDICT: ClassVar[str]
    """The method of the model that predicts one row."""

    def __init__(self, model: Any = None, absent: float | None = None, seed: int | None = None) -> None:
        if absent is not None:
            _number("absent", absent, "number")
        self.model = self._default_model() if model is None else model
        self.absent = absent
        self.seed = seed
        for method in ("learn_one", self._PREDICT, "_widened", "_review"):
            if not hasattr(self.model, method):
                raise TypeError(f"{type(self).__name__} needs an online model of hedgerow's, got {self.model!r}")
        self.model_ = clone(self.model)  # river's clone copies parameters, so what learns must not be one of them
        if seed is not None:
            self.model_.set_params(random_state=seed)
        self._categories = Selection.of(self.model.categorical_features).columns
        self.model_.set_params(categorical_features=None)  # they are columns of numbers before they come to the model
        self._known: dict[Hashable, _Feature] = {}
        self._absence: dict[Hashable, int] = {}  # the column that shows whether a feature is absent, where one was
        self._neutral: list[float] = []  # the value of each column where its feature is absent
        self._n_given: dict[Hashable, int] = {}  # how many rows had a feature
        self._n_learned = 0

    @classmethod
    @abstractmethod
    def _default_model(cls) -> Any:
        """Return the model to use if none is given."""

    @property
    def features_(self) -> tuple[Hashable, ...]:
        """Features learned so far, in the order of the model's columns."""
        return tuple(self._known)

    def learn_one(self, x: Row, y: Any) -> None:
        """Learn one row. A feature that is new widens the model; one that is absent is missing.

        Parameters
        ----------
        x : dict
            Numbers, text, dates by feature. None and NaN count as absent.
        y : number or label
            What the model takes as a label.
        """
        given = {feature: value for feature, value in x.items() if not is_missing(value)}
        known, absence, neutral = self._known.copy(), self._absence.copy(), self._neutral.copy()
        before: list[float] = []  # what rows before have in columns that are new
        for name in sorted(given.keys() - known.keys(), key=repr):  # the order of a dictionary must not matter
            known[name] = feature = self._new(name, given[name], len(neutral))
            absent = self._where_absent(feature, feature.value(given[name]))
            before, neutral = before + absent, neutral + absent
            if self._n_learned and self._marks_absence(feature):
                absence[name] = len(neutral)
                before, neutral = [*before, 1.0], [*neutral, 1.0]
        for name, feature in self._known.items():
            if name not in given and name not in absence and self._marks_absence(feature):
                absence[name] = len(neutral)
                before, neutral = [*before, 0.0], [*neutral, 1.0]
        if not known:
            raise ValueError("the first row has no features; a model needs at least one to begin")
        values = {name: known[name].value(value) for name, value in given.items()}
        model = self.model_._widened(np.array(before)) if before and self._n_learned else self.model_
        model.learn_one(_filled(neutral, known, absence, values), y)
        # From here on nothing fails: a row that is refused leaves everything as it was.
        self._known, self._absence, self._neutral, self.model_ = known, absence, neutral, model
        self._take_note(values)

    def row(self, x: Row) -> npt.NDArray[np.float64]:
        """Return a row as the model sees it: an array of the columns of `features_`, with absent ones filled in.

        Features that were never learned are left out.
        """
        values = {
            name: self._known[name].value(value)
            for name, value in x.items()
            if name in self._known and not is_missing(value)
        }
        return _filled(self._neutral, self._known, self._absence, values)

    def _new(self, name: Hashable, value: Any, column: int) -> _Feature:
        word = "category" if name in self._categories else _kind(name, value)
        return _Feature(name, Category(N_PLACES) if word == "category" else KINDS[word](), column)

    def _where_absent(self, feature: _Feature, first: float) -> list[float]:
        """Columns of a feature in rows that lack it: a category of its own, or amid the values."""
        if isinstance(feature.kind, Category):
            return feature.axes(MISSING)
        return [first if self.absent is None else float(self.absent), *feature.axes(math.nan)[1:]]

    def _marks_absence(self, feature: _Feature) -> bool:
        """Whether a column shows that the feature is absent; a value that was set, or a category, shows it itself."""
        return self.absent is None and not isinstance(feature.kind, Category)

    def _take_note(self, values: Mapping[Hashable, float]) -> None:
        """Follow the means, and have the model look at its units when a rare feature has doubled its values."""
        self._n_learned += 1
        doubled = False
        for name, value in values.items():
            self._n_given[name] = n = self._n_given.get(name, 0) + 1
            feature = self._known[name]
            if self._marks_absence(feature):
                column = feature.column
                self._neutral[column] += value / n - self._neutral[column] / n  # value - mean might overflow
            # The model looks by itself when its rows have doubled. For a feature that came late, or comes seldom,
            # that may be long after its range has become known, and until then the trees might cut little else.
            doubled |= n < self._n_learned and n & (n - 1) == 0
        if doubled:
            self.model_._review()


class RiverRegressor(_OnlineAdapter, base.Regressor):  # type: ignore[misc]
    """A hedgerow regressor as a river regressor: for river's pipelines, metrics and evaluation.

    Features may come and go, and may be numbers, text, dates, times and durations. A feature that is absent from a row
    is missing: of text, that is a category of its own; a number has the mean of the values seen so far, which lies amid
    the rows, and a column of its own shows that it is absent. When a feature is seen for the first time, all rows
    before are given the same value: a column that is the same everywhere is never cut, so the trees stay as they are.
    Numbers are categories if the model names their feature in ``categorical_features``.

    Parameters
    ----------
    model : estimator, optional
        An online regressor of hedgerow's. Its parameters are taken, nothing that it has learned. Default:
        ``MondrianForestRegressor()``.
    absent : float, optional
        A value for absent numbers, instead of their means and a column that shows it. 0 is right for counts, words and
        one-hot codes, where absent means none. The model is then as if each feature had been there from the first row
        on.
    seed : int, optional
        Random seed, instead of the model's ``random_state``.

    Attributes
    ----------
    model_ : estimator
        The model that has learned.
    features_ : tuple
        Features learned so far, in the order of the model's columns.

    Examples
    --------
    >>> from hedgerow import MondrianForestRegressor
    >>> from hedgerow.integrations.river import RiverRegressor
    >>> model = RiverRegressor(MondrianForestRegressor(n_estimators=10), seed=1)
    >>> model.learn_one({"hour": 8, "distance": 760}, 12.0)
    >>> model.learn_one({"hour": 17, "wind": 9.5}, 31.0)  # a feature comes, a feature goes
    >>> model.features_
    ('distance', 'hour', 'wind')
    >>> model.row({"wind": 10.0})  # then whether wind and distance are absent
    array([760. ,  12.5,  10. ,   0. ,   1. ])
    >>> 12.0 < model.predict_one({"hour": 12}) < 31.0
    True
    """

    _PREDICT = "predict_one"

    @classmethod
    def _default_model(cls) -> Any:
        return MondrianForestRegressor()

    def predict_one(self, x: Row) -> float:
        """Mean at one row. Features that were never learned are ignored."""
        return float(self.model_.predict_one(self.row(x)))

    def predict_dist_one(self, x: Row) -> NormalMixture:
        """Return the whole predictive distribution at one row, which shows how sure the model is."""
        dist: NormalMixture = self.model_.predict_dist(self.row(x).reshape(1, -1))
        return dist


class RiverClassifier(_OnlineAdapter, base.Classifier):  # type: ignore[misc]
    """A hedgerow classifier as a river classifier: for river's pipelines, metrics and evaluation.

    Features may come and go, as in `RiverRegressor`. So may classes: a new one can appear in any row.

    Parameters
    ----------
    model : estimator, optional
        An online classifier of hedgerow's. Its parameters are taken, nothing that it has learned. Default:
        ``MondrianForestClassifier()``.
    absent : float, optional
        A value for absent numbers, instead of their means and a column that shows it.
    seed : int, optional
        Random seed, instead of the model's ``random_state``.

    Attributes
    ----------
    model_ : estimator
        The model that has learned.
    features_ : tuple
        Features learned so far, in the order of the model's columns.

    Examples
    --------
    >>> from hedgerow.integrations.river import RiverClassifier
    >>> model = RiverClassifier(seed=1)
    >>> model.learn_one({"words": 120, "links": 9}, "spam")
    >>> model.learn_one({"words": 340, "links": 0, "images": 2}, "letter")
    >>> model.predict_one({"words": 130, "links": 8})
    'spam'
    """

    _PREDICT = "predict_proba_one"

    @classmethod
    def _default_model(cls) -> Any:
        return MondrianForestClassifier()

    def predict_proba_one(self, x: Row) -> dict[Any, float]:
        """Probability of each class seen so far; none before the first row."""
        return dict(self.model_.predict_proba_one(self.row(x))) if self._known else {}

    @property
    def _multiclass(self) -> bool:
        return True


def _filled(
    neutral: list[float],
    known: Mapping[Hashable, _Feature],
    absence: Mapping[Hashable, int],
    values: Mapping[Hashable, float],
) -> npt.NDArray[np.float64]:
    """Return a row: the columns of the features that are given, and the neutral ones of the others."""
    row = np.array(neutral)
    for name, value in values.items():
        axes = known[name].axes(value)
        row[known[name].column : known[name].column + len(axes)] = axes
        if name in absence:
            row[absence[name]] = 0.0
    return row


def _kind(feature: Hashable, value: Any) -> str:
    try:
        return kind_of_value(value, str(feature))
    except TypeError as error:
        raise ValueError(str(error)) from None


def _number(feature: Hashable, value: Any, kind: str) -> float:
    found = "number" if type(value) is float else _kind(feature, value)
    if kind not in ("category", found) and not {found, kind} <= set(NUMBERS):
        raise ValueError(
            f"feature {feature!r} is {value!r}, a {found}; it was a {kind} when it came first. Name it in the model's "
            "categorical_features, or leave it out"
        )
    number = read_value(value, kind, str(feature))[1]
    if not math.isfinite(number):
        raise ValueError(f"feature {feature!r} is {number}; give a finite number, or leave it out if it is missing")
    return number
