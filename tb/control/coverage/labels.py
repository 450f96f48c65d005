# SPDX-License-Identifier: Apache-2.0
"""Names of bins, bins and constants that the plans of the control block share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Kept, Planner
from tilepath.isa import constants
from tilepath.isa.boundary import control
from tilepath.isa.constants import CFG_GLOBAL_BASE, CFG_WORDS, THD_WORDS
from tilepath.models.control import fields as F
from tilepath.models.control.account import BANKS, Held, Writer
from tilepath.models.control.account import KINDS as ROWS
from tilepath.models.control.instructions import TWO_OPERANDS as TWO
from tilepath.models.control.instructions import Kind, Resource
from tilepath.models.fields import Field
from tilepath.tb.instruction_words import word_fields

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

TWO_OPERANDS: Final = tuple(kind.name.lower() for kind in TWO)
KINDS: Final[Mapping[str, int]] = {kind.name: int(kind) for kind in Kind}
FAULTS: Final = {
    f"FAULT_{fault.name.upper()}": 1 << bit for bit, fault in enumerate(control.FAULTS)
}
RESOURCES: Final[Mapping[str, int]] = {one.name: int(one) for one in Resource}
OPCODES: Final = {name: n for name, n in vars(constants).items() if name.startswith("OP_")}
_CONSTANTS: Final = {
    "GLOBAL": CFG_GLOBAL_BASE, "WORDS": CFG_WORDS, "THREAD_WORDS": THD_WORDS,
    **{f"BY_{one.name}": int(one) for one in Writer},
}  # fmt: skip


def of_kind(column: str, *names: str) -> dict[str, str]:
    """Bins for instructions of these names."""
    return {name: f"{column} == {name.upper()}" for name in names}


_BINS: Final = {
    "thread": Bins("thread", THREADS),
    "latched": Bins("latch - 1", WAITS),
    "outcome": Bins("wins", ("held", "issued")),
    "stateid": Bins("bank", STATES),
    "mutex": Bins("mutex", MUTEXES),
    "op": Bins("kind - ATGETM", ("get", "release")),
    "second": Bins(of_kind("kind", *CONFIG_INSTR)),
}
SCRATCH: Final = "(209 + (thread if word.scratch == 3 else word.scratch))"
_OF_FLOP: Final = ("cfg", "adc_sel", "channel", "cr", "xyzw")


def _field(field: Field) -> tuple[int, int]:
    """Lowest bit and width."""
    return field.lsb, field.mask.bit_length()


_WORD: Final = {
    **word_fields("SEMWAIT", "SETDMAREG", "ADDDMAREG", "REG2FLOP", "CFGSHIFTMASK", "RMWCIB0"),
    **word_fields("WRCFG"),
    "setc16_index": word_fields("SETC16")["cfg_index"],
    **word_fields("STREAMWAIT"),
    **word_fields("SEMINIT"),
    "half_reg": word_fields("SETDMAREG")["half_reg"],
    "flop_gpr": word_fields("REG2FLOP")["gpr"],
    "short_index": word_fields("RMWCIB0")["cfg_index"],
    "mutex_index": word_fields("ATGETM")["index"],
    "block": word_fields("STALLWAIT")["block"],
    "conditions": word_fields("STALLWAIT")["cond"],
    "sem_cond": word_fields("SEMWAIT")["cond"],
    **{name: _field(getattr(F, f"REG2FLOP_FLOP_{name.upper()}")) for name in _OF_FLOP},
}
_OFFERED: Final = {"kind": "offered.kind", "opcode": "word.opcode", "latch": "latch.kind"}
_DERIVED: Final = {
    "word": _OFFERED,
    "access": {"address": "entered.word"},
    "entry": {"kind": "now.kind", "thread": "now.thread"},
    "follow": {
        "kind": "now.kind",
        "thread": "now.thread",
        "word": "now.word",
        "distance": "cycle - first.cycle - 1",
        "shift": "2 if first.quad or now.quad else 0",
        "same": "first.banks & now.banks and first.index >> shift == now.index >> shift",
    },
    "scalar": {
        **_OFFERED,
        "word": "offered.word",
        "after": "unit.word if unit.last == cycle else 0",
    },
    "flop": {
        "thread": "unit.thread",
        "delay": "cycle - unit.issued_in - 2",
        "written": "unit.writes_config",
    },
    "product": {"a": "unit.operand_a", "immediate": "unit.word.imm"},
    "gate": {
        **_OFFERED,
        "held": "rules if valid and kind else 0",  # kind 0 is illegal: nothing holds it (F17)
        "waits_for": "banks >> BANKS",
        "selected": "wait.word.sem_mask",
        "age": "cycle - latch.set_in",
    },
}
_KEPT: Final = {
    # the last word that changes semaphores
    "word": {"acted": Kept(where="SEMINIT <= kind <= SEMGET")},
    "gate": {
        "before": Kept("thread", 3),
        # the last wait that issued, and the last cycle in which the thread was not held, no word
        # issued under a latch, a latch was valid for the first time
        "wait": Kept("thread", 3, "wins and FIRST_WAIT <= kind <= LAST_WAIT"),
        "free": Kept("thread", 3, "not rules & HOLD"),
        "apart": Kept("thread", 3, "not (wins and latch)"),
        "first": Kept("thread", 3, "latch and age == 1"),
    },
}
plan: Final = Planner(ROWS, _CONSTANTS, _BINS, {"word": _WORD}, _DERIVED, _KEPT)
of_gate: Final = replace(plan, constants={
    **_CONSTANTS,
    **{held.name: int(held) for held in Held},
    "BANKS": BANKS, "CFG_PIPE": constants.STALL_COND_CFG_PIPE,
    "FIRST_WAIT": int(Kind.STALLWAIT), "LAST_WAIT": int(Kind.STREAMWAIT),
})  # fmt: skip
"""Makes plans of gates, and of words that issue."""


def ends(value: str, last: int, between: str, first: int = 0) -> Bins:
    """Bins for the first value, the last one, and all between."""
    zero, most = f"{value} == {first}", f"{value} != {last}"
    return Bins({str(first): zero, between: most, str(last): "1"})


def other_thread(before: int) -> tuple[Exclude, ...]:
    """The thread itself where another one is meant, with so many axes before."""
    return tuple(Exclude((None,) * before + (t, t), "another thread is meant") for t in THREADS)
