"""The package for OptunaHub: its folder has what the registry asks for, and its code runs as users would run it."""

import importlib.util
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import optuna
import pytest
from packaging.requirements import Requirement

from hedgerow.integrations.optuna import MondrianSampler

REGISTRY = Path(__file__).parents[2] / "tools" / "optunahub"
PACKAGE = REGISTRY / "samplers" / "mondrian_forest"
README = (PACKAGE / "README.md").read_text(encoding="utf-8")
optuna.logging.set_verbosity(optuna.logging.ERROR)


def load(package: str) -> ModuleType:
    """Import a folder of the registry as OptunaHub does."""
    spec = importlib.util.spec_from_file_location("from_the_hub", REGISTRY / package / "__init__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def hub(monkeypatch):
    """OptunaHub, whose registry is the folder here instead of one on the net."""
    monkeypatch.setitem(sys.modules, "optunahub", SimpleNamespace(load_module=load))


def test_the_front_matter_is_whole():
    front = re.match(r"---\n(.*?)\n---\n", README, flags=re.DOTALL)[1]
    fields = dict(line.split(": ", 1) for line in front.splitlines())
    assert list(fields) == ["author", "title", "description", "tags", "optuna_versions", "license"]
    assert "sampler" in fields["tags"].strip("[]").split(", ")
    for heading in ("Abstract", "APIs", "Installation", "Example"):
        assert f"\n## {heading}\n" in README


def test_it_needs_no_more_than_what_it_says():
    needed = [Requirement(line) for line in (PACKAGE / "requirements.txt").read_text().splitlines()]
    assert [(one.name, one.extras) for one in needed] == [("hedgerow", {"optuna"})]
    assert load("samplers/mondrian_forest").MondrianSampler is MondrianSampler


def test_the_example_of_the_readme_finds_the_least(hub):
    [code] = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    found = {}
    exec(compile(code, "README.md", "exec"), found)
    assert found["study"].best_value < 1e-3


def test_the_example_runs(hub):
    found = runpy.run_path(str(PACKAGE / "example.py"), run_name="__main__")
    assert found["study"].best_value < 0.1
    assert found["study"].best_params["kind"] == "b"
