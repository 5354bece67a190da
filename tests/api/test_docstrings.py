"""Examples in docstrings run and print what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import hedgerow

MODULES = ["hedgerow"] + [
    module.name
    for module in pkgutil.walk_packages(hedgerow.__path__, "hedgerow.")
    if not module.name.rpartition(".")[2].startswith("__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    found = {test.name for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples}
    assert any(name.endswith("MondrianForestRegressor") for name in found)
    assert any(name.endswith("NormalMixture") for name in found)
