"""The pages tell the truth: the code of README.md and of the guide runs, and prints what they say."""

import io
import re
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = sorted(page for page in (ROOT / "docs" / "guide").glob("*.md") if page.stem != "index")
PAGES = [ROOT / "README.md", ROOT / "docs" / "index.md", ROOT / "docs" / "comparison.md", *GUIDE]
FENCE = re.compile(r"^```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Example:
    """A block of Python and, where the next block is `text`, what the page says it prints."""

    line: int
    code: str
    printed: str | None


def examples(page: Path) -> list[Example]:
    text = page.read_text(encoding="utf-8")
    found: list[Example] = []
    previous = ""
    for block in FENCE.finditer(text):
        language = block["language"]
        if language == "python":
            found.append(Example(text[: block.start("text")].count("\n"), block["text"], None))
        elif language == "text" and previous == "python":
            found[-1].printed = block["text"]
        previous = language
    return found


def run(page: Path, example: Example, names: dict[str, object]) -> str:
    out = io.StringIO()
    shifted = "\n" * example.line + example.code  # so that tracebacks name the page's own lines
    with redirect_stdout(out):
        exec(compile(shifted, str(page), "exec"), names)
    return out.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_code_runs_and_prints_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for example in examples(page):
        printed = run(page, example, names)
        if example.printed is not None:
            assert printed.rstrip() == example.printed.rstrip(), f"{page.name}, line {example.line}"
        else:
            assert printed == "", f"{page.name}, line {example.line}: prints, but the page does not show what"


def test_every_page_of_the_guide_has_code():
    assert GUIDE
    assert all(examples(page) for page in GUIDE)


def test_blocks_are_read_in_order(tmp_path):
    page = tmp_path / "page.md"
    blocks = ["python\nprint(1)\n", "text\n1\n", "bash\nls\n", "python\nx = 2\n"]
    page.write_text("says\n".join(f"```{block}```\n" for block in blocks))
    assert examples(page) == [Example(1, "print(1)\n", "1\n"), Example(13, "x = 2\n", None)]
