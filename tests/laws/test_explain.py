"""Explanations of all models: they add up, ask nothing of a model but predictions, and say what they were asked for."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

import hedgerow as hr
from hedgerow.explain import all_coalitions, random_orders, shapley_values
from models import BY_NAME, answers, bits, every, forest
from tables import draw_table, table_of

pytestmark = pytest.mark.filterwarnings("ignore")
KEEPS_NO_ROWS = (
    hr.BayesianTreeRegressor,
    hr.BayesianTreeClassifier,
    hr.OnlineForestRegressor,
    hr.OnlineConformalRegressor,
    hr.OnlineQuantileForestRegressor,
)


def explained(model, X, output):
    if output == "width":
        return np.diff(model.predict_interval(X, 0.8))[..., 0]
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


@every("predicts", one_a_class=True, also=("forest, two targets", "boosting, two targets", "forest, counts"))
def test_values_add_up(case):
    X, y = case.data(6, seed=2)
    model = case.seasoned() if not case.only_online else case.fitted(150)
    before = bits(model), answers(model, X, y)
    for output in ["mean"] if case.classes else ["mean", "width"]:
        found = model.explain(X, output, confidence=0.8, background=5)
        expected = explained(model, X, output)
        assert found.values.shape == found.error.shape == (6, 3, *expected.shape[1:])
        assert found.base_values.shape == expected.shape
        np.testing.assert_allclose(found.values.sum(axis=1) + found.base_values, expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(found.data, X)
        assert found.feature_names == ["x0", "x1", "x2"]
        assert found.sentence(1).endswith(".")
    assert (bits(model), answers(model, X, y)) == before


@every("predicts", one_a_class=True)
def test_columns_are_those_of_the_table(case):
    table, y = table_of(case, 60)
    frame = pandas.DataFrame(table)
    model = case.new().fit(frame, y)
    found = model.explain(frame[:5], background=frame[:4])
    expected = explained(model, frame[:5], "mean")
    np.testing.assert_allclose(found.predictions, expected, rtol=1e-9, atol=1e-9)
    assert found.feature_names == list(table)
    assert found.data[:, 3].tolist() == table["many"][:5]
    by_dictionary = model.explain({name: values[:5] for name, values in table.items()}, background=frame[:4])
    np.testing.assert_array_equal(by_dictionary.values, found.values)


@every("predicts", one_a_class=True)
def test_background_rows_are_those_held(case):
    X, _ = case.data(1, seed=2)
    model = case.fitted(150)
    if isinstance(model, KEEPS_NO_ROWS):
        with pytest.raises(ValueError, match="holds no rows to compare with; pass rows"):
            model.explain(X)
        return
    everything = model.explain(X, background=10**6)
    if not isinstance(model, hr.BARTRegressor | hr.BARTClassifier):  # which holds 20
        rows = case.data(150)[0]
        expected = explained(model, rows, "mean").mean(axis=0)
        np.testing.assert_allclose(everything.base_values[0], expected, rtol=1e-6)
    few = model.explain(X, background=20)
    assert (np.abs(few.values - everything.values) <= 6 * few.error + 1e-9).all()


def test_a_row_does_not_see_the_others():
    model, X = BY_NAME["forest"].fitted(), BY_NAME["forest"].data(9, seed=3)[0]
    together = model.explain(X, method="sampled")
    for i in (0, 5):
        alone = model.explain(X[i : i + 1], method="sampled")
        np.testing.assert_allclose(alone.values[0], together.values[i], rtol=0, atol=1e-12)


def test_threads_and_seeds():
    X = BY_NAME["forest"].data(9, seed=3)[0]
    one, two = (BY_NAME["forest"].new().set_params(n_jobs=n).fit(*BY_NAME["forest"].data(90)) for n in (1, 2))
    np.testing.assert_array_equal(one.explain(X).values, two.explain(X).values)
    assert (one.explain(X, random_state=1).values != one.explain(X).values).any()


def test_a_column_that_says_nothing_has_the_value_zero():
    X, y = BY_NAME["forest"].data(80)
    X[:, 2] = 4.0
    found = forest().fit(X, y).explain(X[:10])
    np.testing.assert_allclose(found.values[:, 2], 0, atol=1e-14)
    assert found.importances[0] > 0.1


def test_sampled_values_are_near_exact_ones():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 6))
    y = 3 * X[:, 0] + 4 * (X[:, 1] > 0.5) * X[:, 2] + rng.normal(scale=0.1, size=300)
    model = forest().fit(X, y)
    for output in ("mean", "width"):
        exact = model.explain(X[:2], output, background=X[:20], method="exact")
        sampled = model.explain(X[:2], output, background=X[:20], method="sampled")
        assert (np.abs(sampled.values - exact.values) < 4 * sampled.error + 1e-12).all()
        assert (np.abs(sampled.values - exact.values) > 0).any()


def test_other_kinds_of_tables():
    X, y = BY_NAME["forest"].data(60)
    model = forest().fit(X, y)
    expected = model.explain(X[:4]).values
    for given in (X[:4].tolist(), sparse.csr_matrix(X[:4])):
        np.testing.assert_array_equal(model.explain(given).values, expected)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"output": "median"}, "output must be one of 'mean', 'width', got 'median'"),
        ({"output": None}, "output must be one of"),
        ({"confidence": 1.0}, "confidence must be a number between 0 and 1"),
        ({"background": 0}, "how many of them to draw, at least 1; got 0"),
        ({"background": True}, "got True"),
        ({"background": [[1.0]]}, "features"),
        ({"background": "many"}, ""),
        ({"method": "kernel"}, "method must be one of 'auto', 'exact', 'sampled', got 'kernel'"),
        ({"random_state": "x"}, "cannot be used to seed"),
        ({"X": [[1.0, 2.0]]}, "features"),
        ({"X": [[np.inf, 2.0, 3.0]]}, "infinity"),
    ],
)
def test_bad_arguments(given, words):
    model = BY_NAME["forest"].fitted(40)
    before = bits(model)
    with pytest.raises(ValueError, match=words):
        model.explain(**{"X": np.ones((2, 3)), **given})
    assert bits(model) == before


def test_exact_values_of_many_columns_are_refused():
    X = np.random.default_rng(0).normal(size=(30, 13))
    with pytest.raises(ValueError, match="13 columns have too many: it takes at most 12; use 'sampled'"):
        forest().fit(X, X[:, 0]).explain(X[:2], method="exact")


def test_classes_have_no_width():
    with pytest.raises(ValueError, match="for regression: classes have probabilities"):
        BY_NAME["class forest"].fitted(40).explain(np.ones((2, 3)), "width")


def test_nothing_is_known_before_the_first_row():
    with pytest.raises(NotFittedError, match="not fitted"):
        forest().explain([[1.0]])


def test_intervals_without_end_are_refused():
    model = BY_NAME["conformal"].new()
    X, y = BY_NAME["conformal"].data(5)
    with pytest.raises(ValueError, match="let the model learn more, or ask for a lower confidence"):
        model.fit(X, y).explain(X, "width")


def test_sentences():
    table, y = draw_table(200)
    frame = pandas.DataFrame(table)
    model = forest().fit(frame, y)
    found = model.explain(frame[:2], "width", confidence=0.5)
    assert found.sentence(0).startswith("The width of the 50 % interval is")
    assert "than the" in found.sentence(0)
    mean = model.explain(frame[:40])
    row = int(np.abs(mean.values[:, 0]).argmax())
    value = "missing" if np.isnan(frame["size"][row]) else f"{frame['size'][row]:.4g}"
    assert f"size = {value} ({mean.values[row, 0]:+.3g})" in mean.sentence(row)
    assert ("raised by" in mean.sentence(row)) == bool((mean.values[row] > 2 * mean.error[row]).any())
    assert repr(mean) == "Explanation of the mean: 40 rows, 6 columns"


def test_sentences_of_classes_and_targets():
    model = BY_NAME["class forest"].fitted(100)
    X = BY_NAME["class forest"].data(5, seed=1)[0]
    found, best = model.explain(X), model.predict(X)[2]
    assert found.sentence(2).startswith(f"The probability of class {best} is")
    assert found.sentence(2, "red").startswith("The probability of class red is")
    with pytest.raises(ValueError, match="output must be one of"):
        found.sentence(2, "purple")
    both = BY_NAME["forest, two targets"].fitted(60).explain(X)
    assert both.sentence(0, 1).startswith("The prediction of target 1 is")
    with pytest.raises(ValueError, match="where there is one output"):
        forest().fit(X, X[:, 0]).explain(X).sentence(0, 1)


def test_days_are_said_without_an_hour():
    days = pandas.date_range("2025-01-01", periods=60, freq="D")
    table = pandas.DataFrame({"day": days, "size": np.arange(60.0) % 7})
    model = hr.MondrianForestRegressor(5, random_state=0).fit(table, np.arange(60.0))
    sentence = model.explain(table[-3:], background=8).sentence(2)
    assert "day = 2025-03-01 (" in sentence


def test_classes_that_are_numbers_are_classes():
    """Classes 0 and 1 were taken for two targets, of which the first was explained, whatever was more probable."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    model = hr.MondrianForestClassifier(5, random_state=0).fit(X, (X[:, 0] > 0.5).astype(int))
    found = model.explain(np.array([[0.9, 0.5], [0.1, 0.5]]))
    assert found.sentence(0).startswith("The probability of class 1 is")
    assert found.sentence(1).startswith("The probability of class 0 is")
    assert found.strongest(0)[0].value > 0


