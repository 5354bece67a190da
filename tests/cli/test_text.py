"""Text in tables that is something else: thousands, marks for missing values, dates of several forms."""

import numpy as np
import pandas as pd
import pytest

from command_line import done, refusal
from hedgerow.cli._scores import too_good
from hedgerow.cli._table import read_table
from hedgerow.cli._text import Reading

N = 40


def read(folder, text, **reading):
    """Return the table of a file, and what was said of it."""
    path, said = folder / "rows.csv", []
    path.write_text(text, encoding="utf-8")
    return read_table(path, said.append, reading=Reading(**reading)), said


def lines(header, *rows):
    return "\n".join([header, *rows, ""])


def test_dots_between_thousands(tmp_path):
    """Decimal commas in another column, a currency, or two dots in one number tell what a dot is."""
    frame, said = read(tmp_path, lines("price;size", "465.500;70,5", "950;35", "12.000;41,0"))
    assert frame["price"].tolist() == [465_500, 950, 12_000]
    assert frame["size"].tolist() == [70.5, 35, 41]
    assert "numbers with dots between thousands: price" in said
    frame, said = read(tmp_path, lines("price;rooms", "465.500 €;3", "950 €;1"))
    assert frame["price"].tolist() == [465_500, 950]
    assert "numbers with dots between thousands in €: price" in said
    frame, _ = read(tmp_path, lines("price;rooms", "1.465.500;3", "12.000;1", ";1", "-3.000;2"))
    assert frame["price"].fillna(0).tolist() == [1_465_500, 12_000, 0, -3_000]


def test_dots_that_may_be_decimal_points_are_said(tmp_path):
    frame, said = read(tmp_path, lines("voltage;rooms", "1.234;3", "2.500;1"))
    assert frame["voltage"].tolist() == [1.234, 2.5]
    assert "numbers whose dots are taken for decimal points: voltage" in said
    frame, said = read(tmp_path, lines("voltage;size", "1.234;3,5", "2.5;1,5"))
    assert frame["voltage"].tolist() == [1.234, 2.5]
    frame, said = read(tmp_path, lines("voltage,rooms", "1.234,3", "2.500,1"))
    assert frame["voltage"].tolist() == [1.234, 2.5]
    assert said == []


@pytest.mark.parametrize("mark", ["-", "--", "?", "\N{EN DASH}"])
def test_marks_among_numbers_and_dates_are_missing_values(mark, tmp_path):
    frame, said = read(tmp_path, lines("size,when,name,day", f"{mark},{mark},{mark},{mark}", "3,2024-01-05,a,5.1.2024"))
    assert (
        frame["size"].isna().tolist() == frame["when"].isna().tolist() == frame["day"].isna().tolist() == [True, False]
    )
    assert frame["size"].dtype == float
    assert frame["name"].tolist() == [mark, "a"]  # may be a category
    assert f"{mark!r} is taken for a missing value: size, when, day" in said


def test_marks_in_rows_to_predict_and_in_streams(tmp_path):
    table = pd.DataFrame({"size": [str(row % 7) for row in range(N)], "y": np.arange(N) % 7 * 2.0 + np.arange(N) / N})
    table.loc[4, "size"] = "-"
    table.to_csv(tmp_path / "rows.csv", index=False)
    done("fit", tmp_path / "rows.csv", "-t", "y", "--model", "forest", "--trees", 2, "-o", tmp_path / "m", "--no-score")
    (tmp_path / "new.csv").write_text("size\n-\n")  # nothing but a mark
    assert len(done("predict", tmp_path / "m", tmp_path / "new.csv").stdout.splitlines()) == 2
    result = done("stream", tmp_path / "rows.csv", "-t", "y", "--trees", 2)
    assert "size\tnumber" in result.stdout


def test_dates_of_several_forms(tmp_path):
    frame, said = read(tmp_path, lines("when", "2024-02-01", "3.2.2024", "2024/02/05 12:30"))
    assert frame["when"].tolist() == [*map(pd.Timestamp, ("2024-02-01", "2024-02-03", "2024-02-05 12:30"))]
    assert "dates of several forms: when" in said


