"""Tables that are larger than ``--max-memory``: a random sample of their rows is learned."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare

import hedgerow
from command_line import done, refusal
from hedgerow.base.room import PROCESS
from hedgerow.cli._memory import Budget, records, sample
from hedgerow.cli._table import read_table

N = 4000


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"number": np.arange(N), "x": rng.uniform(size=N), "kind": rng.choice(["a", 'b,"\n', "c"], N)})
    frame["y"] = frame["x"] + (frame["kind"] == "a") + 0.1 * rng.normal(size=N)
    return frame


@pytest.fixture(scope="module", params=["csv", "csv.gz", "parquet", "jsonl", "latin.csv"])
def path(frame, tmp_path_factory, request):
    path = tmp_path_factory.mktemp("large") / f"rows.{request.param}"
    if request.param == "parquet":
        frame.to_parquet(path, row_group_size=300)
    elif request.param == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif request.param == "latin.csv":
        frame.replace("c", "ç").to_csv(path, index=False, encoding="cp1252")
    else:
        frame.to_csv(path, index=False)
    return path


def budget_for(n_rows, frame, seed=0):
    """A budget into which so many rows of the frame fit, fitted to a forest of three trees."""
    one, two = (Budget(10**9 + extra, "forest", 3).rows(frame.shape[1], "regression") for extra in (0, 10**9))
    return Budget(PROCESS + int((n_rows + 0.5) * 1e9 / (two - one)), "forest", 3, seed)


def test_rows_are_whole_and_in_order(frame, path):
    read = read_table(path, budget=budget_for(1000, frame))
    assert 990 <= len(read) <= 1010
    assert read.attrs["n_all"] == N
    numbers = read["number"].to_numpy()
    assert (np.diff(numbers) > 0).all()
    whole = read_table(path)
    pd.testing.assert_frame_equal(read.reset_index(drop=True), whole.iloc[numbers].reset_index(drop=True))


def test_a_table_that_fits_is_read_whole(frame, path):
    read, whole = read_table(path, budget=budget_for(2 * N, frame)), read_table(path)
    pd.testing.assert_frame_equal(read, whole)
    assert "n_all" not in read.attrs


def test_every_row_is_as_likely_as_another():
    """Twelve rows of 60, 4,000 times: counts of rows, of pairs of neighbours, of the first. False alarms: 1e-4 each."""
    counts, neighbours = np.zeros(60), np.zeros(59)
    for seed in range(4000):
        kept, n_all = sample(range(60), 12, seed)
        assert n_all == 60
        assert kept == sorted(set(kept))
        assert len(kept) == 12
        chosen = np.isin(np.arange(60), kept)
        counts += chosen
        neighbours += chosen[1:] & chosen[:-1]
    # Rows of one sample exclude each other, so that counts vary less than a multinomial's, by 1 - 12 / 60.
    statistic, _ = chisquare(counts)
    assert 25 < statistic / 0.8 < 110  # 59 degrees of freedom
    assert abs(neighbours.sum() / (4000 * 59 * 12 * 11 / (60 * 59)) - 1) < 0.02


def test_few_items_are_all_kept():
    assert sample("abc", 5, 0) == (["a", "b", "c"], 3)
    assert sample("abc", 3, 0) == (["a", "b", "c"], 3)


def test_records_may_have_line_breaks():
    assert list(records(['1,"a\n', 'b"\n', "\n", "2,c\n", '3,"open'])) == ['1,"a\nb"\n', "2,c\n", '3,"open']


def test_fit_says_how_many_rows_it_used(frame, path, tmp_path):
    budget = budget_for(700, frame)
    options = ("--target", "y", "--model", "forest", "--trees", 3, "--max-memory", f"{budget.n_bytes / 1e9:.6f} GB")
    result = done("fit", path, "--out", tmp_path / "model", *options)
    n = hedgerow.load(tmp_path / "model").n_samples_
    assert 690 <= n <= 710
    assert f"{n} of 4,000 rows, drawn at random, fit into --max-memory" in result.stderr
    again = done("fit", path, "--out", tmp_path / "again", *options, "--seed", 0)
    assert again.exit_code == 0
    assert (tmp_path / "model").read_bytes() == (tmp_path / "again").read_bytes()


def test_classes_take_more_memory(frame, tmp_path):
    """The table is thinned again when it is known that targets are classes."""
    path = tmp_path / "rows.csv"
    frame.assign(y=np.where(frame["y"] > 1, "high", "low")).to_csv(path, index=False)
    memory = f"{budget_for(1000, frame).n_bytes // 1000}kB"
    options = ("--target", "y", "--model", "forest", "--trees", 3, "--max-memory", memory)
    result = done("fit", path, "--out", tmp_path / "model", *options)
    n = hedgerow.load(tmp_path / "model").n_samples_
    assert 500 <= n < 900
    assert f"{n} of 4,000 rows" in result.stderr


@pytest.mark.parametrize("text", ["much", "-3GB", "4 PB", "", "nan"])
def test_amounts_that_are_none(path, tmp_path, text):
    words = refusal("fit", path, "--target", "y", "--out", tmp_path / "model", f"--max-memory={text}", code=2)
    assert "4GB" in words


def test_too_little_for_anything(path, tmp_path):
    words = refusal("fit", path, "--target", "y", "--out", tmp_path / "model", "--max-memory", "20MB", code=2)
    assert "the least for this table" in words
