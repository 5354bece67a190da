"""An attack on every entry point: random calls, damaged files, hostile command lines. See README.md."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # models.py, stored.py and tables.py are shared with the tests
