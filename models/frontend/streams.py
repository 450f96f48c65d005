# SPDX-License-Identifier: Apache-2.0
"""Names and fields of the front end's streams, as in the block's cycle contract (§3)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

THREADS: Final = 3
NO_ORIGIN: Final = -(1 << 63)

# Per thread, by suffix: the fields after ``cycle``
INPUTS: Final[dict[str, tuple[str, ...]]] = {
    "push": ("word",),
    "mopcfg": ("index", "data"),
    "sync": (),
    "brisc": ("word",),
    "ready": ("ready",),
}
COMMON_INPUTS: Final[dict[str, tuple[str, ...]]] = {"sfpu_cc": ("busy",)}
OUTPUTS: Final[dict[str, tuple[str, ...]]] = {
    "accept": (),
    "brisc_accept": (),
    "sync_ack": (),
    "ingest": ("word",),
    "mq": ("word",),
    "rq": ("word",),
    "issue": ("word", "illegal"),
    "fault": ("illegal", "mopcfg_race", "collision"),
    "status": ("mop_state", "replay_state"),
    "sticky": ("mopcfg_race", "collision"),
    "qstatus": ("value",),
}
FIELDS: Final[dict[str, tuple[str, ...]]] = INPUTS | COMMON_INPUTS | OUTPUTS

INPUT_NAMES: Final = (
    *(f"t{thread}.{suffix}" for thread in range(THREADS) for suffix in INPUTS),
    *COMMON_INPUTS,
)
OUTPUT_NAMES: Final = tuple(
    f"t{thread}.{suffix}" for thread in range(THREADS) for suffix in OUTPUTS
)


def input_dtype(suffix: str) -> np.dtype[Any]:
    """dtype of an input stream: ``cycle`` and the fields, all uint32."""
    return np.dtype([(name, np.uint32) for name in ("cycle", *FIELDS[suffix])])


def output_dtype(suffix: str) -> np.dtype[Any]:
    """dtype of an output stream: as for inputs, and then ``origin``, int64; no padding."""
    names: list[tuple[str, Any]] = [(name, np.uint32) for name in ("cycle", *OUTPUTS[suffix])]
    return np.dtype([*names, ("origin", np.int64)])
