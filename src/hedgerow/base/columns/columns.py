"""What each column was taken for, and how the values of rows become what learners see."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.base.columns.kinds import KINDS, MISSING, Category, Date, Kind, Number, Unknown, When, middle_of
from hedgerow.base.columns.table import Cells
from hedgerow.files import Stored
from hedgerow.numeric.arrays import Floats


@dataclass(frozen=True)
class Columns:
    """A kind for each column; and the columns whose absence is an axis, in the order in which it was seen.

    Axes are those of the columns, one after another, and behind them those of absence: 1 where the value is missing.
    A map never changes; when rows bring something new, another one takes its place, with axes added at the end.
    """

    kinds: tuple[Kind, ...]
    absent: tuple[int, ...] = ()

    @classmethod
    def of(cls, cells: Cells, *, is_batch: bool, n_places: int) -> Columns:
        """Return the map of rows that come first: a whole batch, or the first of a stream."""
        if set(cells.kinds) == {"number"} and len(cells.values) and not np.isnan(cells.values).any():
            fills = middle_of(cells.values if is_batch else cells.values[:1])
            return cls(tuple(Number(0.0, fill, True) for fill in fills.tolist()))
        new = tuple(Category(n_places) if word == "category" else KINDS[word]() for word in cells.kinds)
        return cls(new).updated(cells, "batch" if is_batch else "first")[0]

    def updated(self, cells: Cells, when: When = "later", *, may_widen: bool = True) -> tuple[Columns, Floats]:
        """Return the map after rows that are learned, and what all rows before have on the axes that are new."""
        missing = self._are_missing(cells)
        if not missing.shape[0] or (when == "later" and self._is_settled and not missing.any()):
            return self, np.empty(0)
        absent = set(self.absent)
        kinds, came = list(self.kinds), {}  # by column whose absence becomes an axis, the row that makes it one
        for c, kind in enumerate(self.kinds):
            if isinstance(kind, Unknown) and not missing[:, c].all():
                kinds[c] = kind.turned(cells.kinds[c], cells.values[:, c])
                came[c] = missing[:, c].argmin()
            else:
                kinds[c] = kind.fitted(cells.values[:, c], when)
                if missing[:, c].any() and c not in absent:
                    came[c] = missing[:, c].argmax()
        turned = [c for c, kind in enumerate(self.kinds) if isinstance(kind, Unknown) and c in came]
        new = sorted((c for c in came if isinstance(kinds[c], Number)), key=lambda c: (came[c], c not in turned, c))
        if not may_widen:
            new = []
        constants = np.array([float(c in turned) for c in new])
        return replace(self, kinds=tuple(kinds), absent=(*self.absent, *new)), constants

    def are_strange(self, values: Floats) -> npt.NDArray[np.bool_]:
        """Return which rows cannot be among those learned: a value is missing where none was."""
        absent = set(self.absent)
        columns = [c for c, kind in enumerate(self.kinds) if isinstance(kind, Number) and c not in absent]
        return np.asarray(np.isnan(values[:, columns]).any(axis=1))

    def n_unsurprising(self, cells: Cells, may_widen: bool) -> int:
        """How many rows come before the first that brings something that the map does not know."""
        missing = self._are_missing(cells)
        if self._is_settled and not (may_widen and missing.any()):
            return len(missing)
        is_empty = np.array([isinstance(kind, Unknown) or not getattr(kind, "is_met", True) for kind in self.kinds])
        absent = set(self.absent)
        known = np.array([isinstance(kind, Unknown) or c in absent for c, kind in enumerate(self.kinds)])
        surprising = ((is_empty & ~missing) | (missing & ~known & may_widen)).any(axis=1)
        return int(surprising.argmax()) if surprising.any() else len(missing)

    def _are_missing(self, cells: Cells) -> npt.NDArray[np.bool_]:
        """Return which values are missing; as long as a column has had no value, the place of none is no category."""
        missing = np.isnan(cells.values)
        for c, kind in enumerate(self.kinds):
            if isinstance(kind, Unknown) and cells.kinds[c] == "category":
                missing[:, c] |= cells.values[:, c] == MISSING
        return missing

    def axes(self, values: Floats) -> Floats:
        """Return what learners see of rows."""
        if self.is_plain:
            missing = np.isnan(values)
            return np.where(missing, self._fills, values) if missing.any() else values
        found = [axis for c, kind in enumerate(self.kinds) for axis in kind.axes(values[:, c])]
        found += [np.isnan(values[:, c]).astype(np.float64) for c in self.absent]
        return np.ascontiguousarray(np.column_stack(found))

    def values(self, axes: Floats) -> Floats:
        """Return the values of rows that learners see like this."""
        if self.is_plain:
            return axes
        origins = np.array([getattr(kind, "origin", 0.0) for kind in self.kinds])
        found: Floats = axes[:, self.first_axes] + origins
        found[:, [c for c, kind in enumerate(self.kinds) if isinstance(kind, Unknown)]] = np.nan
        for place, c in enumerate(self.absent):
            found[axes[:, self.width - len(self.absent) + place] > 0.5, c] = np.nan
        return found

    def by_column(self, of_axes: Floats) -> Floats:
        """Add up shares of axes, column by column."""
        if self.is_plain:
            return of_axes
        found = np.add.reduceat(of_axes[: self.width - len(self.absent)], self.first_axes)
        np.add.at(found, np.array(self.absent, dtype=np.intp), of_axes[self.width - len(self.absent) :])
        return found

    @cached_property
    def first_axes(self) -> npt.NDArray[np.intp]:
        """The first axis of each column."""
        return np.cumsum([0, *(kind.n_axes for kind in self.kinds[:-1])])

    @cached_property
    def width(self) -> int:
        """The number of axes."""
        return sum(kind.n_axes for kind in self.kinds) + len(self.absent)

    @cached_property
    def categories(self) -> tuple[int, ...]:
        """The first axis of each column of categories."""
        first = self.first_axes.tolist()
        return tuple(first[c] for c, kind in enumerate(self.kinds) if isinstance(kind, Category))

    @cached_property
    def category_axes(self) -> tuple[tuple[int, ...], ...]:
        """All axes of each column of categories."""
        return tuple(
            tuple(range(first, first + kind.n_axes))
            for first, kind in zip(self.first_axes.tolist(), self.kinds, strict=True)
            if isinstance(kind, Category)
        )

    @cached_property
    def is_plain(self) -> bool:
        """Whether rows are seen as they come, as long as nothing is missing."""
        return not self.absent and all(
            isinstance(kind, Number) and not isinstance(kind, Date) and kind.origin == 0.0 for kind in self.kinds
        )

    @cached_property
    def words(self) -> list[str]:
        """What each column was taken for."""
        return [kind.word for kind in self.kinds]

    def axis_names(self, names: list[str]) -> list[str]:
        """Return the axes by name; `names` are those of the columns."""
        found = [axis for name, kind in zip(names, self.kinds, strict=True) for axis in kind.names(name)]
        return found + [f"{names[c]} (missing)" for c in self.absent]

    @cached_property
    def _fills(self) -> Floats:
        return np.array([getattr(kind, "fill", 0.0) for kind in self.kinds])

    @cached_property
    def _is_settled(self) -> bool:
        return all(getattr(kind, "is_met", not isinstance(kind, Unknown)) for kind in self.kinds)

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        if all(type(kind) is Number and kind.is_met for kind in self.kinds) and self.is_plain:
            return {"fills": self._fills}  # a million columns of numbers are one array
        return {"kinds": [kind.state() for kind in self.kinds], "absent": list(self.absent)}

    @classmethod
    def from_state(cls, stored: Stored, width: int) -> Columns:
        """Take back what `state` gave, for so many columns."""
        if "fills" in stored:
            return cls(tuple(Number(0.0, fill, True) for fill in stored.array("fills", (width,)).tolist()))
        described, absent = stored.parts("kinds"), stored.sequence("absent")
        if len(described) != width:
            raise ValueError("it has another number of columns than it has features")
        kinds = tuple(KINDS[part.word("kind", *KINDS)].from_state(part) for part in described)
        if any(type(c) is not int or not 0 <= c < width for c in absent) or len(set(absent)) < len(absent):
            raise ValueError("the columns in which values were missing are not columns")
        if not all(isinstance(kinds[c], Number) for c in absent):
            raise ValueError("values were missing in columns that have no axis for that")
        return cls(kinds, tuple(absent))

    def with_numbers(self, values: Floats) -> Columns:
        """Return the map of wider rows: the added columns are numbers, and these in all rows before."""
        if not self.is_plain:
            raise ValueError("only rows of plain numbers can be widened")
        return replace(self, kinds=(*self.kinds, *(Number(fill=float(value), is_met=True) for value in values)))

    @classmethod
    def of_numbers(cls, width: int) -> Columns:
        """Return the map of so many columns of numbers, in which none was missing."""
        return cls((Number(is_met=True),) * width)
