"""Sums of trees from the core, for tests: samplers with everything given, and trees read back by name.

A tree is named as in `tree_enumeration`: ``("leaf", rows)`` or ``(feature, left, right)``. Columns must hold the whole
numbers from 0 on, each at least once: then bins are values, and a cut between two values is as likely as their distance
says, which is how the enumeration has it.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import multivariate_normal

from hedgerow import _core


def known_noise_likelihood(noise_variance, leaf_variance):
    """Labels of a leaf share a normal value, which is integrated out: equation (4.9) of document 004, whole."""

    def log_marginal(labels):
        n = len(labels)
        covariance = noise_variance * np.eye(n) + leaf_variance
        return float(multivariate_normal.logpdf(labels, np.zeros(n), covariance))

    return log_marginal


def sampler(X, y, moves, *, n_trees=1, base=0.95, decay=0.5, leaf_deviation=1.0, noise=None, df=3.0, scale=1.0, **more):
    """Chains on labels as they are, not scaled; ``noise`` fixes the noise's standard deviation."""
    if noise is not None:
        df, scale = 1e14, noise**2
    settings = _core.SumSettings(
        prior=_core.TreePrior(base, decay),
        leaf_deviation=leaf_deviation,
        n_trees=n_trees,
        moves=[(getattr(_core.TreeMove, name), count) for name, count in moves.items()],
        n_particles=more.pop("n_particles", 5),
        noise_df=df,
        noise_scale=scale,
    )
    given = {
        "weights": np.zeros(0),
        "kind": "normal",
        "offsets": [0.0],
        "n_chains": 1,
        "seed": 0,
        "start": "prior",
    } | more
    return _core.SumOfTreesSampler.begin(
        np.ascontiguousarray(X, dtype=np.float64),
        np.ascontiguousarray(y, dtype=np.float64),
        given["weights"],
        kind=getattr(_core.ResponseKind, given["kind"]),
        offsets=given["offsets"],
        settings=settings,
        n_chains=given["n_chains"],
        seed=given["seed"],
        start=getattr(_core.ChainStart, given["start"]),
        n_threads=1,
    )


def codes(arrays, chain, n_trees=1):
    """Yield, for each draw of a chain, a list of (shape, rules, values), one a tree."""
    prefix = f"chain{chain}.draws."
    bits = np.unpackbits(arrays[prefix + "shape"], bitorder="little").tolist()
    rules, values = arrays[prefix + "rules"].tolist(), arrays[prefix + "values"].tolist()
    node = rule = value = 0
    for _ in range(len(arrays[prefix + "first_node"]) - 1):
        draw = []
        for _ in range(n_trees):
            begin, n_open = node, 1
            while n_open:
                n_open += 1 if bits[node] else -1
                node += 1
            n_rules = (node - begin) // 2
            draw.append(
                (tuple(bits[begin:node]), tuple(rules[rule : rule + n_rules]), values[value : value + n_rules + 1])
            )
            rule, value = rule + n_rules, value + n_rules + 1
        yield draw


def named(shape, rules, X):
    """Name of a tree, by how it deals the rows."""
    shape, rules = iter(shape), iter(rules)

    def read(inside):
        if not next(shape):
            return ("leaf", inside)
        rule = next(rules)
        feature, cut = rule >> 8, rule & 255
        left = tuple(row for row in inside if X[row][feature] <= cut)
        right = tuple(row for row in inside if X[row][feature] > cut)
        assert left
        assert right
        return (feature, read(left), read(right))

    return read(tuple(range(len(X))))


def tree_shares(drawn, n_chains, X):
    """Of each chain: how often each tree was drawn, by name."""
    arrays, names = drawn.archive(), {}
    X = np.asarray(X).tolist()
    for chain in range(n_chains):
        counts: dict = {}
        for ((shape, rules, _),) in codes(arrays, chain):
            key = (shape, rules)
            if key not in names:
                names[key] = named(shape, rules, X)
            counts[names[key]] = counts.get(names[key], 0) + 1
        total = sum(counts.values())
        yield {name: count / total for name, count in counts.items()}
