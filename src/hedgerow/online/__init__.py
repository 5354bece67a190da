"""Adaptive forests for streams, with intervals (Vasiloudis, De Francisci Morales and Boström, 2019)."""

from hedgerow.online._conformal import OnlineConformalRegressor
from hedgerow.online._forest import OnlineForestRegressor
from hedgerow.online._quantile import OnlineQuantileForestRegressor

__all__ = ["OnlineConformalRegressor", "OnlineForestRegressor", "OnlineQuantileForestRegressor"]
