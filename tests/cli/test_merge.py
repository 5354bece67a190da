"""merge: forests of several files into the one of all rows."""

import numpy as np
import pandas as pd
import pytest

import hedgerow
from command_line import answer, done, refusal, tables

FOREST = ["--target", "y", "--model", "forest", "--trees", 5, "--set", "cuts=keyed", "--no-score"]


@pytest.fixture
def days(tmp_path):
    """A table, and one file for each part of it."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(size=(120, 2)), columns=["p", "q"]).round(4)
    frame["y"] = (frame["p"] - frame["q"] + rng.normal(scale=0.1, size=120)).round(4)
    paths = [tmp_path / f"day{i}.csv" for i in range(3)]
    for i, path in enumerate(paths):
        frame[i::3].to_csv(path, index=False)
    return frame, paths


def fitted(path, *options):
    model = path.with_suffix(".hedgerow")
    done("fit", path, *FOREST, "--out", model, *options)
    return model


def test_merged_is_fitted_to_all(days, tmp_path):
    frame, paths = days
    models, whole = [fitted(path) for path in paths], tmp_path / "whole.hedgerow"
    (rows,) = tables("merge", *models, "--out", whole)
    assert [row["rows"] for row in rows] == ["40", "40", "40", "120"]
    X, y = frame[["p", "q"]], frame["y"]
    expected = hedgerow.MondrianForestRegressor(5, cuts="keyed", random_state=0).fit(X, y)
    np.testing.assert_array_equal(hedgerow.load(whole).predict_interval(X), expected.predict_interval(X))
    assert answer("merge", *models[::-1], "--out", whole)["model"] == "MondrianForestRegressor"


def test_what_cannot_be_merged_is_refused_in_words(days, tmp_path):
    frame, paths = days
    one, out = fitted(paths[0]), tmp_path / "whole.hedgerow"
    assert "at least two models" in refusal("merge", one, "--out", out, code=2)
    assert "merged before" in refusal("merge", one, one, "--out", out)
    assert "random seeds" in refusal("merge", one, fitted(paths[1], "--seed", 4), "--out", out)
    assert "there is no file" in refusal("merge", one, tmp_path / "none.hedgerow", "--out", out)
    assert "there is no folder" in refusal("merge", one, one, "--out", tmp_path / "none" / "whole")
    X, other = frame[["p", "q"]], tmp_path / "other.hedgerow"
    hedgerow.MondrianForestClassifier(5, cuts="keyed", random_state=0).fit(X, frame["y"] > 0).save(other)
    assert "merged with its like" in refusal("merge", one, other, "--out", out)
    hedgerow.OnlineForestRegressor(2).fit(X, frame["y"]).save(other)
    assert "only Mondrian forests" in refusal("merge", one, other, "--out", out)
    assert not out.exists()
