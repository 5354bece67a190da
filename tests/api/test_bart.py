"""BART: what users hand in, odd data, what is predicted and said of the chains."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.inspection import PartialDependenceDisplay, partial_dependence

from hedgerow import BARTClassifier, BARTRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3)).round(1)
CLASSES = np.where(X[:, 0] > 0.3, "a", np.where(X[:, 1] > 0, "b", "c"))
NUMBERS = np.where(X[:, 0] > 0.3, 5.0, 1.0) + 0.1 * RNG.normal(size=120)
QUICK = {"n_estimators": 12, "n_chains": 2, "n_draws": 30, "n_burn_in": 20, "random_state": 1}
MODELS = [
    (BARTRegressor(**QUICK), NUMBERS),
    (BARTRegressor(**QUICK | {"n_estimators": 2}), NUMBERS),
    (BARTRegressor(sampler="pg", **QUICK), NUMBERS),
    (BARTRegressor(noise="varying", **QUICK), NUMBERS),
    (BARTClassifier(**QUICK), CLASSES == "a"),
    (BARTClassifier(**QUICK), CLASSES),
    (BARTClassifier(sampler="cgm", thin=3, **QUICK), CLASSES),
]
IDS = ["numbers", "few trees", "pg", "noise varies", "two classes", "three classes", "three classes, cgm"]
EVERY = pytest.mark.parametrize(("model", "y"), MODELS, ids=IDS)


@pytest.fixture(autouse=True)
def quiet():
    """So few draws never mix; only the test about that looks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"sampler": "mcmc"}, "sampler must be one of 'auto', 'pg', 'cgm', 'grow_prune' or a mapping"),
        ({"sampler": None}, "sampler must be one of"),
        ({"sampler": {"jump": 1}}, "sampler has a move 'jump'; known are 'grow_prune'"),
        ({"sampler": {"pg": 1.5}}, "count the move 'pg' by an integer"),
        ({"sampler": {"pg": -1}}, "count the move 'pg' by an integer"),
        ({"sampler": {"perturb": 3, "pg": 0}}, "never grows a tree"),
        ({"sampler": {}}, "never grows a tree"),
        ({"sampler": {"pg": 1, "rounds": 0}}, "at least one round a sweep"),
        ({"n_estimators": 0}, "n_estimators must be an integer of at least 1"),
        ({"n_estimators": 2**21}, "n_estimators must be at most 1048576"),
        ({"n_particles": 1}, "n_particles must be an integer of at least 2"),
        ({"n_chains": 0}, "n_chains must be an integer of at least 1"),
        ({"n_draws": 0}, "n_draws must be an integer of at least 1"),
        ({"n_draws": 2**31, "thin": 2**31}, "chains end after 4294967295 sweeps"),
        ({"n_burn_in": -1}, "n_burn_in must be an integer of at least 0"),
        ({"thin": 0}, "thin must be an integer of at least 1"),
        ({"start": "best"}, "start must be one of 'leaves', 'prior', got 'best'"),
        ({"split_base": 1.0}, "split_base must be a number between 0 and 1"),
        ({"split_decay": -0.1}, "split_decay must be a number of at least 0"),
        ({"shrinkage": 0.0}, "shrinkage must be a number from 0.001"),
        ({"shrinkage": math.nan}, "shrinkage"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"progress": "yes"}, "progress must be True, False or None"),
    ],
)
@pytest.mark.parametrize("kind", [BARTRegressor, BARTClassifier])
def test_bad_parameters_are_explained(kind, parameters, words):
    y = CLASSES if kind is BARTClassifier else NUMBERS
    model = kind(**{"n_chains": 1, **parameters})
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)
    assert not model.__sklearn_is_fitted__()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"noise": "both"}, "noise must be one of 'constant', 'varying', got 'both'"),
        ({"noise": True}, "noise must be one of 'constant', 'varying', got True"),
        ({"noise": ["varying"]}, "noise must be one of"),
        ({"noise_df": 0}, "noise_df must be a number from"),
        ({"noise_quantile": 1.0}, "noise_quantile must be a number between 0 and 1"),
        ({"noise_quantile": "most"}, "noise_quantile"),
    ],
)
def test_bad_parameters_of_the_noise_are_explained(parameters, words):
    with pytest.raises(ValueError, match=words):
        BARTRegressor(**parameters).fit(X, NUMBERS)


