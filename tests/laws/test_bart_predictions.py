"""Laws of BART's predictions: means and deviations are those of the draws, whatever the batches and threads."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import BARTClassifier, BARTRegressor

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
RNG = np.random.default_rng(0)
X = RNG.uniform(size=(150, 4))
NUMBERS = 1e3 + np.sin(6 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RNG.normal(size=150)
ROWS = RNG.uniform(-0.2, 1.2, size=(600, 4))
SIZES = [1, 2, 3, 255, 256, 257, 600]
FEW = {"n_chains": 2, "n_draws": 15, "n_burn_in": 15, "random_state": 5}
DEEP = {"split_base": 0.99, "split_decay": 0.2, "start": "prior"}
MODELS = [
    (BARTRegressor(60, **FEW), NUMBERS),
    (BARTRegressor(1, **FEW | DEEP), NUMBERS),
    (BARTRegressor(30, noise="varying", **FEW), NUMBERS),
    (BARTClassifier(20, **FEW), NUMBERS > 1001),
    (BARTClassifier(10, **FEW | DEEP), np.digitize(NUMBERS, [1000.5, 1001])),
]
IDS = ["numbers", "one deep tree", "noise varies", "two classes", "three classes"]


def draws_and_answer(model, rows):
    """All draws, and what is made of them: one row of each array for each row asked."""
    if isinstance(model, BARTRegressor):
        return [model.predict_draws(rows).T, model.predict_noise_draws(rows).T, *model.predict(rows, return_std=True)]
    return [np.moveaxis(model.predict_draws(rows), 1, 0), model.predict_proba(rows)]


@pytest.mark.parametrize(("model", "y"), MODELS, ids=IDS)
def test_neither_batches_nor_threads_change_a_bit(model, y):
    model.fit(X, y)
    whole = draws_and_answer(model.set_params(n_jobs=1), ROWS)
    for n_jobs in (1, 2, 3):
        model.set_params(n_jobs=n_jobs)
        for size in SIZES:
            for part, found in zip(whole, draws_and_answer(model, ROWS[-size:]), strict=True):
                assert np.ascontiguousarray(found).tobytes() == np.ascontiguousarray(part[-size:]).tobytes()


@pytest.mark.parametrize(("model", "y"), MODELS[:3], ids=IDS[:3])
def test_means_and_deviations_are_those_of_the_draws(model, y):
    model.fit(X, y)
    draws, noise, mean, std = draws_and_answer(model, ROWS)
    np.testing.assert_allclose(mean, draws.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(std, np.sqrt(draws.var(axis=1) + (noise**2).mean(axis=1)), rtol=1e-12)
    assert mean.tobytes() == model.predict(ROWS).tobytes()
    assert model.predict_one(ROWS[7]) == mean[7]
