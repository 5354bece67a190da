"""Plain data that explain everything or nothing: no model divides by zero, not even where NumPy would only warn."""

from __future__ import annotations

import numpy as np
import pytest

from models import every, numbers

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.filterwarnings("error::RuntimeWarning")]
N = 100


def cases_of(case):
    X, y = case.data(N)
    rng = np.random.default_rng(0)
    yield X, np.repeat(y[:1], N, axis=0)  # a constant target
    yield np.ones_like(X), y  # columns that are constant
    yield np.hstack([X, X]), y  # the same columns twice
    yield np.round(X), y  # few values
    yield X, y[rng.permutation(N)]  # nothing is explained
    if case.regresses and not case.several:
        yield X, 1.0 + np.round(X[:, 0]) ** 2  # everything is explained


@every()
def test_no_warning_of_arithmetic(case):
    for X, y in cases_of(case):
        assert np.isfinite(numbers(case.new().fit(X, y), X[:50])).all()
