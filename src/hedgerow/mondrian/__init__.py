"""Mondrian forests: partitions drawn from a Mondrian process, labels smoothed by a hierarchical model."""

from hedgerow.mondrian._classifier import MondrianForestClassifier
from hedgerow.mondrian._merging import merge
from hedgerow.mondrian._regressor import MondrianForestRegressor

__all__ = ["MondrianForestClassifier", "MondrianForestRegressor", "merge"]
