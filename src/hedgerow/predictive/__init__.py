"""Predictive distributions, and small frozen results of predictions."""

from hedgerow.predictive._counts import Counts
from hedgerow.predictive._distribution import Distribution
from hedgerow.predictive._forecasts import Forecasts, joined_forecasts
from hedgerow.predictive._joint import Joint
from hedgerow.predictive._label_mixture import LabelMixture
from hedgerow.predictive._leave_one_out import LeaveOneOut
from hedgerow.predictive._location_scale import LocationScale
from hedgerow.predictive._mapped import Mapped
from hedgerow.predictive._normal_mixture import NormalMixture
from hedgerow.predictive._reshaped import Reshaped
from hedgerow.predictive._student_mixture import StudentMixture
from hedgerow.predictive._uncertainty import Uncertainty
from hedgerow.predictive._wrapped import predict_dist, predict_interval

__all__ = [
    "Counts",
    "Distribution",
    "Forecasts",
    "Joint",
    "LabelMixture",
    "LeaveOneOut",
    "LocationScale",
    "Mapped",
    "NormalMixture",
    "Reshaped",
    "StudentMixture",
    "Uncertainty",
    "joined_forecasts",
    "predict_dist",
    "predict_interval",
]
