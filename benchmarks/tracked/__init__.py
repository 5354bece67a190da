"""What asv times on every commit, through public names only: see `make track`."""
