"""Locks that the system takes back from a process that has died, whatever killed it."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import sys
import time
import warnings
from pathlib import Path

FREE = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EINVAL)
"""Error numbers of file systems that cannot lock anything."""
TAKEN = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
"""Error numbers for a file that somebody else has locked."""
FAR = 2**40
"""The byte that is locked where locks are of bytes: nobody may read those, and no file is that long."""


class FileLock:
    """A file whose lock shows that something is in use; it is gone when nothing is.

    The lock is the system's. It ends with the process, so that no lock is ever stale, and does not depend on numbers of
    processes, which mean nothing in another container or on another machine. What the file contains is for people.
    """

    def __init__(self, path: Path, what: str) -> None:
        self._path = path
        self._handle: int | None = self._opened(what)

    def release(self) -> None:
        """Let others have it."""
        if self._handle is None:
            return
        handle, self._handle = self._handle, None
        if sys.platform != "win32":  # while it is locked: whoever opened it before that looks whether it is still there
            self._remove()
        with contextlib.suppress(OSError):
            os.close(handle)
        if sys.platform == "win32":  # which does not remove a file that is open
            self._remove()

    def _remove(self) -> None:
        with contextlib.suppress(OSError):  # a file that nobody has locked keeps nobody out
            self._path.unlink()

    def _opened(self, what: str) -> int | None:
        while True:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                is_locked = try_lock(handle)
                if is_locked is None:
                    folder = str(self._path.parent)
                    warnings.warn(
                        f"the folder {folder!r} has no locks: make sure that no other process uses {what}", stacklevel=2
                    )
                elif not is_locked:
                    raise BlockingIOError(
                        f"{what} is in use by {_read(handle)}; wait until it has ended, or use another path"
                    )
                elif not is_same_file(handle, self._path):
                    os.close(handle)
                    continue
                with contextlib.suppress(OSError):  # a disk that is full
                    _write(handle)
            except BaseException:
                os.close(handle)
                raise
            return handle


def try_lock(handle: int) -> bool | None:
    """Lock an open file until it is closed; False if somebody else has, None where files cannot be locked."""
    try:
        _lock(handle)
    except OSError as error:
        if error.errno in FREE:
            return None
        if error.errno in TAKEN:
            return False
        raise
    return True


def is_same_file(handle: int, path: Path) -> bool:
    """Whether an open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        os.lseek(handle, FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(handle, 0, os.SEEK_SET)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _write(handle: int) -> None:
    os.ftruncate(handle, 0)
    began = time.strftime("%Y-%m-%d %H:%M:%S")
    os.write(handle, f"process {os.getpid()} on {socket.gethostname()} since {began}".encode())


def _read(handle: int) -> str:
    os.lseek(handle, 0, os.SEEK_SET)
    owner = os.read(handle, 200).decode(errors="replace")
    return owner if owner.isprintable() and owner else "another process"
