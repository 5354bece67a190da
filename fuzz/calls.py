"""Random sequences of calls on every model: some argument of most calls is hostile."""

from __future__ import annotations

import copy
import inspect
import pickle
import tempfile
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from sklearn.base import clone

import hedgerow
from fuzz import rows
from fuzz.answers import complaints
from fuzz.judge import CHANGED, REFUSED, WRONG_NUMBER, Judge, Words
from fuzz.values import anything, number
from hedgerow.files import Saveable
from models import CASES, IN_MEMORY, Case

LONGEST = 12
"""Calls of a case, at most."""
N_LEARNED = 16
"""Rows that a model has learned when a case begins; what is learned later are fewer."""
COSTLY = ("n_estimators", "n_particles", "n_islands", "n_steps", "n_chains", "n_draws", "n_burn_in", "max_stages")
"""Parameters that say how much work is done. Sane values of them are small."""
FEW = {"n_estimators": 2, "n_particles": 8, "n_islands": 2, "n_steps": 20, "n_chains": 1, "n_draws": 3, "n_burn_in": 3}
LEARNING = (
    *("fit", "fit_transform", "partial_fit", "learn_one", "predict_then_learn", "unlearn", "unlearn_one"),
    "continue_sampling",
)
NOT_CALLED = ("save", "get_params", "set_params", "set_output", "get_metadata_routing", "to_arviz", "of_rows", "score")
"""Public methods that have a step of their own, or are not ours."""


def run(seed: int, judge: Judge) -> None:
    """Play one case."""
    rng = Random(seed)
    Session(rng, CASES[seed % len(CASES)], judge).play()


