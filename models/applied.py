# SPDX-License-Identifier: Apache-2.0
"""What records of a run do to a state without time, where blocks have the same streams."""

from __future__ import annotations

from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from tilepath.isa.constants import CFG_GLOBAL_BASE, CFG_WORDS, THD_WORDS
from tilepath.models.adc import AddressCounters

_LINE_BYTES: Final = 16
STREAMS: Final = (
    "cfg",
    "flop",
    "store",
    *(f"t{thread}.{kind}" for thread in range(3) for kind in ("setc16", "counter")),
    "l1_write",
)
"""Those whose records change a state of most blocks; in this order within a cycle."""


def write_config(config: npt.NDArray[np.uint32], banks: int, fields: Any) -> None:
    """A write of one word, or of the four that it is among, to the ``banks`` (a bit each)."""
    index = int(fields["index"])
    first, count = (index & ~3, 4) if fields["wide"] else (index, 1)
    for word in range(first, min(first + count, CFG_WORDS)):
        for bank in (0, 1):
            if word >= CFG_GLOBAL_BASE or banks >> bank & 1:
                config[bank, word] = fields["data"][word - first]


class Applied:
    """A state that records change: a method ``_apply_KIND`` for each kind of stream.

    ``fields``: the record, or anything that has its fields by their names. ``streams``: those that
    the state takes, in the order in which those of a cycle take effect.
    """

    streams: ClassVar[tuple[str, ...]] = STREAMS
    config: npt.NDArray[np.uint32]
    thread_config: npt.NDArray[np.uint16]
    adc: AddressCounters
    l1: npt.NDArray[np.uint8]

    def apply(self, stream: str, fields: Any) -> Any:
        """Do what a record of one of ``streams`` does; ``ValueError`` for any other stream.

        Returns what came of it, if it is an instruction.
        """
        if stream not in self.streams:
            raise ValueError(f"{stream!r} is none of the streams {', '.join(self.streams)}")
        thread, _, kind = stream.rpartition(".")
        return getattr(self, f"_apply_{kind}")(fields, int(thread[1:] or 0))

    def _apply_cfg(self, fields: Any, _thread: int) -> None:
        write_config(self.config, int(fields["banks"]), fields)

    def _apply_flop(self, fields: Any, _thread: int) -> None:
        write_config(self.config, 1 << int(fields["bank"]), fields)

    def _apply_store(self, fields: Any, _thread: int) -> None:
        Applied._apply_setc16(self, fields, int(fields["thread"]))

    def _apply_setc16(self, fields: Any, thread: int) -> None:
        if fields["index"] < THD_WORDS:  # beyond: dropped (C6)
            self.thread_config[thread, fields["index"]] = fields["value"]

    def _apply_counter(self, fields: Any, thread: int) -> None:
        self.adc.execute(thread, int(fields["word"]))

    def _apply_l1_write(self, fields: Any, _thread: int) -> None:
        first = _LINE_BYTES * int(fields["line"])
        place = self.l1[first : first + 4 * len(fields["data"])]
        place[:] = np.asarray(fields["data"], "<u4").view(np.uint8)[: len(place)]
