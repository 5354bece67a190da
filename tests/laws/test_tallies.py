"""Tallies of a stream: constant memory, and the same bits however rows are dealt to calls."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import metrics
from hedgerow.metrics import ClassTally, DistributionTally, ErrorTally, IntervalTally, Windowed

RNG = np.random.default_rng(1)
N = 60
Y = RNG.normal(size=N) * 10.0 ** RNG.integers(-6, 7, size=N)  # sums of these depend on their order
ENDS = np.sort(RNG.normal(size=(N, 2)) * 1e3, axis=1)
ENDS[::7] = -np.inf, np.inf
COLUMNS = {
    IntervalTally: (Y, ENDS),
    ErrorTally: (Y, RNG.normal(size=N)),
    DistributionTally: (np.where(np.arange(N) % 5, Y, np.nan), np.abs(Y)),
    ClassTally: (RNG.integers(3, size=N), RNG.integers(3, size=N), RNG.uniform(size=N)),
}
WEIGHTS = RNG.exponential(size=N)
KINDS = pytest.mark.parametrize("kind", COLUMNS, ids=lambda kind: kind.__name__)


def pieces(cuts):
    borders = [0, *sorted(set(cuts)), N]
    return [slice(begin, end) for begin, end in pairwise(borders)]


@KINDS
@settings(max_examples=30, deadline=None)
@given(cuts=st.lists(st.integers(0, N), max_size=8))
def test_same_bits_however_rows_are_dealt(kind, cuts):
    whole, parts = kind().update(*COLUMNS[kind], sample_weight=WEIGHTS), kind()
    for rows in pieces(cuts):
        parts.update(*(column[rows] for column in COLUMNS[kind]), sample_weight=WEIGHTS[rows])
    assert parts.state.tobytes() == whole.state.tobytes()


@KINDS
@settings(max_examples=30, deadline=None)
@given(cuts=st.lists(st.integers(0, N), max_size=8), window=st.integers(1, 25))
def test_windows_are_tallies_of_their_own(kind, cuts, window):
    windowed = Windowed(kind, window)
    for rows in pieces(cuts):
        windowed.update(*(column[rows] for column in COLUMNS[kind]))
    assert windowed.total.state.tobytes() == kind().update(*COLUMNS[kind]).state.tobytes()
    assert len(windowed.history) == N // window
    assert windowed.n_current == N % window
    for number, scores in enumerate(windowed.history):
        rows = slice(number * window, (number + 1) * window)
        alone = kind().update(*(column[rows] for column in COLUMNS[kind])).scores()
        np.testing.assert_array_equal(list(scores.values()), list(alone.values()))


@KINDS
def test_state_comes_back(kind):
    tally = kind().update(*COLUMNS[kind])
    again = kind().restore(tally.state)
    assert repr(again) == repr(tally)
    tally.update(*COLUMNS[kind])
    assert (again.state != tally.state).any()  # the copy is a copy
    with pytest.raises(ValueError, match="keeps"):
        kind().restore(np.zeros(3 if tally.state.size != 3 else 4))


@KINDS
def test_a_weight_is_a_number_of_copies(kind):
    copies = RNG.integers(0, 3, size=N)
    weighted = kind().update(*COLUMNS[kind], sample_weight=copies).scores()
    repeated = kind().update(*(np.repeat(column, copies, axis=0) for column in COLUMNS[kind])).scores()
    for name in weighted:
        # Ranges of labels and counts of rows are of rows, whatever they weigh.
        if name not in ("n_infinite", "n_unforeseen", "relative_interval_size", "quantile_loss", "utility"):
            assert weighted[name] == pytest.approx(repeated[name], rel=1e-9)


@KINDS
def test_before_the_first_row_nothing_is_known(kind):
    scores = kind().scores()
    assert all(np.isnan(value) for name, value in scores.items() if not name.startswith("n_"))


def test_memory_does_not_grow():
    tally = IntervalTally()
    size = tally.state.size
    for _ in range(50):
        tally.update(Y, ENDS)
    assert tally.state.size == size
    assert set(vars(tally)) == set(vars(IntervalTally()))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: metrics.mean_error_rate([1.0], [[0.0, np.nan]]), "neither may be NaN"),
        (lambda: metrics.mean_error_rate([1.0], [[2.0, 1.0]]), r"row 0 is \[2.0, 1.0\]"),
        (lambda: metrics.mean_error_rate([1.0, 2.0], [[0.0, 1.0]]), r"shape \(2, 2\)"),
        (lambda: metrics.mean_error_rate([np.inf], [[0.0, 1.0]]), r"y\[0\] is inf"),
        (lambda: metrics.mean_error_rate(["oak"], [[0.0, 1.0]]), "y must hold numbers"),
        (lambda: metrics.mean_error_rate([], np.empty((0, 2))), "no row"),
        (lambda: metrics.mean_error_rate([1.0], [[0, 1]], sample_weight=[0.0]), "every sample_weight is zero"),
        (lambda: metrics.mean_error_rate([1.0], [[0, 1]], sample_weight=[-1.0]), "negative"),
        (lambda: metrics.relative_interval_size([1.0, 1.0], [[0, 1], [0, 1]]), "pass label_range"),
        (lambda: metrics.relative_interval_size([1.0], [[0, 1]], label_range=-1.0), "label_range must be"),
        (lambda: metrics.utility([1.0], [[0.0, 1.0]], 1.0), "confidence must be"),
        (lambda: metrics.crps([1.0], [1.0]), "forecast must be"),
        (lambda: metrics.crps([1.0], ([1.0], [0.0])), "std must be positive"),
        (lambda: metrics.crps([1.0], ([1.0], [1.0], [1.0])), "pair"),
        (lambda: metrics.crps([1.0], [[1.0, 2.0]], levels=[0.5, 0.4]), "levels must rise"),
        (lambda: metrics.nlpd([1.0, 2.0], [0.0]), "each of the 2 rows"),
        (lambda: metrics.calibration_table([1.0], ([0.0], [1.0]), [1.5]), "confidence must be"),
        (lambda: ClassTally().update(["a"], ["a"], [1.5]), "between 0 and 1"),
        (lambda: Windowed(ErrorTally, 0), "window must be"),
    ],
)
def test_what_is_wrong_is_said(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_refused_call_leaves_the_tally_as_it_was():
    windowed = Windowed(IntervalTally, 10).update(Y[:5], ENDS[:5])
    before = windowed.total.state, windowed.current.state
    with pytest.raises(ValueError, match="lower end"):
        windowed.update(Y[:2], [[0.0, 1.0], [2.0, 1.0]])
    np.testing.assert_array_equal(windowed.total.state, before[0])
    np.testing.assert_array_equal(windowed.current.state, before[1])
