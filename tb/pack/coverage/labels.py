# SPDX-License-Identifier: Apache-2.0
"""Labels and names that the plans share."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from tilepath.engine.coverage.expression import Names
from tilepath.engine.coverage.plan import Bins, Kept, Planner, numbers, yes
from tilepath.isa import formats as isa_formats
from tilepath.isa.boundary.pack import LANES, PACKERS
from tilepath.models import format_codes as codes
from tilepath.models.pack import fields as F
from tilepath.models.pack.account import KINDS
from tilepath.models.pack.early import Container, Early
from tilepath.models.pack.faults import Flag
from tilepath.models.pack.late import Late
from tilepath.models.pack.state import Kind, Source

THREADS: Final = ("t0", "t1", "t2")
GRANTED: Final = " or ".join(f"rows[{lane}] >= 0" for lane in range(LANES))
"""Some lane gets its row of Dst."""


def _named(enum: type[IntEnum], prefix: str) -> dict[str, int]:
    return {f"{prefix}_{member.name}": member.value for member in enum}


_CONSTANTS: Final[Names] = {
    **{name: value for name, value in vars(codes).items() if name.isupper()},
    **_named(Early, "EARLY"),
    **_named(Late, "LATE"),
    **_named(Container, "IN"),
    **_named(Kind, "LINE"),
    **_named(Source, "FROM"),
    "FAULT_WRAP": int(Flag.WRAP),
    "FAULT_INTF_GROUP": int(Flag.INTF_GROUP),
}
_FIELDS: Final = (
    *("LAST", "FLUSH", "ZERO_WRITE", "CONCAT", "MASK", "OVRD_THREAD_ID", "ADDR_CNT_CONTEXT"),
    *("ADDR_MODE", "CFG_CONTEXT", "DST_ACCESS_MODE", "BH_HALF", "WH_ADDR_SEL", "WH_VALUE"),
    "BH_ADDR_SEL",
)
_WORD: Final = {
    name.lower(): (field.lsb, field.mask.bit_length())
    for name, field in ((name, getattr(F, name)) for name in _FIELDS)
}
_OF_WORD: Final = {
    "flags_set": "word.last + 2 * word.flush + 4 * word.zero_write + 8 * word.concat"
}
_DERIVED: Final = {
    "instruction": _OF_WORD,
    "share": {
        **_OF_WORD,
        "packer": "share.packer",
        "address": "share.address",
        "downsample": "seen.downsample",
        "path": "2 if accumulate else compresses",
        "left": "not is_new and elements and to != before.to",
    },
    "row": {
        "masked": "row.masked",
        "container": "mode.read_container",
        "exponent_mask": "mode.threshold_mask",
    },
}
plan: Final = Planner(
    KINDS,
    _CONSTANTS,
    {"bank": Bins("bank", numbers(2)), "wide": yes("wide")},
    {"word": _WORD},
    _DERIVED,
    {
        "share": {"before": Kept("packer", PACKERS)},
        "ready": {"before": Kept("packer", PACKERS + 1)},
        "dst": {"before": Kept(), "granted": Kept(where=GRANTED)},
    },
)


def formats(column: str, of: Sequence[int]) -> Bins:
    """A bin for each of these formats."""
    names = {code: form.name.lower() for code, form in isa_formats.formats().items()}
    return Bins({names.get(code, f"-{code}"): f"{column} == {code}" for code in of})


def up_to(column: str, *labels: str) -> Bins:
    """Bins of ranges by their labels: ``"1"``, ``"2-15"``, last one ``"more"`` or the greatest."""
    ends = [f"{column} <= {label.rpartition('-')[2]}" for label in labels[:-1]]
    return Bins(dict(zip(labels, (*ends, "1"), strict=True)))
