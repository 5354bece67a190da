"""Chains of stages of several kinds, weighed by how well they predict rows that they have not seen.

The first chain is made of Mondrian forests; it also gives the variances of predictions, and goes on learning row by
row. The others see what it cannot: steps, by trees whose cuts see the labels, and smooth functions, by a kernel. The
weights are those, none below zero, whose honest predictions together have the smallest squared error (Breiman 1996).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls

from hedgerow.base.rows import Floats, Rows
from hedgerow.base.settings import Query
from hedgerow.boosting._chains import LEAST_GAIN, Chain, Made, Making, Recipe, make_chain
from hedgerow.boosting._greedy_stage import MOST_CELLS, N_FOLDS
from hedgerow.boosting._kernel_stage import MOST_COLUMNS
from hedgerow.boosting._ridge import Ridge
from hedgerow.boosting._stage_data import Moments, StageRows
from hedgerow.boosting._trees_needed import FEWEST as FEWEST_TREES
from hedgerow.boosting._trees_needed import trees_needed
from hedgerow.boosting._trust import Trust
from hedgerow.files import Stored
from hedgerow.mondrian._growing import mean_square

RECIPES = (("kernel", "greedy", "mondrian", "mondrian"), ("greedy", "greedy", "mondrian", "mondrian"))
"""What chains besides the first are made of."""

FEWEST_ROWS = 50
"""With fewer rows, copies counted once, there is only the first chain."""

LEAST_WEIGHT = 0.05

FAR_BEHIND = 2.0
"""A chain that has so many times the squared error of the best before it, after its first stage, goes no further."""

MANY_ROWS, N_TRIED = 20_000, 4000
"""If rows are many, it is tried on some of them which chains pay, and how many trees they need."""

FEWEST_PLANNED = 10
"""Trees of a forest at least, if that was tried: weights may differ from those of the trial."""


class Blend(NamedTuple):
    """Chains with their weights, and their honest predictions together for the rows that they have learned."""

    chains: list[Chain]
    weights: list[float]
    centre: Floats  # what a chain is drawn towards if weights do not add up to one
    residuals: Floats  # label minus honest prediction
    variances: Floats  # within trees, between trees and of gaps; no columns for classes
    trust: Trust

    @property
    def main(self) -> Chain:
        """The first chain."""
        return self.chains[0]

    def moments(self, stage_rows: StageRows, query: Query) -> Moments:
        """Return mean and variances at rows."""
        n = stage_rows.axes.shape[0]
        first, moments = self._together(n, lambda chain, into: chain.moments(stage_rows, into, query))
        return moments._replace(mean=_towards(first, moments.mean, np.full(first.shape[0], self.trust.share)))

    def learn(self, stage_rows: StageRows, rows: Rows, query: Query) -> tuple[Blend, Moments]:
        """Learn rows one after another; return the blend that has learned them, and the moments of each before."""
        n = rows.y.shape[0]
        first, moments = self._together(n, lambda chain, into: chain.learn(stage_rows, rows, into, query))
        trust, shares = self.trust.after(moments.mean - first, rows.y - first, rows.weights)
        return self._replace(trust=trust), moments._replace(mean=_towards(first, moments.mean, shares))

    def without_blocks(self, blocks: Any, n_blocks: int, n_trees: int, query: Query) -> Moments:
        """Return moments at the rows learned without the labels of their whole block, by some of the trees.

        Those of rows in no block mean nothing. Only once, before `settled`.
        """
        n = self.residuals.shape[0]
        return self._together(n, lambda chain, into: chain.left_out(blocks, n_blocks, n_trees, into, query))[1]

    def trusted_as(self, before: Blend) -> Blend:
        """Return the same, as far trusted as the one before it along the same stream."""
        return self._replace(trust=before.trust.carried_to(self.trust))

    def settled(self) -> Blend:
        """Return the same without what only `without_blocks` needs."""
        return self._replace(chains=[chain._replace(without_blocks=np.empty(0)) for chain in self.chains])

    def _together(self, n: int, predict: Any) -> tuple[Floats, Moments]:
        """Weigh means; return that of the first chain too.

        Variances are those of the first chain, which are calibrated later, and of others their share.
        """
        variances = np.zeros((n, *self.variances.shape[1:]))
        if not self.chains:
            nothing = np.zeros((n, *self.centre.shape))
            return nothing, Moments(nothing, variances)
        means = [predict(self.chains[0], variances)]
        for chain, weight in zip(self.chains[1:], self.weights[1:], strict=True):
            more = np.zeros_like(variances)
            means.append(predict(chain, more))
            variances += weight * more
        return means[0], Moments(weighed(means, self.weights, self.centre), variances)

    # Files.

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        chains = [{"weight": weight, **chain.state()} for chain, weight in zip(self.chains, self.weights, strict=True)]
        own = {"residuals": self.residuals, "doubts": self.variances, "trust": self.trust._asdict()}
        return {"chains": chains, "centre": self.centre.reshape(-1), **own}

    @classmethod
    def from_state(
        cls, stored: Stored, kind: Any, widths: tuple[int, int], n_rows: int, shape: tuple[int, ...]
    ) -> Blend:
        """Take back what `state` gave; `kind` is the class of Mondrian stages, widths are those of `StageRows`."""
        residuals = stored.array("residuals", (None, *shape))
        n_learned = residuals.shape[0]
        variances = stored.array("doubts", (n_learned, *kind.variance_shape(shape)))
        if not 0 < n_learned <= n_rows or (variances < 0).any():
            raise ValueError("its residuals or its variances are not those of its rows")
        if "chains" not in stored:  # as files were before there were several
            return _of_forests(stored, kind, widths[0], shape, residuals, variances)
        parts = stored.parts("chains")
        chains = [Chain.from_state(part, kind, widths, shape) for part in parts]
        weights = [part.number("weight", 0.0) for part in parts]
        centre = stored.array("centre", (math.prod(shape),)).reshape(shape)
        if bool(chains) == (0 in shape) or (chains and not chains[0].mondrian):
            raise ValueError("it has no stages, or none of Mondrian forests")
        trust = Trust.from_state(stored.part("trust")) if "trust" in stored else Trust.at_first(residuals, np.empty(0))
        return cls(chains, weights, centre, residuals, variances, trust)


def _of_forests(
    stored: Stored, kind: Any, width: int, shape: tuple[int, ...], residuals: Floats, variances: Floats
) -> Blend:
    stages: list[Any] = [Ridge.from_state(stored.part("ridge"), width, shape)] if "ridge" in stored else []
    forests = [kind.from_state(part) for part in stored.parts("stages")]
    if bool(forests) == (0 in shape) or any((one.width, one.label_shape) != (width, shape) for one in forests):
        raise ValueError("it has no stages, or stages of another width, or of something else")
    chains = [Chain([*stages, *forests], mean_square(residuals, np.empty(0)), np.empty(0))] if forests else []
    trust = Trust.at_first(residuals, np.empty(0))
    return Blend(chains, [1.0] * len(chains), np.zeros(shape), residuals, variances, trust)


def weighed(means: Sequence[Floats], weights: Sequence[float], centre: Floats) -> Floats:
    """Return the weighed sum of the chains' means, about the centre; of one chain its mean."""
    if len(means) == 1:
        return means[0]
    total = centre * np.ones_like(means[0])
    for mean, weight in zip(means, weights, strict=True):
        total += weight * (mean - centre)
    return total


