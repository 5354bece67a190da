"""Streams: forecast, score, then learn; rows from files; streams that drift."""

from hedgerow.stream._chunks import ArrayStream, Chunk, Stream
from hedgerow.stream._evaluate import evaluate
from hedgerow.stream._friedman import friedman_drift
from hedgerow.stream._readers import rows
from hedgerow.stream._run import Run

__all__ = ["ArrayStream", "Chunk", "Run", "Stream", "evaluate", "friedman_drift", "rows"]