def test_bad_questions_are_explained():
    model = BARTRegressor(**QUICK).fit(X, NUMBERS)
    with pytest.raises(ValueError, match="kind must be 'prediction' or 'mean', got 'median'"):
        model.predict_interval(X, kind="median")
    for confidence in (0, 1, 1.5):
        with pytest.raises(ValueError, match="confidence must be a number between 0 and 1"):
            model.predict_interval(X, confidence)
        with pytest.raises(ValueError, match="confidence must be"):
            model.split_inclusion_bands(confidence)
    with pytest.raises(ValueError, match="between 0 and 1"):
        model.predict_quantiles(X, [1.5])


# Odd data.


@EVERY
def test_equal_rows_are_never_split(model, y):
    model.fit(np.ones((120, 3)), y)
    assert (model.trace_["n_leaves"] == 1.0).all()
    assert model.split_inclusion_.tolist() == [0.0, 0.0, 0.0]
    assert model.feature_importances_.tolist() == [0.0, 0.0, 0.0]
    assert math.isnan(model.diagnostics().r_hat["n_leaves"])


@EVERY
def test_constant_columns_are_never_split(model, y):
    model.fit(np.column_stack([np.full(120, 7.0), X, np.zeros(120)]), y)
    assert model.split_inclusion_[[0, 4]].tolist() == [0.0, 0.0]
    assert model.feature_importances_.sum() == pytest.approx(1.0)


@EVERY
def test_one_row(model, y):
    model.fit(X[:1], y[:1])
    assert model.predict(X[:3]).tolist() == pytest.approx([y[0]] * 3) or isinstance(model, BARTRegressor)
    assert model.predict(X[:3]).shape == (3,)
    assert model.continue_sampling(3).n_draws_ == 33
    str(model.diagnostics())


def test_one_class():
    model = BARTClassifier(**QUICK).fit(X, ["only"] * 120)
    assert (model.predict_proba(X) == 1.0).all()
    assert set(model.predict(X)) == {"only"}
    assert (model.predict_draws(X) == 1.0).all()


def test_a_class_of_one_row_and_one_that_is_never_far_away():
    y = np.where(np.arange(120) == 7, "rare", CLASSES)
    model = BARTClassifier(**QUICK).fit(X, y)
    found = model.predict_proba(np.concatenate([X, 1e300 * X[:4]]))
    assert (found > 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    assert np.isfinite(model.predict_log_proba(X)).all()


def test_extreme_features():
    wild = np.column_stack([[-1.7e308, 1.7e308, 0, 1] * 5, [0, 5e-324, 1e-323, 1] * 5, [0, 0, 5e-324, 5e-324] * 5])
    assert np.isfinite(BARTRegressor(**QUICK).fit(wild, np.arange(20.0)).predict(wild)).all()
    assert np.isfinite(BARTClassifier(**QUICK).fit(wild, [0, 1] * 10).predict_proba(wild)).all()


@pytest.mark.parametrize(
    ("offset", "scale"), [(0.0, 2.0**-320), (0.0, 2.0**320), (2.0**30, 1.0), (-(2.0**20), 2.0**-8)]
)
def test_labels_may_have_any_unit_and_origin(offset, scale):
    y = np.round(NUMBERS * 2**10) / 2**10  # so that offsets lose no digits
    model = BARTRegressor(**QUICK).fit(X, y)
    moved = BARTRegressor(**QUICK).fit(X, offset + scale * y)
    mean, std = model.predict(X, return_std=True)
    moved_mean, moved_std = moved.predict(X, return_std=True)
    np.testing.assert_allclose((moved_mean - offset) / scale, mean, atol=1e-6)
    np.testing.assert_allclose(moved_std / scale, std, rtol=1e-6)
    shift = 120 * math.log(scale)
    np.testing.assert_allclose(moved.trace_["log_likelihood"] + shift, model.trace_["log_likelihood"], rtol=1e-6)


def test_labels_beyond_all_bounds_are_refused():
    with pytest.raises(ValueError, match="within 1e100"):
        BARTRegressor(**QUICK).fit(X, NUMBERS * 1e151)


def test_equal_labels():
    model = BARTRegressor(**QUICK).fit(X, np.full(120, 3.0))
    mean, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, 3.0, atol=1e-2)
    assert (std < 1e-2).all()
    assert (std > 0).all()


