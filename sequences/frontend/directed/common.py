# SPDX-License-Identifier: Apache-2.0
"""Pieces: short pieces of directed stimulus whose parts keep step without a handshake.

A core, a BRISC port and an issue port are three players that know nothing of each other. But a
push into a FIFO with room takes one cycle, and so does every MopCfg write, so a piece's cycles are
known when it is written. Each piece fills a window: at its end the core idles and the issue port
is ready until everything has drained, then the next piece starts on all players in one cycle.

Rules for a piece: never more than 32 words in the FIFO, no blocking mop_sync that has to wait, and
no record left open. Pieces are shared out among the three threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from tilepath.isa import profiles
from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.builder import ThreadScript
from tilepath.sequences.frontend.mop_lengths import cycles
from tilepath.tb.frontend.items import brisc as brisc_item
from tilepath.tb.frontend.items import gate
from tilepath.tb.frontend.streams import THREADS
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.stimulus import Context, Stimulus, TestSpec

Gate = Sequence[tuple[int, int]]
Cfg = list[int]
OPEN: Final[Gate] = ()
# Cycles from the last push into an empty front end to its end, with something to spare.
_MARGIN: Final = 10


def plain(number: int, opcode: int = 0x42) -> int:
    """A plain word that can be told from others: ``number`` (24 bits) under ``opcode``."""
    return opcode << 24 | number & 0xFF_FFFF


def stalled(length: int) -> Gate:
    """An issue port that is not ready for ``length`` cycles."""
    return ((length, 0),) if length else OPEN


def alternating(length: int, first: int = 0) -> Gate:
    """An issue port that is ready in every other cycle."""
    return tuple((1, (i + first) & 1) for i in range(length))


def cfg(
    outer: int = 1,
    inner: int = 1,
    start: int = w.NOP,
    end0: int = w.NOP,
    end1: int = w.NOP,
    loop: int = plain(0x10, 0x26),
    loop1: int = w.NOP,
    last0: int = plain(0x1F, 0x27),
    last1: int = plain(0x1E, 0x28),
) -> Cfg:
    """MopCfg for template 1, one argument a word, in order."""
    return [outer, inner, start, end0, end1, loop, loop1, last0, last1]


def cfg_of_length(length: int) -> Cfg:
    """MopCfg for template 1 with an expansion of ``length`` words (0 … 127)."""
    return cfg(outer=1 if length else 0, inner=length)


@dataclass
class Piece:
    """One piece of one thread.

    ``brisc``: (cycle of the piece, word, safe), in order of cycles. ``drain``: cycles that the
    words need to leave; what is stalled comes on top.
    """

    script: ThreadScript
    drain: int
    gate: Gate = OPEN
    brisc: Sequence[tuple[int, int, bool]] = ()

    @property
    def length(self) -> int:
        """Cycles of the window."""
        held = sum(count for count, _ in self.gate)
        offered = max((at for at, _, _ in self.brisc), default=0) + len(self.brisc)
        return max(self.script.cycles, held, offered) + self.drain + _MARGIN


@dataclass
class _Lane:
    """What has been put on one thread so far."""

    core: ThreadScript = field(default_factory=ThreadScript)
    gate: list[tuple[int, int]] = field(default_factory=list)
    brisc: list[Items] = field(default_factory=list)
    brisc_end: int = 0

    def add(self, piece: Piece) -> None:
        start = self.core.cycles
        length = piece.length
        self.core.extend(piece.script)
        self.core.gap(length - piece.script.cycles)
        held = sum(count for count, _ in piece.gate)
        self.gate += [*piece.gate, (length - held, 1)]
        for at, word, safe in piece.brisc:
            gap = max(0, start + at - self.brisc_end)
            self.brisc.append(brisc_item(word, gap, safe))
            self.brisc_end += gap + 1


class Pieces:
    """Collects pieces and shares them out among the threads, always to the one that ends first."""

    def __init__(self, profile: str) -> None:
        self.profile = profile
        self.count0 = profiles.get(profile).replay_count0
        self._lanes = [_Lane() for _ in range(THREADS)]

    def add(self, piece: Piece) -> None:
        """Append ``piece`` to the shortest thread."""
        min(self._lanes, key=lambda lane: lane.core.cycles).add(piece)

    def everywhere(self, piece: Piece) -> None:
        """Append ``piece`` to all threads."""
        for lane in self._lanes:
            lane.add(piece)

    def mop(
        self,
        config: Cfg,
        words: Sequence[int],
        gate: Gate = OPEN,
        brisc: Sequence[tuple[int, int, bool]] = (),
        mask_hi: int = 0,
    ) -> None:
        """A piece that writes MopCfg, then pushes ``words``; ``mask_hi`` as it is before them."""
        script = ThreadScript(self.profile).mopcfg(config).push(*words)
        drain = cycles(words, config, mask_hi, self.count0)
        drain += cycles([word for _, word, _ in brisc if word >> 24 != w.OP_MOP], config)
        self.add(Piece(script, drain, gate, brisc))

    def fill_buffer(self, number: int = 0x3000) -> None:
        """Record 32 plain words on every thread: nothing plays words that were never written."""
        script = ThreadScript(self.profile).push(w.replay(0, 32, 0, 1))
        script.push(*(plain(number + i, 0x70) for i in range(w.SLOTS)))
        self.everywhere(Piece(script, 40))

    @property
    def cycles(self) -> int:
        """Cycles of the longest thread."""
        return max(lane.core.cycles for lane in self._lanes)

    def stimulus(self) -> dict[str, Iterable[Items]]:
        """All players."""
        players: dict[str, Iterable[Items]] = {}
        for thread, lane in enumerate(self._lanes):
            if not lane.gate:
                continue
            players[f"t{thread}.core"] = [lane.core.items()]
            counts, values = zip(*lane.gate, strict=True)
            players[f"t{thread}.gate"] = [gate(counts, values)]
            if lane.brisc:
                players[f"t{thread}.brisc"] = [np.concatenate(lane.brisc)]
        return players


def finite_test(
    name: str,
    summary: str,
    stimulus: Callable[[Context], Stimulus],
    *,
    faults: tuple[str, ...] = (),
    **floor: int,
) -> TestSpec:
    """A directed test; ``floor``: stream → fewest events in every thread."""
    return TestSpec(
        name=name,
        summary=summary,
        kind="directed",
        stimulus=stimulus,
        floor={f"t{t}.{stream}": count for t in range(THREADS) for stream, count in floor.items()},
        faults=faults,
    )


def piece_test(
    name: str,
    summary: str,
    build: Callable[[Pieces], None],
    issues: int = 100,
    *,
    faults: tuple[str, ...] = (),
    **floor: int,
) -> TestSpec:
    """A finite test of the pieces that ``build`` adds, behind a record of 32 plain words.

    ``issues`` words must be issued by every thread; ``floor``: the fewest events of other streams.
    """

    def stimulus(ctx: Context) -> Stimulus:
        pieces = Pieces(ctx.profile)
        pieces.fill_buffer()
        build(pieces)
        return pieces.stimulus()

    return finite_test(name, summary, stimulus, faults=faults, issue=issues, **floor)
