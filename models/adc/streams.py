# SPDX-License-Identifier: Apache-2.0
"""Names and fields of the streams of the address counters, as in the cycle contract (§2, §4)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

SETS: Final = 3
TARGETS: Final = ("unpacker0", "unpacker1", "packers")

# By suffix: the fields after ``cycle``, and their widths in bits
INPUTS: Final[dict[str, dict[str, int]]] = {
    "unpack": {"unpacker": 1, "thread": 2, "adc": 2, "y0": 2, "z0": 2, "y1": 2, "z1": 2},
    "pack": {"sets": 3, "addr_mod": 16},
    "flop": {
        "thread": 2, "select": 2, "channel": 1, "counter": 2, "checkpoint": 1, "value": 18
    },
    "issue": {"word": 32},
}  # fmt: skip
# Y, Z and W have live value (low half) and checkpoint (high half) in one word
COUNTERS: Final = ("x0", "x0_cr", "y0", "z0", "w0", "x1", "x1_cr", "y1", "z1", "w1")
OUTPUTS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(TARGETS, COUNTERS),
    "fault": ("illegal", "x_override", "empty"),
    "unit_fault": ("unpack_thread", "flop_thread", "flop_select"),
    "conflict": ("where",),
}
FIELDS: Final[dict[str, tuple[str, ...]]] = {
    **{suffix: tuple(fields) for suffix, fields in INPUTS.items()},
    **OUTPUTS,
}

# In the order in which the commands of a cycle apply (§2): the writer's number is the place here
INPUT_NAMES: Final = ("unpack", "pack", "flop", *(f"t{thread}.issue" for thread in range(SETS)))
WRITER_BITS: Final = 3
OUTPUT_NAMES: Final = (
    *(f"t{number}.{target}" for number in range(SETS) for target in TARGETS),
    *(f"t{thread}.fault" for thread in range(SETS)),
    "unit_fault",
    "conflict",
)


def suffix(name: str) -> str:
    """Name of a stream without its thread."""
    return name.rpartition(".")[2]


def split_origin(origin: int) -> tuple[str, int]:
    """Input stream, and index of the record in it since reset, that ``origin`` stands for."""
    return INPUT_NAMES[origin & ((1 << WRITER_BITS) - 1)], origin >> WRITER_BITS


def input_dtype(name: str) -> np.dtype[Any]:
    """dtype of an input stream, with or without thread: ``cycle`` and the fields, all uint32."""
    return np.dtype([(field, np.uint32) for field in ("cycle", *INPUTS[suffix(name)])])


def output_dtype(name: str) -> np.dtype[Any]:
    """dtype of an output stream: as for inputs, and then ``origin``, int64; no padding."""
    names: list[tuple[str, Any]] = [(n, np.uint32) for n in ("cycle", *OUTPUTS[suffix(name)])]
    return np.dtype([*names, ("origin", np.int64)])
