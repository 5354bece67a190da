"""What the models on Dask have in common: parameters, tasks that fit and predict, and the model on the cluster."""

from __future__ import annotations

import inspect
from copy import deepcopy
from typing import Any, ClassVar, Self

import dask.array as da
import numpy as np
from dask import delayed
from distributed import default_client
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from hedgerow.base.progress import progress, report
from hedgerow.base.seed import draw_seed
from hedgerow.integrations import _dask_tasks as tasks
from hedgerow.integrations._dask_blocks import Room, blocks_of, held, length_of, partitions
from hedgerow.integrations._dask_sample import sampled

SHARES_A_THREAD = 2
"""Shares of the trees for each thread of the cluster: some are done sooner, and a worker that is lost takes few."""


SECONDS_BETWEEN_REPORTS = 0.5

STEPS = {
    "hedgerow_rows": "reading partitions",
    "hedgerow_units": "learning units",
    "hedgerow_first_trees": "growing trees",
    "hedgerow_trees": "growing trees",
    "hedgerow_forest": "putting trees together",
}
"""What tasks are called in a bar, in the order in which they are done."""


class DaskModel:
    """What the models have in common: parameters are those of the ordinary model, which is on the cluster."""

    _LOCAL: ClassVar[Any]
    _WORD: ClassVar[str] = "boosting"
    _DEFAULTS: ClassVar[dict[str, Any]] = {}
    _OWN: ClassVar[tuple[str, ...]] = ("max_memory", "client")
    __signature__: ClassVar[inspect.Signature]
    _model: Any  # a future
    n_rows_given_: int
    n_samples_seen_: int

    def __init_subclass__(cls) -> None:
        if not hasattr(cls, "_LOCAL"):
            return
        known = inspect.signature(cls._LOCAL).parameters.values()
        own = [each.replace(default=cls._DEFAULTS.get(each.name, each.default)) for each in known]
        added = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in cls._OWN]
        cls.__signature__ = inspect.Signature([*own, *added])

    def __init__(self, *args: Any, max_memory: int | str | None = None, client: Any = None, **parameters: Any) -> None:
        self.max_memory, self.client = max_memory, client
        self._local = self._LOCAL(*args, **{**self._DEFAULTS, **parameters})

    def __repr__(self) -> str:
        return f"Dask{self._local!r}"

    def __getattr__(self, name: str) -> Any:
        is_known = hasattr(getattr(type(self), "_LOCAL", None), name)
        advice = "; to_local() returns the ordinary model, which has it" if is_known else ""
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{advice}")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        return {**self._local.get_params(deep), **{name: getattr(self, name) for name in self._OWN}}

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name. What has been learned stays as it is."""
        for name in self._OWN:
            setattr(self, name, parameters.pop(name, getattr(self, name)))
        self._local.set_params(**parameters)
        return self

    # Learning.

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn all rows, forgetting whatever was learned before; returns when that is done.

        With `max_memory`, a random sample of them if they are more than fit. `n_rows_given_` is how many there were.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Rows. All partitions have the same columns; some may be empty.
        y : dask.array.Array or dask.dataframe.Series
            Targets or labels, in partitions as those of `X`.
        sample_weight : dask.array.Array or dask.dataframe.Series, optional
            One a row.

        Returns
        -------
        self
        """
        client, local = self._client, self._template()
        blocks = blocks_of(X, y, sample_weight)
        room = Room(self._WORD, local, X)
        blocks, n_learned, n_given = self._rows(client, blocks, room, local, length_of(X))
        room.check(client, n_learned)
        self._take(client, self._fitted(client, local, blocks), n_given)
        return self

    def _rows(
        self, client: Any, blocks: list[Any], room: Room, local: Any, n_known: int | None
    ) -> tuple[list[Any], int, int]:
        """Return the partitions to be learned, how many rows they have, and how many were given."""
        if self.max_memory is not None:
            n_most = room.rows_within(self.max_memory)
            if n_known is None or n_known > n_most:
                some, n_learned, n_given = sampled(client, blocks, n_most, draw_seed(deepcopy(local.random_state)))
                if n_given > n_most:
                    return [some], n_learned, n_given
        elif n_known is not None:
            room.check(client, n_known)  # before anything is computed
        filled, n = held(client, blocks)
        return filled, n, n

    def to_local(self) -> Any:
        """Return the ordinary model, in this process: what its `fit` gives on the same rows."""
        self._check_fitted()
        return self._model.result()

    def _fitted(self, client: Any, local: Any, blocks: list[Any]) -> Any:
        """Return the model, still to be computed: here by one worker alone."""
        return delayed(tasks.hedgerow_fit)(local, blocks)

    def _template(self) -> Any:
        """Return a model that has learned nothing and whose fit is a function: its seed is drawn here and now."""
        local, state = clone(self._local), self._local.random_state
        if not isinstance(state, int | np.integer):
            drawn = np.random.SeedSequence().generate_state(4) if state is None else state.randint(2**31, size=4)
            local.set_params(random_state=np.random.RandomState(drawn))
        return local

    def _take(self, client: Any, model: Any, n_given: int) -> None:
        """Have a model computed that was given so many rows, and hold it; if that fails, this one is as it was."""
        future, described = client.compute([model, delayed(tasks.hedgerow_describe)(model)])
        with progress(type(self).__name__):
            attributes = _awaited(client, described)
        for name in tasks.DESCRIBED:
            vars(self).pop(name, None)
        vars(self).update(attributes, _model=future, n_rows_given_=n_given)

    @property
    def _client(self) -> Any:
        if self.client is not None:
            return self.client
        try:
            return default_client()
        except ValueError:
            raise ValueError(
                f"{type(self).__name__} found no Dask client: start one by distributed.Client(), or pass client=..."
            ) from None

    def _check_fitted(self) -> None:
        if not hasattr(self, "_model"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet: call fit first.")

    # Predicting.

    def _predict(self, X: Any, method: str, names: list[Any] | None, dtype: Any = np.float64, **options: Any) -> Any:
        """Return predictions of each row, lazily, as a collection like X; `names` are those of its columns."""
        self._check_fitted()
        arguments = {
            "model": delayed(self._model),
            "method": method,
            "names": names,
            "dtype": dtype,
            "options": options,
        }
        blocks, tail = partitions(X, "X"), () if names is None else (len(names),)
        if isinstance(X, da.Array):
            predicted = [delayed(tasks.hedgerow_predict)(block, **arguments) for block in blocks]
            sizes = zip(predicted, X.chunks[0], strict=True)
            return da.concatenate([da.from_delayed(part, (n, *tail), np.dtype(dtype)) for part, n in sizes])
        empty = tasks.framed(np.empty((0, *tail), dtype=dtype), X._meta.iloc[:0], names)
        return X.map_partitions(tasks.hedgerow_predict, meta=empty, **arguments)


def _awaited(client: Any, future: Any) -> Any:
    """Return the result, and report meanwhile how many tasks are left, and which comes next."""
    n_tasks = 0
    while True:
        try:
            return future.result(timeout=SECONDS_BETWEEN_REPORTS)
        except TimeoutError:
            if future.done():  # since then, or it was the task that timed out
                return future.result()
            left = client.run_on_scheduler(tasks.names_left)
            n_tasks = max(n_tasks, len(left))
            now = next((words for name, words in STEPS.items() if name in left), "fitting")
            report(now, n_tasks - len(left), n_tasks)


class DaskOnline(DaskModel):
    """A model that goes on learning."""

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, **announced: Any) -> Self:
        """Learn rows online, partition after partition; returns when that is done. One worker does the work.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        **announced
            For a classifier: `classes` that may come.

        Returns
        -------
        self
        """
        client, window = self._client, getattr(self._local, "window", None)
        is_first = not hasattr(self, "_model")
        model, n_before = (self._template(), 0) if is_first else (delayed(self._model), self.n_rows_given_)
        blocks, n = held(client, blocks_of(X, y, sample_weight))
        n_held = n + (0 if is_first else self.n_samples_seen_)
        Room(self._WORD, self._local, X).check(client, n_held if window is None else min(n_held, window))
        # A window bounds the model, not the stream: then partitions come one at a time.
        for group in [blocks] if window is None else [[block] for block in blocks]:
            model = delayed(tasks.hedgerow_learn)(model, group, announced)
        self._take(client, model, n_before + n)
        return self


