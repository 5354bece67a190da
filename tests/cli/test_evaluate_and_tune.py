"""evaluate and tune: models on rows that they have not learned."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesRegressor

import hedgerow
from command_line import answer, done, refusal, tables
from hedgerow.cli import _peers
from hedgerow.cli._folds import folds_of
from hedgerow.cli._models import MODELS, new_model
from hedgerow.cli._scores import class_scores, number_scores
from hedgerow.cli.commands.tune import CANDIDATES, Candidate, Trial, choose

FAST = ("--trees", 3, "--jobs", 1)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"size": rng.uniform(1, 9, 90), "town": rng.choice(["Bern", "Oslo"], 90)})
    frame["when"] = pd.date_range("2024-01-01", periods=90, freq="31h")
    frame["y"] = frame["size"] ** 2 + 10 * (frame["town"] == "Bern") + rng.normal(0, 2, 90)
    frame["kind"] = np.where(frame["y"] > 35, "high", "low")
    frame.loc[4::11, "size"] = None
    return frame


@pytest.fixture(scope="module")
def data(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("evaluate") / "rows.csv"
    frame.to_csv(path, index=False)
    return path


def test_models_are_compared_by_cross_validation(data):
    found = answer("evaluate", data, "--target", "y", "--ignore", "kind", "--cv", 2, *FAST)
    names = [row["model"] for row in found["scores"]]
    assert names[:4] == ["hedgerow boosting", "hedgerow forest", "ExtraTrees", "HistGradientBoosting"]
    assert names[-1] == "always the mean"
    installed = {"LightGBM", "CatBoost"} - set(found["not_installed"])
    assert installed == {"LightGBM", "CatBoost"} & set(names)
    assert found["scores"][0]["RMSE"] < 0.8 * found["scores"][-1]["RMSE"]
    for row in found["scores"]:
        assert 0 < row["CRPS"] < row["RMSE"]
        assert 0.5 < row["coverage"] <= 1
    assert "seconds" in tables("evaluate", data, "-t", "kind", "--cv", 2, "--no-others", *FAST)[1][0]


def test_another_file_is_predicted(frame, data, tmp_path):
    """The scores are those that Python computes."""
    test = tmp_path / "test.csv"
    frame[60:].to_csv(test, index=False)
    frame[:60].to_csv(tmp_path / "train.csv", index=False)
    options = ("--ignore", "kind,when", "--model", "forest", "--no-others", "--confidence", 0.8)
    found = answer("evaluate", tmp_path / "train.csv", "--target", "y", "--test", test, *options, *FAST)
    forest = hedgerow.MondrianForestRegressor(3, random_state=0).fit(frame[["size", "town"]][:60], frame["y"][:60])
    X, y = frame[["size", "town"]][60:], frame["y"][60:].to_numpy()
    lower, upper = forest.predict_interval(X, confidence=0.8).T
    ours = found["scores"][0]
    assert ours["RMSE"] == pytest.approx(np.sqrt(np.mean((forest.predict(X) - y) ** 2)), rel=1e-12)
    assert ours["coverage"] == pytest.approx(np.mean((lower <= y) & (y <= upper)))
    assert ours["width"] == pytest.approx(np.mean(upper - lower), rel=1e-9)
    frame[60:].drop(columns=["size", "town"]).to_csv(test, index=False)
    said = refusal("evaluate", tmp_path / "train.csv", "--target", "y", "--test", test, *options)
    assert "lacks 2 of 2 columns that the model learned: 'size', 'town'" in said


def test_classes_are_compared(data):
    found = answer("evaluate", data, "--target", "kind", "--ignore", "y", "--cv", 2, "--model", "forest", *FAST)
    scores = {row["model"]: row for row in found["scores"]}
    assert scores["hedgerow forest"]["log loss"] < scores["class frequencies"]["log loss"]
    assert scores["ExtraTrees"]["accuracy"] > scores["class frequencies"]["accuracy"]


def test_libraries_that_are_missing_are_named(data, monkeypatch):
    monkeypatch.setattr(_peers, "find_spec", lambda name: None)
    result = done("evaluate", data, "--target", "y", "--ignore", "kind,when", "--cv", 2, "--model", "forest", *FAST)
    assert "not installed, so not compared: LightGBM, CatBoost" in result.stderr


def test_others_may_fail(data, monkeypatch):
    def fail(*_, **__):
        raise TypeError("no such\nnumber")

    monkeypatch.setattr(_peers, "_extra_trees", fail)
    result = done("evaluate", data, "--target", "y", "--ignore", "kind,when", "--cv", 2, "--model", "forest", *FAST)
    assert "ExtraTrees failed, so it is not compared: no such number" in result.stderr
    assert "HistGradientBoosting\t" in result.stdout


def test_tables_of_others(frame):
    encode = _peers.Encoder(frame[["size", "town", "when"]])
    rows = encode(frame[["size", "town", "when"]][:5].assign(town=["Bern", "Oslo", None, "Rome", "Bern"]))
    assert rows.shape == (5, 6)
    assert encode.is_category.tolist() == [False, True, False, False, False, False]
    assert np.isnan(rows[[2, 3], 1]).all()
    assert rows[0, 1] == rows[4, 1] != rows[1, 1]
    assert rows[:, 3].tolist() == [1.0] * 5  # January
    X, y = encode(frame[["size", "town", "when"]]), frame["y"].to_numpy()
    expected = ExtraTreesRegressor(random_state=0).fit(X, y).predict(X)
    np.testing.assert_array_equal(_peers._extra_trees(X, y, None, False, 0, 1)(X), expected)


def test_folds_share_classes():
    y = np.repeat(["a", "b", "c"], [50, 9, 1])
    folds = folds_of(y, "classification", 3, 0)
    assert sorted(np.concatenate([new for _, new in folds])) == list(range(60))
    assert all(np.intersect1d(own, new).size == 0 for own, new in folds)
    assert [int((y[new] == "b").sum()) for _, new in folds] == [3, 3, 3]


def test_scores_by_hand():
    scores = number_scores(np.array([1.0, 3.0]), np.array([2.0, 3.0]), np.array([[0.0, 1.5], [4.0, 6.0]]))
    assert scores == {"RMSE": np.sqrt(0.5), "MAE": 0.5, "R2": 0.5, "coverage": 0.5, "width": 1.75}
    scores = class_scores(["a", "c"], np.array([[0.5, 0.5], [0.9, 0.1]]), ["a", "b"])
    assert scores["log loss"] == pytest.approx((np.log(2) - np.log(1e-15)) / 2)
    assert scores["accuracy"] == 0.5


def test_tune_saves_the_best(data, tmp_path):
    """With no time at all the first is tried, and what was not tried is said."""
    options = ("--target", "y", "--ignore", "kind,when", "--cv", 2, "--out", tmp_path / "model")
    found = answer("tune", data, *options, "--minutes", 0)
    assert found["best"] == "boosting"
    assert len(found["candidates"]) == 1
    assert "forest" in found["untried"]
    assert isinstance(hedgerow.load(tmp_path / "model"), hedgerow.MondrianBoostingRegressor)
    found = answer("tune", data, *options, "--model", "forest,kernel")
    assert [row["candidate"] for row in found["candidates"]] == ["forest", "kernel", "forest, n_estimators=200"]
    assert found["untried"] == []
    word, _, setting = found["best"].partition(", n_estimators=")
    loaded = hedgerow.load(tmp_path / "model")
    assert type(loaded).__name__ == MODELS[word]["regression"]
    assert loaded.n_estimators == int(setting or new_model(word, "regression").n_estimators)
    said = refusal("tune", data, *options, "--model", "online", code=2)
    assert "nothing to tune" in said


def test_the_default_is_kept_unless_another_is_clearly_better():
    first = Trial(Candidate("a", {}), np.array([1.0, 2.0, 3.0]), 0.0)
    noisy = Trial(Candidate("b", {}), np.array([0.0, 2.5, 3.4]), 0.0)
    better = Trial(Candidate("c", {}), np.array([0.9, 1.9, 2.8]), 0.0)
    assert choose([first, noisy]) is first
    assert choose([first, better]) is better
    assert choose([first, noisy, better]) is better
    assert choose([first]) is first


def test_candidates_can_be_made():
    for candidate in CANDIDATES:
        for task in MODELS[candidate.model]:
            assert candidate.new(task, random_state=0).get_params()["random_state"] == 0
