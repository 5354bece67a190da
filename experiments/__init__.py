"""Reproductions of figures of the papers. They use the package; nothing uses them but the benchmarks."""
