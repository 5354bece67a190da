"""Forests with keyed cuts know their rows as a set: any order of learning, unlearning, merging and saving against a
fresh forest on the same rows, bit for bit."""

from __future__ import annotations

import pickle
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

import hedgerow
from hedgerow import MondrianForestClassifier, MondrianForestRegressor
from hedgerow.mondrian import _forest
from models import answers, bits
from thorough import THOROUGH

HISTORY = {"counters", "rows.arrival_order"}  # arrays of a file that tell when rows came, and how many ever did
FIXED = {"scaling": "none", "hyperparameters": "paper", "cuts": "keyed", "random_state": 5, "min_samples_split": 2}
SMOOTHING = {"drift_rate": 0.5, "signal_to_noise": 20.0}
CLASSES = ["a", "b", "c"]

NEW = {
    "hierarchy": lambda **more: MondrianForestRegressor(4, **(FIXED | SMOOTHING | more)),
    "moments": lambda **more: MondrianForestRegressor(4, smoothing="moments", **(FIXED | SMOOTHING | more)),
    "classes": lambda **more: MondrianForestClassifier(4, **(FIXED | more)),
    "learned": lambda **more: MondrianForestRegressor(4, cuts="keyed", random_state=5, **more),
    "learned classes": lambda **more: MondrianForestClassifier(4, cuts="keyed", random_state=5, **more),
    "learned positive": lambda **more: MondrianForestRegressor(
        4, cuts="keyed", random_state=5, target="positive", **more
    ),
    "learned targets": lambda **more: MondrianForestRegressor(4, cuts="keyed", random_state=5, **more),
}


