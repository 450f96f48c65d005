# SPDX-License-Identifier: Apache-2.0
"""Untimed: one word at a time, for users who push word by word.

What a thread keeps is one record, ``THREAD``, which the walk over whole programs has, too.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.isa.constants import OP_MOP, OP_MOP_CFG, OP_REPLAY
from tilepath.models.frontend.untimed_mop import MOP_EXPANDER, next_word, prepare
from tilepath.models.frontend.untimed_replay import LONGEST_PLAYBACK, REPLAY_EXPANDER, pass_through
from tilepath.models.jit import compiled
from tilepath.models.records import Records, record

NO_WORD: Final = -1
# What does not leave as it came, even if nothing is recorded
EXPANDED: Final = frozenset((OP_MOP, OP_MOP_CFG, OP_REPLAY))


THREAD: Final = record(
    mop=MOP_EXPANDER,
    replay=REPLAY_EXPANDER,
    next_word=np.int64,  # of the program
    next_write=np.int64,
    finished=np.bool_,  # nothing of the program is left
)


@compiled
def expand_word(threads: Records, issued: npt.NDArray[np.uint32], word: int) -> int:
    """What leaves the thread for ``word``, to ``issued``; returns the count of words there.

    Of a MOP as much as is sure to fit: as long as ``mop.words_left`` is not 0, call again with
    ``NO_WORD``.
    """
    thread = threads[0]
    mop, replay = thread.mop, thread.replay
    if word != NO_WORD:
        opcode = word >> 24
        if opcode == OP_MOP_CFG:
            mop.mask_hi = word & 0xFFFF  # F8
            return 0
        if opcode != OP_MOP:
            return pass_through(replay, word, issued, 0)
        prepare(mop, word)
    count = 0
    while mop.words_left > 0 and count + LONGEST_PLAYBACK <= len(issued):
        count = pass_through(replay, next_word(mop), issued, count)
    return count
