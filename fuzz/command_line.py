"""The command line with random options and damaged files: an exit code and a sentence, never a traceback."""

from __future__ import annotations

from contextlib import chdir
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from typer.testing import CliRunner

from fuzz.checkpoints import checkpoints
from fuzz.files import damaged, folder, whole
from fuzz.judge import WRONG_ERROR, Judge
from fuzz.readers import damaged_table, whole_table
from fuzz.values import TEXTS
from hedgerow.cli import app
from hedgerow.stream import evaluate
from models import BY_NAME, CASES, online_forest

NUMBERS = ("0", "1", "2", "3", "-1", "-5", "1.5", "0.9", "0.5", "1e9", "nan", "inf", "", "two", "1e400", "9" * 30)
COLUMNS = ("y", "y", "y", "few", "many", "when", "flag", "size", "none", "", "[red]", "\0")
FIXED: dict[str, tuple[str, ...]] = {"--trees": ("1", "2", "3"), "--jobs": ("1",)}
"""Options whose values say how much work is done; they are sane, or no numbers at all."""
LEARNED: dict[str, tuple[str, ...]] = {
    "--target": COLUMNS,
    "--task": ("auto", "regression", "classification", "classification", "other"),
    "--ignore": COLUMNS,
    "--categorical": COLUMNS,
    "--use": COLUMNS,
    "--seed": NUMBERS,
    "--jobs": NUMBERS,
}
"""Options of all commands that learn from a table."""
PARAMETERS = (
    "scaling=rank",
    "scaling=x",
    "smoothing=moments",
    "shape=common",
    "min_samples_split=9",
    "x=1",
    "x",
    "=",
    "",
)
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "fit": {
        **LEARNED,
        "--out": ("OUT", "OUT", "OUT", ".", "/dev/null/x", ""),
        "--model": ("forest", "boosting", "online", "tree", "MondrianForestRegressor", "x", ""),
        "--trees": FIXED["--trees"],
        "--set": PARAMETERS,
        "--confidence": NUMBERS,
    },
    "evaluate": {
        **LEARNED,
        "--model": ("forest", "forest,x", ","),
        "--trees": FIXED["--trees"],
        "--set": PARAMETERS,
        "--cv": ("2", "3", "1", "x"),
        "--confidence": NUMBERS,
    },
    "tune": {
        **LEARNED,
        "--out": ("OUT", "OUT", "."),
        "--model": ("forest", "online", "x"),
        "--minutes": ("0", "0", "0", "nan", "x"),
        "--cv": ("2", "1", "x"),
    },
    "predict": {
        "--out": ("OUT", "OUT", ".", "/dev/null/x", "-"),
        "--confidence": (*NUMBERS, "0.5,0.9"),
        "--quantiles": (*NUMBERS, "0.1,0.9", ","),
        "--keep": (*COLUMNS, "all", "y,few"),
    },
    "explain": {
        "--row": ("1", "2", "3", "0", "-1", "9" * 30, "x"),
        "--rows": ("1", "2", "3", "0", "x"),
        "--background": ("1", "2", "0", "x"),
        "--confidence": NUMBERS,
        "--out": ("OUT", "OUT", ".", "/dev/null/x", "-"),
        "--seed": NUMBERS,
    },
    "stream": {
        "--target": COLUMNS,
        "--model": ("forest", "online", "conformal", "quantile", "bart", "x"),
        "--task": ("auto", "regression", "classification", "x"),
        "--trees": FIXED["--trees"],
        "--keep": NUMBERS,
        "--confidence": NUMBERS,
        "--window": NUMBERS,
        "--ignore": COLUMNS,
        "--categorical": COLUMNS,
        "--checkpoint": ("CHECKPOINT", "OUT", "."),
        "--out": ("OUT", "."),
        "--save-model": ("MODEL", "."),
        "--seed": NUMBERS,
        "--jobs": NUMBERS,
    },
    "report": {"--csv": ("OUT", "."), "--history": ()},
    "info": {},
}
FLAGS = {
    "stream": ("--skip-missing", "--distribution"),
    "report": ("--history",),
    "predict": ("--proba",),
    "explain": ("--width",),
}
SHARED = ("--json", "--quiet")
NEEDED = ("--target", "--out")
ALWAYS = {
    "fit": ("--trees",),
    "evaluate": ("--model", "--trees", "--cv"),
    "tune": ("--model", "--minutes", "--cv"),
    "explain": ("--rows", "--background"),
}
"""Options without which a command takes long."""


