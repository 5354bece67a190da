"""Boosted forests and files."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from hedgerow._kept_rows import KeptRows
from hedgerow._persistence import Arrays, Saveable
from hedgerow.boosting._ridge import Ridge
from hedgerow.boosting._stages import TRANSFORMS, Choice, Stages

RIDGE_PARTS = ("centre", "scale", "lower", "upper", "slopes", "intercept", "penalty")


class BoostingFiles(Saveable):
    """The part of a boosting that reads and writes it. A stage is written as the forest that it is."""

    n_features_in_: int

    _STAGE: ClassVar[Any]  # the class of its stages

    def _fitted_state(self) -> tuple[dict[str, Any], Arrays] | None:
        if not hasattr(self, "_stages"):
            return None
        X, labels, weights = self._rows.arrays
        stages = self._stages
        arrays: Arrays = {
            "boosting.X": X.ravel(),
            "boosting.y": labels,
            "boosting.weights": weights,
            "boosting.residuals": stages.residuals.ravel(),
            "boosting.doubts": stages.doubts.ravel(),
        }
        if stages.ridge is not None:
            arrays |= {f"ridge.{name}": value for name, value in stages.ridge.arrays().items()}
        described, of_stages = described_forests(stages.forests, "stage")
        arrays |= of_stages
        numbers: dict[str, Any] = {
            "width": X.shape[1],
            "seed": self._seed,
            "next_relearn": self._next_relearn,
            "choice": list(self._choice),
            "n_learned": stages.residuals.shape[0],
            "stages": described,
            "feature_names": [str(name) for name in self.feature_names_in_]
            if hasattr(self, "feature_names_in_")
            else None,
        }
        return numbers, arrays

    def _label_shape(self) -> tuple[int, ...]:
        """Of what the stages say of a row: nothing for a number, or the length of a vector."""
        return ()

    def _restore_fitted_state(self, numbers: dict[str, Any], arrays: Arrays) -> None:
        width, n = int(numbers["width"]), arrays["boosting.y"].size
        self._restore_rows(width, n, arrays)
        transform, linear = numbers["choice"]
        if transform not in TRANSFORMS or not isinstance(linear, bool):
            raise ValueError("its choice is not one of ours")
        self._choice = Choice(transform, linear)
        self._seed, self._next_relearn = int(numbers["seed"]), int(numbers["next_relearn"])
        if not 0 <= self._seed < 2**64 or not n <= self._next_relearn <= 2 * n:
            raise ValueError("its seed or its next learning is out of range")
        shape, n_learned = self._label_shape(), int(numbers["n_learned"])
        residuals, doubts = (_finite(arrays[f"boosting.{name}"]) for name in ("residuals", "doubts"))
        n_doubts = self._STAGE.N_DOUBTS
        if not 0 < n_learned <= n or residuals.size != n_learned * int(np.prod(shape, dtype=int)):
            raise ValueError("its residuals have the wrong shape")
        if doubts.size != n_learned * n_doubts or (doubts < 0).any():
            raise ValueError("its doubts have the wrong shape")
        ridge = _restored_ridge(width, shape, arrays) if linear and 0 not in shape else None
        forests = self._restored_forests(self._STAGE, numbers["stages"], arrays, "stage")
        if bool(forests) == (0 in shape) or any(forest.n_features_in_ != width for forest in forests):
            raise ValueError("it has no stages, or stages of another width")
        if any(forest.label_shape != shape for forest in forests):
            raise ValueError("a stage says something else than it should")
        self._stages = Stages(ridge, forests, residuals.reshape(n_learned, *shape), doubts.reshape(n_learned, n_doubts))
        self.n_features_in_ = width
        if numbers["feature_names"] is not None:
            if len(numbers["feature_names"]) != width:
                raise ValueError("it names another number of features than it has")
            self.feature_names_in_ = np.asarray([str(name) for name in numbers["feature_names"]], dtype=object)

    def _restore_rows(self, width: int, n: int, arrays: Arrays) -> None:
        X, labels, weights = (_finite(arrays[f"boosting.{name}"]) for name in ("X", "y", "weights"))
        if width < 1 or n == 0 or X.size != n * width or weights.size not in (0, n) or (weights <= 0).any():
            raise ValueError("its rows have the wrong shape")
        self._rows = KeptRows(X.reshape(n, width), labels, weights)

    def _restored_forests(self, kind: Any, described: Any, arrays: Arrays, name: str) -> list[Any]:
        """Take back what `described_forests` gave."""
        return [
            self._restored_forest(kind, state, arrays, f"{name}{number}.") for number, state in enumerate(described)
        ]

    def _restored_forest(self, kind: Any, state: dict[str, Any], arrays: Arrays, prefix: str) -> Any:
        stage = kind(hyperparameters="learned", n_jobs=self.n_jobs)  # type: ignore[attr-defined]
        own = {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}
        for name, value in state["shaped_by"].items():
            if name not in stage._SHAPING:
                raise ValueError(f"unknown parameter {name!r}")
            setattr(stage, name, value)
        if stage.hyperparameters != "learned" or getattr(stage, "smoothing", "hierarchy") != "hierarchy":
            raise ValueError("a stage is not of the kind that is boosted")
        stage._restore_fitted_state(state, own)
        return stage


def described_forests(forests: list[Any], name: str) -> tuple[list[Any], Arrays]:
    """Forests as numbers and arrays, for a file."""
    described: list[Any] = []
    arrays: Arrays = {}
    for number, forest in enumerate(forests):
        state = forest._fitted_state()
        described.append(state[0])
        arrays |= {f"{name}{number}.{key}": value for key, value in state[1].items()}
    return described, arrays


def _restored_ridge(width: int, shape: tuple[int, ...], arrays: Arrays) -> Ridge:
    parts = [_finite(arrays[f"ridge.{name}"]) for name in RIDGE_PARTS]
    n_values = int(np.prod(shape, dtype=int))
    sizes = [width, width, width, width, width * n_values, n_values, 1]
    if [part.size for part in parts] != sizes or (parts[1] <= 0).any() or (parts[6] < 0).any():
        raise ValueError("its linear part has the wrong shape")
    centre, scale, lower, upper, slopes, intercept, penalty = parts
    slopes, intercept = slopes.reshape(width, *shape), intercept.reshape(shape)
    return Ridge(centre, scale, lower, upper, slopes, intercept, float(penalty[0]))


def _finite(array: Any) -> Any:
    if array.dtype != np.float64 or array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError("an array is not made of finite numbers")
    return array
