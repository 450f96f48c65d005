# SPDX-License-Identifier: Apache-2.0
"""Untimed: the replay buffer, recorded into and played from (F13 to F16)."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.jit import part
from tilepath.engine.compiled.records import Record, record
from tilepath.isa.constants import OP_REPLAY

BUFFER_WORDS: Final = 32
LONGEST_PLAYBACK: Final = 64


class ReplayState(IntEnum):
    """What the replay expander does with the next word; numbers as in the stream ``status``."""

    PASS = 0
    PLAY = 1
    REC = 2


REPLAY_EXPANDER: Final = record(
    count_of_zero=np.int64,  # what a count of 0 stands for: ``replay_count0`` of the profile (F15)
    buffer=(np.uint32, BUFFER_WORDS),
    state=np.int64,  # ReplayState
    index=np.int64,  # of the buffer: the word played or recorded next
    words_left=np.int64,  # to play or record
    executes=np.bool_,  # words that are recorded are passed on, too
)


@part
def is_replay(word: int) -> bool:
    """Whether ``word`` is a REPLAY."""
    return word >> 24 == OP_REPLAY


@part
def has_load(word: int) -> bool:
    """Load of a REPLAY: it starts a recording, otherwise a playback."""
    return word & 1 != 0


@part
def start(replay: Record, word: int) -> None:
    """REPLAY ``word`` starts a playback or a recording. Exec means nothing without Load (F16)."""
    count = (word >> 4) & 63
    replay.words_left = count if count > 0 else replay.count_of_zero  # F15
    replay.index = (word >> 14) & 31
    replay.executes = (word & 3) == 3
    replay.state = ReplayState.REC if has_load(word) else ReplayState.PLAY


@part
def _advance(replay: Record) -> None:
    """One word has been played or recorded; after the last one, words pass."""
    replay.index = (replay.index + 1) & 31  # wraps (F15)
    replay.words_left -= 1
    if replay.words_left == 0:
        replay.state = ReplayState.PASS


@part
def store(replay: Record, word: int) -> None:
    """Record ``word``, whatever it is: a REPLAY does not act now (F13)."""
    replay.buffer[replay.index] = word
    _advance(replay)


@part
def play(replay: Record) -> int:
    """The next word of a playback, as it was recorded: a REPLAY is not expanded (F14)."""
    word: int = replay.buffer[replay.index]
    _advance(replay)
    return word


@part
def play_all(replay: Record, issued: npt.NDArray[Any], count: int) -> int:
    """A whole playback, to ``issued[count]`` and the places behind it; returns the new count."""
    buffer, first = replay.buffer, replay.index
    words: int = replay.words_left
    for place in range(words):
        issued[count + place] = buffer[(first + place) & 31]  # wraps (F15)
    replay.words_left = 0
    replay.state = ReplayState.PASS
    return count + words


@part
def pass_through(replay: Record, word: int, issued: npt.NDArray[Any], count: int) -> int:
    """Give ``word`` to the expander; what leaves goes to ``issued[count]`` and behind it.

    Returns the new count: up to 64 more.
    """
    if replay.state == ReplayState.REC:
        store(replay, word)
        if replay.executes:
            issued[count] = word
            count += 1
    elif is_replay(word):
        start(replay, word)
        if replay.state == ReplayState.PLAY:
            count = play_all(replay, issued, count)
    else:
        issued[count] = word
        count += 1
    return count
