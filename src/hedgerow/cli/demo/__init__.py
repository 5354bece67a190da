"""``hedgerow demo``: a year of flights, forecast one by one."""

from hedgerow.cli.demo._run import demo

__all__ = ["demo"]