def test_labels_on_a_line_are_learned_too():
    y = X @ [1.0, 2.0, 3.0]
    model = BARTRegressor(**QUICK | {"n_estimators": 50, "n_burn_in": 200}).fit(X, y)
    assert model.score(X, y) > 0.95
    assert (model.noise_draws_ > 0).all()


# What is predicted.


def test_the_predictive_distribution_is_the_mixture_over_draws():
    model = BARTRegressor(**QUICK).fit(X, NUMBERS)
    draws, noise = model.predict_draws(X), model.noise_draws_.ravel()
    assert draws.shape == (60, 120)
    assert model.noise_draws_.shape == (2, 30)
    mean, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, draws.mean(axis=0))
    np.testing.assert_array_equal(mean, model.predict(X))
    np.testing.assert_allclose(std, np.sqrt(draws.var(axis=0) + (noise**2).mean()))
    dist = model.predict_dist(X)
    np.testing.assert_allclose(dist.mean(), mean)
    np.testing.assert_allclose(dist.std(), std)
    density = np.exp(-0.5 * ((NUMBERS - draws) / noise[:, None]) ** 2) / noise[:, None] / math.sqrt(2 * math.pi)
    np.testing.assert_allclose(model.log_density(X, NUMBERS), np.log(density.mean(axis=0)), rtol=1e-9)
    np.testing.assert_array_equal(model.log_density(X, NUMBERS), dist.logpdf(NUMBERS))
    quantiles = model.predict_quantiles(X, [0.05, 0.5, 0.95])
    np.testing.assert_allclose(dist.cdf(quantiles), [[0.05, 0.5, 0.95]] * 120, atol=1e-9)
    np.testing.assert_allclose(model.predict_interval(X, 0.9), quantiles[:, [0, 2]])
    np.testing.assert_array_equal(model.predict_interval(X, 0.9), dist.interval(0.9))
    about_mean = model.predict_interval(X, 0.9, kind="mean")
    np.testing.assert_allclose(about_mean, np.quantile(draws, [0.05, 0.95], axis=0).T)
    assert (np.diff(about_mean) < np.diff(quantiles[:, [0, 2]])).all()
    assert model.predict_one(X[7]) == mean[7]


def test_probabilities_are_means_over_draws():
    for y, n_classes in ((CLASSES, 3), (CLASSES == "a", 2)):
        model = BARTClassifier(**QUICK).fit(X, y)
        draws, found = model.predict_draws(X), model.predict_proba(X)
        assert draws.shape == ((60, 120, 3) if n_classes == 3 else (60, 120))
        np.testing.assert_allclose(draws.mean(axis=0), found if n_classes == 3 else found[:, 1], rtol=1e-9)
        np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
        assert model.score(X, y) > 0.85
        one = model.predict_proba_one(X[7])
        assert list(one) == model.classes_.tolist()
        assert list(one.values()) == found[7].tolist()
        assert model.predict_one(X[7]) == model.predict(X[7:8])[0]


