"""Models by name: short words, or the names of their classes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from shlex import quote
from typing import Any

import hedgerow
from hedgerow.cli._names import chosen, near
from hedgerow.cli._output import UsageError
from hedgerow.cli._table import ENDINGS

MODELS: dict[str, dict[str, str]] = {
    "boosting": {"regression": "MondrianBoostingRegressor", "classification": "MondrianBoostingClassifier"},
    "forest": {"regression": "MondrianForestRegressor", "classification": "MondrianForestClassifier"},
    "kernel": {"regression": "MondrianKernelRidge"},
    "bart": {"regression": "BARTRegressor", "classification": "BARTClassifier"},
    "tree": {"regression": "BayesianTreeRegressor", "classification": "BayesianTreeClassifier"},
    "online": {"regression": "OnlineForestRegressor"},
    "conformal": {"regression": "OnlineConformalRegressor"},
    "quantile": {"regression": "OnlineQuantileForestRegressor"},
}
AROUND_A_FOREST = ("conformal", "quantile")
"""Models whose trees are those of an online forest inside."""


def word_for(name: str) -> str:
    """Return the word of a model that was named by a word or by its class."""
    by_class = {each: word for word, classes in MODELS.items() for each in classes.values()}
    return by_class.get(name) or chosen("--model", name, list(MODELS))


def check_model(name: str, task: str) -> None:
    """Refuse a model that does not exist, or cannot do this."""
    word = word_for(name)
    if task not in MODELS[word]:
        able = [each for each, classes in MODELS.items() if task in classes]
        raise UsageError(f"--model {word} cannot learn classes; --model {', '.join(able[:-1])} or {able[-1]} can")
    if name != word and MODELS[word][task] != name:
        raise UsageError(f"--model {name} does not do {task}; --model {MODELS[word][task]} does")


def new_model(
    name: str,
    task: str,
    trees: int | None = None,
    settings: Sequence[str] | None = None,
    **shared: Any,
) -> Any:
    """Return a model that has learned nothing.

    Parameters
    ----------
    name, task : str
        Which model, for what.
    trees : int, optional
        Number of trees; the model's own default if not given.
    settings : sequence of str, optional
        Further parameters, each as ``name=value``.
    shared
        Parameters such as the random seed, which are passed on to models that have them.
    """
    check_model(name, task)
    word = word_for(name)
    kind = getattr(hedgerow, MODELS[word][task])
    if word in AROUND_A_FOREST:
        base = new_model("online", task, trees, None, **shared)
        return kind(base, **_parameters(kind, settings), **_known(kind, {"random_state": shared.get("random_state")}))
    given = _parameters(kind, settings)
    shared |= {"progress": False} | ({} if trees is None else {"n_estimators": trees})
    if trees is not None and "n_estimators" not in signature(kind).parameters:
        raise UsageError(f"--trees is not for --model {word}, which has single trees")
    return kind(**(_known(kind, shared) | given))


def read_model(path: Path) -> Any:
    """Read whatever `save` has written."""
    try:
        return hedgerow.load(path)
    except ValueError:
        if any(ending.lower() in ENDINGS for ending in path.suffixes):
            raise ValueError(
                f"{str(path)!r} is a table, and a model is needed here; hedgerow fit {quote(str(path))} --target "
                "COLUMN makes one"
            ) from None
        raise


def load_model(path: Path) -> Any:
    """Read a model that has learned and can predict."""
    model = read_model(path)
    check_can_predict(model, path)
    return model


def check_can_predict(model: Any, path: Path) -> None:
    """Refuse what a file holds if it is not a model that has learned and can predict."""
    name = quote(str(path))
    if isinstance(model, hedgerow.stream.Run):
        raise ValueError(f"{str(path)!r} is a run, not a model; hedgerow report {name} shows it")
    if isinstance(model, hedgerow.optimize.Optimizer):
        raise ValueError(f"{str(path)!r} is an optimisation, not a model; hedgerow info {name} shows it")
    if not hasattr(model, "predict"):
        kind = type(model).__name__
        raise ValueError(f"{str(path)!r} holds {kind}, which does not predict; hedgerow info {name} shows it")
    if not hasattr(model, "n_features_in_"):
        raise ValueError(f"the model in {str(path)!r} has not learned anything yet")


def _known(kind: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name in signature(kind).parameters}


def _parameters(kind: Any, settings: Sequence[str] | None) -> dict[str, Any]:
    """Return parameters given as name=value; a value is a number, a word, or any other Python literal."""
    found = {}
    for setting in settings or ():
        name, sign, text = setting.partition("=")
        names = list(signature(kind).parameters)
        if not sign:
            raise UsageError(f"--set must be name=value, got {setting!r}")
        if name not in names:
            match = near(name, names)
            guess = f"did you mean {match!r}? " if match else ""
            raise UsageError(f"--set {name}: {kind.__name__} has no such parameter; {guess}it has {', '.join(names)}")
        try:
            found[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            found[name] = text
    return found
