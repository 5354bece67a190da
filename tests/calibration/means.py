"""Means of independent observations against those of direct draws, by Welch's t-test."""

from __future__ import annotations

import numpy as np
from scipy.stats import ttest_1samp, ttest_ind


def differences(observed, direct):
    """By name: the difference of the means in standard errors, and its p-value."""
    return {name: _difference(np.asarray(observed[name]), sample) for name, sample in direct.items()}


def _difference(observed, direct):
    is_known = np.ptp(direct) == 0.0
    found = ttest_1samp(observed, direct[0]) if is_known else ttest_ind(observed, direct, equal_var=False)
    return float(found.statistic), float(found.pvalue)
