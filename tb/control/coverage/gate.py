# SPDX-License-Identifier: Apache-2.0
"""What holds words and what passes: block masks, units and banks that words wait for, ``hold``.

Source: frontend-config section 7, paragraph Gate; C10, C12, C17, C21, M8; docs/control.md section
3. Behind it the block as a whole, cycle by cycle.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Point, among, each
from tilepath.models.control.instructions import INSTRUCTIONS, Kind
from tilepath.tb.control.coverage import labels
from tilepath.tb.control.coverage.labels import THREADS, of_gate, plan

_BITS: Final = tuple(f"b{b}" for b in range(9))
# The one that makes the opcode differ from others: 0 means bit 0 alone
_CLASS: Final = Bins(
    {"b0": "block_class < 2",
     **{f"b{b}": f"block_class < 512 and block_class >> {b} & 1" for b in range(1, 9)},
     "nop": "block_class >> 10", "wait": "1"}
)  # fmt: skip
_MISSING: Final = "(mask ^ 0x1FF)"
_FREE: Final = "wins and not latch"


def _class_excludes() -> Iterator[Exclude]:
    for bit in _BITS:
        # Classes 2 to 5 are held by block bit 0 as well (block_classes.toml).
        held = (bit, *_BITS[2:6]) if bit == "b0" else (bit,)
        others = tuple(one for one in _BITS if one not in held)
        yield Exclude((None, bit, held, "issued"), "the block bit holds the class")
        yield Exclude((None, bit, others, "held"), "the block bit does not hold the class")
    yield Exclude((None, None, "nop", "held"), "NOP: gate.nop_x_block (C21)")
    yield Exclude((None, None, "wait", "issued"), "any live latch holds a wait (C12)")


def _opcodes(first: Kind, last: Kind) -> tuple[str, ...]:
    """Opcodes of these kinds, in hexadecimal."""
    kinds = [int(kind) for kind in INSTRUCTIONS["kind"]]
    return tuple(f"{opcode:02x}" for opcode, kind in enumerate(kinds) if first <= kind <= last)


_OPCODES: Final = {
    "illegal": _opcodes(Kind.ILLEGAL, Kind.ILLEGAL),
    "wait": _opcodes(Kind.STALLWAIT, Kind.STREAMWAIT),
    "nop": _opcodes(Kind.NOP, Kind.NOP),
    "other": tuple(
        sorted(_opcodes(Kind.UNSUPPORTED, Kind.UNIT) + _opcodes(Kind.SEMINIT, Kind.DMANOP))
    ),
}
# By opcode: its place among the others
_RANK: Final = {
    f"RANK_{name.upper()}": tuple(
        some.index(f"{opcode:02x}") if f"{opcode:02x}" in some else -1 for opcode in range(256)
    )
    for name, some in _OPCODES.items()
}

_GATE: Final = of_gate.where("valid")(
    "gate",
    {
        "block_bit": each(_BITS),
        "missing_bit": each(_BITS),
        "class": _CLASS,
        "block": Bins(
            {"1ff": "mask == 0x1FF", "one_bit_missing": f"not {_MISSING} & {_MISSING} - 1",
             "fewer": "1"}
        ),
        "block_0": Bins(
            {"math_held": "block_class >> 6 & 1 and held & LATCHED",
             "other_issued": "not block_class >> 6 & 1 and wins"}
        ),
        "inside_scalar": Bins(
            {"adddmareg": "scalar == ADDDMAREG", "muldmareg": "scalar == MULDMAREG",
             "reg2flop": "1"}
        ),
        "latch": Bins(
            "2 * latch - (not held & LATCHED) if latch else 0",
            ("no_latch", *(f"{what}_{w}" for w in labels.WAITS for what in ("passes", "held_by"))),
        ),
        **{f"{name}_opcode": Bins(f"RANK_{name.upper()}[opcode]", some)
           for name, some in _OPCODES.items()},
        "way": Bins({"free": _FREE, "under_latch": "wins", "held": "held & LATCHED"}),
        "wait_way": Bins({"free": _FREE, "held": "not wins and held & LATCHED"}),
        "illegal_way": Bins({"free": _FREE, "under_latch": "wins"}),
        "unit": Bins("resource", labels.UNITS),
        "ready": Bins("ready", ("not_ready", "ready")),
        "word": Bins("wins", ("waits", "issues")),
        "also": each(("inside", "latched", "unavailable")),
        "issuing_thread": each(THREADS),
        "behind": Bins("not wins", ("issues", "waits")),
        "owner": Bins("owner", ("free", "own", "other")),
    },
    # Each bit of the latched block against each class: held because of this bit, or issued
    # under it.
    Point("gate.latched_x_block_bit_x_class", "C12 C21", "latched block_bit class outcome",
          when="kind != ILLEGAL and mask >> block_bit & 1 and (wins or block_class < 1024"
          " and held & LATCHED and (block_class >> 9 or block_class >> block_bit & 1))",
          times="cycles", exclude=tuple(_class_excludes())),
    Point("gate.nop_x_block", "C21", "latched block outcome",
          when="kind == NOP and (wins or not held & (INSIDE | HOLD))", times="cycles",
          exclude=(
              Exclude((None, "1ff", "issued"), "1FF holds NOP (C21)"),
              Exclude((None, ("one_bit_missing", "fewer"), "held"), "only 1FF holds NOP (C21)"),
          )),
    Point("gate.nop_passes_without_bit", "C21", "missing_bit",
          when="kind == NOP and wins and latch and mask == ALL_BUT[missing_bit]"),
    # Block 0 stands for 040
    Point("gate.block_0", "C10", "latched block_0",
          when="kind != ILLEGAL and not wait.word.block and mask == 0x40", times="cycles"),
    Point("gate.inside_scalar_x_latch", "", "inside_scalar latch", when="held & INSIDE",
          times="cycles"),
    # Under latch: issued while one is valid. Waits are always held, illegal words never.
    Point("gate.illegal_opcode", "F17", "illegal_opcode illegal_way", times="cycles"),
    Point("gate.wait_opcode", "C12", "wait_opcode wait_way", times="cycles"),
    Point("gate.nop_opcode", "C21", "nop_opcode way", times="cycles"),
    Point("gate.opcode", "", "other_opcode way", times="cycles"),
    Point("unit.ready_x_outcome", "C24", "unit ready word", times="cycles", exclude=(
        Exclude((None, "not_ready", "issues"), "no word issues to a unit that is not ready"),
    )),
    # What it is that nothing but ``hold`` holds
    Point("hold.class_x_thread", "", when="held == HOLD", times="cycles"),
    Point("hold.also_x_thread", "", when="held & HOLD and held >> also & 1", times="cycles"),
    Point("hold.thread_x_issuing_thread", "", when="held == HOLD"
          " and issuing >> issuing_thread & 1 and issuing_thread != thread", times="cycles",
          exclude=labels.other_thread(0)),
    Point("hold.behind_x_thread", "", when="before.held == HOLD and not held & HOLD"),
    # "other" of a get: it waits
    Point("mutex.op_x_index_x_state", "", "op mutex owner",
          when="wins or kind == ATGETM and held & UNAVAILABLE", times="cycles"),
    **labels.KINDS, **_RANK, ALL_BUT=tuple(0x1FF ^ 1 << b for b in range(9)),
)  # fmt: skip

_SETS: Final = ("none", "a", "b", "both")  # by the two bits
# What a word waits for, and what is taken where that holds it
_HELD_BY: Final = {"none": (), "a": ("a", "both"), "b": ("b", "both"), "both": ("a", "b", "both")}
_ONLY_BANKS: Final = "resource == MATH and ready and not rules & (INSIDE | LATCHED | HOLD)"
_MATRIX: Final = of_gate.where(f"valid and {_ONLY_BANKS}")(
    "gate",
    {
        "waits": Bins("waits_for", _SETS),
        "taken": Bins("taken", _SETS),
        "waited": Bins("waits_for - 1", _SETS[1:]),
        "last_taken": Bins(
            "(before.taken & before.waits_for if before.valid else 0) - 1", _SETS[1:]
        ),
        "passing_thread": Bins("passing", THREADS),
        "file": each(("a", "b")),
        "taken_for": Bins(
            {"own_only": "taken >> file & 1 and not wins and not taken_of_others >> file & 1",
             "others_only": "not taken >> file & 1 and wins and taken_of_others >> file & 1"}
        ),
    },
    Point("banks.waits_x_taken_x_outcome_x_thread", "M8",
          when="wins or waits_for & taken", times="cycles", exclude=(
              *(Exclude((waits, tuple(some for some in _SETS if some not in taken), "held", None),
                        "what it waits for is there") for waits, taken in _HELD_BY.items()),
              *(Exclude((waits, taken, "issued", None), "what it waits for is taken")
                for waits, taken in _HELD_BY.items()),
          )),
    # What was taken in the last cycle in which a word waited
    Point("banks.waits_x_last_taken", "M8", "waited last_taken", when="wins", exclude=(
        Exclude(("a", ("b", "both")), "it does not wait for that"),
        Exclude(("b", ("a", "both")), "it does not wait for that"),
    )),
    Point("banks.waiting_x_passing_thread", "M8", "thread passing_thread",
          when="waits_for & taken", times="cycles", exclude=labels.other_thread(0)),
    Point("banks.file_x_taken_for_x_thread", "M8", when="waits_for >> file & 1", times="cycles"),
    **labels.RESOURCES,
)  # fmt: skip
_LASTED: Final = "cycle - free.cycle - free.cycles"
_HOLD: Final = of_gate.where("before.rules & HOLD and not rules & HOLD")(
    "gate",
    {"cycles": among(_LASTED, 1, 2, "3-4", "5-6", other=">6")},
    Point("hold.cycles_x_thread", ""),
)  # fmt: skip


def _ones(value: str, bits: int) -> str:
    """How many of the lowest bits are 1."""
    return "(" + " + ".join(f"({value} >> {bit} & 1)" for bit in range(bits)) + ")"


_UNITS: Final = plan(
    "units",
    {
        "threads": Bins("hold - 1", ("0", "1", "0+1", "2", "0+2", "1+2", "0+1+2")),
        "stages_occupied": among(_ones('stages', 6), 0, 1, 2, 3, 4, other="5"),
        "stage": each(("-4", "-3", "-2", "-1", "0", "+1", "risc")),
        "held_together": Bins(f"{_ones('mutexes', 4)} - 1", ("1", "2", "3", "4")),
        "mutex_words": each(("two_gets", "three_gets", "get_and_release", "two_releases")),
        "together": Bins("setc16s - 1", ("1", "2", "3")),
        "faults": each(("two_threads", "three_threads", "thread_and_risc", "two_flags")),
    },
    Point("hold.threads", "", times="cycles"),
    Point("config.stages_occupied", "C16", times="cycles"),
    Point("config.stage", "C16", when="stages >> stage & 1", times="cycles"),
    Point("mutex.held_together", "", times="cycles"),
    Point("mutex.in_one_cycle", "", "mutex_words",
          when="gets == mutex_words + 2 if mutex_words < 2"
          " else gets and releases if mutex_words == 2 else releases > 1", times="cycles"),
    Point("setc16.threads_in_one_cycle", "", "together", times="cycles"),
    Point("fault.together", "", "faults", when="faulty == faults + 2 if faults < 2"
          " else faulty and cores_faulty if faults == 2 else doubly",
          times="doubly * cycles if faults == 3 else cycles"),
)  # fmt: skip
PLANS: Final = (_GATE, _MATRIX, _HOLD, _UNITS)
