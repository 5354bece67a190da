"""hedgerow's online models as river estimators: dictionaries in, features that come and go.

The models themselves are strict: every row has the features of the first. Here is where leniency lives.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable, Mapping
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from hedgerow.mondrian import MondrianForestClassifier, MondrianForestRegressor
from hedgerow.predictive import NormalMixture

try:
    from river import base
except ImportError as error:
    raise ImportError("hedgerow.integrations.river needs river: pip install 'hedgerow[river]'") from error

__all__ = ["RiverClassifier", "RiverRegressor"]

Row = Mapping[Hashable, Any]


class _OnlineAdapter(base.Estimator):  # type: ignore[misc]
    """What the adapters have in common: which column a feature has, and which value it has where it is absent."""

    _ASKED: ClassVar[str]
    """The method of the model that answers a query."""

    def __init__(self, model: Any = None, absent: float | None = None, seed: int | None = None) -> None:
        if absent is not None:
            _number("absent", absent)
        self.model = self._default_model() if model is None else model
        self.absent = absent
        self.seed = seed
        for method in ("learn_one", self._ASKED, "_widened", "_review"):
            if not hasattr(self.model, method):
                raise TypeError(f"{type(self).__name__} needs an online model of hedgerow's, got {self.model!r}")
        self.model_ = clone(self.model)  # river's clone copies parameters, so what learns must not be one of them
        if seed is not None:
            self.model_.set_params(random_state=seed)
        self._columns: dict[Hashable, int] = {}
        self._neutral: list[float] = []  # the value of each feature where it is absent
        self._n_given: list[int] = []  # how many rows had it
        self._n_learned = 0

    @classmethod
    @abstractmethod
    def _default_model(cls) -> Any:
        """Return the model to use if none is given."""

    @property
    def features_(self) -> tuple[Hashable, ...]:
        """Features learned so far, in the order of the model's columns."""
        return tuple(self._columns)

    def learn_one(self, x: Row, y: Any) -> None:
        """Learn one row. A feature that is new widens the model; one that is absent gets a neutral value.

        Parameters
        ----------
        x : dict
            Numbers by feature. None counts as absent.
        y : number or label
            What the model takes as a label.
        """
        given = {feature: _number(feature, value) for feature, value in x.items() if value is not None}
        # Sorted, because the order of a dictionary must not matter.
        new = sorted(given.keys() - self._columns.keys(), key=repr)
        columns, neutral, model = self._columns, self._neutral, self.model_
        if new:
            rows_before = [given[feature] if self.absent is None else float(self.absent) for feature in new]
            if columns:
                model = model._widened(np.array(rows_before))
            columns = {feature: column for column, feature in enumerate([*columns, *new])}
            neutral = neutral + rows_before
        elif not columns:
            raise ValueError("the first row has no features; a model needs at least one to begin")
        row = neutral.copy()
        for feature, value in given.items():
            row[columns[feature]] = value
        model.learn_one(np.array(row), y)
        # From here on nothing fails: a row that is refused leaves everything as it was.
        self._columns, self._neutral, self.model_ = columns, neutral, model
        self._take_note(given)

    def row(self, x: Row) -> npt.NDArray[np.float64]:
        """Return a row as the model sees it: an array in the order of `features_`, with absent features filled in.

        Features that were never learned are left out.
        """
        row = self._neutral.copy()
        for feature, value in x.items():
            column = self._columns.get(feature)
            if column is not None and value is not None:
                row[column] = _number(feature, value)
        return np.array(row)

    def _take_note(self, given: Mapping[Hashable, float]) -> None:
        """Follow the means, and have the model look at its units when a rare feature has doubled its values."""
        self._n_learned += 1
        self._n_given += [0] * (len(self._columns) - len(self._n_given))
        doubled = False
        for feature, value in given.items():
            column = self._columns[feature]
            self._n_given[column] = n = self._n_given[column] + 1
            if self.absent is None:
                self._neutral[column] += value / n - self._neutral[column] / n  # value - mean might overflow
            # The model looks by itself when its rows have doubled. For a feature that came late, or comes seldom,
            # that may be long after its range has become known, and until then the trees might cut little else.
            doubled |= n < self._n_learned and n & (n - 1) == 0
        if doubled:
            self.model_._review()


class RiverRegressor(_OnlineAdapter, base.Regressor):  # type: ignore[misc]
    """A hedgerow regressor as a river regressor: for river's pipelines, metrics and evaluation.

    Features may come and go. A feature that is absent from a row has the mean of the values seen of it so far, which
    lies amid the rows and so says least. When a feature is seen for the first time, its value is given to all
    rows before: a column that is the same everywhere is never cut, so the trees stay as they are.

    Parameters
    ----------
    model : estimator, optional
        An online regressor of hedgerow's. Its parameters are taken, nothing that it has learned. Default:
        ``MondrianForestRegressor()``.
    absent : float, optional
        A value for absent features instead of their means. 0 is right for counts, words and one-hot codes, where
        absent means none. The model is then as if each feature had been there from the first row on.
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
    >>> model.row({"wind": 10.0})
    array([760. ,  12.5,  10. ])
    >>> 12.0 < model.predict_one({"hour": 12}) < 31.0
    True
    """

    _ASKED = "predict_one"

    @classmethod
    def _default_model(cls) -> Any:
        return MondrianForestRegressor()

    def predict_one(self, x: Row) -> float:
        """Mean at one row. Features that were never learned are ignored."""
        return float(self.model_.predict_one(self.row(x)))

    def predict_dist_one(self, x: Row) -> NormalMixture:
        """Return the whole predictive distribution at one row, which says how sure the model is."""
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
        A value for absent features instead of their means.
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

    _ASKED = "predict_proba_one"

    @classmethod
    def _default_model(cls) -> Any:
        return MondrianForestClassifier()

    def predict_proba_one(self, x: Row) -> dict[Any, float]:
        """Probability of each class seen so far; none before the first row."""
        return dict(self.model_.predict_proba_one(self.row(x))) if self._columns else {}

    @property
    def _multiclass(self) -> bool:
        return True


def _number(feature: Hashable, value: Any) -> float:
    if not isinstance(value, float | int | np.bool_ | Real):
        raise ValueError(
            f"feature {feature!r} is {value!r}, which is not a number; encode it first, for example with "
            "river.preprocessing.OneHotEncoder, or leave it out"
        )
    if not math.isfinite(number := float(value)):
        raise ValueError(f"feature {feature!r} is {number}; give a finite number, or leave it out if it is missing")
    return number
