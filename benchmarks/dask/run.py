"""Forests on Dask clusters: one worker and two, few partitions and many; time, work and memory of each worker."""

from __future__ import annotations

import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple

import dask.array as da
from distributed import Client, LocalCluster, wait

from benchmarks.shared.data import friedman_mean
from benchmarks.shared.page import Options, Page
from hedgerow import MondrianForestRegressor
from hedgerow.integrations.dask import DaskMondrianForestRegressor

N_COLUMNS = 8
CHUNK = 100_000
HEADINGS = ("time, s", "µs a row", "work, s", "peaks, GB")
INTRODUCTION = """\
`DaskMondrianForestRegressor` on uniform rows of {n_columns} columns, in worker processes of one thread each on this \
machine. Rows are made by the workers before the clock starts. *Efficiency* is the time of one worker over that of w \
workers, divided by w. *Work* is processor time of all workers together. *Peak* is the largest memory that a worker \
ever had, libraries and rows included."""
FEW_TREES = """\
A tree of so many rows takes 0.9 GB, so that there are few. Of these, the first five and smoothing are the work of one \
worker."""


class Measured(NamedTuple):
    """A fit."""

    seconds: float
    work: float
    peaks: list[float]  # of workers, in GB


def run(page: Page, options: Options) -> None:
    """Fit the same forest with one worker and with two, then in more and more partitions; with FULL, many rows."""
    n, n_trees = options.size or options.pick(5_000, 300_000), options.pick(12, 50)
    page.begin("Forests on Dask clusters", INTRODUCTION.format(n_columns=N_COLUMNS), "dask", "distributed", "numpy")
    few = max(2, n // CHUNK)
    found = {n_workers: fit(n_workers, n, few, n_trees) for n_workers in (1, 2)}
    lines = workers(found, n)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh_process:
        lines.append(("the ordinary model", *cells(fresh_process.submit(alone, n, n_trees).result(), n), ""))
    page.table(f"{n:,} rows, {n_trees} trees", ("workers", *HEADINGS, "efficiency"), lines)
    parts = {few: found[2]} | {times * few: fit(2, n, times * few, n_trees) for times in (8, 64)}
    more = [(str(n_parts), *cells(measured, n)) for n_parts, measured in parts.items()]
    page.table("The same in more partitions, two workers", ("partitions", *HEADINGS), more)
    if options.full:
        n, n_trees = options.pick(20_000, 10_000_000), 8
        lines = workers({n_workers: fit(n_workers, n, max(2, n // CHUNK), n_trees) for n_workers in (1, 2)}, n)
        page.table(f"{n:,} rows, {n_trees} trees", ("workers", *HEADINGS, "efficiency"), lines, FEW_TREES)


def workers(found: dict[int, Measured], n: int) -> list[tuple[str, ...]]:
    """Return a line for each number of workers."""
    efficiency = {w: f"{found[1].seconds / measured.seconds / w:.2f}" for w, measured in found.items()}
    return [(f"{w} of Dask", *cells(measured, n), efficiency[w]) for w, measured in found.items()]


def cells(measured: Measured, n: int) -> tuple[str, ...]:
    """Return what the table says of a fit."""
    peaks = ", ".join(f"{peak:.2f}" for peak in measured.peaks)
    return f"{measured.seconds:.1f}", f"{1e6 * measured.seconds / n:.1f}", f"{measured.work:.1f}", peaks


def fit(n_workers: int, n: int, n_parts: int, n_trees: int) -> Measured:
    """Fit a forest in fresh worker processes."""
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, memory_limit=0, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        X, y = client.persist(list(rows(n, -(-n // n_parts))))
        wait([X, y])
        before, begin = sum(client.run(time.process_time).values()), time.perf_counter()
        model = DaskMondrianForestRegressor(n_trees, random_state=0, client=client).fit(X, y)
        seconds, work = time.perf_counter() - begin, sum(client.run(time.process_time).values()) - before
        del model
        return Measured(seconds, work, sorted(client.run(peak).values()))


def alone(n: int, n_trees: int) -> Measured:
    """Fit the ordinary model to the same rows."""
    X, y = (each.compute(scheduler="sync") for each in rows(n, CHUNK))
    worked, begin = time.process_time(), time.perf_counter()
    MondrianForestRegressor(n_trees, cuts="keyed", random_state=0).fit(X, y)
    return Measured(time.perf_counter() - begin, time.process_time() - worked, [peak()])


def rows(n: int, chunk: int) -> tuple[Any, Any]:
    """Return rows and targets, still to be drawn."""
    rng = da.random.default_rng(0)
    X = rng.uniform(size=(n, N_COLUMNS), chunks=(chunk, N_COLUMNS))
    return X, friedman_mean(X) + rng.normal(size=n, chunks=chunk)


def peak() -> float:
    """Most memory that this process ever had, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
