"""hedgerow's regressors in skpro: its pipelines, metrics and tuning, and sktime's forecasts by reduction."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from hedgerow import MondrianForestRegressor

try:
    import pandas as pd
    from skpro.distributions.base import BaseDistribution
    from skpro.regression.base import BaseProbaRegressor
except ImportError as error:
    raise ImportError("hedgerow.integrations.skpro needs skpro: pip install 'hedgerow[skpro]'") from error

__all__ = ["Predicted", "SkproRegressor"]


class SkproRegressor(BaseProbaRegressor):  # type: ignore[misc]
    """A hedgerow regressor as a probabilistic regressor of skpro's.

    For one target. Tables are pandas frames, as skpro hands them on: categories, dates and missing values are taken as
    they are. `update` learns further rows, if the model is one that learns online.

    Parameters
    ----------
    model : estimator, optional
        A regressor of hedgerow's. Its parameters are taken, nothing that it has learned. Default:
        ``MondrianForestRegressor()``.

    Attributes
    ----------
    model_ : estimator
        The model that has learned.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.datasets import load_diabetes
    >>> from hedgerow import MondrianForestRegressor
    >>> from hedgerow.integrations.skpro import SkproRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = SkproRegressor(MondrianForestRegressor(10, random_state=0)).fit(X[:400], y[:400])
    >>> intervals = model.predict_interval(X[400:], coverage=0.9)
    >>> intervals.shape
    (42, 2)
    """

    _tags = {  # noqa: RUF012 (skpro copies them)
        "authors": "The hedgerow developers",
        "capability:multioutput": False,
        "capability:missing": True,
        "capability:update": True,
        "X_inner_mtype": "pd_DataFrame_Table",
        "y_inner_mtype": "pd_DataFrame_Table",
    }

    def __init__(self, model: Any = None) -> None:
        self.model = model
        super().__init__()
        if model is not None and not hasattr(model, "partial_fit"):
            self.set_tags(**{"capability:update": False})

    def _fit(self, X: Any, y: Any) -> SkproRegressor:
        model = MondrianForestRegressor() if self.model is None else clone(self.model)
        self._target = y.columns
        self.model_ = model.fit(_named(X), y.iloc[:, 0])
        return self

    def _update(self, X: Any, y: Any, C: Any = None) -> SkproRegressor:
        self.model_.partial_fit(_named(X), y.iloc[:, 0])
        return self

    def _predict(self, X: Any) -> Any:
        return pd.DataFrame(self.model_.predict(_named(X)), index=X.index, columns=self._target)

    def _predict_proba(self, X: Any) -> Predicted:
        return Predicted(self.model_.predict_dist(_named(X)), index=X.index, columns=self._target)

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        """Return parameters for skpro's checks."""
        return [{"model": MondrianForestRegressor(n_estimators=5, random_state=0)}, {}]


class Predicted(BaseDistribution):  # type: ignore[misc]
    """A predictive distribution of hedgerow's as a distribution of skpro's: one column, a row for each row.

    Parameters
    ----------
    dist : distribution
        What `predict_dist` returned.
    rows : array of int, or int, optional
        Which rows of it; a number for one row, without an index. Default: all, in their order.
    index, columns : pandas.Index, optional
        Names of rows, and of the one column.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import MondrianForestRegressor
    >>> from hedgerow.integrations.skpro import Predicted
    >>> X = np.linspace(0, 1, 50).reshape(-1, 1)
    >>> forest = MondrianForestRegressor(5, random_state=0).fit(X, X[:, 0])
    >>> predicted = Predicted(forest.predict_dist(X[:3]), columns=["y"])
    >>> predicted.quantile([0.1, 0.9]).shape
    (3, 2)
    """

    _tags = {  # noqa: RUF012 (skpro copies them)
        "capabilities:approx": ["energy", "pdfnorm"],
        "capabilities:exact": ["mean", "var", "pdf", "log_pdf", "cdf", "ppf"],
        "distr:measuretype": "continuous",
        "distr:paramtype": "nonparametric",
    }

    def __init__(self, dist: Any, rows: Any = None, index: Any = None, columns: Any = None) -> None:
        self.dist = dist
        self.rows = rows
        if index is None and rows is None:
            index, columns = pd.RangeIndex(len(dist)), pd.RangeIndex(1) if columns is None else columns
        super().__init__(index=index, columns=columns)

    def sample(self, n_samples: int | None = None) -> Any:
        """Draw: a frame of these rows, or `n_samples` such frames on top of each other."""
        draws = self.dist.rvs(1 if n_samples is None else n_samples)[self._places()]
        if self.ndim == 0:
            return draws[0, 0] if n_samples is None else pd.DataFrame(draws[0])
        frames = [pd.DataFrame(drawn, index=self.index, columns=self.columns) for drawn in draws.T]
        return frames[0] if n_samples is None else pd.concat(frames, keys=range(n_samples))

    # Below: what skpro calls, with arrays of the shape of this distribution.

    def _mean(self) -> Any:
        return self._shaped(self.dist.mean()[self._places()])

    def _var(self) -> Any:
        return self._shaped(self.dist.std()[self._places()] ** 2)

    def _pdf(self, x: Any) -> Any:
        return self._at_values(self.dist.pdf, x)

    def _log_pdf(self, x: Any) -> Any:
        return self._at_values(self.dist.logpdf, x)

    def _cdf(self, x: Any) -> Any:
        return self._at_values(self.dist.cdf, x)

    def _ppf(self, p: Any) -> Any:
        levels, which = np.unique(np.ravel(p), return_inverse=True)
        return self._shaped(self.dist.ppf(levels)[self._places(), which.ravel()])

    def _iloc(self, rowidx: Any = None, colidx: Any = None) -> Predicted:
        if np.isscalar(rowidx) and np.isscalar(colidx):
            return self._iat(rowidx, colidx)
        chosen = np.arange(len(self)) if rowidx is None else np.atleast_1d(np.arange(len(self))[rowidx])
        columns = self.columns if colidx is None else self.columns[np.atleast_1d(np.arange(1)[colidx])]
        return type(self)(self.dist, self._places()[chosen], self.index[chosen], columns)

    def _iat(self, rowidx: Any = None, colidx: Any = None) -> Predicted:
        return type(self)(self.dist, int(self._places()[rowidx]))

    def _places(self) -> npt.NDArray[np.intp]:
        return np.arange(len(self.dist)) if self.rows is None else np.atleast_1d(self.rows)

    def _shaped(self, numbers: Any) -> Any:
        return numbers.reshape(self.shape)

    def _at_values(self, function: Any, x: Any) -> Any:
        """Return a function of each row and its own value; a row that is here twice has two values."""
        rows = self._places()
        turn = pd.Series(rows).groupby(rows).cumcount().to_numpy()
        values = np.zeros((len(self.dist), turn.max(initial=0) + 1))
        values[rows, turn] = np.ravel(x)
        return self._shaped(function(values)[rows, turn])

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        """Return parameters for skpro's checks."""
        X = np.linspace(0, 1, 20).reshape(-1, 1)
        dist = MondrianForestRegressor(n_estimators=3, random_state=0).fit(X, X[:, 0]).predict_dist(X[:3])
        return [{"dist": dist, "index": pd.Index([1, 2, 5]), "columns": pd.Index(["y"])}, {"dist": dist, "rows": 1}]


def _named(X: Any) -> Any:
    """Return rows whose columns have text for names, as scikit-learn wants all or none of them to be."""
    return X.set_axis(map(str, X.columns), axis=1)
