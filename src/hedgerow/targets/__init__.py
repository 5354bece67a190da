"""Targets that are not learned as they are: positive numbers, counts, those with a map of their own, and several."""

from hedgerow.targets._cells import Cells
from hedgerow.targets._learning import first_target, is_due, learn_target
from hedgerow.targets._maps import Functions, Straightened
from hedgerow.targets._standardised import Standardised
from hedgerow.targets._targets import Continuous, Count, Target, Untransformed, check_target, target_from_state

__all__ = [
    "Cells",
    "Continuous",
    "Count",
    "Functions",
    "Standardised",
    "Straightened",
    "Target",
    "Untransformed",
    "check_target",
    "first_target",
    "is_due",
    "learn_target",
    "target_from_state",
]