def test_a_value_or_nothing(tmp_path):
    """A column that is filled for one class only is described so, and doubted."""
    table = pd.DataFrame({"age": np.arange(N) % 9, "state": np.where(np.arange(N) % 3, "stayed", "left")})
    table["ended"] = np.where(table["state"] == "left", "2024-01-05", "")
    table.to_csv(tmp_path / "rows.csv", index=False)
    result = done("fit", tmp_path / "rows.csv", "-t", "state", "-o", tmp_path / "m", "--trees", 3)
    assert "ended\tdate\t26\talways 2024-01-05, or missing" in result.stdout
    assert "'ended' alone tells 'state'" in result.stderr


def test_what_is_too_good():
    def scores(measure, own, baseline):
        return [{"model": "ours", measure: own}, {"model": "baseline", measure: baseline}]

    assert too_good(scores("log loss", 0.08, 0.4), [("ended", 0.99)], "state")
    assert not too_good(scores("log loss", 0.2, 0.4), [("ended", 0.99)], "state")
    assert not too_good(scores("RMSE", 0.2, 1.0), [("size", 0.99)], "price")
    assert not too_good(scores("RMSE", 0.01, 1.0), [("size", 0.6)], "price")


@pytest.mark.parametrize(
    ("days", "says", "first"),
    [
        (["01/13/2022", "02/03/2022"], "dates with the month first", "2022-01-13"),
        (["13/01/2022", "02/03/2022 17:05"], "dates with the day first", "2022-01-13"),
    ],
)
def test_a_day_above_twelve_tells_the_order(days, says, first, tmp_path):
    frame, said = read(tmp_path, lines("day,x", *(f"{day},1" for day in days)))
    assert f"{says}: day" in said
    assert str(frame["day"].iloc[0].date()) == first
    assert frame["day"].iloc[1].month == (2 if "month" in says else 3)
    assert frame["day"].iloc[1].hour == (17 if ":" in days[1] else 0)


def test_an_order_that_is_not_clear_is_asked_about(tmp_path):
    for days in (["01/02/2022", "03/04/2022"], ["13/01/2022", "01/13/2022"]):
        frame, said = read(tmp_path, lines("day,x", *(f"{day},1" for day in days)))
        assert frame["day"].tolist() == days
        assert any("--dates says it" in word for word in said)
    text = lines("day,x", "01/02/2022,1", "03/04/2022,1")
    assert read(tmp_path, text, dates="day-first")[0]["day"].dt.month.tolist() == [2, 4]
    assert read(tmp_path, text, dates="month-first")[0]["day"].dt.month.tolist() == [1, 3]
    against, _ = read(tmp_path, lines("day,x", "13/02/2022,1", "03/04/2022,1"), dates="month-first")
    assert against["day"].tolist() == ["13/02/2022", "03/04/2022"]  # what the user says is wrong


def test_further_marks_of_missing_values(tmp_path):
    text = lines("size;name;is_new", "k.A.;k.A.;true", "-999;b;false", "1.250,5;c;k.A.")
    frame, _ = read(tmp_path, text, missing=("k.A.", "-999"))
    assert frame["size"].isna().tolist() == [True, True, False]
    assert frame["size"].iloc[2] == 1250.5
    assert frame["name"].isna().tolist() == [True, False, False]
    assert frame["is_new"].iloc[0] is True
    (tmp_path / "rows.jsonl").write_text('{"size": -999, "name": "k.A. "}\n{"size": 2.5, "name": "b"}\n')
    frame = read_table(tmp_path / "rows.jsonl", reading=Reading(("k.A.", "-999")))
    assert frame["size"].isna().tolist() == frame["name"].isna().tolist() == [True, False]


