"""report on a model: one page that holds all it shows, escapes what tables hold, and scores rows honestly."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import hedgerow
from command_line import answer, done, refusal
from hedgerow.cli.report._chart import round_ticks, short

N = 120
FAST = ("--trees", 3, "--set", "stages=['mondrian']")
CODE = "<script>alert(1)</script>"
SECTIONS = [
    "Summary",
    "Data",
    "Accuracy",
    "Calibration",
    "Column importance",
    "Column effects",
    "Least certain predictions",
    "Example predictions",
    "The model",
]


class Page(HTMLParser):
    """Elements, headings and text of a page; every element that is opened must be closed."""

    def __init__(self, content):
        super().__init__()
        self.open, self.names, self.attributes, self.headings, self.cells = [], [], [], [], []
        self.feed(content)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "link", "br", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["h2"]:
            self.headings.append(data)
        if self.open[-1:] == ["td"]:
            self.cells.append(data)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table with hostile names and cells, models of a number and of a class, and their pages."""
    place = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(0)
    size = rng.gamma(4.0, 20.0, N).round(1)
    table = pd.DataFrame(
        {
            "id": 1000 + 7 * np.arange(N),
            "size": size,
            "town": rng.choice(["Bern", "<img src=x onerror=alert(2)>", '"quoted" & more'], N),
            CODE: rng.normal(size=N).round(3),
            "sold": pd.date_range("2024-01-01", periods=N, freq="D").strftime("%Y-%m-%d"),
            "at": [f"{hour:02d}:30" for hour in rng.integers(0, 24, N)],
            "new": rng.choice(["true", "false"], N),
            "price": (3 * size + rng.normal(0, 10, N)).round(1),
            "kind": np.where(size > 75, "large & fine", "<b>small</b>"),
        }
    )
    table.loc[3::9, "size"] = None
    table.loc[7::20, "price"] = None
    table.to_csv(place / "flats.csv", index=False)
    how = ("-t", "price", "--ignore", "kind", *FAST, "-o", place / "price.hedgerow")
    (place / "said.json").write_text(json.dumps(answer("fit", place / "flats.csv", *how)))
    done("fit", place / "flats.csv", "-t", "kind", "--ignore", "price", *FAST, "-o", place / "kind.hedgerow")
    for name in ("price", "kind"):
        done("report", place / f"{name}.hedgerow", place / "flats.csv", "-o", place / f"{name}.html")
    return place


@pytest.mark.parametrize("name", ["price", "kind"])
def test_the_page_is_whole_and_loads_nothing(folder, name):
    content = (folder / f"{name}.html").read_text(encoding="utf-8")
    page = Page(content)
    assert page.headings == SECTIONS
    assert page.names.count("svg") >= 8
    assert len(content.encode()) < 1_000_000
    assert not {"script", "iframe", "object", "img"} & set(page.names)
    links = [value for key, value in page.attributes if key in ("src", "href", "srcset", "data", "xlink:href")]
    assert links == ["data:,"]
    assert "url(" not in content
    assert "@import" not in content


@pytest.mark.parametrize("name", ["price", "kind"])
def test_what_tables_hold_is_text(folder, name):
    content = (folder / f"{name}.html").read_text(encoding="utf-8")
    assert CODE not in content
    assert "<img" not in content
    page = Page(content)
    assert CODE in page.cells
    assert not [key for key, _ in page.attributes if key.startswith("on")]


def test_scores_are_those_of_fit(folder):
    fitted = json.loads((folder / "said.json").read_text())
    found = answer("report", folder / "price.hedgerow", folder / "flats.csv", "-o", folder / "again.html")
    assert found["scored_by"] == "leave-one-out"
    assert found["scores"] == fitted["scores"]
    assert (folder / "again.html").read_bytes() == (folder / "price.html").read_bytes()


def test_columns_and_what_they_were_taken_for(folder):
    cells = Page((folder / "price.html").read_text(encoding="utf-8")).cells
    assert cells[:2] == ["id", "left out"]
    place = cells.index("size")
    assert cells[place : place + 3] == ["size", "number", "11.4 %"]
    assert cells[cells.index("kind") + 2] == "was not given to the model"


def test_new_rows_are_scored_as_such(folder):
    frame = pd.read_csv(folder / "flats.csv").dropna(subset="price")[:40]
    frame.to_csv(folder / "new.csv", index=False)
    page = folder / "new.html"
    found = answer("report", folder / "price.hedgerow", "--test", folder / "new.csv", "-o", page)
    assert found["scored_by"] == "on 40 new rows of new.csv"
    model = hedgerow.load(folder / "price.hedgerow")
    columns = frame.drop(columns=["id", "price", "kind"])
    columns["sold"] = columns["sold"].astype("datetime64[ns]")
    columns["at"] = pd.to_datetime(columns["at"], format="%H:%M").dt.time
    error = np.sqrt(np.mean((model.predict(columns) - frame["price"]) ** 2))
    assert found["scores"][0]["RMSE"] == pytest.approx(error)
    assert Page(page.read_text(encoding="utf-8")).headings == SECTIONS


def test_a_model_without_leave_one_out_holds_rows_back(folder):
    path = folder / "online.hedgerow"
    how = ("-t", "price", "--ignore", "kind", "--model", "conformal", "--trees", 2, "--no-score")
    done("fit", folder / "flats.csv", *how, "-o", path)
    found = answer("report", path, folder / "flats.csv", "-o", folder / "online.html")
    assert found["scored_by"] == "on a fifth of the rows, not learned"
    page = (folder / "online.html").read_text(encoding="utf-8")
    assert Page(page).headings == SECTIONS


