"""Probabilistic trees and forests that learn row by row and say how sure they are."""

from hedgerow import metrics, optimize, predictive, stream
from hedgerow.bart import BARTClassifier, BARTRegressor
from hedgerow.bayesian import BayesianTreeClassifier, BayesianTreeRegressor
from hedgerow.boosting import MondrianBoostingClassifier, MondrianBoostingRegressor
from hedgerow.files import load
from hedgerow.kernel import MondrianFeatures, MondrianKernelRidge
from hedgerow.mondrian import MondrianForestClassifier, MondrianForestRegressor
from hedgerow.online import OnlineConformalRegressor, OnlineForestRegressor, OnlineQuantileForestRegressor
from hedgerow.predictive import predict_dist, predict_interval

__version__ = "0.1.0"

__all__ = [
    "BARTClassifier",
    "BARTRegressor",
    "BayesianTreeClassifier",
    "BayesianTreeRegressor",
    "MondrianBoostingClassifier",
    "MondrianBoostingRegressor",
    "MondrianFeatures",
    "MondrianForestClassifier",
    "MondrianForestRegressor",
    "MondrianKernelRidge",
    "OnlineConformalRegressor",
    "OnlineForestRegressor",
    "OnlineQuantileForestRegressor",
    "__version__",
    "load",
    "metrics",
    "optimize",
    "predict_dist",
    "predict_interval",
    "predictive",
    "stream",
]
