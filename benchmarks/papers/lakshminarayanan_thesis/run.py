"""Lakshminarayanan (2016), the thesis: Bayesian trees, particle Gibbs for BART, Mondrian forests for classes."""

from __future__ import annotations

from benchmarks.papers.lakshminarayanan_thesis.bart import bart
from benchmarks.papers.lakshminarayanan_thesis.depth import depths
from benchmarks.papers.lakshminarayanan_thesis.forests import forests, sets_of_the_thesis
from benchmarks.papers.lakshminarayanan_thesis.reported import DEPTHS
from benchmarks.papers.lakshminarayanan_thesis.trees import trees
from benchmarks.shared.page import Options, Page

INTRODUCTION = """\
Experiments of Lakshminarayanan, *Decision Trees and Forests: A Probabilistic Perspective* (2016): Figures 3.2 to \
3.11, Tables 4.1 to 4.5, Figure 5.3 and Table 5.1. Where the thesis prints numbers, they stand next to ours; where it \
has only a figure, ours is drawn in its form. Fewer seeds, sweeps and mini-batches than in the thesis are named where \
they are used."""


def run(page: Page, options: Options) -> None:
    """Chapter by chapter."""
    page.begin("Decision trees and forests: a probabilistic perspective", INTRODUCTION, "numpy", "scikit-learn")
    trees(page, options)
    bart(page, options)
    page.text("## Chapter 5: Mondrian forests")
    splits = sets_of_the_thesis(options)
    page.skipped(DEPTHS, [data.name for data in splits])
    forests(page, options, splits)
    depths(page, splits, options.pick(2, 20))
