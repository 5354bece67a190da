"""Full disks, folders that must not be written to, names that cannot be: told in words, and nothing changed."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import hedgerow
from faults.contests import child
from faults.scenarios import model

if sys.platform == "win32":
    pytest.skip("permissions and limits are those of POSIX systems", allow_module_level=True)

import resource

NOBODY = 65534


@pytest.fixture
def old(tmp_path):
    """Return the name of a model that was saved before."""
    path = tmp_path / "folder" / "model"
    path.parent.mkdir()
    model(1).save(path)
    return path


def refused(path, code, message, *, names=("model",)):
    """Saving another model there fails in these words, and the old one is as it was."""
    before, new = path.read_bytes() if os.path.isfile(path) else None, model(2)
    content = new._to_bytes()
    with pytest.raises(OSError, match=message) as found:
        new.save(path)
    assert str(path) in str(found.value)
    assert code is None or found.value.errno == code
    assert before is None or path.read_bytes() == before
    assert sorted(os.listdir(path.parent)) == sorted(names)
    assert new._to_bytes() == content


@pytest.fixture
def mounted(tmp_path):
    """Return a file system of 48 kB; it takes root to mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(*options):
        return subprocess.run(["mount", *options, folder], stderr=subprocess.PIPE, text=True, check=False)

    try:
        done = mount("-t", "tmpfs", "-o", "size=48k", "none")
    except OSError as error:
        pytest.skip(f"cannot mount: {error}")
    if done.returncode:
        pytest.skip(f"cannot mount: {done.stderr.strip()}")
    yield folder, mount
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk(mounted):
    folder, _ = mounted
    path = folder / "model"
    model(1).save(path)
    filler = folder / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1024))
    refused(path, errno.ENOSPC, "cannot save to .*No space left on device; free some space", names=["filler", "model"])
    filler.unlink()
    model(2).save(path)
    assert hedgerow.load(path)._to_bytes() == model(2)._to_bytes()


def test_a_disk_that_is_read_only(mounted):
    folder, mount = mounted
    model(1).save(folder / "model")
    assert mount("-o", "remount,ro").returncode == 0
    refused(folder / "model", None, "the file is read-only; make it writable, or use another name")


def test_a_limit_on_the_size_of_files(old):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        refused(old, errno.EFBIG, "File too large; raise the limit")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("mode", [0o555, 0o444, 0o000], ids=["read-only", "not to be searched", "not even to be read"])
def test_a_folder_without_permission(mode):
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "folder"
        folder.mkdir()
        path = folder / "model"
        model(1).save(path)
        for each in (path, folder, parent):
            os.chmod(each, 0o777)
        folder.chmod(mode)

        def save():
            with pytest.raises(PermissionError, match=r"cannot save to .*model.*Permission denied; allow it, or use"):
                model(2).save(path)

        without_privileges(save)
        folder.chmod(0o777)
        assert os.listdir(folder) == ["model"]
        assert path.read_bytes() == model(1)._to_bytes()


def without_privileges(act):
    """Do it in a child that is not root."""

    def give_up_and_act():
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        act()

    assert os.waitpid(child(give_up_and_act), 0)[1] == 0


def test_names_that_cannot_be(old):
    folder = old.parent
    refused(folder / ("x" * 300), errno.ENAMETOOLONG, "File name too long; use a shorter name")
    refused(folder, None, "it is a folder; give the name of a file in it", names=["folder"])
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        model(2).save(old / "model")
    (folder / "circle").symlink_to("circle")
    with pytest.raises(OSError, match=r"circle.*; mend the links"):
        model(2).save(folder / "circle")


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path, monkeypatch):
    """Though the temporary file has a longer one."""
    path = tmp_path / ("é" * 127)
    model(1).save(path)
    (tmp_path / path.name[:-1]).write_bytes(b"of somebody else")
    monkeypatch.setattr(os, "fsync", lambda handle: os.kill(os.getpid(), signal.SIGKILL))
    _, status = os.waitpid(child(lambda: model(2).save(path)), 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    monkeypatch.undo()
    assert len(list(tmp_path.iterdir())) == 3
    model(2).save(path)
    assert hedgerow.load(path)._to_bytes() == model(2)._to_bytes()
    assert len(list(tmp_path.iterdir())) == 2
