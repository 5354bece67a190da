"""Pictures of decision trees: every node is there, in its place."""

import matplotlib as mpl
import matplotlib.pyplot
import numpy as np
import pytest

mpl.use("Agg")

from hedgerow import BayesianTreeClassifier, BayesianTreeRegressor, MondrianForestRegressor
from hedgerow.plot import TreeDisplay


@pytest.fixture
def model():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 3))
    y = np.where(X[:, 0] > 0.5, "high", np.where(X[:, 1] > 0.3, "middle", "low"))
    return BayesianTreeClassifier(n_particles=20, proposal="optimal", random_state=0).fit(X, y)


def test_every_node_is_drawn_above_its_children(model):
    display = TreeDisplay.from_estimator(model)
    tree = model.most_probable_tree()
    assert len(display.texts_) == tree.feature.size == 2 * tree.n_leaves - 1 >= 5
    x, y = np.array([text.get_position() for text in display.texts_]).T
    inner = np.flatnonzero(tree.feature >= 0)
    assert (y[inner] > y[tree.left[inner]]).all()
    assert (x[tree.left[inner]] < x[inner]).all()
    assert (x[inner] < x[tree.right[inner]]).all()
    leaves = np.flatnonzero(tree.feature < 0)
    assert sorted(x[leaves]) == list(range(tree.n_leaves))
    assert -y.min() == tree.depth


def test_texts_are_those_of_the_tree(model):
    display = TreeDisplay.from_estimator(model, fontsize=5)
    assert display.texts_[0].get_text() == model.most_probable_tree().question(0)
    assert display.texts_[0].get_fontsize() == 5


@pytest.mark.parametrize("is_given", [False, True])
@pytest.mark.parametrize("n_leaves", [2, 7, 15])
def test_boxes_do_not_overlap(n_leaves, is_given):
    X = np.random.default_rng(0).uniform(size=(n_leaves, 3)) * [1, 1e4, 1]
    forest = MondrianForestRegressor(2, hyperparameters="paper", min_samples_split=2, random_state=0).fit(X, X[:, 1])
    ax = mpl.pyplot.subplots()[1] if is_given else None
    display = TreeDisplay.from_estimator(forest, tree=1, ax=ax)
    assert display.tree.n_leaves == n_leaves
    display.figure_.canvas.draw()
    boxes = [text.get_bbox_patch().get_window_extent() for text in display.texts_]
    assert not any(box.overlaps(other) for i, box in enumerate(boxes) for other in boxes[:i])
    mpl.pyplot.close(display.figure_)


def test_a_root_alone_can_be_drawn():
    stump = BayesianTreeRegressor(n_particles=10, random_state=0).fit([[1.0], [1.0]], [0.0, 1.0])
    assert len(TreeDisplay.from_estimator(stump).texts_) == 1
