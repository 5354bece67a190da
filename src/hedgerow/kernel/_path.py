"""The curves of a sweep through all lifetimes, and what follows for the lifetime."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from hedgerow.files import Stored
from hedgerow.numeric.arrays import Floats
from hedgerow.predictive._distribution import ends_of, levels_of


@dataclass(frozen=True)
class LifetimePath:
    """How good the solution is at each lifetime: arrays of one length, in order of the lifetime.

    Attributes
    ----------
    time : array
        Where the curves were evaluated, as shares of the largest lifetime: 0, then the events of the sweep or a grid.
    n_features : array
        Cells with rows in them, over all trees.
    criterion : array
        The curve by which the lifetime was chosen: one of the next three.
    log_marginal_likelihood : array
        Log of the marginal likelihood, at the signal variance that maximises it.
    loo_error : array
        Root mean squared leave-one-out error.
    validation_error : array
        Root mean squared error on the validation rows; NaN if there are none. The iterative solver computes no other
        curve where this one decides, and leaves NaN where it could not judge.
    alpha : float
        The ridge along the path.
    is_every_event : bool
        Whether the curves are known at every event: they are constant between two.
    largest : float
        The largest lifetime of the sweep.
    """

    time: Floats
    n_features: Floats
    criterion: Floats
    log_marginal_likelihood: Floats
    loo_error: Floats
    validation_error: Floats
    alpha: float
    is_every_event: bool
    largest: float

    @property
    def lifetime(self) -> Floats:
        """Lifetimes at which the curves were evaluated, in the user's units."""
        return self.largest * self.time

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __len__(self) -> int:
        return self.time.size

    def __repr__(self) -> str:
        where = "every event" if self.is_every_event else "a grid"
        return f"<LifetimePath of {len(self)} lifetimes up to {self.largest:g}, at {where}>"

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        names = [field.name for field in fields(self)]
        return {"curves": {name: self[name] for name in names[:6]}, **{name: self[name] for name in names[6:]}}

    @classmethod
    def from_state(cls, stored: Stored) -> LifetimePath:
        """Take back what `state` gave. Curves may have gaps."""
        curves = stored.arrays("curves")
        time = stored.part("curves").array("time")
        if curves.keys() != {field.name for field in fields(cls)[:6]}:
            raise ValueError("the curves of its path are not whole")
        if any(curve.dtype != np.float64 or curve.shape != time.shape for curve in curves.values()):
            raise ValueError("the curves of its path differ in length")
        if time.size == 0 or not ((time >= 0) & (time <= 1)).all() or (np.diff(time) < 0).any():
            raise ValueError("the lifetimes of its path do not rise")
        alpha, largest = stored.number("alpha", 1e-45, 1e45), stored.number("largest", 1e-200, 1e200)
        return cls(**curves, alpha=alpha, is_every_event=stored.flag("is_every_event"), largest=largest)


@dataclass(frozen=True)
class LifetimePosterior:
    """Posterior of the lifetime: constant between neighbouring lifetimes of the path.

    Attributes
    ----------
    lifetime : array of shape (k + 1,)
        Where the pieces begin, and where the last ends.
    probability : array of shape (k,)
        Of each piece.
    """

    lifetime: Floats
    probability: Floats

    @property
    def density(self) -> Floats:
        """Density on each piece."""
        widths = np.diff(self.lifetime)
        return np.divide(self.probability, widths, out=np.zeros_like(widths), where=widths > 0)

    def mean(self) -> float:
        """Posterior mean of the lifetime, with each piece at its middle."""
        return float(self.probability @ (0.5 * self.lifetime[1:] + 0.5 * self.lifetime[:-1]))

    def quantile(self, level: npt.ArrayLike) -> Floats:
        """Posterior quantiles."""
        levels = levels_of(level)
        below = np.concatenate([[0.0], np.cumsum(self.probability)])
        found: Floats = np.interp(levels, below / below[-1], self.lifetime)
        return found

    def interval(self, confidence: float = 0.9) -> Floats:
        """Central interval of the lifetime."""
        return self.quantile(ends_of(confidence))


def posterior(path: LifetimePath, prior: Any) -> LifetimePosterior:
    """Weigh the likelihood of each piece of the path by its prior: Balog et al. (2016), end of section 4.2.1."""
    if not np.isfinite(path.log_marginal_likelihood).any():
        raise ValueError(
            "the marginal likelihood was not computed along the path: fit with selection='marginal_likelihood' or "
            "'loo', or with solver='exact'"
        )
    edges = np.append(path.lifetime, max(path.largest, path.lifetime[-1]))
    widths = np.diff(edges)
    with np.errstate(divide="ignore"):
        if isinstance(prior, str) and prior == "uniform":
            log_prior = np.log(widths)
        elif isinstance(prior, str) and prior == "log-uniform":
            # From the first event on: the likelihood does not change before, and the prior would have no end there.
            log_prior = np.log(np.diff(np.log(np.maximum(edges, edges[edges > 0].min(initial=np.inf)))))
        elif callable(prior):
            middle = 0.5 * edges[1:] + 0.5 * edges[:-1]
            log_prior = np.log(np.asarray(prior(middle), dtype=np.float64) * widths)
        else:
            raise ValueError(f"prior must be 'uniform', 'log-uniform' or a function, got {prior!r}")
    weights = np.nan_to_num(path.log_marginal_likelihood, nan=-np.inf) + log_prior
    total = logsumexp(weights)
    if not np.isfinite(total):
        raise ValueError("the prior gives no weight to any lifetime of the path")
    return LifetimePosterior(edges, np.exp(weights - total))
