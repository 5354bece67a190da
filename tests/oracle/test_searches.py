"""The search for a minimum next to SciPy's, and the densities that are searched next to NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize, rosen

from hedgerow import _core
from hedgerow.mondrian._calibration import Calibration, log_density
from hedgerow.numeric.simplex import around, minimise


@pytest.mark.parametrize("most_calls", [20, 60, 200])
@pytest.mark.parametrize("start", [(-1.2, 1.0), (0.0, 3.0, -1.0)], ids=str)
def test_searches_as_scipy_does(start, most_calls):
    simplex = around(start, (0.5,) * len(start))
    found, value = minimise(lambda point: float(rosen(np.array(point))), simplex, most_calls)
    assert value == rosen(np.array(found))

    def by_scipy(calls):
        options = {"maxfev": calls, "initial_simplex": np.array(simplex), "xatol": 0.0, "fatol": 0.0}
        return minimize(rosen, start, method="Nelder-Mead", options=options).fun

    # SciPy stops in the middle of a step when its calls are spent; ours finishes the step.
    assert by_scipy(most_calls + len(start) + 2) <= value * (1 + 1e-5)
    assert value <= by_scipy(most_calls) * (1 + 1e-5)


def test_corners():
    assert around((1.0, 2.0), (0.5, -1.0)) == [(1.0, 2.0), (1.5, 2.0), (1.0, 1.0)]


@pytest.mark.parametrize("weighted", [False, True])
def test_densities_of_tree_mixtures(weighted):
    rng = np.random.default_rng(0)
    labels, means, variances = rng.normal(size=130), rng.normal(size=(130, 6)), rng.uniform(0.1, 2, (130, 6))
    weights = rng.uniform(0.5, 2, 130) if weighted else np.empty(0)
    mixtures = _core.TreeMixtures(labels, weights, means, variances)
    for scale, noise, spread in [(1.0, 0.0, 1.0), (0.3, 0.2, 0.5), (1e-6, 1e-6, 0.01)]:
        logs = log_density(Calibration(spread=spread), labels, means, scale * variances + noise)
        expected = np.average(logs, weights=weights if weighted else None)
        assert mixtures.mean_log_density(scale, noise, spread) == pytest.approx(expected, rel=1e-10)


def test_tree_mixtures_of_no_shape_are_refused():
    labels, means = np.zeros(3), np.zeros((3, 2))
    for arguments in [
        (labels[:2], np.empty(0), means, means),
        (labels, np.ones(2), means, means),
        (labels, np.empty(0), means, means[:, :1].copy()),
        (labels[:0], np.empty(0), means[:0], means[:0]),
    ]:
        with pytest.raises(ValueError, match="shape"):
            _core.TreeMixtures(*arguments)
