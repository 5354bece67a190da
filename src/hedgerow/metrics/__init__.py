"""Scores of intervals, of distributions and of classes: of arrays, and of streams in constant memory."""

from hedgerow.metrics import scorers
from hedgerow.metrics._distributions import CalibrationTable, calibration_table, crps, nlpd
from hedgerow.metrics._errors import ClassTally, DistributionTally, ErrorTally
from hedgerow.metrics._intervals import (
    IntervalTally,
    interval_score,
    mean_error_rate,
    quantile_loss,
    relative_interval_size,
    utility,
)
from hedgerow.metrics._tally import Windowed

__all__ = [
    "CalibrationTable",
    "ClassTally",
    "DistributionTally",
    "ErrorTally",
    "IntervalTally",
    "Windowed",
    "calibration_table",
    "crps",
    "interval_score",
    "mean_error_rate",
    "nlpd",
    "quantile_loss",
    "relative_interval_size",
    "scorers",
    "utility",
]
