# SPDX-License-Identifier: Apache-2.0
"""Random words of each kind, many at a time.

What the words of a thread, of other threads and of the cores have in common (one writes what the
next one looks at) comes from the few operands that are hot. No word here can wait for ever as
long as the cores keep posting and getting, the streams reach their largest values again and again
(``ports``), and every semaphore has had a SEMINIT of this module, with a maximum of 2 or more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.sequences.control import words as w
from tilepath.tb.control.items import COUNT_REGISTER, PHASE_REGISTER
from tilepath.tb.kernel.description.player import Items

Numbers = NDArray[np.int64]


class Hot:
    """The few operands that threads and cores share, drawn from ``rng`` once a test."""

    def __init__(self, rng: np.random.Generator, share: float) -> None:
        self.share = share
        low = rng.choice(np.setdiff1d(np.arange(w.FLOP_BASE), [w.STATE_RESET]), 3, replace=False)
        middle = rng.integers(w.FLOP_BASE, w.GLOBAL - 1, 2)
        high = rng.integers(w.GLOBAL, w.CONFIG_WORDS, 1)
        scratch = rng.choice(w.SCRATCH, 2, replace=False)
        self.config = np.concatenate((low, middle, middle + 1, high, scratch))
        first = 4 * rng.integers(0, 8)
        self.gprs = np.concatenate((np.arange(first, first + 4), rng.integers(32, 64, 3)))
        self.registers = np.concatenate(
            ([PHASE_REGISTER, COUNT_REGISTER], rng.integers(0, 1024, 4))
        )
        self.thread = rng.integers(1, 56, 4)

    def draw(self, rng: np.random.Generator, few: Numbers, bound: int, n: int) -> Numbers:
        """``n`` numbers, ``share`` of them from ``few``, the others below ``bound``."""
        chosen = few[rng.integers(0, len(few), n)]
        return np.where(rng.random(n) < self.share, chosen, rng.integers(0, bound, n))

    def index(self, rng: np.random.Generator, n: int, reset: bool = False) -> Numbers:
        """Configuration indices; word 4 only with ``reset``."""
        drawn = self.draw(rng, self.config, w.CONFIG_WORDS, n)
        return drawn if reset else np.where(drawn == w.STATE_RESET, self.config[0], drawn)

    def wide(self, rng: np.random.Generator, n: int) -> Numbers:
        """Configuration indices for four words: not in the group of word 4."""
        drawn = self.index(rng, n)
        return np.where(drawn >> 2 == w.STATE_RESET >> 2, drawn + 100, drawn)

    def gpr(self, rng: np.random.Generator, n: int) -> Numbers:
        """GPRs."""
        return self.draw(rng, self.gprs, 64, n)


def stream_ids(thread: int) -> Numbers:
    """The streams that the thread's selectors stand for: some its own, one for all threads."""
    return np.array([4 * thread + 1, 4 * thread + 2, 4 * thread + 3, 20])


TARGETS: Final = np.array([0, 1, 2, 3, 4, 5, 0x3FE, 0x3FF])
HIGHS: Final = np.array([0, 0, 0, 0, 1, 1, 2, 0x7F, 0x3FF])


