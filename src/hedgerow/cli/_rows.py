"""Rows of a file for a model that has learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hedgerow.cli._columns import features, require_learned
from hedgerow.cli._names import listed, require
from hedgerow.cli._output import Output
from hedgerow.cli._table import read_table
from hedgerow.cli._text import AS_IT_IS, Reading, knowing

ALL = "all"


def rows_for(out: Output, model: Any, path: Path, keep: list[str], reading: Reading = AS_IT_IS) -> tuple[Any, Any]:
    """Columns of a file, read as what the model took them for, and those to copy."""
    kinds = model.column_kinds_
    has_names = hasattr(model, "feature_names_in_")

    def is_text(name: str) -> bool:
        """Whether a column stays as it is written: categories, and what is only copied, such as ids."""
        return has_names and (kinds[name] == "category" if name in kinds else bool(keep))

    with out.progress(f"reading {path}"):
        frame = read_table(path, out.say, is_text, reading=knowing(reading, kinds))
    columns = list(frame.columns) if keep == [ALL] and ALL not in frame.columns else listed(keep, frame.columns)
    require(frame.columns, columns, path, "--keep")
    kept = frame[columns].copy()
    if has_names:
        require_learned(frame, list(kinds), path)
        return features(frame, list(kinds), path, kinds), kept
    columns = list(frame.columns)  # the model knows its columns by number
    known = dict(zip(columns, kinds.values(), strict=False))
    X = features(frame, columns, path, known)
    return X.to_numpy(dtype=float if set(known.values()) <= {"number"} else object), kept
