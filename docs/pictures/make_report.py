"""Draw report.png, the picture of the first ten minutes: the top of a page about a model. Needs Chromium and Pillow."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image
from typer.testing import CliRunner

from hedgerow.cli import app

WIDTH, HEIGHT = 1200, 1500


def flats(rng: np.random.Generator, n: int = 600) -> pd.DataFrame:
    """Return flats and their prices."""
    table = pd.DataFrame({"town": rng.choice(["Bern", "Lima", "Oslo", "Zürich"], n, p=[0.4, 0.3, 0.2, 0.1])})
    table["size"] = rng.gamma(8.0, 10.0, n).round(1)
    table["sold"] = pd.date_range("2024-01-01", periods=n, freq="D").strftime("%Y-%m-%d")
    table["rooms"] = 1 + rng.poisson(2.0, n)
    level = table["town"].map({"Bern": 9.0, "Lima": 3.0, "Oslo": 7.0, "Zürich": 14.0})
    table["price"] = (level * table["size"] + 20 * table["rooms"] + rng.normal(0, 20 + 15 * level, n)).round()
    table.loc[rng.random(n) < 0.1, "size"] = np.nan
    return table


def main() -> None:
    """Fit, report, and photograph."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        flats(np.random.default_rng(1)).to_csv(folder / "flats.csv", index=False)
        names = [str(folder / name) for name in ("flats.csv", "flats.hedgerow", "flats.html", "page.png")]
        data, model, page, picture = names
        for command in (["fit", data, "-t", "price", "-o", model], ["report", model, data, "-o", page]):
            CliRunner().invoke(app, command, catch_exceptions=False)
        browser = shutil.which("chromium") or "google-chrome"
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={WIDTH},{HEIGHT}"]
        subprocess.run([browser, *options, f"--screenshot={picture}", page], check=True, capture_output=True)
        Image.open(picture).convert("P", palette=Image.Palette.ADAPTIVE, colors=200).save(
            Path(__file__).with_name("report.png"), optimize=True
        )


if __name__ == "__main__":
    main()
