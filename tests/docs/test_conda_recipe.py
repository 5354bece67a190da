"""The recipe for conda-forge asks for what pyproject.toml declares, and has the version that is to be released."""

import re
import tomllib
from pathlib import Path

import hedgerow

ROOT = Path(__file__).parents[2]
RECIPE = (ROOT / "tools" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def listed(section: str) -> set[str]:
    """Return the requirements of a section without spaces, Python and pip left out."""
    lines = re.search(rf"^  {section}:\n((?:    .*\n)+)", RECIPE, re.MULTILINE)
    assert lines is not None
    return {item.replace(" ", "") for item in re.findall(r"^    - (.+)$", lines[1], re.MULTILINE)} - {"python", "pip"}


def test_requirements():
    assert listed("run") == set(PROJECT["project"]["dependencies"])
    assert listed("host") == set(PROJECT["build-system"]["requires"])


def test_name_version_and_command():
    assert re.search(r'^  version: "(.+)"$', RECIPE, re.MULTILINE)[1] == hedgerow.__version__.split(".dev")[0]
    ((command, function),) = PROJECT["project"]["scripts"].items()
    assert f"- {command} = {function}" in RECIPE
    assert PROJECT["project"]["description"] in RECIPE
