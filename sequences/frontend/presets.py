# SPDX-License-Identifier: Apache-2.0
"""What the random tests draw from: the tables of :mod:`tables`, with weights of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilepath.engine.stimulus.tables import Table, Tables
from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.tables import (
    BRISC,
    GAP,
    GATE,
    LEGAL_CONTENTS,
    LEGAL_SEGMENTS,
    LEVEL,
    PLAIN,
    SEGMENT,
    SFPU_CC,
    STEP,
    WORD,
)

_ALL: Final = Tables(SEGMENT, STEP, PLAIN, WORD, GAP, GATE, LEVEL, SFPU_CC)
_WITH_BRISC: Final = Tables(*_ALL.values(), BRISC)
_EVERYTHING: Final = {**LEGAL_CONTENTS, "record": 0.7, "mop": 0.5, "mop_cfg": 0.5}
_ANY_LOOPS: Final = dict.fromkeys(("0", "1", "2", "few", "many", "127", "junk"), 1.0)
_BARRED_TOO: Final = {**dict.fromkeys(w.CLASSES, 1), "barred": 0.6}


def _wide(share: float) -> dict[str, float]:
    return {"few": 0.9, "any": 0.1, "wide": share}


PRESETS: Final[Mapping[str, Tables]] = {
    "default": _ALL,
    "mix": _WITH_BRISC.weighted(
        stored=_EVERYTHING,
        kind={**LEGAL_SEGMENTS, "race": 0.3, "illegal": 0.3},
        pattern={"none": 4, "random": 3, "long": 1, "alternating": 1},
        unsafe=0.2,
        racing=0.05,
        background=0.1,
        group={**dict.fromkeys(w.CLASSES, 1), "barred": 0.05},
        immediates=0.1,
        **{
            "brisc.content": {"plain": 8, "play": 2, "record": 0.5, "mop": 0.5, "mop_cfg": 0.5},
            "segment.count": _wide(0.05),
            "word.count": _wide(0.05),
        },
    ),
    "mop": _ALL.weighted(
        kind={
            "plain": 1, "template0": 4, "template1": 8, "mops": 5, "rewrite": 2, "loop": 0.5
        },
        outer=_ANY_LOOPS,
        inner=_ANY_LOOPS,
        pace={"none": 6, "sparse": 1},
        immediates=0.1,
    ),
    "replay": _ALL.weighted(
        kind={"plain": 1, "loop": 5, "plays": 5, "fed_record": 2, "template1": 2, "mops": 1},
        stored={"nop": 3, "play": 5, "record": 1, "plain": 3},
        count=_wide(0.1),
    ),
    "backpressure": _ALL.weighted(
        pattern={"random": 2, "long": 2, "alternating": 1, "none": 0.3},
        short_stall=1.86,
        short_opened=0.54,
        stall=150,
        opened=150,
    ),
    "brisc": _WITH_BRISC.weighted(
        pace={"none": 1, "sparse": 2, "frequent": 2, "long": 1},
        unsafe=0.5,
        **{
            "brisc.gap": 20,
            "brisc.content": {
                "plain": 8, "play": 2, "record": 0.5, "mop": 1, "mop_cfg": 1, "illegal": 0.5
            },
        },
    ),
    "race": _ALL.weighted(
        kind={**LEGAL_SEGMENTS, "race": 3, "probe": 1.5, "rewrite": 3},
        racing=0.6,
        background=0.5,
    ),
    "illegal": _WITH_BRISC.weighted(
        stored=_EVERYTHING,
        kind={**LEGAL_SEGMENTS, "illegal": 2},
        **{
            "plain.group": _BARRED_TOO,
            "word.group": _BARRED_TOO,
            "brisc.gap": 300,
            "brisc.content": {"plain": 2, "mop": 1, "mop_cfg": 1, "illegal": 1},
        },
    ),
    "busy": Tables(SEGMENT, STEP, PLAIN, WORD, GAP, GATE, LEVEL).weighted(
        kind={"plain": 1, "template0": 1, "template1": 1, "loop": 0.2, "mops": 4},
        pace="none",
        pattern="rare",
    ),
}  # fmt: skip
"""Named presets; the tests ``random_<name>`` use the one of their name."""

_TILT: Final = (1.0, 2.5, 0.4)
_TILTED: Final = {"group": 0, "stored": 1, "pattern": 0}


def varied(table: Table, thread: int) -> Table:
    """``table`` with a mix of its own for ``thread`` (0, 1 or 2).

    No kind comes or goes, so what a preset forbids stays out.
    """
    for name, shift in _TILTED.items():
        if name in table.columns and table.columns[name].listed:
            table = table.tilted(name, _TILT, thread + shift)
    if "template0" in table.columns and (listed := table.columns["template0"].listed):
        table = table.weighted(template0=min(1.0, float(listed[1][1]) * (1.6, 0.6, 1.0)[thread]))
    return table
