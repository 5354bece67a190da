"""Reports: one HTML page about a model or about runs, without anything from the network."""

from hedgerow.cli.report._alone import alone_page
from hedgerow.cli.report._model import Subject, model_page
from hedgerow.cli.report._runs import runs_page

__all__ = ["Subject", "alone_page", "model_page", "runs_page"]
