"""What a case did, and what was wrong with it."""

from __future__ import annotations

import io
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

CHANGED, WRONG_ERROR, WRONG_NUMBER = "changed models", "wrong errors", "wrong numbers"
CRASH, HANG = "crashes", "hangs"
FAULTS = (CRASH, HANG, CHANGED, WRONG_ERROR, WRONG_NUMBER)

REFUSALS = (ValueError, TypeError, NotFittedError, InvalidParameterError)
"""What a caller may be told, these classes themselves: a LinAlgError is a ValueError too, but says nothing to users."""

UNCLEAR = (
    "incompatible function arguments",
    "incompatible constructor arguments",
    "array must not contain infs or NaNs",
    "unsupported operand type",
    "object has no attribute",
    "object is not subscriptable",
    "object is not iterable",
    "not supported between instances",
    "math domain error",
    "std::",
)
"""Words of what lies below: they do not tell users what to do."""

REFUSED = object()
"""Stands for the answer to a call that was refused."""


Words = str | Callable[[], str]
"""What is said of a call, or how to find out: most calls are never spoken of."""


@dataclass
class Judge:
    """Counts the calls of a case, and notes its faults."""

    calls: int = 0
    refused: int = 0
    faults: list[tuple[str, str]] = field(default_factory=list)
    log: Callable[[str], None] | None = None
    alarm: Callable[[], None] | None = None

    def call(self, words: Words, function: Callable[[], Any], refusals: tuple[type[BaseException], ...] = REFUSALS) -> Any:
        """Call something, and return its answer, or `REFUSED`; any other error than a refusal is a fault."""
        self.calls += 1
        self.say(words)
        if self.alarm is not None:
            self.alarm()
        try:
            return function()
        except Exception as error:
            self.refused += 1
            message = str(error)
            self.say(lambda: f"    {type(error).__name__}: {message}")
            is_unclear = not message.strip() or (refusals is REFUSALS and any(part in message for part in UNCLEAR))
            if type(error) not in refusals or is_unclear:
                self.fault(WRONG_ERROR, f"{words if isinstance(words, str) else words()}\n{_told(error)}")
            return REFUSED

    def fault(self, kind: str, words: str) -> None:
        """Note something that must not be."""
        self.faults.append((kind, words))
        self.say(f"  ! {kind}: {words}")

    def say(self, words: Words) -> None:
        """Show what is going on, if anybody wants to see it."""
        if self.log is not None:
            self.log(words if isinstance(words, str) else words())


def _told(error: BaseException) -> str:
    """Return an error with where it came from, briefly."""
    file = io.StringIO()
    traceback.print_exception(error, limit=-3, file=file, chain=False)
    return file.getvalue()[-1500:]
