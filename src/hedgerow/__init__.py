"""Probabilistic trees and forests that learn row by row and say how sure they are."""

from hedgerow._persistence import load
from hedgerow.boosting import MondrianBoostingClassifier, MondrianBoostingRegressor
from hedgerow.kernel import MondrianFeatures, MondrianKernelRidge
from hedgerow.mondrian import MondrianForestClassifier, MondrianForestRegressor

__version__ = "0.1.0"

__all__ = [
    "MondrianBoostingClassifier",
    "MondrianBoostingRegressor",
    "MondrianFeatures",
    "MondrianForestClassifier",
    "MondrianForestRegressor",
    "MondrianKernelRidge",
    "__version__",
    "load",
]
