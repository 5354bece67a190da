"""Mondrian forests for regression (Lakshminarayanan, Roy and Teh 2016): Figure 2 and Tables 1 to 3."""

from __future__ import annotations

from benchmarks.papers.lakshminarayanan_2016.away import figure_2
from benchmarks.papers.lakshminarayanan_2016.criteria import criteria
from benchmarks.papers.lakshminarayanan_2016.flights import tables_1_and_2
from benchmarks.papers.lakshminarayanan_2016.optimisation import table_3
from benchmarks.shared.page import Options, Page

INTRODUCTION = """\
The experiments of Lakshminarayanan, Roy and Teh, *Mondrian Forests for Large-Scale Regression when Uncertainty \
Matters*, AISTATS 2016, with the paper's numbers, ours and those of other libraries. A model of ours that is called \
*paper* is this library with `hyperparameters="paper"`, which follows the paper and its supplement. Numbers of the \
paper itself are in columns or tables that say so."""


def run(page: Page, options: Options) -> None:
    """Take the experiments in the paper's order, and one more."""
    page.begin("Lakshminarayanan, Roy and Teh (2016)", INTRODUCTION, "numpy", "scikit-learn")
    figure_2(page)
    tables_1_and_2(page, options)
    table_3(page, options)
    criteria(page, options)
