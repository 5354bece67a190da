"""A quadratic fitted to a few evaluations, and its least value in a box: what a local search steps by.

In units in which the box is about one wide, the value at z is modelled as c + g.z + z.H.z / 2 by weighted least squares
with a small penalty on curvature. With fewer rows than coefficients the penalty decides, and prefers the flattest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats

MOST_CROSSED = 12
"""With more parameters than this, products of two are never fitted: they would be too many."""

SLOPE_PENALTY, CURVATURE_PENALTY = 1e-6, 1e-3
"""In units of the labels' variance; small enough to be forgotten once there are rows enough."""

N_STARTS, MOST_SWEEPS, CLOSE = 8, 8, 1e-3
"""Of the search in a box of about unit size: a step that is nearly best will do, for the next quadratic is better."""


class Quadratic(NamedTuple):
    """A quadratic without its constant: what is won or lost by leaving the origin."""

    slope: Floats  # g
    curvature: Floats  # H, symmetric

    def __call__(self, places: Floats) -> Floats:
        """Change of the value at each row."""
        change: Floats = places @ self.slope + 0.5 * np.einsum("ij,jk,ik->i", places, self.curvature, places)
        return change

    def least_in_box(self, lower: Floats, upper: Floats, rng: np.random.Generator) -> Floats:
        """Where it is least between bounds: its own minimum if that is inside, else found by descending coordinates.

        Outside the convex case there may be several minima; then the best of a few starts need not be the least.
        """
        try:
            root = np.linalg.cholesky(self.curvature)
            inside: Floats = -np.linalg.solve(root.T, np.linalg.solve(root, self.slope))
            if ((lower <= inside) & (inside <= upper)).all():
                return inside
        except np.linalg.LinAlgError:
            pass
        places = rng.uniform(lower, upper, size=(N_STARTS, lower.size))
        places[0] = np.clip(0.0, lower, upper)
        for _ in range(MOST_SWEEPS):
            before = places.copy()
            for j in range(lower.size):
                self._descend(places, j, lower[j], upper[j])
            if np.abs(places - before).max() < CLOSE:
                break
        best: Floats = places[self(places).argmin()]
        return best

    def _descend(self, places: Floats, j: int, lower: float, upper: float) -> None:
        """Put coordinate j of each row where the quadratic is least, the others being as they are."""
        own = self.curvature[j, j]
        slope = self.slope[j] + places @ self.curvature[:, j] - own * places[:, j]
        if own > 1e-12:
            places[:, j] = np.minimum(np.maximum(-slope / own, lower), upper)
        else:  # no valley: one of the ends
            at_lower, at_upper = (slope * end + 0.5 * own * end**2 for end in (lower, upper))
            places[:, j] = np.where(at_lower < at_upper, lower, upper)


def n_coefficients(n_parameters: int) -> int:
    """How many numbers a quadratic of so many parameters has at most, constant included."""
    n_products = n_parameters * (n_parameters - 1) // 2 if n_parameters <= MOST_CROSSED else 0
    return 1 + 2 * n_parameters + n_products


def fit_quadratic(places: Floats, values: Floats, weights: Floats) -> Quadratic:
    """Fit to values at places, given in units of the box and from its centre.

    Products of two parameters are fitted if there is a row for each coefficient, and if rows that are left out are then
    predicted better than without.
    """
    n_parameters = places.shape[1]
    scale = float(values.std()) or 1.0
    labels = (values - values.min()) / scale
    alone = np.arange(n_parameters)
    fit, error = _fit(places, labels, weights, alone, alone)
    if 1 < n_parameters <= MOST_CROSSED and len(places) >= n_coefficients(n_parameters):
        crossed, error_crossed = _fit(places, labels, weights, *np.triu_indices(n_parameters))
        fit = crossed if error_crossed < error else fit
    return Quadratic(scale * fit.slope, scale * fit.curvature)


def _fit(
    places: Floats, labels: Floats, weights: Floats, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]
) -> tuple[Quadratic, float]:
    """Fit with the products of these pairs; return the squared error of rows that are left out too."""
    n_parameters = places.shape[1]
    terms = np.hstack([np.ones((len(places), 1)), places, places[:, rows] * places[:, columns]])
    penalty = np.concatenate([[1e-10], np.full(n_parameters, SLOPE_PENALTY), np.full(rows.size, CURVATURE_PENALTY)])
    weighted = terms * weights[:, None]
    normal = terms.T @ weighted
    normal[np.diag_indices_from(normal)] += penalty
    solved = np.linalg.solve(normal, weighted.T)  # row i of its transpose is what label i does to the coefficients
    found = solved @ labels
    # The residual of a row left out is that of the row kept, divided by how little it pulls at the fit.
    pull = np.einsum("ij,ji->i", terms, solved)
    left_out = (labels - terms @ found) / np.maximum(1.0 - pull, 1e-3)
    curvature = np.zeros((n_parameters, n_parameters))
    curvature[rows, columns] = found[1 + n_parameters :]
    return Quadratic(found[1 : 1 + n_parameters], curvature + curvature.T), float(weights @ left_out**2)