def draw(kind, n=160, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.uniform(size=(n, 3)) * 16) / 16  # so that rows come twice
    X[:, 1] = rng.normal(size=n)
    X[n // 2 :: 5, 1] = 0.25
    y = 3 * X[:, 0] + X[:, 1] + rng.normal(scale=0.2, size=n)
    if "positive" in kind:
        return X, np.round(np.exp(y), 3)  # what has few digits comes back from its logarithm as it was
    if "targets" in kind:
        return X, np.column_stack([y, 10 * X[:, 1] + rng.normal(size=n)])
    return X, (np.array(CLASSES)[np.clip(y, 0, 2).astype(int)] if "classes" in kind else y)


def said(model, X, y):
    """All that a model says but for leave-one-out, which comes in the order in which rows came."""
    found = answers(model, X, y)
    found.pop("loo_predict", None)
    return found


def known(model):
    """All that the core keeps but for when rows came."""
    return {name: array.tobytes() for name, array in model._learner.core.archive().items() if name not in HISTORY}


def are_same(one, other, X, y):
    return said(one, X, y) == said(other, X, y) and known(one) == known(other)


ALL = pytest.mark.parametrize("kind", list(NEW))
NOTHING_LEARNED = pytest.mark.parametrize("kind", ["hierarchy", "moments", "classes"])


def learned_online(model, X, y):
    announced = {"classes": CLASSES} if isinstance(model, MondrianForestClassifier) else {}
    return model.partial_fit(X, y, **announced)


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


@ALL
@pytest.mark.parametrize("dealt", [[80], [150], [3, 40, 90]], ids=str)
def test_merged_is_fitted_to_all(kind, dealt):
    X, y = draw(kind)
    parts = [NEW[kind]().fit(*rows) for rows in zip(np.split(X, dealt), np.split(y, dealt), strict=True)]
    whole, before = NEW[kind]().fit(X, y), [bits(part) for part in parts]
    merged = hedgerow.merge(parts)
    assert are_same(merged, whole, X[:20], y[:20])
    assert answers(merged, X[:20], y[:20]) == answers(whole, X[:20], y[:20])
    assert are_same(hedgerow.merge(parts[::-1]), whole, X[:20], y[:20])
    assert [bits(part) for part in parts] == before
    for part in parts[1:]:
        parts[0].merge(part)
    assert are_same(parts[0], whole, X[:20], y[:20])
    assert hasattr(merged.merge(NEW[kind]().fit(X[:9] + 1, y[:9])), "predict")
    with pytest.raises(ValueError, match="merged before"):
        merged.merge(parts[1])


def test_a_window_holds_the_last_rows():
    X, y = draw("hierarchy")
    model = NEW["hierarchy"](window=50).fit(X[:90], y[:90]).partial_fit(X[90:], y[90:])
    assert are_same(model, NEW["hierarchy"]().fit(X[-50:], y[-50:]), X[:20], y[:20])


def test_a_merged_forest_shares_nothing_with_its_parts():
    X, y = draw("hierarchy", 60)
    for parts in ([X[:30]], [X[:30], X[30:]]):
        forests = [NEW["hierarchy"]().fit(part, y[: len(part)]) for part in parts]
        before = bits(forests[0])
        hedgerow.merge(forests).partial_fit(X[:5] + 1, y[:5])
        assert bits(forests[0]) == before


def test_weights_and_online_parts_merge():
    X, y = draw("hierarchy")
    weights = np.linspace(0.5, 3, len(y))
    some = NEW["hierarchy"]().fit(X[:70], y[:70])
    other = NEW["hierarchy"]().partial_fit(X[70:], y[70:], weights[70:])
    whole = NEW["hierarchy"]().fit(X, y, np.r_[np.ones(70), weights[70:]])
    assert are_same(some.merge(other), whole, X[:20], y[:20])


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


# What is refused, with both forests as they were.


def other_columns(X, y):
    frame = pytest.importorskip("pandas").DataFrame(X, columns=["p", "q", "r"])
    return NEW["hierarchy"]().fit(frame, y)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda X, y: NEW["hierarchy"](random_state=6).fit(X, y), "random seeds"),
        (lambda X, y: NEW["hierarchy"](lifetime=3.0).fit(X, y), "lifetime"),
        (lambda X, y: NEW["hierarchy"](prior_mean=1.0).fit(X, y), "prior_mean"),
        (lambda X, y: NEW["hierarchy"](cuts="free").fit(X, y), "cuts='keyed'"),
        (lambda X, y: NEW["hierarchy"](window=30).fit(X, y), "window"),
        (lambda X, y: NEW["hierarchy"]().fit(X[:, :2], y), r"columns: \['x2'\] in one only"),
        (other_columns, r"columns: \['x0', 'x1', 'x2'\] in one only and \['p', 'q', 'r'\] in another only"),
        (lambda X, y: NEW["hierarchy"](), "not fitted"),
        (lambda X, y: NEW["classes"]().fit(X, y > 0), "merged with its like"),
        (lambda X, y: "forest", "merged with its like"),
    ],
    ids=["seed", "lifetime", "prior", "cuts", "window", "width", "names", "unfitted", "class", "string"],
)
def test_what_does_not_fit_is_refused(other, message):
    X, y = draw("hierarchy", 60)
    model, part = NEW["hierarchy"]().fit(X[:30], y[:30]), other(X[30:], y[30:])
    before = bits(model), bits(part) if hasattr(part, "save") else None
    with pytest.raises((ValueError, TypeError), match=message):
        model.merge(part)
    assert before == (bits(model), bits(part) if hasattr(part, "save") else None)


def test_a_part_comes_once():
    X, y = draw("hierarchy", 60)
    model, part = NEW["hierarchy"]().fit(X[:30], y[:30]), NEW["hierarchy"]().fit(X[30:], y[30:])
    model.merge(part)
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model")
        again = hedgerow.load(Path(folder) / "model")
    for each in (model, again, part):
        before = bits(each)
        with pytest.raises(ValueError, match="merged before"):
            each.merge(part if each is not part else model)
        assert bits(each) == before
    with pytest.raises(ValueError, match="merged before"):
        model.unlearn(X[30:], y[30:]).merge(part)
    model.unlearn(X[:1], y[:1], relearn=True).partial_fit(X[:1], y[:1]).merge(part)  # now nothing is known of it
    assert are_same(model, NEW["hierarchy"]().fit(X, y), X[:9], y[:9])


