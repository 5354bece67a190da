"""Chains of stages of several kinds: honest, weighed by that, and kept in files."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy.optimize import nnls

import hedgerow
from hedgerow import MondrianBoostingClassifier, MondrianBoostingRegressor
from hedgerow.base.copies import NO_GROUPS, Copies
from hedgerow.base.rows import Rows
from hedgerow.base.settings import Query
from hedgerow.boosting._blend import folds_of, make_blend, weigh
from hedgerow.boosting._chains import Chain, Made, Making, Recipe, make_chain
from hedgerow.boosting._greedy_stage import GreedyStage
from hedgerow.boosting._mondrian_stage import NumberStage, VectorStage

RNG = np.random.default_rng(3)
N = 300
X = RNG.uniform(size=(N, 4))
STEPS = np.where(X[:, 0] > 0.5, 3.0, 0.0) + np.where(X[:, 1] > 0.3, 1.0, -1.0) * (X[:, 2] > 0.7)
Y = STEPS + np.sin(5 * X[:, 3]) + 0.2 * RNG.normal(size=N)
LABELS = np.where(Y > 2.0, "high", np.where(Y > 0.5, "middle", "low"))
ASKED = RNG.uniform(-0.2, 1.2, size=(40, 4))
QUERY = Query(1)
ALL_KINDS = [["mondrian"], ["mondrian", "greedy"], ["mondrian", "kernel"], ["linear", "kernel", "mondrian", "greedy"]]


def new(**parameters):
    return MondrianBoostingRegressor(**{"n_estimators": 8, "random_state": 0, **parameters})


def new_classes(**parameters):
    return MondrianBoostingClassifier(**{"n_estimators": 8, "random_state": 0, **parameters})


def making(kind=NumberStage, n=N, groups=NO_GROUPS, **changed):
    folds = folds_of(n, groups, 1)
    copies = Copies(groups, np.unique(groups).size if groups.size else n)
    made = {"plain": X[:n], "copies": copies, "folds": folds, "blocks": folds % 4, "n_blocks": 4}
    return Making(**{"kind": kind, **made, "transform": "half", "n_trees": 8, "seed": 2, "query": QUERY, **changed})


def greedy(labels, folds, weights=None):
    rows = Rows(X, labels, np.empty(0) if weights is None else weights)
    return GreedyStage.grown(rows, folds, QUERY, n_trees=16, has_variances=True, seed=4)


def test_a_greedy_stage_has_not_seen_what_it_is_asked():
    """Other labels in one fold change what is said of other folds, and nothing of that fold."""
    folds = folds_of(N, NO_GROUPS, 1)
    out = folds == 3
    other, swapped = Y.copy(), np.flatnonzero(out)[:2]  # few, or they might be shrunk otherwise
    other[swapped] = Y[swapped][::-1]
    (first, said), (second, said_then) = greedy(Y, folds), greedy(other, folds)
    np.testing.assert_allclose(said.mean[out], said_then.mean[out], rtol=1e-9)
    assert np.abs(said.mean - said_then.mean)[~out].max() > 0.01
    assert np.abs(first.moments(X, QUERY)[0] - second.moments(X, QUERY)[0])[swapped].max() > 0.1


def test_greedy_errors_are_those_of_new_rows():
    """But for the excess, as few trees say something of a row of their own."""
    folds, more = folds_of(N, NO_GROUPS, 1), np.random.default_rng(9).uniform(size=(3000, 4))
    truth = np.where(more[:, 0] > 0.5, 3.0, 0.0) + np.where(more[:, 1] > 0.3, 1.0, -1.0) * (more[:, 2] > 0.7)
    stage, said = greedy(Y, folds)
    new_error = np.mean((stage.moments(more, QUERY)[0] - truth - np.sin(5 * more[:, 3])) ** 2) + 0.04
    honest = np.mean((Y - said.mean) ** 2) - said.excess
    assert said.excess > 0.0
    assert honest == pytest.approx(new_error, rel=0.25)


def test_a_greedy_stage_is_given_up_early_or_grown_as_ever():
    """What its first rounds show decides whether it goes on, and changes nothing of what it becomes."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(1000, 4))
    y = np.where(X[:, 0] > 0.5, 1.0, 0.0) + rng.normal(size=1000)
    folds, how = folds_of(1000, NO_GROUPS, 2), {"n_trees": 64, "has_variances": True, "seed": 4}
    stage, honest = GreedyStage.grown(Rows(X, y), folds, QUERY, **how)
    error = np.mean((y - honest.mean) ** 2) - honest.excess
    again, said = GreedyStage.grown(Rows(X, y), folds, QUERY, **how, to_beat=error)
    np.testing.assert_array_equal(said.mean, honest.mean)
    np.testing.assert_array_equal(again.moments(X, QUERY)[0], stage.moments(X, QUERY)[0])
    assert GreedyStage.grown(Rows(X, y), folds, QUERY, **how, to_beat=0.9 * error) is None
    few = slice(300)  # of few rows the first rounds tell too little
    assert GreedyStage.grown(Rows(X[few], y[few]), folds[few], QUERY, **how, to_beat=0.1 * error) is not None


def test_a_chain_that_is_far_behind_goes_no_further():
    """Its first stage counts all the same, and one that is not behind is made as ever."""
    how, rows = making(), Rows(X, Y, np.empty(0))
    recipe = Recipe(("greedy", "mondrian", "mondrian"), 8)
    whole = make_chain(recipe, rows, how)
    first = make_chain(Recipe(("greedy",), 8), rows, how)
    assert len(whole.chain.stages) > 1
    behind = make_chain(recipe, rows, how, most=0.9 * first.chain.error)
    np.testing.assert_array_equal(behind.residuals, first.residuals)
    ahead = make_chain(recipe, rows, how, most=1.1 * first.chain.error)
    np.testing.assert_array_equal(ahead.residuals, whole.residuals)


