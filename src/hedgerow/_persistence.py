"""Saving and loading: one safetensors file, no code inside, nothing trusted.

A file holds arrays and one JSON text with the class, its parameters and its fitted numbers. `save` writes it
beside its destination and renames it, so a crash leaves the old file or the new one. Pickle goes the same way.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Real
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import safetensors
from safetensors.numpy import load as arrays_from_bytes
from safetensors.numpy import save as arrays_to_bytes

from hedgerow._classes import label_from_json, label_to_json

FORMAT_VERSION = 1
_CLASSES: dict[str, type[Saveable]] = {}

Arrays = dict[str, npt.NDArray[Any]]

_VALUES: dict[str, type[PlainValue]] = {}

_APART: ContextVar[list[Any] | None] = ContextVar("_APART", default=None)
"""Functions that a pickle carries beside the file in it; None where there is only a file."""


@contextmanager
def _functions_apart(functions: list[Any]) -> Iterator[None]:
    token = _APART.set(functions)
    try:
        yield
    finally:
        _APART.reset(token)


class PlainValue:
    """A parameter that is neither a number nor a model, but can be written as JSON and read back, checked."""

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
    """A model that can be written to one file and read back.

    A subclass says what its fitted state is, in `_fitted_state`, and takes it back in `_restore_fitted_state`, which
    must check everything: files come from strangers.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _CLASSES[cls.__name__] = cls

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        """Return numbers for the JSON text and arrays; None if the model is not fitted."""
        raise NotImplementedError

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        """Take back what `_fitted_state` gave."""
        raise NotImplementedError

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, whole or not at all.

        Parameters
        ----------
        path : str or path
            Where to write. An existing file is replaced in one step.
        """
        target = Path(path)
        if not target.parent.is_dir():
            raise FileNotFoundError(f"cannot save to {os.fspath(path)!r}: there is no folder {str(target.parent)!r}")
        content = self._to_bytes()
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _to_bytes(self) -> bytes:
        state = self._fitted_state()
        header = {
            "format_version": FORMAT_VERSION,
            **describe(self),
            "fitted": None if state is None else state[0],
        }
        arrays = {} if state is None else {name: np.ascontiguousarray(array) for name, array in state[1].items()}
        return arrays_to_bytes(arrays, metadata={"hedgerow": json.dumps(header)})

    @classmethod
    def _from_bytes(cls, content: bytes) -> Self:
        header, arrays = _read(content)
        model: Self = construct(header, cls)
        if header["fitted"] is not None:
            try:
                model._restore_fitted_state(header["fitted"], arrays)
            except (KeyError, TypeError, AttributeError, OverflowError) as error:
                raise ValueError(f"the file is not a valid {type(model).__name__}: {error!r}") from None
        return model

    def __getstate__(self) -> dict[str, Any]:
        functions: list[Any] = []
        with _functions_apart(functions):
            content = self._to_bytes()
        return {"file": content, "functions": functions} if functions else {"file": content}

    def __setstate__(self, state: dict[str, Any]) -> None:
        with _functions_apart(state.get("functions", [])):
            self.__dict__.update(type(self)._from_bytes(state["file"]).__dict__)

    def __sklearn_clone__(self) -> Self:
        from sklearn.base import clone

        return type(self)(**{name: clone(value, safe=False) for name, value in self.get_params(deep=False).items()})  # type: ignore[attr-defined]


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
    if b'\\"format\\": 2' in content[:4000]:
        from hedgerow.files import load as load_two

        return load_two(path)
    try:
        return Saveable._from_bytes(content)
    except ValueError as error:
        raise ValueError(f"cannot load {os.fspath(path)!r}: {error}") from None


def _read(content: bytes) -> tuple[dict[str, Any], Arrays]:
    """Split a file into its JSON text, checked for shape, and its arrays."""
    try:
        arrays = arrays_from_bytes(content)
        length = int.from_bytes(content[:8], "little")
        metadata = json.loads(content[8 : 8 + length]).get("__metadata__", {})
        header = json.loads(metadata["hedgerow"])
    except (safetensors.SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a hedgerow model, or damaged ({type(error).__name__}: {error})") from None
    if not isinstance(header, dict) or not isinstance(header.get("parameters"), dict):
        raise ValueError("not a hedgerow model: its description is malformed")
    version = header.get("format_version")
    if version != FORMAT_VERSION:
        raise ValueError(
            f"the file has format version {version!r}, this hedgerow reads {FORMAT_VERSION}; "
            "load it with the version that wrote it, or upgrade"
        )
    if not isinstance(header.get("class"), str) or not isinstance(header.get("fitted", 0), dict | None):
        raise ValueError("not a hedgerow model: its description is malformed")
    return header, arrays


def describe(model: Any) -> dict[str, Any]:
    """Class and parameters of a model as JSON, without anything that it has learned."""
    parameters = {name: encode_parameter(name, value) for name, value in model.get_params(deep=False).items()}
    return {"class": type(model).__name__, "parameters": parameters}


def construct(description: Any, kind: type[Any] | tuple[type[Any], ...]) -> Any:
    """Take back what `describe` gave: a model that has learned nothing; ValueError if it is not of that kind."""
    known = _CLASSES.get(description["class"])
    if known is None or not issubclass(known, kind):
        raise ValueError(f"the file holds a model of class {description['class']!r}, which is not known here")
    model = known.__new__(known)
    try:
        parameters = {name: decode_parameter(value) for name, value in description["parameters"].items()}
        model.__init__(**parameters)  # type: ignore[misc]
    except TypeError as error:
        raise ValueError(f"the file's parameters do not fit {known.__name__}: {error}") from None
    return model


def encode_parameter(name: str, value: Any) -> Any:
    """A parameter as JSON."""
    if isinstance(value, Saveable):
        return {"model": describe(value)}
    if isinstance(value, PlainValue):
        return {"value": [type(value).__name__, value._to_json()]}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.random.RandomState):
        kind, keys, *rest = value.get_state(legacy=True)
        return {"random_state": [kind, np.asarray(keys).tolist(), *rest]}
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and not math.isnan(value)):
        return value
    if isinstance(value, list | tuple) and value and all(map(callable, value)):
        return _apart(name, value)
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        counts = {key: count.item() if isinstance(count, np.generic) else count for key, count in value.items()}
        if all(type(count) is int for count in counts.values()):
            return {"counts": counts}
    if isinstance(value, Mapping) and all(isinstance(weight, Real) for weight in value.values()):
        return {"weights": [[label_to_json(_plain(label)), float(weight)] for label, weight in value.items()]}
    if isinstance(value, list | tuple | np.ndarray):
        numbers = np.asarray(value)
        if numbers.ndim == 1 and numbers.dtype.kind in "iuf" and np.isfinite(numbers).all():
            return {"numbers": numbers.tolist()}
    raise TypeError(
        f"cannot save parameter {name}={value!r}; use a number, a string, None, a RandomState, a list of numbers, a "
        "mapping of words to integers or of classes to weights, or a model of hedgerow's"
    )


def _apart(name: str, functions: Sequence[Any]) -> dict[str, Any]:
    carried = _APART.get()
    if carried is None:
        raise TypeError(
            f"cannot save {name}={functions!r}: a file holds no code, so it cannot hold functions; pickle the model "
            "instead, or give a parameter that is not a function"
        )
    carried.append(tuple(functions))
    return {"apart": len(carried) - 1}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def decode_parameter(value: Any) -> Any:
    """Take back what `encode_parameter` gave, or ValueError."""
    if isinstance(value, dict) and "apart" in value:
        carried, place = _APART.get(), value["apart"]
        if carried is None or type(place) is not int or not 0 <= place < len(carried):
            raise ValueError("a parameter is made of functions, which are not in a file")
        return carried[place]
    if isinstance(value, dict) and "counts" in value:
        counts = value["counts"]
        if not isinstance(counts, dict) or not all(type(count) is int for count in counts.values()):
            raise ValueError(f"its mapping of words to integers is malformed, got {counts!r}")
        return counts
    if isinstance(value, dict) and "weights" in value:
        try:
            return {label_from_json(label): float(weight) for label, weight in value["weights"]}
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise ValueError(f"its mapping of classes to weights is malformed ({error!r})") from None
    if isinstance(value, dict) and "numbers" in value:
        numbers = value["numbers"]
        if not isinstance(numbers, list) or not all(type(number) in (int, float) for number in numbers):
            raise ValueError(f"its list of numbers is malformed, got {numbers!r}")
        return numbers
    if isinstance(value, dict) and "value" in value:
        try:
            kind, described = value["value"]
            return _VALUES[kind]._from_json(described)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise ValueError(f"a parameter is malformed ({error!r})") from None
    if isinstance(value, dict) and "model" in value:
        description = value["model"]
        parameters = description.get("parameters") if isinstance(description, dict) else None
        if not isinstance(parameters, dict) or not isinstance(description.get("class"), str):
            raise ValueError("a model within the model is malformed")
        if any(isinstance(inner, dict) and "model" in inner for inner in parameters.values()):
            raise ValueError("a model within the model has models of its own")
        return construct(description, Saveable)
    if isinstance(value, dict):
        state = np.random.RandomState()
        try:
            kind, keys, *rest = value["random_state"]
            state.set_state((kind, np.asarray(keys, dtype=np.uint32), *rest))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"its random state is malformed ({error!r})") from None
        return state
    if isinstance(value, list):
        raise ValueError(f"no parameter is a list, got {value!r}")
    return value