def test_frames_and_names():
    frame = pd.DataFrame(X, columns=["width", "height", "age"])
    model = BARTRegressor(**QUICK).fit(frame, NUMBERS)
    assert model.feature_names_in_.tolist() == ["width", "height", "age"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # rows without names would be pointed out
        model.diagnostics()
    assert model.predict_one({"age": X[0, 2], "width": X[0, 0], "height": X[0, 1]}) == model.predict(frame[:1])[0]


def test_weights_are_copies():
    weights = RNG.integers(0, 4, size=120)
    copies, labels = np.repeat(X, weights, axis=0), np.repeat(NUMBERS, weights)
    few = QUICK | {"n_draws": 5, "n_burn_in": 5}
    one = BARTRegressor(**few).fit(X, NUMBERS, sample_weight=weights)
    other = BARTRegressor(**few).fit(copies, labels)
    np.testing.assert_allclose(one.predict(X), other.predict(X), atol=1e-6)
    np.testing.assert_allclose(one.trace_["log_likelihood"], other.trace_["log_likelihood"], rtol=1e-6)
    classes = np.repeat(CLASSES, weights)
    one = BARTClassifier(**QUICK).fit(X, CLASSES, sample_weight=weights)
    assert one.predict_proba(X).tobytes() == BARTClassifier(**QUICK).fit(copies, classes).predict_proba(X).tobytes()
    with pytest.raises(ValueError, match=r"whole numbers, got 0\.5"):
        BARTClassifier(**QUICK).fit(X, CLASSES, sample_weight=np.full(120, 0.5))


# Which columns matter, and partial dependence.


def test_split_inclusion_has_bands():
    model = BARTRegressor(**QUICK | {"n_draws": 200, "n_burn_in": 200}).fit(X, NUMBERS)
    shares, bands = model.split_inclusion_, model.split_inclusion_bands(0.8)
    assert shares.shape == (3,)
    assert bands.shape == (3, 2)
    assert shares.sum() == pytest.approx(1.0)
    assert shares.argmax() == 0
    assert (bands[:, 0] <= shares).all()
    assert (shares <= bands[:, 1]).all()
    wider = model.split_inclusion_bands(0.99)
    assert (wider[:, 0] <= bands[:, 0]).all()
    assert (wider[:, 1] >= bands[:, 1]).all()
    assert model.feature_importances_ == pytest.approx(shares, abs=0.05)


def test_partial_dependence_by_scikit_learn():
    pytest.importorskip("matplotlib").use("Agg")
    model = BARTRegressor(**QUICK | {"n_burn_in": 200}).fit(X, NUMBERS)
    found = partial_dependence(model, X, [0], grid_resolution=10)
    curve = found["average"][0]
    assert curve[-1] - curve[0] == pytest.approx(4.0, abs=0.5)
    PartialDependenceDisplay.from_estimator(BARTClassifier(**QUICK).fit(X, CLASSES == "a"), X, [0, (0, 1)])


# What is said of the chains.


def test_diagnostics_are_numbers_and_words():
    model = BARTRegressor(**QUICK | {"n_draws": 100}).fit(X, NUMBERS)
    found = model.diagnostics()
    assert set(found.r_hat) == set(found.ess) == {"noise", "log_likelihood", "n_leaves", "predictions"}
    assert found.prediction_r_hat.shape == found.prediction_ess.shape == (20,)
    assert found.r_hat["predictions"] == found.prediction_r_hat.max()
    assert found.ess["predictions"] == found.prediction_ess.min()
    assert found.probe_rows[0] == 0
    assert found.probe_rows[-1] == 119
    assert found.mean["noise"] == pytest.approx(model.noise_draws_.mean())
    assert 0.0 < found.root_change_rate < 1.0
    n_leaves = model.trace_["n_leaves"].mean() * 12
    at_least = 4 * (n_leaves + (n_leaves - 12)) + 32 + 8  # values, rules, notes, where it begins
    assert at_least < found.bytes_per_draw < at_least + 16
    text = str(found)
    assert text.startswith("2 chains of 100 draws, ")
    for words in ("R-hat", "ESS", "noise", "log-likelihood", "leaves a tree", "predictions, worst", "a root gets"):
        assert words in text
    assert all(f"warning: {words}" in text for words in found.warnings)
    assert "noise" not in BARTClassifier(**QUICK).fit(X, CLASSES).diagnostics().r_hat


def test_chains_that_disagree_are_pointed_out():
    """One tree for the corners of a cube, a move a sweep: chains stay where they happened to come."""
    corners = np.random.default_rng(3).choice([0, 1], size=(300, 5))
    y = (corners @ [1, 2, 4, 8, 16] * 7) % 31 + 0.01 * RNG.normal(size=300)
    stuck = BARTRegressor(1, sampler="grow_prune", n_draws=100, n_burn_in=100, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"the chains disagree \(R-hat of .* continue_sampling"):
        stuck.fit(corners + 0.1 * RNG.normal(size=corners.shape), y)
    assert "the chains disagree" in str(stuck.diagnostics())
    easy = BARTRegressor(20, n_draws=300, n_chains=2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        easy.fit(X, RNG.normal(size=120))
    assert not any("disagree" in words for words in easy.diagnostics().warnings)


def test_very_many_columns():
    X = np.random.default_rng(0).normal(size=(6, 50_000))
    model = BARTRegressor(5, n_chains=1, n_draws=3, n_burn_in=3, random_state=0).fit(X, X[:, 7])
    assert np.isfinite(model.predict(X)).all()  # a linear function of so many columns would not fit into memory
