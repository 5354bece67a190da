"""Trees with keyed cuts have the law of trees whose cuts are drawn freely.

Each tree of a forest has a key of its own, so that its trees are independent draws. Levels and false-alarm rate are
those of `statistical.comparison`.
"""

from __future__ import annotations

import numpy as np
import pytest

from statistical.comparison import LawTest, compare_laws, forest
from statistical.test_online_is_batch import QUERIES, SCENES, rows, scene_name
from thorough import THOROUGH

pytestmark = pytest.mark.statistical


@pytest.mark.parametrize("scene", SCENES if THOROUGH else SCENES[1::2], ids=scene_name)
def test_keyed_is_free(scene):
    shape = {key: scene[key] for key in ("min_samples_split", "lifetime") if key in scene}
    X, y = rows(scene["n"], scene.get("duplicates", False))
    with LawTest() as laws:
        compare_laws(laws, forest(31, **shape).fit(X, y), forest(32, cuts="keyed", **shape).fit(X, y), QUERIES)


@pytest.mark.parametrize("offset", [0.0, -4096.0])
def test_where_rows_lie_does_not_matter(offset):
    """Far from the middle of the process too: the law of cuts is the same everywhere."""
    X, y = rows(8)
    keyed = forest(33, cuts="keyed").fit(X + offset, y)
    with LawTest() as laws:
        compare_laws(laws, forest(34).fit(X + offset, y), keyed, QUERIES + offset)


@pytest.mark.parametrize("width", [1, 4])
def test_rows_stay_together_with_the_probability_of_the_laplace_kernel(width):
    """P(no cut between x and z until t) = exp(-t |x - z|_1)."""
    rng = np.random.default_rng(width)
    X = rng.integers(0, 4096, size=(2, width)) / 4096
    distance = np.abs(X[0] - X[1]).sum()
    with LawTest() as laws:
        for lifetime in (0.5 / distance, 2.0 / distance):
            model = forest(35, cuts="keyed", lifetime=lifetime).fit(X, [0.0, 1.0])
            leaves = model.apply(X)
            apart = (leaves[0] != leaves[1]).astype(int)
            together = np.exp(-lifetime * distance)
            laws.has_probabilities(f"lifetime {lifetime:.3f}", apart, [together, 1.0 - together])
