"""A run that is killed and gone on with ends with the same bits as one that was not."""

from __future__ import annotations

import errno
import os
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.linear_model import SGDRegressor

from hedgerow import (
    MondrianBoostingRegressor,
    MondrianForestClassifier,
    MondrianForestRegressor,
    OnlineConformalRegressor,
    OnlineForestRegressor,
)
from hedgerow.files import locking
from hedgerow.stream import ArrayStream, _checkpoint, evaluate, friedman_drift
from hedgerow.stream._checkpoint import read_checkpoint
from models import bits

N = 6000


def forest(**kind):
    return MondrianForestRegressor(
        **{"n_estimators": 3, "window": 400, "hyperparameters": "paper", "random_state": 0, **kind}
    )


def quiet(model, stream, **how):
    return evaluate(model, stream, progress=False, **{"window": 700, **how})


class CutError(Exception):
    pass


class Cut:
    """A stream that breaks off after some rows, the first time."""

    def __init__(self, X, y, at):
        self.rows, self.at = ArrayStream(X, y), at

    def __iter__(self):
        for chunk in self.rows.chunks(size=333):
            for x, y in zip(chunk.X, chunk.y, strict=True):
                yield x, y
                self.at -= 1
                if self.at == 0:
                    raise CutError


SCRIPT = """
import sys, time
from hedgerow import MondrianForestRegressor
from hedgerow.stream import evaluate, friedman_drift, Stream

class Slow(Stream):
    def chunks(self, start=0, size=1000):
        for number, chunk in enumerate(friedman_drift("report", int(sys.argv[2]), random_state=0).chunks(start, size)):
            time.sleep(300 if number == 5 else 0.05)  # it cannot end before it is killed
            yield chunk

model = MondrianForestRegressor(n_estimators=3, window=400, hyperparameters="paper", random_state=0)
evaluate(model, Slow(), window=700, checkpoint=sys.argv[1], checkpoint_every=1000, progress=False)
"""


def test_killed_in_the_middle_it_ends_with_the_same_bits(tmp_path):
    path = tmp_path / "run.checkpoint"
    child = subprocess.Popen([sys.executable, "-c", SCRIPT, path, str(N)])
    deadline = time.monotonic() + 100
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.1)  # somewhere between two checkpoints, or while one is written
    child.kill()
    assert child.wait() != 0
    half_way = read_checkpoint(path).run.n_rows
    assert 0 < half_way < N

    model, undisturbed = forest(), forest()
    stream = friedman_drift("report", N, random_state=0)
    run = quiet(model, stream, checkpoint=path)
    expected = quiet(undisturbed, stream)
    assert run == expected
    assert run.n_rows == N
    assert bits(model) == bits(undisturbed)
    assert bits(read_checkpoint(path).model) == bits(undisturbed)


