# SPDX-License-Identifier: Apache-2.0
"""Endless random items for one thread's ``core`` player: the rows of :mod:`tables`, joined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from tilepath.engine.description.packing import Items, with_gaps
from tilepath.engine.stimulus.segments import numbered, reordered
from tilepath.engine.stimulus.tables import Table
from tilepath.isa import profiles
from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.builder import CoreItem
from tilepath.sequences.frontend.mop_lengths import mop_cycles, mop_words
from tilepath.sequences.frontend.tables import DOES, MASKED, PLACES, SEGMENT, SEGMENTS, STEP
from tilepath.tb.frontend.streams import CORE

JOINED: Final = 1024
"""Segments of a block of items."""

USES: Final = 4
"""Blocks that a segment is in."""

_PUSHED: Final = CORE.layout.places["word"].word
_PLAIN: Final = np.zeros(256, np.uint32)
_PLAIN[list(w.PLAIN)] = 1
_LONG: Final = 64
"""A MOP longer than this is followed by small loop counts, so that later MOPs are short again."""
_FIELDS: Final = CoreItem._fields[1:]

# places in a segment; words behind a step have its place
_WRITES, _MASK, _RECORD, _STEPS, _END, _PLACES = 1, 10, 12, 16, 48, 64


def _is(rows: Any, column: str, names: tuple[str, ...], *wanted: str) -> Any:
    """Rows in which a column is one of the ``wanted`` of its ``names``."""
    return np.array([one in wanted for one in names])[rows[column]]


class _Program:
    """Items of some segments, each with its place."""

    def __init__(
        self, tables: Mapping[str, Table], rng: np.random.Generator, segments: Any, count0: int
    ) -> None:
        self._tables, self._rng, self._count0 = tables, rng, count0
        self._segments = segments
        self._parts: list[Any] = []

    def _add(self, segment: Any, place: Any, **fields: Any) -> None:
        made = np.zeros((len(segment), 1 + len(_FIELDS)), np.int64)
        made[:, 0] = segment * _PLACES + place
        for name, values in fields.items():
            made[:, 1 + _FIELDS.index(name)] = values
        self._parts.append(made)

    def _words(self, place: str | Any, count: int) -> Any:
        """Words for one of ``PLACES``, or for an array of them."""
        place = PLACES.index(place) if isinstance(place, str) else place
        return self._tables["word"].rows(self._rng, count, place=place)["word"]

    def _plain(self, segment: Any, place: Any, counts: Any) -> None:
        """As many plain words at each place."""
        words = self._plain_words(counts.sum())
        self._add(np.repeat(segment, counts), np.repeat(place, counts), push=1, word=words)

    def _plain_words(self, count: int) -> Any:
        return self._tables["plain"].rows(self._rng, count)["word"]

    def _config(self, own: Any) -> tuple[Any, Any]:
        """MopCfg of segments that write all of it, and a MOP for it that is not too long."""
        small = _is(own, "kind", SEGMENTS, "fed_record", "start")
        first = _is(own, "kind", SEGMENTS, "template0")
        place = np.where(small, PLACES.index("small"), PLACES.index("stored"))
        cfg = np.zeros((9, len(own)), np.int64)
        # as a count of template 1, which a later MOP may select, bits 6..2 of both are 0
        junk = own["junk"]
        cfg[0] = np.select(
            [small, first], [own["passes"], junk & ~0x7F | own["bits"]], own["outer"]
        )
        cfg[1] = np.select([small, first], [own["rounds"], junk & ~0xFC], own["inner"])
        cfg[2:] = self._words(np.tile(place, 7), 7 * len(own)).reshape(7, -1)
        count1 = own["count1"].copy()
        # zero masks come into their own with many iterations
        most = own["budget"] * np.where(first, 3, 1) + np.where(first, 8, 1)
        left = np.flatnonzero(~small)
        while len(left):
            some, template0 = cfg[:, left], first[left]
            mop = _mop(own[left], template0, count1[left])
            over = mop_cycles(mop, some, own["mask"][left] >> 16, self._count0) > most[left]
            inner = over & ~template0 & (some[1] & 127 > 1)
            outer = over & ~template0 & ~inner & (some[0] & 127 > 1)
            # the hardware bug's 128 passes
            bug = over & ~template0 & ~inner & ~outer & (mop_words(mop, some) > 128)
            halved = over & template0 & (count1[left] > 0)
            count1[left[halved]] >>= 1
            for loop, rows in enumerate((outer, inner)):
                some[loop, rows] = some[loop, rows] & ~127 | (some[loop, rows] & 127) >> 1
            some[3, bug] = w.NOP
            cfg[:, left] = some
            left = left[halved | inner | outer | bug]
        return cfg, _mop(own, first, count1)

    def _programs(self) -> tuple[Any, Any]:
        """What segments begin with; of each the MOP it runs, and the most steps it may have."""
        every = self._segments
        number = np.arange(len(every))
        mops, steps = _mop(every, np.zeros(len(every), bool), 0), every["more"] + 1
        guarded = _is(every, "kind", SEGMENTS, "template0", "template1", "fed_record", "rewrite")
        guarded &= ~every["racing"]
        guarded |= _is(every, "kind", SEGMENTS, "start")
        self._add(number[guarded], 0, sync=1, background=every["background"][guarded])

        programs = np.flatnonzero(
            _is(every, "kind", SEGMENTS, "template0", "template1", "fed_record", "start")
        )
        own = every[programs]
        cfg, mop = self._config(own)
        mops[programs] = mop
        templates = _is(own, "kind", SEGMENTS, "template0", "template1")
        fused = own["fused"] & templates
        for index, data in enumerate(cfg):
            push = fused if index == 8 else np.zeros_like(fused)
            self._add(
                programs, _WRITES + index, mopcfg=1, index=index, data=data, push=push,
                word=mop * push,
            )  # fmt: skip
        high = own["mask"] >> 16
        masked = _is(own, "kind", SEGMENTS, "template0") & ~_is(own, "masked", MASKED, "not")
        wrong = masked & _is(own, "masked", MASKED, "wrong_first")
        for rows, words in ((wrong, ~high), (masked, high)):
            stray = own["stray"][rows] & w.MOP_CFG_IGNORES
            self._add(programs[rows], _MASK, push=1, word=w.mop_cfg(words[rows]) | stray)

        long = templates & (mop_cycles(mop, cfg, high, self._count0) > _LONG)
        steps[programs[long]] = 1
        self._add(programs[long], _END, sync=1)
        for index, data in ((0, 1), (1, own["last"][long])):
            self._add(programs[long], _END, mopcfg=1, index=index, data=data)

        count = every["count"].copy()
        count[programs] = np.where(
            _is(own, "kind", SEGMENTS, "start"), w.SLOTS,
            np.clip(mop_words(w.mop(1), cfg) + own["spread"], 1, w.SLOTS),
        )  # fmt: skip
        fed = np.zeros(len(every), np.int64)
        fed[programs] = mop_words(w.mop(1), cfg)
        self._records(count, fed)
        self._again = w.replay(every["index"], count) | every["stray"] & w.REPLAY_IGNORES
        return mops, steps

    def _records(self, count: Any, fed: Any) -> None:
        """Loops recorded, from a MOP of ``fed`` words or from plain ones."""
        every = self._segments
        start = _is(every, "kind", SEGMENTS, "start")
        by_mop = _is(every, "kind", SEGMENTS, "fed_record")
        rows = np.flatnonzero(start | by_mop | _is(every, "kind", SEGMENTS, "loop"))
        index = np.where(start, 0, every["index"])
        record = w.replay(index, count, every["execute"] & ~start, 1)
        record |= every["stray"] & w.REPLAY_IGNORES
        self._add(rows, _RECORD, push=1, word=record[rows])
        mop = np.flatnonzero(by_mop)
        self._add(mop, _RECORD, push=1, word=w.mop(1))
        left = np.where(count == 0, self._count0, count) - np.where(by_mop, fed, 0)
        self._plain(rows, _RECORD + np.zeros_like(rows), np.maximum(left[rows], 0))

    def items(self) -> tuple[Items, Any]:
        """All items, and how many of them each segment has."""
        mops, counts = self._programs()
        segment, number = numbered(counts)
        place = _STEPS + number
        steps = self._tables["step"].rows(
            self._rng, len(segment), kind=self._segments["kind"][segment]
        )
        write = _is(steps, "does", DOES, "write")
        fused = write & steps["fused"]
        pushed = np.zeros(len(segment), np.int64)
        data = steps["loop"] * write
        rows = fused | _is(steps, "does", DOES, "plain")
        pushed[rows] = self._plain_words(np.count_nonzero(rows))
        for what in ("play", "illegal"):
            rows = _is(steps, "does", DOES, what)
            pushed[rows] = self._words(what, np.count_nonzero(rows))
        rows = write & (steps["index"] >= 2)
        data[rows] = self._words("stored", np.count_nonzero(rows))
        for what, other in (
            ("own_mop", mops[segment]),
            ("mop", _mop(steps, steps["template0"], steps["count1"])),
            ("mask", w.mop_cfg(steps["mask"] >> 16) | steps["stray"] & w.MOP_CFG_IGNORES),
            ("play_again", self._again[segment]),
        ):
            rows = _is(steps, "does", DOES, what)
            pushed[rows] = other[rows]
        sync = _is(steps, "does", DOES, "sync")
        push = fused | ~write & ~sync
        asked = write & (steps["asked"] == 1)
        self._add(
            segment, place, push=push, word=pushed, mopcfg=write, index=steps["index"] * write,
            data=data, sync=sync | asked, background=sync & steps["background"] | asked,
        )  # fmt: skip
        self._plain(segment, place, steps["behind"])
        probe = np.flatnonzero(_is(self._segments, "kind", SEGMENTS, "probe"))
        self._add(probe, _END, sync=1, background=self._segments["background"][probe])

        every = np.concatenate(self._parts)
        every = every[every[:, 0].argsort(kind="stable")].T
        sizes = np.bincount(every[0] // _PLACES, minlength=len(counts))
        return CORE.pack(**dict(zip(_FIELDS, every[1:], strict=True))), sizes


def _mop(rows: Any, template0: Any, count1: Any) -> Any:
    """MOPs as rows have them."""
    second: Any = w.mop(1) | rows["low"] * rows["immediates"]
    return np.where(template0, w.mop(0, count1, rows["mask"]), second)


def core_items(
    rng: np.random.Generator, tables: Mapping[str, Table], profile: str
) -> Iterator[Items]:
    """Blocks of items without end; they depend on the arguments alone.

    First come the replay buffer, MopCfg and MaskHi, which are 0 after reset. Segments come some
    times, in another order, and with other gaps and other payloads of the plain words they push.
    """
    count0 = profiles.get(profile).replay_count0
    start = SEGMENT.rows(rng, 1, kind=SEGMENTS.index("start"))
    yield _Program({**tables, "step": STEP}, rng, start, count0).items()[0]
    for segments in tables["segment"].blocks(rng, JOINED):
        items, sizes = _Program(tables, rng, segments, count0).items()
        for _ in range(USES):
            block = items[reordered(sizes, rng.permutation(len(sizes)))]
            noise = rng.integers(0, 1 << 24, len(block), np.uint32)
            block[:, _PUSHED] ^= noise * _PLAIN[block[:, _PUSHED] >> 24]
            yield with_gaps(block, tables["gap"].rows(rng, len(block))["gap"])
