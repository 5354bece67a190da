"""Mondrian forests and files: what is written besides the arrays of the core, and how it is checked on the way back."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from hedgerow._persistence import Arrays, Saveable, decode_parameter, encode_parameter
from hedgerow.mondrian._scaling import ColumnScaling


class ForestFiles(Saveable):
    """The part of a Mondrian forest that reads and writes it."""

    n_estimators: int
    lifetime: float
    window: int | None
    _core: Any
    _scaling: ColumnScaling
    _shaped_by: dict[str, Any]

    _SHAPING: ClassVar[tuple[str, ...]]

    @property
    @abstractmethod
    def _least_split(self) -> int:
        """The smallest block that is split."""

    @abstractmethod
    def _new_core(self, **shape: Any) -> Any:
        """Return an empty native forest with this label model."""

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise ValueError for parameters that cannot be."""

    @abstractmethod
    def _adopt(self, core: Any, scaling: ColumnScaling) -> None:
        """Take a native forest as one's own."""

    def _empty_core(self, width: int, seed: int) -> Any:
        return self._new_core(
            width=width,
            n_trees=int(self.n_estimators),
            min_samples_split=float(self._least_split),
            lifetime=float(self.lifetime),
            seed=seed,
            window=0 if self.window is None else int(self.window),
        )

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        if not hasattr(self, "_core"):
            return None
        numbers: dict[str, Any] = {
            "width": self._core.width,
            "seed": self._core.seed,
            "shaped_by": {name: encode_parameter(name, value) for name, value in self._shaped_by.items()},
            "feature_names": [str(name) for name in self.feature_names_in_]
            if hasattr(self, "feature_names_in_")
            else None,
        }
        return numbers, {**self._core.archive(), "scaling.rates": self._scaling.rates}

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        now = {name: getattr(self, name) for name in self._SHAPING}
        for name, value in numbers["shaped_by"].items():
            if name not in self._SHAPING:
                raise ValueError(f"unknown parameter {name!r}")
            setattr(self, name, decode_parameter(value))
        self._check_parameters()
        width, seed, names = int(numbers["width"]), int(numbers["seed"]), numbers["feature_names"]
        if width < 1 or not 0 <= seed < 2**64 or self.n_estimators > 10**6:
            raise ValueError("its width, seed or number of trees is out of range")
        if arrays["scaling.slopes"].size != width or arrays["trees.size"].size != self.n_estimators:
            raise ValueError("its arrays do not have the size that its description gives")
        core = self._empty_core(width, seed)
        self._restore_label_model(core)
        core.restore(arrays)
        self.n_features_in_ = width
        if names is not None:
            if len(names) != width:
                raise ValueError("it names another number of features than it has")
            self.feature_names_in_ = np.asarray([str(name) for name in names], dtype=object)
        rates = arrays["scaling.rates"]
        if (
            rates.dtype != np.float64
            or rates.shape not in ((0,), (width,))
            or not (np.isfinite(rates) & (rates > 0)).all()
        ):
            raise ValueError("its axis rates are not one positive number a column")
        parts = ("first_knot", "values", "images", "slopes", "rates")
        self._adopt(core, ColumnScaling(*(arrays[f"scaling.{part}"] for part in parts)))
        for name, value in now.items():
            setattr(self, name, value)

    def _restore_label_model(self, core: Any) -> None:
        """Set the label model of a core that is about to be restored."""
