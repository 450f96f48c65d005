# SPDX-License-Identifier: Apache-2.0
"""Names of bins, bins and constants that the plans of the control block share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilepath.isa import constants
from tilepath.isa.boundary import control
from tilepath.isa.constants import CFG_GLOBAL_BASE, CFG_WORDS, THD_WORDS
from tilepath.models.control.account import KINDS as ROWS
from tilepath.models.control.account import Entry, Held, Meanwhile, Writer
from tilepath.models.control.instructions import Kind, Resource
from tilepath.tb.kernel.coverage.bins import Exclude
from tilepath.tb.kernel.coverage.expression import word_fields
from tilepath.tb.kernel.coverage.plan import Bins, Planner

THREADS: Final = ("t0", "t1", "t2")
WAITS: Final = ("stallwait", "semwait", "streamwait")
WHOSE: Final = ("own_thread", "other_thread")
SAME_OTHER: Final = ("same", "other")
UNITS: Final = ("unpack0", "unpack1", "pack", "math", "sfpu", "xmov")
READ_WRITE: Final = ("read", "write")
CLEAR_SET: Final = ("clear", "set")
STATES: Final = ("state0", "state1")
SPACES: Final = ("banked", "global")
MUTEXES: Final = ("mutex0", "mutex2", "mutex3", "mutex4")
CONFIG_INSTR: Final = ("streamwrcfg", "wrcfg", "cfgshiftmask", "rmwcib", "rdcfg")
LOW2: Final = ("+0", "+1", "+2", "+3")

KINDS: Final[Mapping[str, int]] = {kind.name: int(kind) for kind in Kind}
HELD: Final[Mapping[str, int]] = {held.name: int(held) for held in Held}
ENTRIES: Final[Mapping[str, int]] = {entry.name: int(entry) for entry in Entry}
MEANWHILE: Final[Mapping[str, int]] = {one.name: int(one) for one in Meanwhile}
FAULTS: Final = {
    f"FAULT_{fault.name.upper()}": 1 << bit for bit, fault in enumerate(control.FAULTS)
}
RESOURCES: Final[Mapping[str, int]] = {one.name: int(one) for one in Resource}
OPCODES: Final = {name: n for name, n in vars(constants).items() if name.startswith("OP_")}
_CONSTANTS: Final = {
    "GLOBAL": CFG_GLOBAL_BASE, "WORDS": CFG_WORDS, "THREAD_WORDS": THD_WORDS,
    **{f"BY_{one.name}": int(one) for one in Writer},
}  # fmt: skip
_BINS: Final = {
    "thread": Bins("thread", THREADS),
    "latched": Bins("latch - 1", WAITS),
    "outcome": Bins("issued", ("held", "issued")),
    "stateid": Bins("bank", STATES),
    "mutex": Bins("mutex", MUTEXES),
    "op": Bins("kind - ATGETM", ("get", "release")),
    "second": Bins("entry", CONFIG_INSTR),
}
_WORD: Final = {
    **word_fields("SEMWAIT", "SETDMAREG", "ADDDMAREG", "REG2FLOP", "CFGSHIFTMASK", "RMWCIB0"),
    **word_fields("WRCFG"),
    "setc16_index": word_fields("SETC16")["cfg_index"],
}
plan: Final = Planner(ROWS, _CONSTANTS, _BINS, {"word": _WORD})


def ends(value: str, last: int, between: str, first: int = 0) -> Bins:
    """Bins for the first value, the last one, and all between."""
    zero, most = f"{value} == {first}", f"{value} != {last}"
    return Bins({str(first): zero, between: most, str(last): "1"})


def other_thread(before: int) -> tuple[Exclude, ...]:
    """The thread itself where another one is meant, with so many axes before."""
    return tuple(Exclude((None,) * before + (t, t), "another thread is meant") for t in THREADS)
