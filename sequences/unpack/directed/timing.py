# SPDX-License-Identifier: Apache-2.0
"""When: rates and interference, issue back to back, banks that come late, sampling."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import numpy as np

from tilepath.engine.description.stimulus import ANY, TestSpec
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import MISC, Thread
from tilepath.sequences.unpack.directed.common import PLACE, Cases, case_test, fill_tile, same, tile
from tilepath.sequences.unpack.directed.faults import FEW, ZEROS
from tilepath.sequences.unpack.script import RELEASE
from tilepath.sequences.unpack.words import unpacr

# Set-ups by what they want: name, fields
WANTS: Final[tuple[tuple[int, dict[str, Any]], ...]] = (
    (1, {"throttle": 0}),
    (2, {"throttle": 1}),
    (4, {"throttle": 2}),
)
# (lines of unpacker 0, of unpacker 1) in a cycle in which both fetch, by what they want
_GRANTS: Final = {
    (1, 1): (1, 1), (2, 1): (2, 1), (4, 1): (4, 1), (1, 2): (1, 2), (2, 2): (1, 1), (4, 2): (2, 1),
    (1, 4): (1, 4), (2, 4): (1, 2), (4, 4): (2, 2),
}  # fmt: skip
FORCED: Final[tuple[dict[str, Any], ...]] = (
    {"tilize": 1},
    {"uncompressed": 0},
    {"upsample": 1},
    {"upsample": 2},
    {"upsample": 3},
    {"upsample": 1, "interleave": 1},
    same(15),
    same(11),
    same(7),
    same(3),
    {**same(7), "if_sel": 1},
    {**same(3), "if_sel": 1},
    {**same(7), "upsample": 1},
    {},
)


def _plain(cases: Cases) -> None:
    for code in (6, 5):
        fill_tile(cases.memory, cases.d, code, PLACE, 4096)


def _interference(cases: Cases) -> None:
    """All pairs of wants; each unpacker ends first, and one begins in the middle of the other."""
    script = cases.script
    for (a, zero), (b, one) in product(WANTS, WANTS):
        for long in (0, 1):
            setups = {(0, 0): tile(x_dim=512, **zero, out_base=128), (0, 1): tile(x_dim=512, **one)}
            cases.prepare(setups, {0: Thread(ovrd=1), 1: Thread()})
            for t in (0, 1):
                count = (16, 60)[t == long] * (a, b)[t]
                script.counters(t, t, **{**ZEROS, "x1": count - 1})
                script.word(t, unpacr(t), gap=7 * (t ^ long) * (a == b))
            script.word(1 - long, unpacr(1 - long), gap=11)
    # one after the other, of every rate, at both ports
    for u in (0, 1):
        for _, fields in WANTS:
            setups = {(0, v): tile(x_dim=512, out_base=128 * (1 - v)) for v in (0, 1)}
            setups[0, u] = setups[0, u].with_(**fields)
            cases.prepare(setups, {0: Thread(ovrd=1), 1: Thread()})
            for t in (0, 1):
                script.counters(t, t, **{**ZEROS, "x1": 100})
                script.word(t, *[unpacr(t)] * 4)


def _together(cases: Cases) -> None:
    """Both unpackers end in the same cycle, or nearly: each pair of wants."""
    script = cases.script
    for (a, zero), (b, one) in product(WANTS, WANTS):
        setups = {(0, 0): tile(x_dim=512, **zero, out_base=128), (0, 1): tile(x_dim=512, **one)}
        cases.prepare(setups, {0: Thread(ovrd=1), 1: Thread()})
        both = _GRANTS[a, b]
        script.counters(0, 0, **{**ZEROS, "x1": 8 * (2 * a + 10 * both[0]) - 1})
        for cycles in range(5, 19):
            script.counters(1, 1, **{**ZEROS, "x1": 8 * cycles * both[1] - 1})
            script.phase()
            script.word(0, unpacr(0))
            script.word(1, unpacr(1))


def _forced(cases: Cases) -> None:
    """Throttle against what the set-up forces, alone and beside the other unpacker."""
    script = cases.script
    modes = (*WANTS, (4, {"throttle": 3}))
    for fields, (_, throttle), beside in product(FORCED, modes, (0, 1)):
        both = {**throttle, **fields}
        setup = tile(
            x_dim=256, z_dim=1, out_base=128, shift=(2 if "tilize" in both else 0, 0, 0, 0)
        )
        setup = setup.with_(**both)
        packed = not setup.uncompressed
        setups = {(0, 0): setup, (0, 1): tile(x_dim=512, throttle=2)}
        ovrd = Thread(ovrd=0 if setup.if_sel else 1)
        cases.prepare(setups, {0: ovrd, 1: Thread()})
        script.counters(0, 0, **{**ZEROS, "x1": 60})
        script.counters(1, 1, **{**ZEROS, "x1": 400})
        if beside:
            script.word(1, unpacr(1))
        script.word(0, unpacr(0))
        if not packed:
            script.word(0, unpacr(0))


def _throttle1(cases: Cases) -> None:
    """The same for unpacker 1."""
    script = cases.script
    for fields, (_, throttle) in product(FORCED, WANTS):
        if "if_sel" in fields:
            continue
        setup = tile(x_dim=256, z_dim=1, shift=(2 if "tilize" in fields else 0, 0, 0, 0))
        cases.prepare({(0, 1): setup.with_(**{**throttle, **fields})}, {1: Thread()})
        script.counters(1, 1, **{**ZEROS, "x1": 50})
        script.word(1, unpacr(1))


def _back_to_back(cases: Cases) -> None:
    """Pairs of UNPACRs: unpacker, thread and compression same or not, 0 to 5 cycles apart."""
    script = cases.script
    for first, second in product((0, 1), (0, 1)):
        setups = {
            (0, 0): tile(x_dim=64, z_dim=1, uncompressed=1 - first, out_base=128),
            (0, 1): tile(x_dim=64, z_dim=1, uncompressed=1 - second),
        }
        cases.prepare(setups, {t: Thread(ovrd=1) for t in range(3)})
        for t, u in product(range(3), (0, 1)):
            script.counters(t, u, **{**ZEROS, "x1": 4})
        for u, v, gap, other in product((0, 1), (0, 1), range(6), (0, 1, 2)):
            script.phase(idle=gap == 0)
            script.word(0, unpacr(u))
            script.word(other, unpacr(v, inc=(0, 0, 0, 0)), gap=gap)
    # three threads at once, forms that enter no queue among them
    for forms in product((0, 1, 2), repeat=3):
        script.phase()
        for t, form in enumerate(forms):
            u = (t + sum(forms)) & 1
            words = (unpacr(u, counter=1, multi=1), w.inc_context(u), w.flush_cache(u))
            script.word(t, words[form], words[(form + 1) % 3])


def _turns(cases: Cases) -> None:
    """Both unpackers in the same cycle, again and again; longer phases on either side."""
    script = cases.script
    for a, b in product((0, 1), (0, 1)):
        setups = {
            (0, 0): tile(x_dim=16, z_dim=1, uncompressed=a, out_base=128),
            (0, 1): tile(x_dim=16, z_dim=1, uncompressed=b),
        }
        cases.prepare(setups, {0: Thread(ovrd=1), 2: Thread()})
        for t, u in ((0, 0), (2, 1)):
            script.counters(t, u, **{**ZEROS, "x1": 3})
        for n in range(5):
            script.phase(idle=n != 2)
            script.word(0, unpacr(0, inc=(0, 1, 0, 0)))
            script.word(2, unpacr(1, inc=(1, 0, 0, 0)))


def _stalls(cases: Cases) -> None:
    """Banks that come back early, just in time, late; what stands behind them."""
    script, profile = cases.script, cases.profile
    for u, flip, gap in product(
        (0, 1), (0, 1), (0, 1, 2, 3, 5, 8, 12, 13, 14, 15, 16, 17, 18, 20, 40)
    ):
        setup = tile(x_dim=64, z_dim=1, out_base=128 * (1 - u))
        cases.prepare({(0, u): setup}, {0: Thread(ovrd=1)})
        script.counters(0, u, **{**ZEROS, "x1": 31})
        nexts = (unpacr(u), w.nop(profile, u), w.zerosrc(profile, u, 0, 0, 1), unpacr(u, flip=1))
        for _ in (0, 1):
            script.word(0, unpacr(u, flip=1))
        script.word(0, unpacr(u, flip=flip), nexts[gap & 3])
        flips = 2 + flip + (gap & 3 == 3)
        for n in range(flips):
            script.release(u, gap if n < 2 else 0)
    # beat buffer and queue fill up
    for u in (0, 1):
        setup = tile(x_dim=64, z_dim=1, out_base=128 * (1 - u))
        cases.prepare({(0, u): setup}, {0: Thread(ovrd=1)})
        script.counters(0, u, **{**ZEROS, "x1": 63})
        script.word(0, *[unpacr(u, flip=1)] * 2, *[unpacr(u)] * 40)
        for _ in range(2):
            script.release(u, 400)


def _stall_next(cases: Cases) -> None:
    """Stall lengths by what comes next, for a Dst that waits for SrcA as well."""
    script, profile = cases.script, cases.profile
    for sel, gap, kind in product((0, 1), (0, 10, 60), range(6)):
        setup = tile(x_dim=64, z_dim=1, out_base=128, if_sel=sel)
        cases.prepare({(0, 0): setup, (0, 1): tile(x_dim=64)}, {0: Thread()})
        script.counters(0, 0, **{**ZEROS, "x1": 40})
        script.counters(0, 1, **{**ZEROS, "x1": 40})
        script.word(0, unpacr(0, flip=1), unpacr(0, flip=1), unpacr(0))
        word = (
            unpacr(0), unpacr(1), w.setreg(profile, 0, 1), w.overlay(profile, 0),
            w.zerosrc(profile, 0, 1, 0, 0), w.setdvalid(profile, 0),
        )[kind]  # fmt: skip
        script.word(0, word, *[unpacr(0)] * 3)
        for _ in range(3 if kind == 5 else 2):
            script.release(0, gap)


def _behind(profile: str, u: int) -> list[tuple[int, int]]:
    """What can stand behind an UNPACR: an UNPACR, then each mode of NOP; whether it hands over."""
    words = [
        (unpacr(u), 0), (w.nop(profile, u), 0), (w.overlay(profile, u), 0),
        (w.overlay_stream(profile, u, 5, 1), 0), (w.setreg(profile, u, 1), 0),
        (w.zerosrc(profile, u, 0, 0, 1), 0), (w.setdvalid(profile, u), 1),
    ]  # fmt: skip
    if w.is_bh(profile):
        return [*words, (w.zerosrc(profile, u, 0, 0, 1, 0, 1), 1)]
    return [*words, (w.nop(profile, u) | 6, 0)]


def _stall_by_one(cases: Cases) -> None:
    """A bank that comes back around the cycle in which it is wanted, by what stands behind.

    Which gap meets that cycle depends on L1's latency, so each is tried twice.
    """
    script = cases.script
    for u in (0, 1):
        cases.prepare(
            {(0, u): tile(x_dim=64, z_dim=1, out_base=128 * (1 - u))}, {0: Thread(ovrd=1)}
        )
        script.counters(0, u, **{**ZEROS, "x1": 31})
        behind = _behind(cases.profile, u)
        for _, (word, hands), flip, gap in product(range(2), behind, (0, 1), range(4, 11)):
            script.phase()
            bank = script.released[u] & 1
            script.word(0, unpacr(u, flip=1), unpacr(u, flip=1))
            script.word(0, unpacr(u, flip=flip), word, gap=gap)
            # the second one first, so that what hands it over again may
            for which in (1 - bank, bank):
                script.matrix(RELEASE, u, which, wait=1, toggle=1)
            script.released[u] += 2
            for _ in range(flip + hands):
                script.release(u)


def _sampling(cases: Cases) -> None:
    """Configuration that changes in each cycle around an UNPACR."""
    script = cases.script
    a, b = tile(x_dim=64, z_dim=1, out_base=128), tile(0x420, x_dim=64, z_dim=1, out_base=160)
    for u, delay, kind in product((0, 1), range(7), range(6)):
        one, two = (a, b) if u == 0 else (a.with_(out_base=0), b.with_(out_base=32))
        cases.prepare({(0, u): one, (1, u): two}, {0: Thread(ovrd=1), 1: Thread(ovrd=1)})
        for t in (0, 1):
            script.counters(t, u, **{**ZEROS, "x1": 20})
        script.phase()
        script.word(0, unpacr(u), unpacr(u, multi=1, counter=1))
        if kind == 0:
            script.setc16(0, 0, 1, gap=delay)
            script.setc16(0, 0, 0)
        elif kind == 1:
            script.config(1, 49 if u == 0 else 61, 192, gap=delay)
        elif kind == 2:
            script.config4(3, 76 if u == 0 else 124, (0x44F, 0x45F, 0, 0), gap=delay)
        elif kind == 3:
            script.setc16(0, MISC, 0x1111, gap=delay)
            script.setc16(0, MISC, 0x0101)
        elif kind == 4:
            script.setc16(0, 5 + u, 7 - 3 * u, gap=delay)
        else:
            script.word(1, unpacr(1 - u, flip=0), gap=delay)
        script.phase()
        script.setc16(0, 0, 0)
        script.setc16(0, MISC, 0x1010)
        script.view.context[0][0] = script.view.context[1][0] = 0
        script.setup(3, u, one)


def _live(cases: Cases) -> None:
    """StateID goes back and forth between issue and the end of instructions."""
    script = cases.script
    setups = {
        (bank, u): tile(0x400 + 64 * bank, x_dim=256, z_dim=1, out_base=128 * (1 - u) + 32 * bank)
        for bank, u in product((0, 1), (0, 1))
    }
    cases.prepare(setups, {0: Thread(ovrd=1)})
    for u in (0, 1):
        script.counters(0, u, **{**FEW, "x1": 200})
    for n in range(12):
        script.word(0, unpacr(n & 1))
        script.fence(0)
        state = 1 - script.view.threads[0].state
        script.thread(0, Thread(state, ovrd=1), after=script.done("t0.issue"))
        script.word(0, unpacr(1 - (n & 1)), after=script.done("t0.setc16"))
        script.fence(0)


def _first(cases: Cases) -> None:
    """The first UNPACRs since reset, of both unpackers at once, of what nobody has set up.

    That is a compressed tile at 0; its row start indices say that a row has three datums.
    """
    cases.memory.put(0, np.arange(0, 3 * 512, 3, np.uint16).view(np.uint8))
    cases.script.memory()
    cases.script.phase()
    for u in (0, 1):
        cases.script.word(u, unpacr(u, flip=0))
    cases.script.phase()


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "first_requests", "both unpackers at once, in the state of reset; then tiles", _first,
        _plain, _live, u0_read=5, u1_read=5, faults=ANY,
    ),
    case_test(
        "rates", "throttle, forced rates, interference of the two unpackers", _plain,
        _interference, _together, _forced, _throttle1, u0_read=400, u1_read=400, u0_write=300,
        faults=("bfpa", "burst", "throttle"),
    ),
    case_test(
        "issue", "UNPACRs back to back, ties, three threads", _plain, _back_to_back, _turns,
        latency=((40, 1), (60, 4), (30, 17)), u0_issue=100, u1_issue=100, u0_write=100,
    ),
    case_test(
        "bank_stalls", "banks that come back at any time", _plain, _stalls, _stall_next,
        _stall_by_one, latency=((40, 1), (60, 4)), u0_write=200, u1_write=80, owner=150,
        faults=("nop_reserved", "spare_unpacr"),
    ),
    case_test(
        "sampling", "what changes around the sampling cycle", _plain, _sampling, _live,
        u0_write=100, u1_write=100,
        faults=("burst", "format_src"),
    ),
)  # fmt: skip
