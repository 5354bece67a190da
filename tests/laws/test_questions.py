"""Asking changes nothing, and the answer for a row depends on no other row that is asked about."""

from __future__ import annotations

import numpy as np
import pytest

from models import answers, bits, every, questions

pytestmark = pytest.mark.filterwarnings("ignore")

OF_ROWS = ("predict", "predict_proba", "transform", "apply", "cells", "predict_interval", "predict_uncertainty", "std")
OF_ROWS += ("quantiles", "log_density")


def by_row(answer):
    """Return an answer as one array of numbers, with a row for each row asked about."""
    if hasattr(answer, "toarray"):
        return answer.toarray()
    answer = np.stack(answer, axis=1) if isinstance(answer, tuple) else np.asarray(answer)
    return answer if answer.dtype.kind in "iuf" else np.array([len(name) for name in answer])  # of classes


def said(model, X, y):
    return {name: by_row(ask()) for name, ask in questions(model, X, y) if name in OF_ROWS}


@every()
def test_asking_changes_nothing(case):
    X, y = case.data(40, seed=1)
    model = case.seasoned()
    before, attributes = bits(model), set(vars(model))
    first = answers(model, X, y)
    assert answers(model, X, y) == first
    assert bits(model) == before
    assert set(vars(model)) == attributes


@every()
def test_rows_of_a_query_do_not_see_each_other(case):
    X, y = case.data(16, seed=1)
    X[8:] = X[8:] * 1.7 - 0.4
    model = case.fitted(80)
    together = said(model, X, y)
    backwards = said(model, X[::-1], y[::-1])
    often = said(model, np.tile(X, (40, 1)), np.concatenate([y] * 40))
    for name, expected in together.items():
        np.testing.assert_allclose(backwards[name][::-1], expected, rtol=0, err_msg=name)
        np.testing.assert_allclose(often[name], np.concatenate([expected] * 40), rtol=0, err_msg=name)
    for i in range(0, 16, 3):
        for name, answer in said(model, X[i : i + 1], y[i : i + 1]).items():
            np.testing.assert_allclose(answer[0], together[name][i], rtol=0, err_msg=name)
        if case.can("predict_one"):
            one, many = model.predict_one(X[i]), model.predict(X)[i]
            assert one == many if case.classes else one == pytest.approx(many, rel=1e-12)
        if case.can("predict_proba_one"):
            assert list(model.predict_proba_one(X[i])) == model.classes_.tolist()
            np.testing.assert_array_equal(list(model.predict_proba_one(X[i]).values()), together["predict_proba"][i])


@every()
def test_input_is_neither_kept_nor_changed(case):
    X, y = case.data(60)
    given = [X.copy(), y.copy()]
    model = case.new().fit(*given)
    if case.online:
        model.partial_fit(*given)
    before = bits(model)
    answers(model, given[0], given[1])
    np.testing.assert_array_equal(given[0], X)
    np.testing.assert_array_equal(given[1], y)
    given[0][:], given[1][:] = 0.5, y[0]
    assert bits(model) == before


@every("regresses")
def test_answers_of_a_regressor_agree(case):
    X, y = case.data(40, seed=1)
    model = case.fitted(120)
    mean, std = model.predict(X, return_std=True)
    dist = model.predict_dist(X)
    np.testing.assert_array_equal(mean, model.predict(X))
    np.testing.assert_allclose(dist.std(), std, rtol=1e-9)
    if case.parameters.get("sketch_size", 200) == 200:  # small sketches have lost targets that the mean has not
        np.testing.assert_allclose(dist.mean(), mean, rtol=1e-9, atol=1e-9)
    assert (np.isfinite(std) & (std > 0)).all()
    np.testing.assert_allclose(model.log_density(X, y), dist.logpdf(y))
    quantiles = model.predict_quantiles(X, [0.1, 0.5, 0.9])
    assert quantiles.shape == (*y.shape, 3)
    assert (np.diff(quantiles, axis=-1) >= 0).all()
    interval = model.predict_interval(X, confidence=0.8)
    assert interval.shape == (*y.shape, 2)
    assert (interval[..., 0] <= interval[..., 1]).all()
    assert dist.rvs(3, random_state=0).shape == (40, 3, *y.shape[1:])


@every("classes")
def test_answers_of_a_classifier_agree(case):
    X, _ = case.data(40, seed=1)
    model = case.fitted(120)
    found = model.predict_proba(np.concatenate([X, 1e6 * X]))
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    assert (found > 0).all()
    assert set(model.classes_) == {"blue", "green", "red"}
    np.testing.assert_array_equal(model.predict(X), model.classes_[found[:40].argmax(axis=1)])
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(found[:40]), rtol=1e-9)
