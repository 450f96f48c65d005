# SPDX-License-Identifier: Apache-2.0
"""The cycle contract taken literally: one thread as a state machine, one Python call per cycle.

Slow and plain on purpose, and built the other way round than the model: the model computes when
things happen, this one asks every cycle what happens. It also plays the cores' part (holding each
offer until it is taken), so that it yields the input streams along with the output streams.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterator, Sequence

from tilepath.isa import constants, profiles, tables
from tilepath.isa.boundary import NOT_KNOWN, Origin
from tilepath.isa.boundary.frontend import BOUNDARY

IDLE, EXP, TRANS = 0, 1, 2
PASS, PLAY, REC = 0, 1, 2
# qstatus bits 2 to 10: THCON, XMOV, UNPACK, PACK, CFG, SYNC, TDMA, SFPU, MATH
CLASS_BITS = (5, 4, 3, 2, 7, 1, 0, 8, 6)

Entry = tuple[int, int]  # word, origin


def opcode(word: int) -> int:
    return word >> 24


def is_replay(word: int) -> bool:
    return opcode(word) == constants.OP_REPLAY


def is_nop(word: int) -> bool:
    return opcode(word) == constants.OP_NOP


def mop_words(word: int, mask_hi: int, cfg: Sequence[int]) -> Iterator[int]:
    """Expansion of a MOP word by the seed's loops, one word at a time."""
    if word >> 23 & 1:
        outer, inner = cfg[0] & 127, cfg[1] & 127
        start, end0, end1, loop, other, last, inner_last = cfg[2:9]
        flip = 0
        if not is_nop(other):
            flip = loop ^ other
            inner *= 2
        if outer == 1 and is_nop(start) and inner == 0 and not is_nop(end0):
            outer += 128
        for j in range(outer):
            if not is_nop(start):
                yield start
            for i in range(inner):
                if i < inner - 1:
                    yield loop
                else:
                    yield last if j == outer - 1 else inner_last
                loop ^= flip
            if not is_nop(end0):
                yield end0
                if not is_nop(end1):
                    yield end1
        return
    mask = mask_hi << 16 | word & 0xFFFF
    has_b, has_a123 = cfg[1] & 1, cfg[1] & 2
    for _ in range((word >> 16 & 127) + 1):
        if mask & 1:
            yield cfg[7]
            if has_b:
                yield cfg[8]
        else:
            yield cfg[3]
            if has_a123:
                yield from cfg[4:7]
            if has_b:
                yield cfg[2]
        mask >>= 1


@dataclasses.dataclass
class Offer:
    """A port on which an offer stands until it is taken; ``plan`` has (earliest cycle, word)."""

    plan: deque[tuple[int, int]]
    taken: int = 0
    standing: int | None = None

    def offers(self, cycle: int) -> tuple[int | None, bool]:
        """The word on the port in ``cycle``, and whether it is new there."""
        if self.standing is None and self.plan and self.plan[0][0] <= cycle:
            self.standing = self.plan.popleft()[1]
            return self.standing, True
        return self.standing, False

    def take(self) -> int:
        self.standing = None
        self.taken += 1
        return self.taken - 1


