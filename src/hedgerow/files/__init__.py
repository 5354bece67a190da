"""Model files: plain values and arrays in one safetensors file, written whole or not at all, nothing trusted."""

from hedgerow.files.saveable import PlainValue, Saveable, load
from hedgerow.files.stored import Stored

__all__ = ["PlainValue", "Saveable", "Stored", "load"]
