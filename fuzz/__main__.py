"""The command: `python -m fuzz`; `make fuzz` calls it under sanitizers."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path

from fuzz import report, worker
from fuzz.runner import SHARES, Goal, attack


def main() -> int:
    """Attack, print what was found, and return 1 if anything was."""
    options = _options()
    if options.worker:
        name, first, step = options.worker.split(":")
        worker.play_all(name, int(first), int(step))
    if options.case:
        name, seed = options.case.split(":")
        return 1 if worker.play(name, int(seed), log=print).faults else 0
    tallies = []
    for name in options.attacks:
        goal = _goal(name, options)
        if goal is not None:
            for number in (signal.SIGINT, signal.SIGTERM):  # in the background too, where shells have Ctrl-C ignored
                signal.signal(number, goal.end)
            print(f"{name}: begun", flush=True)
            tallies.append(attack(name, goal, options.workers, options.seed))
            print(report.line(tallies[-1]), flush=True)
            if options.page:
                report.rewrite(Path(options.page), tallies[-1])
    print(report.failures(tallies))
    print(report.table(tallies))
    return 1 if report.is_bad(tallies) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Attack every entry point of hedgerow.")
    parser.add_argument("attacks", nargs="*", default=list(SHARES), help=f"some of {', '.join(SHARES)}; all by default")
    parser.add_argument("--minutes", type=float, default=3.0, help="time in all, for what is not counted")
    parser.add_argument("--calls", type=int, help="so many API calls, instead of a time")
    parser.add_argument("--files", type=int, help="so many damaged files, instead of a time")
    parser.add_argument("--workers", type=int, default=1, help="processes at a time")
    parser.add_argument("--seed", type=int, default=0, help="the first case")
    parser.add_argument("--case", help="one case, such as calls:17, with all that it does")
    parser.add_argument("--page", help="page in whose table the rows of these attacks are written anew")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = set(options.attacks) - set(SHARES)
    if unknown:
        parser.error(f"no attack is called {unknown.pop()!r}; there are {', '.join(SHARES)}")
    return options


def _goal(name: str, options: argparse.Namespace) -> Goal | None:
    """When an attack is to end."""
    if name == "calls" and options.calls is not None:
        return Goal(counted="calls", most=options.calls)
    if name == "files" and options.files is not None:
        return Goal(counted="cases", most=options.files)
    share = SHARES[name] / sum(SHARES[each] for each in options.attacks)
    return Goal(until=time.monotonic() + 60 * options.minutes * share)


if __name__ == "__main__":
    sys.exit(main())
