"""
A stream that changes
=====================

Friedman's function, of which columns change places after a quarter of the rows and back after three quarters. Each row
is forecast, scored, then learned. A forest that keeps all rows is soon wrong; one with a window and adaptive forests
recover.
"""

import matplotlib.pyplot as plt

from hedgerow import MondrianForestRegressor, OnlineConformalRegressor, OnlineForestRegressor
from hedgerow.plot import RunDisplay
from hedgerow.stream import evaluate, friedman_drift

models = {
    "forest, all rows": MondrianForestRegressor(10, random_state=0),
    "forest, window=1000": MondrianForestRegressor(10, window=1000, random_state=0),
    "online conformal": OnlineConformalRegressor(OnlineForestRegressor(n_estimators=10, random_state=0)),
}
stream = friedman_drift(n_rows=8_000, random_state=0)
runs = [evaluate(model, stream, window=500, progress=False, name=name) for name, model in models.items()]
RunDisplay.from_runs(*runs)
plt.show()
