"""Which columns hold categories: the parameter `categorical_features`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

FROM_DTYPE = "from_dtype"


class Selection(NamedTuple):
    """Columns that are requested to be categories, by name, by number or by a mask; none if types decide."""

    columns: tuple[Any, ...] = ()

    @classmethod
    def of(cls, requested: Any) -> Selection:
        """Return the columns requested, or raise ValueError."""
        if requested is None or (isinstance(requested, str) and requested == FROM_DTYPE):
            return cls()
        is_list = isinstance(requested, Sequence) or hasattr(requested, "__array__")  # such as columns of a frame
        if isinstance(requested, str) or not is_list or np.ndim(requested) != 1:
            raise ValueError(
                "categorical_features must be 'from_dtype', None, a list of names or numbers of columns, or a mask, "
                f"got {requested!r}"
            )
        chosen = list(requested)
        if all(isinstance(one, bool | np.bool_) for one in chosen):
            return cls(tuple(bool(one) for one in chosen))
        if not all(isinstance(one, str) for one in chosen) and not all(
            isinstance(one, int | np.integer) and not isinstance(one, bool) for one in chosen
        ):
            raise ValueError(f"categorical_features must be all names, all numbers or a mask, got {requested!r}")
        return cls(tuple(one if isinstance(one, str) else int(one) for one in chosen))

    @classmethod
    def check_unchanged(cls, before: Any, now: Any) -> None:
        """Raise ValueError if other columns are requested than when learning began."""
        if cls.of(before) != cls.of(now):
            raise ValueError(
                f"categorical_features was {before!r} when learning began and is {now!r} now; call fit to begin anew, "
                "or set it back"
            )

    def places(self, width: int, names: Sequence[str] | None) -> set[int]:
        """Return the numbers of these columns in a table, or raise ValueError."""
        if not self.columns:
            return set()
        if isinstance(self.columns[0], bool):
            if len(self.columns) != width:
                raise ValueError(f"categorical_features is a mask of {len(self.columns)} columns, X has {width}")
            return {c for c, chosen in enumerate(self.columns) if chosen}
        if isinstance(self.columns[0], str):
            unknown = [name for name in self.columns if names is None or name not in names]
            if unknown:
                has = "has no names of columns" if names is None else f"has {list(names)}"
                raise ValueError(f"categorical_features names {unknown[0]!r}, but X {has}")
            assert names is not None
            return {list(names).index(name) for name in self.columns}
        outside = [c for c in self.columns if not -width <= c < width]
        if outside:
            raise ValueError(f"categorical_features asks for column {outside[0]}, X has {width} columns")
        return {c % width for c in self.columns}