class Thread:
    """One thread. Inputs: plans for the three offering ports, and writes and levels by cycle."""

    def __init__(
        self,
        profile: str = "baseline",
        push: list[tuple[int, int]] | None = None,
        brisc: list[tuple[int, int]] | None = None,
        sync: list[int] | None = None,
        mopcfg: dict[int, tuple[int, int]] | None = None,
        ready: list[int] | None = None,
    ) -> None:
        self.number = 0
        self.p = profiles.get(profile)
        self.push = Offer(deque(push or []))
        self.brisc = Offer(deque(brisc or []))
        self.sync = Offer(deque((cycle, 0) for cycle in sync or []))
        self.writes = mopcfg or {}
        self.ready = ready if ready is not None else [1]
        self.fifo: deque[Entry] = deque()
        self.mq: deque[Entry] = deque()
        self.rq: deque[Entry] = deque()
        self.cfg = [0] * 9
        self.mask_hi = 0
        self.mop_state = IDLE
        self.expansion: deque[Entry] = deque()
        self.mop_origin = 0
        self.replay_state = PASS
        self.buffer = [0] * 32
        self.index = self.left = self.replay_origin = 0
        self.exec = False
        self.sticky = [0, 0]
        self.levels: dict[str, tuple[int, ...]] = {
            "ready": (0,), "status": (0, 0), "sticky": (0, 0),
        }  # fmt: skip
        self.out: dict[str, list[tuple[int, ...]]] = {}

    def origin(self, stream: str, index: int) -> int:
        """Input event ``index`` of this thread's ``stream``, as records have it."""
        return Origin(f"t{self.number}.{stream}", index).encode(BOUNDARY.inputs)

    def event(self, stream: str, *values: int) -> None:
        self.out.setdefault(stream, []).append(values)

    def level(self, stream: str, cycle: int, *values: int) -> None:
        if self.levels[stream] != values:
            self.levels[stream] = values
            self.event(stream, cycle, *values)

    def queue_bits(self) -> int:
        """Bits 0 to 10 of what qstatus will show in the next cycle."""
        waiting = [word for word, _ in (*self.fifo, *self.mq)]
        counts = any(is_replay(w) and ((w >> 1) & 1 or not w & 1) for w in waiting)
        counts = counts or self.replay_state == PLAY or (self.replay_state == REC and self.exec)
        mops = any(opcode(word) == constants.OP_MOP for word, _ in self.fifo)
        bits = int(counts) | (int(mops or self.mop_state == EXP) << 1)
        for word in (*waiting, *(word for word, _ in self.rq)):
            for place, block in enumerate(CLASS_BITS):
                bits |= ((tables.queue_class()[opcode(word)] >> block) & 1) << (place + 2)
        return bits

    def cycle(self, t: int) -> None:
        """Cycle t: decide on the state at its start, then write the state at its end."""
        self.level("status", t, self.mop_state, self.replay_state)
        self.level("sticky", t, *self.sticky)
        ready = self.ready[t] if t < len(self.ready) else self.ready[-1]
        self.level("ready", t, ready)
        fifo_room = len(self.fifo) < self.p.fifo_depth
        m_room = len(self.mq) < self.p.m_depth
        r_room = len(self.rq) < self.p.r_depth
        state = self.mop_state
        acknowledge = state != EXP and not any(opcode(w) == constants.OP_MOP for w, _ in self.fifo)
        head = self.fifo[0] if self.fifo else None
        m_head = self.mq[0] if self.mq else None

        illegal = self._issue(t, ready)
        to_r = self._replay(m_head, r_room)
        to_m = self._mop(t, head, m_room)
        if to_r is not None:
            self.rq.append(to_r)
            self.event("rq", t, *to_r)
        collision = self._write_m(t, to_m, m_room)
        word, new = self.push.offers(t)
        if word is not None:
            if new:
                self.event("push", t, word)
            if fifo_room:
                origin = self.origin("push", self.push.take())
                self.fifo.append((word, origin))
                self.event("accept", t, origin)
        request, new = self.sync.offers(t)
        if request is not None:
            if new:
                self.event("sync", t)
            if acknowledge:
                self.sync.take()
                self.event("sync_ack", t, NOT_KNOWN)
        race = 0
        if t in self.writes:
            index, data = self.writes[t]
            self.event("mopcfg", t, index, data)
            race = int(state == EXP)
            if index < 9:
                self.cfg[index] = data
        if illegal or race or collision:
            self.event("fault", t, illegal, race, collision)
        self.sticky = [self.sticky[0] | race, self.sticky[1] | collision]

    def _issue(self, t: int, ready: int) -> int:
        if not self.rq:
            return 0
        word, origin = self.rq[0]
        illegal = int(tables.must_not_issue()[opcode(word)])
        if not (illegal or ready):
            return 0
        self.rq.popleft()
        self.event("issue", t, word, illegal, origin)
        return illegal

    def _replay(self, head: Entry | None, r: bool) -> Entry | None:
        """Acts in this cycle; the word written to R, if any."""
        if self.replay_state == PLAY:
            if not r:
                return None
            word = self.buffer[self.index]
            self._advance()
            return word, self.replay_origin
        if head is None:
            return None
        word, origin = head
        if self.replay_state == REC:
            if self.exec and not r:
                return None
            self.mq.popleft()
            self.buffer[self.index] = word
            self._advance()
            return head if self.exec else None
        if not is_replay(word):
            return self.mq.popleft() if r else None
        count = (word >> 4) & 0x3F or self.p.replay_count0
        index = (word >> 14) & 0x1F
        if word & 1:
            self.mq.popleft()
            self.replay_state, self.index, self.left = REC, index, count
            self.exec = bool(word & 2)
            return None
        if not r:
            return None
        self.mq.popleft()
        if count > 1:
            self.replay_state, self.index, self.left = PLAY, (index + 1) % 32, count - 1
            self.replay_origin = origin
        return self.buffer[index], origin

    def _advance(self) -> None:
        self.index = (self.index + 1) % 32
        self.left -= 1
        if self.left == 0:
            self.replay_state = PASS

    def _mop(self, t: int, head: Entry | None, g: bool) -> Entry | None:
        """Acts in this cycle; the word emitted towards M, if any."""
        if self.mop_state == EXP:
            if not g:
                return None
            emitted = self.expansion.popleft()
            if not self.expansion:
                self.mop_state = TRANS
            return emitted
        if self.mop_state == TRANS:
            self.mop_state = IDLE
            if head is None or opcode(head[0]) != constants.OP_MOP:
                return None
            if not self.p.mop_b2b_free:
                return None
        if head is None:
            return None
        word, origin = head
        if opcode(word) == constants.OP_MOP_CFG:
            self.fifo.popleft()
            self.mask_hi = word & 0xFFFF
            self.event("ingest", t, word, origin)
            return None
        if opcode(word) != constants.OP_MOP:
            return self.fifo.popleft() if g else None
        words = list(mop_words(word, self.mask_hi, self.cfg))
        if len(words) and not g:
            return None
        self.fifo.popleft()
        self.event("ingest", t, word, origin)
        self.mop_origin = origin
        self.expansion = deque((w, origin) for w in words)
        if len(words) <= 1:
            self.mop_state = TRANS
        else:
            self.mop_state = EXP
        return self.expansion.popleft() if len(words) else None

    def _write_m(self, t: int, emitted: Entry | None, room: bool) -> int:
        word, new = self.brisc.offers(t)
        if word is not None and new:
            self.event("brisc", t, word)
        if word is not None and room:
            origin = self.origin("brisc", self.brisc.take())
            self.event("brisc_accept", t, origin)
            self.event("mq", t, word, origin)
            self.mq.append((word, origin))
            return int(emitted is not None)
        if emitted is not None:
            self.event("mq", t, *emitted)
            self.mq.append(emitted)
        return 0


