"""What may be varied: numbers, whole numbers and choices. Each maps its values to the unit interval and back.

Optimisation happens in the unit cube, one coordinate a parameter. A whole number or a choice owns an equal share of its
interval, and stands in the middle of it.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from numbers import Real as RealNumber
from typing import Any

import numpy as np
import numpy.typing as npt

from hedgerow.files.codec import check_hashes
from hedgerow.numeric.arrays import Floats
from hedgerow.numeric.whole import is_whole

MOST_VALUES = 2**40
"""Whole numbers in one range, at most: more would not be distinct near the middle of a share."""


class Parameter:
    """One thing that may be varied. `when` has the values of others under which it is there at all.

    Parameters
    ----------
    when : mapping from str to value or collection of values, optional
        The parameter is there only if each of these others, which come before it, has that value, or one of those
        values. Default: always.
    """

    n_values: float  # how many values there are; inf for numbers
    is_ordered: bool  # whether it makes sense to go a little up or down

    def __init__(self, when: Mapping[str, Any] | None = None) -> None:
        self.when = {name: _values(name, values) for name, values in (when or {}).items()}

    @abstractmethod
    def from_unit(self, unit: float) -> Any:
        """Return the value at a place in the unit interval."""

    @abstractmethod
    def to_unit(self, value: Any) -> float:
        """Return the place of a value; ValueError if it is not one of the parameter's."""

    def settled(self, units: Floats) -> Floats:
        """Move places to the middle of the share that they fall in."""
        if math.isinf(self.n_values):
            return units
        return np.asarray((self.codes(units) + 0.5) / self.n_values, dtype=np.float64)

    def codes(self, units: Floats) -> npt.NDArray[np.intp]:
        """Return the number of the share in which each place falls: 0 for the first."""
        return np.minimum((units * self.n_values).astype(np.intp), int(self.n_values) - 1)

    def to_json(self) -> dict[str, Any]:
        """Return its description, from which `parameter_from_json` makes it again."""
        return {"kind": type(self).__name__, "when": {name: list(values) for name, values in self.when.items()}}

    def __repr__(self) -> str:
        bounds = f"{vars(self).get('low')!r}, {vars(self).get('high')!r}"
        extra = [f"{name}={value!r}" for name in ("log", "when") if (value := vars(self).get(name))]
        return f"{type(self).__name__}({', '.join([bounds, *extra])})"


class Real(Parameter):
    """A number between two bounds, both included.

    Parameters
    ----------
    low, high : float
        The bounds.
    log : bool, default=False
        Whether steps are multiplied rather than added: for learning rates, widths, penalties.
    when
        As for `Parameter`.

    Examples
    --------
    >>> from hedgerow.optimize import Real
    >>> Real(1e-4, 1.0, log=True).from_unit(0.5)
    0.01
    """

    n_values = math.inf
    is_ordered = True

    def __init__(self, low: float, high: float, log: bool = False, when: Mapping[str, Any] | None = None) -> None:
        super().__init__(when)
        self.low, self.high = _number("low", low), _number("high", high)
        self.log = bool(log)
        if not self.low < self.high or not math.isfinite(self.high - self.low):
            raise ValueError(f"low must be less than high, got {low!r} and {high!r}; leave out what cannot vary")
        if self.log and self.low <= 0:
            raise ValueError(f"on a log scale low must be positive, got {low!r}")
        self._from, self._to = (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)

    def from_unit(self, unit: float) -> float:
        """Return the value at a place in the unit interval."""
        place = self._from + unit * (self._to - self._from)
        # Rounding to 15 digits hides the last bits of exp, and nothing that an optimisation could tell apart.
        value = float(f"{math.exp(place):.15g}") if self.log else place
        return min(max(value, self.low), self.high)

    def to_unit(self, value: Any) -> float:
        """Return the place of a value."""
        number = _number("the value", value)
        if not self.low <= number <= self.high:
            raise ValueError(f"{value!r} is not between {self.low!r} and {self.high!r}")
        unit = ((math.log(number) if self.log else number) - self._from) / (self._to - self._from)
        return min(max(unit, 0.0), 1.0)

    def to_json(self) -> dict[str, Any]:
        """Return its description."""
        return super().to_json() | {"low": self.low, "high": self.high, "log": self.log}


