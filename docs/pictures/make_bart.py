"""Draw bart_trace.png, the picture of the guide's page on BART: four chains that have found the same posterior."""

from __future__ import annotations

from pathlib import Path

from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from hedgerow import BARTRegressor
from hedgerow.plot import TraceDisplay


def main() -> None:
    """Draw."""
    X, _, y, _ = train_test_split(*load_diabetes(return_X_y=True), random_state=0)
    model = BARTRegressor(n_estimators=50, n_draws=1500, random_state=0).fit(X, y)
    TraceDisplay.from_estimator(model).figure_.savefig(Path(__file__).parent / "bart_trace.png", dpi=110)


if __name__ == "__main__":
    main()