def run(seed: int, judge: Judge) -> None:
    """Play one case."""
    rng = Random(seed)
    with folder() as place, chdir(place):  # an option may name a file of any name
        arguments = _arguments(rng, place)
        words = f"hedgerow {' '.join(arguments)}"
        result = judge.call(words, lambda: CliRunner().invoke(app, arguments), ())
        judge.refused += result.exit_code != 0
        judge.say(f"    {result.exit_code}: {result.output}")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            judge.call(words, lambda: _again(result.exception), ())
        elif result.exit_code not in (0, 1, 2) or "Traceback" in result.output:
            judge.fault(WRONG_ERROR, f"{words}\nexit code {result.exit_code}: {result.output[-800:]}")
        elif result.exit_code == 1 and "error:" not in result.output:
            judge.fault(WRONG_ERROR, f"{words}\nfailed without a sentence: {result.output[-800:]}")


def _again(error: BaseException) -> None:
    raise error


def _arguments(rng: Random, place: Path) -> list[str]:
    """Return a command, its files and options."""
    commands = ("fit", "fit", "predict", "predict", "explain", "stream", "report", "info", "evaluate", "tune")
    command = rng.choice(commands)
    arguments = [command]
    if command in ("predict", "explain", "info"):
        arguments.append(str(_model(rng, place)))
    if command in ("fit", "predict", "explain", "stream", "evaluate", "tune"):
        arguments.append(str(_table(rng, place)))
    if command == "report":
        arguments += [str(_run(rng, place, number)) for number in range(rng.choice((1, 1, 2)))]
    for name, values in OPTIONS[command].items():
        is_likely = name in ALWAYS.get(command, ()) or (name in NEEDED and rng.random() < 0.95)
        if values and (rng.random() < 0.25 or is_likely):
            value = rng.choice(values) if rng.random() < 0.9 or name in FIXED else rng.choice(TEXTS)
            is_path = value in ("OUT", "CHECKPOINT", "MODEL")
            arguments += [name, str(place / value.lower()) if is_path else value]
    arguments += ["--no-others"] if command == "evaluate" else []
    arguments += [flag for flag in (*FLAGS.get(command, ()), *SHARED) if rng.random() < 0.3]
    if rng.random() < 0.05:
        arguments.insert(rng.randrange(len(arguments) + 1), rng.choice((*TEXTS, "--help", "--", "-x")))
    return [argument.replace("\0", "") if rng.random() < 0.9 else argument for argument in arguments]


def _table(rng: Random, place: Path) -> Path:
    if rng.random() < 0.5:
        path = place / "whole.csv"
        whole_table().to_csv(path, index=False)
        return path
    return damaged_table(rng, place) if rng.random() < 0.9 else place / rng.choice(("none.csv", "", "x" * 300))


def _model(rng: Random, place: Path) -> Path:
    """Return where a model is, which may be damaged."""
    name, is_table = rng.choice(CASES).name, rng.random() < 0.7
    content = whole(name, is_table)
    path = place / rng.choice(("model", "model", "model", "[bold]model", "ä"))
    path.write_bytes(damaged(rng, content, content) if rng.random() < 0.5 else content)
    return path if rng.random() < 0.95 else place


def _run(rng: Random, place: Path, number: int) -> Path:
    """Return where a run is, or a checkpoint of one, which may be damaged."""
    content: Any = _run_content() if rng.random() < 0.6 else checkpoints("online forest")[0]
    path = place / f"run{number}"
    path.write_bytes(damaged(rng, content, content) if rng.random() < 0.5 and content is _run_content() else content)
    return path if rng.random() < 0.95 else place


@cache
def _run_content() -> bytes:
    case = BY_NAME["online forest"]
    return bytes(evaluate(online_forest(n_estimators=2), case.data(40), window=10, progress=False)._to_bytes())
