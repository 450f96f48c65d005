# SPDX-License-Identifier: Apache-2.0
"""Endless tests: control's random words, pushed through the expanders.

Runs of words are recorded while they execute and then played again, or become the contents of a
MOP. What is emitted more than once holds no mutex word: a mutex would be taken and not released.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.sequences.control.knobs import PRESETS
from tilepath.sequences.control.random_tests import random_stimulus
from tilepath.sequences.frontend import words as fe
from tilepath.sequences.frontend.ports import sfpu_cc_items
from tilepath.sequences.frontend.tables import SFPU_CC
from tilepath.tb.control.streams import ISSUE
from tilepath.tb.frontend import items
from tilepath.tb.frontend.streams import THREADS
from tilepath.tb.kernel.description.packing import Items
from tilepath.tb.kernel.description.stimulus import ANY, Context, Stimulus, TestSpec

Words = NDArray[np.uint32]

_EXPANDED: Final = (fe.OP_MOP, fe.OP_MOP_CFG, fe.OP_REPLAY)  # would not reach the gate
_MUTEX: Final = (0xA0, 0xA1)
_RUN: Final = 12  # most words of a run


def _run(rng: np.random.Generator, words: Words, gaps: Words) -> Iterator[Items]:
    """``words`` (1 to 12) once; and with luck again, by the replay or the MOP expander."""
    pushed = items.push(words, gaps)
    again = not np.isin(words >> 24, _MUTEX).any()
    how = int(rng.integers(0, 8)) if again else 7
    start = int(rng.integers(0, fe.SLOTS))
    if how >= 4:
        yield pushed
    elif how >= 2:
        yield items.push(fe.replay(start, len(words), execute=1, load=1))
        yield pushed
        yield items.push(fe.replay(start, len(words) * int(rng.integers(1, 3))))
    else:
        yield items.push(fe.replay(start, len(words), load=1))
        yield pushed
        yield items.sync()
        body = fe.replay(start, len(words))
        plain = int(words[rng.integers(0, len(words))])
        outer, inner = (int(n) for n in rng.integers(1, 4, 2))
        for index, data in enumerate(
            (outer, inner, fe.NOP, plain, fe.NOP, body, fe.NOP, body, plain)
        ):
            yield items.mopcfg(index, data)
        yield items.push(fe.mop(1))


def core_items(rng: np.random.Generator, source: Iterable[Items]) -> Iterator[Items]:
    """Items of the front end's ``core`` player from those of control's ``issue`` player.

    The replay buffer is filled first: runs are played together with what follows them in it, and
    slots never written hold illegal words.
    """
    yield items.push([fe.replay(0, fe.SLOTS, load=1), *[fe.NOP] * fe.SLOTS])
    for block in source:
        fields = ISSUE.unpack(block)
        legal = ~np.isin(fields["word"] >> 24, _EXPANDED)
        words, gaps = fields["word"][legal], fields["gap"][legal]
        done: list[Items] = []
        place = 0
        while place < len(words):
            end = place + int(rng.integers(1, _RUN + 1))
            done += _run(rng, words[place:end], gaps[place:end])
            place = end
        yield np.concatenate(done)


def _stimulus(preset: str) -> Callable[[Context], Stimulus]:
    def stimulus(ctx: Context) -> Stimulus:
        players = dict(random_stimulus(ctx, PRESETS[preset]))
        for thread in range(THREADS):
            source = players.pop(f"t{thread}.issue")
            name = f"t{thread}.core"
            players[name] = core_items(ctx.rng(name), source)
        players["sfpu_cc"] = sfpu_cc_items(ctx.rng("sfpu_cc"), SFPU_CC)
        return players

    return stimulus


_SUMMARIES: Final = {
    "default": "words of correct software, recorded, played again and expanded",
    "mix": "everything at once, faults included",
    "gate": "waits of all kinds, before words that come out of the expanders",
}


# Fewest events of each thread in 10 000 cycles: half of the fewest that runs of several seeds had.
_FLOORS: Final = {
    "default": {"dispatch": 4100, "accept": 2550, "mq": 2900, "latch": 660},
    "mix": {"dispatch": 3950, "accept": 2550, "mq": 2900, "latch": 580, "gate_fault": 65},
    "gate": {"dispatch": 1750, "accept": 1100, "mq": 1250, "latch": 750},
}


def _test(preset: str) -> TestSpec:
    return TestSpec(
        name=f"random_{preset}",
        summary=_SUMMARIES[preset],
        kind="random",
        stimulus=_stimulus(preset),
        endless=True,
        seeds=2,
        faults=() if PRESETS[preset].legal() else ANY,
        floor=_FLOORS[preset],
    )


TESTS: dict[str, TestSpec] = {f"random_{preset}": _test(preset) for preset in _SUMMARIES}
