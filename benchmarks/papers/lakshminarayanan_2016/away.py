"""Figure 2: what forests say of their uncertainty away from the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor

from benchmarks.papers.lakshminarayanan_2016.flight_models import rate_of_the_code
from benchmarks.shared.data import Floats
from benchmarks.shared.page import Page
from benchmarks.shared.peers import extra_trees, mean_and_spread
from benchmarks.shared.pictures import BLUE, GREY, ORANGE, subplots
from hedgerow import MondrianBoostingRegressor, MondrianForestRegressor

N_TREES, LEAF, N_ROWS, N_ASKED = 25, 5, 1000, 241
NEAR, FAR, INSIDE, EDGE = 0.0, 2.5, 5.0, 10.0
"""Second feature of the two rows of test points; where the training data end, and where the test points do."""
WORDS = """\
The paper's set, messages of expectation propagation with two features, is not public. This one is generated to have \
its shape: a Gaussian message with mean x1 and log variance x2 comes in at a logistic factor, and the target is the \
mean of z under the density N(z; x1, exp(x2)) times the logistic function of z. The {n_rows:,} rows to learn have x1 \
between -5 and 5, and noise of standard deviation 0.1. Test points lie along two lines: the red one, x2 = {near:g}, \
goes through the data and leaves them at both ends; the blue one, x2 = {far:g}, is outside. As in the paper, \
{n_trees} trees, at least {leaf} rows a leaf for scikit-learn's forests, at least 10 rows for a split of the \
Mondrian forest, and a single run."""
FOUND = """\
Inside is |x1| < 4 on the red line, beyond is |x1| > 6. A model that knows what it does not know has a standard \
deviation of about its RMSE. The paper says that all forests have about the same error, that a Mondrian forest becomes \
less certain away from the data, more on the blue line than on the red one, and that RandomForest is overconfident \
there.

With the constants that the paper prints, ours has five times the error of ExtraTrees inside: its drift rate, \
D / (20 log2 N), is so low that leaves are smoothed nearly to one mean. The authors' code has ten times that rate; \
with it, (c), errors are as the paper says. On the blue line and beyond the data both have the standard deviation of \
the prior, so beyond the data the two lines meet."""


Ask = Callable[[Floats], tuple[Floats, Floats]]
"""Return means and standard deviations."""


@dataclass(frozen=True)
class Line:
    """Points along the first feature."""

    colour: str
    X: Floats
    y: Floats


def outgoing(X: Floats) -> Floats:
    """Return the mean of the Gaussian message times the logistic function, by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    z = X[:, :1] + np.exp(X[:, 1:] / 2) * nodes
    mass = weights / (1 + np.exp(-z))
    found: Floats = (mass * z).sum(axis=1) / mass.sum(axis=1)
    return found


def training_set(seed: int) -> tuple[Floats, Floats]:
    """Draw messages as they come in, and what goes out, with noise."""
    rng = np.random.default_rng(seed)
    x1 = rng.normal(scale=2.5, size=4 * N_ROWS)
    x1 = x1[np.abs(x1) < INSIDE][:N_ROWS]
    X = np.column_stack([x1, rng.normal(0.15 * x1, 0.6)])
    return X, outgoing(X) + rng.normal(scale=0.1, size=N_ROWS)


def line(colour: str, x2: float) -> Line:
    X = np.column_stack([np.linspace(-EDGE, EDGE, N_ASKED), np.full(N_ASKED, x2)])
    return Line(colour, X, outgoing(X))


def of_trees(model: Any) -> Ask:
    return lambda X: mean_and_spread(model, X)


def of_ours(model: Any) -> Ask:
    return lambda X: model.predict(X, return_std=True)


def contestants(X: Floats, y: Floats) -> dict[str, Ask]:
    """Return what each model says of mean and standard deviation, those of the paper first."""
    paper = MondrianForestRegressor(N_TREES, hyperparameters="paper", random_state=0)
    code = MondrianForestRegressor(N_TREES, random_state=0, **rate_of_the_code(*X.shape))
    forest = RandomForestRegressor(N_TREES, min_samples_leaf=LEAF, random_state=0)
    return {
        "Mondrian forest, paper": of_ours(paper.fit(X, y)),
        "the same, rate of the code": of_ours(code.fit(X, y)),
        "ExtraTrees": of_trees(extra_trees(N_TREES, min_samples_leaf=LEAF).fit(X, y)),
        "RandomForest": of_trees(forest.fit(X, y)),
        "Mondrian forest, default": of_ours(MondrianForestRegressor(N_TREES, random_state=0).fit(X, y)),
        "boosting, default": of_ours(MondrianBoostingRegressor(random_state=0).fit(X, y)),
    }


def figure_2(page: Page) -> None:
    """Fit, draw, and tabulate the means of what was drawn."""
    X, y = training_set(0)
    lines = [line(ORANGE, NEAR), line(BLUE, FAR)]
    models = contestants(X, y)
    words = WORDS.format(n_rows=N_ROWS, near=NEAR, far=FAR, n_trees=N_TREES, leaf=LEAF)
    page.text("\n\n".join(["## Figure 2: uncertainty away from the data", words]))
    draw(page, X, lines, models)
    rows = []
    for name, ask in models.items():
        cells = []
        red, blue = lines
        for where, inside in ((red, True), (red, False), (blue, False)):
            chosen = np.abs(where.X[:, 0]) < 4 if inside else np.abs(where.X[:, 0]) > 6
            mean, std = ask(where.X[chosen])
            cells.append(f"{np.sqrt(np.mean((mean - where.y[chosen]) ** 2)):.2f} / {std.mean():.2f}")
        rows.append((name, *cells))
    headings = ("RMSE / mean predicted standard deviation", "inside", "red, beyond", "blue, beyond")
    page.table("", headings, rows, FOUND)


def draw(page: Page, X: Floats, lines: list[Line], models: dict[str, Ask]) -> None:
    """Draw the data and, for each model, its standard deviation along both lines."""
    figure, panels = subplots(2, 4, figsize=(13, 6.0), sharex=True)
    first, *others, last = panels.flat
    last.axis("off")
    first.plot(*X.T, ".", color=GREY, markersize=3, label="learned")
    for each, name in zip(lines, ("test, red", "test, blue"), strict=True):
        first.plot(*each.X.T, ".", color=each.colour, markersize=3, label=name)
    first.set_ylim(-3.0, 4.5)
    last.legend(*first.get_legend_handles_labels(), loc="center", frameon=False, markerscale=3)
    first.set_ylabel("x2")
    first.set_title("(a) data", loc="left", fontsize=10, fontweight="bold")
    found = {name: [ask(each.X)[1] for each in lines] for name, ask in models.items()}
    highest = 1.08 * max(std.max() for both in found.values() for std in both)
    for axes, letter, (name, both) in zip(others, "bcdefg", found.items(), strict=True):
        axes.axvspan(-INSIDE, INSIDE, color="#EEEEEE", zorder=0)
        for each, std in zip(lines, both, strict=True):
            axes.plot(each.X[:, 0], std, color=each.colour, linewidth=1.6)
        axes.set_ylim(0.0, highest)
        axes.set_title(f"({letter}) {name}", loc="left", fontsize=10, fontweight="bold")
    for axes in (panels[0, 1], panels[1, 0]):
        axes.set_ylabel("predicted standard deviation")
    for axes in (panels[0, 3], *panels[1, :3]):
        axes.set_xlabel("x1; grey where there are data")
    panels[0, 3].tick_params(labelbottom=True)
    page.picture(figure, "away.png", "Data and test points, and predicted standard deviations along x1")
