"""Evaluating a stream is a loop: forecast, score, learn. However rows come, scores have the same bits."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from sklearn.linear_model import SGDClassifier, SGDRegressor

import hedgerow
from hedgerow import (
    MondrianBoostingRegressor,
    MondrianForestClassifier,
    MondrianForestRegressor,
    OnlineConformalRegressor,
    OnlineForestRegressor,
    OnlineQuantileForestRegressor,
)
from hedgerow.files import Stored
from hedgerow.metrics import ClassTally, DistributionTally, ErrorTally, IntervalTally, crps
from hedgerow.stream import Run, Stream, evaluate, friedman_drift, rows
from hedgerow.stream._evaluate import evaluation
from hedgerow.stream._progress import expected_rows, with_progress

N = 330
X, Y = friedman_drift("report", N, random_state=0).arrays()
LABELS = np.where(np.median(Y) < Y, "high", "low")
LABELS[200:] = np.where(X[200:, 9] > 0.8, "odd", LABELS[200:])  # a class that is new in the middle


def forest(**kind):
    return MondrianForestRegressor(**{"n_estimators": 4, "random_state": 1, **kind})


def quiet(model, stream, **how):
    return evaluate(model, stream, progress=False, **{"window": 100, **how})


@pytest.mark.parametrize(
    "new",
    [
        forest,
        lambda: forest(window=60, hyperparameters="paper"),
        lambda: forest(smoothing="moments", prior_mean=3.0),
        lambda: MondrianBoostingRegressor(n_estimators=3, max_stages=2, random_state=0),
        lambda: OnlineForestRegressor(n_estimators=3, random_state=0),
    ],
    ids=["forest", "windowed", "moments", "boosting", "online"],
)
def test_is_the_loop(new):
    model, loop = new(), new()
    run = quiet(model, (X, Y), confidence=0.8, distribution=True)
    intervals, errors, whole = IntervalTally(0.8), ErrorTally(), DistributionTally()
    intervals.update(Y[:1], [[-np.inf, np.inf]])
    errors.update(Y[:1], [loop.predict_one(X[0])])
    loop.learn_one(X[0], Y[0])
    for i in range(1, N):
        dist = loop.predict_dist(X[i : i + 1])
        intervals.update(Y[i : i + 1], dist.interval(0.8))
        errors.update(Y[i : i + 1], dist.mean())
        whole.update(dist.logpdf(Y[i : i + 1]), [crps(Y[i : i + 1], dist)])
        loop.learn_one(X[i], Y[i])
    expected = {**intervals.scores(), **errors.scores(), **whole.scores()}
    assert run.scores == expected
    assert run.scores["n_infinite"] == 1
    np.testing.assert_array_equal(model.predict(X), loop.predict(X))


@pytest.mark.parametrize("new", [OnlineConformalRegressor, OnlineQuantileForestRegressor])
def test_intervals_that_are_not_quantiles_are_the_loop_too(new):
    model, loop = (new(OnlineForestRegressor(3, random_state=0), random_state=0) for _ in range(2))
    run = quiet(model, (X, Y), confidence=0.8)
    intervals, errors = IntervalTally(0.8).update(Y[:1], [[-np.inf, np.inf]]), ErrorTally().update(Y[:1], [0.0])
    loop.learn_one(X[0], Y[0])
    for i in range(1, N):
        intervals.update(Y[i : i + 1], loop.predict_interval(X[i : i + 1], confidence=0.8))
        errors.update(Y[i : i + 1], loop.predict(X[i : i + 1]))
        loop.learn_one(X[i], Y[i])
    assert run.scores == {**intervals.scores(), **errors.scores()}


def test_classes_are_the_loop_too():
    model, loop = (MondrianForestClassifier(4, random_state=2) for _ in range(2))
    run = quiet(model, (X, LABELS))
    tally = ClassTally()
    for row, label in zip(X, LABELS.tolist(), strict=True):
        said = loop.predict_proba_one(row)
        best = max(said, key=said.get) if said else None
        tally.update([label], [best], [said.get(label, 0.0)])
        loop.learn_one(row, label)
    assert run.scores == tally.scores()
    assert run.task == "classification"
    assert run.scores["n_unforeseen"] == 3  # the first rows of three classes
    assert run.scores["accuracy"] > 0.6


STREAMS = {
    "arrays": lambda: (X, Y),
    "frame": lambda: (pd.DataFrame(X, columns=list("abcdefghij")), pd.Series(Y)),
    "chunks": lambda: [(X[i : i + 37], Y[i : i + 37]) for i in range(0, N, 37)],
    "one big chunk in a generator": lambda: iter([(X, Y)]),
    "rows": lambda: zip(X, Y, strict=True),
    "lists": lambda: [(x.tolist(), y) for x, y in zip(X, Y.tolist(), strict=True)],
    "mappings": lambda: [(dict(zip("abcdefghij", x, strict=True)), y) for x, y in zip(X.tolist(), Y, strict=True)],
    "mappings with numbers as keys, in any order": lambda: [
        (dict(reversed(list(enumerate(x.tolist())))) if k else dict(enumerate(x.tolist())), y)
        for k, (x, y) in enumerate(zip(X, Y, strict=True))
    ],
    "stream": lambda: friedman_drift("report", N, random_state=0),
}


@pytest.mark.parametrize("kind", STREAMS)
def test_any_stream_gives_the_same_bits(kind):
    model, reference = forest(), forest()
    run = quiet(model, STREAMS[kind]())
    expected = quiet(reference, (X, Y))
    assert run.scores == expected.scores
    np.testing.assert_array_equal(run.history["quantile_loss"], expected.history["quantile_loss"])
    named = kind in ("frame", "mappings")
    assert hasattr(model, "feature_names_in_") == (named or "keys" in kind)
    np.testing.assert_array_equal(_without_names(model).predict(X), _without_names(reference).predict(X))


def _without_names(model):
    vars(model).pop("feature_names_in_", None)
    return model


def test_the_latest_intervals_are_kept(tmp_path):
    """They are those of the forecasts, however rows come, also after a file; files of before have none."""
    run, recent = quiet(forest(), STREAMS["chunks"]()), quiet(forest(), (X, Y)).recent
    for name, values in recent.items():
        np.testing.assert_array_equal(run.recent[name], values)
    assert recent["row"].tolist() == list(range(N - 120, N))
    np.testing.assert_array_equal(recent["target"], Y[-120:])
    *_, interval = forest().predict_then_learn(X, Y, returns="interval", confidence=0.9)
    np.testing.assert_array_equal(np.column_stack([recent["lower"], recent["upper"]]), interval[-120:])
    run.save(tmp_path / "run")
    np.testing.assert_array_equal(hedgerow.load(tmp_path / "run").recent["upper"], recent["upper"])
    first = quiet(forest(), (X[:3], Y[:3])).recent
    assert np.isinf(first["upper"][0])
    assert first["row"].tolist() == [0, 1, 2]
    assert quiet(MondrianForestClassifier(3), (X, LABELS)).recent["row"].size == 0
    state = run._state()
    for wrong in (np.zeros((121, 3)), np.zeros((2, 2)), np.full((2, 3), np.nan), np.full((2, 3), np.inf), [1]):
        with pytest.raises(ValueError, match="latest intervals"):
            Run(**run.get_params())._restore(Stored({**state, "recent": wrong}))
    before = Run(**run.get_params())
    before._restore(Stored({name: value for name, value in state.items() if name != "recent"}))
    assert before.scores == run.scores
    assert before.recent["row"].size == 0


def test_history_is_scores_of_windows():
    run = quiet(forest(), (X, Y), window=150)
    assert run.history["begin"].tolist() == [0, 150, 300]
    assert run.history["end"].tolist() == [150, 300, 330]
    frame = run.to_frame()
    assert list(frame.columns[:3]) == ["begin", "end", "mean_error_rate"]
    misses = np.average(frame["mean_error_rate"], weights=frame["end"] - frame["begin"])
    assert misses == pytest.approx(run.scores["mean_error_rate"])
    assert run.n_rows == N
    assert "330 rows" in repr(run)


def test_columns_come_in_the_order_the_model_learned():
    frame = pd.DataFrame(X, columns=list("abcdefghij"))
    taught = forest().fit(frame[:100], Y[:100])
    same = forest().fit(frame[:100], Y[:100])
    run = quiet(taught, (frame[frame.columns[::-1]][100:], Y[100:]))
    assert run == quiet(same, (frame[100:], Y[100:]))
    with pytest.raises(ValueError, match="no column 'a'"):
        quiet(same, (frame.drop(columns="a"), Y))


def test_a_model_that_has_learned_before_goes_on():
    run = quiet(forest().fit(X[:100], Y[:100]), (X[100:], Y[100:]))
    assert run.scores["n_infinite"] == 0


def test_models_of_other_libraries():
    river = pytest.importorskip("river")
    from river import linear_model, preprocessing, tree

    slow = preprocessing.StandardScaler() | linear_model.LinearRegression()
    run = quiet(slow, (X, Y))
    assert list(run.scores) == ["mean_absolute_error", "root_mean_squared_error"]
    other, errors = preprocessing.StandardScaler() | linear_model.LinearRegression(), ErrorTally()
    for x, y in zip(X.tolist(), Y.tolist(), strict=True):
        row = dict(enumerate(x))
        errors.update([y], [other.predict_one(row)])
        other.learn_one(row, y)
    assert run.scores == errors.scores()
    assert quiet(tree.HoeffdingTreeClassifier(), (X, LABELS)).scores["accuracy"] > 0.5
    assert river.__version__


def test_models_of_scikit_learn():
    run = quiet(SGDRegressor(random_state=0), (X, Y))
    assert run.scores["mean_absolute_error"] < np.abs(Y).mean()
    assert "mean_error_rate" not in run.scores
    machine = SGDClassifier(loss="log_loss", random_state=0).partial_fit(
        X[:1], LABELS[:1], classes=["high", "low", "odd"]
    )
    assert quiet(machine, (X[1:], LABELS[1:])).scores["accuracy"] > 0.5


def test_a_fused_model_may_say_its_intervals_itself():
    class Promising(MondrianForestRegressor):
        def predict_then_learn(self, X, y, sample_weight=None, *, returns="interval", confidence=0.9):
            dist = super().predict_then_learn(X, y, sample_weight)
            return dist if returns == "dist" else (dist.mean(), dist.interval(confidence))

        @property
        def n_drifts_(self):
            return (self.n_samples_seen_ > 100) + (self.n_samples_seen_ > 1000)

    model = Promising(4, random_state=1)
    run = quiet(model, (X, Y), name="MondrianForestRegressor")
    assert run.drifts == (N - 1,)
    run.drifts = ()
    assert run == quiet(forest(), (X, Y))
    assert quiet(model, (X, Y)).drifts == ()
    many = quiet(model, (np.tile(X, (4, 1)), np.tile(Y, 4)))
    assert many.drifts == (999,)
    whole = quiet(Promising(4, random_state=1), (X, Y), distribution=True).scores
    assert whole == pytest.approx(quiet(forest(), (X, Y), distribution=True).scores, rel=1e-12)


def test_runs_are_saved_and_compared(tmp_path):
    run = quiet(forest(), friedman_drift("report", N, random_state=0), distribution=True)
    run.save(tmp_path / "run")
    again = hedgerow.load(tmp_path / "run")
    assert isinstance(again, Run)
    assert again == run
    assert again.change_points == run.change_points == (82, 247)
    assert again.seconds == run.seconds > 0
    assert again != quiet(forest(random_state=5), (X, Y), distribution=True)
    content = (tmp_path / "run").read_bytes()
    (tmp_path / "odd").write_bytes(content.replace(b'\\"n_rows\\": 330', b'\\"n_rows\\": 730'))
    with pytest.raises(ValueError, match="history"):
        hedgerow.load(tmp_path / "odd")


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: quiet(forest(), 5), TypeError, "a stream is"),
        (lambda: quiet(forest(), "rows.csv"), TypeError, "a stream is"),
        (lambda: quiet(forest(), [1.0, 2.0]), TypeError, "pairs"),
        (lambda: quiet(forest(), []), ValueError, "no rows"),
        (lambda: quiet(forest(), (X, Y[:-1])), ValueError, "one label a row"),
        (lambda: quiet(forest(), (X, LABELS)), ValueError, "labels that are numbers"),
        (lambda: quiet(forest(), (np.where(X > 0.99, np.inf, X), Y)), ValueError, "in rows 0 to 329 of the stream"),
        (lambda: quiet(forest(), (X, Y), confidence=1.0), ValueError, "confidence"),
        (lambda: quiet(forest(), (X, Y), window=0), ValueError, "window"),
        (lambda: quiet(object(), (X, Y)), TypeError, "cannot learn online"),
        (lambda: quiet(SGDRegressor(), (X, Y), distribution=True), TypeError, "predict_dist"),
        (lambda: quiet(MondrianForestClassifier(), (X, LABELS), distribution=True), TypeError, "for regression"),
        (lambda: quiet(forest(), [({"a": 1.0}, 2.0), ({"b": 1.0}, 2.0)]), ValueError, "no feature 'a'"),
        (lambda: quiet(forest(), [([1.0, 2.0], 2.0), ([1.0], 2.0)]), ValueError, "has 2 features, another has 1"),
        (lambda: quiet(forest(), [([1.0], 2.0), ({"a": 1.0}, 2.0)]), ValueError, "a sequence, another is a mapping"),
        (lambda: quiet(forest(), [("oak", 2.0)]), ValueError, "a row must be"),
        (lambda: quiet(forest(), [([], 2.0)]), ValueError, "at least one feature"),
        (lambda: quiet(forest(), [([1.0], 2.0), (["oak"], 2.0)]), ValueError, "numbers when learning began.*'oak'"),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_the_bar_shows_rows_speed_and_the_latest_window(tmp_path, capfd):
    pd.DataFrame(X, columns=list("abcdefghij")).assign(y=Y).to_csv(tmp_path / "rows.csv", index=False)
    for stream in (friedman_drift("report", N, random_state=0), rows(tmp_path / "rows.csv", "y")):
        console = Console(file=io.StringIO(), force_terminal=True, width=200)
        steps = evaluation(forest(), stream, 0.9, 100, None)
        *_, run = with_progress(steps, stream, "forest", console)
        shown = console.file.getvalue()
        assert "330 rows" in shown
        assert "rows/s" in shown
        assert f"misses {run.history['mean_error_rate'][2]:.3g}" in shown
        assert expected_rows(stream, run) == N
    evaluate(forest(), (X, Y))  # there is no terminal
    assert capfd.readouterr() == ("", "")


def test_a_damaged_run_is_refused_or_read_but_never_crashes(tmp_path):
    run = quiet(forest(), (X[:150], Y[:150]))
    run.save(tmp_path / "run")
    content = (tmp_path / "run").read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(300):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= 1 << rng.integers(8)
        (tmp_path / "run").write_bytes(damaged)
        try:
            found = hedgerow.load(tmp_path / "run")
        except ValueError:
            continue
        assert isinstance(found, Run)
        assert repr(found)


def test_streams_know_where_they_change():
    class Steps(Stream):
        change_points = (3,)

        def chunks(self, start=0, size=1000):
            return friedman_drift("report", 10, random_state=0).chunks(start, size)

    assert quiet(forest(), Steps()).change_points == (3,)
