# SPDX-License-Identifier: Apache-2.0
"""The address counters without time: each command takes effect before the next one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tilepath.isa import profiles
from tilepath.models.adc import commands, streams
from tilepath.models.adc import layout as L
from tilepath.models.jit import kernel

Counters = npt.NDArray[np.uint32]


@kernel
def _execute(
    m: L.Memory, live: L.Memory, checkpoint: L.Memory, thread: int, words: L.Memory, flags: L.Memory
) -> None:
    for i in range(words.shape[0]):
        flags[i] = commands.instruction(m, live, checkpoint, thread, words[i], 0)


@kernel
def _unpack(m: L.Memory, live: L.Memory, checkpoint: L.Memory, a: L.Memory) -> int:
    flags: int = commands.unpack_update(m, live, checkpoint, a[0], a[1], a[2], a[3:], 0)
    return flags


@kernel
def _pack(m: L.Memory, live: L.Memory, checkpoint: L.Memory, a: L.Memory) -> None:
    commands.pack_update(m, live, checkpoint, a[0], a[1], 0)


@kernel
def _flop(m: L.Memory, live: L.Memory, checkpoint: L.Memory, a: L.Memory) -> int:
    what = L.CHECKPOINT if a[4] != 0 else L.LIVE
    flags: int = commands.flop(
        m, live, checkpoint, a[0], a[1], 4 * a[2] + a[3], what, a[5], 0
    )  # fmt: skip
    return flags


def _check_thread(thread: int) -> None:
    if thread not in range(streams.SETS):
        raise ValueError(f"no thread {thread!r}: choose from 0, 1, 2")


class AddressCounters:
    """The 72 counters of all sets and what changes them, as functions of the state alone.

    Attributes:
        live, checkpoint: uint32, shape (3 sets, 3 targets, 2 channels, 4 counters X Y Z W), all 0
            after reset (A16). May be written at any time with values that fit the widths.
        widths: bits of X, Y, Z and W (A1).
    """

    def __init__(self, profile: str = profiles.DEFAULT) -> None:
        """Counters after reset. Raises ``ValueError`` for an unknown profile."""
        self._m = L.new_memory(profile)
        shape = (streams.SETS, len(streams.TARGETS), 2, 4)
        self.live: Counters = np.zeros(shape, dtype=np.uint32)
        self.checkpoint: Counters = np.zeros(shape, dtype=np.uint32)
        masks = self._m[L.WIDTH : L.WIDTH + 4].tolist()
        self.widths: tuple[int, ...] = tuple(mask.bit_length() for mask in masks)
        self._state = (self._m, self.live.reshape(-1), self.checkpoint.reshape(-1))
        self._word = np.zeros(1, dtype=np.int64)
        self._flags = np.zeros(1, dtype=np.uint8)

    def execute(self, thread: int, word: int) -> tuple[str, ...]:
        """Execute one 32-bit word of thread 0, 1 or 2 (A2 to A7).

        Returns the names of its faults, in this order: ``illegal`` when the word is none of the
        eight instructions and does nothing, ``x_override``, ``empty``. Raises ``ValueError`` for
        another thread or a word that does not fit in 32 bits.
        """
        _check_thread(thread)
        if not 0 <= word <= L.LOW32:
            raise ValueError(f"word {word:#x} does not fit in 32 bits")
        self._word[0] = word
        _execute(*self._state, int(thread), self._word, self._flags)
        return L.flag_names(int(self._flags[0]), L.WORD_FLAGS)

    def execute_all(self, thread: int, words: npt.ArrayLike) -> npt.NDArray[np.uint8]:
        """Execute 32-bit words of one thread in order.

        Returns the faults of each word: uint8, shape (n,), bit 0 ``illegal``, 1 ``x_override``,
        2 ``empty``. Raises ``ValueError`` as ``execute`` does, before anything is executed.
        """
        _check_thread(thread)
        given = np.asarray(words)
        if given.size == 0:
            return np.zeros(0, dtype=np.uint8)
        if given.ndim != 1 or given.dtype.kind not in "iu":
            raise ValueError("words: want a sequence of integers")
        if given.min() < 0 or given.max() > L.LOW32:
            raise ValueError("words: one does not fit in 32 bits")
        flags = np.empty(given.size, dtype=np.uint8)
        _execute(*self._state, int(thread), given.astype(np.int64), flags)
        return flags

    def unpack_update(
        self, unpacker: int, thread: int, adc: int, y0: int, z0: int, y1: int, z1: int
    ) -> tuple[str, ...]:
        """What an unpacker adds after an UNPACR, in set ``thread`` and in set ``adc`` (A11).

        Args:
            unpacker: 0 or 1.
            thread: number of a set, 2 bits.
            adc: number of a set, 2 bits; the same one is updated once.
            y0: increment of Y of channel 0, 2 bits.
            z0: increment of Z of channel 0, 2 bits.
            y1: increment of Y of channel 1, 2 bits.
            z1: increment of Z of channel 1, 2 bits.

        Returns ``("unpack_thread",)`` when a set is number 3 and nothing is written, else ``()``.
        Raises ``ValueError`` for an argument outside its width.
        """
        a = self._arguments(
            "unpack", unpacker=unpacker, thread=thread, adc=adc, y0=y0, z0=z0, y1=y1, z1=z1
        )
        return L.flag_names(_unpack(*self._state, a), L.UNIT_FLAGS)

    def pack_update(self, sets: int, addr_mod: int) -> tuple[str, ...]:
        """What the packers do after a PACR, by a 16-bit ADDR_MOD_PACK word (P18).

        ``sets`` has bit s for set s. There are no faults: returns ``()``. Raises ``ValueError``
        for an argument outside its width.
        """
        _pack(*self._state, self._arguments("pack", sets=sets, addr_mod=addr_mod))
        return ()

    def flop(
        self, thread: int, select: int, channel: int, counter: int, checkpoint: int, value: int
    ) -> tuple[str, ...]:
        """REG2FLOP's write of a live value, or with ``checkpoint`` of a checkpoint alone (C14).

        Args:
            thread: number of the set.
            select: 0 unpacker 0, 1 unpacker 1, 2 packers.
            channel: 0 or 1.
            counter: 0 X, 1 Y, 2 Z, 3 W.
            checkpoint: 0 or 1.
            value: 18 bits, truncated to the width of the counter.

        Returns ``flop_thread`` for set 3, ``flop_select`` for select 3, or both; nothing is written
        then. Raises ``ValueError`` for an argument outside its width.
        """
        a = self._arguments(
            "flop", thread=thread, select=select, channel=channel, counter=counter,
            checkpoint=checkpoint, value=value,
        )  # fmt: skip
        return L.flag_names(_flop(*self._state, a), L.UNIT_FLAGS)

    def _arguments(self, stream: str, **values: int) -> npt.NDArray[np.int64]:
        widths = streams.INPUTS[stream]
        for name, value in values.items():
            if not 0 <= value < 1 << widths[name]:
                raise ValueError(f"{name} {value!r} does not fit in {widths[name]} bits")
        return np.array([values[name] for name in widths], dtype=np.int64)
