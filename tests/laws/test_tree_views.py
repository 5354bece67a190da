"""Trees to look at: the same trees as predictions use, in the user's units."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from sklearn.exceptions import NotFittedError

import hedgerow as hr
from hedgerow import _core
from models import BY_NAME, bits, boosting, class_boosting, class_forest, class_tree, every, forest, online_forest, tree
from tables import draw_table

NAMES = ["forest", "forest, unscaled", "forest, rank", "forest, window", "forest, two targets", "class forest"]


def leaves_of(view, X):
    """Leaf of each row, by the arrays alone."""
    at = np.zeros(len(X), dtype=int)
    while (view.feature[at] >= 0).any():
        inner = view.feature[at] >= 0
        goes_left = X[np.arange(len(X)), np.maximum(view.feature[at], 0)] <= view.threshold[at]
        at = np.where(inner, np.where(goes_left, view.children_left[at], view.children_right[at]), at)
    return at


def are_alike(leaves, others):
    """Whether two numberings of leaves are of the same partition of rows."""
    return len({*zip(leaves, others, strict=True)}) == len(set(leaves)) == len(set(others))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_a_view_is_the_tree(name):
    model = BY_NAME[name].seasoned()
    before, X = bits(model), BY_NAME[name].data(300, seed=1)[0]
    for index in (0, -1):
        view = model.tree(index)
        assert are_alike(leaves_of(view, X), model.apply(X)[:, index])
        assert view.n_node_samples[0] == model.n_samples_
        inner = view.feature >= 0
        below = np.stack([view.left[inner], view.right[inner]])
        np.testing.assert_array_equal(view.n_node_samples[inner], view.n_node_samples[below].sum(axis=0))
        assert (view.time[below] > view.time[inner]).all()
        assert (view.lower[inner] <= view.lower[below]).all()
        assert (view.upper[inner] >= view.upper[below]).all()
        cut = view.feature[inner]
        assert (view.upper[view.left[inner], cut] <= view.threshold[inner]).all()
        assert (view.threshold[inner] < view.lower[view.right[inner], cut]).all()
        assert view.depth <= model.depth_
    assert bits(model) == before


def test_values_are_means_and_shares():
    X, y = BY_NAME["forest"].data(50)
    weights = np.linspace(1, 3, 50)
    view = forest(target="positive").fit(X, np.abs(y) + 1, weights).tree(0)
    assert view.value[0, 0] == pytest.approx(np.average(np.abs(y) + 1, weights=weights))
    labels = BY_NAME["class forest"].data(50)[1]
    shares = class_forest().fit(X, labels).tree(0)
    np.testing.assert_allclose(shares.value[0], [np.mean(labels == name) for name in ("blue", "green", "red")])
    assert shares.question(0).split(" <= ")[0] in ("x0", "x1", "x2")


def test_texts():
    view = forest(min_samples_split=30).fit(*BY_NAME["forest"].data(60)).tree(0)
    lines = view.to_text().splitlines()
    assert len(lines) == view.feature.size
    assert str(view) == view.to_text()
    assert view.to_text(max_depth=0) == "..."
    assert len(view.to_text(max_depth=1).splitlines()) == 3


def test_tables_are_cut_on_axes():
    table, y = draw_table(80)
    model = forest().fit(pandas.DataFrame(table), y)
    view = model.tree(1)
    assert view.feature_names == model.axis_names_
    assert view.lower.shape[1] == len(model.axis_names_)


def test_bayesian_trees():
    model = tree().fit(*BY_NAME["Bayesian tree"].data(100))
    best = model.most_probable_tree()
    same = [index for index in range(len(model.tree_weights_)) if str(model.tree(index)) == str(best)]
    assert same
    assert np.isnan(model.tree(same[0]).log_probability)
    assert np.isfinite(best.log_probability)


def test_values_of_bayesian_trees():
    X, y = BY_NAME["Bayesian tree"].data(60)
    weights = np.linspace(1, 3, 60)
    view = tree().fit(X, y, weights).tree(0)
    assert view.value[0, 0] == pytest.approx(np.average(y, weights=weights))
    assert view.n_node_samples[0] == round(weights.sum())
    labels = BY_NAME["class forest"].data(60)[1]
    shares = class_tree().fit(X, labels).tree(0)
    np.testing.assert_allclose(shares.value[0], [np.mean(labels == name) for name in ("blue", "green", "red")])
    assert shares.n_node_samples[0] == 60


# Trees of all models.


@every("tree", one_a_class=True)
@pytest.mark.filterwarnings("ignore:the chains disagree")
def test_arrays_are_those_of_scikit_learn(case):
    model = case.fitted(120)
    of = {"of": model.classes_[0]} if case.kind is hr.BARTClassifier else {}
    view, before = model.tree(1, **of), bits(model)
    is_leaf = view.children_left == -1
    for array, of_leaves in ((view.children_right, -1), (view.feature, -2), (view.threshold, -2.0)):
        assert (array[is_leaf] == of_leaves).all()
    inner = np.flatnonzero(~is_leaf)
    assert ((view.feature[inner] >= 0) & (view.feature[inner] < len(view.feature_names))).all()
    below = np.concatenate([view.left[inner], view.right[inner]])
    assert sorted(below) == list(range(1, view.feature.size))  # each but the root has one parent
    assert (below > np.tile(inner, 2)).all()
    sums = view.n_node_samples[view.left[inner]] + view.n_node_samples[view.right[inner]]
    np.testing.assert_array_equal(view.n_node_samples[inner], sums)
    assert (view.n_node_samples[is_leaf] > 0).all()
    assert view.value.shape[0] == view.feature.size
    assert view.to_text().count("\n") == view.feature.size - 1
    assert bits(model) == before


@every("tree", one_a_class=True)
def test_models_that_have_learned_nothing_have_no_trees(case):
    with pytest.raises(NotFittedError):
        case.new().tree(0)


@pytest.mark.parametrize("name", ["BART", "boosting", "quantile forest", "Bayesian tree"])
@pytest.mark.filterwarnings("ignore:the chains disagree")
def test_trees_of_models_that_are_read_from_files(name, tmp_path):
    model = BY_NAME[name].fitted(60)
    model.save(tmp_path / "model")
    assert str(hr.load(tmp_path / "model").tree(2)) == str(model.tree(2))


# Online forests.


@pytest.mark.parametrize("name", ["online forest", "online forest, bounded", "quantile forest", "conformal"])
def test_online_leaves_say_what_is_predicted(name):
    model = BY_NAME[name].fitted(400)
    X = np.vstack([BY_NAME[name].data(400, seed=seed)[0] for seed in (0, 1)])
    views = [model.tree(index) for index in range(4)]
    means = [view.value[leaves_of(view, X), 0] for view in views]
    np.testing.assert_allclose(np.mean(means, axis=0), model.predict(X), rtol=1e-12)
    assert sum(view.feature.size for view in views) == getattr(model, "base_", model).n_nodes_


def test_thresholds_of_online_trees_are_those_of_the_core():
    """Though the core rounds to single precision; trees in the background are passed over."""
    rng = np.random.default_rng(2)
    X = np.round(rng.uniform(size=(600, 2)), 1) + np.array([0.0, 1e6])
    y = 5.0 * X[:, 0] - 3.0 * (X[:, 1] - 1e6) + rng.normal(scale=0.1, size=600)
    y[500:] += 1.2
    model = online_forest(n_estimators=8).fit(X, y)
    assert model._learner.core.archive()["slots"].reshape(-1, 4)[:, 3].any()  # that there are some
    for index in range(8):
        view = model.tree(index)
        assert view.n_leaves > 3
        asked = X.copy()
        for axis in range(2):  # on thresholds, and hardly above
            at = rng.choice(view.threshold[view.feature == axis], 600)
            asked[:, axis] = at + rng.integers(0, 2, 600) * 4 * np.spacing(at)
        assert are_alike(leaves_of(view, asked), model.apply(asked)[:, index])


def test_conformal_trees_have_names():
    table, y = draw_table(80)
    model = hr.OnlineConformalRegressor(random_state=0).fit(pandas.DataFrame(table), y)
    assert model.tree(0).feature_names == model.axis_names_


# Sums of trees.


@pytest.mark.filterwarnings("ignore:the chains disagree")
def test_trees_of_a_draw_add_up():
    model = BY_NAME["BART, varying noise"].fitted(60)
    X = BY_NAME["BART"].data(50, seed=1)[0]
    for chain, draw in ((0, 0), (1, 3), (1, -1)):
        number = chain * 10 + draw % 10
        where = {"chain": chain, "draw": draw}
        means = sum(said(model.tree(index, **where), X) for index in range(8))
        np.testing.assert_allclose(means[:, 0], model.predict_draws(X)[number], rtol=1e-9)
        logs = sum(said(model.tree(index, of="noise", **where), X) for index in range(20))
        np.testing.assert_allclose(np.exp(logs[:, 0] / 2), model.predict_noise_draws(X)[number], rtol=1e-9)
    assert model.tree(0).n_node_samples[0] == 60


@pytest.mark.filterwarnings("ignore:the chains disagree")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_trees_of_a_draw_add_up_to_utilities(n_classes):
    X, labels = BY_NAME["BART, classes"].data(60)
    labels = np.where(labels == "red", "blue", labels) if n_classes == 2 else labels
    model = BY_NAME["BART, classes"].new().fit(X, labels)
    which = [{"of": name} for name in model.classes_] if n_classes == 3 else [{}]
    sums = np.hstack([sum(said(model.tree(i, draw=4, chain=1, **of), X) for i in range(8)) for of in which])
    probabilities = _core.class_probabilities(np.ascontiguousarray(sums), 1)
    drawn = model.predict_draws(X)[14]
    np.testing.assert_allclose(probabilities if n_classes == 3 else probabilities[:, 1], drawn, rtol=1e-6)


@pytest.mark.parametrize("new", [boosting, class_boosting])
def test_trees_of_stages(new):
    """Leaves of greedy trees add up to what their stage says; rows fall in the leaves of Mondrian trees."""
    table, y = draw_table(150)
    table = pandas.DataFrame(table)
    labels = y if new is boosting else np.digitize(y, np.quantile(y, [0.3, 0.6]))
    model = new(stages=["mondrian", "greedy"]).fit(table, labels)
    seen = model._learner.view(model._query_rows(table))
    for chain, of_chain in enumerate(model._learner.stages.chains):
        for number, stage in enumerate(of_chain.stages):
            X = seen.of(stage.kind)
            views = [model.tree(i, stage=number, chain=chain) for i in range(stage.forest.core.n_trees)]
            assert len(views[0].feature_names) == len(set(views[0].feature_names)) == X.shape[1]
            assert views[0].n_node_samples[0] == 150
            if stage.kind == "greedy":
                added = np.mean([said(view, X) for view in views], axis=0)
                np.testing.assert_allclose(added, stage.moments(X, model._current.query)[0].reshape(150, -1), rtol=1e-9)
                continue
            for view, expected in zip(views, stage.forest.core.leaves(X, 1).T, strict=True):
                assert are_alike(leaves_of(view, X), expected)
    assert {"mondrian", "greedy"} == {kind for one in model.stages_ for kind in one["stages"]}


def said(view, X):
    """What the leaves of rows say."""
    return view.value[leaves_of(view, X)]


# Errors.


@pytest.mark.parametrize("index", [7, -8, 1.0, True, None])
def test_trees_that_are_not_there(index):
    with pytest.raises(ValueError, match="trees have numbers from 0 to 6"):
        BY_NAME["forest"].fitted(20).tree(index)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ({"index": 8}, "no tree 8: trees have numbers from 0 to 7"),
        ({"draw": 10}, "no draw 10: draws have numbers from 0 to 9"),
        ({"chain": 2.0}, "no chain 2.0: chains have numbers from 0 to 1"),
        ({"of": "variance"}, "of must be 'mean' or 'noise', got 'variance'"),
        ({"of": "noise"}, "noise is constant"),
    ],
)
def test_trees_of_draws_that_are_not_there(where, words):
    with pytest.raises(ValueError, match=words):
        BY_NAME["BART"].fitted(20).tree(**({"index": 0} | where))


def test_classes_without_trees_of_their_own():
    X, labels = BY_NAME["BART, classes"].data(30)
    model = BY_NAME["BART, classes"].new().fit(X, labels)
    for of in (None, "yellow", ["red"]):
        with pytest.raises(ValueError, match=r"of must be one of .*'red'"):
            model.tree(0, of=of)
    with pytest.raises(ValueError, match="leave out of='red'"):
        model.fit(X, labels == "red").tree(0, of="red")


def test_stages_without_trees():
    X = BY_NAME["boosting"].data(60)[0]
    model = boosting(linear=True, stages=["linear", "mondrian"]).fit(X, 5 * X[:, 0] + np.sin(9 * X[:, 2]))
    assert str(model.tree(0)) == str(model.tree(0, stage=1))
    with pytest.raises(ValueError, match=r"stage 0 of chain 0 is 'linear' and has no trees; stages \[1.*\]"):
        model.tree(0, stage=0)
    with pytest.raises(ValueError, match="no chain 1"):
        model.tree(0, chain=1)
    with pytest.raises(ValueError, match="there are no stages"):
        class_boosting().fit(X, np.ones(60)).tree(0)
