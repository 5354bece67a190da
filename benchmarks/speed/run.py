"""Speed and memory of forests, boosting and the kernel next to ExtraTrees, gradient boosting and river's AMF."""

from __future__ import annotations

from benchmarks.shared.page import Options, Page
from benchmarks.shared.timing import HOW_TIMED
from benchmarks.speed import bart, batch, boosting, growth, kernel, keyed, memory, online, scaling, streams

INTRODUCTION = f"""\
All forests have {batch.N_TREES} trees unless said. hedgerow's is MondrianForestRegressor with the hyper-parameters of \
the paper, so nothing is spent on learning them; ExtraTrees has at least five rows a leaf. Data are Friedman's first \
function with noise of standard deviation 1, of whose columns five matter. {HOW_TIMED} Times are processor time on one \
thread, except where two threads are compared, which is by the wall clock."""


def run(page: Page, options: Options) -> None:
    """Measure everything, one part after another."""
    page.begin("Speed and memory", INTRODUCTION, "scikit-learn", "numpy")
    batch.fit(page, options)
    batch.predict(page, options)
    batch.threads(page, options)
    boosting.fit(page, options)
    boosting.predict(page, options)
    boosting.stages(page, options)
    boosting.sets(page, options)
    kernel.fit(page, options)
    online.learn(page, options)
    online.unlearn(page, options)
    streams.forecast(page, options)
    streams.classes(page, options)
    keyed.measure(page, options)
    memory.measure(page, options)
    memory.peaks(page, options)
    memory.imports(page, options)
    growth.measure(page, options)
    scaling.measure(page, options)
    bart.measure(page, options)
