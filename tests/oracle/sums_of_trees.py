"""Sums of trees from the core, for tests: samplers with everything given, and trees read back by name.

A tree is named as in `tree_enumeration`: ``("leaf", rows)`` or ``(feature, left, right)``. A cut between two values is
as likely as their distance says, which is how the enumeration has it.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import multivariate_normal

from hedgerow import _core
from oracle.tree_enumeration import rows_of


def known_noise_likelihood(noise_variance, leaf_variance):
    """Labels of a leaf share a normal value, integrated out: equation (4.9) of Lakshminarayanan (2016)."""

    def log_marginal(labels):
        n = len(labels)
        covariance = noise_variance * np.eye(n) + leaf_variance
        return float(multivariate_normal.logpdf(labels, np.zeros(n), covariance))

    return log_marginal


def sampler(X, y, moves, *, n_trees=1, base=0.95, decay=0.5, leaf_deviation=1.0, noise=None, df=3.0, scale=1.0, **more):
    """Chains on labels as they are, not scaled; ``noise`` fixes the noise's standard deviation.

    With ``varying``, a dict of n_trees, leaf_shape, leaf_scale and floor, only the part that all rows share.
    """
    if noise is not None:
        df, scale = 1e14, noise**2
    settings = _core.SumSettings(
        prior=_core.TreePrior(base, decay),
        leaf_deviation=leaf_deviation,
        n_trees=n_trees,
        moves=[(getattr(_core.TreeMove, name), count) for name, count in moves.items()],
        n_rounds=more.pop("n_rounds", 1),
        n_particles=more.pop("n_particles", 5),
        noise_df=df,
        noise_scale=scale,
        varying=_core.VaryingNoise(**more.pop("varying")) if "varying" in more else None,
    )
    given = {"weights": np.zeros(0), "kind": "normal", "offsets": [0.0], "n_chains": 1, "seed": 0} | more
    shared = {
        "kind": getattr(_core.ResponseKind, given["kind"]),
        "offsets": given["offsets"],
        "settings": settings,
        "n_chains": given["n_chains"],
        "seed": given["seed"],
    }
    y = np.ascontiguousarray(y, dtype=np.float64)
    if "arrays" in given:
        return _core.SumOfTreesSampler.restore(given["arrays"], y, given["weights"], **shared)
    start = getattr(_core.ChainStart, given.get("start", "prior"))
    X = np.ascontiguousarray(X, dtype=np.float64)
    return _core.SumOfTreesSampler.begin(X, y, given["weights"], start=start, n_threads=1, **shared)


def codes(arrays, chain, n_trees=1, of=""):
    """Yield, for each draw of a chain, a list of (shape, rules, values), one a tree; ``of="noise."`` its trees."""
    prefix = f"chain{chain}.{of}draws."
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
    """Name of a tree, by how it deals the rows, which are given as bins."""
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


def tree_shares(drawn, n_chains, X, of=""):
    """Of each chain: how often each tree was drawn, by name; ``of="noise."`` that of the noise."""
    arrays, names = drawn.archive(), {}
    X = np.column_stack([np.unique(column, return_inverse=True)[1] for column in np.asarray(X).T]).tolist()
    for chain in range(n_chains):
        counts: dict = {}
        for ((shape, rules, _),) in codes(arrays, chain, of=of):
            key = (shape, rules)
            if key not in names:
                names[key] = named(shape, rules, X)
            counts[names[key]] = counts.get(names[key], 0) + 1
        total = sum(counts.values())
        yield {name: count / total for name, count in counts.items()}


def coded(name, X, rng):
    """Shape and rules of a tree with this name; where in a gap its cuts lie is drawn as the prior has it."""
    distinct = [np.unique(column) for column in np.asarray(X, dtype=float).T]
    shape, rules = [], []

    def write(node):
        shape.append(int(node[0] != "leaf"))
        if node[0] == "leaf":
            return
        feature, left, right = node
        values = distinct[feature]
        lower = max(X[row][feature] for row in rows_of(left))
        upper = min(X[row][feature] for row in rows_of(right))
        rules.append((feature << 8) | int(np.searchsorted(values, rng.uniform(lower, upper), side="right") - 1))
        write(left)
        write(right)

    write(name)
    return shape, rules


def started_at(names, X, y, moves, seed=0, **settings):
    """One chain for each name, which starts at that tree."""
    rng = np.random.default_rng(seed)
    begun = sampler(X, y, moves, n_chains=len(names), seed=seed, start="leaves", **settings)
    arrays = begun.archive()
    for chain, name in enumerate(names):
        shape, rules = coded(name, X, rng)
        arrays |= {
            f"chain{chain}.state.shape": np.packbits(shape, bitorder="little"),
            f"chain{chain}.state.rules": np.array(rules, dtype=np.uint32),
            f"chain{chain}.state.values": np.zeros(len(rules) + 1, dtype=np.int64),
            f"chain{chain}.state.counts": np.array([len(shape), 1], dtype=np.uint64),
        }
    return sampler(X, y, moves, n_chains=len(names), seed=seed, arrays=arrays, **settings)
