"""Writing files as users expect it: whole or not at all, where a link points to, with the permissions it had."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from hedgerow.files.locking import is_same_file, try_lock

CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM, errno.EBADF)
"""Error numbers of systems that cannot sync a folder, or do not let this user."""

LONG_NAME = 120
"""Bytes of a name above which that of its temporary file is made of a digest: most systems allow 255 in all."""

ADVICE = {
    "ENOSPC": "free some space, or use another disk",
    "EDQUOT": "delete some of your files, or use another disk",
    "EFBIG": "raise the limit on the size of files, or use another disk",
    "EROFS": "use another folder",
    "EACCES": "allow it, or use another folder",
    "EPERM": "allow it, or use another folder",
    "ENAMETOOLONG": "use a shorter name",
    "ELOOP": "mend the links, or use another name",
}
"""What to do about an error of the system, by its name."""


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file beside its destination, flush it to the disk, and rename it.

    After a crash there is the old file or the new one. A symbolic link stays, and what it points to is replaced. The
    permissions are those of the file that is replaced, or what the process's umask leaves of 0666. What is neither a
    file nor absent is left alone: OSError.
    """
    given = os.fspath(path)
    with explained(f"cannot save to {given!r}"):
        target = Path(os.path.realpath(path))
        before = _status(target, given)
        remove_leftovers(target)
        _replace(target, content, before)
    with explained(f"{given!r} is saved, but might not last if the machine fails now"):
        sync_folder(target.parent)


@contextlib.contextmanager
def explained(what: str) -> Iterator[None]:
    """Let an error of the system say what could not be done, and what to do about it."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.strerror != os.strerror(error.errno):
            raise  # it does already
        advice = ADVICE.get(errno.errorcode.get(error.errno, ""), "try again, or use another disk")
        raise OSError(error.errno, f"{what}: {error.strerror}; {advice}") from error


def temporary_beside(target: Path) -> Path:
    """Return a name that nobody else uses, for a file that is soon to be renamed to that of the target."""
    return target.with_name(f".{_stem(target)}.{secrets.token_hex(8)}.tmp")


def remove_leftovers(target: Path) -> None:
    """Remove what writers of this file have left that were killed. Those at work hold a lock."""
    ours = re.compile(rf"\.{re.escape(_stem(target))}\.[0-9a-f]{{16}}\.tmp")
    with contextlib.suppress(OSError):  # that cannot be read, locked or removed: some other writer's business
        for name in os.listdir(target.parent):
            if ours.fullmatch(name):
                _remove_if_free(target.with_name(name))


def sync_folder(folder: Path) -> None:
    """Make a new name last: a rename is an entry in the folder. Not every system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    try:
        with _closing(os.open(folder, os.O_RDONLY | os.O_DIRECTORY)) as handle:
            os.fsync(handle)
    except OSError as error:
        if error.errno not in CANNOT_SYNC:
            raise


def _stem(target: Path) -> str:
    name = target.name
    return name if len(os.fsencode(name)) <= LONG_NAME else hashlib.sha256(os.fsencode(name)).hexdigest()


def _status(target: Path, given: str) -> os.stat_result | None:
    """Return what is known of a file that is to be replaced, None if there is none; OSError if it must not be."""
    try:
        found = target.stat()
    except (FileNotFoundError, NotADirectoryError):
        if target.parent.is_dir():
            return None
        raise FileNotFoundError(f"cannot save to {given!r}: there is no folder {str(target.parent)!r}") from None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(f"cannot save to {given!r}: it is a folder; give the name of a file in it")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(f"cannot save to {given!r}: it is a device, a pipe or a socket; give the name of a file")
    if not os.access(target, os.W_OK):
        raise PermissionError(f"cannot save to {given!r}: the file is read-only; make it writable, or use another name")
    return found


def _replace(target: Path, content: bytes, before: os.stat_result | None) -> None:
    """Put a new file in the place of the target, whole and on the disk, or leave all as it was."""
    handle, temporary = _opened_beside(target, 0o666 if before is None else 0o600)
    try:
        with _closing(handle):
            _write(handle, content)
            if before is not None:
                _take_over(temporary, before)
            os.fsync(handle)
            if sys.platform != "win32":  # while it is locked: nobody takes it for a leftover
                os.replace(temporary, target)
        if sys.platform == "win32":
            os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):  # the next writer removes it
            temporary.unlink()
        raise


def _opened_beside(target: Path, mode: int) -> tuple[int, Path]:
    """Return a new file, open and locked, and its name."""
    while True:
        temporary = temporary_beside(target)
        handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        try:
            is_locked = try_lock(handle)  # where nothing can be locked, nobody removes leftovers either
            if is_locked is not False and is_same_file(handle, temporary):
                return handle, temporary
        except BaseException:
            os.close(handle)
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        os.close(handle)  # between the two steps it was taken for a leftover


@contextlib.contextmanager
def _closing(handle: int) -> Iterator[int]:
    """Close a file in the end. What that reports is of no importance: all that counts was synced."""
    try:
        yield handle
    finally:
        with contextlib.suppress(OSError):
            os.close(handle)


def _write(handle: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _take_over(temporary: Path, before: os.stat_result) -> None:
    """Give a file the owner, as far as that is allowed, and the permissions of the one that it replaces."""
    made = temporary.stat()
    if hasattr(os, "chown") and (made.st_uid, made.st_gid) != (before.st_uid, before.st_gid):
        with contextlib.suppress(OSError):
            os.chown(temporary, before.st_uid, before.st_gid)
    os.chmod(temporary, stat.S_IMODE(before.st_mode))


def _remove_if_free(leftover: Path) -> None:
    with contextlib.suppress(OSError), _closing(os.open(leftover, os.O_RDWR)) as handle:
        if try_lock(handle):
            leftover.unlink()