class Integer(Parameter):
    """A whole number between two bounds, both included.

    Parameters
    ----------
    low, high : int
        The bounds.
    log : bool, default=False
        Whether steps are multiplied rather than added.
    when
        As for `Parameter`.

    Examples
    --------
    >>> from hedgerow.optimize import Integer
    >>> [Integer(1, 4).from_unit(unit) for unit in (0.0, 0.3, 0.99)]
    [1, 2, 4]
    """

    def __init__(self, low: int, high: int, log: bool = False, when: Mapping[str, Any] | None = None) -> None:
        super().__init__(when)
        self.low, self.high, self.log = _whole("low", low), _whole("high", high), bool(log)
        if not self.low <= self.high < self.low + MOST_VALUES:
            raise ValueError(f"low must not be more than high, nor less by 2**40, got {low!r} and {high!r}")
        if self.log and self.low < 1:
            raise ValueError(f"on a log scale low must be at least 1, got {low!r}")
        self.n_values = self.high - self.low + 1
        self.is_ordered = self.n_values > 2
        self._from, self._to = (math.log(self.low - 0.5), math.log(self.high + 0.5)) if self.log else (0.0, 1.0)

    def from_unit(self, unit: float) -> int:
        """Return the value at a place in the unit interval."""
        return self.low + int(self.codes(np.asarray(unit)))

    def to_unit(self, value: Any) -> float:
        """Return the place of a value."""
        number = _whole("the value", value)
        if not self.low <= number <= self.high:
            raise ValueError(f"{value!r} is not between {self.low!r} and {self.high!r}")
        return float(self._places(np.asarray(number - self.low)))

    def settled(self, units: Floats) -> Floats:
        """Move places to that of the value they fall on."""
        return self._places(self.codes(units))

    def codes(self, units: Floats) -> npt.NDArray[np.intp]:
        """Return the value's distance from the lowest."""
        if not self.log:
            return super().codes(units)
        values = np.rint(np.exp(self._from + units * (self._to - self._from)))
        codes: npt.NDArray[np.intp] = np.clip(values - self.low, 0, self.n_values - 1).astype(np.intp)
        return codes

    def _places(self, codes: npt.NDArray[np.intp]) -> Floats:
        if self.log:
            return np.asarray((np.log(codes + float(self.low)) - self._from) / (self._to - self._from))
        return np.asarray((codes + 0.5) / self.n_values, dtype=np.float64)

    def to_json(self) -> dict[str, Any]:
        """Return its description."""
        return super().to_json() | {"low": self.low, "high": self.high, "log": self.log}


class Categorical(Parameter):
    """One of several choices, of which none is nearer to another.

    Parameters
    ----------
    choices : sequence
        What to choose from, each once.
    when
        As for `Parameter`.

    Examples
    --------
    >>> from hedgerow.optimize import Categorical
    >>> Categorical(["linear", "rbf"]).from_unit(0.7)
    'rbf'
    """

    is_ordered = False

    def __init__(self, choices: Sequence[Any], when: Mapping[str, Any] | None = None) -> None:
        super().__init__(when)
        if isinstance(choices, str) or not len(choices):
            raise ValueError(f"choices must be a sequence with something in it, got {choices!r}")
        self.choices = tuple(choices)
        self.n_values = len(self.choices)
        self._code_of: dict[Any, int] = {}
        self._not_hashable: list[tuple[Any, int]] = []
        for code, choice in enumerate(self.choices):
            if self._find(choice) is not None:
                raise ValueError(f"each choice must come once, got {choice!r} twice")
            try:
                self._code_of[_key(choice)] = code
            except TypeError:
                self._not_hashable.append((choice, code))

    def from_unit(self, unit: float) -> Any:
        """Return the choice at a place in the unit interval."""
        return self.choices[int(self.codes(np.asarray(unit)))]

    def to_unit(self, value: Any) -> float:
        """Return the place of a choice."""
        return (self.code_of(value) + 0.5) / self.n_values

    def code_of(self, value: Any) -> int:
        """Return which choice it is."""
        code = self._find(value)
        if code is None:
            raise ValueError(f"{value!r} is not one of {list(self.choices)!r}")
        return code

    def _find(self, value: Any) -> int | None:
        try:
            return self._code_of.get(_key(value))
        except TypeError:
            return next((code for choice, code in self._not_hashable if _is_same(value, choice)), None)

    def to_json(self) -> dict[str, Any]:
        """Return its description; TypeError if a choice has no place in a file."""
        for choice in self.choices:
            if not _is_plain(choice):
                raise TypeError(f"cannot write the choice {choice!r} to a file; use numbers, strings, booleans or None")
        return super().to_json() | {"choices": list(self.choices)}

    def __repr__(self) -> str:
        return f"Categorical({list(self.choices)!r}{f', when={self.when!r}' if self.when else ''})"


