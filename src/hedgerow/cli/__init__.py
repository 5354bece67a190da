"""The command line: ``hedgerow demo``, ``fit``, ``predict``, ``stream``, ``report`` and ``info``."""

from __future__ import annotations

from typing import Annotated

import typer

from hedgerow import __version__
from hedgerow.cli._console import console
from hedgerow.cli._fit import fit
from hedgerow.cli._info import info
from hedgerow.cli._predict import predict
from hedgerow.cli._report import report
from hedgerow.cli._stream import stream
from hedgerow.cli.demo import demo

__all__ = ["app"]

app = typer.Typer(
    name="hedgerow",
    help="Probabilistic trees and forests that learn row by row and say how sure they are.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        console.print(f"hedgerow {__version__}", highlight=False)
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and leave.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Probabilistic trees and forests that learn row by row and say how sure they are."""


app.command()(demo)
app.command()(fit)
app.command()(predict)
app.command()(stream)
app.command()(report)
app.command()(info)
