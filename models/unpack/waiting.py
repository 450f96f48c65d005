# SPDX-License-Identifier: Apache-2.0
"""What holds the instructions in the unpackers, in words: for a run that stands still."""

from __future__ import annotations

from tilepath import isa
from tilepath.models.unpack import cycle_state as S
from tilepath.models.unpack import layout as L
from tilepath.models.unpack import streams

_SOURCES = ("SrcA", "SrcB")


def _word(s: S.State, u: int, slot: int) -> str:
    p = s.plans[S.SLOTS * u + slot]
    word = int(p[L.WORD])
    return f"{isa.named_word(word)} of thread {int(p[L.THREAD])}"


def _bank(s: S.State, u: int, bank: int) -> str:
    owner = "Matrix Unit" if s.m[S.OWNER + 2 * u + bank] else "unpackers"
    return f"{_SOURCES[u]} bank {bank}, which is the {owner}'s"


def _address(s: S.State, u: int, t: int) -> str:
    at = S.unit(u)
    word = int(s.m[at + S.X_WORD])
    what = f"{isa.named_word(word)} of thread {int(s.m[at + S.X_THREAD])}"
    if s.m[at + S.X_SAMPLE] > t:
        return f"{what}: waits for its address phase"
    if s.m[at + S.X_LAST] == L.NEVER:
        return f"{what}: is being sampled"
    return f"{what}: in its address phase until cycle {int(s.m[at + S.X_LAST])}"


def _head(s: S.State, u: int, t: int) -> str:
    """The entry at the head of the buffer."""
    m = s.m
    at = S.unit(u)
    entry = at + S.E + S.SIZE_E * int(m[at + S.B_HEAD])
    slot = int(m[entry + S.E_SLOT])
    p = s.plans[S.SLOTS * u + slot]
    what = _word(s, u, slot)
    if m[entry + S.E_FROM] > t:
        return f"{what}: its answer comes in cycle {int(m[entry + S.E_FROM]) - 1}"
    bank = int(p[L.BANK])
    if p[L.KIND] == L.ZEROSRC and not p[L.WAIT_UNPACR]:
        bank = int(m[S.MATRIX_BANK]) >> u & 1
    if m[S.OWNER + 2 * u + bank]:
        return f"{what}: write stage waits for {_bank(s, u, bank)}"
    return f"{what}: in the write stage"


def _fetch(s: S.State, u: int, t: int) -> str:
    m = s.m
    at = S.unit(u)
    what = _word(s, u, int(m[at + S.F_SLOT]))
    if m[at + S.F_FROM] > t:
        return f"{what}: just loaded"
    if m[at + S.F_ANSWER] >= t:
        return f"{what}: fetch stage, L1 answers until cycle {int(m[at + S.F_ANSWER])}"
    return f"{what}: fetch stage, {int(m[at + S.B_USED])} entries of the buffer in use"


def describe(s: S.State, t: int) -> list[str]:
    """Lines for each unpacker at the start of cycle ``t``, oldest instruction first."""
    lines = []
    for u in range(streams.UNPACKERS):
        at = S.unit(u)
        if s.m[at + S.B_USED]:
            lines.append(f"unpacker {u}: {_head(s, u, t)}")
        if s.m[at + S.F_SLOT] >= 0:
            lines.append(f"unpacker {u}: {_fetch(s, u, t)}")
        for k in range(int(s.m[at + S.Q_COUNT])):
            what = _word(s, u, int(s.m[at + S.Q_SLOT + k]))
            lines.append(f"unpacker {u}: {what}: place {k} of the queue")
        if s.m[at + S.X_ON]:
            lines.append(f"unpacker {u}: {_address(s, u, t)}")
    return lines
