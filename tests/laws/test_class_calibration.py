"""Laws of calibrated class probabilities: what calibration does not change, and where it comes from."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits

import hedgerow
from hedgerow import MondrianForestClassifier
from models import bits

RNG = np.random.default_rng(5)
X = RNG.normal(size=(200, 1))
Y = np.where(X[:, 0] + 0.7 * RNG.normal(size=200) > 0.8, "rare", np.where(np.sin(3 * X[:, 0]) > 0, "b", "a"))
QUERIES = RNG.normal(size=(60, 1)) * 1.2
WEIGHTS = {"rare": 5.0, "a": 0.25}
FACTORS = np.array([0.25, 1.0, 5.0])  # in the order of classes_
DIGITS, DIGIT = (part[:300] for part in load_digits(return_X_y=True))


def new(n_trees=10, **settings):
    return MondrianForestClassifier(n_trees, random_state=0, **settings)


def power(forest):
    return forest._learner.labels.calibration.power


def leaf_discount(forest):
    return forest._learner.labels.calibration.leaf_discount


def set_power(forest, value, **others):
    """The same forest, with another power, or other calibration."""
    labels = forest._learner.labels
    forest._learner.labels = replace(labels, calibration=labels.calibration._replace(power=value, **others))
    return forest


@pytest.mark.parametrize("base", ["uniform", "empirical"])
@pytest.mark.parametrize("shape", [{}, {"min_samples_split": 8}, {"pause_pure": False}], ids=str)
def test_odds_of_a_class_are_multiplied(shape, base):
    """One column, whose rate is 1 whatever the weights; nothing is left to the base distribution."""
    plain = {"prior_weight": 0, "discount": 1e6, "base": base, **shape}
    forest = new(**plain).fit(X, Y)
    weighted = new(**plain, class_weight=WEIGHTS).fit(X, Y)
    assert power(forest) != 1.0
    assert power(weighted) == pytest.approx(power(forest), rel=1e-2)
    assert leaf_discount(weighted) == pytest.approx(leaf_discount(forest), rel=1e-2)
    for value in (0.4, 3.0):
        p = set_power(forest, value).predict_proba(QUERIES)
        found = set_power(weighted, value, leaf_discount=leaf_discount(forest)).predict_proba(QUERIES)
        expected = p * FACTORS / (p * FACTORS).sum(axis=1, keepdims=True)
        assert np.abs(found - p).max() > 0.1
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


def test_a_weight_of_everything_is_nothing():
    forests = [new(prior_weight=0).fit(X, Y, np.full(200, factor)) for factor in (1.0, 7.0, 0.3)]
    assert power(forests[0]) != 1.0
    for forest in forests[1:]:
        assert power(forest) == pytest.approx(power(forests[0]), rel=1e-9)
        np.testing.assert_allclose(forest.predict_proba(QUERIES), forests[0].predict_proba(QUERIES), rtol=1e-7)


def test_whole_weights_are_copies():
    times = RNG.integers(1, 4, size=200)
    weighted = new().fit(X, Y, times.astype(float))
    repeated = new().fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    assert power(weighted) != 1.0
    assert power(repeated) == pytest.approx(power(weighted), rel=1e-9)
    np.testing.assert_allclose(repeated.predict_proba(QUERIES), weighted.predict_proba(QUERIES), rtol=1e-7)


@pytest.mark.parametrize("value", [0.125, 0.5, 4.0, 16.0])
@pytest.mark.parametrize("class_weight", [None, WEIGHTS], ids=["plain", "weighted"])
@pytest.mark.parametrize("base", ["uniform", "empirical"])
def test_far_from_the_data_is_the_base(base, class_weight, value):
    forest = set_power(new(base=base, class_weight=class_weight).fit(X, Y), value)
    weights = np.array([(label == Y).sum() for label in ("a", "b", "rare")]) * (FACTORS if class_weight else 1.0)
    expected = (weights + 1 / 3) / (weights.sum() + 1) if base == "empirical" else np.full(3, 1 / 3)
    np.testing.assert_allclose(forest.predict_proba([[1e15], [-1e15]]), [expected, expected], rtol=1e-6)


def test_classes_that_come_later():
    forest = new().fit(DIGITS, DIGIT)
    before = power(forest)
    forest.partial_fit(DIGITS[:20] + 100.0, ["new"] * 20)
    assert power(forest) == before > 2.0  # until the next review
    found = forest.predict_proba(np.concatenate([DIGITS, DIGITS[:5] + 100.0]))
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    assert (found > 0).all()
    assert forest.predict(DIGITS[:5] + 100.0).tolist() == ["new"] * 5


def test_learned_at_reviews():
    forest = new().partial_fit(DIGITS[:200], DIGIT[:200])
    assert power(forest) > 1.5
    assert power(new().partial_fit(DIGITS[:29], DIGIT[:29])) == 1.0


def test_leaves_keep_a_discount_where_equal_rows_differ():
    """Labels of equal rows that agree leave little of it, labels that are drawn anew leave much."""
    places = RNG.integers(0, 4, (300, 4))
    agree = (places[:, 0] > 1).astype(int)
    drawn = (RNG.uniform(size=300) < 0.3 + 0.4 * agree).astype(int)
    assert leaf_discount(new().fit(places, agree)) < 0.2 < 0.5 < leaf_discount(new().fit(places, drawn))


def test_next_to_a_row_the_same_is_said_as_where_it_lies():
    rows = RNG.normal(size=(60, 2))
    forest = new(pause_pure=False).fit(rows, RNG.integers(0, 2, 60))
    assert leaf_discount(forest) > 0.05
    set_power(forest, 1.0)  # others are steep near probabilities of zero
    np.testing.assert_allclose(forest.predict_proba(rows), forest.predict_proba(rows + 1e-6), atol=1e-3)


def test_every_way_to_ask_agrees():
    forest = new().fit(DIGITS, DIGIT)
    assert power(forest) > 2.0
    found = forest.predict_proba(DIGITS[:4])
    for x, expected in zip(DIGITS[:4], found, strict=True):
        np.testing.assert_array_equal(list(forest.predict_proba_one(x).values()), expected)
    np.testing.assert_array_equal(forest.predict_then_learn(DIGITS[:1], DIGIT[:1])[0], found[0])


def test_only_where_numbers_are_learned_from_enough_rows():
    paper = new(hyperparameters="paper").fit(DIGITS, DIGIT)
    assert (power(paper), leaf_discount(paper)) == (1.0, 0.0)
    few = new().fit(DIGITS[:29], DIGIT[:29])
    assert (power(few), leaf_discount(few)) == (1.0, pytest.approx(1 / 11))
    assert power(new().fit(np.repeat(DIGITS[:29], 5, axis=0), np.repeat(DIGIT[:29], 5))) == 1.0
    assert power(new().fit(DIGITS, ["only"] * 300)) == 1.0
    assert power(new().fit(DIGITS, DIGIT)) > 2.0


def test_threads_are_not_to_be_seen():
    forests = [new(n_jobs=n_jobs).fit(DIGITS, DIGIT) for n_jobs in (1, 3)]
    assert power(forests[0]) == power(forests[1]) > 2.0
    np.testing.assert_array_equal(*(forest.predict_proba(DIGITS) for forest in forests))


def test_entropy_is_that_of_the_calibrated_prediction(tmp_path):
    forest = new().fit(DIGITS, DIGIT)
    asked = np.concatenate([DIGITS[:30] + RNG.normal(size=(30, 64)), DIGITS[:5] * 1e6])
    p = forest.predict_proba(asked)
    found = forest.predict_uncertainty(asked)
    np.testing.assert_allclose(found.total, -(p * np.log(p)).sum(axis=1), rtol=1e-9)
    np.testing.assert_allclose(found.noise + found.disagreement + found.distance, found.total, rtol=1e-9)
    raw = set_power(forest, 1.0).predict_uncertainty(asked)
    for part, before in zip(found[1:], raw[1:], strict=True):
        np.testing.assert_allclose(part / found.total, before / raw.total, rtol=1e-9, atol=1e-12)
    assert np.abs(found.total - raw.total).max() > 0.1


def test_files(tmp_path):
    forest = new(class_weight={3: 2.0}).fit(DIGITS, DIGIT)
    assert power(forest) > 2.0
    forest.save(tmp_path / "forest")
    for other in (hedgerow.load(tmp_path / "forest"), pickle.loads(pickle.dumps(forest))):
        np.testing.assert_array_equal(other.predict_proba(DIGITS), forest.predict_proba(DIGITS))
        assert bits(other) == bits(forest)


def test_thousands_of_classes():
    n = 3000
    rows = RNG.normal(size=(n, 2))
    forest = new(2).fit(rows, np.arange(n) // 2)
    np.testing.assert_allclose(forest.predict_proba(rows[:20]).sum(axis=1), 1.0, rtol=1e-12)
