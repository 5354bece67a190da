"""Hold every #include of the core against the rules of good neighbourhood, and fail on a violation."""

import re
import sys
from pathlib import Path

NOTHING: frozenset[str] = frozenset()
MAY_USE = {
    "archive": NOTHING,
    "data": NOTHING,
    "memory": NOTHING,
    "random": NOTHING,
    "parallel": NOTHING,
    "numeric": NOTHING,
    "predictive": NOTHING,
    "tree": frozenset({"random"}),
    "label": frozenset({"numeric"}),
    "drift": frozenset({"memory"}),
    "conformal": frozenset({"archive", "memory"}),
    "sketch": frozenset({"memory"}),
    "online": frozenset({"archive", "data", "memory", "random", "parallel", "label", "drift", "conformal", "sketch"}),
    "kernel": frozenset({"archive", "random", "parallel", "numeric"}),
    "particle": frozenset({"random"}),
    "mondrian": frozenset({"archive", "data", "random", "parallel", "numeric", "predictive", "tree", "label"}),
    "posterior_tree": frozenset({"random", "parallel", "numeric", "label"}),
    "greedy": frozenset({"archive", "random", "parallel", "posterior_tree"}),
    "bayesian_tree": frozenset({"archive", "random", "parallel", "numeric", "label", "particle", "posterior_tree"}),
    "bart": frozenset(
        {"archive", "random", "parallel", "numeric", "label", "particle", "posterior_tree", "bayesian_tree"}
    ),
}
VECTORS = {"smmintrin.h"}  # of the processor; behind a macro, with a portable loop next to them
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def violations(path: Path, allowed: frozenset[str]) -> list[str]:
    """Sentences about the includes of one file that may use the allowed rooms and the standard library."""
    found = []
    for quote, name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        if quote == '"' and name.startswith("hedgerow/"):
            if name.split("/")[1] not in allowed:
                found.append(f"{path}: may not use {name}")
        elif quote == '"' or not (name in VECTORS or re.fullmatch(r"[a-z_0-9]+", name)):
            found.append(f"{path}: {name} is neither ours nor of the standard library")
    return found


if __name__ == "__main__":
    core = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "cpp"
    broken = [line for path in core.glob("src/**/*.cpp") for line in violations(path, frozenset(MAY_USE))]
    for path in sorted(core.glob("include/hedgerow/**/*.hpp")) or sys.exit(f"{core}: no headers here"):
        room = path.relative_to(core / "include" / "hedgerow").parts[0]
        known = room in MAY_USE
        broken += violations(path, MAY_USE[room] | {room}) if known else [f"{path}: a room without rules"]
    sys.exit("\n".join(broken) or None)
