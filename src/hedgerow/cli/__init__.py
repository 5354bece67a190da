"""The command line ``hedgerow``. Each module of `hedgerow.cli.commands` is a command, a function of the same name."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Annotated

import typer

from hedgerow import __version__
from hedgerow.cli import commands
from hedgerow.cli._command import Command, Commands, command

__all__ = ["app"]

app = typer.Typer(
    name="hedgerow",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="Exit codes: 0 success, 1 failure, 2 invalid or missing options.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hedgerow {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Probabilistic trees and forests: fit, predict with intervals, compare and explain, from files of tables."""


for _module in iter_modules(commands.__path__):
    app.command(_module.name, cls=Command)(
        command(getattr(import_module(f"{commands.__name__}.{_module.name}"), _module.name))
    )
