# SPDX-License-Identifier: Apache-2.0
"""The endless tests: one for each preset of :mod:`knobs`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tilepath.sequences.adc.knobs import PRESETS, Knobs
from tilepath.sequences.adc.random_items import flop_items, issue_items, pack_items, unpack_items
from tilepath.tb.adc.streams import SETS
from tilepath.tb.kernel.description.packing import Items, gaps_of, with_gaps
from tilepath.tb.kernel.description.stimulus import ANY, Context, Stimulus, TestSpec

UPDATES = ("unpack", "pack", "flop")


def random_stimulus(ctx: Context, knobs: Knobs) -> Stimulus:
    """Endless stimulus of all players."""
    players: dict[str, Iterable[Items]] = {}
    for thread in range(SETS):
        name = f"t{thread}.issue"
        players[name] = issue_items(ctx.rng(name), knobs, ctx.profile)
    if knobs.unpack is not None:
        players["unpack"] = unpack_items(ctx.rng("unpack"), knobs)
    if knobs.pack is not None:
        players["pack"] = pack_items(ctx.rng("pack"), knobs)
    if knobs.flop is not None:
        players["flop"] = flop_items(ctx.rng("flop"), knobs, ctx.profile)
    return players


def _slotted(source: Iterable[Items], slot: int, period: int) -> Iterator[Items]:
    """The items of ``source``, delayed to cycle ``slot`` of a ``period``."""
    skipped = slot + 1 - period
    for block in source:
        gaps = gaps_of(block).astype(int)
        gaps = -(-(gaps + 1) // period) * period - 1
        gaps[0] += skipped
        skipped = 0
        yield with_gaps(block, gaps)


def default_stimulus(ctx: Context) -> Stimulus:
    """What correct software and units do: no fault, and no two commands meet at a counter.

    Threads have the even cycles and keep to their own sets; the update ports, which never share a
    target, and REG2FLOP take turns in the odd ones.
    """
    slots = {"unpack": (1, 4), "pack": (1, 4), "flop": (3, 4)}
    players = random_stimulus(ctx, PRESETS["random_default"])
    return {name: _slotted(source, *slots.get(name, (0, 2))) for name, source in players.items()}


def _preset(name: str) -> Callable[[Context], Stimulus]:
    return lambda ctx: random_stimulus(ctx, PRESETS[name])


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

# Fewest events in 10 000 cycles: half of the fewest that runs of several seeds had.
_FLOORS: dict[str, dict[str, int]] = {
    "random": {
        "issue": 3000, "unpack": 1850, "pack": 1850, "flop": 1100,
        "level": 1650, "fault": 230, "unit_fault": 70, "conflict": 850,
    },
    "random_default": {"issue": 2000, "unpack": 1100, "pack": 1100, "flop": 800, "level": 1300},
    "random_wrap": {
        "issue": 2800, "unpack": 1800, "pack": 1800, "flop": 2700,
        "level": 1750, "fault": 110, "conflict": 1000,
    },
    "random_conflict": {
        "issue": 5000, "update": 5000,
        "level": 2900, "fault": 380, "unit_fault": 300, "conflict": 4000,
    },
    "threads": {"issue": 5000, "level": 1350, "fault": 220, "conflict": 2200},
    "updates": {
        "issue": 650, "unpack": 5000, "pack": 5000, "flop": 1300,
        "level": 1650, "fault": 65, "unit_fault": 140, "conflict": 500,
    },
}  # fmt: skip


def floor(least: dict[str, int]) -> dict[str, int]:
    """Floors of the instances of ``issue``, ``fault``, ``update`` (three) and ``level`` (nine)."""
    threads = [f"t{i}" for i in range(SETS)]
    members = {
        "issue": [f"{t}.issue" for t in threads],
        "fault": [f"{t}.fault" for t in threads],
        "level": [f"{t}.{name}" for t in threads for name in ("unpacker0", "unpacker1", "packers")],
        "update": list(UPDATES),
    }
    return {
        instance: count for name, count in least.items() for instance in members.get(name, [name])
    }


TESTS: dict[str, TestSpec] = {
    name: TestSpec(
        name=name,
        summary=summary,
        kind="random",
        stimulus=default_stimulus if name == "random_default" else _preset(name),
        endless=True,
        seeds=2 if name in _TWICE else 1,
        floor=floor(_FLOORS[name]),
        faults=_FAULTS.get(name, ()),
    )
    for name, summary in _SUMMARIES.items()
}
