"""The README tells the truth: its Python runs, and prints what it says."""

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\s+prints\s+```text\n(.*?)```", README, flags=re.DOTALL)


def test_every_python_block_shows_its_output():
    assert len(EXAMPLES) == README.count("```python") >= 1


@pytest.mark.parametrize(("code", "printed"), EXAMPLES)
def test_example_prints_what_it_says(code, printed):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, "README.md", "exec"), {})
    assert output.getvalue() == printed


def test_links_to_files_lead_somewhere():
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README) + re.findall(r"^\[\w+\]: (\S+)", README, re.MULTILINE)
    assert "docs/pictures/hero.png" in links
    assert [link for link in links if not (ROOT / link).exists()] == []
