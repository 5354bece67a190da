"""Markup that builds without a warning and is still wrong: a formula broken before a plus sign becomes a list."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if not {"_build", "benchmarks"} & set(page.parts)),
]
MARKER = re.compile(r"\s*([-+*>]|\d+[.)])\s")


def broken_paragraphs(text: str) -> list[str]:
    """Return lines within paragraphs, not the first of one, that Markdown takes for the beginning of a list."""
    prose = re.sub(r"^```.*?^```$|\$\$.*?\$\$", "", text, flags=re.MULTILINE | re.DOTALL)
    paragraphs = [block.split("\n") for block in re.split(r"\n\s*\n", prose.strip())]
    return [line for first, *rest in paragraphs if not MARKER.match(first) for line in rest if MARKER.match(line)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_paragraph_turns_into_a_list(page):
    assert broken_paragraphs(page.read_text(encoding="utf-8")) == []


def test_what_is_found():
    assert broken_paragraphs("With $a\n+ b$ it breaks.\n\n- a list\n- is fine\n\n```sh\nx\n- y\n```\n") == [
        "+ b$ it breaks."
    ]
