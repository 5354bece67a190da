"""Bayesian additive regression trees: a posterior over sums of trees, by Markov chains."""

from hedgerow.bart._classifier import BARTClassifier
from hedgerow.bart._diagnostics import Diagnostics
from hedgerow.bart._regressor import BARTRegressor

__all__ = ["BARTClassifier", "BARTRegressor", "Diagnostics"]
