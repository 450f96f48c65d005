# SPDX-License-Identifier: Apache-2.0
"""Names of bins that the plans of the address counters share, and which commands can meet."""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.expression import Names
from tilepath.engine.coverage.plan import Bins, Kept, Labels, Planner
from tilepath.isa import config_field, layout_of
from tilepath.isa.boundary.adc import FAULTS, TARGETS
from tilepath.models.adc.account import KINDS
from tilepath.models.adc.untimed_state import INSTRUCTIONS, Action, Command
from tilepath.tb.instruction_words import word_fields

THREADS: Final = ("t0", "t1", "t2")
SETS: Final = ("set0", "set1", "set2")
WRITERS: Final = ("unpack", "pack", "flop", *THREADS)
"""In the order in which the commands of a cycle apply (A13)."""
COUNTERS: Final = ("x0", "y0", "z0", "w0", "x1", "y1", "z1", "w1")
YZ: Final = ("y0", "z0", "y1", "z1")
"""The counters that updates reach."""
COMMANDS: Final = tuple(command.name.lower() for command in Command)
OPS: Final = COMMANDS[: Command.UNPACK]
"""The eight instructions."""
PACKED: Final = tuple(op for op in OPS if op[-2:] in ("xy", "zw"))
"""Those with four 3-bit values."""
MASKED: Final = tuple(op for op in PACKED if not op.startswith("inc"))
CONSTANTS: Final[Names] = {
    **{one.name: int(one) for one in (*Command, *Action)},
    **{fault.name.upper(): 1 << fault.bit for fault in FAULTS},
    "COMMAND": tuple(INSTRUCTIONS.command.tolist()),
    "IGNORED": tuple(layout_of(op).ignored for op in OPS),
    "MASKED": tuple(map(OPS.index, MASKED)),
}
_BINS: Final = {
    "set": Bins("set", SETS),
    "target": Bins("target", TARGETS),
    "place": Bins("set * 3 + target", tuple(f"{s}.{target}" for s in SETS for target in TARGETS)),
    "counter": Bins("counter", COUNTERS),
    "thread": Bins("thread", THREADS),
}
# In the order of the word
_PACK_FIELDS: Final = (
    "YsrcIncr", "YsrcCR", "YsrcClear", "YdstIncr", "YdstCR", "YdstClear", "ZsrcIncr", "ZsrcClear",
    "ZdstIncr", "ZdstClear",
)  # fmt: skip
ADDR_MOD: Final = {
    name: (field.lsb, field.width)
    for name in _PACK_FIELDS
    for field in (config_field(f"ADDR_MOD_PACK_SEC0_{name}"),)
}
"""Fields of an ADDR_MOD_PACK word: lowest bit, width."""
WORDS: Final = {
    "addr_mod": ADDR_MOD,
    # six of the instructions have four 3-bit values at the same places; SETADCXX has two
    "instruction": {
        **{f"long_{name}": place for name, place in word_fields("SETADCXX").items()},
        **word_fields("SETADC", "SETADCXY"),
    },
}
_BOTH: Final = {name: f"first.{name} & second.{name}" for name in ("sets", "targets", "counters")}
DERIVED: Final = {
    "word": {
        "command": "COMMAND[instruction.opcode]",
        "override": "instruction.value >> 16 if command == SETADC"
        " else 0 if command == SETADCXX else instruction.thread_override",
        "ignored": "IGNORED[command] & instruction",
        "mask": "instruction.mask if command in MASKED else -1",
        "counter": "4 * instruction.channel + instruction.xyzw",  # SETADC
    },
    "touch": {
        "counter": "4 * channel + touched.counter",
        "first": "before.command if before.largest else -1",
        "since": "cycle - before.cycle",
        "foreign": "command < UNPACK and thread != set",  # an instruction of another thread (A3)
    },
    "cycle": {"bits": " + ".join(f"(conflict >> {place} & 1)" for place in range(9))},
    "flop": {"set": "write.thread", "target": "select", "counter": "4 * channel + write.counter"},
    "pair": {
        **_BOTH,
        # where both may write
        "conflict": "conflicts & targets * ((sets & 1) + (sets & 2) * 4 + (sets & 4) * 16)",
        "idle": "first.counters == 0 or second.counters == 0",
    },
}
_PLACE: Final = "(3 * set + target) * 8 + counter"
KEPT: Final = {
    # what touched the counter last, and which UNPACR or unpacker's update did
    "touch": {"before": Kept(_PLACE, 72), "update": Kept(_PLACE, 72, "command == UNPACK")},
}
plan: Final = Planner(KINDS, CONSTANTS, _BINS, WORDS, DERIVED, KEPT)


def chosen(column: str, names: Labels, every: Labels) -> Bins:
    """Bins for some of the numbers of a column: those of ``names`` among ``every`` one."""
    return Bins({name: f"{column} == {every.index(name)}" for name in names})


def reaches(command: str) -> tuple[set[str], set[str]]:
    """Dimensions and targets of the counters that ``command`` can touch."""
    if command in ("unpack", "pack"):
        return {"y", "z"}, set(TARGETS[:2] if command == "unpack" else TARGETS[2:])
    dimensions = set(command[-2:]) if command[-2:] in ("xy", "zw", "xx") else set("xyzw")
    return dimensions, set(TARGETS)


def share_a_counter(one: str, other: str) -> bool:
    """Whether there is a counter that both can touch."""
    (d1, t1), (d2, t2) = reaches(one), reaches(other)
    return bool(d1 & d2) and bool(t1 & t2)
