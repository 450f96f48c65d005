# SPDX-License-Identifier: Apache-2.0
"""The front end without time, led by what a run recorded.

Time decides three things that the model without time must be told: before which MOP a MopCfg write
comes (F7), before which word of M a word of BRISC, and which word of the expander is lost to it
(F18). All of it is in the streams ``ingest``, ``mq`` and ``fault``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.checking.finding import CheckError
from tilepath.engine.compiled.state import State, by_thread
from tilepath.engine.description.boundary import ORIGIN_STREAMS
from tilepath.engine.description.stream import Records
from tilepath.isa.boundary.frontend import BOUNDARY, THREADS
from tilepath.isa.constants import OP_MOP, OP_MOP_CFG
from tilepath.models.frontend.untimed import FunctionalThread

_INPUTS: Final = ("push", "mopcfg")
_OUTPUTS: Final = ("ingest", "mq", "issue", "fault")


class UntimedFrontend:
    """Three threads' words, in the order in which they took effect."""

    def __init__(self, profile: str) -> None:
        self._profile = profile
        self._parts: defaultdict[str, list[Records]] = defaultdict(list)

    def follow(self, inputs: Mapping[str, Records], expected: Mapping[str, Records]) -> None:
        """Keep what one block of cycles recorded."""
        for source, names in ((inputs, _INPUTS), (expected, _OUTPUTS)):
            for thread in range(THREADS):
                for name in names:
                    self._parts[f"t{thread}.{name}"].append(source[f"t{thread}.{name}"])

    def state(self) -> State:
        """``mop_cfg``, ``mask_hi``, ``replay_buffer`` of the threads, after all words.

        Raises :class:`CheckError` when a thread issues other words than were recorded.
        """
        return by_thread([self._executed(thread).state() for thread in range(THREADS)])

    def _whole(self, name: str) -> Records:
        return np.concatenate(self._parts[name])

    def _executed(self, thread: int) -> FunctionalThread:
        """Thread ``thread`` after all its words."""
        stream = {name: self._whole(f"t{thread}.{name}") for name in (*_INPUTS, *_OUTPUTS)}
        model = FunctionalThread(self._profile)
        expanded = model.expand_mops(stream["push"]["word"], _writes(stream))
        brisc = BOUNDARY.number(f"t{thread}.brisc")
        written = _merged(expanded, stream["mq"], stream["fault"], brisc)
        issued = model.replay(written)
        if not np.array_equal(issued, stream["issue"]["word"]):
            recorded = len(stream["issue"])
            raise CheckError(
                f"thread {thread} of the untimed model issues {len(issued)} words, "
                f"which are not the {recorded} that were recorded"
            )
        return model


def _writes(stream: Mapping[str, Records]) -> npt.NDArray[np.int64]:
    """MopCfg writes: before which pushed word, index, data.

    A write in a cycle is seen by the MOPs that are ingested in later ones (F7).
    """
    opcodes = stream["push"]["word"] >> 24
    ingested = np.flatnonzero((opcodes == OP_MOP) | (opcodes == OP_MOP_CFG))
    writes = stream["mopcfg"]
    after = np.searchsorted(stream["ingest"]["cycle"], writes["cycle"], side="right")
    places = np.append(ingested, len(opcodes))[np.minimum(after, len(ingested))]
    return np.stack([places, writes["index"], writes["data"]], axis=1).astype(np.int64)


def _merged(
    expanded: npt.NDArray[np.uint32], mq: Records, fault: Records, brisc: int
) -> npt.NDArray[np.uint32]:
    """What goes to M: the expander's words and, where ``mq`` has them, BRISC's.

    A word of BRISC in the cycle of a collision takes the place of the expander's.
    """
    from_brisc = mq["origin"] % ORIGIN_STREAMS == brisc
    collisions = fault["cycle"][fault["collision"] != 0]
    taken = ~from_brisc | np.isin(mq["cycle"], collisions)
    number = np.cumsum(taken) - 1  # of the expander's word that each place takes or loses
    if int(taken.sum()) != len(expanded):
        raise CheckError(
            f"the untimed model expands to {len(expanded)} words, {int(taken.sum())} went to M"
        )
    words = mq["word"].astype(np.uint32)
    words[~from_brisc] = expanded[number[~from_brisc]]
    return words