class DaskForest(DaskOnline):
    """A forest, whose trees are grown by all workers."""

    _WORD = "forest"
    _DEFAULTS: ClassVar[dict[str, Any]] = {"cuts": "keyed"}

    def _fitted(self, client: Any, local: Any, blocks: list[Any]) -> Any:
        sown = delayed(tasks.hedgerow_units)(local, blocks)
        n_shares = SHARES_A_THREAD * max(1, sum(client.nthreads().values()))
        shares = [delayed(tasks.hedgerow_trees)(sown, number, n_shares) for number in range(n_shares)]
        return delayed(tasks.hedgerow_forest)(sown, [delayed(tasks.hedgerow_first_trees)(sown), *shares])


class DaskRegressor(DaskModel):
    """What regressors predict."""

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Mean of each row, lazily; with `return_std` a pair, the standard deviation as well."""
        if not return_std:
            return self._predict(X, "predict", None)
        both = self._predict(X, "predict", ["mean", "std"], return_std=True)
        return (both[:, 0], both[:, 1]) if isinstance(both, da.Array) else (both["mean"], both["std"])

    def predict_interval(self, X: Any, confidence: float = 0.9) -> Any:
        """Central prediction interval of each row, lazily: shape (n_samples, 2), or columns "lower" and "upper"."""
        return self._predict(X, "predict_interval", ["lower", "upper"], confidence=confidence)

    def predict_quantiles(self, X: Any, quantiles: Any) -> Any:
        """Quantiles of each row, lazily: shape (n_samples, n_quantiles)."""
        levels = np.atleast_1d(np.asarray(quantiles, dtype=np.float64)).tolist()
        return self._predict(X, "predict_quantiles", levels, quantiles=levels)


class DaskClassifier(DaskModel):
    """What classifiers predict."""

    classes_: Any

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each row, lazily."""
        self._check_fitted()
        return self._predict(X, "predict", None, self.classes_.dtype)

    def predict_proba(self, X: Any) -> Any:
        """Probability of each class of each row, lazily: shape (n_samples, n_classes), in the order of `classes_`."""
        self._check_fitted()
        return self._predict(X, "predict_proba", self.classes_.tolist())
