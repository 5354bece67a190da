"""Coverage of intervals by group, in gaps, after shifts, under weights and on copies, for every regressor."""
