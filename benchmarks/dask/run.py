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
INTRODUCTION = """\
`DaskMondrianForestRegressor` with {n_trees} trees on {n_rows:,} uniform rows of {n_columns} columns, in worker \
processes of one thread each on this machine. Rows are made by the workers before the clock starts. *Efficiency* is \
the time of one worker over that of w workers, divided by w. *Work* is processor time of all workers together. \
*Peak* is the largest memory that a worker ever had, libraries and rows included. The last line is the ordinary \
model in one process."""


class Measured(NamedTuple):
    """A fit."""

    seconds: float
    work: float
    peaks: list[float]  # of workers, in GB


def run(page: Page, options: Options) -> None:
    """Fit the same forest with one worker and with two, then in more and more partitions."""
    n, n_trees = options.size or options.pick(5_000, 1_000_000, 10_000_000), options.pick(12, 50)
    words = INTRODUCTION.format(n_trees=n_trees, n_rows=n, n_columns=N_COLUMNS)
    page.begin("Forests on Dask clusters", words, "dask", "distributed", "numpy")
    few, lines = max(2, n // CHUNK), []
    found = {n_workers: fit(n_workers, n, few, n_trees) for n_workers in (1, 2)}
    for n_workers, measured in found.items():
        efficiency = found[1].seconds / measured.seconds / n_workers
        lines.append((f"{n_workers} of Dask", *cells(measured, n), f"{efficiency:.2f}"))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh_process:
        lines.append(("none", *cells(fresh_process.submit(alone, n, n_trees).result(), n), ""))
    headings = ("workers", "time, s", "µs a row", "work, s", "peaks, GB")
    page.table("Workers", (*headings, "efficiency"), lines)
    more = [(str(parts), *cells(fit(2, n, parts, n_trees), n)) for parts in (few, 4 * few, 16 * few)]
    page.table("Partitions, two workers", ("partitions", *headings[1:]), more)


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
