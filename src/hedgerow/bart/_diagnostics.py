"""How well chains have mixed: numbers, and words where they have not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hedgerow.bart._convergence import bulk_ess, r_hat
from hedgerow.numeric.arrays import Floats

MOST_R_HAT = 1.1
LEAST_ESS = 100.0
WORDS = {
    "noise": "noise",
    "log_likelihood": "log-likelihood",
    "n_leaves": "leaves a tree",
    "predictions": "predictions, worst",
    "noise_of_rows": "noise of rows, worst",
}
"""What is followed, and what it is called in the table."""


@dataclass(frozen=True)
class Diagnostics:
    """How well chains have mixed; ``str`` makes a table of it.

    Attributes
    ----------
    r_hat, ess, mean, std : dict from str to float
        Rank-normalised split R-hat, effective sample size of the bulk, posterior mean and standard deviation of
        "noise" (for numbers), "log_likelihood" and "n_leaves" (mean over trees). For "predictions" and, if noise
        varies, "noise_of_rows" the highest R-hat and the smallest sample size among the rows that are followed. NaN
        where nothing moved or draws are too few.
    prediction_r_hat, prediction_ess : arrays
        For each row that is followed, and each of its class probabilities if there are more than two classes.
    probe_rows : tuple of int
        These rows: their places among the rows learned, evenly spaced from the first to the last.
    root_change_rate : float
        Share of trees whose root gets another rule in a sweep, mean over draws.
    n_chains, n_draws : int
        Chains, and draws of each.
    bytes_per_draw : float
        Memory that a draw takes.
    warnings : tuple of str
        What is wrong, in words; empty if nothing is.
    """

    r_hat: dict[str, float]
    ess: dict[str, float]
    mean: dict[str, float]
    std: dict[str, float]
    prediction_r_hat: Floats = field(repr=False)
    prediction_ess: Floats = field(repr=False)
    probe_rows: tuple[int, ...] = field(repr=False)
    root_change_rate: float
    n_chains: int
    n_draws: int
    bytes_per_draw: float
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        chains = "1 chain" if self.n_chains == 1 else f"{self.n_chains} chains"
        yield f"{chains} of {self.n_draws} draws, {self.bytes_per_draw:,.0f} bytes a draw"
        yield f"{'':<20}{'mean':>12}{'std':>12}{'R-hat':>8}{'ESS':>8}"
        for name, value in self.r_hat.items():
            moments = [f"{numbers[name]:.4g}" if name in numbers else "" for numbers in (self.mean, self.std)]
            cells = f"{moments[0]:>12}{moments[1]:>12}{_shown(value, '.3f'):>8}{_shown(self.ess[name], '.0f'):>8}"
            yield f"{WORDS[name]:<20}{cells}"
        yield f"a root gets another rule in {self.root_change_rate:.1%} of sweeps"
        yield from (f"warning: {words}" for words in self.warnings)


def diagnose(
    trace: dict[str, Floats], of_rows: dict[str, Floats], *, probe_rows: list[int], bytes_per_draw: float
) -> Diagnostics:
    """Put numbers together; `of_rows` has "predictions", and more: shape (n_chains, n_draws, n_followed) each."""
    followed = {name: draws for name, draws in trace.items() if name in WORDS}
    r_hats = {name: r_hat(draws) for name, draws in followed.items()}
    ess = {name: bulk_ess(draws) for name, draws in followed.items()}
    r_hats_of_rows = {name: _each(r_hat, draws) for name, draws in of_rows.items()}
    ess_of_rows = {name: _each(bulk_ess, draws) for name, draws in of_rows.items()}
    r_hats |= {name: _worst(np.max, values) for name, values in r_hats_of_rows.items()}
    ess |= {name: _worst(np.min, values) for name, values in ess_of_rows.items()}
    n_chains, n_draws, _ = of_rows["predictions"].shape
    return Diagnostics(
        r_hat=r_hats,
        ess=ess,
        mean={name: float(draws.mean()) for name, draws in followed.items()},
        std={name: float(draws.std()) for name, draws in followed.items()},
        prediction_r_hat=r_hats_of_rows["predictions"],
        prediction_ess=ess_of_rows["predictions"],
        probe_rows=tuple(probe_rows),
        root_change_rate=float(trace["root_changes"].mean()),
        n_chains=n_chains,
        n_draws=n_draws,
        bytes_per_draw=bytes_per_draw,
        warnings=tuple(_complaints(r_hats, ess, n_chains)),
    )


def _each(measure: Callable[[Floats], float], draws: Floats) -> Floats:
    """Of all that is followed."""
    return np.array([measure(one) for one in np.moveaxis(draws, 2, 0)])


def _worst(choose: Callable[[Floats], Any], values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(choose(known)) if known.size else np.nan


def complaint(trace: dict[str, Floats]) -> str:
    """Say that chains disagree on noise or log-likelihood; nothing if they do not."""
    r_hats = {name: r_hat(draws) for name, draws in trace.items() if name in ("noise", "log_likelihood")}
    return next(_complaints(r_hats, {}, next(iter(trace.values())).shape[0]), "")


def _complaints(r_hats: dict[str, float], ess: dict[str, float], n_chains: int) -> Iterator[str]:
    apart = {name: value for name, value in r_hats.items() if value > MOST_R_HAT}
    if apart:
        who = "the chains disagree" if n_chains > 1 else "the halves of the chain disagree"
        numbers = ", ".join(f"{WORDS[name]} {value:.2f}" for name, value in apart.items())
        yield (
            f"{who} (R-hat of {numbers}; it should be below {MOST_R_HAT}): they have not found the same posterior yet. "
            "Try a longer n_burn_in, more draws with continue_sampling, or another sampler."
        )
    few = {name: value for name, value in ess.items() if value < LEAST_ESS}
    if few:
        numbers = ", ".join(f"{WORDS[name]} {value:.0f}" for name, value in few.items())
        yield (
            f"few independent draws (ESS of {numbers}; {LEAST_ESS:.0f} would do): means are still rough. "
            "More draws help: continue_sampling."
        )


def _shown(value: float, form: str) -> str:
    return "-" if np.isnan(value) else format(value, form)
