"""``hedgerow merge``: one forest out of several files."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

import hedgerow
from hedgerow.cli._models import load_model
from hedgerow.cli._output import Output, UsageError, check_destination
from hedgerow.cli.commands.fit import say_saved


def merge(
    out: Output,
    models: Annotated[list[Path], typer.Argument(help="Files of forests with keyed cuts and one random seed.")],
    to: Annotated[Path, typer.Option("--out", "-o", help="Where to write the forest of all rows.")],
) -> None:
    """Merge forests fitted to different rows into one forest of all rows.

    They were fitted with --model forest --set cuts=keyed and the same --seed, parameters and columns.
    """
    if len(models) < 2:
        raise UsageError("at least two models are needed to be merged")
    check_destination(to)
    begin, parts = perf_counter(), [_forest(path) for path in models]
    with out.progress("merging"):
        try:
            whole = hedgerow.merge(parts)
        except TypeError as error:
            raise ValueError(str(error)) from None
    whole.save(to)
    rows = [{"file": str(path), "rows": part.n_samples_} for path, part in zip(models, parts, strict=True)]
    out.table("parts", [*rows, {"file": str(to), "rows": whole.n_samples_}], "Rows held")
    out.facts(model=type(whole).__name__, out=str(to), seconds=perf_counter() - begin)
    say_saved(out, to)


def _forest(path: Path) -> Any:
    model = load_model(path)
    if not hasattr(model, "merge"):
        raise ValueError(f"{str(path)!r} holds {type(model).__name__}; only Mondrian forests can be merged")
    return model
