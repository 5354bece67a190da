"""One file: a tree as JSON in the metadata of a safetensors file, and its arrays."""

from __future__ import annotations

import json
from typing import Any

import safetensors
from safetensors.numpy import load as arrays_from_bytes
from safetensors.numpy import save as arrays_to_bytes

from hedgerow.files.codec import Arrays, decode, encode

KEY = "hedgerow"


def to_bytes(tree: dict[str, Any]) -> bytes:
    """Return the content of a file that holds the tree."""
    arrays: Arrays = {}
    text = json.dumps({name: encode(part, arrays, name) for name, part in tree.items()})
    return arrays_to_bytes(arrays, metadata={KEY: text})


def from_bytes(content: bytes) -> dict[str, Any]:
    """Take back what `to_bytes` gave, or ValueError. Values are still to be checked."""
    header, arrays = split(content)
    try:
        return {name: decode(part, arrays) for name, part in header.items()}
    except RecursionError:
        raise ValueError("not a hedgerow model, or damaged: it is nested too deeply") from None


def split(content: bytes) -> tuple[dict[str, Any], Arrays]:
    """Return the JSON of a file, which is a dictionary, and its arrays, or raise ValueError."""
    try:
        arrays = arrays_from_bytes(content)
        length = int.from_bytes(content[:8], "little")
        header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"][KEY])
    except (safetensors.SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a hedgerow model, or damaged ({type(error).__name__}: {error})") from None
    if not isinstance(header, dict):
        raise ValueError("not a hedgerow model: its description is malformed")
    return header, arrays
