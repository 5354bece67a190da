"""Look into the files of a release before they are uploaded: what must be there, what must not, and how large."""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
MOST_MEGABYTES = 10
"""Of one file. The package index allows 100."""

OF_A_WHEEL = [r"hedgerow/__init__\.py", r"hedgerow/_core\.\S*(so|pyd)", r"hedgerow/_core\.pyi", r"hedgerow/py\.typed"]
OF_A_WHEEL += [r"hedgerow-[^/]+\.dist-info/licenses/LICENSE", r"hedgerow-[^/]+\.dist-info/entry_points\.txt"]
OF_SOURCES = ["CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "PKG-INFO", "Makefile"]
OF_SOURCES += [
    "src/hedgerow/__init__.py",
    "bindings/module.cpp",
    "cpp/tests/CMakeLists.txt",
    "tests/models.py",
    "docs/conf.py",
]
FORBIDDEN = re.compile(r"(^|/)(build|dist|\.git|\.venv|__pycache__)(/|$|-)|\.(so|pyc|o|a|csv|parquet|egg-info)$")


def problems_of_wheel(path: Path) -> list[str]:
    """Sentences about what a wheel lacks, or has too much."""
    names = zipfile.ZipFile(path).namelist()
    found = [f"lacks {wanted}" for wanted in OF_A_WHEEL if not any(re.fullmatch(wanted, name) for name in names)]
    return found + [f"has {name}" for name in names if not re.match(r"hedgerow(-[^/]+\.dist-info)?/", name)]


def problems_of_sources(path: Path) -> list[str]:
    """Sentences about what a source archive lacks, or has too much."""
    with tarfile.open(path) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    found = [f"lacks {wanted}" for wanted in OF_SOURCES if wanted not in names]
    found += [f"has {name}" for name in sorted(names) if FORBIDDEN.search(name)]
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], stdout=subprocess.PIPE, text=True, check=False)
    tracked = set(listed.stdout.splitlines())
    return found + [
        f"has {name}, which git does not follow" for name in sorted(names - tracked - {"PKG-INFO"}) if tracked
    ]


if __name__ == "__main__":
    paths = [Path(name) for name in sys.argv[1:]] or sys.exit("give the files of a release")
    broken = []
    for path in paths:
        problems = problems_of_wheel(path) if path.suffix == ".whl" else problems_of_sources(path)
        size = path.stat().st_size / 1e6
        if size > MOST_MEGABYTES:
            problems.append(f"has {size:.1f} MB, more than {MOST_MEGABYTES}")
        broken += [f"{path.name} {problem}" for problem in problems]
        print(f"{size:6.2f} MB  {path.name}")
    sys.exit("\n".join(broken) or None)
