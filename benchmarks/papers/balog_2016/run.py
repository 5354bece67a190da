"""Balog and others (2016), The Mondrian kernel: Proposition 2 and Figures 6, 8, 9 and 10."""

from __future__ import annotations

from threadpoolctl import threadpool_limits

from benchmarks.kernel.search import Thirds
from benchmarks.papers.balog_2016 import figure_6, figure_8, figures_9_and_10, proposition_2
from benchmarks.shared.data import regression_sets
from benchmarks.shared.page import Options, Page

INTRODUCTION = """\
What Balog, Lakshminarayanan, Ghahramani, Roy and Teh (2016) prove and measure, with the features of this library. \
Figures 5 and 7 are on the page of the [kernel](../../kernel/report.md). Their measurements are on the set cpu_act \
with columns as they are and a ridge of 1e-4; here this is done once with columns as they are and once with columns \
divided by their ranges, as MondrianKernelRidge does unless told otherwise. Errors are in percent of the targets, as \
theirs. Times are processor time on one thread."""
MISSING = "Figures 6 and 8 to 10 are left out: there is no folder with cpu_act.parquet."


def run(page: Page, options: Options) -> None:
    """Make the page, a section a figure."""
    page.begin("Balog and others (2016): the Mondrian kernel", INTRODUCTION, "numpy", "scipy", "scikit-learn")
    with threadpool_limits(1):
        proposition_2.add(page, options.pick(2_000, 10_000, 100_000))
        if options.data is None or not (options.data / "cpu_act.parquet").is_file():
            page.text(MISSING)
            return
        table = regression_sets(options.data, names=("cpu_act",))[0]
        n_rows = options.pick(400, options.size)
        table = table if n_rows is None else table.stream(n_rows)
        units = {"as they are": Thirds.of(table, by_range=False), "by their ranges": Thirds.of(table)}
        figure_6.add(page, units, options.pick([3, 10], [1, 3, 10, 15, 30, 100, 300]), options.pick(1, 3, 5))
        n_steps = dict(zip(units, options.pick((4, 4), (40, 12)), strict=True))
        figure_8.add(page, units, options.pick(20, 350), n_steps)
        figures_9_and_10.add(page, units["as they are"], options.pick(2, 7, 9))