def as_parameter(name: str, given: Any) -> Parameter:
    """Read what users write: a parameter, a pair of bounds, a range of whole numbers, or a list of choices."""
    try:
        if isinstance(given, Parameter):
            return given
        if isinstance(given, range) and given.step == 1 and len(given):
            return Integer(given[0], given[-1])
        if isinstance(given, list | set | frozenset) and not _is_pair(given):
            return Categorical(sorted(given, key=repr) if isinstance(given, set | frozenset) else given)
        if _is_pair(given):
            return Real(given[0], given[1])
        if len(given) == 3 and given[2] == "log":
            return Real(given[0], given[1], log=True)
    except TypeError:
        pass
    except ValueError as error:
        raise ValueError(f"the bounds of {name}: {error}") from None
    raise ValueError(
        f"the bounds of {name} must be (low, high), (low, high, 'log'), range(first, beyond), a list of choices, or a "
        f"Real, Integer or Categorical, got {given!r}"
    )


def parameter_from_json(described: Any) -> Parameter:
    """Take back what `to_json` gave; ValueError or TypeError if it cannot be."""
    kinds: dict[str, type[Parameter]] = {"Real": Real, "Integer": Integer, "Categorical": Categorical}
    arguments = dict(described)
    if not all(map(_is_plain, arguments.get("choices", ()))):
        raise ValueError("a choice is none that can be written")
    check_hashes(arguments.get("choices", ()))
    kind = kinds.get(arguments.pop("kind"))
    if kind is None:
        raise ValueError(f"a parameter is of no known kind, got {described!r}")
    return kind(**arguments)


def _is_pair(given: Any) -> bool:
    """Two numbers: bounds. A list of two numbers is taken so too, as scipy does."""
    if not isinstance(given, tuple | list | np.ndarray) or len(given) != 2:
        return False
    return all(isinstance(bound, RealNumber) and not isinstance(bound, bool | np.bool_) for bound in given)


def _values(name: str, given: Any) -> tuple[Any, ...]:
    values = tuple(given) if isinstance(given, list | tuple | set | frozenset | range) else (given,)
    if not values:
        raise ValueError(f"when says that {name} has one of no values, so the parameter would never be there")
    return values


def _is_plain(choice: Any) -> bool:
    """Whether a choice has a place in a file."""
    return choice is None or type(choice) in (bool, int, str) or (type(choice) is float and choice == choice)


def _key(value: Any) -> tuple[type, Any]:
    """Return what two choices have in common that are the same; it may not be hashable."""
    value = value.item() if isinstance(value, np.generic) else value
    return type(value), value


def _is_same(one: Any, other: Any) -> bool:
    """Equal and of one kind: 1, 1.0 and True are three choices."""
    one, other = (value.item() if isinstance(value, np.generic) else value for value in (one, other))
    return one is other or (type(one) is type(other) and bool(np.all(one == other)))


def _number(name: str, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, bool | np.bool_) or not isinstance(value, RealNumber) else float(value)
    except OverflowError:  # an integer beyond all floating-point numbers
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {value!r:.80}")
    return number


def _whole(name: str, value: Any) -> int:
    if is_whole(value):
        return int(value)
    if isinstance(value, RealNumber) and not isinstance(value, bool | np.bool_) and float(value).is_integer():
        return int(float(value))
    raise ValueError(f"{name} must be a whole number, got {value!r}")