class Session:
    """One model, and what is done to it."""

    def __init__(self, rng: Random, case: Case, judge: Judge) -> None:
        self.rng, self.case, self.judge = rng, case, judge
        self.is_table = rng.random() < 0.3
        self.model = pickle.loads(_beginning(case.name, self.is_table, rng.random() < 0.85))
        self.known = state(self.model)

    def play(self) -> None:
        """Call it several times; after the first fault nothing can be said of the rest."""
        self.judge.say(f"{self.case.name}{', a table' if self.is_table else ''}")
        for _ in range(self.rng.randint(3, LONGEST)):
            self.rng.choices(STEPS, WEIGHTS)[0](self)
            if self.judge.faults:
                return
        if hasattr(self.model, "check_structure") and hasattr(self.model, "n_features_in_"):
            wrong = self.judge.call("check_structure()", self.model.check_structure)
            if wrong is not REFUSED and wrong:
                self.judge.fault(CHANGED, f"the structure is damaged: {wrong}")

    def learn_or_ask(self) -> None:
        """Call a method of the model; learning as often as all questions together."""
        methods = _methods(type(self.model))
        learning = [name for name in methods if name in LEARNING]
        chosen = learning if self.rng.random() < 0.5 else [name for name in methods if name not in LEARNING]
        name = self.rng.choice(chosen)
        if name.startswith("fit") and self.rng.random() < SKIPPED_FITS.get(self.case.name.split(",")[0], 0.3):
            return
        answer = self.call(self.model, name)
        if name == "predict_dist" and answer is not REFUSED and len(answer):
            for _ in range(3):
                self.call(answer, self.rng.choice(_methods(type(answer))))

    def call(self, owner: Any, name: str) -> Any:
        """Call a method with arguments of which one is hostile, most often, and look at what came of it."""
        function = getattr(owner, name)
        arguments = self.arguments(function)

        def words() -> str:
            given = ", ".join(f"{key}={value!r:.300}" for key, value in arguments.items())
            return f"{type(owner).__name__}.{name}({given})"

        answer = self.judge.call(words, lambda: function(**arguments))
        if answer is not REFUSED:
            for complaint in complaints(self.model, name, answer, arguments):
                self.judge.fault(WRONG_NUMBER, f"{words()}\n{complaint}")
        self.compare(words, may_change=name in LEARNING and answer is not REFUSED)
        return answer

    def compare(self, words: Words, may_change: bool) -> None:
        """Note whether the model has changed without leave."""
        now = state(self.model)
        if now != self.known and not may_change:
            parts = [part for part, before, after in zip(PARTS, self.known, now, strict=True) if before != after]
            said = words if isinstance(words, str) else words()
            self.judge.fault(CHANGED, f"{said}\nchanged {', '.join(parts)}")
        self.known = now

    def arguments(self, function: Any) -> dict[str, Any]:
        """Return arguments: sane ones, but for one of them, most often."""
        parameters = inspect.signature(function).parameters
        names = [
            name for name, each in parameters.items() if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
        ]
        if not names:
            return {}
        attacked = self.rng.choice(names) if self.rng.random() < 0.65 else None
        required = [name for name in names if parameters[name].default is inspect.Parameter.empty or name == "n_draws"]
        given = [name for name in names if name in required or name == attacked or self.rng.random() < 0.4]
        n = self.rng.choice((1, 1, 2, 4, 8))
        X, y = rows.batch(self.rng, self.case, n, self.is_table)
        if function.__name__.startswith("unlearn") and self.rng.random() < 0.8:
            X, y = _learned(self.case.name, self.is_table)
            X, y = X[:n], y[:n]
        return {
            name: self.hostile(name, n) if name == attacked else self.sane(name, X, y, parameters[name].default)
            for name in given
        }

    def sane(self, name: str, X: Any, y: Any, default: Any) -> Any:
        """Return an argument of that name as it should be."""
        if name in ("X", "Y", "y"):
            return y if name == "y" else X
        if name == "x":
            return {key: rows._python(X[key].iloc[0]) for key in X.columns} if self.is_table else X[0]
        if name in SANE:
            return self.rng.choice(SANE[name])
        return None if default is inspect.Parameter.empty else default

    def hostile(self, name: str, n: int) -> Any:
        """Return an argument of that name as it might be."""
        rng = self.rng
        if name in ("X", "Y"):
            return rows.rows(rng, self.case, n, self.is_table)
        if name == "x":
            return rows.row(rng, self.case, self.is_table)
        if name == "y":
            return rows.targets(rng, self.case, n, self.is_table) if rng.random() < 0.6 else rows.target(rng, self.case)
        if name == "sample_weight":
            return rows.weights(rng, n)
        if name in ("confidence", "quantiles", "q") and rng.random() < 0.7:
            levels = [
                rng.choice((0.0, 1.0, 0.5, 1e-300, 5e-324, 1 - 1e-16, 0.1, number(rng)))
                for _ in range(rng.randint(1, 4))
            ]
            return rng.choice((levels[0], levels, np.array(levels), np.array(levels, dtype=np.float32)))
        if name in ("size", "n_draws"):
            return rng.choice((0, -1, 3, 10**30, 2**63, 1.5, True, "3", "auto", (2, 3), None, np.int64(2)))
        return anything(rng)

    # Steps that are more than one call.

    def change_a_parameter(self) -> None:
        """Set a parameter to anything, call something, and set it back."""
        rng, parameters = self.rng, self.model.get_params()
        name = rng.choice(sorted(parameters))
        value = rng.choice([None, True, "auto", 1, 2, 0.5, "none", anything(rng)])
        if name.split("__")[-1] in (*COSTLY, "window", "calibration_size") and rng.random() < 0.8:
            value = rng.choice((1, 2, 3, 0, -1, 1.5, "2", None, np.int64(2), 10**30, 2**64, float("nan")))
        if name.split("__")[-1] in COSTLY and type(value) in (int, float) and 9 < value < 2**60:
            value = 3
        if name.endswith("n_jobs"):
            value = rng.choice((0, 1, 2, -1, -2, -(10**9), 10**8, 2**31, 2**63, 2**64, 1.5, "2", None, True))
        if (
            self.judge.call(f"set_params({name}={value!r:.300})", lambda: self.model.set_params(**{name: value}))
            is REFUSED
        ):
            self.compare("set_params", may_change=False)
            return
        self.known = state(self.model)
        self.learn_or_ask()
        if not self.judge.faults:
            self.model.set_params(**{name: parameters[name]})
            self.known = state(self.model)

    def copy(self) -> None:
        """Go on with a copy, which must be the same."""
        words, made = self.rng.choice(COPIES)
        copied = self.judge.call(words, lambda: made(self.model))
        if copied is not REFUSED:
            self.model = copied
            self.compare(words, may_change=self.case.renumbers)

    def look(self) -> None:
        """Read everything that can be read."""
        self.judge.call(
            "attributes", lambda: [getattr(self.model, name, None) for name in _properties(type(self.model))]
        )
        self.judge.call("repr", lambda: repr(self.model))
        self.judge.call("clone", lambda: clone(self.model))
        self.compare("reading attributes", may_change=False)


