"""Probabilistic trees and forests that learn row by row and say how sure they are.

The public names are listed in `__init__.pyi`. Each is imported when it is first used: scikit-learn, which every model
needs, takes up to a second to import (Scientific Python's SPEC 1).
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
