"""``hedgerow tune``: the few choices that are left to users, made by cross-validation within a time limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer

from hedgerow.cli._folds import folds_of
from hedgerow.cli._models import MODELS, check_model, new_model, word_for
from hedgerow.cli._names import listed, reading_of
from hedgerow.cli._options import Categorical, Data, Dates, Folds, Ignore, Jobs, Missing, Seed, Target, Task, Use
from hedgerow.cli._output import Output, UsageError
from hedgerow.cli._scores import CONFIDENCE, scores_of, show_strongest
from hedgerow.cli._training import training_rows
from hedgerow.cli.commands.fit import fit_and_save, model_path, say_saved

MEASURE = {"regression": "CRPS", "classification": "log loss"}
"""What is minimised: both judge the whole prediction, not only its mean or its most probable class."""


@dataclass(frozen=True)
class Candidate:
    """A model and its parameters."""

    model: str
    parameters: Mapping[str, Any]

    def __str__(self) -> str:
        return ", ".join([self.model, *(f"{name}={value}" for name, value in self.parameters.items())])

    def new(self, task: str, **shared: Any) -> Any:
        """Return the model, with nothing learned."""
        return new_model(self.model, task, **shared).set_params(**self.parameters)


@dataclass(frozen=True)
class Trial:
    """A candidate, its score on each fold, and seconds a fold."""

    candidate: Candidate
    scores: Any
    seconds: float


CANDIDATES = (
    Candidate("boosting", {}),
    Candidate("forest", {}),
    Candidate("boosting", {"n_estimators": 100}),
    Candidate("kernel", {}),
    Candidate("forest", {"n_estimators": 200}),
    Candidate("boosting", {"stages": ["linear", "mondrian"]}),
    Candidate("boosting", {"n_estimators": 200}),
    Candidate("bart", {"n_draws": "auto"}),
)
"""In the order in which they are tried: the default, then what is quick and different. Everything else is learned."""


def tune(
    out: Output,
    data: Data,
    target: Target,
    to: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to write the best; DATA with .hedgerow if not given.")
    ] = None,
    minutes: Annotated[float, typer.Option(help="Start no further trial after N minutes.", min=0)] = 10.0,
    cv: Folds = 5,
    model: Annotated[
        list[str] | None, typer.Option(metavar="MODELS", help="Models to try: boosting,forest,kernel,bart.")
    ] = None,
    task: Task = "auto",
    ignore: Ignore = None,
    categorical: Categorical = None,
    use: Use = None,
    missing: Missing = None,
    dates: Dates = None,
    seed: Seed = 0,
    jobs: Jobs = -1,
) -> None:
    """Try models and numbers of trees by cross-validation, and save the best.

    There is little to tune: most parameters are learned by every fit. The default is kept unless another is better by
    more than the standard error of the difference.
    """
    path, end = model_path(data, to), perf_counter() + 60 * minutes
    for name in listed(model, ()):
        word_for(name)  # refused before the table is read
    reading = reading_of(missing, dates)
    rows = training_rows(out, data, target, task, ignore, categorical, use, reading=reading)
    candidates = _candidates(rows.task, listed(model, ()))
    folds, measure = folds_of(rows.y, rows.task, cv, seed), MEASURE[rows.task]
    shared: dict[str, Any] = {"random_state": seed, "n_jobs": jobs}
    tried: list[Trial] = []
    with out.progress("trying", len(candidates) * cv) as advance:
        for candidate in candidates:
            each: list[float] = []
            begin = perf_counter()
            for own, new in folds:
                if tried and perf_counter() >= end:
                    break
                learner = candidate.new(rows.task, **shared).fit(rows.X.iloc[own], rows.y[own])
                each.append(scores_of(learner, rows.X.iloc[new], rows.y[new], rows.task, CONFIDENCE)[measure])
                advance(1)
            else:
                tried.append(Trial(candidate, np.array(each), (perf_counter() - begin) / cv))
    best = choose(tried)
    _show(out, tried, best, candidates, measure, cv)
    fitted = fit_and_save(out, best.candidate.new(rows.task, **shared), rows, path)
    show_strongest(out, fitted)
    say_saved(out, path, data)


def choose(tried: Sequence[Trial]) -> Trial:
    """Return the trial with the lowest mean, or the first if that is not better by a standard error.

    Folds are the same for all, so differences are taken fold by fold.
    """
    best = min(tried, key=lambda trial: float(trial.scores.mean()))
    gain = tried[0].scores - best.scores
    return best if gain.mean() > gain.std(ddof=1) / np.sqrt(gain.size) else tried[0]


def _candidates(task: str, wanted: list[str]) -> list[Candidate]:
    for name in wanted:
        check_model(name, task)
    words = [word_for(name) for name in wanted] or [word for word in MODELS if task in MODELS[word]]
    found = [candidate for candidate in CANDIDATES if candidate.model in words and task in MODELS[candidate.model]]
    if not found:
        raise UsageError(
            f"--model {', '.join(wanted)}: there is nothing to tune; boosting, forest, kernel and bart can be"
        )
    return found


def _show(
    out: Output, tried: Sequence[Trial], best: Trial, candidates: Sequence[Candidate], measure: str, cv: int
) -> None:
    gains = [tried[0].scores - trial.scores for trial in tried]
    table = [
        {"candidate": str(trial.candidate), measure: float(trial.scores.mean()), "gain": float(gain.mean())}
        | {"standard error": float(gain.std(ddof=1) / np.sqrt(cv)), "seconds": trial.seconds}
        for trial, gain in zip(tried, gains, strict=True)
    ]
    place = next(place for place, trial in enumerate(tried) if trial is best)
    out.table("candidates", table, f"{measure}, mean over {cv} folds", dict.fromkeys(table[0], place))
    if len(tried) < len(candidates):
        names = "; ".join(map(str, candidates[len(tried) :]))
        out.say(f"no time for: {names}. --minutes gives more")
    reason = "the best" if place else "not clearly worse than any other" if len(tried) > 1 else "the only one tried"
    out.done(f"{best.candidate}: {reason}")
    out.facts(best=str(best.candidate), untried=[str(candidate) for candidate in candidates[len(tried) :]])
