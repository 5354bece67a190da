"""The one place of the tests that knows what a model's file is made of: a JSON header and named arrays."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load as arrays_from_bytes
from safetensors.numpy import save as arrays_to_bytes

import hedgerow
from models import bits

MAY_BE_EMPTY = ("weights", "rates", "balanced")
"""How the names of arrays end that may have no number."""
MAY_BE_SHORT = ("islands.log_evidence",)
"""And of those whose length is checked against nothing: they are numbers to be read, one by one."""


@dataclass
class Stored:
    """The parts of a file."""

    header: dict[str, Any]
    arrays: dict[str, np.ndarray]

    @classmethod
    def of(cls, model: Any) -> Stored:
        return cls.parse(bits(model))

    @classmethod
    def read(cls, path: Path) -> Stored:
        return cls.parse(Path(path).read_bytes())

    @classmethod
    def parse(cls, content: bytes) -> Stored:
        length = int.from_bytes(content[:8], "little")
        header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["hedgerow"])
        return cls(header, arrays_from_bytes(content))

    @staticmethod
    def stranger() -> bytes:
        """Return a file of the same kind that another program has written."""
        return arrays_to_bytes({"a": np.zeros(3)})

    @staticmethod
    def is_parameter(way: tuple[Any, ...]) -> bool:
        """Whether the way to an entry of the header leads to a parameter, as it was set by the user."""
        return way[0] == "parameters" and len(way) > 1

    @property
    def learned(self) -> dict[str, Any]:
        """What the header says of what was learned."""
        return self.header["learned"]

    def write(self, path: Path, *, text: str | None = None, **changed: Any) -> Path:
        """Write the parts, with `changed` in place of some of them, or any text in place of the header."""
        header, arrays = changed.get("header", self.header), changed.get("arrays", self.arrays)
        Path(path).write_bytes(Stored(header, arrays).to_bytes(text=text))
        return path

    def to_bytes(self, *, text: str | None = None) -> bytes:
        """Return the content of a file of these parts, or with any text in place of the header."""
        content = {name: np.ascontiguousarray(array) for name, array in self.arrays.items()}
        return arrays_to_bytes(content, metadata={"hedgerow": json.dumps(self.header) if text is None else text})

    def with_array(self, name: str, array: Any) -> Stored:
        """Return the parts with another array of that name, or without one."""
        arrays = {key: value for key, value in self.arrays.items() if key != name}
        return Stored(self.header, arrays if array is None else {**arrays, name: array})

    def full_name(self, name: str) -> str:
        """Return the name of the one array whose name ends so."""
        (found,) = (full for full in self.arrays if f"/{full}".endswith(f"/{name}"))
        return found

    def array(self, name: str) -> np.ndarray:
        """Return the one array whose name ends so."""
        return self.arrays[self.full_name(name)]

    def with_number(self, name: str, place: int, value: Any) -> Stored:
        """Return the parts with another number in one place of an array."""
        changed = self.arrays[name].copy()
        changed.reshape(-1)[place] = value
        return self.with_array(name, changed)

    def with_learned(self, changed: dict[str, Any]) -> Stored:
        """Return the parts with other entries among those of what was learned; keys are paths such as learner/seed."""
        header = copy.deepcopy(self.header)
        for path, value in changed.items():
            *way, last = path.split("/")
            place = header["learned"]
            for key in way:
                place = place[int(key) if isinstance(place, list) else key]
            assert last in place
            place[last] = value
        return Stored(header, self.arrays)

    def load(self, path: Path) -> Any:
        """Return the model that these parts make, by way of a file."""
        return hedgerow.load(self.write(path))
