"""Any order of calls: every online model against a twin that was only ever given its rows, one by one.

Hypothesis draws orders of learning, unlearning, asking, copying, saving, setting parameters and failing. The twin gets
the same rows one at a time, in the same order, and lives through nothing else. Both must know the same in the end, and
hold the rows that a plain list of them says.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from laws.test_copies import WAYS
from models import Case, answers, bits, every
from thorough import THOROUGH

pytestmark = pytest.mark.filterwarnings("ignore")
ASKED = 4


class Life(RuleBasedStateMachine):
    case: ClassVar[Case]

    @initialize(seed=st.integers(0, 5))
    def begin(self, seed):
        self.model, self.twin = self.case.new(), self.case.new()
        X, self.labels = self.case.data(400, seed)
        self.pool = np.round(X * 8 / [1, 1000, 1]) / 8 * [1, 1000, 1]  # so that rows come twice
        self.rows: list[tuple[Any, Any, float]] = []  # that are held: features, target and weight
        self.n_seen = self.n_drawn = 0
        self.learn(7, "partial_fit", odd=True)

    # What both go through.

    @rule(
        n=st.integers(1, 9), way=st.sampled_from(["partial_fit", "learn_one", "predict_then_learn"]), odd=st.booleans()
    )
    def learn(self, n, way, odd):
        X, y = self.drawn(n)
        weights = np.ones(n)
        if way == "learn_one" and self.case.learns_rows:
            for i in range(n):
                self.model.learn_one(X[i], y[i])
        else:
            if odd and self.case.weighs:
                weights = np.resize([2.0, 1.0, 0.0, 3.0], n)
            way = way if self.case.can(way) and way != "learn_one" else "partial_fit"
            getattr(self.model, way)(X, y, **self.case.weighted(weights))
        for i in np.flatnonzero(weights):
            self.twin.partial_fit(X[i : i + 1], y[i : i + 1], **self.case.weighted(weights[i : i + 1]))
            self.rows.append((X[i], y[i], weights[i]))
            self.n_seen += 1
        self.rows = self.rows[-(self.case.parameters.get("window") or len(self.rows)) :]

    @precondition(lambda self: self.case.unlearns and self.rows)
    @rule(share=st.floats(0, 0.9), seed=st.integers(0, 9))
    def unlearn(self, share, seed):
        order = np.random.default_rng(seed).permutation(len(self.rows))[: max(1, int(share * len(self.rows)))]
        X, y, weights = (np.array(part) for part in zip(*(self.rows[i] for i in order), strict=True))
        self.model.unlearn(X, y, **self.case.weighted(weights))
        for i in range(order.size):
            self.twin.unlearn(X[i : i + 1], y[i : i + 1], **self.case.weighted(weights[i : i + 1]))
        self.rows = [row for i, row in enumerate(self.rows) if i not in set(order.tolist())]

    # What only the model goes through, and must leave no trace.

    @rule(way=st.sampled_from(sorted(WAYS)))
    def copy(self, way):
        with tempfile.TemporaryDirectory() as folder:
            self.model = WAYS[way](self.model, Path(folder))

    @precondition(lambda self: self.case.jobs is not None and self.case.jobs == "n_jobs")
    @rule(n_jobs=st.sampled_from([None, 2]))
    def set_jobs(self, n_jobs):
        self.model.set_params(n_jobs=n_jobs)

    @precondition(lambda self: self.rows)
    @rule()
    def ask(self):
        X, y = self.pool[:ASKED], self.labels[:ASKED]
        assert answers(self.model, X, y) == answers(self.twin, X, y)

    @precondition(lambda self: self.rows)
    @rule(what=st.sampled_from(["infinite", "narrow", "target", "weights", "stranger", "question", "parameter"]))
    def fail(self, what):
        X, y = self.pool[:ASKED], self.labels[:ASKED]
        before, parameters = bits(self.model), self.model.get_params(deep=False)
        calls = {
            "infinite": lambda: self.model.partial_fit(np.where(X[1] == X, np.inf, X), y),
            "narrow": lambda: self.model.partial_fit(X[:, :2], y),
            "target": lambda: self.model.partial_fit(X, [None] * ASKED if self.case.classes else y * np.nan),
            "weights": lambda: self.model.partial_fit(X, y, **self.case.weighted([1.0, -1.0, 1.0, 1.0])),
            "stranger": lambda: self.model.unlearn(X + 0.123, y),
            "question": lambda: self.model.predict(X[:, :1]),
            "parameter": lambda: self.model.set_params(n_estimators=99).partial_fit(X, y),
        }
        is_possible = {
            "target": self.case.predicts,
            "weights": self.case.weighs,
            "stranger": self.case.unlearns,
            "question": self.case.predicts,
            "parameter": "n_estimators" in self.case.parameters,
        }
        if is_possible.get(what, True):
            with pytest.raises((ValueError, TypeError)):
                calls[what]()
            self.model.set_params(**parameters)
            assert bits(self.model) == before

    def teardown(self):
        if not getattr(self, "rows", None):
            return
        if self.case.jobs == "n_jobs":
            self.model.set_params(n_jobs=self.twin.n_jobs)
        if not self.case.renumbers:
            assert bits(self.model) == bits(self.twin)
        self.ask()
        relearns = self.case.unlearns and not self.case.can("check_structure")  # which begins to count anew
        assert self.model.n_samples_seen_ == (self.twin.n_samples_seen_ if relearns else self.n_seen)
        if self.case.can("n_samples_"):
            assert self.model.n_samples_ == len(self.rows)
        if self.case.can("check_structure"):
            assert self.model.check_structure() == []

    def drawn(self, n):
        """Return the next rows of the stream; some are those that came before, with other targets or the same."""
        places = np.arange(self.n_drawn, self.n_drawn + n) % 350
        self.n_drawn += n - n // 4
        return self.pool[places], self.labels[places]


ORDERS = settings(
    max_examples=100 if THOROUGH else 3,
    stateful_step_count=40 if THOROUGH else 9,
    phases=list(Phase) if THOROUGH else [Phase.generate],  # to make a failure small takes minutes
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@every("online")
def test_any_order_of_calls(case):
    run_state_machine_as_test(type("Life", (Life,), {"case": case}), settings=ORDERS)
