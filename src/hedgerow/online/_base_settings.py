"""What shapes models that are built around an online forest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sklearn.base import clone

from hedgerow.base.settings import Settings, checked, flag, integer, n_threads_of, one_of, positive
from hedgerow.mondrian import MondrianForestRegressor
from hedgerow.online._forest import OnlineForestRegressor
from hedgerow.online._settings import ForestSettings


@dataclass(frozen=True)
class BaseSettings(Settings):
    """Those of a model around another: a copy of that one, which has learned nothing and has a random seed."""

    BASES: ClassVar[tuple[type[Any], ...]] = (OnlineForestRegressor,)

    base: Any = checked(lambda name, value: value, is_compared=False)

    @classmethod
    def of(cls, model: Any) -> Self:
        """Return the settings that a model's parameters are now, or raise ValueError."""
        settings = super().of(model)
        if settings.base.random_state is None:
            settings.base.random_state = model.random_state
        return settings

    def _check_together(self) -> None:
        base = OnlineForestRegressor() if self.base is None else self.base
        if not isinstance(base, self.BASES):
            names = " or a ".join(kind.__name__ for kind in self.BASES)
            raise ValueError(f"base must be an {names}, got {base!r}")
        base = clone(base)
        base._check_parameters()
        object.__setattr__(self, "base", base)

    def check_unchanged(self, now: Any) -> None:
        """Raise ValueError if a parameter has been changed since learning began, in the base or around it."""
        super().check_unchanged(now)
        # Another base than an online forest looks after itself.
        if type(now.base) is not type(self.base) or (self.trees is not None and self.trees != now.trees):
            raise ValueError(
                f"base was {self.base!r} when learning began and is {now.base!r} now; call fit to begin anew, or set "
                "it back"
            )

    @property
    def trees(self) -> ForestSettings | None:
        """Settings of the base, if it is an online forest."""
        return ForestSettings.of(self.base) if isinstance(self.base, OnlineForestRegressor) else None

    @property
    def n_threads(self) -> int:
        """Threads; the result does not depend on their number."""
        return n_threads_of(self.base.n_jobs)


@dataclass(frozen=True)
class QuantileSettings(BaseSettings):
    """How the leaves of a quantile forest remember targets."""

    sketch_size: int = integer(8)
    conformal: bool = flag()
    calibration_size: int = integer(1)


@dataclass(frozen=True)
class ConformalSettings(BaseSettings):
    """How rows are scored, and what follows from scores."""

    BASES: ClassVar[tuple[type[Any], ...]] = (OnlineForestRegressor, MondrianForestRegressor)

    calibration_size: int = integer(1)
    mode: str = one_of("exact", "approximate")
    update_every: int = integer(1)
    adaptive: bool = flag()
    adaptation_rate: float = positive()
    normalised: bool = flag()
    size_matched: bool = flag()

    def _check_together(self) -> None:
        super()._check_together()
        if self.is_out_of_bag and self.base.leaf_model == "linear":
            raise ValueError(
                "mode='exact' follows leaves whose rows changed, but linear leaves change with every row: "
                "set mode='approximate', or leaf_model='mean' in the base"
            )

    @property
    def is_out_of_bag(self) -> bool:
        """Whether rows are scored by the trees that never learned them."""
        return self.mode == "exact" and self.trees is not None

    @property
    def rate(self) -> float:
        """How far confidences move at a time."""
        return self.adaptation_rate if self.adaptive else 0.0
