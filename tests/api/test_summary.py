"""summary of every model: short, true, and safe in notebooks."""

import numpy as np
import pandas as pd
import pytest

import hedgerow
from models import BY_NAME, every, forest


@every(one_a_class=True)
def test_every_model_has_a_summary(case, tmp_path):
    assert str(case.new().summary()) == f"{case.kind.__name__}\n  state  not fitted"
    model = case.fitted()
    summary = model.summary()
    assert summary.title == case.kind.__name__
    assert summary.facts["columns"] == "3 number"
    lines = str(summary).splitlines()
    assert len(lines) == 1 + len(summary.facts) <= 20
    assert all(len(line) < 120 for line in lines)
    model.save(tmp_path / "model")
    assert str(hedgerow.load(tmp_path / "model").summary()) == str(summary)


def test_scores_and_classes_are_told():
    boosting, classes = BY_NAME["boosting"].fitted(), BY_NAME["class boosting"].fitted()
    assert boosting.summary().facts["leave-one-out R2"] == boosting.loo_score_
    assert classes.summary().facts["leave-one-out accuracy"] == classes.loo_score_
    assert classes.summary().facts["classes"] == ", ".join(classes.classes_)


def test_the_name_of_the_target_is_kept(tmp_path):
    X, y = BY_NAME["forest"].data(40)
    model = forest().fit(X, pd.Series(y, name="price"))
    assert model.target_name_ == "price"
    model.save(tmp_path / "model")
    assert hedgerow.load(tmp_path / "model").target_name_ == "price"
    assert model.partial_fit(X, pd.Series(y, name="cost")).target_name_ == "price"
    assert forest().partial_fit(X, pd.Series(y, name="cost")).target_name_ == "cost"
    assert model.fit(X, y).target_name_ is None
    with pytest.raises(ValueError, match="not fitted"):
        _ = forest().target_name_


def test_notebooks_get_a_table_without_code():
    X, y = BY_NAME["forest"].data(40)
    html = forest().fit(X, pd.Series(y, name="<script>alert(1)</script>")).summary()._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    assert html.startswith("<table>")
    assert np.sum([html.count(f"<{tag}") - html.count(f"</{tag}>") for tag in ("table", "tr", "td", "caption")]) == 0
