"""The index of the papers' pages says of each how long it took, as the page does."""

import re
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
INDEX = (BENCHMARKS / "README.md").read_text(encoding="utf-8")
PAGES = sorted((BENCHMARKS / "papers").glob("*/report.md"))


@pytest.mark.parametrize("page", PAGES, ids=[page.parent.name for page in PAGES])
def test_took(page):
    name = page.parent.name
    line = re.search(rf"^\| \[{name}\]\(papers/{name}/report\.md\) \|.*\| (.*) \|$", INDEX, re.MULTILINE)
    origin = re.search(r"^Made on .*$", page.read_text(encoding="utf-8"), re.MULTILINE)[0]
    assert line, "not in the index"
    for amount in line[1].split(", "):
        assert amount in origin