class WordMaker:
    """Makes the words of each kind; every method takes how many."""

    def __init__(self, rng: np.random.Generator, hot: Hot, thread: int) -> None:
        self._rng = rng
        self._hot = hot
        self._streams = stream_ids(thread)
        faults = self._faults()
        self.faults: tuple[str, ...] = tuple(faults)
        self.makers: Mapping[str, Callable[[int], Items]] = self._makers() | faults

    def below(self, bound: int, n: int) -> Numbers:
        """``n`` numbers below ``bound``."""
        return self._rng.integers(0, bound, n)

    def _of(self, table: Numbers | tuple[int, ...], n: int) -> Numbers:
        entries = np.asarray(table, np.int64)
        return entries[self.below(len(entries), n)]

    def _opaque(self, opcodes: tuple[int, ...], n: int) -> Items:
        return (self._of(opcodes, n) << 24 | self.below(1 << 24, n)).astype(np.uint32)

    def _index(self, n: int) -> Numbers:
        return self._hot.index(self._rng, n)

    def _gpr(self, n: int) -> Numbers:
        return self._hot.gpr(self._rng, n)

    def _block(self, n: int) -> Numbers:
        """Block masks: one bit, two, none, all, any."""
        one, two = 1 << self.below(9, n), 1 << self.below(9, n)
        styles = (one, one | two, np.zeros(n, np.int64), np.full(n, 0x1FF), self.below(512, n))
        return self._style(styles, (0.45, 0.15, 0.1, 0.1, 0.2), n)

    def _style(self, options: tuple[Numbers, ...], shares: tuple[float, ...], n: int) -> Numbers:
        chosen = np.searchsorted(np.cumsum(shares[:-1]), self._rng.random(n), side="right")
        return np.stack(options)[chosen, np.arange(n)]

    def _sems(self, n: int) -> Numbers:
        """Semaphore masks: mostly one, sometimes two, seldom any."""
        one, two = 1 << self.below(8, n), 1 << self.below(8, n)
        return self._style((one, one | two, self.below(256, n)), (0.8, 0.15, 0.05), n)

    # -- config unit

    def _wrcfg(self, n: int) -> Items:
        wide = self._rng.random(n) < 0.25
        index = np.where(wide, self._hot.wide(self._rng, n), self._index(n))
        return w.words("WRCFG", gpr=self._gpr(n), is128=wide, cfg_index=index)

    def _rmwcib(self, n: int) -> Items:
        masks = (np.full(n, 0xFF), np.zeros(n, np.int64), self.below(256, n))
        mask = self._style(masks, (0.4, 0.1, 0.5), n)
        index = self._hot.index(self._rng, n, reset=True)
        word = w.words("RMWCIB0", mask=mask, data=self.below(256, n), cfg_index=index)
        return word + (self.below(4, n).astype(np.uint32) << np.uint32(24))

    def _shiftmask(self, n: int, index: Numbers | None = None) -> Items:
        return w.words(
            "CFGSHIFTMASK",
            mask_mode=self.below(2, n),
            alu=self.below(8, n),
            mask_width=self._style(
                (self._of((0, 1, 15, 30, 31), n), self.below(32, n)), (0.5, 0.5), n
            ),
            rotate=self._style((self._of((0, 1, 16, 31), n), self.below(32, n)), (0.5, 0.5), n),
            scratch=self.below(4, n),
            cfg_index=self._index(n) if index is None else index,
        )

    def _streamwrcfg(self, n: int, index: Numbers | None = None) -> Items:
        register = self._hot.draw(self._rng, self._hot.registers, 1024, n)
        return w.words(
            "STREAMWRCFG",
            stream_sel=self.below(4, n),
            reg_index=register,
            cfg_index=self._index(n) if index is None else index,
        )

    def _setc16(self, n: int) -> Items:
        index = self._hot.draw(self._rng, self._hot.thread, w.PHASE_HI, n)
        index = np.where(index == w.STATE_ID, 41, index)
        return w.words("SETC16", cfg_index=index, value=self.below(1 << 16, n))

    def _setc16_hi(self, n: int) -> Items:
        return w.words(
            "SETC16", cfg_index=self._of((w.PHASE_HI, w.COUNT_HI), n), value=self._of(HIGHS, n)
        )

    def _setc16_bank(self, n: int) -> Items:
        junk = self.below(1 << 10, n) << 6
        return w.words(
            "SETC16", cfg_index=self._of(w.BANK_SEL, n), value=self._of(self._streams, n) | junk
        )

    # -- waits and semaphores

    def _stallwait(self, n: int) -> Items:
        one, two = 1 << self.below(13, n), 1 << self.below(13, n)
        options = (one, one | two, np.zeros(n, np.int64), self.below(1 << 13, n))
        return w.words(
            "STALLWAIT", block=self._block(n), cond=self._style(options, (0.6, 0.2, 0.1, 0.1), n)
        )

    def _semwait(self, n: int) -> Items:
        cond = self._of((1, 1, 1, 2, 2, 2, 3), n)
        return w.words("SEMWAIT", block=self._block(n), sem_mask=self._sems(n), cond=cond)

    def _streamwait(self, n: int) -> Items:
        low = self._style((self._of(TARGETS, n), self.below(1 << 10, n)), (0.9, 0.1), n)
        return w.words(
            "STREAMWAIT",
            block=self._block(n),
            target_lo=low,
            cond_idx=self.below(2, n),
            stream_sel=self.below(4, n),
        )

    def _seminit(self, n: int) -> Items:
        limit = self._style((self._of((2, 3, 4), n), 2 + self.below(14, n)), (0.7, 0.3), n)
        value = self._style((self.below(4, n), self.below(16, n)), (0.8, 0.2), n)
        return w.words("SEMINIT", max=limit, value=value, sem_mask=self._sems(n))

    # -- scalar unit

    def _two_gprs(self, mnemonic: str, n: int, near: bool) -> Items:
        """ADDDMAREG or MULDMAREG of two GPRs: ``near``, of one aligned group of four."""
        a = self._gpr(n)
        b = (a & ~3) | self.below(4, n) if near else self._gpr(n)
        return w.words(mnemonic, result=self._gpr(n), a=a, b=b)

    def _immediate(self, mnemonic: str, n: int) -> Items:
        operands = {"a": self._gpr(n), "b": self.below(64, n)}
        return w.words(mnemonic, imm=1, result=self._gpr(n), **operands)

    def _flop(self, n: int) -> Items:
        middle = self._hot.config[(self._hot.config >= w.FLOP_BASE) & (self._hot.config < w.GLOBAL)]
        index = self._hot.draw(self._rng, middle - w.FLOP_BASE, w.FLOPS, n)
        return w.words(
            "REG2FLOP",
            size=self._of((0, 1, 1, 2, 3), n),
            byte_ofs=self.below(4, n),
            ctx=self.below(4, n),
            flop=index | self.below(8, n) << 7,
            gpr=self._gpr(n),
        )

    def _flop_adc(self, n: int) -> Items:
        size = self._of((1, 2, 3), n)
        byte = np.where(size == 1, 0, np.where(size == 2, 2 * self.below(2, n), self.below(4, n)))
        return w.words(
            "REG2FLOP",
            size=size,
            target=self._of((1, 2, 2, 3, 3), n),
            byte_ofs=byte,
            ctx=self.below(3, n),
            flop_channel=self.below(2, n),
            flop_adc_sel=self.below(3, n),
            flop_cr=self.below(2, n),
            flop_xyzw=self.below(4, n),
            gpr=self._gpr(n),
        )

    # -- units

    def _look(self, unit: int, n: int) -> Items:
        thread = 1 << 8 | self._hot.draw(self._rng, self._hot.thread, 256, n)
        index = self._style((self._index(n), thread, self.below(512, n)), (0.6, 0.3, 0.1), n)
        base = w.look(unit, 0)
        return (base | self.below(1 << 14, n) << 9 | index).astype(np.uint32)

    def _makers(self) -> dict[str, Callable[[int], Items]]:
        makers: dict[str, Callable[[int], Items]] = {
            "wrcfg": self._wrcfg,
            "rdcfg": lambda n: w.words("RDCFG", gpr=self._gpr(n), cfg_index=self._index(n)),
            "rmwcib": self._rmwcib,
            "shiftmask": self._shiftmask,
            "streamwrcfg": self._streamwrcfg,
            "setc16": self._setc16,
            "setc16_state": lambda n: w.words("SETC16", value=self.below(1 << 16, n)),
            "setc16_hi": self._setc16_hi,
            "setc16_bank": self._setc16_bank,
            "stallwait": self._stallwait,
            "stallwait_cfg": lambda n: w.words("STALLWAIT", block=1 << 7, cond=self._of((1, 9), n)),
            "stallwait_pipe": lambda n: w.words("STALLWAIT", block=self._block(n), cond=1 << 12),
            "semwait": self._semwait,
            "streamwait": self._streamwait,
            "seminit": self._seminit,
            "seminit_all": lambda n: w.words("SEMINIT", max=3, value=np.ones(n), sem_mask=0xFF),
            "sempost": lambda n: w.words("SEMPOST", sem_mask=self._sems(n)),
            "semget": lambda n: w.words("SEMGET", sem_mask=self._sems(n)),
            "setdmareg": lambda n: w.words(
                "SETDMAREG",
                value=self.below(1 << 16, n),
                half_reg=2 * self._gpr(n) + self.below(2, n),
            ),
            "add_immediate": lambda n: self._immediate("ADDDMAREG", n),
            "add_group": lambda n: self._two_gprs("ADDDMAREG", n, near=True),
            "add": lambda n: self._two_gprs("ADDDMAREG", n, near=False),
            "multiply_immediate": lambda n: self._immediate("MULDMAREG", n),
            "multiply_group": lambda n: self._two_gprs("MULDMAREG", n, near=True),
            "multiply": lambda n: self._two_gprs("MULDMAREG", n, near=False),
            "flop": self._flop,
            "flop_adc": self._flop_adc,
            "dmanop": lambda n: self._opaque((w.DMANOP >> 24,), n),
            "unpack": lambda n: self._opaque(w.UNPACK, n),
            "pack": lambda n: self._opaque(w.PACK, n),
            "math": lambda n: self._opaque(w.MATH, n),
            "sfpu": lambda n: self._opaque(w.SFPU, n),
            "xmov": lambda n: self._opaque((w.XMOV,), n),
            "adc": lambda n: self._opaque(w.ADC, n),
            "nop": lambda n: self._opaque((w.NOP >> 24,), n),
        }
        for unit in range(3):
            makers[f"look{unit}"] = partial(self._look, unit)
        for mutex in w.MUTEXES:
            makers[f"atgetm{mutex}"] = partial(np.full, fill_value=w.atgetm(mutex), dtype=np.uint32)
            makers[f"atrelm{mutex}"] = partial(np.full, fill_value=w.atrelm(mutex), dtype=np.uint32)
        return makers

    def _faults(self) -> dict[str, Callable[[int], Items]]:
        """Words each of which is a fault, and has no other effect; one maker a kind."""

        def beyond(n: int) -> Numbers:
            edges = self._of((224, 225, 255, 256, 2047), n)
            return self._style((edges, self._rng.integers(224, 2048, n)), (0.5, 0.5), n)

        def near(n: int) -> Numbers:
            return self._rng.integers(224, 256, n)

        def reset(n: int) -> Numbers:
            return np.full(n, w.STATE_RESET)

        def fours(n: int) -> Numbers:
            return w.STATE_RESET | self.below(4, n)

        def no_mutex(n: int) -> Numbers:
            return self._of((1, 5, 6, 7, 8, 12, 0x100, 0xFFFF), n)

        def counter(n: int, **more: Numbers) -> Items:
            fields = {"target": self._of((2, 3), n), "ctx": self.below(4, n)} | more
            fields = {"byte_ofs": self.below(4, n), "flop": self.below(1 << 10, n)} | fields
            return w.words("REG2FLOP", gpr=self._gpr(n), size=self.below(4, n), **fields)

        return {
            "illegal": lambda n: self._opaque(w.ILLEGAL, n),
            "unsupported": lambda n: self._opaque(w.UNSUPPORTED, n),
            "setdmareg_mode": lambda n: w.words(
                "SETDMAREG", mode=1, value=self.below(1 << 16, n), half_reg=self.below(128, n)
            ),
            "wrcfg_beyond": lambda n: w.words(
                "WRCFG", gpr=self._gpr(n), is128=self.below(2, n), cfg_index=beyond(n)
            ),
            "rdcfg_beyond": lambda n: w.words("RDCFG", gpr=self._gpr(n), cfg_index=beyond(n)),
            "rmwcib_beyond": lambda n: w.words("RMWCIB2", mask=0xFF, data=1, cfg_index=near(n)),
            "shiftmask_beyond": lambda n: self._shiftmask(n, near(n)),
            "streamwrcfg_beyond": lambda n: self._streamwrcfg(n, beyond(n)),
            "setc16_beyond": lambda n: w.words(
                "SETC16", value=1, cfg_index=self._rng.integers(w.THREAD_WORDS, 256, n)
            ),
            "flop_beyond": lambda n: w.words(
                "REG2FLOP",
                gpr=self._gpr(n),
                size=self.below(4, n),
                flop=self._rng.integers(w.FLOPS, 128, n),
            ),
            "wrcfg_reset": lambda n: w.words("WRCFG", gpr=self._gpr(n), cfg_index=reset(n)),
            "wrcfg_reset4": lambda n: w.words("WRCFG", gpr=1, is128=1, cfg_index=fours(n)),
            "shiftmask_reset": lambda n: self._shiftmask(n, reset(n)),
            "streamwrcfg_reset": lambda n: self._streamwrcfg(n, reset(n)),
            "sem_cond": lambda n: w.words("SEMWAIT", block=self._block(n), sem_mask=self._sems(n)),
            "atgetm_index": lambda n: w.words("ATGETM", index=no_mutex(n)),
            "atrelm_index": lambda n: w.words("ATRELM", index=no_mutex(n)),
            "atrelm_owner": lambda n: w.words("ATRELM", index=self._of(w.MUTEXES, n)),
            "flop_select": lambda n: counter(n, flop=self.below(1 << 10, n) | 3 << 3),
            "flop_context": lambda n: counter(n, target=np.full(n, 3), ctx=np.full(n, 3)),
            "flop_size": lambda n: counter(n, byte_ofs=2 * self.below(2, n) + 1),
        }
