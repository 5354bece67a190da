"""Text in tables that is something else: thousands, marks for missing values, dates of several forms."""

import numpy as np
import pandas as pd
import pytest

from command_line import done
from hedgerow.cli._scores import too_good
from hedgerow.cli._table import read_table

N = 40


def read(folder, text):
    """Return the table of a file, and what was said of it."""
    path, said = folder / "rows.csv", []
    path.write_text(text, encoding="utf-8")
    return read_table(path, said.append), said


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