def test_the_excess_of_vectors_is_that_of_their_components():
    folds, both = folds_of(N, NO_GROUPS, 1), np.column_stack([Y, Y])
    assert greedy(both, folds)[1].excess == pytest.approx(2 * greedy(Y, folds)[1].excess, rel=0.3)


def test_folds_are_even_and_keep_copies_together():
    assert np.ptp(np.bincount(folds_of(N, NO_GROUPS, 5))) <= 1
    groups = np.repeat(np.random.default_rng(0).permutation(100), 3).astype(np.uint32)
    folds = folds_of(N, groups, 5)
    assert (folds.reshape(-1, 3) == folds[::3, None]).all()
    np.testing.assert_array_equal(folds[::3], folds_of(100, NO_GROUPS, 5))  # copies are as good as weights


@pytest.mark.parametrize("stages", ALL_KINDS, ids=str)
def test_only_kinds_that_are_allowed(stages):
    model = new(stages=stages).fit(X, Y)
    used = {kind for chain in model.stages_ for kind in chain["stages"]}
    assert used <= set(stages)
    assert sum(len(chain["stages"]) for chain in model.stages_) == model.n_stages_
    assert all(chain["weight"] >= 0.0 and chain["error"] > 0.0 for chain in model.stages_)


def test_steps_are_seen_by_greedy_trees():
    plain, both = new(stages=["mondrian"]).fit(X, Y), new().fit(X, Y)
    assert any("greedy" in chain["stages"] for chain in both.stages_)
    assert both.loo_score_ > plain.loo_score_ + 0.01
    assert both.feature_importances_.sum() == pytest.approx(1.0)
    assert both.feature_importances_[0] == both.feature_importances_.max()


@pytest.mark.parametrize("wrong", ["greedy", [], ["trees", "mondrian"], ["greedy"], 3, [["mondrian"]]], ids=str)
def test_other_stages_are_refused(wrong):
    with pytest.raises(ValueError, match="stages must"):
        new(stages=wrong).fit(X, Y)


def test_order_of_kinds_does_not_matter():
    one, other = new(stages=("greedy", "mondrian")).fit(X, Y), new(stages=["mondrian", "greedy"]).fit(X, Y)
    np.testing.assert_array_equal(one.predict(ASKED), other.predict(ASKED))


@pytest.mark.parametrize(("model", "y"), [(new, Y), (new_classes, LABELS), (new, np.column_stack([Y, -Y]))])
def test_same_bits_for_threads_files_and_batches(model, y, tmp_path):
    def ask(fitted, asked=ASKED):
        return fitted.predict_proba(asked) if model is new_classes else fitted.predict(asked)

    whole = model().fit(X[:200], y[:200])
    assert len(whole.stages_) > 1
    np.testing.assert_array_equal(ask(model(n_jobs=3).fit(X[:200], y[:200])), ask(whole))
    whole.save(tmp_path / "model")
    again = hedgerow.load(tmp_path / "model")
    assert again.stages_ == whole.stages_
    for twin in (again, pickle.loads(pickle.dumps(whole)), copy.deepcopy(whole)):
        np.testing.assert_array_equal(ask(twin), ask(whole))
        twin.partial_fit(X[200:], y[200:])
    whole.partial_fit(X[200:230], y[200:230])
    for i in range(230, N):
        whole.learn_one(X[i], y[i])
    np.testing.assert_array_equal(ask(whole), ask(again))
    np.testing.assert_array_equal(ask(whole), np.concatenate([ask(whole, [row]) for row in ASKED]))


def test_weights_are_those_of_least_squares():
    """None below zero; rough predictions by few trees are forgiven as much as they are rough."""
    rng = np.random.default_rng(1)
    y = rng.normal(size=N)
    said = [y + rng.normal(size=N), 0.5 * y + 0.6 * rng.normal(size=N), rng.normal(size=N)]
    rows, nothing = Rows(X, y), np.zeros((N, 3))
    made = [Made(Chain([], np.mean((y - one) ** 2), np.empty(0)), y - one, nothing, 0.0, []) for one in said]
    kept, weights = weigh(made, rows, np.zeros(()))
    assert kept == [0, 1]
    np.testing.assert_allclose(weights, nnls(np.column_stack(said[:2]), y)[0], rtol=1e-6)
    rough = [made[0], made[1]._replace(excess=0.2)]
    assert weigh(rough, rows, np.zeros(()))[1][1] > weights[1]
    assert weigh(made[:1], rows, np.zeros(())) == ([0], [1.0])
    useless = [made[0]._replace(residuals=0.1 * (y - said[0])), made[2]]
    assert weigh(useless, rows, np.zeros(())) == ([0], [1.0])


@pytest.mark.parametrize(
    ("kind", "labels"), [(NumberStage, Y), (VectorStage, np.column_stack([Y - Y.mean(), Y > 1.0]))]
)
def test_residuals_are_those_of_the_weighed_sum(kind, labels):
    labels = labels.astype(float)
    blend = make_blend(("kernel", "mondrian", "greedy"), False, 2, Rows(X, labels), making(kind))
    assert len(blend.chains) > 1
    assert np.mean(blend.residuals**2) < 1.02 * min(chain.error for chain in blend.chains)
    said = blend.without_blocks(making(kind).blocks, 4, 4, QUERY).mean if kind is NumberStage else None
    if said is not None:
        assert np.mean((labels - said) ** 2) == pytest.approx(np.mean(blend.residuals**2), rel=0.3)
    assert all(chain.without_blocks.size == 0 for chain in blend.settled().chains)
