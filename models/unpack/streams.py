# SPDX-License-Identifier: Apache-2.0
"""Names and fields of the streams of the unpackers, as in the cycle contract (section 9).

A field of more than 32 bits is an array of 32-bit words in the record, lowest first.

The *origin* of an output record is 16 × index + place: what caused it is record ``index``, counted
since reset, of the input stream at ``place`` in ``INPUT_NAMES``; -1: nothing in particular.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tilepath.models.unpack.layout import READ_FAULTS, UNIT_FAULTS, WRITE_FAULTS

THREADS: Final = 3
UNPACKERS: Final = 2
SLOTS: Final = 32  # of one record of a write
ORIGIN_BITS: Final = 4

# Name without thread or unpacker → fields after ``cycle`` and their widths in bits
INPUTS: Final[dict[str, dict[str, int]]] = {
    "issue": {"thread": 2, "word": 32},
    "counter": {"word": 32},
    "cfg": {"banks": 2, "index": 8, "wide": 1, "data": 128},
    "setc16": {"index": 7, "value": 16},
    "matrix": {"op": 2, "file": 2, "bank": 1, "row": 10},
    "matrix_bank": {"value": 2},
    "setreg_base": {"base0": 20, "base1": 20},
    "l1_write": {"line": 28, "data": 512},
    "l1_latency": {"cycles": 5},
}
_WRITE: Final = {
    "dst": 1, "wide": 1, "bank": 1, "transpose": 1, "address": 14, "mask": 32, "data": 32 * SLOTS
}  # fmt: skip
# Y, Z and W have live value (low half) and checkpoint (high half) in one word
_COUNTERS: Final = {
    "x0": 18, "x0_cr": 18, "y0": 32, "z0": 32, "w0": 32,
    "x1": 18, "x1_cr": 18, "y1": 32, "z1": 32, "w1": 32,
}  # fmt: skip
OUTPUTS: Final[dict[str, dict[str, int]]] = {
    "ready": {"value": 2},
    "hold": {"value": 3},
    "pointers": {
        "bank": 1,
        **{f"row{thread}": 6 for thread in range(THREADS)},
        **{f"context{thread}": 3 for thread in range(THREADS)},
        "acc": 17,
    },
    "owner": {"value": 4},
    "busy": {"value": 6},
    "read": {
        "count": 3,
        **{f"line{number}": 28 for number in range(4)},
        "has_exponent": 1,
        "exponent": 28,
        "has_delta": 1,
        "delta": 28,
    },
    "write": _WRITE,
    "write1": _WRITE,
    "write2": _WRITE,
    "write3": _WRITE,
    "clear": {"banks": 2, "value": 19},
    "overlay": {"stream": 6, "count": 11},
    "setreg": {"address": 32, "data": 32},
    "fault": {"thread": 2, "flags": 28},
    "read_fault": dict.fromkeys(READ_FAULTS, 1),
    "write_fault": dict.fromkeys(WRITE_FAULTS, 1),
    "unit_fault": dict.fromkeys(UNIT_FAULTS, 1),
    "matrix_read": {"data": 512, "row_valid": 1},
    "unpacker0": _COUNTERS,
    "unpacker1": _COUNTERS,
    "counter_fault": {"illegal": 1, "x_override": 1, "empty": 1},
    "counter_conflict": {"where": 9},
}
FIELDS: Final[dict[str, tuple[str, ...]]] = {
    suffix: tuple(fields) for suffix, fields in (INPUTS | OUTPUTS).items()
}

# Which streams there are once a thread, and once an unpacker
_PER_THREAD: Final = ("counter", "setc16", "unpacker0", "unpacker1", "counter_fault")
_PER_UNPACKER: Final = (
    "issue", "pointers", "read", "write", "write1", "write2", "write3", "clear", "overlay",
    "setreg", "fault", "read_fault", "write_fault",
)  # fmt: skip


def _instances(name: str) -> tuple[str, ...]:
    if name in _PER_THREAD:
        return tuple(f"t{thread}.{name}" for thread in range(THREADS))
    if name in _PER_UNPACKER:
        return tuple(f"u{unpacker}.{name}" for unpacker in range(UNPACKERS))
    return (name,)


# The number of an input stream in an origin is its place here
INPUT_NAMES: Final = tuple(name for stream in INPUTS for name in _instances(stream))
OUTPUT_NAMES: Final = tuple(name for stream in OUTPUTS for name in _instances(stream))


def suffix(name: str) -> str:
    """Name of a stream without its thread or unpacker."""
    return name.rpartition(".")[2]


def split_origin(origin: int) -> tuple[str, int] | None:
    """Input stream, and index of the record in it since reset, that ``origin`` stands for."""
    if origin < 0:
        return None
    return INPUT_NAMES[origin & ((1 << ORIGIN_BITS) - 1)], origin >> ORIGIN_BITS


def words(width: int) -> int:
    """32-bit words that a field takes in a record."""
    return (width + 31) // 32


def _layout(fields: dict[str, int]) -> list[Any]:
    layout: list[Any] = [("cycle", np.uint32)]
    for field, width in fields.items():
        if width <= 32:
            layout.append((field, np.uint32))
        else:
            layout.append((field, np.uint32, (words(width),)))
    return layout


def input_dtype(name: str) -> np.dtype[Any]:
    """dtype of an input stream, with or without ``t<n>.``: ``cycle`` and the fields, uint32."""
    return np.dtype(_layout(INPUTS[suffix(name)]))


def output_dtype(name: str) -> np.dtype[Any]:
    """dtype of an output stream: as for inputs, and then ``origin``, int64; no padding."""
    return np.dtype([*_layout(OUTPUTS[suffix(name)]), ("origin", np.int64)])