STEPS = (Session.learn_or_ask, Session.change_a_parameter, Session.copy, Session.look)
WEIGHTS = (16, 3, 2, 1)
SKIPPED_FITS = {"boosting": 0.9, "class boosting": 0.9, "BART": 0.7, "Bayesian tree": 0.7}
"""How many of the batches are left out, by kind of model: they take too long."""

SANE: dict[str, tuple[Any, ...]] = {
    "sample_weight": (None,),
    "confidence": (0.9, 0.5, 0.99),
    "quantiles": ([0.1, 0.5, 0.9], 0.5, np.linspace(0.01, 0.99, 9)),
    "q": ([0.1, 0.5, 0.9], 0.5),
    "size": (None, 1, 3),
    "random_state": (0, None),
    "target": (0, 1),
    "return_std": (False, True),
    "relearn": (False, True),
    "returns": ("dist", "interval", "std"),
    "n_draws": (1, 2),
    "function": (lambda values, row: np.abs(values),),
}

PARTS = ("what was learned", "the parameters", "the attributes")


def state(model: Any) -> tuple[Any, ...]:
    """Return all that a model knows and is, to be compared."""
    parameters = [(name, repr(value)) for name, value in model.get_params().items() if not isinstance(value, Saveable)]
    return bits(model._state()), parameters, sorted(vars(model))


def bits(tree: Any) -> Any:
    """Return a tree whose leaves can be compared, bit for bit."""
    if isinstance(tree, Saveable):
        return bits(tree.get_params())  # type: ignore[attr-defined]
    if isinstance(tree, dict):
        return [(key, bits(part)) for key, part in tree.items()]
    if isinstance(tree, list | tuple):
        return [bits(part) for part in tree]
    if isinstance(tree, np.ndarray):
        return tree.dtype.str, tree.shape, tree.tobytes()
    return repr(tree.item() if isinstance(tree, np.generic) else tree)


def small(case: Case) -> Any:
    """Return a model with nothing learned that has little work to do."""
    model = case.new()
    few = {name: FEW[name.split("__")[-1]] for name in model.get_params() if name.split("__")[-1] in FEW}
    return model.set_params(**few)


@cache
def _beginning(name: str, is_table: bool, is_fitted: bool) -> bytes:
    """Return a model to begin with, pickled."""
    case = next(case for case in CASES if case.name == name)
    model = small(case)
    return pickle.dumps(model.fit(*_learned(name, is_table)) if is_fitted else model)


@cache
def _learned(name: str, is_table: bool) -> tuple[Any, Any]:
    """Return the rows that models have learned when a case begins."""
    case = next(case for case in CASES if case.name == name)
    return rows.drawn(case, N_LEARNED, is_table)


@cache
def _methods(kind: type) -> list[str]:
    found = [
        name
        for name in dir(kind)
        if not name.startswith("_") and inspect.isfunction(inspect.getattr_static(kind, name))
    ]
    return [name for name in found if name not in NOT_CALLED and not name.endswith("_request")]


@cache
def _properties(kind: type) -> list[str]:
    return [name for name in dir(kind) if name.endswith("_") and name[0] != "_"]


def _through_a_file(model: Any) -> Any:
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as folder:
        model.save(Path(folder) / "model")
        return hedgerow.load(Path(folder) / "model")


COPIES = (
    ("pickle", lambda model: pickle.loads(pickle.dumps(model))),
    ("deepcopy", copy.deepcopy),
    ("save and load in memory", lambda model: type(model)._from_bytes(model._to_bytes())),
    ("save and load", _through_a_file),
)
