"""Optuna's own checks of samplers, which early versions of Optuna 4 do not have."""

import optuna
import pytest

from hedgerow.integrations.optuna import MondrianSampler

checks = pytest.importorskip("optuna.testing.pytest_samplers")
optuna.logging.set_verbosity(optuna.logging.ERROR)


class TestMondrianSampler(
    checks.BasicSamplerTestCase, checks.RelativeSamplerTestCase, checks.SingleOnlySamplerTestCase
):
    @pytest.fixture
    def sampler(self):
        return lambda: MondrianSampler(seed=0, n_initial=2)
