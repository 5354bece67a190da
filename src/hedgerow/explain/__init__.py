"""Explanations of predictions: Shapley values of columns (Shapley 1953; Štrumbelj and Kononenko 2014).

Models have a method `explain`, which returns an `Explanation`. What is here knows no model.
"""

from hedgerow.explain._bands import ImportanceBands, importance_bands
from hedgerow.explain._coalitions import all_coalitions, random_orders
from hedgerow.explain._explanation import Contribution, Explanation
from hedgerow.explain._values import shapley_values

__all__ = [
    "Contribution",
    "Explanation",
    "ImportanceBands",
    "all_coalitions",
    "importance_bands",
    "random_orders",
    "shapley_values",
]
