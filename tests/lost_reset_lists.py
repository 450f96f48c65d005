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
_READ: Final = "loaded by a read, looked at when its data are there"
_IDLE: Final = "0 after the first cycle, in which nothing is there to do"
_DATA: Final = "lets data through that nothing says are there"
_OPEN: Final = "written by what opens a tile, looked at while one is open"
_ACTIVE: Final = "written by the instruction that sets active_q, looked at while that is set"

LISTED: Final[Mapping[str, Mapping[str, str]]] = {
    "adc": {},
    "control": {
        **{
            f"config_unit.{name}_q": _STAGE
            for name in (
                *("m4_thread", "m4_bank", "m4_stream", "m4_word", "m4_entry", "m3_thread"),
                *("m3_bank", "m3_stream", "m3_register", "m3_index", "m2_thread", "m2_bank"),
                *("m2_index", "m2_data", "m1_kind", "m1_thread", "m1_bank", "m1_index"),
                *("m1_word", "m1_data", "p0_kind", "p0_thread", "p0_bank", "p0_index"),
                *("p0_word", "p0_data", "p0_ok", "p0_quad", "p1_thread", "p1_gpr", "p1_data"),
                "risc_index",
            )
        },
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
    "pack": {
        "dst_flags.read_row_valid_q": _READ,
        "dst_flags.read_written_q": _READ,
        "dst_spread.second_q": _IDLE,
        "pack_accumulate.high_q": _STAGE,
        "pack_accumulate.valid_q": "writes where the next sum will be, before that does",
        "pack_address.thread_q": "looked at with the flags, which are reset",
        **{f"pack_back.{name}_q": _DATA for name in ("pop", "moves", "counters")},
        **{
            f"pack_compress.{name}_q": "cleared when the mode becomes compression"
            for name in ("augmented", "block", "row", "tile")
        },
        "pack_compress.counter_q": "of the element before, looked at behind one: with row_q",
        "pack_elements.push_q": "writes elements that count_q says are not there",
        "pack_gather.compress_q": "compared with the mode where nothing is gathered yet",
        "pack_gather.exponent_lines_q": "without an address every line is behind its section",
        "pack_gather.entries_q": "begins anew with the address of the first section",
        "pack_gather.part_q": _IDLE,
        "pack_gather.to_q": "compared with the mode where nothing is gathered yet",
        "pack_histogram_read.data_q": _STAGE,
        "pack_mode_faults.flags_q": "follows the mode from the first cycle on",
        **{f"pack_order.{name}_q": _OPEN for name in ("sizes", "thread", "way")},
        **{f"pack_sample.{name}_q": _STAGE for name in ("thread", "setreg", "word")},
        "pack_steps.started_q": _IDLE,
    },
    "unpack": {
        "src_flags.read_cleared_q": _READ,
        "src_owner.clear_q": _IDLE,
        **{f"unpack_fetch.{name}_q": _ACTIVE for name in ("kind", "request", "effect", "want")},
        "unpack_fetch.flight_q": "read anew in every cycle, looked at with an answer",
        **{
            f"unpack_fetch_beat.{name}_q": _ACTIVE
            for name in (
                *("rows", "fifo", "limited", "size", "bounded", "read_exponent", "some", "first"),
                *("place", "exponent", "nibble", "left", "ahead", "wraps", "base", "step"),
                "row_nibble",
            )
        },
        **{
            f"unpack_fetch_place.{name}_q": _STAGE
            for name in (
                *("at2", "at3", "at4", "at5", "less6", "in_l1", "lines", "first2", "last2"),
                *("first3", "count3", "groups3", "count4", "count5", "count6", "in_group4"),
                *("group4", "exponent4", "exponent5", "exponent6", "datum5", "datum6", "delta5"),
                *("delta6", "datum_wraps6", "delta_wraps6", "exponent_wraps6"),
            )
        },
        **{
            f"unpack_fetch_request.{name}_q": _STAGE
            for name in (
                *("decision1", "request1", "line", "in_row", "exponent", "delta", "stride3"),
                *("decision2", "port2", "rsi_lines1"),
            )
        },
        **{f"unpack_issue.{name}_q": _STAGE for name in ("phase_word", "wait_word")},
        **{f"unpack_issue.{name}_q": _STAGE for name in ("thread", "word")},
        "unpack_top.file_q": _READ,
        "unpack_write_go.second_part_q": _STAGE,
        "unpack_write_place.second_q": _STAGE,
        "unpack_write_stage.second_q": _STAGE,
    },
}
"""Block → register → why its start cannot matter; all of these lost at once change nothing."""

COVERED: Final[Mapping[str, Mapping[str, str]]] = {
    "control": {"sync_unit.valid_q": "sync_unit.mask_q: nothing is chosen to act on"},
    "flag_pipe": {
        "flag_pipe_checker.quiet_q": "flags_q, cube_q, vector_q: nothing differs from them",
    },
    "pack": {
        "pack_depart.mode_q": "all of pack_compress: what departs first brings a mode",
        "pack_gather.closing_q": "pack_gather.to_q: it ends before the mode can change",
    },
}
"""Block → register → another one whose reset is enough."""

FIRST: Final[Mapping[str, Sequence[str]]] = {
    "adc": ("random",),
    "control": ("first_requests", "random_default"),
    "flag_pipe": ("first_requests", "timeline_use_6"),
    "frontend": ("random_mix", "random_busy", "replay_counts"),
    "pack": ("first_cycles", "scenes_default", "scenes_accumulate", "pack_compressed"),
    "unpack": ("first_requests", "unpack_ab", "unpack_dst"),
}
"""Block → tests that notice the most; these are tried first."""

PROFILES: Final[Mapping[str, Sequence[str]]] = {
    "flag_pipe": ("baseline", "baseline,platform=a2a3"),  # without which nothing is read from GM
    "pack": ("baseline", "blackhole"),  # a SETREG of what is staged
    "unpack": ("baseline", "blackhole"),  # remapped rows of Dst
}
"""Block → the profiles of its default regressions that matter, if more than ``baseline``."""