def table(kind, n=160):
    """Text, dates and values that are missing, more of all in later rows."""
    pd = pytest.importorskip("pandas")
    X, y = draw(kind, n)
    frame = pd.DataFrame(X, columns=["p", "q", "r"])
    frame["text"] = np.where(np.arange(n) < n // 2, "ash", np.resize(["ash", "birch", "elm", "fir"], n))
    frame["day"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.linspace(0, 1, n) ** 3 * 400, unit="D").round("h")
    frame.loc[n // 2 + 5 :: 7, "r"] = np.nan
    frame["none at first"] = np.where(np.arange(n) < n // 2, np.nan, X[:, 0])
    return frame, y


@ALL
def test_tables_merge(kind):
    X, y = table(kind)
    whole = NEW[kind]().fit(X, y)

    def are_whole(model):
        said = "predict_proba" if hasattr(model, "predict_proba") else "predict"
        same = np.array_equal(getattr(model, said)(X), getattr(whole, said)(X))
        return same and known(model) == known(whole) and model._columns == whole._columns

    parts = [NEW[kind]().fit(X[a:b], y[a:b]) for a, b in ((0, 40), (40, 90), (90, 160))]
    assert len({part._columns for part in parts}) == 3
    assert are_whole(hedgerow.merge(parts))
    for part in parts[1:]:
        parts[0].merge(part)
    assert are_whole(parts[0])
    assert are_whole(NEW[kind]().fit(X[:150], y[:150]).merge(NEW[kind]().fit(X[150:], y[150:])))  # a few rows


def test_a_forest_that_is_no_list_of_forests():
    with pytest.raises(TypeError, match="merge takes a list of forests, got MondrianForestRegressor"):
        hedgerow.merge(NEW["hierarchy"]())


def test_tables_with_other_columns_are_refused():
    X, y = table("hierarchy")
    model, part = NEW["hierarchy"]().fit(X[:80], y[:80]), NEW["hierarchy"]().fit(X[80:].assign(text=1.0), y[80:])
    before = bits(model)
    with pytest.raises(ValueError, match="took column 'text' for different things, category and number"):
        model.merge(part)
    assert bits(model) == before


def test_columns_in_another_order_are_refused():
    X, y = table("hierarchy")
    model, part = (NEW["hierarchy"]().fit(X[names], y) for names in (["p", "text", "q"], ["p", "q", "text"]))
    with pytest.raises(ValueError, match="the order differs, column 1 is 'text' in one and 'q' in another"):
        model.merge(part)


def test_a_forest_that_changes_before_it_is_held_is_compared_as_it_is_then(monkeypatch):
    X, y = draw("hierarchy", 60)
    model, part = NEW["hierarchy"]().fit(X[:30], y[:30]), NEW["hierarchy"]().fit(X[30:], y[30:])
    look_at = _forest.part_of

    def look_then_change(*given):
        found = look_at(*given)
        other_thread = threading.Thread(target=lambda: model.set_params(random_state=6).fit(X[:30], y[:30]))
        other_thread.start()
        other_thread.join()
        return found

    monkeypatch.setattr(_forest, "part_of", look_then_change)
    with pytest.raises(ValueError, match="random seeds"):
        model.merge(part)
    assert bits(model) == bits(NEW["hierarchy"](random_state=6).fit(X[:30], y[:30]))


def test_forests_merged_into_each_other_at_once():
    X, y = draw("hierarchy", 60)
    pair = [NEW["hierarchy"]().fit(X[:30], y[:30]), NEW["hierarchy"]().fit(X[30:], y[30:])]

    def merge(one, other):
        with suppress(ValueError):  # if the other was first, it holds these rows already
            one.merge(other)

    threads = [threading.Thread(target=merge, args=ordered, daemon=True) for ordered in (pair, pair[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert max(model.n_samples_ for model in pair) == 60


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


def test_targets_as_many_as_others_have():
    (X, y), new = draw("learned targets", 60), NEW["learned targets"]
    model, before = new().fit(X[:30], y[:30]), None
    for part, n in ((new().fit(X[30:], y[30:, 0]), 1), (new().fit(X[30:], np.column_stack([y, y])[30:, :3]), 3)):
        before = bits(model), bits(part)
        with pytest.raises(ValueError, match=f"have 2 and {n} targets a row"):
            model.merge(part)
        assert (bits(model), bits(part)) == before


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