def run(
    threads: list[Thread], busy: list[int], cycles: int
) -> tuple[dict[str, list[tuple[int, ...]]], dict[str, list[tuple[int, ...]]]]:
    """Run the threads together: input streams and output streams, each record with its cycle.

    Output records end with their origin in ``accept`` … ``issue``; the others have none.
    """
    shown = [0, 0, 0]
    value = [0, 0, 0]
    level = 0
    cc: list[tuple[int, ...]] = []
    qstatus: list[list[tuple[int, ...]]] = [[], [], []]
    for n, thread in enumerate(threads):
        thread.number = n
    for t in range(cycles):
        for n in range(3):
            if value[n] != shown[n]:
                shown[n] = value[n]
                qstatus[n].append((t, value[n]))
        if busy[t % len(busy)] != level:
            level = busy[t % len(busy)]
            cc.append((t, level))
        bits = [thread.queue_bits() for thread in threads]
        common = (bits[0] | bits[1] | bits[2]) << 13 | level << 11 | level << 24
        value = [own | common for own in bits]
        for thread in threads:
            thread.cycle(t)
    inputs: dict[str, list[tuple[int, ...]]] = {"sfpu_cc": cc}
    outputs: dict[str, list[tuple[int, ...]]] = {}
    for n, thread in enumerate(threads):
        for suffix in ("push", "mopcfg", "sync", "brisc", "ready"):
            inputs[f"t{n}.{suffix}"] = thread.out.pop(suffix, [])
        for suffix, records in thread.out.items():
            outputs[f"t{n}.{suffix}"] = records
        outputs[f"t{n}.qstatus"] = qstatus[n]
    return inputs, outputs
