"""Prequential evaluation (Gama, Sebastião and Rodrigues, 2009): forecast each row, score, then learn the row."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator
from contextlib import closing, nullcontext
from itertools import chain
from typing import Any

from hedgerow.base.progress import are_bars_off
from hedgerow.metrics._checks import check_confidence
from hedgerow.stream._checkpoint import Checkpoint, row_digest
from hedgerow.stream._chunks import Chunk, Stream, aligned, as_stream
from hedgerow.stream._forecasting import Forecaster, forecaster_of
from hedgerow.stream._progress import with_progress
from hedgerow.stream._run import Run


def evaluate(
    model: Any,
    stream: Any,
    confidence: float = 0.9,
    window: int = 1000,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool = True,
    *,
    checkpoint_every: int | None = None,
    distribution: bool = False,
    name: str | None = None,
) -> Run:
    """Forecast each row of a stream, score the forecast, then let the model learn the row.

    Parameters
    ----------
    model : online model
        A model of this library; or any with `partial_fit` or `learn_one` and one of `predict_dist`, `predict_interval`,
        `predict`, `predict_one`, or for classes `predict_proba`, `predict_proba_one`. It learns the stream. A model
        with `predict_then_learn` does a whole chunk in one call, with the same bits.
    stream : iterable of (x, y), iterable of (X, y), or a pair (X, y)
        Rows, chunks of rows, or all rows at once; what `rows` and `friedman_drift` return. For models that take them,
        such as those of this library, values may be text and dates, and may be missing.
    confidence : float, default=0.9
        Nominal confidence of the intervals.
    window : int, default=1000
        Rows in a window of the history.
    checkpoint : path, optional
        A file to go on from after an interruption, with the same bits as without one. If it exists, the run goes on
        from it: hand in the model as it was when the run began, and the same stream. The one before is kept as
        ``<path>.previous``. One process at a time can use it: others get a BlockingIOError. Needs a model of this
        library.
    progress : bool, default=True
        Whether to show a progress bar, if there is a terminal and `hedgerow.show_progress` has not turned bars off.
    checkpoint_every : int, optional
        Rows between two checkpoints; they are written between chunks of 1,000 rows. Default: at least 5 seconds, and as
        many as it takes for writing to cost at most 5 % of the time.
    distribution : bool, default=False
        Whether to score the whole distribution too, by NLPD and CRPS. Needs `predict_dist`, and takes longer.
    name : str, optional
        Name of the model in tables and pictures. Default: its class.

    Returns
    -------
    run : Run
        Scores by window and over all: of regressors the error of the mean and, if they have intervals, miss rate,
        relative size, quantile loss, utility and interval score; of classifiers accuracy and log loss.

    Notes
    -----
    Before its first row a model has nothing to go by. That row's interval is infinite: it covers, is counted, and has
    no size.

    Examples
    --------
    >>> from hedgerow import MondrianForestRegressor
    >>> from hedgerow.stream import evaluate, friedman_drift
    >>> model = MondrianForestRegressor(n_estimators=5, window=200, random_state=0)
    >>> run = evaluate(model, friedman_drift("report", n_rows=800, random_state=0), window=200)
    >>> run.n_rows, len(run.history["mean_error_rate"]), model.n_samples_
    (800, 4, 200)
    """
    source = as_stream(stream)
    steps = evaluation(
        model,
        source,
        confidence,
        window,
        checkpoint,
        checkpoint_every=checkpoint_every,
        distribution=distribution,
        name=name,
    )
    with closing(steps):
        run = next(steps)
        for step in with_progress(steps, source, run.name) if progress and not are_bars_off() else steps:
            run = step
    return run


def evaluation(
    model: Any,
    source: Stream,
    confidence: float,
    window: int,
    checkpoint: str | os.PathLike[str] | None,
    *,
    checkpoint_every: int | None = None,
    distribution: bool = False,
    name: str | None = None,
) -> Generator[Run, None, None]:
    """Yield the run before the first chunk and after each; what `evaluate` does, for those who watch."""
    forecaster = forecaster_of(model, check_confidence(confidence), distribution)
    run = Run(name or type(model).__name__, forecaster.task, float(confidence), window, " ".join(forecaster.scored))
    run.change_points = source.change_points
    keeper = None if checkpoint is None else Checkpoint(checkpoint, model, checkpoint_every)
    with nullcontext() if keeper is None else keeper.in_use():
        snapshot = None if keeper is None else keeper.latest(run)
        if keeper is None or snapshot is None:
            chunks = source.chunks()
        else:
            chunks = _from_row(source, snapshot.run.n_rows, snapshot.last_row)
            keeper.adopt(snapshot)
            snapshot.run.change_points = run.change_points
            run = snapshot.run
        yield run
        chunk: Chunk | None = None
        for chunk in aligned(chunks, run.n_rows):
            _step(forecaster, run, chunk)
            if keeper is not None:
                keeper.write_if_due(run, chunk)
            yield run
        if keeper is not None and chunk is not None:
            keeper.write(run, chunk)
        if run.n_rows == 0:
            raise ValueError("the stream has no rows")


def _step(forecaster: Forecaster, run: Run, chunk: Chunk) -> None:
    """Forecast, score and learn the rows of a chunk."""
    begin, first = time.perf_counter(), run.n_rows
    n_drifts = _n_drifts(forecaster) if forecaster.has_learned() else 0
    try:
        columns = forecaster.forecast_then_learn(chunk)
    except ValueError as error:
        raise ValueError(f"in rows {first:,} to {first + len(chunk) - 1:,} of the stream: {error}") from error
    run.update(columns)
    if _n_drifts(forecaster) > n_drifts:
        run.drifts += (run.n_rows - 1,)
    run.seconds += time.perf_counter() - begin


def _n_drifts(forecaster: Forecaster) -> int:
    """Drifts that the model has noticed so far, if it counts them."""
    return int(getattr(forecaster.model, "n_drifts_", 0))


def _from_row(source: Stream, start: int, last_digest: str) -> Iterator[Chunk]:
    """Return the chunks from a row on, having made sure that the row before it is the one learned last."""
    chunks = source.chunks(start - 1)
    first = next(chunks, None)
    if first is None:
        raise ValueError(f"the stream ends before row {start - 1:,}, which the checkpoint has learned")
    if row_digest(first, 0) != last_digest:
        raise ValueError(
            f"row {start - 1:,} of the stream is not the one that was learned before the checkpoint; hand in the same "
            "stream from its beginning, or begin anew with another checkpoint"
        )
    return chain([first[1:]], chunks)
