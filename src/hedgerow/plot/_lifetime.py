"""The curves of a sweep through all lifetimes of the Mondrian kernel."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from hedgerow.numeric.arrays import Floats
from hedgerow.plot.style import BLUE, GREY, ORANGE, axes_or_new


class LifetimePathDisplay:
    """How good the solution is at each lifetime, and the lifetime that was chosen.

    Parameters
    ----------
    lifetime : array of shape (n,)
        Lifetimes, rising.
    curve : array of shape (n,)
        The criterion at each of them; it is constant until the next.
    chosen : float
        The lifetime in use.
    name : str
        What the curve shows.
    posterior : pair of arrays of shape (k + 1,) and (k,), optional
        Where pieces of the lifetime's posterior begin and end, and its density on them.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    curve_line_, chosen_line_, posterior_area_
        The artists; `posterior_area_` is None if there is no posterior.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import MondrianKernelRidge
    >>> from hedgerow.plot import LifetimePathDisplay
    >>> X = np.linspace(0, 1, 50).reshape(-1, 1)
    >>> model = MondrianKernelRidge(20, random_state=0).fit(X, X[:, 0] ** 2)
    >>> display = LifetimePathDisplay.from_estimator(model)  # doctest: +SKIP
    """

    def __init__(
        self,
        lifetime: Floats,
        curve: Floats,
        chosen: float,
        name: str,
        *,
        posterior: tuple[Floats, Floats] | None = None,
    ) -> None:
        self.lifetime = lifetime
        self.curve = curve
        self.chosen = chosen
        self.name = name
        self.posterior = posterior

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, curve: str = "criterion", posterior: bool = False, ax: Any = None, **style: Any
    ) -> Self:
        """Draw the path of a fitted `MondrianKernelRidge`.

        Parameters
        ----------
        estimator : fitted MondrianKernelRidge
            Whose path to draw.
        curve : str, default="criterion"
            A curve of its `path_`.
        posterior : bool, default=False
            Whether to shade the posterior of the lifetime under a uniform prior.
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        **style
            Passed to `plot`.

        Returns
        -------
        display : LifetimePathDisplay
        """
        path = estimator.path_
        found = estimator.lifetime_posterior() if posterior else None
        names = {"marginal_likelihood": "log marginal likelihood", "loo": "leave-one-out error"}
        name = names.get(estimator.selection, "validation error") if curve == "criterion" else curve.replace("_", " ")
        display = cls(
            path.lifetime,
            path[curve],
            estimator.lifetime_,
            name,
            posterior=None if found is None else (found.lifetime, found.density),
        )
        return display.plot(ax=ax, **style)

    def plot(self, ax: Any = None, *, color: str = BLUE) -> Self:
        """Draw the curve as steps over the logarithm of the lifetime.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default a new figure.
        color : colour, default blue
            Of the curve.

        Returns
        -------
        self
        """
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        positive = self.lifetime > 0
        (self.curve_line_,) = self.ax_.step(
            self.lifetime[positive], self.curve[positive], where="post", color=color, linewidth=1.4
        )
        self.chosen_line_ = self.ax_.axvline(self.chosen, color=ORANGE, linewidth=1.0, linestyle="--")
        self.posterior_area_ = None
        if self.posterior is not None:
            behind = self.ax_.twinx()
            edges, density = self.posterior
            self.posterior_area_ = behind.fill_between(
                edges, np.append(density, 0.0), step="post", color=GREY, alpha=0.25, linewidth=0
            )
            behind.set(ylabel="posterior density")
        self.ax_.set(xscale="log", xlabel="lifetime", ylabel=self.name)
        return self
