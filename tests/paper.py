"""Forests whose hyper-parameters are those of the documents: what the oracles and the laws of trees are about."""

from __future__ import annotations

from functools import partial

from hedgerow import MondrianForestClassifier, MondrianForestRegressor

paper_regressor = partial(MondrianForestRegressor, hyperparameters="paper")
paper_classifier = partial(MondrianForestClassifier, hyperparameters="paper")
