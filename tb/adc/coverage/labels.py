# SPDX-License-Identifier: Apache-2.0
"""Names of bins that the plans of the address counters share, and which commands can meet."""

from __future__ import annotations

from typing import Final

from tilepath.isa.boundary.adc import FAULTS, TARGETS
from tilepath.models.adc.untimed_state import Action, Command

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
NO_YES: Final = ("no", "yes")
CONSTANTS: Final = {
    **{one.name: int(one) for one in (*Command, *Action)},
    **{fault.name.upper(): 1 << fault.bit for fault in FAULTS},
}


def chosen(column: str, names: tuple[str, ...], among: tuple[str, ...]) -> dict[str, str]:
    """Bins for some of the numbers of a column: those of ``names`` in ``among``."""
    return {name: f"{column} == {among.index(name)}" for name in names}


def numbers(count: int) -> tuple[str, ...]:
    """``0``, ``1``, … as labels."""
    return tuple(map(str, range(count)))


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
