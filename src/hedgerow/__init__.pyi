from . import metrics, optimize, predictive, stream
from .bart import BARTClassifier, BARTRegressor
from .base.progress import show_progress
from .bayesian import BayesianTreeClassifier, BayesianTreeRegressor
from .boosting import MondrianBoostingClassifier, MondrianBoostingRegressor
from .files import load
from .kernel import MondrianFeatures, MondrianKernelRidge
from .mondrian import MondrianForestClassifier, MondrianForestRegressor, merge
from .online import OnlineConformalRegressor, OnlineForestRegressor, OnlineQuantileForestRegressor
from .predictive import predict_dist, predict_interval

__version__: str

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
    "merge",
    "metrics",
    "optimize",
    "predict_dist",
    "predict_interval",
    "predictive",
    "show_progress",
    "stream",
]