def _towards(first: Floats, blend: Floats, shares: Floats) -> Floats:
    """Return what is a share of the way from the mean of the first chain to that of all."""
    if (shares == 1.0).all():
        return blend
    found: Floats = first + shares.reshape(-1, *(1,) * (first.ndim - 1)) * (blend - first)
    return found


def make_blend(
    kinds: Sequence[str], is_linear: bool, max_stages: int, rows: Rows, making: Making, before: Sequence[Any] = ()
) -> Blend:
    """Make the first chain and those others that may be made of these kinds, and weigh them."""
    shape = rows.y.shape[1:]
    if rows.y.size == 0:  # vectors without components: there is nothing to predict
        variances = np.zeros((rows.X.shape[0], *making.kind.variance_shape(shape)))
        return Blend([], [], np.zeros(shape), rows.y, variances, Trust.at_first(rows.y, rows.weights))
    recipes = [Recipe(("linear",) * is_linear + ("mondrian",) * max_stages, making.n_trees)]
    if making.copies.n_units >= FEWEST_ROWS:
        recipes += [Recipe(kinds, making.n_trees) for kinds in _others(kinds, *making.plain.shape)]
    if rows.y.shape[0] > MANY_ROWS:
        recipes = _worth_making(recipes, rows, making)
    return _made(recipes, rows, making, before)[1]


def _others(kinds: Sequence[str], n: int, width: int) -> list[tuple[str, ...]]:
    """Return what other chains may be made of, out of these kinds of stages and for so many rows and columns."""
    allowed = set(kinds) - _if(width > MOST_COLUMNS, "kernel") - _if(n * width > MOST_CELLS, "greedy")
    return [tuple(kind for kind in recipe if kind in allowed) for recipe in RECIPES if recipe[0] in allowed]


def _if(holds: bool, kind: str) -> set[str]:
    return {kind} if holds else set()


def _worth_making(recipes: list[Recipe], rows: Rows, making: Making) -> list[Recipe]:
    """Return the recipes of the chains that pay on some of the rows, with the trees that they need there."""
    n = rows.y.shape[0]
    few = np.sort(np.random.default_rng([making.seed, 7]).choice(n, N_TRIED, replace=False))
    paying, blend = _made(recipes, rows.part(few), making.of(few, making.n_trees))
    needed = [max((stage.n_trees for stage in chain.mondrian), default=making.n_trees) for chain in blend.chains]
    fewest = min(FEWEST_PLANNED, making.n_trees)
    return [recipe._replace(n_trees=max(n, fewest)) for recipe, n in zip(paying, needed, strict=True)]