@pytest.mark.parametrize(
    ("new", "n", "at"),
    [
        (forest, 1200, 1),
        (lambda: forest(hyperparameters="learned"), 2200, 2001),
        (forest, 2000, 1999),
        (lambda: MondrianForestClassifier(3, window=300, random_state=0), 1800, 1700),
        (lambda: MondrianBoostingRegressor(1, max_stages=1, random_state=0), 1050, 1040),
        (lambda: OnlineConformalRegressor(OnlineForestRegressor(3, random_state=0), random_state=0), 1800, 1700),
    ],
    ids=["at once", "early in a chunk", "late", "classes", "boosting", "conformal"],
)
def test_interrupted_anywhere_it_ends_with_the_same_bits(new, n, at, tmp_path):
    X, y = friedman_drift("report", n, random_state=0).arrays()
    if isinstance(new(), MondrianForestClassifier):
        y = np.where(y > 14, "high", "low")
    path = tmp_path / "checkpoint"
    with pytest.raises(CutError):
        quiet(new(), Cut(X, y, at), checkpoint=path, checkpoint_every=1)
    assert path.exists() == (at >= 1000)
    model, undisturbed = new(), new()
    run = quiet(model, (X, y), checkpoint=path)
    assert run == quiet(undisturbed, (X, y))
    assert bits(model) == bits(undisturbed)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Two checkpoints of a run, as bytes: the last and the one before."""
    path = tmp_path_factory.mktemp("written") / "checkpoint"
    quiet(forest(), friedman_drift("report", 3000, random_state=0), checkpoint=path, checkpoint_every=1000)
    return path.read_bytes(), path.with_name("checkpoint.previous").read_bytes()


@pytest.fixture
def path(written, tmp_path):
    path = tmp_path / "checkpoint"
    path.write_bytes(written[0])
    path.with_name("checkpoint.previous").write_bytes(written[1])
    return path


def test_the_one_before_is_kept(path):
    assert read_checkpoint(path).run.n_rows == 3000
    assert read_checkpoint(path.with_name("checkpoint.previous")).run.n_rows == 2000
    assert {file.name for file in path.parent.iterdir()} == {"checkpoint", "checkpoint.previous"}


@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "grown"])
def test_a_torn_file_is_noticed_and_the_one_before_used(path, damage):
    content = bytearray(path.read_bytes())
    flipped = content.copy()
    flipped[len(content) // 2] ^= 1
    path.write_bytes({"cut": content[:-5], "empty": b"", "flipped": flipped, "grown": content + b"x"}[damage])
    model, undisturbed = forest(), forest()
    stream = friedman_drift("report", 3000, random_state=0)
    with pytest.warns(UserWarning, match="torn or damaged.*row 2,000"):
        run = quiet(model, stream, checkpoint=path)
    assert run == quiet(undisturbed, stream)
    assert bits(model) == bits(undisturbed)


def test_if_both_are_torn_it_says_so(path):
    path.write_bytes(b"torn")
    path.with_name("checkpoint.previous").write_bytes(b"torn")
    with pytest.raises(ValueError, match=r"checkpoint.previous' is torn"):
        quiet(forest(), friedman_drift("report", 3000, random_state=0), checkpoint=path)
    path.with_name("checkpoint.previous").unlink()
    with pytest.raises(ValueError, match="delete it to begin anew"):
        quiet(forest(), friedman_drift("report", 3000, random_state=0), checkpoint=path)


def test_a_damaged_one_never_takes_the_place_of_the_one_before(path, written, monkeypatch):
    """Not even if the run that goes on is killed before it has written its own."""
    path.write_bytes(b"rotten")
    whole = os.replace

    def killed(source, target):
        if os.fspath(target) == os.fspath(path):
            raise CutError
        whole(source, target)

    monkeypatch.setattr(os, "replace", killed)
    stream = friedman_drift("report", 3000, random_state=0)
    with pytest.warns(UserWarning, match="torn or damaged"), pytest.raises(CutError):
        quiet(forest(), stream, checkpoint=path)
    assert path.with_name("checkpoint.previous").read_bytes() == written[1]
    monkeypatch.undo()
    with pytest.warns(UserWarning, match="row 2,000"):
        run = quiet(forest(), stream, checkpoint=path)
    assert run == quiet(forest(), stream)
    assert path.read_bytes() != b"rotten"
    assert path.with_name("checkpoint.previous").read_bytes() == written[1]


def test_without_links_the_one_before_is_a_copy(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("there are no links")

    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "checkpoint"
    quiet(forest(), friedman_drift("report", 3000, random_state=0), checkpoint=path, checkpoint_every=1000)
    assert read_checkpoint(path.with_name("checkpoint.previous")).run.n_rows == 2000
    assert sorted(file.name for file in tmp_path.iterdir()) == ["checkpoint", "checkpoint.previous"]


def test_a_link_to_a_checkpoint_stays(path):
    link = path.with_name("latest")
    link.symlink_to(path)
    X, y = friedman_drift("report", 3000, random_state=0).arrays()
    more = np.concatenate([X, X]), np.concatenate([y, y])
    quiet(forest(), more, checkpoint=link, checkpoint_every=1000)
    assert link.is_symlink()
    assert read_checkpoint(path).run.n_rows == 6000
    assert read_checkpoint(path.with_name("checkpoint.previous")).run.n_rows == 5000


def test_two_runs_on_one_checkpoint_do_not_meet(tmp_path):
    """The second is told of the first, whether in this process or in another, and the first does not notice."""
    path = tmp_path / "checkpoint"

    class Watched(ArrayStream):
        def chunks(self, start=0, size=1000):
            for chunk in super().chunks(start, size):
                with pytest.raises(BlockingIOError, match=rf"in use by process {os.getpid()} on .*use another path"):
                    quiet(forest(), friedman_drift("report", 3000, random_state=0), checkpoint=path)
                child = subprocess.run(
                    [sys.executable, "-c", SCRIPT, path, "3000"], stderr=subprocess.PIPE, text=True, check=False
                )
                assert f"in use by process {os.getpid()}" in child.stderr
                yield chunk

    X, y = friedman_drift("report", 1000, random_state=0).arrays()
    run = quiet(forest(), Watched(X, y), checkpoint=path)
    assert run == quiet(forest(), (X, y))
    assert [file.name for file in tmp_path.iterdir()] == ["checkpoint"]


def test_a_run_that_failed_or_was_killed_does_not_keep_others_out(tmp_path):
    path, (X, y) = tmp_path / "checkpoint", friedman_drift("report", 3000, random_state=0).arrays()
    for _ in range(2):
        with pytest.raises(CutError):
            quiet(forest(), Cut(X, y, 1500), checkpoint=path, checkpoint_every=1)
    assert [file.name for file in tmp_path.iterdir()] == ["checkpoint"]
    lock = path.with_name("checkpoint.lock")
    lock.write_text("process 1 on another machine")  # as a process leaves it that is killed
    assert quiet(forest(), (X, y), checkpoint=path).n_rows == 3000
    assert not lock.exists()


def test_where_nothing_can_be_locked_there_is_a_warning(tmp_path, monkeypatch):
    def refuse(handle):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(locking, "_lock", refuse)
    with pytest.warns(UserWarning, match="has no locks: make sure that no other process uses"):
        quiet(forest(), friedman_drift("report", 1000, random_state=0), checkpoint=tmp_path / "checkpoint")
    assert [file.name for file in tmp_path.iterdir()] == ["checkpoint"]


def test_a_pickle_is_not_a_checkpoint(path):
    path.write_bytes(pickle.dumps({"run": 1}))
    path.with_name("checkpoint.previous").unlink()
    with pytest.raises(ValueError, match="torn or damaged"):
        quiet(forest(), friedman_drift("report", 3000, random_state=0), checkpoint=path)


def test_a_finished_run_comes_back_and_goes_on_if_the_stream_has_grown(path):
    model = forest()
    run = quiet(model, friedman_drift("report", 3000, random_state=0), checkpoint=path)
    assert run.n_rows == model.n_samples_seen_ == 3000
    X, y = friedman_drift("report", 3500, random_state=0).arrays()
    y[:3000] = friedman_drift("report", 3000, random_state=0).arrays()[1]
    longer = quiet(forest(), (X, y), checkpoint=path)
    longer.change_points = ()
    assert longer == quiet(forest(), (X, y))


@pytest.mark.parametrize(
    ("parameters", "how", "n_rows", "seed", "message"),
    [
        ({"n_estimators": 4}, {}, 3000, 0, "another model, or with other parameters"),
        ({}, {"confidence": 0.5}, 3000, 0, "a run with"),
        ({}, {"window": 10}, 3000, 0, "a run with"),
        ({}, {}, 3000, 1, "row 2,999 of the stream is not"),
        ({}, {}, 2000, 0, "ends before row 2,999"),
    ],
)
def test_only_the_same_run_is_gone_on_with(path, parameters, how, n_rows, seed, message):
    model = forest(**parameters)
    with pytest.raises(ValueError, match=message):
        quiet(model, friedman_drift("report", n_rows, random_state=seed), checkpoint=path, **how)
    assert bits(model) == bits(forest(**parameters))


def test_what_cannot_be_kept_is_refused_before_work_begins(tmp_path):
    stream = friedman_drift("report", 100, random_state=0)
    with pytest.raises(TypeError, match="not a model of hedgerow"):
        quiet(SGDRegressor(), stream, checkpoint=tmp_path / "checkpoint")
    with pytest.raises(ValueError, match="no folder"):
        quiet(forest(), stream, checkpoint=tmp_path / "nowhere" / "checkpoint")
    with pytest.raises(ValueError, match="checkpoint_every"):
        quiet(forest(), stream, checkpoint=tmp_path / "checkpoint", checkpoint_every=0)


def test_unless_told_it_is_written_when_time_has_passed(tmp_path, monkeypatch):
    X, y = friedman_drift("report", 2000, random_state=0).arrays()
    for least, is_written in ((0.0, True), (1000.0, False)):
        monkeypatch.setattr(_checkpoint, "LEAST_SECONDS", least)
        path = tmp_path / f"checkpoint {least}"
        with pytest.raises(CutError):
            quiet(forest(), Cut(X, y, 1500), checkpoint=path)
        assert path.exists() == is_written


def test_unless_told_it_is_written_at_the_end(tmp_path):
    quiet(forest(), friedman_drift("report", 500, random_state=0), checkpoint=tmp_path / "checkpoint")
    assert read_checkpoint(tmp_path / "checkpoint").run.n_rows == 500
