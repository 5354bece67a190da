"""Predictions explained column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.words import number_in_words, words_for

MOST_NAMED = 3
"""Columns that a sentence names on either side, at most."""

LEAST_NAMED = 0.1
"""Of the largest value: smaller ones are not named."""

LEAST_ERRORS = 2.0
"""A value that is smaller than this many standard errors is not named either."""

TINY = 1e-12
"""Nor is one that is zero but for rounding."""

PHRASES = {"mean": ("raised by", "lowered by"), "width": ("widened by", "narrowed by")}


class Contribution(NamedTuple):
    """What one column does to the prediction of a row."""

    column: str
    data: Any
    value: float
    error: float

    @property
    def words(self) -> str:
        """Words for it in a sentence."""
        sign = "-" if self.value < 0 else "+"
        return f"{self.column} = {words_for(self.data)} ({sign}{number_in_words(abs(self.value), 3)})"


@dataclass(frozen=True, repr=False)
class Explanation:
    """Shapley values: how far each column has moved the prediction of a row away from those of others.

    ``values.sum(axis=1) + base_values`` is the prediction.

    Attributes
    ----------
    values : array of shape (n_samples, n_features)
        Value of each column for each row. With several targets, or classes: (n_samples, n_features, n_outputs).
    base_values : array of shape (n_samples,) or (n_samples, n_outputs)
        Mean prediction of the background rows.
    data : array of shape (n_samples, n_features)
        The rows, as they were given.
    error : array of the shape of `values`
        Standard error of `values`, from the differences between background rows and between orders of columns. NaN with
        fewer than four background rows.
    feature_names : list of str
        Names of the columns.
    output_names : list or None
        Classes, or numbers of targets, if there are several outputs.
    output : str
        What is explained: "mean" or "width".
    confidence : float
        Of the interval whose width is explained.
    of_classes : bool
        Whether the outputs are probabilities of classes.
    """

    values: Floats
    base_values: Floats
    data: npt.NDArray[Any]
    error: Floats
    feature_names: list[str]
    output_names: list[Any] | None
    output: str
    confidence: float
    of_classes: bool = False

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        n, width = self.values.shape[:2]
        several = "" if self.output_names is None else f", {len(self.output_names)} outputs"
        return f"Explanation of the {self.output}: {n} rows, {width} columns{several}"

    @property
    def predictions(self) -> Floats:
        """Prediction for each row: base values and values added up."""
        predicted: Floats = self.base_values + self.values.sum(axis=1)
        return predicted

    @property
    def importances(self) -> Floats:
        """Mean absolute value of each column over the rows, and over outputs if there are several."""
        rest = tuple(axis for axis in range(self.values.ndim) if axis != 1)
        found: Floats = np.abs(self.values).mean(axis=rest)
        return found

    def strongest(self, row: int, output: Any = None) -> list[Contribution]:
        """Return the columns of a row, those that move its prediction most first.

        Parameters
        ----------
        row : int
            Which of the rows.
        output : optional
            Which class, or the number of the target. By default the class that is most probable for the row, or the
            first target.

        Returns
        -------
        contributions : list of Contribution
            Named tuples: column, data, value and error.
        """
        place = self._place(row, output)
        which = row if place is None else (row, slice(None), place)
        each = zip(self.feature_names, self.data[row], self.values[which], self.error[which], strict=True)
        found = [Contribution(name, data, float(value), float(error)) for name, data, value, error in each]
        return sorted(found, key=lambda one: -abs(one.value))

    def sentence(self, row: int, output: Any = None) -> str:
        """Say in words why a row is predicted so, or why its interval is that wide.

        Names at most three columns that move the prediction up and three that move it down, leaving out those whose
        values are small or lost in their standard error.

        Parameters
        ----------
        row, output
            As for `strongest`.
        """
        place, found = self._place(row, output), self.strongest(row, output)
        base, predicted = (float(np.atleast_1d(part[row])[place or 0]) for part in (self.base_values, self.predictions))
        least = LEAST_NAMED * abs(found[0].value)
        clear = [one for one in found if abs(one.value) >= max(least, LEAST_ERRORS * np.nan_to_num(one.error), TINY)]
        up, down = PHRASES[self.output]
        moved = [
            f"{verb} {_listed([one.words for one in clear if sign * one.value > 0][:MOST_NAMED])}"
            for verb, sign in ((up, 1), (down, -1))
            if any(sign * one.value > 0 for one in clear)
        ]
        more = f"{number_in_words(abs(predicted - base), 3)} {'more' if predicted >= base else 'less'}"
        compared = f"{more} than the background mean of {number_in_words(base)}"
        why = "; ".join(moved) or "no column stands out"
        return f"{self._subject(place)} {number_in_words(predicted)}, {compared}: {why}."

    def to_shap(self) -> Any:
        """Return the same as a `shap.Explanation`, for the plots of that library.

        Needs ``pip install 'hedgerow[shap]'``.
        """
        try:
            import shap
        except ImportError:
            raise ImportError("to_shap needs the package shap: pip install 'hedgerow[shap]'") from None
        return shap.Explanation(
            values=self.values,
            base_values=self.base_values,
            data=self.data,
            feature_names=list(self.feature_names),
            output_names=None if self.output_names is None else [str(name) for name in self.output_names],
        )

    # Below: private.

    def _place(self, row: int, output: Any) -> int | None:
        """Return where an output stands; None if there is one only."""
        names = self.output_names
        if names is None:
            if output is not None:
                raise ValueError(f"output must be None where there is one output, got {output!r}")
            return None
        if output is None:
            return int(self.predictions[row].argmax()) if self.of_classes else 0
        if output not in names:
            raise ValueError(f"output must be one of {names}, got {output!r}")
        return names.index(output)

    def _subject(self, place: int | None) -> str:
        name = None if self.output_names is None or place is None else self.output_names[place]
        if self.of_classes:
            return f"The probability of class {name} is"
        of_target = "" if name is None else f" of target {name}"
        if self.output == "width":
            return f"The width of the {100 * self.confidence:g} % interval{of_target} is"
        return f"The prediction{of_target} is"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
