"""Tables of any kind, read as one number a cell: frames, arrays, dictionaries of columns."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from hedgerow.base.columns.kinds import MISSING, place_of
from hedgerow.numeric.arrays import Floats

EPOCH, MICROSECOND = datetime.datetime(1970, 1, 1), datetime.timedelta(microseconds=1)

NUMBERS = ("number", "boolean")
"""Kinds of columns in which numbers stay as they are."""

PLAIN_TYPES = {str, bytes, int, float, bool, type(None)}
"""Types whose values, if they are equal, are the same category."""


class Cells(NamedTuple):
    """A table with one number a cell: NaN where a value is missing, a place for a category, seconds for a date."""

    kinds: list[str]
    values: Floats

    def part(self, which: slice) -> Cells:
        """Return some of the rows."""
        return Cells(self.kinds, self.values[which])


def read_cells(table: Any, names: Sequence[str], chosen: set[int], expected: list[str] | None) -> Cells:
    """Read a table whose columns have these names; those chosen hold categories, whatever their type.

    If a model has learned, `expected` are the kinds that its columns have.
    """
    columns = _columns_of(table, names)
    kinds, values = [], []
    for c, column in enumerate(columns):
        known = None if expected is None else expected[c]
        is_chosen = known == "category" or (c in chosen and known in (None, "unknown"))
        kind = "category" if is_chosen else _kind_of(column, names[c])
        if known is not None:
            kind = _agreed(kind, known, column, names[c])
        kinds.append(kind)
        values.append(_read(column, kind, names[c]))
    return Cells(kinds, np.ascontiguousarray(np.column_stack(values)) if values else np.empty((0, 0)))


def numbers_by_type(table: Any) -> Iterator[Floats]:
    """Yield columns as numbers, each of which follows from the cell and the type of its column, whatever others hold.

    Equal cells have equal bits: -0.0 is 0.0, and all that is missing is one NaN.
    """
    names = column_names(table) or [str(c) for c in range(np.asarray(table).shape[1])]
    for column, name in zip(_columns_of(table, names), names, strict=True):
        known = _kind_of_type(column.dtype) if isinstance(column, nw.Series) else None
        kind = "number" if isinstance(column, np.ndarray) else known or "category"
        found = _read(column, kind, name) + 0.0
        found[np.isnan(found) | (found == MISSING) if kind == "category" else np.isnan(found)] = math.nan
        yield found


def is_plain(table: Any) -> bool:
    """Whether a table holds plain numbers only, as far as its types show."""
    if isinstance(table, Mapping):
        return False
    if _is_frame(table):
        return all(dtype.is_numeric() and not dtype.is_decimal() for dtype in _frame(table).schema.values())
    return getattr(getattr(table, "dtype", None), "kind", "f") not in "OUSMm"


def read_value(value: Any, expected: str, name: str) -> tuple[str, float]:
    """Read one value of a column of a known kind; and the kind, which a first value may show."""
    if expected in NUMBERS and isinstance(value, float | int):
        return expected, _number(value, name)
    if expected == "category":
        return expected, _place(value, name)
    kind = _agreed(_kind_of([value], name), expected, [value], name)
    return kind, float(_read([value], kind, name)[0])


def kind_of_value(value: Any, name: str) -> str:
    """Return what a column is taken for whose first value is this."""
    return _kind_of([value], name)


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA, none of which equals itself."""
    if value is None:
        return True
    if isinstance(value, str | int | bytes):
        return False
    try:
        return bool(value != value)
    except (TypeError, ValueError, ArithmeticError):
        return type(value).__name__ == "NAType"


def column_names(table: Any) -> tuple[str, ...] | None:
    """Return the names of the columns of a frame or a dictionary of columns; None if there are none."""
    if not isinstance(table, Mapping) and not _is_frame(table):
        return None
    return tuple(str(name) for name in (table if isinstance(table, Mapping) else _frame(table).columns))


def python_columns(table: Any) -> list[list[Any]]:
    """Return the columns of a frame or an array as Python values; what is a category by its type as text."""
    if not _is_frame(table):
        names = [str(name) for name in (table if isinstance(table, Mapping) else range(np.asarray(table).shape[1]))]
        return [list(column) for column in _columns_of(table, names)]
    columns = list(_frame(table).iter_columns())
    return [_names(column) if column.dtype in (nw.Categorical, nw.Enum) else column.to_list() for column in columns]


# Below: private.


