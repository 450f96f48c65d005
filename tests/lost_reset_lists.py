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
_COMMAND: Final = "written with the command that is accepted, looked at while it is at work"
_TRANSFER: Final = "loaded while a core waits for its flag, looked at after that"

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
    "flag_pipe": {
        "flag_bank.index_q": _STAGE,
        "flag_pipe_checker.waited_q": "looked at in state Wait, which no core begins in",
        **{
            f"flag_pipe_checker.{name}_q": "looked at where one_q, two_q differ: not as reset"
            for name in ("wrong", "cleared_one", "cleared_two")
        },
        "flag_pipe_checker.signalled_q": "cleared by the command that is accepted",
        **{
            f"flag_pipe_checker.{name}_q": "looked at with quiet_q, which is reset"
            for name in ("flags", "cube", "vector")
        },
        "pipe_checker.written_q": "0 from the first cycle on, in which nothing is written",
        **{
            f"pipe_core.{name}_q": _COMMAND
            for name in ("op", "tag", "err", "last", "tile", "base", "offset", "beats", "index")
        },
        **{
            f"pipe_dma.{name}_q": _TRANSFER for name in ("rd_addr", "wr_addr", "rd_left", "wr_left")
        },
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
    "flag_pipe": {
        "flag_pipe_checker.quiet_q": "flags_q, cube_q, vector_q: nothing differs from them",
    },
}
"""Block → register → another one whose reset is enough."""

FIRST: Final[Mapping[str, Sequence[str]]] = {
    "adc": ("random",),
    "control": ("first_requests", "random_default"),
    "flag_pipe": ("first_requests", "timeline_use_6"),
    "frontend": ("random_mix", "random_busy", "replay_counts"),
}
"""Block → tests that notice the most; these are tried first."""

PROFILES: Final[Mapping[str, Sequence[str]]] = {
    "flag_pipe": ("baseline", "baseline,platform=a2a3"),  # without which nothing is read from GM
}
"""Block → the profiles of its default regressions that matter, if more than ``baseline``."""
