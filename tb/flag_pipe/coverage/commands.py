# SPDX-License-Identifier: Apache-2.0
"""Points of commands: what they are, what they meet, what they answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tilepath.engine.coverage.bins import Axis, Exclude
from tilepath.engine.coverage.plan import Bins, CoveragePlan, Point, among, each, numbers
from tilepath.isa.boundary.flag_pipe import OPS, SPLITS
from tilepath.isa.profiles import Profile
from tilepath.models.flag_pipe.rules import L1_BYTES
from tilepath.tb.flag_pipe.coverage.labels import (
    A2A3,
    END,
    ERROR,
    MASK,
    MASKS,
    OP,
    PIPE,
    STATES,
    plan,
    planner,
)

_OF_INIT: Final = (
    "not_init", "bad_dirmask", "bad_slot", "bad_period", "bad_split", "bad_base",
)  # fmt: skip
# Error → states of the pair, as the core's endpoint sees them, in which it can be
_WHEN: Final[dict[str, Axis]] = {
    **dict.fromkeys(_OF_INIT, STATES[:1]),
    "reinit": STATES,
    "dir_off": STATES[1:],
    "hold_lim": ("held",),
    "free_empty": ("idle", "filled", "full", "empty"),
    "bad_tile": STATES[1:],
    "bad_op": STATES,
}
_OFF: Final = tuple(
    Exclude((ends, ops, mask), "the direction is not in the mask")
    for mask, cube, vector in (("c2v", OPS[2:], OPS[1:2]), ("v2c", OPS[1:2], OPS[2:]))
    for ends, ops in ((END.labels[:2], cube), (END.labels[2:], vector))
)
_HALVES: Final = (
    Exclude((END.labels[1:], "reinit", "uninit"), "only halves look at two endpoints"),
    Exclude(("AIC.1", "bad_split", None), "with halves a command of the cube counts for pair 0"),
)
_NEVER: Final = _HALVES + tuple(
    Exclude((None, error, tuple(state for state in STATES if state not in states)),
            f"{error} depends on the endpoint's state")
    for error, states in _WHEN.items()
)  # fmt: skip
# a TFREE or TPOP is legal behind these only where a slot is held, which they do not have
_NOT_BEHIND: Final = (
    Exclude((("dir_off", "hold_lim", "free_empty", "bad_tile"), "INIT"),
            "the endpoint is initialised"),
    Exclude((_OF_INIT, OPS[1:]), "INIT comes first"),
    Exclude(("hold_lim", "TPOP"), "TFREE comes first"),
    Exclude(("free_empty", "TFREE"), "TPOP comes first"),
)  # fmt: skip
_PLATFORM: Final = Bins("not IS_A2A3", (A2A3, "a5"))
_NUMBERS: Final = {
    "nflags": (4, 8), "flag_lat": (1, 2, 4), "hold_max": (1, 2, 4, 8), "beat_bytes": (16, 32),
}  # fmt: skip
_RINGS: Final = ("c2v_buf", "v2c_buf", "gm_base")
_BASE: Final = (
    "(command.c2v_buf if ring == 0 else command.v2c_buf if ring == 1 else command.gm_base)"
)
_FIRST: Final = f"{_BASE} == (BEAT if ring == 2 else 0)"
_LAST: Final = (
    f"{_BASE} == ((1 << 32) - NFLAGS * command.slot_size if ring == 2"
    " else (L1 if ring else UB) - slots * command.slot_size)"
)
_SIZES: Final = (1 << 18, 1 << 16, 1 << 10)
_ON: Final = "mask >> way & 1"  # the direction is in the mask
_INITIALISED: Final = "op == INIT and error == 0"
_AGAIN: Final = "op == INIT and error and mask and not (core and peer) and 1 <= dir_mask <= BOTH"


def profile_plan(chosen: Profile) -> CoveragePlan:
    """Parameters: one bin of each is left."""
    bins = {name: among(name, *values) for name, values in _NUMBERS.items()}
    others = {
        name: tuple(label for label in one.labels if label != str(getattr(chosen, name)))
        for name, one in {"platform": _PLATFORM, **bins}.items()
    }
    why = "another value of the parameter"
    return planner(chosen)(
        "profile",
        {**bins, "platform": _PLATFORM},
        *(Point(f"parameter.{name}", "T23", exclude=(Exclude((some,), why),))
          for name, some in others.items()),
    )  # fmt: skip


def command_plan(chosen: Profile) -> CoveragePlan:
    """Commands as they are accepted."""
    # of a5 the largest rings are those of V2C in L1
    most = (1 << 32 if chosen.platform == A2A3 else L1_BYTES) // chosen.nflags
    large = tuple(f">{least >> 10}K" for least in _SIZES if least >= most)
    short = [
        Exclude((masks, tuple("1248")[slots.bit_length() :]), "a ring has fewer slots")
        for masks, slots in ((MASKS[:2], chosen.nflags), (MASKS[2:], chosen.nflags // 2))
        if slots < 8
    ]
    other = _RINGS[:2] if chosen.platform == A2A3 else _RINGS[2:]
    return planner(chosen)(
        "command",
        {
            "pipe": PIPE,
            "pair0": Bins("cube_masks[0] - 1", MASKS),
            "pair1": Bins("cube_masks[1] - 1", MASKS),
            # slots are held, or there are as many as there may be
            "held_or_limit": each(("held", "limit")),
            "held": Bins(
                "HOLD_MAX if held_or_limit else endpoint.held", numbers(chosen.hold_max + 1)
            ),
            "occupancy": Bins(
                "4 if filled >= slots else 3 if filled == slots - 1 else 2 if filled > 1"
                " else filled",
                ("0", "1", "mid", "N-1", "N"),
            ),
            # of the producer's period to the consumer's, without what they wait for each other
            "ratio": Bins(
                {"<1/4": "4 * producer < period", "1/4-0.9": "10 * producer < 9 * period",
                 "0.9-1.1": "10 * producer < 11 * period", "1.1-4": "producer < 4 * period",
                 ">4": "1"}
            ),
            "order": Bins(
                "2 if together else 4 - (core == 0) if peer_waits else core == 0",
                ("cube first", "vector first", "same cycle", "cube while vector waits",
                 "vector while cube waits"),
            ),
            "number": Bins("plan.pipe", tuple("0123")),
            "pipes": Bins("pipes - 1", tuple("1234")),
            "ring": each(_RINGS),
            "place": Bins({"first": _FIRST, "last": _LAST, "between": "1"}),
            "size": Bins({f">{least >> 10}K": f"command.slot_size > {least}" for least in _SIZES}
                         | {"<=1K": "1"}),
            "credit": Bins("command.period", tuple("1248")),
            "split": Bins("command.split", SPLITS),
            "run": Bins({"1": "1 << command.row == 2 * BEAT", "2": "1 << command.row == 4 * BEAT",
                         "more": "1"}),
            "rows": Bins({"1": "command.slot_size == 1 << command.row",
                          "2": "command.slot_size == 2 << command.row", "more": "1"}),
            "way_mask": Bins("dir_mask - 1", MASKS),
            "before": Bins("error != 0", ("cleared", "refused")),
            "mask": Bins("(mask if error else cleared_mask) - 1", MASKS),
            "next_mask": Bins("dir_mask - 1", MASKS),
        },
        Point("pairs.mask_x_mask", "T3 T26", "pair0 pair1", when=f"op == TPUSH and {_ON}"),
        Point("pipes.end_x_op_x_number", "T34", "end op number",
              when=f"op != INIT and {_ON} and not error"),
        Point("pipes.at_once", "T34", "pipes", when=f"op == TPUSH and {_ON}"),
        Point("held.at_tpop", "T9 T10", "held",
              when=f"op == TPOP and {_ON} and (not held_or_limit or error == HOLD_LIM)"),
        Point("ring.occupancy", "T1 T23", "pipe op occupancy", when=_ON),
        Point("ring.wrap_while_full", "T7 T8", "pipe",
              when=f"op == TPUSH and {_ON} and filled >= slots and endpoint.push_tag == 0"),
        Point("ring.base_x_place", "T14 T15 T16 T17 T19 T21", "ring place",
              when=f"{_INITIALISED} and IS_A2A3 == (ring == 2)"
                   " and (IS_A2A3 or dir_mask >> ring & 1)",
              exclude=(Exclude((other, None), "the other platform's"),)),
        Point("slot.size", "T19 T33", "size", when=_INITIALISED,
              exclude=(Exclude((large,), "no memory has such a ring"),)),
        Point("credit.mask_x_slots", "T36", "way_mask credit", when=_INITIALISED,
              exclude=tuple(short)),
        Point("halves.mask_x_split_x_credit", "T37 T38", "way_mask split credit",
              when=_INITIALISED, exclude=tuple(
                  replace(one, where=(one.where[0], None, one.where[1])) for one in short)),
        Point("halves.rows_x_run", "T37 T40", "rows run",
              when=f"{_INITIALISED} and command.split == 2"),
        Point("rate.way_x_ratio", "T27", when=f"op == TPOP and {_ON} and period and producer"),
        Point("init.pair_x_order", "T25", when=f"{_INITIALISED} and other.mask"),
        Point("launch.mask_x_next_mask", "T12 T13", "before mask next_mask",
              when=f"{_INITIALISED} or {_AGAIN}"),
    )  # fmt: skip


RESPONSES: Final = plan(
    "response",
    {
        "op": OP,
        "mask": MASK,
        "code": ERROR,
        "state": Bins("met", STATES),
        "error": Bins("last_error - 1", ERROR.labels),
        "then": OP,
        "split": Bins("endpoint.split", SPLITS),
    },
    Point("command.end_x_op_x_mask", "T3 T5", when="not error", exclude=_OFF),
    Point("halves.end_x_op_x_split", "T37 T38", "end op split", when="not error",
          exclude=(Exclude(("AIC.1", None, SPLITS[1:]), "it counts for pair 0"),)),
    Point("error.end_x_code_x_state", "T10 T11 T19 T21 T40", when="error", exclude=_NEVER),
    Point("error.then_legal", "T10 T11 T19", "error then", when="not error", exclude=_NOT_BEHIND),
)  # fmt: skip
