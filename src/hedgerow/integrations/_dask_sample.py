"""A random sample of the rows of a Dask collection that is a function of the seed and of the set of rows.

Each distinct row (columns, target, weight) has a hash under the seed, and those with the smallest hashes are kept, with
how often they came. A row among the smallest of all is among the smallest of its partition, so that samples of
partitions can be joined in any order, and none is larger than the sample of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from dask import delayed

from hedgerow.base.columns import numbers_by_type
from hedgerow.base.rows import drop_weightless
from hedgerow.integrations._dask_tasks import Block, Shape, check_alike, hedgerow_shape, joined

JOINED_AT_ONCE = 4

Hashes = npt.NDArray[np.uint64]


class Sample(NamedTuple):
    """Distinct rows with the smallest hashes, in their order."""

    block: Block
    hashes: Hashes
    counts: npt.NDArray[np.int64]  # how often each came
    shapes: dict[int, Shape]  # of partitions by number: all rows, also those that were not kept


def sampled(client: Any, blocks: list[Any], n: int, seed: int) -> tuple[Any, int, int]:
    """Return a partition of at most n rows, as a future, how many it has, and how many were given.

    Partitions are still to be computed; workers hold a few of them at a time, and some samples.
    """
    parts = [delayed(hedgerow_sample)(number, block, n, seed) for number, block in enumerate(blocks)]
    while len(parts) > 1:
        groups = [parts[first : first + JOINED_AT_ONCE] for first in range(0, len(parts), JOINED_AT_ONCE)]
        parts = [delayed(hedgerow_join_samples)(group, n) for group in groups]
    block, counted = client.compute([delayed(hedgerow_sampled)(parts[0]), delayed(hedgerow_count_sample)(parts[0])])
    return block, *counted.result()


def hedgerow_sample(number: int, block: Block, n: int, seed: int) -> Sample:
    """Return the sample of one partition."""
    shape = hedgerow_shape(block)
    places = np.arange(shape.n_rows)
    _, places, weights = drop_weightless(np.empty(shape.n_rows), places, block.weights)
    kept = _part(block, places)
    columns = chain(
        _checked("X", numbers_by_type(kept.X), number),
        _checked("y", numbers_by_type(kept.y if kept.y.ndim == 2 else {"y": kept.y}), number),
        [weights] if weights.size else [],
    )
    hashes = hashed(seed, len(places), columns)
    return _smallest(kept, hashes, np.ones(hashes.size, dtype=np.int64), n, {number: shape})


def hedgerow_join_samples(samples: list[Sample], n: int) -> Sample:
    """Return the sample of the rows of several."""
    shapes = {number: shape for sample in samples for number, shape in sample.shapes.items()}
    filled = [sample for sample in samples if sample.hashes.size]
    if not filled:
        return samples[0]._replace(shapes=shapes)
    check_alike(shapes)
    hashes, counts = (np.concatenate([getattr(sample, name) for sample in filled]) for name in ("hashes", "counts"))
    return _smallest(joined([sample.block for sample in filled]), hashes, counts, n, shapes)


def hedgerow_sampled(sample: Sample) -> Block:
    """Return the rows; one that came m times has m times the weight."""
    check_alike(sample.shapes)
    X, y, weights = sample.block
    if weights is None and (sample.counts == 1).all():
        return sample.block
    return Block(X, y, sample.counts * (1.0 if weights is None else np.asarray(weights, dtype=np.float64)))


def hedgerow_count_sample(sample: Sample) -> tuple[int, int]:
    """Return how many rows were kept, and how many were given."""
    return sample.hashes.size, sum(shape.n_rows for shape in sample.shapes.values())


def hashed(seed: int, n: int, columns: Iterable[npt.NDArray[np.float64]]) -> Hashes:
    """Return 64 bits for each of n rows that follow from its bits and the seed: steps of SplitMix64, a column each."""
    state = np.full(n, seed, dtype=np.uint64)
    for column in columns:
        state ^= np.ascontiguousarray(column).view(np.uint64)
        state += np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            state ^= state >> np.uint64(shift)
            state *= np.uint64(factor)
        state ^= state >> np.uint64(31)
    return state


def _checked(name: str, columns: Iterable[npt.NDArray[np.float64]], number: int) -> Iterator[npt.NDArray[np.float64]]:
    """Refuse what a model would refuse, also in rows that are not kept."""
    for column in columns:
        if np.isinf(column).any() or (name == "y" and np.isnan(column).any()):
            missing = " or a missing value" if name == "y" else ""
            raise ValueError(f"{name} holds infinity{missing} in partition {number}")
        yield column


def _smallest(block: Block, hashes: Hashes, counts: Any, n: int, shapes: dict[int, Shape]) -> Sample:
    """Keep the rows with the n smallest hashes, each once, and add up how often they came."""
    distinct, first, which = np.unique(hashes, return_index=True, return_inverse=True)
    total = np.bincount(which, weights=counts, minlength=distinct.size).astype(np.int64)  # exact below 2^53
    return Sample(_part(block, first[:n]), distinct[:n], total[:n], shapes)


def _part(block: Block, places: npt.NDArray[np.intp]) -> Block:
    def taken(part: Any) -> Any:
        return part if part is None else part.iloc[places] if hasattr(part, "iloc") else part[places]

    return Block(*map(taken, block))
