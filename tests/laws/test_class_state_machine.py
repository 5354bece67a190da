"""Any sequence of calls leaves Mondrian trees in a classifier too, with counts that are those of its rows."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from hedgerow import MondrianForestClassifier
from laws.test_classes import assert_counts_are_those_of_the_rows
from laws.test_state_machine import Forest, plain_rows, weight_values, wild_rows
from thorough import THOROUGH


class ClassForest(Forest):
    @initialize(
        min_samples_split=st.sampled_from([2, 2, 5]),
        lifetime=st.sampled_from([0.5, np.inf, np.inf]),
        pause_pure=st.booleans(),
        base=st.sampled_from(["uniform", "empirical"]),
        hyperparameters=st.sampled_from(["learned", "paper"]),
        scaling=st.sampled_from(["auto", "range", "rank", "none"]),
        seed=st.integers(0, 1000),
    )
    def begin(self, **parameters):
        seed = parameters.pop("seed")
        if parameters["hyperparameters"] == "learned" and parameters["scaling"] == "none":
            parameters["scaling"] = "auto"  # as in the machine for regression
        self.forest = MondrianForestClassifier(3, random_state=seed, **parameters)
        self.rows, self.n_labels, self.n_seen = [], 0, 0

    def labelled(self, points, weights=None):
        """Mostly the class of the row before, so that pure blocks come up, and sometimes a new one."""
        weights = [1.0] * len(points) if weights is None else weights
        fresh = []
        for point, weight in zip(points, weights, strict=True):
            self.n_labels += 1
            label = (self.n_labels // 5) % 3 if self.n_labels % 11 else self.n_labels // 11
            fresh.append((point, float(label), weight))
        self.rows += [row for row in fresh if row[2] > 0]
        self.n_seen += sum(row[2] > 0 for row in fresh)
        return (np.array(column, dtype=float) for column in zip(*fresh, strict=True))

    @rule(points=plain_rows, weights=st.lists(weight_values, min_size=12, max_size=12))
    def learn_weighted(self, points, weights):
        X, y, w = self.labelled(points, weights[: len(points)])
        self.forest.partial_fit(X, y, sample_weight=w)

    @rule(points=plain_rows | wild_rows)
    def forecast(self, points):
        X, y, _ = self.labelled(points)
        found = self.forest.predict_then_learn(X, y)
        assert ((found >= 0) & (found <= 1)).all()

    @invariant()
    def is_a_forest_of_mondrian_trees(self):
        if not getattr(self, "rows", None):
            return
        assert_counts_are_those_of_the_rows(self.forest)
        assert self.forest.n_samples_ == len(self.rows)
        assert self.forest.n_samples_seen_ == self.n_seen
        labels, weights = (np.array([row[k] for row in self.rows]) for k in (1, 2))
        held = [weights[labels == label].sum() for label in self.forest._classes.numbers]
        np.testing.assert_allclose(self.forest._learner.core.class_weights, held, rtol=1e-9)
        X = np.array([row[0] for row in self.rows], dtype=float)
        found = self.forest.predict_proba(X)
        np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
        assert (found > 0).all()


ClassForest.TestCase.settings = settings(
    Forest.TestCase.settings, max_examples=1000 if THOROUGH else 15, stateful_step_count=15
)
test_class_forest = ClassForest.TestCase
