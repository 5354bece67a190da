"""How accurate and how honest the learned forest and boosting are, next to named peers, and what fitting costs."""

from __future__ import annotations

import math
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from statistics import fmean, geometric_mean

from threadpoolctl import threadpool_limits

from benchmarks import accuracy_data
from benchmarks.accuracy_data import RegressionData, friedman1
from benchmarks.accuracy_models import (
    BOOSTING,
    CONTESTANTS,
    EXTRA,
    FOREST,
    NGBOOST,
    PEERS,
    QUANTILE,
    RANDOM,
    Score,
    measure,
)
from benchmarks.report import Line
from benchmarks.timing import interleave

TIMES = "fit, friedman1, 10 columns; the peer is ExtraTrees; reached is ours over its"
LARGE = "friedman1, {:,} rows, noise of standard deviation 1; the peer is ExtraTrees; reached is ours, as it is"
MEANS = "geometric means over the sets; reached is ours over the peer's"
WINS = "sets on which boosting is better than a peer"
COVERS = "sets on which the 90 % interval covers 87 % to 94 % of the test rows"

TIME_TARGETS = {FOREST: 1 / 3, BOOSTING: 1 / 2}
ERROR_TARGETS = {FOREST: 1.15, BOOSTING: 0.95}
LARGE_TARGETS = {FOREST: (1.30, 1.65), BOOSTING: (1.10, 1.52)}


def run(folder: Path | None, quick: bool) -> Iterator[Line | Score]:
    """Yield what is measured, as it is measured. Times come first, while nothing else of ours is running."""
    sets = accuracy_data.built_in(800 if quick else 4000) if folder is None else accuracy_data.from_folder(folder)
    if quick:
        sets = sets[:3]
    yield from times(1000 if quick else 8000, 1 if quick else 3)
    yield from large(4000 if quick else 100_000)
    yield from scores(sets)


def times(n_rows: int, rounds: int) -> Iterator[Line]:
    """Fit in turns."""
    data = friedman1(n_rows, 0)
    new = {model: CONTESTANTS[model][0] for model in (FOREST, BOOSTING, EXTRA)}
    contestants = {
        model: partial(lambda make: partial(make(0).fit, data.X, data.y), make) for model, make in new.items()
    }
    with threadpool_limits(1):
        timings = interleave(contestants, rounds)
    for model, target in TIME_TARGETS.items():
        ours, peer = timings[model], timings[EXTRA]
        yield Line(
            TIMES, f"{model}, {n_rows:,} rows", str(ours), str(peer), ours.best / peer.best, target, at_most=True
        )


def large(n_rows: int) -> Iterator[Line]:
    """Fit and ask once, in original units: the noise has standard deviation 1."""
    train, test = friedman1(n_rows, 0), friedman1(10_000, 1)
    data = accuracy_data.Split(train.X, train.y, test.X, test.y)
    found = {model: measure("friedman1", data, model, 0) for model in (FOREST, BOOSTING, EXTRA)}
    peer, section = found[EXTRA], LARGE.format(n_rows)
    for model, (rmse, nlpd) in LARGE_TARGETS.items():
        ours = found[model]
        yield Line(section, f"{model}, RMSE", f"{ours.rmse:.3f}", f"{peer.rmse:.3f}", ours.rmse, rmse, True, "")
        yield Line(section, f"{model}, NLPD", f"{ours.nlpd:.3f}", f"{peer.nlpd:.3f}", ours.nlpd, nlpd, True, "")
        off, their = abs(ours.coverage - 0.9), f"{peer.coverage:.1%}"
        what = f"{model}, 90 % interval covers; reached is how far off"
        yield Line(section, what, f"{ours.coverage:.1%}", their, 100 * off, 2.0, True, " points")
    for model, target in TIME_TARGETS.items():
        seconds, what = found[model].fit_seconds, f"{model}, {n_rows:,} rows"
        their = f"{peer.fit_seconds:.3g} s"
        yield Line(TIMES, what, f"{seconds:.3g} s", their, seconds / peer.fit_seconds, target, at_most=True)


def scores(sets: Sequence[RegressionData]) -> Iterator[Score]:
    """Yield all scores, as they are done; all cores work, so fit times are only roughly comparable."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=fresh) as workers:
        work = [
            workers.submit(measure, data.name, data.split(seed), model, seed)
            for model in CONTESTANTS
            for data in sets
            for seed in range(data.n_splits)
        ]
        for done in as_completed(work):
            yield done.result()


def mean_scores(found: Sequence[Score]) -> dict[tuple[str, str], Score]:
    """Return, for each set and model, the mean over the splits."""
    groups: dict[tuple[str, str], list[Score]] = {}
    for score in found:
        groups.setdefault((score.data, score.model), []).append(score)
    return {
        key: Score(
            *key,
            members[0].n_train,
            *(
                fmean(getattr(one, name) for one in members)
                for name in ("rmse", "nlpd", "crps", "coverage", "fit_seconds")
            ),
        )
        for key, members in groups.items()
    }


def verdicts(found: Sequence[Score]) -> Iterator[Line]:
    """Compare over all sets."""
    by_name = mean_scores(found)
    names = sorted({score.data for score in found})

    def ratio(score: str, ours: str, peer: str) -> float:
        return geometric_mean(
            getattr(by_name[name, ours], score) / getattr(by_name[name, peer], score) for name in names
        )

    for model, target in ERROR_TARGETS.items():
        yield Line(MEANS, f"{model}, RMSE", "", EXTRA, ratio("rmse", model, EXTRA), target, at_most=True)
        for peer in (RANDOM, QUANTILE, NGBOOST):
            yield Line(MEANS, f"{model}, RMSE", "", peer, ratio("rmse", model, peer))
        for peer in PEERS:
            yield Line(MEANS, f"{model}, CRPS", "", peer, ratio("crps", model, peer))
        yield Line(MEANS, f"{model}, fit time", "", EXTRA, ratio("fit_seconds", model, EXTRA))
    for score, target in (("rmse", None), ("nlpd", 0.75), ("crps", 0.75)):
        for peer in PEERS:
            pairs = [(getattr(by_name[name, BOOSTING], score), getattr(by_name[name, peer], score)) for name in names]
            if any(math.isnan(theirs) for _, theirs in pairs):
                continue
            won = sum(ours < theirs for ours, theirs in pairs)
            share = f"{won} of {len(names)}"
            yield Line(WINS, f"{score.upper()}", share, peer, won / len(names), target, unit="")
    for model in CONTESTANTS:
        inside = sum(0.87 <= by_name[name, model].coverage <= 0.94 for name in names)
        target = 0.9 if model in (FOREST, BOOSTING) else None
        yield Line(COVERS, model, f"{inside} of {len(names)}", "", inside / len(names), target, unit="")
