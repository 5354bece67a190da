"""Pages of report in a real browser, without its window: nothing sticks out on a phone or on a desk."""

import json
import re
import shutil
import subprocess
from html import escape, unescape

import numpy as np
import pandas as pd
import pytest

import hedgerow
from command_line import done

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WIDTHS = (380, 1400)
HARNESS = """<!DOCTYPE html><meta charset="utf-8"><link rel="icon" href="data:,"><body style="margin:0">{frames}
<pre id="found"></pre><script>
function look(frame) {{
  const page = frame.contentDocument, width = page.documentElement.clientWidth;
  const out = [...page.querySelectorAll("body *")].filter(one => {{
    const box = one.getBoundingClientRect();
    if (width > 720 && one.closest(".scroll table")) return false;  // wide tables are scrolled by themselves
    return box.width && (box.right > width + 1 || box.left < -1);
  }}).map(one => one.outerHTML.slice(0, 80));
  return {{name: frame.name, width: frame.clientWidth, scrolled: page.documentElement.scrollWidth, out,
    texts: page.querySelectorAll("text").length}};
}}
window.onload = () => {{
  found.textContent = JSON.stringify([...document.querySelectorAll("iframe")].map(look));
}};
</script>"""

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium here")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The page of a model with long and hostile names, that of a model of three classes, and that of two runs."""
    place = tmp_path_factory.mktemp("pages")
    rng = np.random.default_rng(0)
    n = 90
    table = pd.DataFrame(rng.normal(size=(n, 2)).round(3), columns=["a column with a very long name indeed", "x" * 60])
    table["<script>alert(1)</script>"] = rng.choice(["a category whose name is long", "b", "c" * 40], n)
    table["y"] = 1e5 * table.iloc[:, 0] + rng.normal(size=n)
    table["class"] = rng.choice(["no", "perhaps", "W" * 30], n)
    table.to_csv(place / "table.csv", index=False)
    for target, other in (("y", "class"), ("class", "y")):
        model = place / f"{target}.hedgerow"
        how = ("--ignore", other, "--model", "forest", "--trees", 3, "--no-score", "-o", model)
        done("fit", place / "table.csv", "-t", target, *how)
        done("report", model, place / "table.csv", "-o", place / f"{target}.html")
    for seed in range(2):
        forest = hedgerow.OnlineForestRegressor(2, random_state=seed)
        run = hedgerow.stream.evaluate(
            forest, zip(table.iloc[:, :2].to_numpy(), table["y"], strict=True), window=20, progress=False
        )
        run.drifts, run.change_points = (40,), (35,)
        run.save(place / f"{seed}.run")
    done("report", place / "0.run", place / "1.run", "-o", place / "run.html")
    return {path.stem: path.read_text(encoding="utf-8") for path in place.glob("*.html")}


def test_pages_fit_and_say_nothing_to_the_console(pages, tmp_path):
    """Pages of all kinds at two widths, in frames of one page, so that the browser is started once."""
    frames = "".join(
        f'<iframe name="{name}" srcdoc="{escape(page)}" style="border:0;width:{width}px;height:800px"></iframe>'
        for name, page in pages.items()
        for width in WIDTHS
    )
    (tmp_path / "all.html").write_text(HARNESS.format(frames=frames), encoding="utf-8")
    ended = browse(tmp_path, "--dump-dom", "--enable-logging=stderr", "--window-size=1500,900")
    found = json.loads(unescape(re.search(r'<pre id="found">(.*?)</pre>', ended.stdout, re.DOTALL).group(1)))
    assert sorted((each["name"], each["width"]) for each in found) == sorted(
        (name, width) for name in ("class", "run", "y") for width in WIDTHS
    )
    for each in found:
        assert each["texts"] > 20
        assert each["scrolled"] <= each["width"], each
        assert each["out"] == [], each
    assert "CONSOLE" not in ended.stderr


def browse(folder, *options):
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile", *options]
    return subprocess.run([*command, str(folder / "all.html")], capture_output=True, text=True, timeout=120, check=True)
