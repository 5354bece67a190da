"""Adaptive forests for streams, with intervals: document 003."""

from hedgerow.online._conformal import OnlineConformalRegressor
from hedgerow.online._forest import OnlineForestRegressor

__all__ = ["OnlineConformalRegressor", "OnlineForestRegressor"]
