# SPDX-License-Identifier: Apache-2.0
"""The cores' address space: which register a 32-bit load or store reaches.

Addresses of Config, semaphores, MopCfg, stream registers and of the push of a word are those of the
specification (frontend-config, section 2); that of the scalar unit's registers, and those at which
BRISC pushes into threads 1 and 2, are those of the public header ``tensix.h``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple

from tilepath.isa import constants
from tilepath.isa.boundary.frontend import THREADS
from tilepath.models.control import state
from tilepath.models.frontend.untimed_mop import CONFIG_REGISTERS
from tilepath.models.machine.cores import CoreAccess
from tilepath.models.machine.records import as_integer, as_thread

BRISC: Final = "brisc"
WORD: Final = 4  # bytes

STREAMS: Final = 0xFFB40000
MOP_CFG: Final = 0xFFB80000
GPRS: Final = 0xFFE00000
PUSH: Final = 0xFFE40000
SEMAPHORES: Final = 0xFFE80020
CONFIG: Final = 0xFFEF0000
_NEXT_PUSH: Final = 0x10000  # from thread to thread, for BRISC
BOTH_BANKS: Final = 2  # number of the bank of Config that is both
_THREAD_CONFIG: Final = 3 * constants.CFG_WORDS


class Place(NamedTuple):
    """A register: which kind, of what (a thread, a bank, a stream), and its number there."""

    kind: str
    of: int
    number: int


def _config(word: int) -> Place:
    """A word of Config's range (section 4 of the contract of ``control``)."""
    if word < _THREAD_CONFIG:
        return Place("config", *divmod(word, constants.CFG_WORDS))
    return Place("thread_config", *divmod(word - _THREAD_CONFIG, constants.THD_WORDS))


@lru_cache
def _place(l1_bytes: int, core: Any, address: int) -> Place | None:
    """What ``core`` has at a word's address; ``None``: nothing of the model's."""
    brisc = core == BRISC
    own = 0 if brisc else core
    if address < l1_bytes:
        return Place("l1", 0, address)
    for kind, base, count, seen in (
        ("stream", STREAMS, state.STREAMS * state.STREAM_REGISTERS, True),
        ("mop_cfg", MOP_CFG, CONFIG_REGISTERS, not brisc),  # F23
        ("gpr", GPRS, state.GPRS, not brisc),
        ("semaphore", SEMAPHORES, state.SEMAPHORES, True),
        ("config", CONFIG, _THREAD_CONFIG + THREADS * constants.THD_WORDS, True),
    ):
        index = (address - base) // WORD
        if seen and 0 <= index < count:
            if kind == "config":
                return _config(index)
            if kind == "stream":
                return Place(kind, *divmod(index, state.STREAM_REGISTERS))
            return Place(kind, own, index)
    thread, rest = divmod(address - PUSH, _NEXT_PUSH)
    if rest == 0 and (0 <= thread < THREADS if brisc else thread == 0):
        return Place("push", thread if brisc else own, 0)
    return None


def checked(m: CoreAccess, core: Any, address: Any) -> tuple[Any, Place]:
    """The core, and what it has at ``address``; errors as of ``Machine.store``."""
    who = core if isinstance(core, str) and core == BRISC else as_thread(core)
    at = as_integer("address", address, 32)
    if at % WORD:
        raise ValueError(f"address {at:#x}: not that of a word of 32 bits")
    place = _place(m.l1.size, who, at)
    if place is None:
        name = "BRISC" if who == BRISC else f"the core of thread {who}"
        raise ValueError(f"address {at:#x}: nothing that {name} has in the model")
    return who, place


def store(m: CoreAccess, push: Callable[..., object], core: Any, address: Any, value: Any) -> None:
    """See ``Machine.store``; ``push`` is the machine's."""
    core, (kind, of, index) = checked(m, core, address)
    value = as_integer("value", value, 32)
    if kind == "l1":
        m.write_l1(index, value.to_bytes(WORD, "little"))
    elif kind == "push":
        push(of, value, behind_mop=core == BRISC)
    elif kind == "semaphore":
        (m.get_semaphore if value & 1 else m.post_semaphore)(index, 0 if core == BRISC else core)
    elif kind == "config":
        m.write_config(index, value, None if of == BOTH_BANKS else of)
    elif kind == "thread_config":
        m.write_thread_config(of, index, value & 0xFFFF)
    else:
        getattr(m, f"write_{kind}")(of, index, value)


def load(m: CoreAccess, core: Any, address: Any) -> int:
    """See ``Machine.load``."""
    core, (kind, of, index) = checked(m, core, address)
    if kind == "l1":
        return int.from_bytes(m.read_l1(index, WORD).tobytes(), "little")
    if kind == "semaphore":
        return m.read_semaphore(index)
    if kind == "config":
        return m.read_config(index, of % BOTH_BANKS)
    if kind == "thread_config":
        return m.read_thread_config(of, index)
    if kind == "gpr":
        return m.read_gpr(of, index)
    if kind == "stream":
        return int(m.streams[of, index])
    raise ValueError(f"address {address:#x}: can only be written")
