"""The first minutes of a stranger with a table that nobody cleaned: each ends in a saved model, or in a sentence."""

import gzip
import shlex

import numpy as np
import pandas as pd
import pytest

import hedgerow
from command_line import answer, done, refusal

N = 80
FAST = ("--trees", 3, "--set", "stages=['mondrian']", "--set", "shape=common")


@pytest.fixture(scope="module")
def frame():
    """Text, dates, missing values, an id, numbers of rows, constants, free text, zeros and ones."""
    rng = np.random.default_rng(0)
    size = rng.gamma(4.0, 20.0, N).round(2)
    table = pd.DataFrame(
        {
            "Order ID": 10**17 + 37 * np.arange(N),
            "long_id": [f"{9 * 10**22 + 11 * row}" for row in range(N)],
            "town": rng.choice(["Bern", "Zürich", "Oslo, East"], N),
            "sold": pd.date_range("2024-01-01", periods=N, freq="D").strftime("%Y-%m-%d"),
            "size": size,
            "comment": [f"a nice flat, number {row}" for row in range(N)],
            "country": "CH",
            "nothing": None,
            "customer_id": rng.integers(1000, 1010, N),
            "churned": (size + rng.normal(0, 20, N) > 80).astype(int),
            "price": (3 * size + rng.normal(0, 10, N)).round(1),
        }
    )
    table.loc[3::9, "size"] = None
    table.loc[5::20, "town"] = None
    table.loc[7::20, "price"] = None
    return table


def write_plain(frame):
    return frame.to_csv(index=False).encode()


def write_windows(frame):
    """Semicolons, decimal commas, Windows' line ends and a byte order mark, dates as in Germany."""
    days = pd.to_datetime(frame["sold"]).dt.strftime("%d.%m.%Y")
    text = frame.assign(sold=days).to_csv(index=False, sep=";", decimal=",", lineterminator="\r\n")
    return ("\ufeff" + text).encode()


