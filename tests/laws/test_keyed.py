"""Forests with keyed cuts know their rows as a set: any order of learning, unlearning, merging and saving against a
fresh forest on the same rows, bit for bit."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

import hedgerow
from hedgerow import MondrianForestRegressor
from keyed_forests import (
    ALL,
    NEW,
    NOTHING_LEARNED,
    are_same,
    draw,
    known,
    learned_online,
    said,
)
from models import answers, bits
from thorough import THOROUGH


@ALL
@pytest.mark.parametrize("more", [{}, {"lifetime": 2.0}, {"min_samples_split": 7}], ids=str)
def test_batch_does_not_know_the_order(kind, more):
    X, y = draw(kind)
    order = np.random.default_rng(1).permutation(len(y))
    one, other = NEW[kind](**more).fit(X, y), NEW[kind](n_jobs=2, **more).fit(X[order], y[order])
    assert are_same(one, other, X[:20], y[:20])
    if kind != "moments":
        left_out = [getattr(model, "loo_interval", model.loo_predict)() for model in (one, other)]
        np.testing.assert_array_equal(left_out[0][order], left_out[1])


@NOTHING_LEARNED
@pytest.mark.parametrize("more", [{}, {"lifetime": 2.0}, {"min_samples_split": 7}], ids=str)
def test_online_is_batch(kind, more):
    X, y = draw(kind)
    online = learned_online(NEW[kind](**more), X[:1], y[:1])
    for i in range(1, 40):
        online.learn_one(X[i], y[i])
    online.partial_fit(X[40:], y[40:])
    assert are_same(online, NEW[kind](**more).fit(X, y), X[:20], y[:20])


@NOTHING_LEARNED
@pytest.mark.parametrize("more", [{}, {"lifetime": 2.0}, {"min_samples_split": 7}], ids=str)
def test_unlearned_is_never_seen(kind, more):
    X, y = draw(kind)
    weights = np.resize([1.0, 2.0, 0.75], len(y)) if kind != "classes" else np.resize([1.0, 2.0], len(y))
    model = NEW[kind](**more).fit(X, y, weights)
    gone = np.random.default_rng(2).permutation(len(y))[:60]
    model.unlearn(X[gone], y[gone], weights[gone])
    left = np.delete(np.arange(len(y)), gone)
    fresh = NEW[kind](**more).fit(X[left], y[left], weights[left])
    assert are_same(model, fresh, X[:20], y[:20])
    assert answers(model, X[:20], y[:20]) == answers(fresh, X[:20], y[:20])  # rows left are in their old order, too


@ALL
def test_relearning_does_not_know_the_order(kind):
    X, y = draw(kind)
    model = learned_online(NEW[kind](), X[::-1], y[::-1]).unlearn(X[:30], y[:30], relearn=True)
    assert are_same(model, NEW[kind]().fit(X[30:], y[30:]), X[:20], y[:20])


def test_a_window_holds_the_last_rows():
    X, y = draw("hierarchy")
    model = NEW["hierarchy"](window=50).fit(X[:90], y[:90]).partial_fit(X[90:], y[90:])
    assert are_same(model, NEW["hierarchy"]().fit(X[-50:], y[-50:]), X[:20], y[:20])


class Life(RuleBasedStateMachine):
    """Rows come, go, and come by merging; the model must be what `fit` on the rows held is."""

    @initialize(
        kind=st.sampled_from(["hierarchy", "moments", "classes"]), more=st.sampled_from([{}, {"lifetime": 1.5}])
    )
    def begin(self, kind, more):
        self.kind, self.more = kind, more
        self.X, self.y = draw(kind, 120, seed=3)
        self.model, self.held = self.new([0, 1, 2]), [0, 1, 2]

    def new(self, places):
        model = NEW[self.kind](**self.more)
        learned_online(model, self.X[places], self.y[places])
        return model

    def away(self, seed, n):
        places = np.setdiff1d(np.arange(120), self.held)
        return np.random.default_rng(seed).permutation(places)[:n].tolist()

    @rule(seed=st.integers(0, 99), n=st.integers(1, 30))
    def learn(self, seed, n):
        places = self.away(seed, n)
        if places:
            self.model.partial_fit(self.X[places], self.y[places])
            self.held += places

    @precondition(lambda self: len(self.held) > 1)
    @rule(seed=st.integers(0, 99), share=st.floats(0, 0.9))
    def unlearn(self, seed, share):
        places = np.random.default_rng(seed).permutation(self.held)[: int(share * len(self.held))].tolist()
        if places:
            self.model.unlearn(self.X[places], self.y[places])
            self.held = [place for place in self.held if place not in places]

    @rule(seed=st.integers(0, 99), n=st.integers(1, 30), is_other=st.booleans())
    def merge(self, seed, n, is_other):
        places = self.away(seed, n)
        if not places:
            return
        part = self.new(places)
        self.model = part.merge(self.model) if is_other else self.model.merge(part)
        self.held += places

    @rule()
    def save_and_load(self):
        with tempfile.TemporaryDirectory() as folder:
            self.model.save(Path(folder) / "model")
            self.model = hedgerow.load(Path(folder) / "model")

    def teardown(self):
        if hasattr(self, "held"):
            fresh = NEW[self.kind](**self.more)
            learned_online(fresh, self.X[self.held], self.y[self.held])
            assert self.model.check_structure() == []
            assert are_same(self.model, fresh, self.X[:15], self.y[:15])
            if self.kind != "classes":  # where classes are known that no row has
                assert known(self.model) == known(NEW[self.kind](**self.more).fit(self.X[self.held], self.y[self.held]))


def test_any_life():
    run_state_machine_as_test(
        Life,
        settings=settings(
            max_examples=300 if THOROUGH else 25,
            stateful_step_count=30 if THOROUGH else 12,
            deadline=None,
            derandomize=not THOROUGH,
            database=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize("kind", ["learned", "learned targets"])
@pytest.mark.parametrize("more", [{}, {"min_samples_split": 9}], ids=str)
def test_what_was_unlearned_may_come_back(kind, more):
    """In another order; leaves of several rows among them."""
    X, y = draw(kind)
    model = NEW[kind](**more).fit(X, y)
    before, order = said(model, X[:20], y[:20]), np.random.default_rng(1).permutation(60)
    model.unlearn(X[:60], y[:60]).partial_fit(X[order], y[order])
    found = said(model, X[:20], y[:20])
    assert model.n_samples_ == len(X)
    assert {name for name in found if found[name] != before[name]} <= {"feature_importances_"} & set(before)


@ALL
def test_rows_from_elsewhere(kind):
    """Outside of the box of those that were there: one by one, together, with files and copies in between."""
    X, y = draw(kind)
    far = X[:60] + np.linspace(0, 30, 60)[:, None] ** 2
    one, other = NEW[kind]().fit(X, y), NEW[kind]().fit(X, y)
    forecast = getattr(one, "predict_proba", one.predict)
    before = [forecast(far[20:21])]
    other.predict_then_learn(far, y[:60])
    for i in range(60):
        one.learn_one(far[i], y[i])
        if i % 20 == 5:
            with tempfile.TemporaryDirectory() as folder:
                one.save(Path(folder) / "model")
                one = pickle.loads(pickle.dumps(hedgerow.load(Path(folder) / "model")))
    assert one.check_structure() == []
    assert bits(one) == bits(other)
    assert said(one, X[:20], y[:20]) == said(other, X[:20], y[:20])
    assert not np.array_equal(before[0], getattr(one, "predict_proba", one.predict)(far[20:21]))
    one.unlearn(far, y[:60], relearn=True)
    assert are_same(one, NEW[kind]().fit(X, y), X[:20], y[:20])


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (lambda arrays: {"keyed.domain": arrays["keyed.domain"][:-1]}, "the domain of its process is broken"),
        (lambda arrays: {"keyed.domain": arrays["keyed.domain"] * np.float32(np.nan)}, "the domain of its process"),
        (lambda arrays: {"keyed.domain": arrays["keyed.domain"] * np.float32(0.5)}, "a row lies outside the domain"),
        (lambda arrays: {"keyed.domain": arrays["keyed.domain"] * np.float32(2)}, "not the one that its key gives"),
        (lambda arrays: {"keyed.n_widened": np.array([3], dtype=np.uint64)}, "the domain of its process is broken"),
        (lambda arrays: {"keyed.n_widened": np.array([], dtype=np.uint64)}, "the domain of its process is broken"),
    ],
    ids=["size", "nan", "small", "large", "often", "empty"],
)
def test_a_broken_domain_is_refused(broken, message):
    X, y = draw("learned", 60)
    learner = NEW["learned"]().fit(X, y)._learner
    arrays = learner.core.archive()
    core = learner.labels.new_core(learner.settings.shape(3, learner.seed))
    with pytest.raises(ValueError, match=message):
        core.restore(arrays | broken(arrays))


def test_new_seed_by_default():
    X, y = draw("hierarchy", 30)
    one, other = (MondrianForestRegressor(2, cuts="keyed").fit(X, y) for _ in range(2))
    assert one._learner.seed != other._learner.seed


@ALL
def test_wider_rows_have_trees_of_wider_rows(kind):
    """Columns that come later: absent before, which is a column of zeros."""
    X, y = draw(kind, 60)
    wide = np.column_stack([X, np.zeros(60)])
    model = learned_online(NEW[kind](), X, y)._widened(np.zeros(1))
    assert model.check_structure() == []
    if not kind.startswith("learned"):
        assert known(model) == known(learned_online(NEW[kind](), wide, y))
    assert model.partial_fit(wide + 0.5, y).n_samples_ == 120
