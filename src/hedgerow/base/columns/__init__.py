"""The map of columns: what each column of a table was taken for, and the numbers that learners see of it."""

from hedgerow.base.columns.columns import Columns
from hedgerow.base.columns.selection import Selection
from hedgerow.base.columns.table import Cells, numbers_by_type, read_cells

__all__ = ["Cells", "Columns", "Selection", "numbers_by_type", "read_cells"]
