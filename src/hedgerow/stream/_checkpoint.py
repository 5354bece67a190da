"""Checkpoints of an evaluation: a file that is there whole or not at all, and the one before it.

A checkpoint holds the run and the model, both as `save` would write them, and two digests: of the model as it was
handed in, and of the last row learned, so that a run is only ever gone on with by the same model on the same stream.
The first line names the format, the second is the checksum of all that follows. Nothing in it is code.
"""

from __future__ import annotations

import hashlib
import os
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hedgerow.base.settings import check_integer
from hedgerow.files import Saveable
from hedgerow.files.container import from_bytes, to_bytes
from hedgerow.files.locking import FileLock
from hedgerow.files.writing import explained, remove_leftovers, temporary_beside, write_atomically
from hedgerow.stream._chunks import Chunk, as_matrix
from hedgerow.stream._run import Run

MAGIC = b"hedgerow checkpoint 2\n"
LEAST_SECONDS = 5.0
COST = 0.05
"""By default checkpoints come at least `LEAST_SECONDS` apart, and take this part of the time at most."""


class Snapshot(NamedTuple):
    """What a checkpoint holds."""

    run: Run
    model: Any
    started_as: str
    last_row: str


class Checkpoint:
    """Where an evaluation keeps its state, and when it writes it."""

    def __init__(self, path: str | os.PathLike[str], model: Any, every: int | None) -> None:
        if not isinstance(model, Saveable):
            raise TypeError(
                f"a checkpoint holds the model as its save method writes it, without pickle; {type(model).__name__} is "
                "not a model of hedgerow. Evaluate it without a checkpoint"
            )
        if every is not None:
            check_integer("checkpoint_every", every, least=1)
        self.path, self.every, self.model = Path(os.path.realpath(path)), every, model
        if not (folder := self.path.parent).is_dir():
            raise ValueError(f"cannot write checkpoints: there is no folder {str(folder)!r}")
        self._started_as = hashlib.sha256(model._to_bytes()).hexdigest()
        self._written_rows, self._written_at, self._took = 0, time.monotonic(), 0.0

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep other processes from this checkpoint; BlockingIOError if one is at it."""
        with explained(f"cannot lock the checkpoint {str(self.path)!r}"):
            lock = FileLock(self.path.with_name(f"{self.path.name}.lock"), f"the checkpoint {str(self.path)!r}")
        try:
            yield
        finally:
            lock.release()

    @property
    def previous(self) -> Path:
        """The checkpoint before the last."""
        return self.path.with_name(f"{self.path.name}.previous")

    def latest(self, fresh: Run) -> Snapshot | None:
        """Return the latest whole checkpoint, of this model and run; None if there is none."""
        if not self.path.exists():
            return None
        with explained(f"cannot read the checkpoint {str(self.path)!r}"):
            snapshot = self._latest_whole()
        if type(snapshot.model) is not type(self.model):
            raise ValueError(
                f"{str(self.path)!r} holds a {type(snapshot.model).__name__}, not a {type(self.model).__name__}; use "
                "another path, or delete it to begin anew"
            )
        if snapshot.run.get_params() != fresh.get_params():
            raise ValueError(
                f"{str(self.path)!r} is a checkpoint of a run with {snapshot.run.get_params()}, this one has "
                f"{fresh.get_params()}; use another path, or delete it to begin anew"
            )
        if snapshot.started_as != self._started_as:
            raise ValueError(
                f"{str(self.path)!r} is a checkpoint of a run that began with another model, or with other parameters; "
                "hand in the model as it was when the run began, use another path, or delete it to begin anew"
            )
        return snapshot

    def adopt(self, snapshot: Snapshot) -> None:
        """Let the model that was handed in become the one that was saved."""
        vars(self.model).clear()
        vars(self.model).update(vars(snapshot.model))
        self._written_rows = snapshot.run.n_rows

    def write_if_due(self, run: Run, last: Chunk) -> None:
        """Write, if enough rows have come, or enough time has passed, since the last time."""
        if self.every is not None:
            due = run.n_rows // self.every > self._written_rows // self.every
        else:
            due = time.monotonic() - self._written_at > max(LEAST_SECONDS, self._took / COST)
        if due:
            self.write(run, last)

    def write(self, run: Run, last: Chunk) -> None:
        """Write all that is needed to go on, whole or not at all; keep the one before."""
        if run.n_rows == self._written_rows:
            return
        begin = time.monotonic()
        body = to_bytes(
            {
                "run": np.frombuffer(run._to_bytes(), np.uint8),
                "model": np.frombuffer(self.model._to_bytes(), np.uint8),
                "started_as": self._started_as,
                "last_row": row_digest(last, len(last) - 1),
            }
        )
        with explained(f"cannot keep the checkpoint {str(self.path)!r}"):
            self._keep_previous()
        write_atomically(self.path, b"".join((MAGIC, hashlib.sha256(body).hexdigest().encode(), b"\n", body)))
        self._written_rows, self._written_at = run.n_rows, time.monotonic()
        self._took = self._written_at - begin

    def _keep_previous(self) -> None:
        """Give the file that is about to be replaced a second name: at no time is there none under the first.

        A file that is damaged does not take the place of the one before it, which may be whole.
        """
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return
        if _body(content) is None:
            return
        remove_leftovers(self.previous)
        name = temporary_beside(self.previous)
        try:
            os.link(self.path, name)
        except OSError:  # not every file system has links
            write_atomically(self.previous, content)
            return
        try:
            os.replace(name, self.previous)
        finally:  # which does nothing if both names are of one file already
            with suppress(OSError):
                name.unlink()

    def _latest_whole(self) -> Snapshot:
        try:
            return read_checkpoint(self.path)
        except ValueError as error:
            if not self.previous.exists():
                raise ValueError(f"{error}, and there is none before it; delete it to begin anew") from None
            snapshot = read_checkpoint(self.previous)
            warnings.warn(f"{error}; going on from the one before it, row {snapshot.run.n_rows:,}", stacklevel=5)
            return snapshot


def read_checkpoint(path: Path) -> Snapshot:
    """Read a checkpoint, or raise ValueError if it is torn, damaged or none."""
    body = _body(path.read_bytes())
    if body is None:
        raise ValueError(f"the checkpoint {str(path)!r} is torn or damaged")
    try:
        parts = from_bytes(body)
        run, model = Run._from_bytes(parts["run"].tobytes()), Saveable._from_bytes(parts["model"].tobytes())
        return Snapshot(run, model, str(parts["started_as"]), str(parts["last_row"]))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{str(path)!r} is not a checkpoint of this version ({error})") from None


def _body(content: bytes) -> bytes | None:
    """Return what follows the checksum of a checkpoint; None if it is torn, damaged or none."""
    digest, body = content[len(MAGIC) : len(MAGIC) + 64], content[len(MAGIC) + 65 :]
    is_whole = content.startswith(MAGIC) and hashlib.sha256(body).hexdigest().encode() == digest
    return body if is_whole else None


def row_digest(chunk: Chunk, index: int) -> str:
    """Return a digest that differs between rows."""
    label = chunk.y[index]
    text = repr(label.item() if isinstance(label, np.generic) else label)
    row = as_matrix([chunk.X[index].tolist()], chunk.X.shape[1])  # numbers may share a chunk with text
    seen = row.tobytes() if row.dtype != object else repr(row[0].tolist()).encode("utf-8", "surrogatepass")
    return hashlib.sha256(seen + text.encode()).hexdigest()
