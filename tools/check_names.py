"""Hold the names that the bindings give to Python against each other: two classes of one name overwrite each other."""

import re
import sys
from collections import Counter
from pathlib import Path

BOUND = re.compile(r'(?:nb::(?:class_|enum_)<[^;]*?>|bind_\w+<[^;]*?>)\(\s*m,\s*"(\w+)"', re.DOTALL)

if __name__ == "__main__":
    folder = Path(__file__).parent.parent / "bindings"
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.[ch]pp"))]
    names = Counter(name for text in texts for name in BOUND.findall(text))
    twice = sorted(name for name, count in names.items() if count > 1)
    if not names or twice:
        sys.exit(f"bound more than once: {', '.join(twice)}" if twice else "no names found: is the pattern stale?")
