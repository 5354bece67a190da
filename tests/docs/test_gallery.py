"""The examples of the gallery run as they are, and each draws a picture."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "docs" / "gallery").glob("*/plot_*.py"))


@pytest.fixture
def pyplot():
    """Draw into memory, and leave no figure behind."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    plt.close("all")
    yield plt
    plt.close("all")


def test_there_are_twenty():
    assert len(EXAMPLES) >= 20


@pytest.mark.filterwarnings(
    "ignore:FigureCanvasAgg is non-interactive", "ignore::sklearn.exceptions.ConvergenceWarning"
)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_runs_and_draws(path, pyplot):
    runpy.run_path(str(path), run_name="__main__")
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    assert figures
    for figure in figures:
        figure.canvas.draw()
        assert any(ax.has_data() for ax in figure.axes)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_begins_with_a_title_and_words(path):
    title, rule, *words = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").splitlines()
    assert rule == "=" * len(title)
    assert len(" ".join(words)) > 80
