"""Saving, loading and pickling: what every object with a `save` method has in common."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Self

from sklearn.base import clone

from hedgerow.files.codec import FROM_JSON, TO_JSON
from hedgerow.files.container import from_bytes, to_bytes, write_atomically
from hedgerow.files.stored import Stored

FORMAT = 2
"""Files of this number are read by this version and by all later ones."""

_SAVEABLE: dict[str, type[Saveable]] = {}
_VALUES: dict[str, type[PlainValue]] = {}

KEPT_BY_PICKLE = ("_sklearn_output_config", "_metadata_request")
"""What scikit-learn sets on an estimator and looks for in a copy of it."""


class PlainValue:
    """A parameter that is neither a number nor a model, but can be written as a tree and read back, checked."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _VALUES[cls.__name__] = cls

    def _to_json(self) -> Any:
        """Return what is written."""
        raise NotImplementedError

    @classmethod
    def _from_json(cls, described: Any) -> Self:
        """Take it back; any exception means that it is malformed."""
        raise NotImplementedError


class Saveable:
    """Something with parameters that can be written to one file and read back.

    A subclass says what it has learned, as a tree of plain values and arrays, and takes that back, checking
    everything: files come from strangers.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _SAVEABLE[cls.__name__] = cls

    def _state(self) -> dict[str, Any] | None:
        """Return what has been learned; None if that is nothing."""
        raise NotImplementedError

    def _restore(self, stored: Stored) -> None:
        """Take back what `_state` gave."""
        raise NotImplementedError

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, whole or not at all.

        Parameters
        ----------
        path : str or path
            Where to write. An existing file is replaced in one step; a symbolic link is followed.
        """
        write_atomically(path, self._to_bytes())

    def _to_bytes(self) -> bytes:
        return to_bytes({"format": FORMAT, **describe(self), "learned": self._state()})

    @classmethod
    def _from_bytes(cls, content: bytes) -> Self:
        tree = from_bytes(content)
        if tree.get("format") != FORMAT:
            found = tree.get("format", tree.get("format_version"))
            raise ValueError(
                f"the file has format {found!r}, this hedgerow reads {FORMAT}; load it with the version that wrote it, "
                "or upgrade"
            )
        model: Self = construct(tree, cls)
        learned = tree.get("learned", "")
        if learned is not None:
            try:
                model._restore(Stored(learned))
            except (KeyError, TypeError, AttributeError, OverflowError, IndexError, RecursionError) as error:
                raise ValueError(f"the file is not a valid {type(model).__name__}: {error!r}") from None
        return model

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: vars(self)[name] for name in KEPT_BY_PICKLE if name in vars(self)}
        return {"parameters": self.get_params(deep=False), "learned": self._state(), "kept": kept}  # type: ignore[attr-defined]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state["parameters"])  # type: ignore[misc]
        if state["learned"] is not None:
            self._restore(Stored(state["learned"]))
        vars(self).update(state["kept"])

    def __sklearn_clone__(self) -> Self:
        parameters = self.get_params(deep=False)  # type: ignore[attr-defined]
        return type(self)(**{name: clone(value, safe=False) for name, value in parameters.items()})


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model written by its ``save`` method. Safe on files from strangers: no code is run.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    model
        Predicts the same bits as the one saved, and goes on learning as that one would have.
    """
    content = Path(path).read_bytes()
    try:
        return Saveable._from_bytes(content)
    except ValueError as error:
        raise ValueError(f"cannot load {os.fspath(path)!r}: {error}") from None


def describe(model: Any) -> dict[str, Any]:
    """Return class and parameters of a model, without anything that it has learned."""
    return {"class": type(model).__name__, "parameters": model.get_params(deep=False)}


def construct(described: Any, kind: type[Any] | tuple[type[Any], ...] = Saveable) -> Any:
    """Take back what `describe` gave: a model that has learned nothing; ValueError if it is not of that kind."""
    name, parameters = described.get("class"), described.get("parameters")
    known = _SAVEABLE.get(name) if isinstance(name, str) else None
    if known is None or not issubclass(known, kind) or not isinstance(parameters, dict):
        raise ValueError(f"the file holds a model of class {name!r}, which is not known here")
    if any(_is_nested(value) for value in parameters.values()):
        raise ValueError("a model within the model has models of its own")
    try:
        return known(**parameters)
    except TypeError as error:
        raise ValueError(f"the file's parameters do not fit {known.__name__}: {error}") from None


def _is_nested(value: Any) -> bool:
    return isinstance(value, Saveable) and any(isinstance(inner, Saveable) for inner in vars(value).values())


def _value(described: Any) -> Any:
    kind, content = described
    return _VALUES[kind]._from_json(content)


TO_JSON[Saveable] = ("$model", describe)
FROM_JSON["$model"] = construct
TO_JSON[PlainValue] = ("$value", lambda value: [type(value).__name__, value._to_json()])
FROM_JSON["$value"] = _value
