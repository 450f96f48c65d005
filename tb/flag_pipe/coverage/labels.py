# SPDX-License-Identifier: Apache-2.0
"""Names of bins, bins and constants that the plans of the flag pipe share."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tilepath.engine.coverage.plan import Bins, Kept, Planner
from tilepath.isa import constants as isa
from tilepath.isa.boundary.flag_pipe import CORES, ENDPOINTS, FAULTS, OPS
from tilepath.isa.boundary.flag_pipe import PAIRS as PAIR_COUNT
from tilepath.isa.profiles import Profile
from tilepath.models.flag_pipe.account import KINDS, PairState
from tilepath.models.flag_pipe.rules import L1_BYTES, UB_BYTES, UB_LEGAL_A2A3, Error
from tilepath.models.flag_pipe.timing_state import PORTS, STROBES, State

A2A3: Final = "a2a3"
WAYS: Final = ("c2v", "v2c")
PIPES: Final = (*WAYS, "both.c2v", "both.v2c")
MASKS: Final = (*WAYS, "both")
MOVES: Final = ("TPUSH", "TPOP")
PLACES: Final = ("first", "last", "between")
STATES: Final = tuple(state.name.lower() for state in PairState)

CORE: Final = Bins("core", CORES)
END: Final = Bins("end % 4", ("AIC.0", "AIC.1", "AIV0", "AIV1"))
PAIR: Final = Bins("pair", tuple(f"pair{number}" for number in range(PAIR_COUNT)))
WAY: Final = Bins("way", WAYS)
OP: Final = Bins("op", OPS)
MOVE: Final = Bins("op - TPUSH", MOVES)
MASK: Final = Bins("mask - 1", MASKS)
ERROR: Final = Bins("error - 1", tuple(fault.name for fault in FAULTS))
PIPE: Final = Bins("way + 2 * (mask == BOTH)", PIPES)


def beats(*these: str) -> Bins:
    """Bins of transfers by their beats; of several columns the first bin in which one is."""
    return Bins(
        {str(n): " or ".join(f"{one} == {n}" for one in these) for n in (1, 2, 3, 4, 16)}
        | {"other": "1"}
    )


_BINS: Final = {"pair": PAIR, "op": MOVE, "end": END, "way": WAY, "core": CORE}
_DERIVED: Final = {"op": "plan.op", "mask": "endpoint.mask"}
_OF_PLANS: Final = dict.fromkeys(("command", "response", "endpoint"), _DERIVED)
# of a pair in a pipe the tag of a TPUSH that has wrapped
_WRAPPED: Final = Kept("end // 4 * 2 + end % 2", ENDPOINTS // 2, "op == TPUSH and wraps")
_CONSTANTS: Final = {
    **{op: number for number, op in enumerate(OPS)},
    **{port.upper(): number for number, port in enumerate(PORTS)},
    **{strobe.upper(): number for number, strobe in enumerate(STROBES)},
    "BOTH": isa.PIPE_DIR_BOTH, "HOLD_LIM": int(Error.HOLD_LIM), "XFER": int(State.XFER),
}  # fmt: skip
plan: Final = Planner(
    KINDS, _CONSTANTS, _BINS, derived=_OF_PLANS, kept={"endpoint": {"wrapped": _WRAPPED}}
)


def planner(chosen: Profile) -> Planner:
    """With numbers of the profile that expressions name."""
    numbers = {
        **_CONSTANTS,
        "HOLD_MAX": chosen.hold_max, "NFLAGS": chosen.nflags, "BEAT": chosen.beat_bytes,
        "IS_A2A3": int(chosen.platform == A2A3), "L1": L1_BYTES, "UB": UB_BYTES,
        "UB_LEGAL": UB_LEGAL_A2A3 if chosen.platform == A2A3 else UB_BYTES,
    }  # fmt: skip
    return replace(plan, constants=numbers)
