"""Today's library reads the files of `tests/golden/files`, whichever version wrote them, and predicts what they did."""

from __future__ import annotations

import json

import numpy as np

import hedgerow
from golden.write import CHAINS, FOLDER, file_of, predictions
from models import BY_NAME, every


@every()
def test_reads_and_predicts(case):
    path = file_of(case)
    assert path.exists(), f"there is no {path.name}: run `python tests/golden/write.py` and commit what it adds"
    model = hedgerow.load(path)
    assert type(model) is case.kind
    expected, found = json.loads(path.with_suffix(".json").read_text()), predictions(case, model)
    np.testing.assert_array_equal(found["rows"], expected["rows"])
    np.testing.assert_allclose(found["numbers"], expected["numbers"], rtol=1e-6, atol=1e-9)
    assert found.get("labels") == expected.get("labels")


def test_reads_chains_of_stages():
    model = hedgerow.load(CHAINS)
    assert {kind for chain in model.stages_ for kind in chain["stages"]} >= {"kernel", "mondrian", "greedy"}
    expected = json.loads(CHAINS.with_suffix(".json").read_text())
    found = predictions(BY_NAME["boosting"], model)
    np.testing.assert_allclose(found["numbers"], expected["numbers"], rtol=1e-6, atol=1e-9)
    model.partial_fit(found["rows"], [1.0] * 6)


@every("online")
def test_goes_on_learning(case):
    X, y = case.data(20, seed=2)
    model = hedgerow.load(file_of(case)).partial_fit(X, y)
    assert not np.isnan(predictions(case, model)["numbers"]).any()


def test_no_file_is_forgotten():
    """A variant that is renamed or gone leaves its file behind: it must still be read."""
    for path in FOLDER.glob("*.hedgerow"):
        assert hedgerow.load(path).__sklearn_is_fitted__()
        assert path.with_suffix(".json").exists()
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 2**20
