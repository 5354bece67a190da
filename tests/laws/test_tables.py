"""What holds of plain numbers holds of tables in which values are missing, with categories and dates."""

from __future__ import annotations

import copy
import pickle
from itertools import pairwise

import numpy as np
import pytest

import hedgerow
from models import answers, bits, every, make_sense, numbers
from tables import array, draw_table, frame, part, rows, table_of
from thorough import THOROUGH

pytestmark = pytest.mark.filterwarnings("ignore")
N = 100


def asked(seed=1):
    """Rows that have not been learned, with values missing where none were and levels that are new."""
    table, _ = draw_table(40, seed)
    table["many"][:3] = ["unheard of", None, "level 1"]
    table["late"][:5] = [None] * 5
    return table


def learned(model, table, y, edges, make=frame, **weights):
    for begin, end in pairwise(edges):
        more = {name: values[begin:end] for name, values in weights.items()}
        model.partial_fit(make(part(table, slice(begin, end))), y[begin:end], **more)
    return model


def assert_same(case, one, other):
    """The same file; or, where rows may be numbered differently, the same answers now and after more rows."""
    if not case.renumbers:
        assert bits(one) == bits(other)
        return
    table, y = table_of(case, 40, seed=2)
    rounding = 1e-9 if case.parameters.get("window") else 0
    np.testing.assert_allclose(numbers(one, asked()), numbers(other, asked()), rtol=rounding)
    later = [copy.deepcopy(model).partial_fit(table, y) for model in (one, other)]
    np.testing.assert_allclose(*(numbers(model, asked()) for model in later), rtol=rounding)


