"""Scores of whole predictive distributions: density, CRPS, calibration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.metrics._checks import (
    check_confidence,
    check_some_weight,
    checked_interval,
    checked_vector,
    checked_weights,
    floats_of,
)
from hedgerow.metrics._crps import crps_of_distribution, crps_of_normal, crps_of_quantiles, crps_of_samples
from hedgerow.numeric.arrays import Floats
from hedgerow.predictive import LocationScale
from hedgerow.predictive._shapes import NormalShape

CONFIDENCES = tuple(np.round(np.arange(1, 10) / 10, 1).tolist())


def nlpd(y: npt.ArrayLike, forecast: Any, *, sample_weight: npt.ArrayLike | None = None) -> float:
    """Mean negative log predictive density, in nats: ``-mean(log p(y))``. Smaller is better.

    Parameters
    ----------
    y : array of shape (n,)
        Labels.
    forecast : distribution, pair of arrays, or array of shape (n,)
        What `predict_dist` returns, or anything with `logpdf`; or ``(mean, std)`` of Gaussians; or log densities.
    sample_weight : array of shape (n,), optional
        Weights of the rows in the mean.

    Returns
    -------
    nlpd : float

    Examples
    --------
    >>> from hedgerow.metrics import nlpd
    >>> round(nlpd([0.0, 1.0], ([0.0, 0.0], [1.0, 1.0])), 4)  # log(2 pi) / 2 + 1/4
    1.1689
    """
    targets = checked_vector("y", y)
    forecast = _gaussians_or_same(forecast, targets.size)
    logs = forecast.logpdf(targets) if hasattr(forecast, "logpdf") else forecast
    return -_mean(checked_vector("log density", logs, targets.size), sample_weight)


def crps(
    y: npt.ArrayLike,
    forecast: Any,
    *,
    levels: npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """Continuous ranked probability score, in the unit of the targets. Smaller is better.

    ``mean(E|X - y| - E|X - X'| / 2)`` with X, X' independent draws from the forecast; of a single number it is the
    absolute error. Closed forms are used for mixtures of Gaussians, for Gaussians, for Student's t and for samples;
    other distributions are scored by 400 of their quantiles.

    Parameters
    ----------
    y : array of shape (n,)
        Labels.
    forecast : distribution, pair of arrays, or array of shape (n, k)
        What `predict_dist` returns, or anything with `ppf`; or ``(mean, std)`` of Gaussians, both of shape (n,); or
        k samples a row; or, with `levels`, k quantiles a row.
    levels : array of shape (k,), optional
        Levels of the quantiles, rising. The score is then the integral of twice the pinball loss, by these levels.
    sample_weight : array of shape (n,), optional
        Weights of the rows in the mean.

    Returns
    -------
    crps : float

    Examples
    --------
    >>> from hedgerow.metrics import crps
    >>> crps([0.0], [[-1.0, 1.0]])  # two samples
    0.5
    """
    targets = checked_vector("y", y)
    return _mean(crps_of_rows(targets, forecast, levels), sample_weight)


def crps_of_rows(y: Floats, forecast: Any, levels: npt.ArrayLike | None = None) -> Floats:
    """CRPS of each row."""
    if levels is None and isinstance(forecast, tuple):
        mean, std = _gaussian_parts(forecast, y.size)
        return crps_of_normal(mean, std, y)
    if hasattr(forecast, "ppf"):
        _check_length(forecast, y.size)
        return crps_of_distribution(forecast, y)
    values = floats_of("forecast", forecast)
    if values.ndim != 2 or values.shape[0] != y.size or values.shape[1] == 0 or not np.isfinite(values).all():
        raise ValueError(
            f"forecast must be a distribution, a pair (mean, std), or finite numbers of shape ({y.size}, k); "
            f"got {type(forecast).__name__} of shape {values.shape}"
        )
    if levels is None:
        return crps_of_samples(values, y)
    at = checked_vector("levels", levels, values.shape[1])
    if not ((at > 0) & (at < 1)).all() or (np.diff(at) <= 0).any():
        raise ValueError(f"levels must rise, between 0 and 1, got {levels!r}")
    return crps_of_quantiles(values, at, y)


class CalibrationTable(NamedTuple):
    """Observed coverage of central intervals next to their nominal confidence."""

    confidence: Floats
    """Nominal confidence."""
    observed: Floats
    """Share of targets that were covered."""

    @property
    def difference(self) -> Floats:
        """Observed minus nominal coverage: below zero is overconfident."""
        return self.observed - self.confidence

    def __str__(self) -> str:
        rows = (self.confidence, self.observed, self.difference)
        signs = ("{:6.2f}", "{:6.3f}", "{:+6.3f}")
        return "\n".join(
            f"{name:<11}" + " ".join(sign.format(value) for value in row)
            for name, sign, row in zip(("confidence", "observed", "difference"), signs, rows, strict=True)
        )


def calibration_table(
    y: npt.ArrayLike,
    forecast: Any,
    confidence: npt.ArrayLike = CONFIDENCES,
    *,
    reading: str = "distribution",
    sample_weight: npt.ArrayLike | None = None,
) -> CalibrationTable:
    """Promised and observed coverage of central intervals.

    Parameters
    ----------
    y : array of shape (n,)
        Labels.
    forecast : distribution, pair of arrays, or mapping
        What `predict_dist` returns, or anything with `cdf`; or ``(mean, std)`` of Gaussians; or intervals of shape
        (n, 2) by confidence.
    confidence : array, default=(0.1, 0.2, ..., 0.9)
        Nominal confidence of central intervals; a mapping has it in its keys.
    reading : {"distribution", "gaussian"}, default="distribution"
        Which intervals. "distribution": between two quantiles of the whole distribution, as `predict_interval` gives
        them. "gaussian": mean plus and minus z standard deviations, as if each forecast were a Gaussian with the mean
        and the standard deviation that it has; the `difference` is then an entry of Table 2 of Lakshminarayanan, Roy
        and Teh (2016).
    sample_weight : array of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    table : CalibrationTable
        Arrays `confidence`, `observed` and `difference`; printed, it is the table.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.metrics import calibration_table
    >>> y = np.random.default_rng(0).normal(size=10_000)
    >>> print(calibration_table(y, (np.zeros(10_000), np.full(10_000, 0.5)), [0.5, 0.9]))  # std should be 1
    confidence   0.50   0.90
    observed    0.261  0.590
    difference -0.239 -0.310

    A mixture of two far-apart Gaussians has most of its targets about one standard deviation from its mean:

    >>> from hedgerow.predictive import NormalMixture
    >>> first, means = np.arange(0, 20_001, 2), np.tile([-3.0, 3.0], 10_000)
    >>> dist = NormalMixture(first, np.full(20_000, 0.5), means, np.ones(20_000))
    >>> y = np.where(np.arange(10_000) % 2, -3.0, 3.0) + y
    >>> for reading in ("distribution", "gaussian"):
    ...     print(calibration_table(y, dist, [0.5, 0.9], reading=reading).observed.round(2).tolist())
    [0.5, 0.9]
    [0.19, 0.99]
    """
    targets = checked_vector("y", y)
    if not isinstance(reading, str) or reading not in ("distribution", "gaussian"):
        raise ValueError(f"reading must be 'distribution' or 'gaussian', got {reading!r}")
    if reading == "gaussian":
        forecast = _gaussian_reading(forecast)
    weights = checked_weights(sample_weight, targets.size)
    check_some_weight(weights)
    if isinstance(forecast, Mapping):
        promised = np.array(sorted(map(check_confidence, forecast)))
        ends = {check_confidence(level): checked_interval(each, targets.size) for level, each in forecast.items()}
        covered = [(targets >= ends[level][:, 0]) & (targets <= ends[level][:, 1]) for level in promised]
    else:
        promised = np.array([check_confidence(level) for level in np.atleast_1d(np.asarray(confidence))])
        forecast = _gaussians_or_same(forecast, targets.size)
        _check_distribution(forecast, "cdf", targets.size)
        centred = np.abs(2.0 * np.asarray(forecast.cdf(targets)) - 1.0)
        covered = [centred <= level for level in promised]
    observed = np.array([np.average(each, weights=weights) for each in covered])
    return CalibrationTable(promised, observed)


def _gaussian_reading(forecast: Any) -> tuple[Any, ...]:
    """Mean and standard deviation of each forecast."""
    if isinstance(forecast, tuple):
        return forecast
    if not (hasattr(forecast, "mean") and hasattr(forecast, "std")) or isinstance(forecast, np.ndarray):
        raise ValueError(
            "reading='gaussian' needs mean and standard deviation: what predict_dist returns, or a pair (mean, std); "
            f"got {type(forecast).__name__}"
        )
    return forecast.mean(), forecast.std()


def _gaussians_or_same(forecast: Any, n_rows: int) -> Any:
    if not isinstance(forecast, tuple) or isinstance(forecast, CalibrationTable):
        return forecast
    return LocationScale(*_gaussian_parts(forecast, n_rows), NormalShape())


def _gaussian_parts(forecast: tuple[Any, ...], n_rows: int) -> tuple[Floats, Floats]:
    if len(forecast) != 2:
        raise ValueError(f"a forecast by Gaussians is a pair (mean, std), got {len(forecast)} parts")
    mean, std = (checked_vector(name, part, n_rows) for name, part in zip(("mean", "std"), forecast, strict=True))
    if not (std > 0).all():
        raise ValueError(f"every std must be positive, got {std[~(std > 0)][0]}")
    return mean, std


def _check_distribution(forecast: Any, method: str, n_rows: int) -> None:
    """Raise ValueError unless a forecast has this method, and is one of so many rows."""
    if not hasattr(forecast, method):
        raise ValueError(
            f"forecast must be what predict_dist returns, a pair (mean, std), or something with the method {method}; "
            f"got {type(forecast).__name__}"
        )
    _check_length(forecast, n_rows)


def _check_length(forecast: Any, n_rows: int) -> None:
    if hasattr(forecast, "__len__") and len(forecast) != n_rows:
        raise ValueError(f"{n_rows} labels came with a forecast of {len(forecast)} rows")


def _mean(values: Floats, sample_weight: npt.ArrayLike | None) -> float:
    weights = checked_weights(sample_weight, values.size)
    check_some_weight(weights)
    return float(np.average(values, weights=weights))
