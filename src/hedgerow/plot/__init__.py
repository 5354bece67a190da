"""Pictures of models and their predictions: matplotlib displays in scikit-learn's manner."""

from hedgerow.plot._calibration import CalibrationDisplay
from hedgerow.plot._classes import ClassDisplay
from hedgerow.plot._convergence import ConvergenceDisplay
from hedgerow.plot._interval import IntervalDisplay
from hedgerow.plot._lifetime import LifetimePathDisplay
from hedgerow.plot._partition import PartitionDisplay
from hedgerow.plot._run import RunDisplay
from hedgerow.plot._slice import SliceDisplay
from hedgerow.plot._trace import TraceDisplay
from hedgerow.plot._tree import TreeDisplay

__all__ = [
    "CalibrationDisplay",
    "ClassDisplay",
    "ConvergenceDisplay",
    "IntervalDisplay",
    "LifetimePathDisplay",
    "PartitionDisplay",
    "RunDisplay",
    "SliceDisplay",
    "TraceDisplay",
    "TreeDisplay",
]
