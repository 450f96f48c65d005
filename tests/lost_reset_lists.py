# SPDX-License-Identifier: Apache-2.0
"""Which lost resets nothing notices, and why their registers may begin with anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

_WRITTEN: Final = "a slot is read only after it was written: the count of words says which"
_MOP: Final = "written when the MOP is popped, looked at while it expands"
_REPLAY: Final = "written when the state leaves Pass, looked at outside of it"
_STAGE: Final = "looked at only with the valid bit of its stage, which is reset"
_BUSY: Final = "written by the instruction that sets busy_q, looked at while that is set"

LISTED: Final[Mapping[str, Mapping[str, str]]] = {
    "adc": {},
    "control": {
        "config_unit.m1_kind_q": _STAGE,
        "config_unit.p0_kind_q": _STAGE,
        **{f"scalar_unit.{name}_q": _BUSY for name in ("kind", "cycle", "word", "a", "b", "long")},
        **{f"sync_unit.{name}_q": _STAGE for name in ("op", "mask", "init_value", "init_max")},
        "thread_config.index_q": _STAGE,
        "thread_config.data_q": _STAGE,
        "wait_gate.first_q": _STAGE,
    },
    "frontend": {
        "fe_queue.data_q[i]": _WRITTEN,
        "fe_queue.kind_q[i]": _WRITTEN,
        **{f"mop_expander.{name}": _MOP for name in ("expansion_q", "step_q", "snap_q[i]")},
        **{f"replay_expander.{name}_q": _REPLAY for name in ("index", "left", "exec")},
    },
}
"""Block → register → why its start cannot matter; all of these lost at once change nothing."""

COVERED: Final[Mapping[str, Mapping[str, str]]] = {
    "control": {"sync_unit.valid_q": "sync_unit.mask_q: nothing is chosen to act on"},
}
"""Block → register → another one whose reset is enough."""

FIRST: Final[Mapping[str, Sequence[str]]] = {
    "adc": ("random",),
    "control": ("first_requests", "random_default"),
    "frontend": ("random_mix", "random_busy", "replay_counts"),
}
"""Block → tests that notice the most; these are tried first."""
