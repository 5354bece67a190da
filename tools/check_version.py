"""Hold the places that state the version against each other, and against the tag of a release if one is given."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
STATED = {
    "src/hedgerow/__init__.py": r'^__version__ = "([^"]+)"$',
    "CHANGELOG.md": r"^## (\d[^,\s]*),",
    "CITATION.cff": r"^version: (\S+)$",
}


def stated(name: str) -> str:
    """Return the first version that a file states."""
    found = re.search(STATED[name], (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else sys.exit(f"{name} states no version")


if __name__ == "__main__":
    versions = {name: stated(name) for name in STATED}
    if len(sys.argv) > 1:
        versions["the tag"] = sys.argv[1].removeprefix("v")
        if re.search(r"^## \S+, unreleased$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE):
            sys.exit("CHANGELOG.md still says 'unreleased': write the date")
    if len(set(versions.values())) > 1:
        sys.exit("versions differ: " + ", ".join(f"{version} in {name}" for name, version in versions.items()))
    print(f"version {versions['CHANGELOG.md']}")
