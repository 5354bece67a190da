"""
Intervals for prices
====================

A data frame with text, a date and missing values, without preprocessing. Boosting predicts an interval for each price.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from hedgerow import MondrianBoostingRegressor

rng = np.random.default_rng(0)
n = 900
flats = pd.DataFrame({"town": rng.choice(["Bern", "Lima", "Oslo"], n), "size": rng.gamma(8.0, 10.0, n).round(1)})
flats["sold"] = pd.Timestamp("2025-01-01") + pd.to_timedelta(rng.integers(0, 365, n), unit="D")
flats["rooms"] = 1 + rng.poisson(2.0, n)
level = flats["town"].map({"Bern": 9.0, "Lima": 3.0, "Oslo": 7.0})
price = level * flats["size"] * rng.lognormal(0.0, 0.15, n) + 20 * flats["rooms"]
flats.loc[rng.random(n) < 0.1, "size"] = np.nan
print(flats.head())

# %%
# The target is recognised as positive: no interval extends below zero, and those of expensive flats are wider.

model = MondrianBoostingRegressor(n_estimators=30, random_state=0).fit(flats[:600], price[:600])
new, paid = flats[600:], price[600:].to_numpy()
low, high = model.predict_interval(new, confidence=0.9).T
print(f"{np.mean((low <= paid) & (paid <= high)):.0%} of 300 new prices are in their 90 % intervals")

# %%
# Where the size is not known, the model is less sure.

order = np.argsort(model.predict(new))
unknown = new["size"].isna().to_numpy()[order]
place = np.arange(order.size)
figure, ax = plt.subplots(figsize=(9, 4.5), layout="constrained")
for which, color, label in ((~unknown, "#0072B2", "size known"), (unknown, "#D55E00", "size missing")):
    ax.vlines(place[which], low[order][which], high[order][which], color=color, alpha=0.45, label=f"90 %, {label}")
ax.scatter(place, paid[order], s=8, color="black", linewidths=0, zorder=3, label="paid")
ax.set(xlabel="new flats, by predicted price", ylabel="price")
ax.legend(loc="upper left", frameon=False)
plt.show()
