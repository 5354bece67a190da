"""How tests run `hedgerow`: its exit code and its words, its tables, and the sentence of a run that must fail."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from typer.testing import CliRunner

from hedgerow.cli import app


def run(*arguments: Any, stdin: Any = None) -> Any:
    """Run a command, as in a pipe."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin, env={"COLUMNS": "200"})


def done(*arguments: Any, stdin: Any = None) -> Any:
    """Run a command that must succeed."""
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, f"{result.output}\n{result.exception!r}"
    assert "Traceback" not in result.output
    return result


def answer(*arguments: Any) -> Any:
    """Return the JSON object of a command that must succeed."""
    return json.loads(done(*arguments, "--json").stdout)


def tables(*arguments: Any) -> list[list[dict[str, str]]]:
    """Return the tables that a command writes into a pipe."""
    blocks = done(*arguments).stdout.split("\n\n")
    return [list(csv.DictReader(io.StringIO(block), delimiter="\t", quoting=csv.QUOTE_NONE)) for block in blocks]


def refusal(*arguments: Any, code: int = 1, stdin: Any = None) -> str:
    """Return the sentence of a run that must fail in words: an exit code, one line, no traceback."""
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
    assert isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    sentence = result.stderr.splitlines()[-1]
    assert sentence.startswith("error: ")
    return str(sentence)