def _made(recipes: list[Recipe], rows: Rows, making: Making, before: Sequence[Any] = ()) -> tuple[list[Recipe], Blend]:
    """Make a chain for each recipe, and weigh them; return the recipes that pay, and their blend."""
    has_many = rows.y.shape[0] > MANY_ROWS

    def make(recipe: Recipe, making: Making, **how: Any) -> Made:
        made = make_chain(recipe, rows, making, **how)
        return made._replace(honest=[]) if has_many else made

    made = [make(recipes[0], making, before=before)]
    for k, recipe in enumerate(recipes[1:] if made[0].chain.error > 0.0 else ()):
        most = FAR_BEHIND * min(one.chain.error for one in made)
        made.append(make(recipe, making.seeded(100 + k), most=most))
    centre: Floats = np.asarray(np.average(rows.y, axis=0, weights=rows.weights if rows.weights.size else None))
    kept, weights = weigh(made, rows, centre)
    made, recipes = [made[k] for k in kept], [recipes[k] for k in kept]
    if not has_many:  # or it was tried on some of them how many trees are needed
        error = mean_square(_residuals(made, weights, rows.y, centre), rows.weights)
        made = _without_needless_trees(made, weights, error, rows, making)
    residuals = _residuals(made, weights, rows.y, centre)
    variances = made[0].variances + sum(
        weight * one.variances for weight, one in zip(weights[1:], made[1:], strict=True)
    )
    trust = Trust.at_first(made[0].residuals - residuals, rows.weights)
    return recipes, Blend([one.chain for one in made], weights, centre, residuals, variances, trust)


def _residuals(made: list[Made], weights: list[float], labels: Floats, centre: Floats) -> Floats:
    return labels - weighed([labels - one.residuals for one in made], weights, centre)


def _without_needless_trees(
    made: list[Made], weights: list[float], error: float, rows: Rows, making: Making
) -> list[Made]:
    """Return the chains with as few trees as add little to their error together."""
    forests = [
        (k, weight**2 * honest.between)
        for k, (one, weight) in enumerate(zip(made, weights, strict=True))
        for stage, honest in zip(one.chain.stages, one.honest, strict=True)
        if stage.kind == "mondrian"
    ]
    fewest = FEWEST_TREES if made[0].variances.size else 1
    needed = trees_needed([alone for _, alone in forests], making.n_trees, fewest, error)
    by_chain = [[n for n, (of, _) in zip(needed, forests, strict=True) if of == k] for k in range(len(made))]
    return [one.with_trees(numbers, rows, making) for one, numbers in zip(made, by_chain, strict=True)]


def weigh(made: list[Made], rows: Rows, centre: Floats) -> tuple[list[int], list[float]]:
    """Return which chains pay, and their weights, by non-negative least squares on honest predictions.

    Honest predictions of greedy trees are those of few of them; by how much that is too rough is taken off.
    """
    if len(made) == 1:
        return [0], [1.0]
    n = rows.X.shape[0]
    share = rows.weights / rows.weights.sum() if rows.weights.size else np.full(n, 1.0 / n)
    labels = (rows.y - centre).reshape(n, -1)
    means = [(labels - one.residuals.reshape(n, -1)) for one in made]
    products = np.array([[float((share @ (a * b)).sum()) for a in means] for b in means])
    products[np.diag_indices_from(products)] -= [one.excess for one in made]
    right = np.array([float((share @ (a * labels)).sum()) for a in means])
    total = float((share @ labels**2).sum())
    kept = np.arange(len(made))
    while True:
        matrix, part = products[np.ix_(kept, kept)], right[kept]
        values, vectors = np.linalg.eigh(matrix)
        roots = np.sqrt(np.maximum(values, 1e-12 * max(values[-1], np.finfo(np.float64).tiny)))
        weights = nnls((vectors * roots).T, (vectors.T @ part) / roots)[0]
        light = (weights < LEAST_WEIGHT) & (kept > 0)
        if not light.any():
            break
        kept = kept[~light]
    error = total - 2.0 * weights @ part + weights @ matrix @ weights
    alone = total - 2.0 * right[0] + products[0, 0]
    if kept.size == 1 or error > (1.0 - LEAST_GAIN) * alone:
        return [0], [1.0]
    return kept.tolist(), weights.tolist()


def folds_of(n: int, groups: Any, seed: int) -> Any:
    """Assign rows to folds at random, copies to the same, as evenly as can be; copies are as good as weights."""
    if not groups.size:
        return _folds(n, seed)
    _, first, unit = np.unique(groups, return_index=True, return_inverse=True)
    in_order = np.argsort(np.argsort(first))  # units in the order in which they come
    return _folds(first.size, seed)[in_order[unit]]


def _folds(n: int, seed: int) -> Any:
    return np.random.default_rng([seed, 6]).permutation(np.arange(n, dtype=np.uint32) % N_FOLDS)
