"""Figures 5 to 10 of document 001, and the two older random features that they compare with."""
