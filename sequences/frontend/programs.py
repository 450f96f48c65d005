# SPDX-License-Identifier: Apache-2.0
"""Programs as text files: one operation a line.

    # comment; also behind an operation
    thread 1                     the lines that follow belong to this thread (0, 1, 2)
    ttreplay 16,16,0,1           push a word, in assembly as ``isa.assemble`` takes it
    26000000                     push a word, as eight hexadecimal digits (0x in front or not)
    mopcfg 0 4                   MopCfg write: index 0 … 8, then a number or a line of assembly
    mopcfg 5 ttreplay 16,16,0,0
    sync                         mop_sync; ``sync background`` does not wait for it
    gap 20                       idle cycles of the thread's core
    brisc 02000000               BRISC pushes a word once the expander is idle
    brisc unsafe ttnop           … or at once, so that it may collide (F18)
    brisc gap 20                 idle cycles of the thread's BRISC port
    stall 30                     issue port: not ready for so many cycles …
    ready 5                      … then ready; ready for ever at the end
    repeat 4                     the lines up to the matching ``endrepeat``, four times
    endrepeat
    end                          must be the last line: a file without it is truncated

Numbers are decimal, hexadecimal with 0x, or eight hexadecimal digits. The three threads, their
BRISC ports and their issue ports each run on their own: the order of lines matters within one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from tilepath.engine.description.player import GAP_MASK, Items
from tilepath.engine.stimulus.programs import Loader, ProgramFiles, is_number, number
from tilepath.sequences.frontend.builder import ThreadScript
from tilepath.sequences.frontend.words import MOPCFG_WORDS
from tilepath.tb.frontend.items import brisc, gate
from tilepath.tb.frontend.streams import THREADS


@dataclass
class _Thread:
    """What one thread's players have been given so far."""

    core: ThreadScript
    brisc: list[tuple[int, int, bool]] = field(default_factory=list)
    brisc_gap: int = 0
    gate: list[tuple[int, int]] = field(default_factory=list)


class _Loader(Loader):
    def __init__(self, path: Path, text: str, profile: str) -> None:
        super().__init__(path, text, profile)
        self._threads = [_Thread(ThreadScript(profile)) for _ in range(THREADS)]
        self._current: _Thread | None = None

    def players(self) -> dict[str, Items]:
        return dict(self._players())

    def operation(self, line: str) -> None:
        head, *rest = line.split()
        name = head.lower()
        if name == "thread":
            chosen = self.count(rest, "thread", 0)
            if chosen >= THREADS:
                raise ValueError(f"there is no thread {chosen}")
            self._current = self._threads[chosen]
            return
        if self._current is None:
            raise ValueError("no thread selected yet")
        thread = self._current
        if name in ("stall", "ready"):
            thread.gate.append((self.count(rest, name, 1), int(name == "ready")))
        elif name == "gap":
            thread.core.gap(self.count(rest, name, 0))
        elif name == "sync":
            if rest not in ([], ["background"]):
                raise ValueError("sync takes nothing but the word background")
            thread.core.sync(background=bool(rest))
        elif name == "mopcfg":
            self._mopcfg(thread, rest)
        elif name == "brisc":
            self._brisc(thread, rest)
        else:
            thread.core.push(self.word(line))

    def _mopcfg(self, thread: _Thread, rest: list[str]) -> None:
        if len(rest) < 2:
            raise ValueError("mopcfg takes an index and a word")
        index = number(rest[0])
        if index >= MOPCFG_WORDS:
            raise ValueError(f"MopCfg has no word {index}")
        numeric = len(rest) == 2 and is_number(rest[1])
        data = number(rest[1]) if numeric else self.word(" ".join(rest[1:]))
        thread.core.mopcfg({index: data})

    def _brisc(self, thread: _Thread, rest: list[str]) -> None:
        if rest[:1] == ["gap"]:
            thread.brisc_gap += self.count(rest[1:], "brisc gap", 0)
            if thread.brisc_gap > GAP_MASK:
                raise ValueError(f"a gap of the BRISC port is at most {GAP_MASK} cycles")
            return
        safe = rest[:1] != ["unsafe"]
        word = self.word(" ".join(rest if safe else rest[1:]))
        thread.brisc.append((thread.brisc_gap, word, safe))
        thread.brisc_gap = 0

    def _players(self) -> Iterator[tuple[str, Items]]:
        for place, thread in enumerate(self._threads):
            if len(thread.core):
                yield f"t{place}.core", thread.core.items()
            if thread.brisc:
                rows = [brisc(word, gap, safe) for gap, word, safe in thread.brisc]
                yield f"t{place}.brisc", np.concatenate(rows)
            if thread.gate:
                cycles, values = zip(*thread.gate, strict=True)
                yield f"t{place}.gate", gate(cycles, values)


PROGRAMS: Final = ProgramFiles(
    Path(__file__).parent / "programs",
    _Loader,
    floor=lambda threads: {f"t{thread}.issue": 10 for thread in threads},
)
TESTS: Final = PROGRAMS.tests()
