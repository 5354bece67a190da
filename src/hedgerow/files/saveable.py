"""Saving, loading and pickling: what every object with a `save` method has in common."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from sklearn.base import clone

from hedgerow.files.codec import FROM_JSON, TO_JSON
from hedgerow.files.container import from_bytes, to_bytes
from hedgerow.files.stored import Stored
from hedgerow.files.writing import write_atomically

FORMAT = 3
"""Files of this number are read by this version and by all later ones."""

PUBLIC = {
    "BARTClassifier": "hedgerow",
    "BARTRegressor": "hedgerow",
    "BayesianTreeClassifier": "hedgerow",
    "BayesianTreeRegressor": "hedgerow",
    "MondrianBoostingClassifier": "hedgerow",
    "MondrianBoostingRegressor": "hedgerow",
    "MondrianFeatures": "hedgerow",
    "MondrianForestClassifier": "hedgerow",
    "MondrianForestRegressor": "hedgerow",
    "MondrianKernelRidge": "hedgerow",
    "OnlineConformalRegressor": "hedgerow",
    "OnlineForestRegressor": "hedgerow",
    "OnlineQuantileForestRegressor": "hedgerow",
    "Optimizer": "hedgerow.optimize",
    "Run": "hedgerow.stream",
    "Space": "hedgerow.optimize",
}
"""Classes that a file may name, and the modules that they are in. No other class is looked for."""

KEPT_BY_PICKLE = ("_sklearn_output_config", "_metadata_request")
"""What scikit-learn sets on an estimator and looks for in a copy of it."""


class PlainValue:
    """A parameter that is neither a number nor a model, but can be written as a tree and read back, checked."""

    def _to_json(self) -> Any:
        """Return what is written."""
        raise NotImplementedError

    @classmethod
    def _from_json(cls, described: Any) -> Self:
        """Take it back; any exception means that it is malformed."""
        raise NotImplementedError


class Saveable:
    """Something with parameters that can be written to one file and read back.

    A subclass returns what it has learned, as a tree of plain values and arrays, and takes that back, checking
    everything: files come from strangers.
    """

    def _state(self) -> dict[str, Any] | None:
        """Return what has been learned; None if that is nothing."""
        raise NotImplementedError

    def _restore(self, stored: Stored) -> None:
        """Take back what `_state` gave."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        """Raise ValueError for values of parameters that the constructor has not looked at."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, whole or not at all.

        Parameters
        ----------
        path : str or path
            Where to write. An existing file is replaced in one step and keeps its permissions; a symbolic link is
            followed. If saving fails, the old file is as it was.
        """
        write_atomically(path, self._to_bytes())

    def _to_bytes(self) -> bytes:
        content = to_bytes({"format": FORMAT, **describe(self), "learned": self._state()})
        self._check_parameters()  # or the file could not be loaded
        return content

    @classmethod
    def _from_bytes(cls, content: bytes) -> Self:
        tree = from_bytes(content)
        if type(tree.get("format")) is not int or tree["format"] != FORMAT:
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
        parameters = self.get_params(deep=False)  # type: ignore[attr-defined]
        return {"parameters": parameters, "learned": self._state(), "kept": kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state["parameters"])  # type: ignore[misc]
        if state["learned"] is not None:
            self._restore(Stored(state["learned"], is_own=True))
        vars(self).update(state["kept"])

    def __sklearn_clone__(self) -> Self:
        parameters = self.get_params(deep=False)  # type: ignore[attr-defined]
        return type(self)(**{name: clone(value, safe=False) for name, value in parameters.items()})


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model written by its ``save`` method. Safe on files from strangers: no code is run, and all is checked.

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
    return {"class": _public_name(model), "parameters": model.get_params(deep=False)}


def construct(described: Any, kind: type[Any] | tuple[type[Any], ...] = Saveable) -> Any:
    """Take back what `describe` gave: a model that has learned nothing; ValueError if it is not of that kind."""
    name, parameters = described.get("class"), described.get("parameters")
    known = _public_class(name)
    if known is None or not issubclass(known, kind) or not isinstance(parameters, dict):
        raise ValueError(f"the file holds a model of class {name!r}, which is not known here")
    if any(_is_nested(value) for value in parameters.values()):
        raise ValueError("a model within the model has models of its own")
    try:
        model = known(**parameters)
        model._check_parameters()
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ValueError(f"the file's parameters do not fit {known.__name__}: {error}") from None
    return model


def _is_nested(value: Any) -> bool:
    return isinstance(value, Saveable) and any(isinstance(inner, Saveable) for inner in vars(value).values())


def _public_class(name: Any) -> Any:
    module = PUBLIC.get(name) if isinstance(name, str) else None
    return None if module is None else getattr(import_module(module), name)


def _public_name(value: Any) -> str:
    name = type(value).__name__
    if _public_class(name) is not type(value):
        raise TypeError(
            f"cannot save a {name}: a file names one of hedgerow's own classes, and this is another; pickle it instead"
        )
    return name


def _value(described: Any) -> Any:
    name, content = described
    known = _public_class(name)
    if known is None or not issubclass(known, PlainValue):
        raise ValueError(f"a value of class {name!r} is not known here")
    return known._from_json(content)


TO_JSON[Saveable] = ("$model", describe)
FROM_JSON["$model"] = construct
TO_JSON[PlainValue] = ("$value", lambda value: [_public_name(value), value._to_json()])
FROM_JSON["$value"] = _value
