"""What all commands have in common: `--json`, `--quiet`, and errors in a sentence instead of a traceback."""

from __future__ import annotations

import inspect
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from hedgerow.base.progress import silence
from hedgerow.cli._output import Output, UsageError

FAILED, MISUSED = 1, 2
"""Exit codes: it could not be done; the command line is not understood."""

SHARED = {
    "as_json": Annotated[bool, typer.Option("--json", help="Write the result as one JSON object.")],
    "quiet": Annotated[
        bool, typer.Option("--quiet", "-q", help="Print errors only: no tables, no messages, no progress.")
    ],
}

STANDS_FOR = {Path: "FILE", int: "N", float: "NUMBER", str: "WORD"}
"""What help writes for a value of a type."""

COMPLAINTS = {
    r"Invalid value for '(--[\w-]+)'[^:]*: (must .*)": r"\1 \2",
    r".*'(--[\w-]+)'.*: .*(valid integer).*": r"\1 must be a whole number",
    r".*'(--[\w-]+)'.*: .*(valid number|valid float).*": r"\1 must be a number",
    r".*'(--[\w-]+)'.*: .*(greater than or equal to |range x>=)(\d+).*": r"\1 must be at least \3",
    r".*'(--[\w-]+)'.*: .*(less than or equal to |<=x<=)(\d+).*": r"\1 must be at most \3",
    r"Missing option '(--[\w-]+)'.*": r"\1 is needed",
    r"Missing argument '?([\w.]+)'?.*": r"\1 is needed",
    r"No such (command|option):? '?([\w-]+)'?.*(?:Did you mean|Possible options?:) '?([\w-]+)'?.*": (
        r"there is no \1 '\2' (did you mean '\3'?)"
    ),
    r"No such (command|option):? '?([\w-]+)'?.*": r"there is no \1 '\2'",
    r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)": r"there is more than the command takes: \1",
}
"""What typer complains of, and what is written instead."""


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Return a command from a function whose first parameter is the `Output` that it writes to.

    The other parameters are its arguments and options; the shared options are added. What a user can cause becomes one
    sentence and an exit code; a bug keeps its traceback.
    """
    own = inspect.signature(function, eval_str=True)

    @wraps(function)
    def run(as_json: bool = False, quiet: bool = False, **arguments: Any) -> None:
        out = Output(as_json, quiet)
        with _errors_in_words(out), _warnings_in_words(out), silence():  # what is shown, the command shows
            function(out, **arguments)
            out.close()

    keyword = inspect.Parameter.KEYWORD_ONLY
    shared = [inspect.Parameter(name, keyword, default=False, annotation=SHARED[name]) for name in SHARED]
    parameters = [parameter.replace(kind=keyword) for parameter in list(own.parameters.values())[1:]]
    run.__signature__ = own.replace(parameters=[*parameters, *shared])  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in [*parameters, *shared]}
    for parameter in parameters:
        _name_value(parameter)
    paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
    run.__doc__ = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)  # lines are broken by terminals
    return run


def _name_value(parameter: inspect.Parameter) -> None:
    """Say what help writes for the value of a parameter, in words and not as a type of Python."""
    kinds, info = parameter.annotation.__origin__, parameter.annotation.__metadata__[0]
    if info.metavar is None and isinstance(info, typer.models.ArgumentInfo):
        info.metavar = parameter.name.upper()
    elif info.metavar is None:
        kind = next((each for each in (kinds, *getattr(kinds, "__args__", ())) if each in STANDS_FOR), str)
        info.metavar = "" if kinds is bool else STANDS_FOR[kind]


class _PlainHelp:
    """Help that names no types of Python."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return options and arguments, those that typer adds too."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in found:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
            if parameter.param_type_name == "argument":
                parameter.display_type_rich = lambda ctx: None  # its name shows what it is
        return found


class Command(_PlainHelp, TyperCommand):
    """One command."""


class Commands(_PlainHelp, TyperGroup):
    """All commands, with errors about options in the style of other errors."""

    def main(self, args: Any = None, *rest: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run a command; what typer complains of is put in a sentence."""
        try:
            code = super().main(args, *rest, **extra, standalone_mode=False)  # type: ignore[misc]
        except Exception as error:
            if not hasattr(error, "format_message"):
                raise
            place = getattr(getattr(error, "ctx", None), "command_path", "hedgerow")
            self._complain(error, place)
            code = MISUSED
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else 0)

    def _complain(self, error: Any, place: str) -> None:
        sentence = " ".join(error.format_message().split()).rstrip(".")
        if not sentence:  # no command at all: help was shown
            return
        try:
            Output().fail(f"{_in_words(sentence)}; {place} --help lists what there is", MISUSED)
        except typer.Exit:
            return


def _in_words(sentence: str) -> str:
    """Return what typer complains of as a user would put it."""
    for complaint, instead in COMPLAINTS.items():
        if found := re.fullmatch(complaint, sentence):
            return found.expand(instead)
    return f"{sentence[0].lower() if sentence[:2].istitle() else sentence[0]}{sentence[1:]}"


@contextmanager
def _errors_in_words(out: Output) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # whoever read the result has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(FAILED) from None
    except FileNotFoundError as error:
        out.fail(f"there is no file or folder {str(error.filename)!r}", FAILED)
    except OSError as error:
        out.fail(f"{error.strerror or error}: {str(error.filename)!r}" if error.filename else str(error), FAILED)
    except MemoryError:
        out.fail("there is not enough memory; try fewer rows, or --trees with a smaller number", FAILED)
    except UsageError as error:
        out.fail(str(error), MISUSED)
    except (ValueError, ImportError) as error:
        out.fail(str(error), FAILED)


@contextmanager
def _warnings_in_words(out: Output) -> Iterator[None]:
    """Write each warning once, without the line of Python that issued it."""
    written: set[str] = set()

    def say(message: Any, *_: Any, **__: Any) -> None:
        if str(message) not in written:
            written.add(str(message))
            out.say(f"note: {message}")

    with warnings.catch_warnings():
        warnings.showwarning = say
        yield