def test_a_model_without_importances_has_its_columns_shuffled(folder):
    path = folder / "kernel.hedgerow"
    done("fit", folder / "flats.csv", "-t", "price", "--ignore", "kind", "--model", "kernel", "--no-score", "-o", path)
    done("report", path, folder / "flats.csv", "-o", folder / "kernel.html")
    assert "when the values of a column are shuffled" in (folder / "kernel.html").read_text(encoding="utf-8")


def test_a_model_alone_has_a_short_page(folder):
    path = folder / "alone.html"
    said = done("report", folder / "price.hedgerow", "-o", path)
    assert "hedgerow report" in said.stderr
    page = Page(path.read_text(encoding="utf-8"))
    assert page.headings == ["Summary", "Columns", "The model", "More"]
    assert CODE in page.cells
    assert "price" in page.cells


def test_the_page_goes_beside_unless_said(folder, monkeypatch):
    monkeypatch.chdir(folder)
    done("report", "kind.hedgerow")
    assert (folder / "kind.html").exists()


def test_refusals(folder, tmp_path):
    model, table = folder / "price.hedgerow", folder / "flats.csv"
    pd.read_csv(table)[:50].to_csv(tmp_path / "part.csv", index=False)
    assert "--test" in refusal("report", model, tmp_path / "part.csv")
    pd.read_csv(table).drop(columns=["size", "town"]).to_csv(tmp_path / "narrow.csv", index=False)
    assert "lacks 2 of" in refusal("report", model, tmp_path / "narrow.csv")
    assert "no column 'cost'" in refusal("report", model, table, "--target", "cost")
    assert "are for runs" in refusal("report", model, table, "--history", code=2)
    assert "one table" in refusal("report", model, table, table, code=2)
    assert "no folder" in refusal("report", model, table, "-o", tmp_path / "no" / "page.html")
    X = np.random.default_rng(0).normal(size=(30, 2))
    hedgerow.MondrianForestRegressor(2).fit(X, X[:, 0]).save(tmp_path / "unnamed")
    assert "by name" in refusal("report", tmp_path / "unnamed", table, "-t", "price")
    hedgerow.MondrianForestRegressor(2).fit(pd.DataFrame(X, columns=["a", "b"]), X[:, 0]).save(tmp_path / "untold")
    assert "--target" in refusal("report", tmp_path / "untold", table, code=2)


def test_a_rare_class(tmp_path):
    """It is said that a class is never predicted, how rows are ranked, and charts reach as far as its probabilities."""
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, 300)
    left = rng.random(300) < 0.15 * age / 90
    pd.DataFrame({"age": age, "left": np.where(left, "yes", "no")}).to_csv(tmp_path / "rows.csv", index=False)
    how = ("--trees", 3, "--set", "stages=['mondrian']", "--no-score", "-o", tmp_path / "m")
    done("fit", tmp_path / "rows.csv", "-t", "left", *how)
    done("report", tmp_path / "m", tmp_path / "rows.csv", "-o", tmp_path / "page.html")
    content = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "yes is never the most probable class" in content
    assert "AUC" in content
    assert "Frequencies of left" in content
    shares = content.partition("<h2>Calibration")[2].partition("</svg>")[0]
    assert "100 %" not in shares


def test_long_names_are_told_apart_and_many_classes_fit(tmp_path):
    """Labels of importances were cut at the same letter; a table of twelve classes stuck out of page and paper."""
    rng = np.random.default_rng(0)
    names = [f"purchases_in_month_{month:02d}_without_returns" for month in range(6)]
    table = pd.DataFrame(rng.normal(size=(240, 6)), columns=names).round(3)
    table["plant"] = [f"plant {int(place):02d}" for place in np.clip(2 * table[names[0]] + 6, 0, 11)]
    table.to_csv(tmp_path / "rows.csv", index=False)
    how = ("--trees", 3, "--set", "stages=['mondrian']", "--no-score", "-o", tmp_path / "m")
    done("fit", tmp_path / "rows.csv", "-t", "plant", *how)
    done("report", tmp_path / "m", tmp_path / "rows.csv", "-o", tmp_path / "page.html")
    content = (tmp_path / "page.html").read_text(encoding="utf-8")
    bars = content.partition("Share of each column")[2].partition("</svg>")[0]
    assert all(f">{name}<" in bars for name in names)
    table_of_scores, _, rest = content.partition("<h2>Accuracy")[2].partition("Confusion matrix")
    assert "plant 01" not in table_of_scores
    matrix = rest.partition("</svg>")[0]
    assert all(f">{place + 1} plant {place:02d}<" in matrix for place in range(12) if f"plant {place:02d}" in content)
    counts = [int(n) for n in re.findall(r"font-size:9px[^>]*>(\d+)<", matrix)]
    assert sum(counts) == 240


@pytest.mark.parametrize(("text", "shown"), [("short", "short"), ("a" * 30 + "1", "a" * 10 + "…" + "a" * 8 + "1")])
def test_a_shortened_label_keeps_its_end(text, shown):
    assert short(text) == shown


@pytest.mark.parametrize("ends", [(0.0, 1.0), (260_000, 940_000), (-0.003, 0.0041), (3, 3.2), (99, 101)])
def test_axes_have_two_numbers_or_more(ends):
    assert 2 <= len(round_ticks(*ends, 4)) <= 6
