"""Adaptive forests for streams: document 003."""

from hedgerow.online._forest import OnlineForestRegressor

__all__ = ["OnlineForestRegressor"]
