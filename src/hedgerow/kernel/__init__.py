"""The Mondrian kernel: random features of the Laplace kernel, and ridge regression that finds the kernel's width."""

from hedgerow.kernel._features import MondrianFeatures
from hedgerow.kernel._path import LifetimePath, LifetimePosterior
from hedgerow.kernel._ridge import MondrianKernelRidge
from hedgerow.kernel._sweep import Sweep

__all__ = ["LifetimePath", "LifetimePosterior", "MondrianFeatures", "MondrianKernelRidge", "Sweep"]
