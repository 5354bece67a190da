"""The page and the picture that the benchmarks on classes write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from benchmarks.class_curves import OURS, OURS_FEW, RIVER, Curve
from benchmarks.class_data import NAMES, SEED
from benchmarks.class_models import BATCH, N_BINS, N_TREES
from benchmarks.report import HEADINGS, Line, machine, warning

PAGE = Path(__file__).parent / "classification.md"
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "classification.png"
MODELS = (OURS, *BATCH, OURS_FEW, RIVER)
COLOURS = ("#0072B2", "#D55E00", "#E69F00", "#595959", "#56B4E9", "#009E73")

HOW_TO_READ = f"""\
Made by `make bench-classification`. {N_TREES} trees in every forest unless said, all other parameters at their
defaults. The data are those of section 5.7 of Lakshminarayanan's thesis, with their predefined test rows; satimage and
dna have 4,435 and 2,000 rows to learn here, 3,104 and 1,400 there. Columns are brought to [0, 1] by their range. Rows
are learned in one shuffled order (seed {SEED}): usps, letter and dna come well mixed as they are, but the rows of
satimage lie in runs of one class. hedgerow and river's AMFClassifier learn online; scikit-learn's forests are fitted
anew at each point. Accuracy, log-loss and calibration error are means over three seeds. river's forest takes part there
with 10 trees and one seed, next to ours with 10 trees: its nodes hold dictionaries, a hundred trees take gigabytes.

Times are processor time. river's forest learns each stretch once; hedgerow has three turns before and three after it,
of which the median counts. In the other sections on time the best turn counts, and the percentage in brackets says how
much longer the median turn took. *Reached* is the peer's time over hedgerow's unless the section says otherwise.

Log-loss is in nats, with probabilities raised to 2.2e-16 where they are less. The calibration error is the expected
calibration error of the most probable class, in {N_BINS} bins of equal width."""


def in_order(names: Iterable[str]) -> list[str]:
    """Return each data set once, in the usual order."""
    usual = [*NAMES, "dna, 60 columns"]
    return sorted(set(names), key=lambda name: usual.index(name) if name in usual else -1)


def write(lines: Sequence[Line], curves: Sequence[Curve], load: float) -> None:
    """Write the page and draw the picture."""
    parts = ["# Benchmarks on classification", machine(), HOW_TO_READ, *filter(None, [warning(load)])]
    for section, members in groupby(lines, key=lambda line: line.section):
        parts.append(f"## {section}\n\n{markdown(HEADINGS, (line.cells for line in members))}")
    parts += [
        "## while learning",
        "![Accuracy against the number of rows learned](../docs/pictures/classification.png)",
    ]
    for name in in_order(curve.data for curve in curves):
        of_data = {curve.model: curve for curve in curves if curve.data == name}
        stops = of_data[OURS].n_rows
        for score, form in (("accuracy", "{:.1%}"), ("log-loss", "{:.3f}"), ("calibration error", "{:.3f}")):
            rows = []
            for model in MODELS:
                rows.append((model, *(form.format(value) for value in of_data[model].reached[score])))
            parts.append(f"{name}, {score} after rows\n\n{markdown(('', *(f'{n:,}' for n in stops)), rows)}")
    parts.append(f"## test rows whose class was said to be impossible, after all rows\n\n{impossible(curves)}")
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    draw(curves)


def impossible(curves: Sequence[Curve]) -> str:
    """Return a table of how often each forest gave the right class probability zero."""
    names = in_order(curve.data for curve in curves)
    found = {(curve.data, curve.model): curve.last("impossible") for curve in curves}
    rows = [(model, *(f"{found[name, model]:.2%}" for name in names)) for model in MODELS]
    return markdown(("", *names), rows)


def markdown(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    lines = [headings, ("---",) * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def draw(curves: Sequence[Curve]) -> None:
    """Draw accuracy against the fraction of rows learned, a panel for each data set, as in Figure 5.3."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = in_order(curve.data for curve in curves)
    figure, panels = plt.subplots(1, len(names), figsize=(2.9 * len(names), 3.4), layout="constrained", squeeze=False)
    for axes, name in zip(panels[0], names, strict=True):
        of_data = {curve.model: curve for curve in curves if curve.data == name}
        n_rows = of_data[OURS].n_rows[-1]
        for model, colour in zip(MODELS, COLOURS, strict=True):
            curve = of_data[model]
            axes.plot(
                [100 * n / n_rows for n in curve.n_rows],
                100 * curve.reached["accuracy"],
                "o-" if model == OURS else ".--",
                color=colour,
                linewidth=2 if model == OURS else 1.2,
                markersize=4,
                label=model,
                zorder=3 if model == OURS else 2,
            )
        axes.set_title(name, loc="left", fontsize=11, fontweight="bold")
        axes.set(xlabel=f"% of {n_rows:,} rows learned", xlim=(0, 103))
        axes.spines[["top", "right"]].set_visible(False)
    panels[0][0].set_ylabel("% of test rows right")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.savefig(PICTURE, dpi=110)
    plt.close(figure)