def test_one_word_among_many_numbers_is_a_missing_value(tmp_path):
    """Without this, a column with a word for what is missing is a category of as many values as there are numbers."""
    sizes = [f"{20 + row},5" for row in range(N)]
    text = lines("size;x", *(f"{'k.A.' if row % 5 == 0 else size};1" for row, size in enumerate(sizes)))
    frame, said = read(tmp_path, text)
    assert frame["size"].isna().sum() == N // 5
    assert frame["size"].dtype == float
    assert "'k.A.' is taken for a missing value: size" in said
    two = text.replace("21,5", "unknown")  # two words may be categories
    assert read(tmp_path, two)[0]["size"].iloc[1] == "unknown"
    few, _ = read(tmp_path, lines("floor;x", "1;1", "2;1", "EG;1", "3;1"))
    assert few["floor"].tolist() == ["1", "2", "EG", "3"]


def test_words_among_numbers_of_rows_to_predict(tmp_path):
    rng = np.random.default_rng(0)
    learned = [
        f"{size:.1f},{2 * size:.1f},{1 + row % 12:02d}/{1 + row % 28:02d}/2024"
        for row, size in enumerate(rng.uniform(1, 9, N))
    ]
    (tmp_path / "rows.csv").write_text(lines("size,y,day", *learned))
    model = tmp_path / "rows.hedgerow"
    done("fit", tmp_path / "rows.csv", "-t", "y", "--model", "forest", "--trees", 3, "--no-score", "-o", model)
    new = tmp_path / "new.csv"
    new.write_text(lines("size,day", "n.a.,01/02/2024", "3.5,01/02/2024"))
    said = refusal("predict", model, new)
    assert "'day'" in said
    assert "--dates" in said
    assert len(done("predict", model, new, "--dates", "month-first").stdout.splitlines()) == 3
    new.write_text(lines("size,day", "n.a.,01/13/2024", "k.A.,01/13/2024", "3.5,01/13/2024"))
    said = refusal("predict", model, new)
    assert "holds 'n.a.', 'k.A.'" in said
    assert "--missing n.a.,k.A." in said
    assert len(done("predict", model, new, "--missing", "n.a.,k.A.").stdout.splitlines()) == 4
    assert "one of day-first, month-first" in refusal("predict", model, new, "--dates", "day", code=2)


def test_text_with_types_is_a_number_where_nothing_else_is_written_so(tmp_path):
    """Prices in JSON lines were text with a class each; plain digits as text are meant, and so stay text."""
    rows = [
        {"price": "$679,808", "fee": "12,50 €", "share": "12.5 %", "people": "1,234", "code": "80331", "pair": "1,2"},
        {"price": "$1,730,268.5", "fee": "-", "share": "7 %", "people": "950", "code": "10115", "pair": "3,4"},
        {"price": None, "fee": "7 €", "share": "8 %", "people": "12,000", "code": "04109", "pair": "5,6"},
    ]
    frame = pd.DataFrame(rows).assign(dotted=["465.500 €", "12.000 €", "950 €"], size=[3, 1, 2])
    frame.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    frame.to_parquet(tmp_path / "rows.parquet")
    for name in ("rows.jsonl", "rows.parquet"):
        found = read_table(tmp_path / name)
        assert found["price"].fillna(0).tolist() == [679_808, 1_730_268.5, 0]
        assert found["fee"].fillna(0).tolist() == [12.5, 0, 7]
        assert found["share"].tolist() == [12.5, 7, 8]
        assert found["people"].tolist() == [1234, 950, 12_000]
        for text in ("code", "pair", "dotted"):  # thousands, or three decimal places: nothing tells
            assert found[text].tolist() == frame[text].tolist()
    frame[["people", "share", "code", "price"]].assign(size=["3", "k.A.", "2.5"]).to_json(
        tmp_path / "text.jsonl", orient="records", lines=True
    )  # where all is text, types tell nothing
    found = read_table(tmp_path / "text.jsonl", reading=Reading(("k.A.",)))
    assert found["size"].fillna(0).tolist() == [3, 0, 2.5]
    assert found["code"].tolist() == frame["code"].tolist()
