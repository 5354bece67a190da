"""One file: a tree as JSON in the metadata of a safetensors file, and its arrays. Written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import safetensors
from safetensors.numpy import load as arrays_from_bytes
from safetensors.numpy import save as arrays_to_bytes

from hedgerow.files.codec import Arrays, decode, encode

KEY = "hedgerow"


def to_bytes(tree: dict[str, Any]) -> bytes:
    """Return the content of a file that holds the tree."""
    arrays: Arrays = {}
    text = json.dumps({name: encode(part, arrays, name) for name, part in tree.items()})
    return arrays_to_bytes(arrays, metadata={KEY: text})


def from_bytes(content: bytes) -> dict[str, Any]:
    """Take back what `to_bytes` gave, or ValueError. Values are still to be checked."""
    header, arrays = split(content)
    try:
        return {name: decode(part, arrays) for name, part in header.items()}
    except RecursionError:
        raise ValueError("not a hedgerow model, or damaged: it is nested too deeply") from None


def split(content: bytes) -> tuple[dict[str, Any], Arrays]:
    """Return the JSON of a file, which is a dictionary, and its arrays, or raise ValueError."""
    try:
        arrays = arrays_from_bytes(content)
        length = int.from_bytes(content[:8], "little")
        header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"][KEY])
    except (safetensors.SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a hedgerow model, or damaged ({type(error).__name__}: {error})") from None
    if not isinstance(header, dict):
        raise ValueError("not a hedgerow model: its description is malformed")
    return header, arrays


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file beside its destination, flush it to the disk, and rename it.

    After a crash there is the old file or the new one. A symbolic link stays, and what it points to is replaced. The
    permissions are those of the file that is replaced, or what the process's umask leaves of 0666.
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot save to {os.fspath(path)!r}: there is no folder {str(target.parent)!r}")
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make a new name last: a rename is an entry in the folder. Not every system can."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current
