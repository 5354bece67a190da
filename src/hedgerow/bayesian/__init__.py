"""Bayesian decision trees: a posterior over trees, by sequential Monte Carlo or by Markov chains."""

from hedgerow.base.decision_tree import DecisionTree
from hedgerow.bayesian._classifier import BayesianTreeClassifier
from hedgerow.bayesian._regressor import BayesianTreeRegressor

__all__ = ["BayesianTreeClassifier", "BayesianTreeRegressor", "DecisionTree"]
