# SPDX-License-Identifier: Apache-2.0
"""The address counters without time: each command takes effect before the next one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.bound import Bound
from tilepath.engine.compiled.jit import compiled
from tilepath.engine.compiled.records import Records, placed, record
from tilepath.engine.description.boundary import Fault
from tilepath.isa import profiles
from tilepath.isa.boundary.adc import BOUNDARY, FAULTS, SETS, UNIT_FAULTS
from tilepath.models.adc import untimed_commands
from tilepath.models.adc.untimed_commands import Counters
from tilepath.models.adc.untimed_state import architectural_state, new_state

_LARGEST_WORD: Final = 0xFFFFFFFF
# By stream: a command of it, and the widths of its fields in bits
_COMMAND: Final = {
    name: record(**{field.name: np.int64 for field in BOUNDARY.stream(name).fields})
    for name in ("unpack", "pack", "flop", "issue")
}
_WIDTHS: Final = {
    name: {field.name: field.width for field in BOUNDARY.stream(name).fields} for name in _COMMAND
}


def _as_commands(stream: str, records: Records) -> Records:
    """Records as compiled loops take them: 32-bit fields as int64, because sums are wider."""
    commands = np.empty(len(records), _COMMAND[stream.rpartition(".")[2]])
    for name in commands.dtype.names or ():
        commands[name] = records[name]
    return commands


def _names(faults: tuple[Fault, ...]) -> tuple[tuple[str, ...], ...]:
    """Names of the faults in each combination of them, bit 0 first."""
    combinations = range(1 << len(faults))
    return tuple(tuple(f.name for f in faults if bits >> f.bit & 1) for bits in combinations)


# By stream the order of its one command
_ONE: Final = {name: np.array([[number, 0]]) for number, name in enumerate(BOUNDARY.inputs)}
_WORD_FAULTS: Final = _names(FAULTS)
_UNIT_FAULTS: Final = _names(UNIT_FAULTS)


class _Streams(NamedTuple):
    """Recorded commands, by number in the order in which those of a cycle apply (A13)."""

    unpack: Records
    pack: Records
    flop: Records
    issue: tuple[Records, ...]  # of each thread


@compiled
def _apply(states: Records, streams: _Streams, order: npt.NDArray[np.int64]) -> int:
    """Each command: rows of ``order`` have its stream's number and its place there.

    Returns the faults of the last one.
    """
    state, faults = states[0], 0
    for row in range(len(order)):
        number, place = order[row, 0], order[row, 1]
        if number == 0:
            update = streams.unpack[place]
            faults = untimed_commands.unpack_update(state, update.unpacker, update)
        elif number == 1:
            untimed_commands.pack_update(state, streams.pack[place])
            faults = 0
        elif number == 2:
            faults = untimed_commands.flop(state, streams.flop[place])
        else:
            word = streams.issue[number - 3][place].word
            faults = untimed_commands.execute(state, number - 3, word)
    return faults


def _check_thread(thread: int) -> None:
    if thread not in range(SETS):
        raise ValueError(f"no thread {thread!r}: choose from 0, 1, 2")


class AddressCounters:
    """The 72 counters of all sets and what changes them, as functions of the state alone.

    Attributes:
        live, checkpoint: uint32, shape (3 sets, 3 targets, 2 channels, 4 counters X Y Z W), all 0
            after reset (A16). May be written at any time with values that fit the widths.
        widths: bits of X, Y, Z and W (A1).
        records: all of it as compiled loops take it, one ``untimed_state.STATE``.
    """

    def __init__(self, profile: str = profiles.DEFAULT, records: Records | None = None) -> None:
        """Counters after reset, in ``records`` if given; ``ValueError`` for an unknown profile."""
        self.records = placed(new_state(profile), records)
        self.live: Counters = self.records["live"][0]
        self.checkpoint: Counters = self.records["checkpoint"][0]
        largest = self.records["largest"][0].tolist()
        self.widths: tuple[int, ...] = tuple(count.bit_length() for count in largest)
        # What loops take for one command: made once, because making arrays is slow
        kept = self._commands = {name: np.zeros(1, command) for name, command in _COMMAND.items()}
        streams = _Streams(kept["unpack"], kept["pack"], kept["flop"], (kept["issue"],) * SETS)
        self._apply = Bound(_apply, self.records, streams)

    def reset(self) -> None:
        """All counters 0 (A16), in the same arrays."""
        self.live[:] = 0
        self.checkpoint[:] = 0

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """The counters as they are, as ``compiled.state`` says.

        ``live`` and ``checkpoint``: uint32, shapes as of the attributes; copies.
        """
        return architectural_state(self.records)

    def execute(self, thread: int, word: int) -> tuple[str, ...]:
        """Execute one 32-bit word of thread 0, 1 or 2 (A2 to A8).

        Returns the names of its faults, in this order: ``illegal`` when the word is none of the
        eight instructions and does nothing, ``x_override``, ``empty``. Raises ``ValueError`` for
        another thread or a word that does not fit in 32 bits.
        """
        _check_thread(thread)
        if not 0 <= word <= _LARGEST_WORD:
            raise ValueError(f"word {word:#x} does not fit in 32 bits")
        self._commands["issue"]["word"] = word
        return _WORD_FAULTS[self._apply.call(_ONE[f"t{int(thread)}.issue"])]

    def apply(self, streams: Mapping[str, Records]) -> None:
        """Everything that the input streams of a recorded run say, in the order of A13.

        ``streams``: input stream → its records, structured arrays with ``cycle`` and the stream's
        fields (uint32), cycles increasing. Raises ``KeyError`` for a stream that is missing.
        """
        given = [_as_commands(name, streams[name]) for name in BOUNDARY.inputs]
        places = [(number, k) for number, one in enumerate(given) for k in range(len(one))]
        cycles = np.concatenate([streams[name]["cycle"] for name in BOUNDARY.inputs])
        order = np.array(places, np.int64).reshape(-1, 2)[np.argsort(cycles, kind="stable")]
        _apply(self.records, _Streams._make((*given[:3], tuple(given[3:]))), order)

    def unpack_update(
        self, unpacker: int, thread: int, adc: int, y0: int, z0: int, y1: int, z1: int
    ) -> tuple[str, ...]:
        """What an unpacker adds after an UNPACR, in set ``thread`` and in set ``adc`` (A11).

        Args:
            unpacker: 0 or 1.
            thread: the set of the UNPACR's thread, 2 bits.
            adc: the set WhichADC (A10), 2 bits; updated once if it is the same.
            y0: increment of Y of channel 0, 2 bits.
            z0: increment of Z of channel 0, 2 bits.
            y1: increment of Y of channel 1, 2 bits.
            z1: increment of Z of channel 1, 2 bits.

        Returns ``("unpack_thread",)`` when a set is number 3 and nothing is written, else ``()``.
        Raises ``ValueError`` for an argument outside its width.
        """
        return self._command(
            "unpack", unpacker=unpacker, thread=thread, adc=adc, y0=y0, z0=z0, y1=y1, z1=z1
        )

    def pack_update(self, sets: int, addr_mod: int) -> tuple[str, ...]:
        """What the packers do after a PACR, by a 16-bit ADDR_MOD_PACK word (P18).

        ``sets`` has bit s for set s. There are no faults: returns ``()``. Raises ``ValueError``
        for an argument outside its width.
        """
        return self._command("pack", sets=sets, addr_mod=addr_mod)

    def flop(
        self, thread: int, select: int, channel: int, counter: int, checkpoint: int, value: int
    ) -> tuple[str, ...]:
        """REG2FLOP's write of a live value, or with ``checkpoint`` of a checkpoint alone (C14).

        Args:
            thread: number of the set, whichever thread the REG2FLOP is of.
            select: 0 unpacker 0, 1 unpacker 1, 2 packers.
            channel: 0 or 1.
            counter: 0 X, 1 Y, 2 Z, 3 W.
            checkpoint: 0 or 1.
            value: 18 bits, truncated to the width of the counter.

        Returns ``flop_thread`` for set 3, ``flop_select`` for select 3, or both; nothing is written
        then. Raises ``ValueError`` for an argument outside its width.
        """
        return self._command(
            "flop", thread=thread, select=select, channel=channel, counter=counter,
            checkpoint=checkpoint, value=value,
        )  # fmt: skip

    def _command(self, stream: str, **values: int) -> tuple[str, ...]:
        """Apply one command of a unit, with these values; returns its faults."""
        widths = _WIDTHS[stream]
        for name, value in values.items():
            if not 0 <= value < 1 << widths[name]:
                raise ValueError(f"{name} {value!r} does not fit in {widths[name]} bits")
        self._commands[stream][0] = tuple(values[name] for name in widths)
        return _UNIT_FAULTS[self._apply.call(_ONE[stream])]
