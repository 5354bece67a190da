"""The parts of ``hedgerow demo``: a year of flights, models that forecast them, tables and a picture."""

PARTS = 8
"""After each of so many equal parts of the flights the retrained forests learn, and forecast the next."""

LEAST_ROWS = 100 * PARTS
