"""Speed, memory and accuracy next to named peers, a folder a topic: ``python -m benchmarks`` lists them."""

import os

# One thread unless a benchmark says otherwise. Numerical libraries read these once, when they are imported.
for _library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "BLIS"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"
