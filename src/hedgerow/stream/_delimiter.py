"""What separates the values of a CSV file, by its first lines."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from itertools import islice

DELIMITERS = (",", ";", "\t", "|")
LINES = 50


def delimiter_of(lines: Iterable[str]) -> str:
    """Return the delimiter by which most of the first lines have as many values as the header; a comma if none does."""
    first = list(islice((line for line in lines if line.strip()), LINES))
    best, most = DELIMITERS[0], (0.0, 1)
    for delimiter in DELIMITERS:
        try:
            counts = [len(cells) for cells in csv.reader(first, delimiter=delimiter) if cells]
        except csv.Error:
            continue
        if counts and counts[0] > 1:
            alike = sum(count == counts[0] for count in counts) / len(counts)
            if (alike, counts[0]) > most:
                best, most = delimiter, (alike, counts[0])
    return best
