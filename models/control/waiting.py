# SPDX-License-Identifier: Apache-2.0
"""What holds the words that are offered, in words: for the report of a run that stands still."""

from __future__ import annotations

from typing import Final

from tilepath import isa
from tilepath.isa import constants
from tilepath.models.control import gate, streams
from tilepath.models.control import layout as L
from tilepath.models.jit import kernel

_MUTEXES: Final = (0, 2, 3, 4)
_SCALAR_RULE: Final = 2
_LATCH_RULE: Final = 3
_RESOURCE_RULE: Final = 4


def _names(prefix: str, but: str = "-") -> dict[int, str]:
    return {
        value: name.removeprefix(prefix)
        for name, value in vars(constants).items()
        if name.startswith(prefix) and not name.startswith(but)
    }


_CLASSES: Final = _names("CLS_")
_CONDITIONS: Final = _names("STALL_COND_")
_SEMAPHORES: Final = _names("SEM_", "SEM_COND_")


@kernel
def _held(m: L.Memory, thread: int, t: int) -> int:
    """The rule of section 3 that holds the thread's word in cycle ``t``; 0: none, or no word."""
    if m[L.T + thread * L.SIZE_T + L.HAVE] == 0:
        return 0
    rule: int = gate.holder(m, thread, t)
    if rule == 0 and not gate.available(m, thread, t):
        rule = _RESOURCE_RULE
    return rule


def _line(word: int) -> str:
    return f"{isa.disassemble(word)} ({word:08X})"


def _stallwait(m: L.Memory, what: int, t: int) -> str:
    busy = int(m[L.BUSY])
    if m[L.A_NEXT] <= t or t <= m[L.A_DONE]:
        busy |= 1 << constants.STALL_COND_TRISC_CFG
    if m[L.P_ON] or m[L.OCCUPIED + (t & 7)] & 0x3E:
        busy |= 1 << constants.STALL_COND_CFG_PIPE
    chosen = [bit for bit in range(13) if (what >> bit) & 1]
    still = [_CONDITIONS[bit] for bit in chosen if (busy >> bit) & 1]
    if not still:
        return f"condition {what:03X} is met"
    return f"waits while {' or '.join(still)} busy"


def _semwait(m: L.Memory, what: int) -> str:
    reasons = []
    for n in range(8):
        if not (what >> n) & 1:
            continue
        value, most = int(m[L.SEM_VALUE + n]), int(m[L.SEM_MAX + n])
        name = f"semaphore {n} ({_SEMAPHORES[n]})"
        if what & 0x100 and value == 0:
            reasons.append(f"{name} is 0; value {value}, max {most}")
        elif what & 0x200 and value >= most:
            reasons.append(f"{name} is at its maximum; value {value}, max {most}")
    return f"waits while {', or '.join(reasons)}" if reasons else "condition is met"


def _streamwait(m: L.Memory, s: L.Memory, thread: int, what: int) -> str:
    stream = int(m[L.THD + thread * L.THD_WORDS + L.TC_STREAM + (what >> 1)]) & 63
    register, bits, name = L.REG_PHASE, 20, "phase"
    if what & 1:
        register, bits, name = L.REG_MSGS, 17, "message count"
    value = int(s[stream * L.STREAM_REGS + register]) & ((1 << bits) - 1)
    # A word that waits behind the latch came after its first cycle: the target is there.
    target = int(m[L.T + thread * L.SIZE_T + L.L_TARGET])
    relation = "<" if value < target else ">="
    return f"stream {stream} {name} {value} {relation} target {target}"


def _latch(m: L.Memory, s: L.Memory, thread: int, t: int) -> str:
    at = L.T + thread * L.SIZE_T
    block, what = int(m[at + L.L_BLOCK]), int(m[at + L.L_WHAT])
    kind = int(m[at + L.L_KIND])
    name = ("STALLWAIT", "SEMWAIT", "STREAMWAIT")[kind - 1]
    classes = " ".join(_CLASSES[bit] for bit in range(9) if (block >> bit) & 1)
    if kind == 1:
        condition = _stallwait(m, what, t)
    elif kind == 2:
        condition = _semwait(m, what)
    else:
        condition = _streamwait(m, s, thread, what)
    return f"{name}, block {block:03X} ({classes}): {condition}"


def _inside(m: L.Memory) -> str:
    return f"{_line(int(m[L.S_WORD]))}, issued in cycle {int(m[L.S_T])}"


def _config(m: L.Memory, kind: int, t: int) -> str:
    if kind == L.STREAMWRCFG:
        return f"config unit: {_line(int(m[L.P_WORD]))} is in the prepare phase, stream_busy is 1"
    last = max(int(m[L.FREE_WRCFG if kind == L.WRCFG else L.FREE_OTHERS]), t)
    return f"config unit: what is in it must go first, free from cycle {last}"


def _resource(m: L.Memory, thread: int, t: int) -> str:
    at = L.T + thread * L.SIZE_T
    resource = int(m[at + L.W_RES])
    if resource < L.SCALAR:
        return f"unit {streams.UNITS[resource].upper()} not ready"
    if resource == L.SCALAR:
        return f"scalar unit busy: thread {int(m[L.S_WHO])} is inside {_inside(m)}"
    if resource < L.CONFIG:
        slot = resource - L.MUTEX
        return f"mutex {_MUTEXES[slot]} held by thread {int(m[L.OWNER + slot]) - 1}"
    return _config(m, int(m[at + L.W_KIND]), t)


def _reason(m: L.Memory, s: L.Memory, thread: int, rule: int, t: int) -> str:
    if rule == _SCALAR_RULE:
        return f"inside {_inside(m)}"
    if rule == _LATCH_RULE:
        return _latch(m, s, thread, t)
    return _resource(m, thread, t)


def describe(m: L.Memory, s: L.Memory, t: int, risc: L.Memory, risc_sem: L.Memory) -> list[str]:
    """One line for each thread whose word, and each port of the cores whose access, is held.

    ``m``, ``s``: memory and stream registers at the start of cycle ``t``; ``risc``, ``risc_sem``:
    rows of the accesses that have not been made.
    """
    lines = []
    for thread in range(streams.THREADS):
        rule = int(_held(m, thread, t))
        if rule:
            word = _line(int(m[L.T + thread * L.SIZE_T + L.WORD]))
            lines.append(f"thread {thread}: {word}: {_reason(m, s, thread, rule, t)}")
    if risc.shape[0] and risc[0, 0] < t and t > m[L.A_DONE]:
        what = "write" if risc[0, 1] else "read"
        reason = _config(m, L.RISC, t) if t < m[L.FREE_OTHERS] else "waits for its turn"
        lines.append(f"risc: {what} of configuration address {int(risc[0, 2])}: {reason}")
    if risc_sem.shape[0] and risc_sem[0, 0] < t and t > m[L.B_DONE]:
        what = "get" if risc_sem[0, 3] else "post"
        lines.append(f"risc_sem: {what} of semaphore {int(risc_sem[0, 2])}: waits for its turn")
    return lines
