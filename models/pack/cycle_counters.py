# SPDX-License-Identifier: Apache-2.0
"""The address counters beside the packers: their updates by PACRs (P18), and what they show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.records import Records, record
from tilepath.engine.description.boundary import ORIGIN_STREAMS
from tilepath.isa.boundary.adc import BOUNDARY as ADC
from tilepath.isa.boundary.pack import BOUNDARY, THREADS
from tilepath.isa.constants import OP_PACR
from tilepath.models.adc.embedded import Beside
from tilepath.models.pack import fields as F

CHANGE: Final = record(cycle=np.int64, live=(np.uint32, (2, 4)))
"""Changes of the packers' counters in one set, by cycle."""
_ISSUE: Final = BOUNDARY.number("issue")
_MODES: Final = F.ADDR_MODE.mask + 1


class Counters:
    """``models.adc`` with the packers' commands, one in the cycle after each PACR's issue."""

    def __init__(self, profile: str) -> None:
        """Begin after reset."""
        self.beside = Beside(profile, BOUNDARY, "pack", "packers")
        self._addr_mods = np.zeros((THREADS, _MODES), np.int64)  # as registered
        self._late = np.zeros(0, ADC.table["pack"].dtype)  # commands of the next block
        self._late_origins: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._issues = 0

    def step(
        self, given: Mapping[str, Records], raw: Mapping[str, Records], until: int
    ) -> tuple[dict[str, Records], tuple[Records, ...]]:
        """Output streams of the counters, and their changes as the loop takes them.

        ``given``: checked inputs of the cycles before ``until``; ``raw``: as they came.
        """
        commands, origins = self._take_commands(given, until)
        out, found = self.beside.advance(commands, origins, raw, until)
        return out, tuple(_changes(found[f"t{of_set}.packers"]) for of_set in range(THREADS))

    def _take_commands(
        self, given: Mapping[str, Records], until: int
    ) -> tuple[Records, npt.NDArray[np.int64]]:
        """Updates in the cycles before ``until``, and their origins; one after that is kept."""
        issues = given["issue"]
        word = issues["word"].astype(np.int64)
        pacr = word >> 24 == OP_PACR
        word, thread = word[pacr], issues["thread"][pacr].astype(np.int64)
        made = np.zeros(word.size, self._late.dtype)
        made["cycle"] = issues["cycle"][pacr] + 1
        of_set = np.where(
            word >> F.OVRD_THREAD_ID.lsb & 1,
            word >> F.ADDR_CNT_CONTEXT.lsb & F.ADDR_CNT_CONTEXT.mask,
            thread,
        )
        made["sets"] = 1 << np.where(of_set == THREADS, 0, of_set)
        mode = word >> F.ADDR_MODE.lsb & F.ADDR_MODE.mask
        for of_thread in range(THREADS):
            writes = _own_writes(given, of_thread)
            self._read_addr_mods(writes, of_thread, thread, mode, made)
        numbers = self._issues + np.flatnonzero(pacr)
        self._issues += issues.shape[0]
        origins = np.concatenate((self._late_origins, numbers * ORIGIN_STREAMS + _ISSUE))
        commands = np.concatenate((self._late, made))
        late = commands["cycle"] >= until
        self._late, self._late_origins = commands[late], origins[late]
        return commands[~late], origins[~late]

    def _read_addr_mods(
        self,
        writes: dict[str, npt.NDArray[np.int64]],
        of_thread: int,
        thread: npt.NDArray[np.int64],
        mode: npt.NDArray[np.int64],
        made: Records,
    ) -> None:
        """ADDR_MOD_PACK words of one thread, as registered in the cycles of the updates."""
        for of_mode in range(_MODES):
            ours = writes["index"] == F.ADDR_MOD + of_mode
            values = np.concatenate(([self._addr_mods[of_thread, of_mode]], writes["value"][ours]))
            wanted = (thread == of_thread) & (mode == of_mode)
            seen = np.searchsorted(writes["cycle"][ours], made["cycle"][wanted])
            made["addr_mod"][wanted] = values[seen]
            self._addr_mods[of_thread, of_mode] = values[-1]


def _own_writes(given: Mapping[str, Records], thread: int) -> dict[str, npt.NDArray[np.int64]]:
    """Writes of a thread's ThreadConfig in order: in a cycle a core's store, then the SETC16."""
    stores = given["store"]
    parts = (stores[stores["thread"] == thread], given[f"t{thread}.setc16"])
    found = {
        name: np.concatenate([part[name].astype(np.int64) for part in parts])
        for name in ("cycle", "index", "value")
    }
    order = np.argsort(found["cycle"], kind="stable")
    return {name: values[order] for name, values in found.items()}


def _changes(levels: Records) -> Records:
    """Live values of a set by cycle."""
    changes = np.zeros(levels.shape[0], CHANGE)
    changes["cycle"] = levels["cycle"]
    for channel in range(2):
        changes["live"][:, channel, 0] = levels[f"x{channel}"]
        for place, name in enumerate("yzw", 1):
            changes["live"][:, channel, place] = levels[f"{name}{channel}"] & 0xFFFF
    return changes