FILES = {
    "plain.csv": write_plain,
    "windows.csv": write_windows,
    "windows-1252.csv": lambda frame: frame.to_csv(index=False).encode("cp1252"),
    "utf-16.csv": lambda frame: frame.to_csv(index=False).encode("utf-16"),
    "tabs.tsv": lambda frame: frame.to_csv(index=False, sep="\t").encode(),
    "no_ending": write_plain,
    "packed.csv.gz": lambda frame: gzip.compress(write_plain(frame)),
    "rows.jsonl": lambda frame: frame.to_json(orient="records", lines=True).encode(),
    "packed.jsonl.gz": lambda frame: gzip.compress(frame.to_json(orient="records", lines=True).encode()),
    "list.json": lambda frame: frame.to_json(orient="records").encode(),
    "blanks.csv": lambda frame: write_plain(frame).replace(b",", b", ").replace(b"town", b" town "),
    "missing.csv": lambda frame: frame.to_csv(index=False, na_rep=" N/A ").encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_a_messy_file_ends_in_a_model(name, frame, tmp_path):
    path, model = tmp_path / name, tmp_path / "model"
    path.write_bytes(FILES[name](frame))
    found = answer("fit", path, "--target", "price", "--out", model, *FAST)
    kinds = {row["column"]: row["taken for"] for row in found["columns"]}
    left_out = dict.fromkeys(["Order ID", "long_id", "comment", "country", "nothing"], "left out")
    used = {"town": "category", "sold": "date", "size": "number", "customer_id": "category", "churned": "number"}
    assert kinds == left_out | used
    assert (found["rows"], found["rows_without_target"]) == (76, 4)
    ours, mean = found["scores"]
    assert ours["RMSE"] < 0.8 * mean["RMSE"]
    assert 0.7 < ours["coverage"] <= 1
    assert max(found["importances"], key=lambda row: row["importance"])["column"] == "size"
    done("predict", model, path, "--keep", "all", "--out", tmp_path / "said.csv")
    said = pd.read_csv(tmp_path / "said.csv", dtype=str)
    assert len(said) == N
    assert said["Order ID"].tolist() == frame["Order ID"].astype(str).tolist()  # every digit
    assert said["long_id"].tolist() == frame["long_id"].tolist()
    assert list(said.columns[-4:]) == ["mean", "std", "lower", "upper"]


def test_all_forms_of_a_file_are_one_table(frame, tmp_path):
    """Rows without decimal commas and dates of other forms give the same model."""
    means = []
    for name in ("plain.csv", "windows.csv", "rows.jsonl"):
        (tmp_path / name).write_bytes(FILES[name](frame))
        done("fit", tmp_path / name, "--target", "price", "--out", tmp_path / "model", *FAST)
        done("predict", tmp_path / "model", tmp_path / name, "--out", tmp_path / "said.csv")
        means.append(pd.read_csv(tmp_path / "said.csv")["mean"])
    np.testing.assert_array_equal(means[0], means[1])
    np.testing.assert_array_equal(means[0], means[2])


def test_a_target_of_zeros_and_ones(frame, tmp_path):
    path, model = tmp_path / "rows.csv", tmp_path / "model"
    path.write_bytes(write_plain(frame))
    result = done("fit", path, "--target", "churned", "--out", model, "--trees", 3)
    assert "taken for two classes" in result.stderr
    assert hedgerow.load(model).classes_.tolist() == [0, 1]
    assert "log loss\taccuracy" in result.stdout


def test_what_is_said_of_columns(frame, tmp_path):
    path = tmp_path / "rows.csv"
    numbers = frame.assign(
        row_number=np.arange(N) + 1,
        year=np.arange(N) + 1920,
        when=[f"{1 + row % 12}/{1 + row % 9}/2024" for row in range(N)],
    )
    path.write_bytes(write_plain(numbers))
    result = done("fit", path, "--target", "price", "--out", tmp_path / "model", *FAST)
    assert "not clear whether day or month comes first (--dates says it): when" in result.stderr
    notes = {line.split("\t")[0]: line.split("\t")[-1] for line in result.stdout.split("\n\n")[0].splitlines()}
    assert notes["Order ID"] == "an id: differs in every row"
    assert notes["long_id"] == notes["comment"] == "text that hardly recurs: differs in every row"
    assert notes["country"] == "always CH"
    assert notes["nothing"] == "empty"
    assert notes["row_number"] == "numbers the rows"
    assert notes["year"] == "1920 to 1999"
    assert notes["customer_id"] == "an id that recurs: 10 different in 76 rows"
    assert notes["sold"] == "2024-01-01 to 2024-03-20"
    use = ("--use", "row_number,country", "--ignore", "when,comment")
    done("fit", path, "--target", "price", "--out", tmp_path / "model", *use, *FAST)
    kinds = hedgerow.load(tmp_path / "model").column_kinds_
    assert (kinds["row_number"], kinds["country"]) == ("number", "category")
    assert "when" not in kinds


def test_names_that_come_twice(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,a,y,y\n" + "".join(f"{row % 7},{row % 5},{row},{row}\n" for row in range(40)))
    assert "several columns 'y'" in refusal("fit", path, "--target", "y", "--out", tmp_path / "model")
    path.write_text("a,a,y\n" + "".join(f"{row % 7},{row % 5},{row}\n" for row in range(40)))
    result = done("fit", path, "--target", "y", "--out", tmp_path / "model", *FAST)
    assert "the header has 'a' more than once; the copies are called 'a.1'" in result.stderr
    assert list(hedgerow.load(tmp_path / "model").feature_names_in_) == ["a", "a.1"]
    done("predict", tmp_path / "model", path)


REFUSED = {
    "empty": (b"", "is empty"),
    "blank lines": (b"\n\n \n", "is empty"),
    "a header only": (b"a,b,price\n", "has a header but no rows"),
    "no target": (b"a,price\n1,\n2,NA\n", "column 'price' of"),
    "only the target": (b"price\n1\n2\n3\n", "no column besides the target"),
    "nothing but ids": (b"id,price\n" + b"".join(b"%d,%d.5\n" % (k, k * k) for k in range(30)), "--use 'id' uses one"),
    "dates": (b"a,price\n1,2024-01-01\n2,2024-01-02\n", "holds dates"),
    "too many values": (b"a,price\n1,2,3\n4,5,6\n", "more values than the header"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not text"),
    "a workbook": (b"PK\x03\x04\x14\0", "Excel workbook"),
    "broken JSON": (b'{"a": 1, "price": 2}\n{"a": 1, "pri', "line 2"),
    "nested JSON": (b'{"a": [1], "price": 2}\n{"a": [2], "price": 3}', "'a' holds lists"),
    "another target": (b"a,Price \n1,2\n3,4\n", "no column 'price' (did you mean 'Price'?)"),
    "infinite": (b"a,price\n1,2\n3,inf\n", "is inf in row 2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_learned_is_said(name, tmp_path):
    content, words = REFUSED[name]
    (tmp_path / "rows").write_bytes(content)
    assert words in refusal("fit", tmp_path / "rows", "--target", "price", "--out", tmp_path / "model")
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("n", [1, 2, 9])
def test_very_few_rows(n, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n" + "".join(f"{row % 3 + row / 7},{row / 3}\n" for row in range(n)))
    result = done("fit", path, "--target", "y", "--use", "a", "--out", tmp_path / "model", *FAST)
    assert "too few" in result.stderr
    done("predict", tmp_path / "model", path, "--out", tmp_path / "said.jsonl")
    assert len((tmp_path / "said.jsonl").read_text().splitlines()) == n


def write_ids(folder):
    path = folder / "ids.csv"
    path.write_text("id,y\n" + "".join(f"{100 - row},{row / 7}\n" for row in range(30)))
    return path


def test_advice_is_a_command_that_works(frame, tmp_path, monkeypatch):
    """The default name of the model, and the command that the last line says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my flats.2024.csv").write_bytes(write_plain(frame))
    said = done("fit", "my flats.2024.csv", "--target", "price", *FAST).stderr.splitlines()[-2:]
    command, page = said[0].removeprefix("next: hedgerow "), said[1].removeprefix("or a page to read: hedgerow ")
    command = shlex.split(command.replace("NEW_ROWS.csv", "'my flats.2024.csv'"))
    assert command[:2] == ["predict", "my flats.hedgerow"]
    assert done(*command).stdout.startswith("mean,std,lower,upper\n")
    assert shlex.split(page) == ["report", "my flats.hedgerow", "my flats.2024.csv"]
    hedgerow.MondrianFeatures(2).fit(frame[["size"]]).save("my features")
    said = refusal("predict", "my features", "my flats.2024.csv")
    advice = shlex.split(said.partition("; hedgerow ")[2].removesuffix(" shows it"))
    assert advice == ["info", "my features"]
    assert "MondrianFeatures" in done(*advice).stdout
    assert "--use 'id'" in refusal("fit", write_ids(tmp_path), "--target", "y")
    done("fit", tmp_path / "ids.csv", "--target", "y", "--use", "id", *FAST)


def write(path, **columns):
    """Write a table with semicolons, and return its path."""
    pd.DataFrame(columns).to_csv(path, sep=";", index=False)
    return path


def columns_of(path, *options):
    """Return what columns were taken for, by name, and what was said."""
    fitted = done(
        "fit", path, "-t", "y", "--model", "forest", "--trees", 1, "--no-score", *options, "-o", path.with_suffix(".m")
    )
    rows = [line.split("\t") for line in fitted.stdout.split("\n\n")[0].splitlines()[1:]]
    return {row[0]: row[1:] for row in rows}, fitted.stderr


def test_numbers_with_a_unit_are_numbers(tmp_path):
    y = np.arange(N) + 0.5
    prices = [f"{price:.2f} €".replace(".", ",") for price in y]
    units = ["3 €", "3 $"] * (N // 2)
    path = write(tmp_path / "a.csv", price=prices, rate=[f"{row % 7} %" for row in range(N)], mixed=units, y=y)
    found, said = columns_of(path)
    assert [found[name][0] for name in ("price", "rate", "mixed")] == ["number", "number", "category"]
    assert "numbers with decimal commas in €: price" in said
    assert "numbers in %: rate" in said
    one = write(tmp_path / "one.csv", price=["1.234,50 €"], rate=["5 %"], mixed=["3 $"])
    assert len(done("predict", path.with_suffix(".m"), one).stdout.splitlines()) == 2


def test_digits_that_begin_with_zeros_are_no_numbers(tmp_path):
    codes = [f"0{row % 5}123" for row in range(N)]
    path = write(tmp_path / "a.csv", postal=codes, zeros=[row % 2 * 0.5 for row in range(N)], y=np.arange(N) + 0.5)
    found, said = columns_of(path)
    assert found["postal"][0] == "category"
    assert "00123" in found["postal"][2]
    assert found["zeros"][0] == "number"
    assert "begin with zeros" in said
    assert len(done("predict", path.with_suffix(".m"), path).stdout.splitlines()) == N + 1


def test_a_word_among_numbers_or_dates_is_named(tmp_path):
    dates = pd.date_range("2024-01-01", periods=N).strftime("%d.%m.%Y").to_list()
    numbers = [str(row % 6) for row in range(N)]
    words = ["few", "many"] * (N // 2)
    dates[4], numbers[5], numbers[9] = "unknown", "many", "many"
    path = write(tmp_path / "a.csv", sold=dates, rooms=numbers, words=words, y=np.arange(N) + 0.5)
    found, said = columns_of(path)
    assert found["sold"][0] == "date"
    assert "'unknown' is taken for a missing value: sold" in said
    assert "numbers but for 'many' in 2 rows: --missing many to use it as numbers" in found["rooms"][2]
    assert found["words"][2] == "2 different: few, many"


def test_a_column_that_tells_the_target_is_doubted(frame, tmp_path):
    same = frame.assign(**{"paid out": frame["churned"] * 2 + 1})[["size", "paid out", "churned"]]
    same.to_csv(tmp_path / "a.csv", index=False)
    how = ("-t", "churned", "--trees", 3, "--set", "stages=['mondrian']", "-o", tmp_path / "m")
    said = done("fit", tmp_path / "a.csv", *how).stderr
    assert "'paid out' alone tells 'churned'" in said
    assert "--ignore 'paid out'" in said
    assert "alone tells" not in done("fit", tmp_path / "a.csv", *how, "--ignore", "paid out").stderr


def test_the_first_ten_minutes(frame, tmp_path, monkeypatch):
    """From a table to a page, with nothing but what each command advises."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flats.csv").write_bytes(write_windows(frame))
    said = done("fit", "flats.csv", "--target", "price", "--ignore", "churned", *FAST).stderr
    assert "next: hedgerow predict flats.hedgerow NEW_ROWS.csv" in said
    advised = shlex.split(said.splitlines()[-1].rpartition("a page to read: ")[2])
    assert advised == ["hedgerow", "report", "flats.hedgerow", "flats.csv"]
    assert "written to flats.html" in done(*advised[1:]).stderr
    assert "How well price is predicted" in (tmp_path / "flats.html").read_text(encoding="utf-8")
    frame.drop(columns=["price", "churned"]).tail(5).to_csv("new.csv", index=False)
    assert len(done("predict", "flats.hedgerow", "new.csv", "--keep", "Order ID").stdout.splitlines()) == 6
    facts = {row["fact"]: row["value"] for row in answer("info", "flats.hedgerow")["about"]}
    assert facts["target"] == "price"
    assert facts["rows ever learned"] == frame["price"].notna().sum()
