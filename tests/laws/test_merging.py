"""Forests merged out of parts are those of all rows, bit for bit; what does not fit together is refused."""

from __future__ import annotations

import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import hedgerow
from hedgerow.mondrian import _forest
from keyed_forests import (
    ALL,
    NEW,
    are_same,
    draw,
    known,
)
from models import answers, bits


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


def test_targets_as_many_as_others_have():
    (X, y), new = draw("learned targets", 60), NEW["learned targets"]
    model, before = new().fit(X[:30], y[:30]), None
    for part, n in ((new().fit(X[30:], y[30:, 0]), 1), (new().fit(X[30:], np.column_stack([y, y])[30:, :3]), 3)):
        before = bits(model), bits(part)
        with pytest.raises(ValueError, match=f"have 2 and {n} targets a row"):
            model.merge(part)
        assert (bits(model), bits(part)) == before
