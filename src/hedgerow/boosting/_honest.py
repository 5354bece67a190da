"""What all stages have in common: they predict the rows that they have learned without these rows' own labels."""

from __future__ import annotations

from typing import NamedTuple

from hedgerow.numeric.arrays import Floats


class Honest(NamedTuple):
    """What a stage says of the rows it has learned, without their own labels."""

    mean: Floats
    doubt: Floats | None = None  # none where a stage does not tell any
    without_block: Floats | None = None  # the mean without all rows of the block; none if the stage can tell later
    excess: float = 0.0  # by how much the mean square of its errors exceeds that of what it will predict
