"""The page about a model without its rows: what the file of the model itself holds."""

from __future__ import annotations

from shlex import quote
from typing import Any

from hedgerow.cli._columns import KINDS
from hedgerow.cli.report._html import Markup, beside, element, figures, page, section, table
from hedgerow.cli.report._importances import OWN, own_importances
from hedgerow.cli.report._model import N_BARS, parameters_section
from hedgerow.cli.report._pictures import bars_figure
from hedgerow.numeric.words import words_for


def alone_page(model: Any, name: str) -> str:
    """Return the page."""
    facts = [{"fact": what, "value": words_for(value)} for what, value in model.summary().facts.items()]
    columns = [{"column": column, "taken for": KINDS[kind]} for column, kind in model.column_kinds_.items()]
    more = f"hedgerow report {quote(name)} DATA.csv"
    sections = [
        section("Summary", table(facts)),
        _importances(model, columns),
        parameters_section(model),
        section(
            "More",
            element(
                "p", "Errors, calibration, effects of columns and single rows need the table: ", element("code", more)
            ),
        ),
    ]
    target = model.target_name_
    return page(
        f"A model of {target}" if target else type(model).__name__, f"{type(model).__name__} in {name}", sections
    )


def _importances(model: Any, columns: list[dict[str, str]]) -> Markup:
    ranked = own_importances(model, [row["column"] for row in columns])
    if ranked is None:
        return section("Columns", table(columns))
    bars = bars_figure("Share of each column", ranked[:N_BARS], in_percent=True)
    return section("Columns", beside(figures(bars), table(columns)), about=OWN)
