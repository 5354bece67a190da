"""Learned shapes and files."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow._persistence import Arrays
from hedgerow.boosting._files import BoostingFiles, described_forests
from hedgerow.boosting._reshaping import LEVELS, Reshaping
from hedgerow.boosting._stage import VectorStage


class ReshapingFiles(BoostingFiles):
    """The part of a boosting that reads and writes its shapes."""

    _reshaping: Reshaping | None

    def _described_reshaping(self) -> tuple[dict[str, Any] | None, Arrays]:
        if self._reshaping is None:
            return None, {}
        forests, sees_columns, drawn, offsets, share = self._reshaping
        described, arrays = described_forests(forests, "shape")
        numbers = {"forests": described, "sees_columns": sees_columns, "offsets": offsets.tolist(), "share": share}
        return numbers, {**arrays, "shape.drawn": drawn}

    def _restored_reshaping(self, numbers: dict[str, Any] | None, arrays: Arrays) -> Reshaping | None:
        if numbers is None:
            return None
        forests = self._restored_forests(VectorStage, numbers["forests"], arrays, "shape")
        sees, drawn = numbers["sees_columns"], arrays["shape.drawn"]
        offsets, share = np.array(numbers["offsets"], dtype=np.float64), float(numbers["share"])
        n_learned, width = self._stages.residuals.shape[0], self.n_features_in_
        if sees not in ([False], [True], [False, True]) or len(forests) != len(sees):
            raise ValueError("the forests of its shapes are not those that there are")
        for forest, sees_columns in zip(forests, sees, strict=True):
            if forest.n_features_in_ != 2 + sees_columns * width or forest.label_shape != (LEVELS.size,):
                raise ValueError("a forest of its shapes has the wrong width")
            if forest.n_samples_ != drawn.size:
                raise ValueError("a forest of its shapes has learned from other rows")
        if drawn.dtype != np.uint32 or not (np.diff(drawn.astype(np.int64), append=n_learned) > 0).all():
            raise ValueError("the rows that its shapes were learned from are not in order")
        if offsets.shape != LEVELS.shape or not (np.abs(offsets) <= 1).all() or not 0 < share <= 1:
            raise ValueError("its shapes are not shapes")
        return Reshaping(forests, sees, drawn, offsets, share)
