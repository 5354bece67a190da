"""Boosted forests and files."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hedgerow._kept_rows import KeptRows
from hedgerow._persistence import Arrays, Saveable
from hedgerow.boosting._calibration import Calibration
from hedgerow.boosting._ridge import Ridge
from hedgerow.boosting._stages import TRANSFORMS, Choice, Stage, Stages
from hedgerow.predictive._shapes import shape_from_numbers

RIDGE_PARTS = ("centre", "scale", "lower", "upper", "slopes", "intercept")


class BoostingFiles(Saveable):
    """The part of a boosting that reads and writes it. A stage is written as the forest that it is."""

    tail: str
    n_features_in_: int

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        if not hasattr(self, "_stages"):
            return None
        X, y, weights = self._rows.arrays
        stages, calibration = self._stages, self._calibration
        arrays: Arrays = {
            "boosting.X": X.ravel(),
            "boosting.y": y,
            "boosting.weights": weights,
            "boosting.residuals": stages.residuals,
            "boosting.doubts": stages.doubts.ravel(),
        }
        if stages.ridge is not None:
            arrays |= {f"ridge.{name}": value for name, value in stages.ridge.arrays().items()}
        described = []
        for number, forest in enumerate(stages.forests):
            state = forest._fitted_state()
            assert state is not None
            described.append(state[0])
            arrays |= {f"stage{number}.{name}": value for name, value in state[1].items()}
        shape = calibration.shape
        numbers: dict[str, Any] = {
            "width": X.shape[1],
            "seed": self._seed,
            "next_relearn": self._next_relearn,
            "choice": list(self._choice),
            "stages": described,
            "calibration": [calibration.noise, *calibration.shares, calibration.weight, calibration.inflation],
            "shape": [type(shape).__name__.removesuffix("Shape").lower(), shape.numbers()],
            "feature_names": [str(name) for name in self.feature_names_in_]
            if hasattr(self, "feature_names_in_")
            else None,
        }
        return numbers, arrays

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        width, n = int(numbers["width"]), arrays["boosting.y"].size
        X, y, weights = (_finite(arrays[f"boosting.{name}"]) for name in ("X", "y", "weights"))
        residuals, doubts = (_finite(arrays[f"boosting.{name}"]) for name in ("residuals", "doubts"))
        if width < 1 or n == 0 or X.size != n * width or weights.size not in (0, n):
            raise ValueError("its rows have the wrong shape")
        if 2 * residuals.size != doubts.size or residuals.size > n or (doubts < 0).any() or (weights <= 0).any():
            raise ValueError("its residuals have the wrong shape")
        self._rows = KeptRows(X.reshape(n, width), y, weights)
        transform, linear = numbers["choice"]
        if transform not in TRANSFORMS or not isinstance(linear, bool):
            raise ValueError("its choice is not one of ours")
        self._choice = Choice(transform, linear)
        self._seed, self._next_relearn = int(numbers["seed"]), int(numbers["next_relearn"])
        if not 0 <= self._seed < 2**64 or not n <= self._next_relearn <= 2 * n:
            raise ValueError("its seed or its next learning is out of range")
        ridge = None
        if linear:
            parts = [_finite(arrays[f"ridge.{name}"]) for name in RIDGE_PARTS]
            if any(part.shape != (width,) for part in parts[:-1]) or parts[-1].shape != (1,) or (parts[1] <= 0).any():
                raise ValueError("its linear part has the wrong shape")
            centre, scale, lower, upper, slopes, intercept = parts
            ridge = Ridge(centre, scale, lower, upper, slopes, float(intercept[0]))
        forests = [self._restored_stage(number, state, arrays) for number, state in enumerate(numbers["stages"])]
        if not forests or any(forest.n_features_in_ != width for forest in forests):
            raise ValueError("it has no stages, or stages of another width")
        self._stages = Stages(ridge, forests, residuals, doubts.reshape(-1, 2))
        five = [float(number) for number in numbers["calibration"]]
        if len(five) != 5 or not all(math.isfinite(number) and number > 0 for number in five):
            raise ValueError("its calibration is not positive and finite")
        noise, within, between, weight, inflation = five
        name, made_from = numbers["shape"]
        self._calibration = Calibration(
            noise, (within, between), shape_from_numbers(name, made_from), weight, inflation
        )
        self.n_features_in_ = width
        if numbers["feature_names"] is not None:
            if len(numbers["feature_names"]) != width:
                raise ValueError("it names another number of features than it has")
            self.feature_names_in_ = np.asarray([str(name) for name in numbers["feature_names"]], dtype=object)

    def _restored_stage(self, number: int, state: dict[str, Any], arrays: Arrays) -> Stage:
        prefix = f"stage{number}."
        stage = Stage(hyperparameters="learned", n_jobs=self.n_jobs)  # type: ignore[attr-defined]
        own = {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}
        for name, value in state["shaped_by"].items():
            if name not in stage._SHAPING:
                raise ValueError(f"unknown parameter {name!r}")
            setattr(stage, name, value)
        if stage.hyperparameters != "learned" or stage.smoothing != "hierarchy":
            raise ValueError("a stage is not of the kind that is boosted")
        stage._restore_fitted_state(state, own)
        return stage


def _finite(array: Any) -> Any:
    if array.dtype != np.float64 or array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError("an array is not made of finite numbers")
    return array
