"""Any sequence of calls leaves Mondrian trees: hypothesis tries sequences, the invariant checker judges."""

from __future__ import annotations

import copy
import pickle
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import hedgerow
from hedgerow import MondrianForestRegressor
from thorough import THOROUGH

WIDTH = 3

# Few values, so that duplicates and constant columns come up; some of them huge.
values = st.sampled_from([0.0, 1.0, 1.0, 2.0, -3.5, 0.1, 1e-30, 1e9, -1e300])
plain_rows = st.lists(st.tuples(*[st.sampled_from([0.0, 0.25, 1.0, 3.0])] * WIDTH), min_size=1, max_size=12)
wild_rows = st.lists(st.tuples(values, values, st.just(5.0)), min_size=1, max_size=6)
weight_values = st.sampled_from([0.25, 0.5, 1.0, 1.0, 2.0, 7.0, 0.0])
fractions = st.floats(0, 1)


class Forest(RuleBasedStateMachine):
    @initialize(
        min_samples_split=st.sampled_from([2, 3, 7]),
        lifetime=st.sampled_from([0.5, 3.0, np.inf]),
        smoothing=st.sampled_from(["hierarchy", "moments"]),
        hyperparameters=st.sampled_from(["learned", "paper"]),
        scaling=st.sampled_from(["auto", "range", "rank", "none"]),
        kind=st.sampled_from(["auto", "real", "positive"]),
        seed=st.integers(0, 1000),
    )
    def begin(self, **parameters):
        seed, parameters["target"] = parameters.pop("seed"), parameters.pop("kind")
        if parameters["hyperparameters"] == "learned" and parameters["scaling"] == "none":
            parameters["scaling"] = "auto"  # values further apart than 1e18 units are one value, and units change
        self.forest = MondrianForestRegressor(3, random_state=seed, **parameters)
        self.rows: list[tuple] = []  # features, label, weight
        self.n_labels = 0
        self.n_seen = 0

    def labelled(self, points, weights=None):
        """Each row gets a label of its own, so that it can be named when it is unlearned."""
        weights = [1.0] * len(points) if weights is None else weights
        fresh = []
        for point, weight in zip(points, weights, strict=True):
            self.n_labels += 1
            fresh.append((point, float(self.n_labels % 17) + self.n_labels / 1024, weight))
        self.rows += [row for row in fresh if row[2] > 0]
        self.n_seen += sum(row[2] > 0 for row in fresh)
        return (np.array(column, dtype=float) for column in zip(*fresh, strict=True))

    @rule(points=plain_rows | wild_rows)
    def learn(self, points):
        X, y, _ = self.labelled(points)
        self.forest.partial_fit(X, y)

    @rule(points=plain_rows, weights=st.lists(weight_values, min_size=12, max_size=12))
    def learn_weighted(self, points, weights):
        X, y, w = self.labelled(points, weights[: len(points)])
        self.forest.partial_fit(X, y, w)

    @rule(points=plain_rows | wild_rows)
    def learn_one_by_one(self, points):
        X, y, _ = self.labelled(points)
        for x, label in zip(X, y, strict=True):
            self.forest.learn_one(x, label)

    @rule(points=plain_rows)
    def learn_the_same_row_often(self, points):
        X, y, _ = self.labelled([points[0]] * 5)
        self.forest.partial_fit(X, y)

    @precondition(lambda self: self.rows)
    @rule(share=fractions, seed=st.integers(0, 100))
    def unlearn(self, share, seed):
        order = np.random.default_rng(seed).permutation(len(self.rows))[: int(np.ceil(share * len(self.rows)))]
        if order.size == 0:
            return
        leaving = [self.rows[i] for i in order]
        X, y, w = (np.array(column, dtype=float) for column in zip(*leaving, strict=True))
        self.forest.unlearn(X, y, w)
        self.rows = [row for i, row in enumerate(self.rows) if i not in set(order.tolist())]

    @precondition(lambda self: self.rows)
    @rule()
    def unlearn_the_last(self):
        x, y, _ = self.rows.pop()
        self.forest.unlearn_one(x, y)

    @precondition(lambda self: self.rows)
    @rule()
    def unlearn_a_stranger(self):
        before = pickle.dumps(self.forest)
        try:
            self.forest.unlearn_one([0.0, 0.0, 0.0], -1.0)
        except ValueError:
            assert pickle.dumps(self.forest) == before
        else:
            raise AssertionError("a row that was never learned was unlearned")

    @rule(way=st.sampled_from(["pickle", "copy", "file"]))
    def detour(self, way):
        if way == "pickle":
            self.forest = pickle.loads(pickle.dumps(self.forest))
        elif way == "copy":
            self.forest = copy.deepcopy(self.forest)
        else:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "forest"
                self.forest.save(path)
                self.forest = hedgerow.load(path)

    @precondition(lambda self: self.rows)
    @rule()
    def refit(self):
        X, y, w = (np.array(column, dtype=float) for column in zip(*self.rows, strict=True))
        self.forest.fit(X, y, w * max(1.0, 10 / w.sum()))
        weights = w * max(1.0, 10 / w.sum())
        self.rows = [(*row[:2], weight) for row, weight in zip(self.rows, weights, strict=True)]
        self.n_seen = len(self.rows)

    @invariant()
    def is_a_forest_of_mondrian_trees(self):
        if not getattr(self, "rows", None):
            return
        assert self.forest.check_structure() == []
        assert self.forest.n_samples_ == len(self.rows)
        assert self.forest.n_samples_seen_ == self.n_seen
        X = np.array([row[0] for row in self.rows], dtype=float)
        mean, std = self.forest.predict(X, return_std=True)
        labels = np.array([row[1] for row in self.rows])
        weights = np.array([row[2] for row in self.rows])
        assert np.isfinite(mean).all()
        assert (std >= 0).all()
        if self.forest.target_ == "real":
            assert labels.min() - 1e-6 <= mean.min() <= mean.max() <= labels.max() + 1e-6
        encoded = self.forest._learner.labels.target.encode(labels)
        np.testing.assert_allclose(self.forest.prior_mean_, np.average(encoded, weights=weights), rtol=1e-9)


Forest.TestCase.settings = settings(
    max_examples=1000 if THOROUGH else 60,
    stateful_step_count=20,
    phases=list(Phase) if THOROUGH else [Phase.generate],  # to make a failure small takes minutes
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
test_forest = Forest.TestCase
