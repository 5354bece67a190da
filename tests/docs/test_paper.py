"""The draft of the paper tells the truth: numbers are on the pages that it names, citations in its bibliography."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAPER = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
ITEMS = re.findall(r"^- (.*?\(`(benchmarks/\w+/report\.md)`\).*?)(?=^- |\n\n)", PAPER, re.MULTILINE | re.DOTALL)


def numbers(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)", text))


@pytest.mark.parametrize(("item", "page"), ITEMS, ids=[page for _, page in ITEMS])
def test_numbers_are_those_of_the_page(item, page):
    found = numbers((ROOT / page).read_text(encoding="utf-8"))
    assert numbers(item) - found == set()


def test_there_are_items():
    assert len(ITEMS) >= 3


def test_citations_are_in_the_bibliography():
    keys = set(re.findall(r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"@(\w+)", PAPER.split("---")[2])) == keys
