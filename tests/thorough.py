"""Whether the tests take their larger samples: `make test-thorough`."""

from __future__ import annotations

import os

THOROUGH = os.environ.get("HEDGEROW_THOROUGH") == "1"
