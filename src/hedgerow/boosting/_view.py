"""What stages see of rows: columns of numbers, encoded categories, and projections onto directions."""

from __future__ import annotations

from typing import Any, NamedTuple

from hedgerow.base.copies import Copies
from hedgerow.base.rows import Floats
from hedgerow.boosting._categories import CategoryAxes, no_categories
from hedgerow.boosting._directions import Directions, no_directions
from hedgerow.boosting._stage_data import StageRows
from hedgerow.files import Stored


class View(NamedTuple):
    """How rows become what stages see. Columns of numbers come first, then categories, then projections."""

    categories: CategoryAxes
    directions: Directions

    @classmethod
    def of_categories(cls, categories: CategoryAxes) -> View:
        """Return a view without projections."""
        return cls(categories, no_directions(categories.n_numbers))

    @classmethod
    def plain(cls, width: int) -> View:
        """Return the view of rows of so many columns of numbers, as they are."""
        return cls.of_categories(no_categories(width))

    def __call__(self, X: Floats) -> StageRows:
        """Return what stages see of rows to be predicted."""
        axes = self.directions.beside(self.categories.axes(X))
        if not self.categories.columns:
            return StageRows(axes, axes)
        return StageRows(axes, self.directions.beside(self.categories.plain(X)))

    def learned(self, X: Floats, copies: Copies) -> StageRows:
        """Return what stages see of the rows that they learn."""
        if not self.categories.columns:
            return self(X)
        axes = self.directions.beside(self.categories.axes_left_out(X, copies))
        return StageRows(axes, self.directions.beside(self.categories.plain(X)))

    @property
    def widths(self) -> tuple[int, int]:
        """How many columns are seen: axes, and plain ones."""
        more = self.directions.n
        return self.categories.n_axes + more, self.categories.n_plain + more

    def names(self, of_columns: list[str]) -> tuple[list[str], list[str]]:
        """Return what axes, and plain columns, may be called, given the names of the columns of rows."""
        more = [f"direction {number}" for number in range(1, self.directions.n + 1)]
        axes, plain = self.categories.names(of_columns)
        return [*axes, *more], [*plain, *more]

    def without_projections(self, axes: Floats) -> Floats:
        """Return axes as they are without directions."""
        return axes[:, : axes.shape[1] - self.directions.n]

    def by_column(self, of_axes: Floats, of_plain: Floats, width: int) -> Floats:
        """Add up shares of axes and of plain columns for each column of the rows, of which there are `width`."""
        shared_out = self.directions.shared_out
        return self.categories.by_column(shared_out(of_axes), shared_out(of_plain), width)

    def state(self) -> dict[str, Any]:
        """Return what a file keeps."""
        return {"categories": self.categories.state(), "directions": self.directions.state()}

    @classmethod
    def from_state(cls, stored: Stored, width: int, n_labels: int) -> View:
        """Take back what `state` gave, of rows of so many columns and labels of so many components; or of old files."""
        categories = no_categories(width)
        if "categories" in stored:
            categories = CategoryAxes.from_state(stored.part("categories"), width, n_labels)
        view = cls.of_categories(categories)
        if "directions" in stored:
            view = view._replace(directions=Directions.from_state(stored.part("directions"), categories.n_numbers))
        return view
