"""Small frozen results of predictions."""

from hedgerow.predictive._normal_mixture import NormalMixture

__all__ = ["NormalMixture"]
