"""Small frozen results of predictions."""

from hedgerow.predictive._normal_mixture import NormalMixture
from hedgerow.predictive._uncertainty import Uncertainty

__all__ = ["NormalMixture", "Uncertainty"]
