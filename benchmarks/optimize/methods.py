"""Optimisers that take part: each runs a problem for some evaluations, and returns the values."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.optimize.problems import Problem
from benchmarks.shared.page import Page
from hedgerow.optimize import Integer, Optimizer

Method = Callable[[Problem, int, int], list[float]]
"""Problem, number of evaluations, seed."""


def hedgerow_optimizer(problem: Problem, seed: int, **parameters: Any) -> Optimizer:
    bounds = [(0.0, 1.0) if levels is None else Integer(0, levels - 1) for levels in problem.levels]
    return Optimizer(bounds, random_state=seed, **parameters)


def hedgerow(problem: Problem, n: int, seed: int, **parameters: Any) -> list[float]:
    optimizer, values = hedgerow_optimizer(problem, seed, **parameters), []
    known: set[tuple[float, ...]] = set()
    for _ in range(n):
        asked = tried = optimizer.ask()
        if problem.nearest is not None:
            tried = next(place for place in problem.nearest(asked) if tuple(place) not in known)
            known.add(tuple(tried))
        values.append(problem.function(tried))
        optimizer.tell(tried, values[-1], asked=asked)
    return values


def forest_alone(problem: Problem, n: int, seed: int) -> list[float]:
    return hedgerow(problem, n, seed, local_search=False)


def chance(problem: Problem, n: int, seed: int) -> list[float]:
    rng = np.random.default_rng(seed)
    rows = rng.random((n, len(problem.levels))).tolist()
    places = [
        [unit if levels is None else int(unit * levels) for unit, levels in zip(row, problem.levels, strict=True)]
        for row in rows
    ]
    return [problem.function(place) for place in places]


def optuna_study(sampler: Any) -> Any:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna.create_study(sampler=sampler)


def with_optuna(make_sampler: Callable[[int], Any]) -> Method:
    def method(problem: Problem, n: int, seed: int) -> list[float]:
        def objective(trial: Any) -> float:
            return problem.function(
                [
                    trial.suggest_float(f"x{i}", 0, 1) if levels is None else trial.suggest_int(f"x{i}", 0, levels - 1)
                    for i, levels in enumerate(problem.levels)
                ]
            )

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            study = optuna_study(make_sampler(seed))
            study.optimize(objective, n_trials=n)
        return [trial.value for trial in study.trials]

    return method


def tpe(problem: Problem, n: int, seed: int) -> list[float]:
    from optuna.samplers import TPESampler

    return with_optuna(lambda seed: TPESampler(seed=seed))(problem, n, seed)


def gaussian_process(problem: Problem, n: int, seed: int) -> list[float]:
    import torch
    from optuna.samplers import GPSampler

    torch.set_num_threads(1)
    return with_optuna(lambda seed: GPSampler(seed=seed))(problem, n, seed)


def smac(problem: Problem, n: int, seed: int) -> list[float]:
    from ConfigSpace import ConfigurationSpace, Float
    from ConfigSpace import Integer as WholeNumber
    from smac import HyperparameterOptimizationFacade, Scenario

    logging.disable(logging.CRITICAL)
    space = ConfigurationSpace(seed=seed)
    for i, levels in enumerate(problem.levels):
        space.add(Float(f"x{i}", (0, 1)) if levels is None else WholeNumber(f"x{i}", (0, levels - 1)))
    values: list[float] = []

    def objective(config: Any, seed: int = 0) -> float:
        values.append(problem.function([config[f"x{i}"] for i in range(len(problem.levels))]))
        return values[-1]

    import tempfile

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scenario = Scenario(space, deterministic=True, n_trials=n, seed=seed, output_directory=folder)
        HyperparameterOptimizationFacade(scenario, objective, overwrite=True, logging_level=False).optimize()
    logging.disable(logging.NOTSET)
    return values


def peers(page: Page) -> dict[str, Method]:
    """Return the peers that are installed."""
    found: dict[str, Method] = {"random search": chance}
    if page.has("optuna"):
        found["Optuna TPE"] = tpe
        if page.has("torch"):
            found["Optuna GPSampler"] = gaussian_process
    if page.has("smac"):
        found["SMAC3"] = smac
    return found


def timed(method: Method, problem: Problem, n: int, seed: int) -> tuple[list[float], float]:
    """Return the values, and the processor time of one suggestion, that of the function included."""
    began = time.process_time()
    values = method(problem, n, seed)
    return values, (time.process_time() - began) / n
