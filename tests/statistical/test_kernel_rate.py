"""The rate at which the Mondrian kernel approaches the Laplace kernel: Balog and others (2016), Proposition 2."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def proposition(monkeypatch):
    """The module of the benchmark, which is not installed."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    from benchmarks.papers.balog_2016 import proposition_2

    return proposition_2


@pytest.mark.statistical
def test_the_largest_error_falls_as_the_proposition_says(proposition):
    """Its mean by half with four times the trees, and its tail at least as fast as the exponent that is proved.

    Means are over 25 kernels or more, with a standard error of 4 % at most, so quotients are within 0.6 of 2; shares
    are over 100 and more, and the slope that is proved is a twentieth of the slope that is there.
    """
    sizes = (20, 40, 80, 320)
    errors = proposition.largest_errors(8_000, sizes, seed=1)
    assert [each.size for each in errors.values()] == [400, 200, 100, 25]
    means = [errors[size].mean() for size in (20, 80, 320)]
    assert 1.4 < means[0] / means[1] < 2.6
    assert 1.4 < means[1] / means[2] < 2.6
    delta = 0.2
    chances = np.array([(errors[size] > delta).mean() for size in sizes[:3]])
    assert chances[0] > chances[2]
    is_seen = chances > 0
    slope = proposition.exponent(np.array(sizes[:3])[is_seen], chances[is_seen])
    assert slope < -(delta**2) / proposition.BOUND
