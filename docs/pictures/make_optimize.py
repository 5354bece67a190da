"""Draw optimize_slice.png, the picture of the guide's page on optimisation: what a forest believes of a function."""

from __future__ import annotations

import math
from pathlib import Path

import matplotlib.pyplot as plt

from hedgerow.optimize import minimize
from hedgerow.plot import SliceDisplay


def branin(x: dict[str, float]) -> float:
    """Return Branin's function, which has three equal valleys."""
    a, b = x["a"], x["b"]
    hill = (b - 5.1 / (4 * math.pi**2) * a**2 + 5 / math.pi * a - 6) ** 2
    return hill + 10 * (1 - 1 / (8 * math.pi)) * math.cos(a) + 10


def main() -> None:
    """Draw."""
    result = minimize(branin, {"a": (-5, 10), "b": (0, 15)}, n_calls=60, random_state=0)
    display = SliceDisplay.from_result(result, ["a", "b"])
    display.figure_.savefig(Path(__file__).parent / "optimize_slice.png", dpi=100)
    plt.close(display.figure_)


if __name__ == "__main__":
    main()