def _names(column: Any) -> list[Any]:
    return [None if is_missing(value) else _name(value) for value in column.to_list()]


def _name(value: Any) -> Any:
    """Return a number that is a category as text: 1, 1.0, True and "1" are one, in whichever file they are."""
    if not isinstance(value, bool | np.bool_ | Real | Decimal):
        return value
    number: Any = value
    is_whole = isinstance(number, int) or (math.isfinite(number) and number == number // 1)
    if is_whole:  # also integers that are not distinct as floating-point numbers, or out of their range
        return str(int(number))
    return repr(float(number))


def _is_frame(table: Any) -> bool:
    return not isinstance(table, np.ndarray | Mapping) and bool(nw.dependencies.is_into_dataframe(table))


def _frame(table: Any) -> nw.DataFrame[Any]:
    try:
        frame: nw.DataFrame[Any] = nw.from_native(table, eager_only=True)
        frame.schema  # noqa: B018 (where names that come twice are noticed)
    except nw.exceptions.DuplicateError:
        raise ValueError("two columns of the frame have the same name; give each a name of its own") from None
    return frame


def _columns_of(table: Any, names: Sequence[str]) -> list[Any]:
    """Columns of one length, each a series, a vector of numbers or a list of Python values."""
    if _is_frame(table):
        return list(_frame(table).iter_columns())
    given = table.values() if isinstance(table, Mapping) else np.asarray(table).T
    columns = [_as_column(column, name) for column, name in zip(given, names, strict=True)]
    for column, name in zip(columns, names, strict=True):
        if len(column) != len(columns[0]):
            lengths = f"{name!r} has {len(column)} values, {names[0]!r} has {len(columns[0])}"
            raise ValueError(f"columns must be of one length: {lengths}")
    return columns


def _as_column(column: Any, name: str) -> Any:
    if nw.dependencies.is_into_series(column):
        return nw.from_native(column, series_only=True)
    vector = column if isinstance(column, np.ndarray) else np.asarray(column, dtype=object)
    if vector.ndim != 1:
        raise ValueError(f"a column must have one dimension, got {vector.ndim} in {name!r}")
    if vector.dtype.kind in "biuf":
        return vector
    return list(vector) if vector.dtype.kind in "Mm" else vector.tolist()  # dates stay what they are


def _kind_of(column: Any, name: str) -> str:
    """What a column is taken for."""
    if isinstance(column, np.ndarray):
        return "boolean" if column.dtype.kind == "b" else "number"
    if not isinstance(column, nw.Series):
        return _kind_of_values(column, name)
    kind = _kind_of_type(column.dtype)
    if kind == "category" and str(getattr(column.to_native(), "dtype", "")) == "object" and column.is_null().all():
        return "unknown"
    return _kind_of_values(column.to_list(), name) if kind is None else kind


def _kind_of_type(dtype: Any) -> str | None:
    """What a column of this type is taken for; None if its values decide."""
    if dtype == nw.Boolean:
        return "boolean"
    if dtype.is_numeric():
        return "number"
    if dtype in (nw.Datetime, nw.Date):
        return "date"
    if dtype == nw.Duration:
        return "duration"
    if dtype == nw.Time:
        return "time"
    return "category" if dtype in (nw.Categorical, nw.Enum, nw.String) else None


def _kind_of_values(values: Iterable[Any], name: str) -> str:
    kinds = {_kind_of_one(value, name) for value in values if not is_missing(value)}
    if not kinds:
        return "unknown"
    if kinds == {"boolean", "number"}:
        return "number"
    return kinds.pop() if len(kinds) == 1 else "category"


def _kind_of_one(value: Any, name: str) -> str:
    kind = _kind_of_value(value)
    if kind is None:
        raise TypeError(
            f"feature {name!r} holds {value!r}; its argument must be a string, a number, a date or a missing value: "
            "convert the column, to text for instance, or leave it out"
        )
    return kind


def _kind_of_value(value: Any) -> str | None:
    if isinstance(value, str | bytes):
        return "category"
    if isinstance(value, bool | np.bool_):
        return "boolean"
    if isinstance(value, datetime.timedelta | np.timedelta64):  # before numbers: NumPy takes them for integers
        return "duration"
    if isinstance(value, Real | Decimal):
        return "number"
    if isinstance(value, datetime.date | np.datetime64):
        return "date"
    return "time" if isinstance(value, datetime.time) else None


def _agreed(found: str, expected: str, column: Any, name: str) -> str:
    """Return how a column is read that a model has learned as `expected`, or raise ValueError."""
    if found == expected or {found, expected} <= set(NUMBERS) or found == "unknown":
        return expected
    if expected == "unknown" or found == "unknown":
        return found
    values = column.to_list() if isinstance(column, nw.Series) else column
    present = [value for value in values if not is_missing(value)]
    if not present:
        return "unknown"
    fitting = NUMBERS if expected in NUMBERS else (expected,)
    odd = next((value for value in present if _kind_of_one(value, name) not in fitting), present[0])
    words = {"category": "categories", "date": "dates", "time": "times", "duration": "durations"}
    advice = "pass it as it was, or name it in categorical_features and call fit"
    raise ValueError(
        f"feature {name!r} was taken for {words.get(expected, 'numbers')} when learning began, and now holds "
        f"{odd!r}; {advice}"
    )


def _read(column: Any, kind: str, name: str) -> Floats:
    if isinstance(column, np.ndarray):
        return column.astype(np.float64) if kind != "category" else _places_of_numbers(column)
    if isinstance(column, nw.Series):
        by_type = _kind_of_type(column.dtype)
        if kind != "category" and (by_type == kind or {by_type, kind} <= set(NUMBERS)) and kind != "time":
            return _read_series(column, kind)
        column = column.to_list()
    if kind == "category":
        return _places(column, name)
    return np.array([math.nan if is_missing(value) else _number(value, name) for value in column], dtype=np.float64)


def _read_series(column: nw.Series[Any], kind: str) -> Floats:
    if kind == "date":
        if column.dtype == nw.Date:
            column = column.cast(nw.Datetime("us"))
        elif column.dtype.time_zone is not None:  # type: ignore[attr-defined]
            column = column.dt.replace_time_zone(None)  # the time on the clock
        return _floats(column.dt.timestamp("us"), 1e-6)
    return _floats(column.dt.total_microseconds(), 1e-6) if kind == "duration" else _floats(column, 1.0)


def _floats(column: nw.Series[Any], unit: float) -> Floats:
    missing = column.is_null().to_numpy()
    if missing.any():
        column = column.cast(nw.Float64)
    found = np.array(column.to_numpy(), dtype=np.float64) * unit
    found[missing] = math.nan
    return found


def _places(values: list[Any], name: str) -> Floats:
    """Return the place of each category, drawn from its name."""
    if not set(map(type, values)) <= PLAIN_TYPES:
        return np.array([_place(value, name) for value in values], dtype=np.float64)
    place = {value: _place(value, name) for value in set(values)}
    return np.array([place[value] for value in values], dtype=np.float64)


def _places_of_numbers(column: Any) -> Floats:
    levels, level = np.unique(column, return_inverse=True)
    return np.array([_place(value, "") for value in levels.tolist()])[level]


def _place(value: Any, name: str) -> float:
    if is_missing(value):
        return MISSING
    if isinstance(value, bytes):
        return place_of(b"b" + value)
    kind = _kind_of_value(value) or ("other" if _has_name(value) else _kind_of_one(value, name))
    if kind == "other":  # such as intervals and periods of pandas
        return place_of(b"o" + str(value).encode())
    if isinstance(value, str) or kind in NUMBERS:
        return place_of(b"s" + _name(value).encode("utf-8", "surrogatepass"))
    return place_of(f"{kind} {_number(value, name)!r}".encode())


def _has_name(value: Any) -> bool:
    """Whether a value of an unknown kind is distinct from others by its own text."""
    try:
        hash(value)
    except TypeError:
        return False
    return repr(value) != object.__repr__(value)


def _number(value: Any, name: str) -> float:
    if isinstance(value, np.datetime64):
        return float(value.astype("datetime64[us]").astype(np.int64)) * 1e-6
    if isinstance(value, np.timedelta64):
        return float(value.astype("timedelta64[us]").astype(np.int64)) * 1e-6
    if isinstance(value, datetime.timedelta):
        return float(value // MICROSECOND) * 1e-6
    if isinstance(value, datetime.time):
        return 3600.0 * value.hour + 60.0 * value.minute + value.second + 1e-6 * value.microsecond
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = datetime.datetime.combine(value, datetime.time())
    if isinstance(value, datetime.datetime):
        return float((value.replace(tzinfo=None) - EPOCH) // MICROSECOND) * 1e-6  # the time on the clock
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"feature {name!r} holds an integer that is too large for a floating-point number") from None
