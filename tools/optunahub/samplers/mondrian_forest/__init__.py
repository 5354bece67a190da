"""The sampler of hedgerow, by the name under which OptunaHub finds it."""

from hedgerow.integrations.optuna import MondrianSampler

__all__ = ["MondrianSampler"]
