"""How files are written: whole or not at all, where a link points to, with the permissions that users expect."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow.files import writing
from hedgerow.files.codec import decode, encode
from hedgerow.files.container import from_bytes, to_bytes
from hedgerow.files.stored import Stored
from hedgerow.files.writing import write_atomically

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="permissions and links are those of POSIX systems")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@POSIX
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_has_what_the_umask_leaves(tmp_path, umask):
    before = os.umask(umask)
    try:
        write_atomically(tmp_path / "model", b"content")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "model") == 0o666 & ~umask


@POSIX
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_atomically(path, b"new")
    assert mode_of(path) == 0o640
    assert path.read_bytes() == b"new"


@POSIX
def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path):
    (tmp_path / "store").mkdir()
    target, link = tmp_path / "store" / "model-1", tmp_path / "latest"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest", "store"]
    assert [path.name for path in (tmp_path / "store").iterdir()] == ["model-1"]


@POSIX
def test_file_and_folder_are_synced_before_the_call_returns(tmp_path, monkeypatch):
    synced, whole = [], os.fsync

    def note(handle):
        synced.append(stat.S_ISDIR(os.fstat(handle).st_mode))
        whole(handle)

    monkeypatch.setattr(os, "fsync", note)
    write_atomically(tmp_path / "model", b"content")
    assert synced == [False, True]


def test_an_interruption_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.write_bytes(b"old")

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@POSIX
def test_what_is_no_file_is_left_alone(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("pipe")
    for name, message in (("pipe", "a device, a pipe"), ("link", "a device, a pipe"), ("folder", "it is a folder")):
        with pytest.raises(OSError, match=f"cannot save to .*{name}.*{message}"):
            write_atomically(tmp_path / name, b"content")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "link", "pipe"]


@POSIX
def test_a_read_only_file_is_left_alone(tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda path, mode: bool(path.stat().st_mode & 0o222))  # root may write anything
    with pytest.raises(PermissionError, match="the file is read-only"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"


@POSIX
def test_a_folder_that_cannot_be_synced_is_no_failure(tmp_path, monkeypatch):
    whole = os.fsync

    def refuse(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        whole(handle)

    monkeypatch.setattr(os, "fsync", refuse)
    write_atomically(tmp_path / "model", b"content")
    assert (tmp_path / "model").read_bytes() == b"content"


KILLED = """
import os, signal, sys
from hedgerow.files.writing import write_atomically
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
write_atomically(sys.argv[1], b"new")
"""


@POSIX
def test_what_a_killed_writer_has_left_is_removed_by_the_next(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    child = subprocess.run([sys.executable, "-c", KILLED, path], check=False)
    assert child.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 2
    (tmp_path / ".model.tmp").write_bytes(b"of somebody else")
    write_atomically(path, b"newer")
    assert sorted(found.name for found in tmp_path.iterdir()) == [".model.tmp", "model"]


@POSIX
def test_what_a_writer_at_work_has_is_not_taken_for_a_leftover(tmp_path, monkeypatch):
    path, whole = tmp_path / "model", os.replace
    calls = []

    def meanwhile(*names):
        calls.append(names)
        if len(calls) == 1:
            write_atomically(path, b"of another writer")
        whole(*names)

    monkeypatch.setattr(os, "replace", meanwhile)
    write_atomically(path, b"content")
    assert len(calls) == 2
    assert path.read_bytes() == b"content"
    assert list(tmp_path.iterdir()) == [path]


@POSIX
def test_a_file_that_another_writer_is_about_to_remove_is_not_written_to(tmp_path, monkeypatch):
    """Between its making and its lock it looks like a leftover."""
    path, whole_lock, whole_sync, taken = tmp_path / "model", writing.try_lock, os.fsync, []

    def first_taken(handle):
        if not taken:
            (leftover,) = tmp_path.iterdir()
            taken.append(os.open(leftover, os.O_RDWR))
            assert whole_lock(taken[0])
        return whole_lock(handle)

    def sync_after_removal(handle):
        for leftover in tmp_path.iterdir():
            if os.path.samestat(leftover.stat(), os.fstat(taken[0])):
                leftover.unlink()
        whole_sync(handle)

    monkeypatch.setattr(writing, "try_lock", first_taken)
    monkeypatch.setattr(os, "fsync", sync_after_removal)
    write_atomically(path, b"content")
    os.close(taken[0])
    assert path.read_bytes() == b"content"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_says_its_format(tmp_path):
    hedgerow.MondrianForestRegressor(2).save(tmp_path / "model")
    tree = from_bytes((tmp_path / "model").read_bytes())
    assert tree["format"] == 3
    assert tree["class"] == "MondrianForestRegressor"
    newer = to_bytes({**tree, "format": 4})
    (tmp_path / "newer").write_bytes(newer)
    with pytest.raises(ValueError, match="has format 4, this hedgerow reads 3"):
        hedgerow.load(tmp_path / "newer")
    for odd in (True, 3.0, "3", None):
        (tmp_path / "odd").write_bytes(to_bytes({**tree, "format": odd}))
        with pytest.raises(ValueError, match="the file has format"):
            hedgerow.load(tmp_path / "odd")


PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
TREES = st.recursive(
    PLAIN,
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.tuples(parts, parts)
        | st.dictionaries(st.text(max_size=5), parts, max_size=3)
        | st.dictionaries(st.integers() | st.tuples(st.text(), st.booleans()), parts, max_size=3)
    ),
    max_leaves=12,
)


@given(TREES)
@settings(max_examples=200, deadline=None)
def test_a_tree_comes_back_as_it_was(tree):
    found = from_bytes(to_bytes({"tree": tree}))["tree"]
    assert found == tree
    assert type(found) is type(tree)


def test_arrays_come_back_with_their_types_and_shapes():
    arrays = {
        "matrix": np.arange(6.0).reshape(2, 3)[:, ::-1],
        "empty": np.empty((0, 4), dtype=np.float32),
        "one": np.array(3.5),
        "flags": np.array([True, False]),
        "counts": np.arange(3, dtype=np.uint64),
    }
    found = from_bytes(to_bytes({"parts": [arrays]}))["parts"][0]
    for name, array in arrays.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize(
    "value",
    [object(), {1, 2}, np.array(["a"]), np.array([None], dtype=object)],
    ids=["object", "set", "strings", "objects"],
)
def test_what_cannot_be_written_is_named(value):
    with pytest.raises(TypeError, match=r"cannot save tail=.*use pickle"):
        encode({"parameters": {"tail": [value]}}, {}, "model")
    with pytest.raises(TypeError, match=r"cannot save target=.*holds no code"):
        encode({"target": (len, len, len)}, {}, "settings")


@pytest.mark.parametrize("tree", [{"$what": 1}, {"$tuple": 5}, {"$mapping": [[1]]}, {"$array": "none"}, {"$array": []}])
def test_parts_that_are_not_known_are_refused(tree):
    with pytest.raises(ValueError, match="malformed"):
        decode(tree, {})


WRONG = {
    "integer": ("seed", -1, True, 1.0, None, 2**70),
    "number": ("origin", float("nan"), float("inf"), "1", None),
    "positive": ("slope", 0.0, -1.0, float("inf")),
    "flag": ("linear", 1, None, "yes"),
    "word": ("shape", "other", 3, None),
    "sequence": ("names", "abc", (1, 2), None),
    "array": ("rows", [1.0], np.ones(2), np.ones((3, 1)), np.ones(3, dtype=np.float32), np.array([1.0, np.nan, 2.0])),
    "part": ("labels", [], 3, None),
    "arrays": ("core", {"a": [1.0]}, []),
}
LIMITS = {"integer": (0, 2**64 - 1), "word": ("student", "normal"), "array": ((3,),)}


@pytest.mark.parametrize("kind", WRONG)
def test_values_are_checked_as_they_are_taken(kind):
    name, *wrong = WRONG[kind]
    for value in wrong:
        with pytest.raises(ValueError, match=f"its {name}"):
            getattr(Stored({name: value}), kind)(name, *LIMITS.get(kind, ()))
    with pytest.raises(ValueError, match=f"its {name} is missing"):
        getattr(Stored({}), kind)(name, *LIMITS.get(kind, ()))
