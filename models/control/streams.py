# SPDX-License-Identifier: Apache-2.0
"""Names and fields of the control block's streams, as in the block's cycle contract (section 9)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

THREADS: Final = 3
NO_ORIGIN: Final = -(1 << 63)
UNITS: Final = ("unpack0", "unpack1", "pack", "math", "sfpu", "xmov")
VIEWERS: Final = UNITS[:3]
FAULTS: Final = (
    "illegal",
    "unsupported",
    "cfg_oob",
    "state_reset",
    "sem_cond",
    "mutex_index",
    "mutex_owner",
    "flop_target",
    "flop_size",
)

_WRITE: Final = ("index", "quad", "data0", "data1", "data2", "data3")

THREAD_INPUTS: Final[dict[str, tuple[str, ...]]] = {"offer": ("word",)}
COMMON_INPUTS: Final[dict[str, tuple[str, ...]]] = {
    "risc": ("write", "address", "data"),
    "risc_sem": ("write", "index", "get"),
    "busy": ("value",),
    "unit_ready": ("value",),
    "stream_busy": ("value",),
    "stream_write": ("stream", "register", "data"),
}
# In the order of the streams' numbers in ``layout``
THREAD_OUTPUTS: Final[dict[str, tuple[str, ...]]] = {
    "issue": ("word",),
    "latch": ("valid", "kind", "block", "what", "target"),
    "fault": FAULTS,
    "setc16": ("index", "data"),
    "rdcfg": ("gpr", "data"),
    "gpr": ("gpr", "halves", "data"),
    "adc": ("word",),
}
COMMON_OUTPUTS: Final[dict[str, tuple[str, ...]]] = {
    **{unit: ("thread", "word") for unit in UNITS},
    "config_write": ("source", "banks", *_WRITE),
    "flop_write": ("thread", "bank", *_WRITE),
    "flop_adc": ("thread", "select", "channel", "counter", "checkpoint", "value"),
    "risc_done": ("data",),
    "risc_thread_write": ("thread", "index", "data"),
    "risc_sem_done": ("data",),
    "risc_fault": ("cfg_oob", "state_reset"),
    "semaphores": ("value", "max"),
    "mutexes": ("value",),
    "config_pipe": ("stages",),
    "scalar": ("busy", "thread"),
    "sticky": ("cfg_oob",),
    **{f"view_{unit}": ("thread", "index", "data") for unit in VIEWERS},
}
INPUTS: Final = THREAD_INPUTS | COMMON_INPUTS
OUTPUTS: Final = THREAD_OUTPUTS | COMMON_OUTPUTS
FIELDS: Final = INPUTS | OUTPUTS

INPUT_NAMES: Final = (*(f"t{thread}.offer" for thread in range(THREADS)), *COMMON_INPUTS)
OUTPUT_NAMES: Final = (
    *(f"t{thread}.{suffix}" for thread in range(THREADS) for suffix in THREAD_OUTPUTS),
    *COMMON_OUTPUTS,
)


def input_dtype(name: str) -> np.dtype[Any]:
    """dtype of an input stream: ``cycle`` and the fields, all uint32; with or without ``t<n>.``."""
    fields = INPUTS[name.rpartition(".")[2]]
    return np.dtype([(field, np.uint32) for field in ("cycle", *fields)])


def output_dtype(name: str) -> np.dtype[Any]:
    """dtype of an output stream: as for inputs, and then ``origin``, int64; no padding."""
    fields = OUTPUTS[name.rpartition(".")[2]]
    layout: list[tuple[str, Any]] = [(field, np.uint32) for field in ("cycle", *fields)]
    return np.dtype([*layout, ("origin", np.int64)])
