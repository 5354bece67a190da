"""The pages of `benchmarks/` as a part of the site, each with the scripts that made it to be downloaded.

They and their pictures are copied to `docs/benchmarks`, which is not kept. Pages link to files, so that links work in
the repository too; here they are turned into links of the site.
"""

import re
import shutil
from pathlib import Path

DOCS = Path(__file__).parent
KEPT = (".md", ".png", ".csv", ".py")


def copy_pages(app):
    """Copy pages, pictures and scripts into the site's folder."""
    source, target = DOCS.parent / "benchmarks", DOCS / "benchmarks"
    shutil.rmtree(target, ignore_errors=True)
    for path in sorted(source.rglob("*")):
        if path.suffix in KEPT:
            place = target / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, place)


def adapt(app, name, content):
    """Turn links between docs and benchmarks into those of the site, and add scripts and a table of contents."""
    text = re.sub(r"\]\((?:\.\./)+benchmarks/", "](/benchmarks/", content[0])
    text = re.sub(r"\]\((?:\.\./)+docs/", "](/", text)
    folder = (DOCS / name).parent
    if name == "benchmarks/README":
        pages = sorted(path.relative_to(folder).with_suffix("").as_posix() for path in folder.glob("**/report.md"))
        text += "\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"
    elif name.startswith("benchmarks/"):
        scripts = [f"{{download}}`{path.name}`" for path in sorted(folder.glob("*.py")) if path.name != "__init__.py"]
        text += "\nMade by " + ", ".join(scripts) + ".\n"
    content[0] = text


def setup(app):
    """Register both steps."""
    app.connect("builder-inited", copy_pages, priority=100)
    app.connect("source-read", adapt)
    return {"parallel_read_safe": True}
