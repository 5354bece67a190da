"""Every result in the README links to a page of the benchmarks, and its numbers are on that page, maybe rounded."""

import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = dict(re.findall(r"^\[(\w+)\]: (benchmarks/\S+/report\.md)$", README, re.MULTILINE))
NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?!\w)")


def section(title):
    return re.search(rf"^## {title}\n(.*?)^## ", README, re.MULTILINE | re.DOTALL).group(1)


def results():
    """Lines of the table; a line without a link belongs to the one before."""
    linked = ""
    for line in section("Results").splitlines():
        if line.startswith("| ") and not line.startswith("| task"):
            linked = line if "][" in line else linked
            yield line, re.findall(r"\]\[(\w+)\]", linked)


def losses():
    for item in re.split(r"^- ", section("Where it loses"), flags=re.MULTILINE)[1:]:
        yield item, re.findall(r"\[(\w+)\]", item)


ITEMS = [*results(), *losses()]


def numbers(text):
    return {Decimal(each.replace(",", "")) for each in NUMBER.findall(text)}


def is_on_page(number, found):
    """A page may have more digits, and a ratio of 1.14 is 14 % more."""
    step = Decimal(1).scaleb(number.as_tuple().exponent)
    as_written = {number, number / 100, number / 100 + 1, number * 1000}
    places = {number: step, number / 100: step / 100, number / 100 + 1: step / 100, number * 1000: step * 1000}
    return any(each.quantize(places[like], ROUND_HALF_UP) == like for each in found for like in as_written)


@pytest.mark.parametrize(("item", "links"), ITEMS, ids=[item[:40] for item, _ in ITEMS])
def test_numbers_are_on_the_linked_page(item, links):
    assert links, "no page of the benchmarks is linked"
    found = set().union(*(numbers((ROOT / PAGES[link]).read_text(encoding="utf-8")) for link in links if link in PAGES))
    text = re.sub(r"\[[^\]]*\]\[\w+\]|\[\w+\]|R-hat", "", item)
    assert {str(each) for each in numbers(text) if not is_on_page(each, found)} == set()
