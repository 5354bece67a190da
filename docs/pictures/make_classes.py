"""Draw classes.png, the picture of the guide's page on classification: classes, and the parts of their uncertainty."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from hedgerow import MondrianForestClassifier
from hedgerow.plot import ClassDisplay

TITLES = {
    None: "Predicted class (paler: less certain)",
    "noise": "Noise: classes overlap",
    "disagreement": "Disagreement between trees",
    "distance": "Distance from the data",
}


def rows(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return three clouds: two that overlap, and one apart."""
    centres = {"oak": (0.0, 0.0), "elm": (1.6, 0.0), "ash": (0.8, 4.0)}
    X = np.concatenate([rng.normal(centre, 0.7, size=(120, 2)) for centre in centres.values()])
    return X, np.repeat(list(centres), 120)


def main() -> None:
    """Draw."""
    X, y = rows(np.random.default_rng(0))
    forest = MondrianForestClassifier(300, min_samples_split=20, random_state=0).fit(X, y)
    with plt.rc_context({"font.size": 10}):
        figure, panels = plt.subplots(1, 4, figsize=(14, 3.5), layout="constrained", dpi=110)
        for axes, (part, title) in zip(panels, TITLES.items(), strict=True):
            display = ClassDisplay.from_estimator(
                forest, X, y if part is None else None, part=part, margin=0.6, ax=axes, legend=part is None
            )
            axes.set_title(title, loc="left", fontsize=11, fontweight="bold")
            axes.set(xlabel=None, ylabel=None, xticks=[], yticks=[])
        figure.colorbar(display.image_, ax=panels[-1], label="nats")
        figure.savefig(Path(__file__).with_name("classes.png"))


if __name__ == "__main__":
    main()
