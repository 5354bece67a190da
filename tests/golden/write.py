"""Write a small file of every model, and what it predicts, to `tests/golden/files`.

`python tests/golden/write.py` adds the files of models that have none there. Files that are there stay as they are:
older versions wrote them, and every later version must read them. Before a first release, `--anew` writes all.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from models import BY_NAME, CASES, Case, boosting, numbers

FOLDER = Path(__file__).parent / "files"
CHAINS = FOLDER / "chains_of_stages.hedgerow"


def file_of(case: Case) -> Path:
    return FOLDER / (case.name.replace(", ", "-").replace(" ", "_") + ".hedgerow")


def learned(case: Case) -> Any:
    """Return a model that has learned 30 rows, those of a stream too, and has unlearned some, where it can."""
    X, y = case.data(30)
    model = case.new().fit(X[:24], y[:24])
    if case.online:
        model.partial_fit(X[24:], y[24:])
    if case.unlearns:
        model.unlearn(X[10:12], y[10:12])
    return model


def predictions(case: Case, model: Any) -> dict[str, Any]:
    """Return what a model says about a few rows, near and far, as JSON takes it."""
    X, _ = case.data(6, seed=1)
    X[4:] *= 3.0
    labels = {"labels": model.predict(X).tolist()} if case.classes else {}
    return {"rows": X.tolist(), "numbers": numbers(model, X).tolist(), **labels}


def chains() -> Any:
    """Return a boosting of enough rows for chains of all kinds of stages."""
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(90, 3))
    steps = np.where(X[:, 0] > 0.5, 2.0, 0.0) + np.where(X[:, 1] > 0.3, 1.0, 0.0)
    y = steps + np.sin(4 * X[:, 1]) + 0.1 * rng.normal(size=90)
    return boosting(max_stages=2).fit(X, y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--anew", action="store_true", help="write files that are there, too")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    FOLDER.mkdir(exist_ok=True)
    for case in CASES:
        path = file_of(case)
        if options.anew or not path.exists():
            model = learned(case)
            model.save(path)
            path.with_suffix(".json").write_text(json.dumps(predictions(case, model)) + "\n")
    if options.anew or not CHAINS.exists():
        model = chains()
        model.save(CHAINS)
        CHAINS.with_suffix(".json").write_text(json.dumps(predictions(BY_NAME["boosting"], model)) + "\n")
    sizes = [path.stat().st_size for path in FOLDER.iterdir()]
    print(f"{len(sizes)} files, {np.sum(sizes) / 1024:.0f} kB in all, {np.max(sizes) / 1024:.0f} kB at most")


if __name__ == "__main__":
    main()
