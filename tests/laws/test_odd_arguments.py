"""Arguments that make no sense, to every method and parameter of every model: a ValueError or TypeError in our words.

Not the words of Python, NumPy or the binding, which speak of code that the user has not written.
"""

from __future__ import annotations

import copy
import inspect
import re

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge

from models import every

pytestmark = pytest.mark.filterwarnings("ignore")
N = 12

ODD = {
    "None": None,
    "a word": "x",
    "NaN": np.nan,
    "infinity": np.inf,
    "a negative number": -1,
    "a huge integer": 2**70,
    "an integer beyond all": 10**400,
    "nothing": np.empty(0),
    "a vector": np.ones(3),
    "three axes": np.ones((2, 2, 3)),
    "a complex number": 1j,
    "objects": np.array([object()] * 3, dtype=object),
    "a set": {1, 2},
    "a dictionary": {"a": 1},
    "a function": abs,
    "bytes": b"abc",
    "a ragged list": [[1.0, 2.0], [3.0]],
    "words": np.array(["a", "b"]),
    "a class": object,
}

RAW = re.compile(
    "incompatible function arguments|not supported between instances|has no attribute|has no len|unhashable type|"
    "object is not (iterable|callable|subscriptable)|truth value of|^ufunc|index out of|out of bounds|"
    "could not be broadcast|cannot be interpreted as|leading minor|cannot unpack|values to unpack"
)
SKIPPED = ("save", "score", "get_params", "set_params", "get_metadata_routing")  # scikit-learn's, or about files
MUTATING = ("fit", "partial_fit", "learn_one", "predict_then_learn", "unlearn", "unlearn_one", "fit_transform")


def refused_in_words(what, call):
    """Whether a call is refused; AssertionError if in words that are not ours."""
    refusal = None
    try:
        call()
    except Exception as error:
        refusal = error
    if type(refusal) is AttributeError:
        assert re.search("exists only|is known after|not told apart", str(refusal)), f"{what}: {refusal!r}"
    elif refusal is not None:
        assert type(refusal) in (ValueError, TypeError, NotFittedError), f"{what}: {refusal!r}"
        assert not RAW.search(str(refusal)), f"{what}: {refusal!r}"
    return refusal is not None


def methods(model):
    """Yield the public methods of a model, with their parameters; flags are taken as Python takes them."""
    for name in dir(type(model)):
        is_public = not name.startswith(("_", "set_")) and name not in SKIPPED
        if is_public and inspect.isfunction(inspect.getattr_static(type(model), name)):
            parameters = inspect.signature(getattr(model, name)).parameters.values()
            named = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
            yield name, [each for each in named if not isinstance(each.default, bool)]


def sensible(case, name, parameters):
    """Return the arguments that a method needs, as they should be."""
    X, y = case.data(N)
    one = name.endswith("_one")
    given = {"X": X[:4], "x": X[0], "y": y[0] if one else y[:4], "estimator": Ridge()}
    return {each.name: given.get(each.name) for each in parameters if each.default is each.empty}


@every(one_a_class=True)
@pytest.mark.parametrize("fitted", [False, True], ids=["new", "fitted"])
def test_odd_arguments_of_methods(case, fitted):
    pristine = case.fitted(N) if fitted else case.new()
    model, n_refused = copy.deepcopy(pristine), 0
    for name, parameters in methods(model):
        for parameter in parameters:
            for what, value in ODD.items():
                given = {**sensible(case, name, parameters), parameter.name: value}
                call = getattr(model, name)
                was_refused = refused_in_words(
                    f"{name}({parameter.name}={what})", lambda call=call, given=given: call(**given)
                )
                n_refused += was_refused
                if not was_refused and name in MUTATING:
                    model = copy.deepcopy(pristine)
    assert n_refused > 100


@every(one_a_class=True)
def test_odd_parameters(case):
    X, y = case.data(N)
    n_refused = 0
    for parameter in case.parameters:
        for what, value in ODD.items():
            model = case.new()
            n_refused += refused_in_words(
                f"{parameter}={what}",
                lambda model=model, given={parameter: value}: model.set_params(**given).fit(X, y),
            )
    assert n_refused > 20


@every(one_a_class=True)
def test_attributes_before_the_first_row(case):
    model = case.new()
    for name in dir(case.kind):
        if isinstance(inspect.getattr_static(case.kind, name), property) and not name.startswith("_"):
            refused_in_words(name, lambda name=name: getattr(model, name))
