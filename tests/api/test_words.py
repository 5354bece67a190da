"""Numbers and values as people read them."""

import datetime

import numpy as np
import pandas as pd
import pytest

from hedgerow.numeric.words import number_in_words, words_for


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (410_823.07, "410,823"),
        (-18_000.4, "-18,000"),
        (1921.0, "1,921"),
        (1234.56, "1,235"),
        (12.3456, "12.35"),
        (3.0, "3"),
        (0.12345, "0.1235"),
        (0.00052142, "0.00052"),
        (1e20, "1e+20"),
        (float("inf"), "inf"),
    ],
)
def test_numbers(value, words):
    assert number_in_words(value) == words


def test_digits():
    assert number_in_words(235.4, 3) == "235"
    assert number_in_words(23.54, 3) == "23.5"


def test_values():
    assert words_for(None) == words_for(float("nan")) == words_for(pd.NaT) == words_for(np.nan) == "missing"
    assert words_for(pd.Timestamp("2024-01-05")) == "2024-01-05"
    assert words_for(datetime.date(2024, 1, 5)) == "2024-01-05"
    assert words_for(1921) == words_for(1921.0) == "1921"  # perhaps a year
    assert words_for(19_210) == "19,210"
    assert words_for(True) == "True"
    assert words_for("oak") == "oak"
    assert words_for(np.float32(0.5)) == "0.5"
