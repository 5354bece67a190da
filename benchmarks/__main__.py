"""The menu: ``python -m benchmarks TOPIC [--data FOLDER] [--quick | --full] [--out FOLDER]``."""

from __future__ import annotations

import ast
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.shared.page import Options, Page

HERE = Path(__file__).parent
FOLDERS = {
    path.parent.name: path.parent for place in ("*", "papers/*") for path in sorted(HERE.glob(f"{place}/run.py"))
}
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    topic: Annotated[str, typer.Argument(help="One of the list that is shown without it.")] = "",
    data: Annotated[Path | None, typer.Option(help="Folder with public sets as Parquet files.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Seconds instead of minutes; the page is kept apart.")] = False,
    full: Annotated[bool, typer.Option("--full", help="More seeds, sets and rows: up to hours.")] = False,
    size: Annotated[int | None, typer.Option(min=1, help="Rows of soak, dask, balog_2016, or kills of kills.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where the page goes; by default into the topic's folder.")] = None,
) -> None:
    """Run one topic, and write its page and pictures."""
    topic = topic.replace("-", "_")
    if topic not in FOLDERS:
        print(*(f"{name:24}{first_line(folder / 'run.py')}" for name, folder in FOLDERS.items()), sep="\n")
        raise typer.Exit(bool(topic))
    if data is not None and not data.is_dir():
        raise typer.BadParameter(f"there is no folder {data}")
    if out is None:
        out = Path(tempfile.gettempdir()) / "hedgerow-benchmarks" / topic if quick else FOLDERS[topic]
    page = Page(topic, Options(data, quick, full, size), out)
    import_module(".".join(["benchmarks", *FOLDERS[topic].relative_to(HERE).parts, "run"])).run(page, page.options)
    print(f"written to {page.write()}")


def first_line(path: Path) -> str:
    """Return the first line of a module's docstring."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


if __name__ == "__main__":
    app()
