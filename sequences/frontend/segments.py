# SPDX-License-Identifier: Apache-2.0
"""Pieces of random program for one thread: a MOP programmed and run, a loop recorded and played, ….

A segment stands for itself: whatever precedes it, it is correct, so that segments can be put
together in any order. Under default constraints (``Knobs.legal``) MopCfg is written only behind a
blocking mop_sync, and what is recorded holds plain words alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tilepath.isa import profiles
from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.builder import CoreItem, packed
from tilepath.sequences.frontend.draws import Source, weighted
from tilepath.sequences.frontend.knobs import Knobs
from tilepath.sequences.frontend.lengths import mop_cycles, mop_words
from tilepath.tb.kernel.description.packing import Items

# Bits 31..24 of a count with junk in its upper bits: never the opcode of a plain word, see
# random_program.refresh.
_JUNK: Final = 0xC000_0000
_COUNT1: Final = [*range(12), 0, 1, 14, 15, 15, 16, 16, 17, 30, 31, 32, 33, 63, 126, 127, 127]
_EDGES: Final = [0x0000_8000, 0x0001_0000, 0x0001_8000, 0xFFFF_0000, 0x0000_FFFF, 0x7FFF_8001]
# A MOP longer than this is followed by small loop counts, so that later MOPs are short again.
_LONG: Final = 64


class SegmentMaker:
    """Draws segments for one thread according to ``knobs``."""

    def __init__(self, knobs: Knobs, source: Source, profile: str) -> None:
        self.knobs = knobs
        self.source = source
        self._count0 = profiles.get(profile).replay_count0
        self._opcodes = weighted(
            {
                opcode: weight / len(w.OPCODES[name])
                for name, weight in knobs.words.items()
                for opcode in w.OPCODES[name]
            },
            2048,
        )
        self._contents = weighted(knobs.contents)
        self._plain_or_nop = weighted({"plain": 4, "nop": 1})
        self._outer = weighted(knobs.outer)
        self._inner = weighted(knobs.inner)
        self._masks = weighted(knobs.masks)
        makers: dict[str, Callable[[], None]] = {
            "plain": self._plain,
            "template0": lambda: self._program(0),
            "template1": lambda: self._program(1),
            "mops": self._mops,
            "loop": self._loop,
            "plays": self._plays,
            "rewrite": self._rewrite,
            "fed_record": self._fed_record,
            "probe": self._probe,
            "race": self._race,
            "illegal": self._illegal,
        }
        self._makers = weighted({makers[name]: weight for name, weight in knobs.segments.items()})
        self._rows: list[CoreItem] = []

    def segment(self) -> Items:
        """One random segment (n by 3, n at least 1), without gaps."""
        self.source.pick(self._makers)()
        return self._take()

    def start(self) -> Items:
        """What comes first: fills the replay buffer, MopCfg and MaskHi, which are 0 after reset."""
        self._push(w.replay(0, 32, 0, 1))
        for _ in range(32):
            self._push(self._plain_word())
        self._push(w.mop_cfg(self._mask() >> 16))
        self._write_all(self._small_cfg())
        return self._take()

    # -- items

    def _take(self) -> Items:
        items = packed(self._rows)
        self._rows = []
        return items

    def _push(self, word: int) -> None:
        self._rows.append(CoreItem(push=1, word=word))

    def _write(self, index: int, data: int) -> None:
        self._rows.append(CoreItem(mopcfg=1, index=index, data=data))

    def _write_push(self, index: int, data: int, word: int) -> None:
        self._rows.append(CoreItem(push=1, mopcfg=1, index=index, word=word, data=data))

    def _sync(self) -> None:
        background = self.knobs.background_sync and self.source.chance(self.knobs.background_sync)
        self._rows.append(CoreItem(sync=1, background=bool(background)))

    def _guard(self) -> None:
        """The mop_sync that must precede a MopCfg write, left out when racing."""
        if not (self.knobs.racing and self.source.chance(self.knobs.racing)):
            self._sync()

    def _write_all(self, cfg: list[int], push: int | None = None) -> None:
        for index, data in enumerate(cfg[:8]):
            self._write(index, data)
        if push is None:
            self._write(8, cfg[8])
        else:
            self._write_push(8, cfg[8], push)

    # -- words

    def _plain_word(self) -> int:
        source = self.source
        if self.knobs.illegal and source.chance(self.knobs.illegal):
            return self._illegal_word()
        opcode = source.pick(self._opcodes)
        return opcode << 24 | (0 if opcode == w.OP_NOP else source.below(1 << 24))

    def _illegal_word(self) -> int:
        source = self.source
        opcode = 0x05 if source.chance(0.2) else w.UNASSIGNED[source.below(len(w.UNASSIGNED))]
        return opcode << 24 | source.below(1 << 24)

    def _play_count(self) -> int:
        source = self.source
        if self.knobs.wide_counts and source.chance(self.knobs.wide_counts):
            return 0 if source.chance(0.4) else source.between(33, 63)
        return source.between(1, 32) if source.chance(0.1) else source.between(1, 8)

    def _play(self) -> int:
        # Exec without Load is ignored (F16)
        execute = self.source.chance(0.1)
        return w.replay(self.source.below(32), self._play_count(), execute, 0)

    def _content(self, kinds: list[str]) -> int:
        source = self.source
        kind = source.pick(kinds)
        if kind == "plain":
            return self._plain_word()
        if kind == "play":
            return self._play()
        if kind == "nop_junk":
            return w.NOP | source.below(1 << 24)
        if kind == "record":
            return w.replay(source.below(32), source.between(1, 6), source.below(2), 1)
        if kind == "mop":
            return w.mop(source.below(2), source.below(8), source.below(1 << 16))
        if kind == "mop_cfg":
            return w.mop_cfg(source.below(1 << 16))
        return {"nop": w.NOP, "dmanop": w.DMANOP, "sfpnop": w.SFPNOP}[kind]

    def _count(self, kinds: list[str]) -> int:
        source = self.source
        kind = source.pick(kinds)
        if kind == "few":
            return source.between(3, 8)
        if kind == "many":
            return source.between(3, 126)
        if kind == "junk":
            return _JUNK | source.below(1 << 23) << 7 | source.between(0, 4)
        return int(kind)

    def _mask(self) -> int:
        source = self.source
        kind = source.pick(self._masks)
        if kind == "zero":
            return 0
        if kind == "ones":
            return 0xFFFF_FFFF
        if kind == "alternating":
            return 0x5555_5555 << source.below(2)
        if kind == "edge":
            return source.pick(_EDGES)
        if kind == "bit31":
            return 0x8000_0000 | (source.below(1 << 16) if source.chance(0.5) else 0)
        return source.below(1 << 32)

    # -- MopCfg and MOPs

    def _budget(self) -> int:
        usual, rare, very_rare = self.knobs.budget
        u = self.source.unit()
        return usual if u < 0.95 else rare if u < 0.997 else very_rare

    def _small_cfg(self) -> list[int]:
        """MopCfg with short loops whose operations are plain words or NOP."""
        ops = [self._content(self._plain_or_nop) for _ in range(7)]
        return [self.source.between(1, 2), self.source.between(1, 4), *ops]

    def _cfg(self, template: int, word: int, budget: int) -> list[int]:
        """MopCfg for ``word`` with an expansion of at most ``budget`` issued words."""
        source = self.source
        cfg = [0, 0, *(self._content(self._contents) for _ in range(7))]
        if template == 0:
            cfg[0] = source.between(0, 2)
            cfg[1] = _JUNK | source.below(1 << 22) << 8 | source.below(4)
            # as a count of template 1, which a later MOP may select, bits 6..2 are 0
            cfg[0] |= cfg[1] & ~127
            return cfg
        cfg[0] = self._count(self._outer)
        cfg[1] = self._count(self._inner)
        while mop_cycles(word, cfg, 0, self._count0) > budget + 1:
            if cfg[1] & 127 > 1:
                cfg[1] = cfg[1] & ~127 | (cfg[1] & 127) >> 1
            elif cfg[0] & 127 > 1:
                cfg[0] = cfg[0] & ~127 | (cfg[0] & 127) >> 1
            elif mop_words(word, cfg) > 128:
                cfg[3] = w.NOP
            else:
                break
        return cfg

    def _mop(self, template: int) -> int:
        source = self.source
        if template == 1:
            if self.knobs.immediates and source.chance(self.knobs.immediates):
                return w.mop(1, source.below(128), source.below(1 << 16))
            return w.mop(1)
        return w.mop(0, source.pick(_COUNT1), self._mask())

    def _program(self, template: int) -> None:
        """mop_sync, MopCfg, and a few MOPs that use it."""
        source = self.source
        # zero masks come into their own with many iterations
        budget = self._budget() * (1 if template else 3)
        mask = self._mask()
        word = self._mop(template)
        if template == 0:
            word = w.mop(0, word >> 16 & 0x7F, mask)
        cfg = self._cfg(template, word, budget)
        while template == 0 and mop_cycles(word, cfg, mask >> 16, self._count0) > budget + 8:
            if not word >> 16 & 0x7F:
                break
            word = w.mop(0, (word >> 16 & 0x7F) >> 1, mask)
        self._guard()
        self._write_all(cfg, word if source.chance(0.3) else None)
        if template == 0 and source.chance(0.8):
            if source.chance(0.2):
                self._push(w.mop_cfg(~mask >> 16))
            self._push(w.mop_cfg(mask >> 16))
        long = mop_cycles(word, cfg, mask >> 16, self._count0) > _LONG
        for _ in range(1 if long else source.run(3, 8)):
            self._push(word)
            if source.chance(0.5):
                self._some_plain(3)
        if long:
            self._sync()
            self._write(0, 1)
            self._write(1, source.below(3))

    def _some_plain(self, mean: float) -> None:
        for _ in range(self.source.run(mean, 40)):
            self._push(self._plain_word())

    # -- segments

    def _plain(self) -> None:
        self._some_plain(12)

    def _mops(self) -> None:
        """MOPs on whatever MopCfg holds, back to back, and what can stand between them."""
        source = self.source
        for _ in range(source.run(4, 12)):
            if source.chance(self.knobs.template0):
                if source.chance(0.3):
                    self._push(w.mop_cfg(self._mask() >> 16))
                self._push(w.mop(0, source.below(4), self._mask()))
            else:
                self._push(self._mop(1))
            u = source.unit()
            if u < 0.2:
                self._some_plain(2)
            elif u < 0.3:
                self._push(self._play())
            elif u < 0.4:
                self._push(w.mop_cfg(self._mask() >> 16))

    def _loop(self) -> None:
        """A loop body recorded, executed meanwhile or not, then played."""
        source = self.source
        index, count = source.below(32), self._play_count()
        self._push(w.replay(index, count, source.below(2), 1))
        for _ in range(count or self._count0):
            self._push(self._plain_word())
        for _ in range(source.below(5)):
            self._push(w.replay(index, count) if source.chance(0.7) else self._play())

    def _plays(self) -> None:
        for _ in range(self.source.run(4, 12)):
            self._push(self._play())
            if self.source.chance(0.3):
                self._some_plain(2)

    def _rewrite(self) -> None:
        """A few MopCfg words replaced, with a push in the same cycle now and then."""
        source = self.source
        self._guard()
        for _ in range(source.run(3, 7)):
            index, data = source.between(2, 8), self._content(self._contents)
            if source.chance(0.3):
                self._write_push(index, data, self._plain_word())
            else:
                self._write(index, data)

    def _fed_record(self) -> None:
        """A record filled by a MOP: too few, exactly enough, or too many words (F13)."""
        source = self.source
        cfg = self._small_cfg()
        length = mop_words(w.mop(1), cfg)
        count = min(32, max(1, length + source.between(-2, 2)))
        index = source.below(32)
        self._guard()
        self._write_all(cfg)
        self._push(w.replay(index, count, source.below(2), 1))
        self._push(w.mop(1))
        for _ in range(count - length):
            self._push(self._plain_word())
        self._push(w.replay(index, count))

    def _probe(self) -> None:
        """mop_sync with a MOP somewhere between FIFO and end of expansion."""
        if self.source.chance(0.7):
            self._push(w.mop(1))
            if self.source.chance(0.5):
                self._some_plain(2)
        self._sync()

    def _race(self) -> None:
        """MopCfg writes while a MOP is queued or expands (F7)."""
        source = self.source
        for _ in range(source.run(2, 4)):
            self._push(w.mop(1) if source.chance(0.6) else self._mop(0))
            self._some_plain(2)
        for _ in range(source.run(4, 10)):
            index = source.between(0, 9)
            data = source.between(0, 3) if index < 2 else self._content(self._contents)
            self._write(index, data)
            if source.chance(0.2):
                self._sync()

    def _illegal(self) -> None:
        for _ in range(self.source.run(2, 5)):
            self._push(self._illegal_word())
