"""The pages tell the truth: the code of README.md and of the guide runs, and prints what they say it prints."""

import io
import re
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))) if page.exists()]
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
    code = compile("\n" * example.line + example.code, str(page), "exec")  # tracebacks name the page's own lines
    with redirect_stdout(out):
        exec(code, names)
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


def test_guide_has_code():
    guide = [page for page in PAGES if page.parent.name == "guide"]
    assert guide
    assert all(examples(page) for page in guide)


def test_blocks_are_read_in_order(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1)\n```\nsays\n```text\n1\n```\n```bash\nls\n```\n```python\nx = 2\n```\n")
    assert examples(page) == [Example(1, "print(1)\n", "1\n"), Example(11, "x = 2\n", None)]
