"""What all commands have in common: `--json`, `--quiet`, and errors in a sentence instead of a traceback."""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from hedgerow.base.progress import silence
from hedgerow.cli._output import Output, UsageError

FAILED, MISUSED = 1, 2
"""Exit codes: it could not be done; the command line is not understood."""

SHARED = {
    "as_json": Annotated[bool, typer.Option("--json", help="Write the result as one JSON object.")],
    "quiet": Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors; no tables, no progress.")],
}


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Return a command from a function whose first parameter is the `Output` that it speaks to.

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
    return run


class Commands(TyperGroup):
    """All commands, with errors about options in the style of other errors."""

    def main(self, args: Any = None, *rest: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run a command; what typer complains of is said in a sentence."""
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
        text = f"{sentence[0].lower() if sentence[:2].istitle() else sentence[0]}{sentence[1:]}"
        try:
            Output().fail(f"{text}; {place} --help lists what there is", MISUSED)
        except typer.Exit:
            return


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
    """Say each warning once, without the line of Python that issued it."""
    said: set[str] = set()

    def say(message: Any, *_: Any, **__: Any) -> None:
        if str(message) not in said:
            said.add(str(message))
            out.say(f"note: {message}")

    with warnings.catch_warnings():
        warnings.showwarning = say
        yield
