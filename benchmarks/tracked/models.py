"""Time and memory of each model on one small table or stream, and of what surrounds it: import, files."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_friedman1

import hedgerow

N_ROWS = N_ASKED = 500
N_ONE_BY_ONE = 100
X, Y = make_friedman1(N_ROWS + N_ASKED, noise=1.0, random_state=0)
LABELS = np.digitize(Y, np.quantile(Y, [1 / 3, 2 / 3]))
LEARNED, ASKED = slice(N_ROWS), slice(N_ROWS, None)

SEEDED = {"random_state": 0, "n_jobs": 1}
REGRESSORS = {
    "forest": hedgerow.MondrianForestRegressor(10, **SEEDED),
    "boosting": hedgerow.MondrianBoostingRegressor(10, **SEEDED),
    "kernel ridge": hedgerow.MondrianKernelRidge(20, **SEEDED),
    "BART": hedgerow.BARTRegressor(20, n_chains=1, n_draws=100, n_burn_in=50, **SEEDED),
    "Bayesian tree": hedgerow.BayesianTreeRegressor(n_particles=100, **SEEDED),
}
CLASSIFIERS = {
    "forest": hedgerow.MondrianForestClassifier(10, **SEEDED),
    "boosting": hedgerow.MondrianBoostingClassifier(10, **SEEDED),
}
ONLINE = {
    "forest": REGRESSORS["forest"],
    "boosting": REGRESSORS["boosting"],
    "online forest": hedgerow.OnlineForestRegressor(random_state=0),
    "conformal": hedgerow.OnlineConformalRegressor(random_state=0),
}


class Timed:
    """Processor time, which other work on the machine hardly changes; all models have one thread."""

    timer = time.process_time
    timeout = 300


class Batch(Timed):
    """A regressor on a table."""

    params = tuple(REGRESSORS)
    param_names = ("model",)

    def setup(self, name: str) -> None:
        self.model = REGRESSORS[name]
        self.fitted = clone(self.model).fit(X[LEARNED], Y[LEARNED])

    def time_fit(self, name: str) -> None:
        clone(self.model).fit(X[LEARNED], Y[LEARNED])

    def time_predict(self, name: str) -> None:
        self.fitted.predict(X[ASKED])

    def time_predict_interval(self, name: str) -> None:
        self.fitted.predict_interval(X[ASKED])

    def peakmem_fit(self, name: str) -> None:
        clone(self.model).fit(X[LEARNED], Y[LEARNED])


class Classes(Timed):
    """A classifier on a table."""

    params = tuple(CLASSIFIERS)
    param_names = ("model",)

    def setup(self, name: str) -> None:
        self.model = CLASSIFIERS[name]
        self.fitted = clone(self.model).fit(X[LEARNED], LABELS[LEARNED])

    def time_fit(self, name: str) -> None:
        clone(self.model).fit(X[LEARNED], LABELS[LEARNED])

    def time_predict_proba(self, name: str) -> None:
        self.fitted.predict_proba(X[ASKED])


class Stream(Timed):
    """Rows that are forecast and learned, at once and one by one."""

    params = tuple(ONLINE)
    param_names = ("model",)
    number = 1  # what was learned cannot be learned again

    def setup(self, name: str) -> None:
        self.model = clone(ONLINE[name]).partial_fit(X[LEARNED], Y[LEARNED])

    def time_predict_then_learn(self, name: str) -> None:
        self.model.predict_then_learn(X[ASKED], Y[ASKED])

    def time_learn_one(self, name: str) -> None:
        for x, y in zip(X[ASKED][:N_ONE_BY_ONE], Y[ASKED][:N_ONE_BY_ONE], strict=True):
            self.model.learn_one(x, y)


class Unlearning(Timed):
    """Rows that are taken out again."""

    number = 1

    def setup(self) -> None:
        self.model = clone(ONLINE["forest"]).fit(X[LEARNED], Y[LEARNED])

    def time_unlearn(self) -> None:
        self.model.unlearn(X[:N_ONE_BY_ONE], Y[:N_ONE_BY_ONE])


class Files(Timed):
    """A forest that is saved and loaded."""

    def setup(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "forest.hedgerow"
        self.model = clone(REGRESSORS["forest"]).fit(X[LEARNED], Y[LEARNED])
        self.model.save(self.path)

    def teardown(self) -> None:
        self.folder.cleanup()

    def time_save(self) -> None:
        self.model.save(self.path)

    def time_load(self) -> None:
        hedgerow.load(self.path)

    def track_size(self) -> int:
        return os.path.getsize(self.path)

    track_size.unit = "bytes"  # type: ignore[attr-defined]


def timeraw_import() -> str:
    """Return what is timed in a process of its own."""
    return "import hedgerow"


def timeraw_first_model() -> str:
    """Return what is timed in a process of its own: with all that the first model imports."""
    return "from hedgerow import MondrianForestRegressor"
