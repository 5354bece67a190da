"""Signposts lead somewhere: files and targets that pages name exist, papers that they cite are in the references."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

import hedgerow.plot

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REFERENCES = (DOCS / "references.md").read_text(encoding="utf-8")
PAGES = sorted(ROOT.glob("*.md"))
PAGES += sorted(page for page in DOCS.rglob("*.md") if not {"_build", "benchmarks"} & set(page.parts))
CURRENT = [page for page in PAGES if page.parent.name != "decisions"]  # these describe the code of their time
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))  # not in a source archive
SOURCES = [
    path.relative_to(ROOT).as_posix()
    for folder in ("benchmarks", "bindings", "cpp", "src", "tests", "tools")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".hpp", ".cpp", ".py", ".pyi"}
]
ENTRIES = [" ".join(entry.split()) for entry in re.split(r"^- ", REFERENCES, flags=re.MULTILINE)[1:]]


def named_files(text: str) -> list[str]:
    """Return source files in code spans, without the dots that lead out of a folder."""
    return [name.lstrip("./") for name in re.findall(r"`([\w./]+\.(?:hpp|cpp|pyi?))`", text)]


def citations(text: str) -> list[tuple[str, str]]:
    """Return surname of the first author and year, or an empty year, of each link to the references."""
    texts = re.findall(r"\[([^\[\]]+)\]\((?:\.\./)?references\.md\)", text)
    found = [
        re.fullmatch(r"([\w'-]+(?: [A-Z][\w'-]+)*).*?((?:19|20)\d\d|)\)?", " ".join(each.split())) for each in texts
    ]
    return [(match[1], match[2]) for match in found if match and match[1] not in {"references", "The references"}]


@pytest.mark.parametrize("page", CURRENT, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_named_files_exist(page):
    names = named_files(page.read_text(encoding="utf-8"))
    missing = [name for name in names if not any(f"/{path}".endswith(f"/{name}") for path in SOURCES)]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_citations_are_in_the_references(page):
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"document 00\d", text), "cite papers by author and year"
    for name, year in citations(text):
        assert any(name in entry.split("(**")[0] and year in entry for entry in ENTRIES), f"{name} {year}"


def test_links_to_pages_lead_to_one():
    for page in PAGES:
        links = re.findall(r"\]\(([\w./-]+\.(?:md|py|png|svg))(?:#[\w-]+)?\)", page.read_text(encoding="utf-8"))
        lost = [link for link in links if not (page.parent / link).exists()]
        assert lost == [], page.name


def test_the_landing_page_names_every_page_of_the_guide():
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    pages = {page.name for page in (DOCS / "guide").glob("*.md")} - {"index.md"}
    assert [name for name in sorted(pages) if f"(guide/{name})" not in text] == []


@pytest.mark.parametrize(
    "module", ["hedgerow", *(f"hedgerow.{name}" for name in ("metrics", "optimize", "plot", "stream"))]
)
def test_every_public_name_has_a_page(module):
    owner = importlib.import_module(module)
    listed = set(re.findall(r"^   ([\w.]+)$", (DOCS / "api" / "index.md").read_text(encoding="utf-8"), re.MULTILINE))
    names = [name for name in owner.__all__ if not name.startswith("_") and not inspect.ismodule(getattr(owner, name))]
    assert [name for name in names if name not in listed] == []


def test_every_display_has_a_picture_in_the_gallery():
    examples = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "gallery").glob("*/plot_*.py"))
    assert [name for name in hedgerow.plot.__all__ if f"{name}.from_" not in examples] == []


def make_targets(text: str) -> set[str]:
    """Return what is made by `make` in code spans, in steps of a workflow, and in its matrix."""
    calls = re.findall(r"(?:`|run: )make ([^`#=\n]+)", text)  # up to the first variable
    calls += re.findall(r"\{ target: ([^,#=]+)", text)
    return {word for call in calls for word in call.split() if re.fullmatch(r"[a-z-]+[a-z]", word)}


@pytest.mark.parametrize("page", CURRENT + WORKFLOWS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_is_to_be_made_is_a_target(page):
    rules = [ROOT / "Makefile", *(ROOT / "tools").glob("*.mk")]
    heads = re.findall(
        r"^([a-z][^:=?]*):(?!=)", "\n".join(rule.read_text(encoding="utf-8") for rule in rules), re.MULTILINE
    )
    targets = {name for head in heads for name in head.split()}
    asked = make_targets(page.read_text(encoding="utf-8"))
    pages_of_benchmarks = {f"bench-{folder.name}" for folder in (ROOT / "benchmarks").iterdir() if folder.is_dir()}
    assert asked - targets - pages_of_benchmarks == set()


def test_actions_are_named_by_commits():
    for workflow in WORKFLOWS:
        actions = re.findall(r"uses: (.+)", workflow.read_text(encoding="utf-8"))
        assert [action for action in actions if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", action)] == []
        assert actions


def test_what_is_recognised():
    text = "`mondrian/grow.hpp` and `../label/x.hpp`, not `save`; [Roy and Teh (2009)](../references.md), "
    text += "[Burns](references.md), [De Francisci and others\n2019](../references.md), [references](../references.md)"
    assert named_files(text) == ["mondrian/grow.hpp", "label/x.hpp"]
    assert make_targets("`make lint`, run: make sdist try-sdist\n{ target: fuzz MINUTES=5, python: 3 }, we make a") == {
        "lint",
        "sdist",
        "try-sdist",
        "fuzz",
    }
    assert citations(text) == [("Roy", "2009"), ("Burns", ""), ("De Francisci", "2019")]
