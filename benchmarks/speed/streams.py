"""Forecasting each row before it is learned, and learning classes, next to river's AMF."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.shared.data import friedman
from benchmarks.shared.page import Options, Page, ratio
from benchmarks.shared.peers import as_mappings, learn_each, predict_and_learn_each, river_amf
from benchmarks.shared.timing import Contestant, interleave
from benchmarks.speed.batch import N_TREES
from hedgerow import MondrianBoostingRegressor, MondrianForestClassifier, MondrianForestRegressor

WORDS = """\
From the first row on, with all hyper-parameters learned, which is done anew whenever rows have doubled. hedgerow \
predicts mean and standard deviation in one call of `predict_then_learn`, river the mean in a loop. {reviews} of the \
forest's time and {of_boosting} of boosting's go into these reviews."""


def forecast(page: Page, options: Options) -> None:
    """Forecast each row, then learn it, with models as they come but for the number of trees."""
    n = options.pick(300, 4000)
    data = friedman(n, 10)
    models = {
        "forest, 10 trees": partial(MondrianForestRegressor, N_TREES, n_jobs=1, random_state=0),
        "boosting, 10 trees a stage": partial(
            MondrianBoostingRegressor, N_TREES, shape="common", n_jobs=1, random_state=0
        ),
    }

    def whole(new: Any) -> Contestant:
        return lambda: partial(new().predict_then_learn, data.X, data.y, returns="std")

    def between_reviews(new: Any) -> Contestant:
        """Learn as many rows, none of which brings a review."""
        begun = 2 ** int(np.log2(n / 2)) + 1

        def prepare() -> partial[object]:
            model = new().partial_fit(data.X[:begun], data.y[:begun])
            return partial(model.predict_then_learn, data.X[begun : begun + n // 4], data.y[begun : begun + n // 4])

        return prepare

    contestants = {name: whole(new) for name, new in models.items()}
    contestants |= {f"{name}, no review": between_reviews(new) for name, new in models.items()}
    with_river = page.has("river")
    if with_river:
        mappings, targets = as_mappings(data.X), data.y.tolist()
        contestants["AMF"] = lambda: partial(predict_and_learn_each, river_amf(N_TREES), mappings, targets)
    timings = interleave(contestants, options.pick(1, 3))
    rows, shares = [], []
    for name in models:
        found = timings[name]
        peer = timings.get("AMF")
        theirs = (peer.per_row(n), ratio(peer.best / found.best)) if peer else ("not installed", "")
        rows.append((name, found.per_row(n), *theirs))
        shares.append(f"{max(0.0, 1.0 - 4.0 * timings[f'{name}, no review'].best / found.best):.0%}")
    words = WORDS.format(reviews=shares[0], of_boosting=shares[1])
    page.table(f"Forecast {n:,} rows, then learn each", ("", "hedgerow", "river's AMF", "times as fast"), rows, words)


def classes(page: Page, options: Options) -> None:
    """Learn classes in bulk."""
    from sklearn.datasets import make_classification

    rows = []
    for n, n_trees, rounds in ((3000, 10, 3), (15_000, 100, 1)):
        n, n_trees = options.pick(300, n), options.pick(2, n_trees)
        X, y = make_classification(
            n, 16, n_informative=16, n_redundant=0, n_classes=26, n_clusters_per_class=1, random_state=0
        )
        ours = partial(MondrianForestClassifier, n_trees, hyperparameters="paper", n_jobs=1, random_state=0)
        contestants: dict[str, Contestant] = {"ours": lambda ours=ours, X=X, y=y: partial(ours().partial_fit, X, y)}
        if page.has("river") and n_trees <= N_TREES:
            mappings, labels = as_mappings(X), y.tolist()
            contestants["AMF"] = lambda mappings=mappings, labels=labels: partial(
                learn_each, river_amf(N_TREES, classes=True), mappings, labels
            )
        timings = interleave(contestants, options.pick(1, rounds))
        peer = timings.get("AMF")
        theirs = (peer.per_row(n), ratio(peer.best / timings["ours"].best)) if peer else ("not installed", "")
        rows.append((f"{n:,} rows, {n_trees} trees", timings["ours"].per_row(n), *theirs))
    headings = ("", "hedgerow", "river's AMF", "times as fast")
    words = "16 columns, 26 classes of one cluster each, by scikit-learn's `make_classification`."
    page.table("Learn classes with `partial_fit`, time a row", headings, rows, words)
