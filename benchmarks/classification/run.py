"""Classification: log loss and accuracy in batch, speed and scores online, next to scikit-learn and river."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.classification import batch, online
from benchmarks.classification.scores import N_BINS
from benchmarks.shared.data import class_sets
from benchmarks.shared.page import Options, Page

ONLINE = ("letter", "satimage", "usps", "dna")
DNA_RELEVANT = slice(60, 120)
"""Columns 61 to 120, which the description of the data calls the most relevant."""
INTRODUCTION = f"""\
Log loss is in nats, with probabilities raised to 2.2e-16 where they are less. The calibration error is the expected \
calibration error of the most probable class, in {N_BINS} bins of equal width. Columns are brought to [0, 1] by their \
range, which river's forests need and the others do not."""


def run(page: Page, options: Options) -> None:
    """Batch first, then rows that come one after another."""
    page.begin("Classification", INTRODUCTION, "scikit-learn", "numpy")
    sets = class_sets(options.data)
    batch.compare(page, sets[: options.pick(2, len(sets))], *options.pick((400, 200), (6000, 3000)))

    streams = class_sets(options.data, ONLINE) if options.data else sets[:1]
    most = options.pick((400, 200), (1_000_000, 1_000_000))
    learned = {table.name: table.split(0, *most).in_unit_range() for table in streams}
    timed = learned.get("letter", next(iter(learned.values())))
    if "dna" in learned:
        dna = learned["dna"]
        X, X_test = (rows[:, DNA_RELEVANT] for rows in (dna.X, dna.X_test))
        learned["dna, 60 columns"] = replace(dna, name="dna, 60 columns", X=X, X_test=X_test)
    online.curves(page, list(learned.values())[: options.pick(1, len(learned))], options)
    stops = options.pick([100, 200], [1000, 2000, 4000], [1000, 2000, 4000, 8000, timed.y.size])
    n_single = min(options.pick(50, 1000, 2000), timed.y.size // 2)
    online.speed(page, timed, sorted({min(stop, timed.y.size) for stop in stops}), n_single)
