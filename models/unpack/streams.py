# SPDX-License-Identifier: Apache-2.0
"""Names and layouts of the streams of the unpackers, as ``isa.boundary.unpack`` describes them.

A field of more than 32 bits is an array of 32-bit words in the record, lowest first.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tilepath.isa.boundary.description import ORIGIN_BITS
from tilepath.isa.boundary.unpack import BOUNDARY, SLOTS, THREADS, UNPACKERS

__all__ = [
    "FIELDS",
    "INPUT_NAMES",
    "ORIGIN_BITS",
    "OUTPUT_NAMES",
    "SLOTS",
    "THREADS",
    "UNPACKERS",
    "input_dtype",
    "output_dtype",
    "suffix",
]

# The number of an input stream in an origin is its place here
INPUT_NAMES: Final = BOUNDARY.inputs
OUTPUT_NAMES: Final = BOUNDARY.outputs
FIELDS: Final[dict[str, tuple[str, ...]]] = {
    stream.name: tuple(field.name for field in stream.fields) for stream in BOUNDARY.streams
}


def suffix(name: str) -> str:
    """Name of a stream without its thread or unpacker."""
    return name.rpartition(".")[2]


def input_dtype(name: str) -> np.dtype[Any]:
    """dtype of an input stream, with or without ``t<n>.``: ``cycle`` and the fields, uint32."""
    return BOUNDARY.stream(name).dtype


def output_dtype(name: str) -> np.dtype[Any]:
    """dtype of an output stream: as for inputs, and then ``origin``, int64; no padding."""
    return BOUNDARY.stream(name).expected_dtype
