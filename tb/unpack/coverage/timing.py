# SPDX-License-Identifier: Apache-2.0
"""Coverage of time: how instructions follow one another, rates, waiting for a bank.

Source: unpack-adc section 7, line Timing; crosses 11 and 12; U42, U58, U63; docs/unpack.md
sections 3 and 4. Pairs of wants are counted by ``reads``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa.profiles import Profile
from tilepath.tb.kernel.coverage.bins import Exclude, PointGroup
from tilepath.tb.kernel.coverage.tally import Tally
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.unpack.coverage.derive import Instructions, Regular
from tilepath.tb.unpack.coverage.layout import I64, WRITE
from tilepath.tb.unpack.coverage.levels import Level
from tilepath.tb.unpack.coverage.nops import MODES, excluded_modes
from tilepath.tb.unpack.coverage.points import FILES, NO_YES, UNPACKERS, many, numbers

_STALL: Final = ("0", "1", "more")
_RULES: Final = (
    "none", "tilize", "compressed", "zeros>=3", "bfp2", "zeros1_2", "bfp4_to_dst",
)  # fmt: skip
_WANTS: Final = tuple(f"{a}x{b}" for a in (1, 2, 4) for b in (1, 2, 4))
_NEXT: Final = ("nothing", "unpacr", *MODES)
_LATENCY: Final = ("1", "2-4", "5-15", "16-31")
_KEPT: Final = 16
"""Changes of a bank's owner that are remembered: steps are recorded ``WRITE`` cycles late."""


def declare(points: PointGroup, profile: Profile) -> list[int]:
    """Declare the points; places of the two that ``reads`` counts, in its order."""
    points.add(
        "timing.unpacr_unpacker_x_thread_x_first_x_distance", ("same_unpacker", "other_unpacker"),
        ("same_thread", "other_thread"), ("uncompressed", "compressed"),
        ("back_to_back", "1-3_later", "more"),
    )  # fmt: skip
    points.add("timing.issued_at_once_first_x_form", UNPACKERS, ("uncompressed", "compressed"))
    points.add("timing.throttle_x_rule", numbers(4), _RULES)
    pair = points.add("timing.both_fetch_wants", _WANTS)
    early = points.add("timing.both_fetch_wants_x_ends", _WANTS, ("u0_ends", "u1_ends", "both_end"))
    points.add("timing.stall_x_file", _STALL, FILES)
    points.add("timing.stall_x_flip_x_next", _STALL, NO_YES, _NEXT,
               exclude=excluded(profile))  # fmt: skip
    points.add("timing.flip_x_other_unpacker", UNPACKERS, ("idle", "busy"))
    points.add("timing.l1_latency_x_unpacker", _LATENCY, UNPACKERS)
    points.add("timing.rsi_lines_x_request_x_unpacker", ("1", "2"), ("alone", "with_datums"),
               UNPACKERS)  # fmt: skip
    return [pair, early]


def excluded(profile: Profile) -> tuple[Exclude, ...]:
    """Next instructions that the encoding of the profile does not have."""
    return excluded_modes(profile, 3, 2)


