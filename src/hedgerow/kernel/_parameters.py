"""What users may ask of a kernel ridge regression, and sentences that help where they may not."""

from __future__ import annotations

from numbers import Real
from typing import Any

from hedgerow._validation import check_integer, n_threads_of
from hedgerow.kernel._units import check_length_scale, check_lifetime


def check_parameters(model: Any) -> None:
    """Raise ValueError for parameters of a kernel ridge regression that cannot be."""
    check_integer("n_estimators", model.n_estimators, least=1)
    n_threads_of(model.n_jobs)
    check_length_scale(model.length_scale)
    if model.lifetime != "auto":
        check_lifetime("lifetime", model.lifetime)
    if model.max_lifetime is not None:
        check_lifetime("max_lifetime", model.max_lifetime)
    if model.alpha != "auto":
        fits = (
            isinstance(model.alpha, Real) and not isinstance(model.alpha, bool) and 1e-10 <= float(model.alpha) <= 1e10
        )
        if not fits:
            raise ValueError(
                f"alpha must be 'auto' or a number between 1e-10 and 1e10, got {model.alpha!r}; without a ridge "
                "there is no unique solution, because features of several trees are linearly dependent"
            )
    for name, allowed in (
        ("selection", ("marginal_likelihood", "loo", "validation")),
        ("leaf_fit", ("joint", "independent")),
        ("solver", ("auto", "exact", "iterative")),
    ):
        if getattr(model, name) not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {getattr(model, name)!r}")
    if not isinstance(model.validation_fraction, Real) or not 0 < float(model.validation_fraction) < 1:
        raise ValueError(f"validation_fraction must lie between 0 and 1, got {model.validation_fraction!r}")


def checked_label(y: Any) -> float:
    """One label as a number, or ValueError."""
    try:
        label = float(y)
    except (TypeError, ValueError):
        raise ValueError(f"a label must be a number, got {y!r}") from None
    if not abs(label) <= 1e150:
        raise ValueError(f"a label must be a finite number within 1e150 of zero, got {y!r}")
    return label
