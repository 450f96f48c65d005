# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`tables`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tilepath.engine.description.packing import Items, gaps_of, with_gaps
from tilepath.engine.description.stimulus import ANY, Context, Stimulus, TestSpec
from tilepath.engine.stimulus.floors import floors
from tilepath.sequences.adc.random_items import random_stimulus
from tilepath.sequences.adc.tables import PRESETS
from tilepath.tb.adc.streams import SETS

UPDATES = ("unpack", "pack", "flop")
LEVELS = ("unpacker0", "unpacker1", "packers")


def _slotted(source: Iterable[Items], slot: int, period: int) -> Iterator[Items]:
    """The items of ``source``, delayed to cycle ``slot`` of a ``period``, 2 or 4."""
    skipped = slot + 1 - period
    for block in source:
        gaps = gaps_of(block).astype(int) | period - 1
        gaps[0] += skipped
        skipped = 0
        yield with_gaps(block, gaps)


def default_stimulus(ctx: Context) -> Stimulus:
    """What correct software and units do: no fault, and no two commands meet at a counter.

    Threads have the even cycles and keep to their own sets; the update ports, which never share a
    target, and REG2FLOP take turns in the odd ones.
    """
    slots = {"unpack": (1, 4), "pack": (1, 4), "flop": (3, 4)}
    players = random_stimulus(ctx).items()
    return {name: _slotted(source, *slots.get(name, (0, 2))) for name, source in players}


_SUMMARIES = {
    "random": "everything at once, faults included",
    "random_default": "default constraints: no fault, no conflict",
    "random_wrap": "counters close to their largest values",
    "random_conflict": "commands that meet at the same counters in nearly every cycle",
    "threads": "three threads at the same set, through ThreadOverride",
    "updates": "an unpacker and a packer update in every cycle",
}

_TWICE = ("random", "random_wrap", "random_conflict")

# What the others raise; "random_default" raises nothing.
_FAULTS: dict[str, tuple[str, ...]] = {
    "random": ANY,
    "random_wrap": ("x_override", "empty"),
    "random_conflict": ANY,
    "threads": ("x_override", "empty"),
    "updates": ANY,
}


def _spread(least: Mapping[str, int], groups: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """``least`` for each member of the groups that it names, and for what is none."""
    return {stream: count for name, count in least.items() for stream in groups.get(name, (name,))}


def floor(least: Mapping[str, int]) -> dict[str, int]:
    """Floors of each thread's instances: of ``issue``, ``fault`` and the three of ``level``."""
    threads = [f"t{i}" for i in range(SETS)]
    groups = {name: [f"{t}.{name}" for t in threads] for name in ("issue", "fault")}
    groups |= {"level": [f"{t}.{name}" for t in threads for name in LEVELS], "update": UPDATES}
    return _spread(least, groups)


TESTS: dict[str, TestSpec] = {
    name: TestSpec(
        name=name,
        summary=summary,
        kind="random",
        stimulus=default_stimulus if name == "random_default" else random_stimulus,
        endless=True,
        seeds=2 if name in _TWICE else 1,
        floor=floors("adc", name),
        faults=_FAULTS.get(name, ()),
        tables=PRESETS[name],
    )
    for name, summary in _SUMMARIES.items()
}