@pytest.mark.parametrize("is_exact", [True, False])
def test_cells_that_agree_with_the_background_are_not_asked_about_again(is_exact):
    """Values are those of asking about every mixture, and of whole numbers fewer are asked about."""
    rng = np.random.default_rng(0)
    rows, background, others = (rng.integers(0, 3, size=(n, 4)).astype(float) for n in (7, 6, 5))
    rows[0] = background[0]
    coalitions = all_coalitions(4, 6) if is_exact else random_orders(4, 6, rng)
    asked = []

    def ask(X):
        asked.append(len(X))
        return np.stack([X[:, 0] * X[:, 1] - X[:, 2], np.sin(X @ [1.0, 2.0, 3.0, 4.0])], axis=1)

    found = shapley_values(ask, rows, background, coalitions, others)
    n_asked, n_mixtures = sum(asked), (7 + 5) * coalitions.masks.shape[0] * coalitions.masks.shape[1]
    assert n_asked < 0.75 * n_mixtures

    def each(these):
        mixed = np.where(coalitions.masks, these[:, None, None], background[:, None])
        said = ask(mixed.reshape(-1, 4)).reshape(*mixed.shape[:3], 2)
        ends = [np.broadcast_to(ask(background)[None, :, None], (len(these), 6, 1, 2))]
        ends.append(np.broadcast_to(ask(these)[:, None, None], (len(these), 6, 1, 2)))
        return np.einsum("bcm,nbmo->nbco", coalitions.weights, np.concatenate([said, *ends], axis=2))

    expected = (each(rows) - each(others).mean(axis=0)).mean(axis=1)
    np.testing.assert_allclose(found.values, expected, atol=1e-12)
    np.testing.assert_allclose(found.values.sum(axis=1) + found.base, ask(rows), atol=1e-12)