def seasoned(case, n=60, make=dict):
    """Return a model that has learned a table in all its ways."""
    table, y = table_of(case, n)
    model = case.new().fit(make(part(table, slice(n // 2))), y[: n // 2])
    if case.online:
        model.partial_fit(make(part(table, slice(n // 2, n))), y[n // 2 :])
    if case.unlearns:
        model.unlearn(make(part(table, slice(5, 9))), y[5:9])
    return model


@every("jobs", one_a_class=True)
def test_any_number_of_threads(case):
    table, y = table_of(case, N)
    found = []
    for n in (1, 3):
        model = case.new().set_params(**{case.jobs: n}).fit(part(table, slice(60)), y[:60])
        if case.online:
            model.partial_fit(part(table, slice(60, N)), y[60:])
        if case.unlearns:
            model.unlearn(part(table, slice(40, 60)), y[40:60])
        found.append((numbers(model, asked()).tobytes(), bits(model.set_params(**{case.jobs: None}))))
        assert make_sense(numbers(model, asked()))
    assert found[0] == found[1] or (case.jobs != "n_jobs" and found[0][0] == found[1][0])


@every("online")
@pytest.mark.parametrize("begin", [0, 30] if THOROUGH else [30], ids="after {}".format)
def test_any_split_into_batches(case, begin):
    """After a fit; `test_rows_one_by_one` begins with the first row."""
    table, y = table_of(case, N)
    weights = case.weighted(np.random.default_rng(3).uniform(0.1, 3.0, N))
    models = [case.new(), case.new()]
    if begin:
        models = [model.fit(part(table, slice(begin)), y[:begin]) for model in models]
    whole = learned(models[0], table, y, [begin, N], **weights)
    edges = sorted({begin, begin + 1, begin + 2, 40, 41, 64, 65, N})
    assert_same(case, learned(models[1], table, y, edges, **weights), whole)


@every("learns_rows")
def test_rows_one_by_one(case):
    table, y = table_of(case, N)
    one_by_one = case.new()
    for row, target in zip(rows(table), y, strict=True):
        one_by_one.learn_one(row, target)
    assert_same(case, one_by_one, learned(case.new(), table, y, [0, N]))


@every("forecasts")
def test_forecasts_are_those_of_a_loop(case):
    table, y = table_of(case, 60)
    one, other = (case.new().fit(part(table, slice(20)), y[:20]) for _ in range(2))
    rest = part(table, slice(20, 60))
    forecasts = one.predict_then_learn(frame(rest), y[20:])
    if not case.classes:
        forecasts = forecasts[0] if isinstance(forecasts, tuple) else forecasts.mean()
    for forecast, row, target in zip(forecasts, rows(rest), y[20:], strict=True):
        if case.classes:
            found = other.predict_proba_one(row)
            said = [found.get(label, 0.0) for label in one.classes_.tolist()]
        else:
            said = other.predict_one(row)
        known = other.axis_names_
        other.learn_one(row, target)
        if other.axis_names_ == known:  # or the forecast knows already that a value may be missing, but not the loop
            np.testing.assert_allclose(forecast, said, rtol=1e-7, atol=1e-9)
    assert_same(case, one, other)


@every("learns_rows")
def test_one_row_is_a_row_of_a_table(case):
    model, table = seasoned(case), asked()
    if case.classes:
        one = [[model.predict_proba_one(row)[label] for label in model.classes_.tolist()] for row in rows(table)]
        np.testing.assert_array_equal(one, model.predict_proba(table))
    else:
        np.testing.assert_array_equal([model.predict_one(row) for row in rows(table)], model.predict(table))


@every(one_a_class=True)
def test_copies_and_files(case, tmp_path):
    model, (table, y) = seasoned(case, make=array), table_of(case, 30, seed=4)
    table, path = array(table), tmp_path / "model"
    model.save(path)
    copies = [hedgerow.load(path), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    about = array(asked()), table_of(case, 40, seed=1)[1]
    said = answers(model, *about)
    for other in copies:
        assert other.column_kinds_ == model.column_kinds_
        assert other.axis_names_ == model.axis_names_
        assert answers(other, *about) == said
        assert bits(other) == bits(model)
    if case.online:
        gone_on = [bits(other.partial_fit(table, y)) for other in (model, *copies)]
        assert case.renumbers or len(set(gone_on)) == 1
        for other in copies:
            np.testing.assert_allclose(numbers(other, about[0]), numbers(model, about[0]), rtol=1e-9)
    if case.online and case.unlearns:
        for other in (model, *copies):
            other.unlearn(table[:9], y[:9])
            np.testing.assert_allclose(numbers(other, about[0]), numbers(model, about[0]), rtol=1e-9)


@every("weighs", one_a_class=True)
def test_rows_of_no_weight_are_ignored(case):
    table, y = table_of(case, N)
    strange = {"size": 1e9, "late": None, "few": None, "many": "never", "when": None, "flag": None}
    more = {name: [*values[:1], strange[name], *values[1:]] for name, values in table.items()}
    weights = np.r_[1.0, 0.0, np.ones(N - 1)]
    targets = np.r_[y[:1], y[:1], y[1:]]
    same = [case.new().fit(more, targets, sample_weight=weights), case.new().fit(table, y, sample_weight=np.ones(N))]
    assert bits(same[0]) == bits(same[1])
    if case.online:
        streams = [case.new().partial_fit(more, targets, sample_weight=weights)]
        streams += [case.new().partial_fit(table, y, sample_weight=np.ones(N))]
        assert bits(streams[0]) == bits(streams[1])


def bad_calls(case, table, y, known):
    """Yield calls that must fail, after which nothing has changed; spoiled are columns that were known."""
    n, fresh = len(y), {"size": None, "late": None, "few": "new", "many": "newer", "when": None, "flag": None}
    spoiled = {"size": np.inf, "late": "text", "when": 3.5, "flag": "yes", "few": [1], "many": {}}
    for name, value in ((name, spoiled[name]) for name in known & spoiled.keys()):
        X = {**table, name: [*table[name][:-1], value]}
        if name in ("size", "few", "many"):  # text among numbers makes a column of categories
            yield lambda model, X=X: model.fit(X, y)
        if case.online:
            yield lambda model, X=X: model.partial_fit(X, y)
        if case.learns_rows:
            yield lambda model, name=name, value=value: model.learn_one({**fresh, name: value}, y[0])
            yield lambda model, name=name, value=value: model.predict_one({**fresh, name: value})
        if case.unlearns:
            yield lambda model, X=X: model.unlearn(X, y)
    if case.unlearns:
        yield lambda model: model.unlearn_one(fresh, y[0])
        yield lambda model: model.unlearn({name: [value] for name, value in fresh.items()}, y[:1])
    holes = {name: [fresh[name]] * n for name in table}
    bad = np.array(y, dtype=float if case.regresses else object)
    bad[-1] = np.inf if case.regresses else None
    if case.predicts and case.online:
        yield lambda model: model.partial_fit(holes, bad)
        late = {name: [*table[name][: n // 2], *holes[name][n // 2 :]] for name in table}
        yield lambda model: model.partial_fit(late, bad)
        if case.regresses:
            huge = np.array(y, dtype=float)
            huge[-1] = 1e200
            yield lambda model: model.partial_fit(late, huge)
            if case.forecasts:
                yield lambda model: model.predict_then_learn(late, huge)
    if case.learns_rows:
        yield lambda model: model.learn_one(fresh, bad[-1])
        if case.regresses:
            yield lambda model: model.learn_one(fresh, 1e200 * (1 + np.abs(y[0])))


@every(one_a_class=True)
def test_failed_calls_leave_the_model_as_it_was(case):
    table, y = table_of(case, 24)
    plain = {**table, "late": [float(k) for k in range(24)], "size": [0.5 * k for k in range(24)]}
    for X in (plain, {**plain, "when": [None] * 24}):
        model = case.new().fit(X, y)
        before, attributes = bits(model), set(vars(model))
        for number, call in enumerate(bad_calls(case, table, y, {name for name in X if any(X[name])})):
            with pytest.raises((ValueError, TypeError)):
                call(model)
            assert bits(model) == before, number
        assert bits(model) == before
        assert set(vars(model)) == attributes


@every("unlearns", "online", one_a_class=True)
def test_unlearned_and_learned_again(case):
    table, y = table_of(case, 60)
    model = seasoned(case)
    width = len(model.axis_names_)
    model.unlearn(part(table, slice(40, 60)), y[40:60])
    model.partial_fit(part(table, slice(40, 60)), y[40:60])
    assert len(model.axis_names_) == width
    assert make_sense(numbers(model, asked()))
    if case.can("check_structure"):
        assert model.check_structure() == []


@every("unlearns", "learns_rows")
@pytest.mark.parametrize("first", ["complete", "unknown"])
def test_relearned_is_a_fit_of_the_rest(case, first):
    """Whatever the map of columns was in the stream; in columns that had no value at first, but for rounding."""
    table, y = table_of(case, 50)
    if first == "unknown":
        table = {**table, "many": [*[None] * 9, *table["many"][9:]], "flag": [*[None] * 9, *table["flag"][9:]]}
    model = case.new()
    for row, target in zip(rows(table), y, strict=True):
        model.learn_one(row, target)
    more = {"relearn": True} if case.takes("unlearn", "relearn") else {}
    model.unlearn(part(table, slice(40, 50)), y[40:], **more)
    again = case.new().fit(part(table, slice(40)), y[:40])
    assert model.column_kinds_ == again.column_kinds_
    assert model.axis_names_ == again.axis_names_
    np.testing.assert_allclose(numbers(model, asked()), numbers(again, asked()), rtol=1e-6)


@every("check_structure")
def test_structure_of_trees(case):
    table, y = table_of(case, N)
    model = case.new()
    for begin, end in pairwise([0, 1, 9, 50, 51, N]):
        if case.online:
            model.partial_fit(part(table, slice(begin, end)), y[begin:end])
            assert model.check_structure() == []
    assert seasoned(case).check_structure() == []
