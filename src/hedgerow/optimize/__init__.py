"""Bayesian optimisation with Mondrian forests, at a cost that does not grow.

Lakshminarayanan, Roy and Teh (2016), section 5.3, with local searches beside the forest.
"""

from hedgerow.optimize._minimize import minimize
from hedgerow.optimize._optimizer import Optimizer
from hedgerow.optimize._parameters import Categorical, Integer, Parameter, Real
from hedgerow.optimize._result import Result
from hedgerow.optimize._space import Space

__all__ = ["Categorical", "Integer", "Optimizer", "Parameter", "Real", "Result", "Space", "minimize"]
