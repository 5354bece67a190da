"""Pieces of an HTML page. Text is escaped where it is put in, so that no name in a table can become code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from hedgerow import __version__
from hedgerow.cli._output import Rows, shown
from hedgerow.numeric.words import words_for

VOID = {"meta", "link", "br", "wbr"}
"""Elements without an end."""
LONG_VALUE, LONG_WORD, SHORT_CELL = 14, 16, 12
"""Letters from which a value of a card is set small and a word may be broken, and up to which a cell is not broken."""


class Markup(str):
    """HTML that is put in as it is; any other text is escaped."""

    __slots__ = ()


def element(name: str, /, *content: Any, **attributes: Any) -> Markup:
    """Return an element; `class_` stands for class, and an underscore in a name for a hyphen."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID:
        return Markup(f"<{name}{given}>")
    return Markup(f"<{name}{given}>{joined(content)}</{name}>")


def joined(content: Iterable[Any]) -> Markup:
    """Return pieces one after the other, escaped if they are text."""
    return Markup("".join(piece if isinstance(piece, Markup) else escape(str(piece)) for piece in content))


def page(title: str, subtitle: str, sections: Iterable[Markup]) -> str:
    """Return a whole document."""
    style = Markup(files("hedgerow.cli.report").joinpath("style.css").read_text(encoding="utf-8"))
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("link", rel="icon", href="data:,"),
        element("title", title),
        element("style", style),
    )
    header = element("header", element("h1", breakable(title)), element("p", subtitle))
    footer = element("footer", f"Made by hedgerow {__version__}. This page is complete: it loads nothing.")
    body = element("body", header, element("main", *sections), footer)
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def section(title: str, *content: Markup, about: str = "") -> Markup:
    """Return a section, with a sentence on what is seen in it."""
    words = [element("p", about, class_="about")] if about else []
    return element("section", element("h2", title), *words, *content)


def cards(facts: Sequence[tuple[str, Any, str]]) -> Markup:
    """Return the numbers that are read first: what it is, the value, and what it compares with."""
    found = []
    for what, value, beside in facts:
        text = _text(value)
        shown = element("strong", breakable(text), class_="long" if len(text) > LONG_VALUE else None)
        found.append(element("div", element("b", what), shown, element("small", breakable(beside))))
    return element("div", *found, class_="cards")


def figures(*found: Markup) -> Markup:
    """Return figures beside each other where there is room."""
    return element("div", *found, class_="figures")


def figure(title: str, chart: Markup, caption: str = "") -> Markup:
    """Return a chart with its title, and how to read it."""
    words = [element("figcaption", caption)] if caption else []
    return element("figure", element("h3", breakable(title)), chart, *words)


def table(rows: Rows) -> Markup:
    """Return a table; on narrow screens each row is a block, and every value has its heading above it."""
    if not rows:
        return Markup("")
    headings = list(dict.fromkeys(heading for row in rows for heading in row))
    numeric = {name for name in headings if any(_is_number(row.get(name)) for row in rows)}
    head = element(
        "tr", *(element("th", breakable(name), class_=_side(name in numeric), scope="col") for name in headings)
    )
    body = [element("tr", *(_cell(name, row.get(name), name in numeric) for name in headings)) for row in rows]
    return element("div", element("table", element("thead", head), element("tbody", *body)), class_="scroll")


def beside(*content: Markup) -> Markup:
    """Return pieces beside each other on wide screens."""
    return element("div", *(element("div", piece) for piece in content), class_="beside")


def breakable(text: str) -> Markup:
    """Return text whose long words may be broken after an underscore."""
    words = [Markup(escape(word).replace("_", "_<wbr>")) if len(word) > LONG_WORD else word for word in text.split(" ")]
    return joined(piece for place, word in enumerate(words) for piece in ((" ", word) if place else (word,)))


def _cell(name: str, value: Any, is_number: bool) -> Markup:
    text = _text(value)
    kind = _side(is_number) or ("short" if len(text) <= SHORT_CELL else None)
    return element("td", breakable(text), class_=kind, data_heading=name)


def _text(value: Any) -> str:
    return shown(value) if _is_number(value) else value if isinstance(value, str) else words_for(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _side(is_number: bool) -> str | None:
    return "number" if is_number else None
