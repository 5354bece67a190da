"""Probabilistic trees and forests that learn row by row and say how sure they are."""

from hedgerow._persistence import load
from hedgerow.bayesian import BayesianTreeClassifier, BayesianTreeRegressor
from hedgerow.boosting import MondrianBoostingClassifier, MondrianBoostingRegressor
from hedgerow.mondrian import MondrianForestClassifier, MondrianForestRegressor

__version__ = "0.1.0"

__all__ = [
    "BayesianTreeClassifier",
    "BayesianTreeRegressor",
    "MondrianBoostingClassifier",
    "MondrianBoostingRegressor",
    "MondrianForestClassifier",
    "MondrianForestRegressor",
    "__version__",
    "load",
]