class Timing:
    """What must be remembered from block to block of cycles."""

    def __init__(self, points: Tally) -> None:
        self._points = points
        self._last = np.full((1, 5), -1, np.int64)  # last UNPACR: sample, last, u, thread, tied
        # instructions that may still write: seq, u, sample, place on the axis of what comes next,
        # file, bank, flip
        self._open = np.zeros((0, 7), np.int64)
        self._beats: list[I64] = [np.zeros((0, 3), np.int64) for _ in range(2)]
        self._written = [(-1, -1), (-1, -1)]  # a unit's last step: instruction, cycle
        self._owner = 0
        self._strange = 0  # steps that no request accounts for
        # latest cycles in which each bank became the Matrix Unit's, and ceased to be
        self._rises = [np.full(1, -1, np.int64) for _ in range(4)]
        self._falls = [np.zeros(0, np.int64) for _ in range(4)]

    def count_words(self, i: Instructions, r: Regular) -> None:
        """Count the instructions of a block by the order in which they were issued."""
        points = self._points
        unpacr = i.where(i["word"] >> 24 == 0x42)
        names = ("sample", "last", "u", "thread", "tied")
        rows = np.concatenate([self._last, np.stack([unpacr[n] for n in names], 1)])
        before, now = rows[:-1], rows[1:]
        self._last = rows[-1:]
        distance = now[:, 0] - before[:, 1]
        long = before[:, 1] > before[:, 0]
        points.hit(
            "timing.unpacr_unpacker_x_thread_x_first_x_distance",
            now[:, 2] != before[:, 2], now[:, 3] != before[:, 3], long,
            np.select([distance <= 2, distance <= 5], [0, 1], 2), where=before[:, 0] >= 0,
        )  # fmt: skip
        points.hit(
            "timing.issued_at_once_first_x_form",
            unpacr["u"], unpacr["last"] > unpacr["sample"], where=unpacr["tied"] == 1,
        )  # fmt: skip
        some = r.compressed | (r.count > 0)
        points.hit("timing.throttle_x_rule", r.throttle, r.rule, where=some)

    def left(self) -> int:
        """Steps that are still to come, and those that belong to no instruction."""
        return self._strange + sum(int(beats[:, 1].sum()) for beats in self._beats)

    def count_requests(self, reads: I64) -> None:
        """Count what L1 is asked for, and its latency: columns as in ``reads.follow``."""
        latency = np.select([reads[:, 3] < 2, reads[:, 3] < 5, reads[:, 3] < 16], range(3), 3)
        self._points.hit("timing.l1_latency_x_unpacker", latency, reads[:, 1])
        lines = reads[:, 4]
        self._points.hit(
            "timing.rsi_lines_x_request_x_unpacker",
            np.maximum(lines - 1, 0), reads[:, 2] > 0, reads[:, 1], where=lines > 0,
        )  # fmt: skip

    def count_steps(
        self, i: Instructions, what: I64, file: I64, beats: I64,
        streams: Mapping[str, Records], busy: Level,
    ) -> None:  # fmt: skip
        """Count what waits for its bank.

        ``what``: place of each instruction on the axis of what comes next, -1 for one that enters
        no queue; ``file``: where it writes. ``beats``: as ``reads.follow`` leaves them.
        """
        flip = i.bits("word", 6)
        new = np.stack([i["seq"], i["u"], i["sample"], what, file, i["bank"], flip], 1)[what >= 0]
        self._open = np.concatenate([self._open, new])
        old = [len(rise) for rise in self._rises]
        rises, falls = self._edges(streams["owner"])
        least = np.iinfo(np.int64).max
        for u in range(2):
            fresh = beats[1 : 1 + beats[0, u], 4 * u : 4 * u + 3]
            waiting = np.concatenate([self._beats[u], fresh])
            parts = [streams[f"u{u}.{n}"]["cycle"] for n in ("write", "write1", "write2", "write3")]
            cycles = np.unique(np.concatenate(parts)).astype(np.int64) - WRITE
            self._beats[u] = self._stalls(u, cycles, waiting, rises, falls)
            if len(self._beats[u]):
                least = min(least, int(self._beats[u][0, 0]))
            flipped = np.concatenate([rises[bank][old[bank] :] for bank in (2 * u, 2 * u + 1)])
            other = busy.at(flipped - WRITE - 2) & (0x2A if u == 0 else 0x15)
            self._points.hit("timing.flip_x_other_unpacker", u, other != 0)
        self._rises = [rise[-_KEPT:] for rise in rises]
        self._falls = [fall[-_KEPT:] for fall in falls]
        # a step can come only behind its request: keep what has been sampled lately, too
        keep = (self._open[:, 0] >= least) | (
            self._open[:, 0] >= (self._open[-1, 0] - 256 if len(self._open) else 0)
        )
        self._open = self._open[keep]

    def _edges(self, records: Records) -> tuple[list[I64], list[I64]]:
        """For each bank: cycles in which it became the Matrix Unit's, oldest first, and ceased."""
        value = np.concatenate([[self._owner], records["value"].astype(np.int64)])
        self._owner = int(value[-1])
        cycles = records["cycle"].astype(np.int64)
        rises, falls = [], []
        for bank in range(4):
            bit = value >> bank & 1
            rises.append(np.concatenate([self._rises[bank], cycles[np.diff(bit) == 1]]))
            falls.append(np.concatenate([self._falls[bank], cycles[np.diff(bit) == -1]]))
        return rises, falls

    def _stalls(self, u: int, cycles: I64, beats: I64, rises: list[I64], falls: list[I64]) -> I64:
        """Steps of unpacker ``u`` in ``cycles``; returns the beats that are left."""
        total = np.cumsum(beats[:, 1])
        n = min(len(cycles), int(total[-1]) if len(total) else 0)
        self._strange += len(cycles) - n
        if n == 0:
            return beats
        cycles = cycles[:n]
        beat = np.searchsorted(total, np.arange(n), side="right")
        seq, ready = beats[beat, 0], beats[beat, 2]
        before_seq = np.concatenate([[self._written[u][0]], seq[:-1]])
        before = np.concatenate([[self._written[u][1]], cycles[:-1]])
        self._written[u] = (int(seq[-1]), int(cycles[-1]))
        first = np.flatnonzero(seq != before_seq)
        self._count_first(u, seq[first], cycles[first],
                          np.maximum(ready, before + 1)[first], rises, falls)  # fmt: skip
        left = beats[beat[-1] :].copy()
        left[0, 1] -= n - (total[beat[-1]] - beats[beat[-1], 1])
        return left if left[0, 1] > 0 else left[1:]

    def _count_first(
        self, u: int, seq: I64, cycle: I64, ready: I64, rises: list[I64], falls: list[I64]
    ) -> None:
        """The first step of each instruction ``seq`` that writes, in ``cycle``."""
        mine = self._open[self._open[:, 1] == u]
        at = np.searchsorted(mine[:, 0], seq)
        row = mine[at]
        stall = np.zeros(len(seq), np.int64)
        for bank in range(2):
            # the wait begins with the flip that is under way
            rise, fall = rises[2 * u + bank] - WRITE - 1, falls[2 * u + bank]
            begun = rise[np.maximum(np.searchsorted(rise, cycle) - 1, 0)]
            held = np.isin(cycle, fall) & (row[:, 5] == bank)
            stall = np.where(held, np.maximum(cycle - np.maximum(begun, ready), 0), stall)
        behind = np.minimum(at + 1, len(mine) - 1)
        there = (behind > at) & (mine[behind, 2] < cycle)
        follows = np.where(there, mine[behind, 3], 0)
        self._points.hit("timing.stall_x_file", many(stall), row[:, 4])
        self._points.hit("timing.stall_x_flip_x_next", many(stall), row[:, 6], follows)
