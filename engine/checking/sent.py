# SPDX-License-Identifier: Apache-2.0
"""What a sequence sent against what the recorders saw of it: no item is lost, changed or repeated.

The model's inputs are records, so that it cannot know of an item that reached none of them. Here
every item that a driver wrote is compared with its record, as far as the player has come; what is
compared is forgotten.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.checking.echo import echoes_of
from tilepath.engine.checking.finding import CheckError, of_stimulus
from tilepath.engine.checking.sent_events import EventEcho
from tilepath.engine.checking.sent_levels import LevelEcho
from tilepath.engine.description.block import Block
from tilepath.engine.description.player import GAP_MASK, Items, Player
from tilepath.engine.description.stream import Records


@dataclass(frozen=True)
class PlayerState:
    """How far a player says that it has come: items presented, and whether the end was seen."""

    consumed: int
    exhausted: bool


class _Progress:
    """How many items of one player were written and presented, and how long the last one stands."""

    def __init__(self, name: str, player: Player) -> None:
        self.name = name
        self.player = player
        self.written = 0
        self.finished = False
        self.exhausted = False
        self.consumed = 0
        self.since = 0
        self._end = 0
        # of each item not yet presented: the gap before it; for a level, the cycle it begins in
        self._next: NDArray[np.int64] = np.zeros(0, np.int64)
        self._begin = 1
        self._parts: deque[Items] = deque()  # from that on of which an item may not be done
        self._first = 0  # number of the first item of those

    def sent(self, items: Items) -> None:
        """The driver wrote ``items``."""
        self._parts.append(items)
        self.written += len(items)
        if self.player.kind == "level":
            ends = self._begin + np.cumsum(np.maximum(items[:, 0], 1), dtype=np.int64)
            begins = np.concatenate(([self._begin], ends[:-1]))
            self._begin = int(ends[-1]) if len(ends) else self._begin
        else:
            begins = (items[:, 0] & GAP_MASK).astype(np.int64)
        self._next = np.concatenate((self._next, begins))

    def advance(self, state: PlayerState, end: int) -> None:
        """The block of cycles before ``end`` is over."""
        new = state.consumed - self.consumed
        if new < 0 or state.consumed > self.written:
            _fail(self.name, f"says that it played {state.consumed} of {self.written} items", end)
        if state.exhausted and (not self.finished or state.consumed < self.written):
            text = f"ended after {state.consumed} items; {self.written} were sent"
            _fail(self.name, text, end)
        if self.player.kind == "level":
            due = int(np.searchsorted(self._next, end, side="right"))
            if new != due:
                text = f"played {state.consumed} items; {self.consumed + due} were due"
                _fail(self.name, text, end)
        if new:
            self.since = end
        self._end = end
        self._next = self._next[new:]
        self.consumed = state.consumed
        self.exhausted = state.exhausted
        while self._parts and self._first + len(self._parts[0]) < self.consumed:
            self._first += len(self._parts.popleft())

    @property
    def standing(self) -> Items | None:
        """The item that has been presented last (1 × words), unless it is done, or may be."""
        in_gap = len(self._next) and not self.stands(self._end)
        if self.player.kind == "level" or self.exhausted or not self.consumed or in_gap:
            return None
        place = self.consumed - 1 - self._first
        return self._parts[0][place : place + 1]

    def stands(self, end: int) -> int:
        """Return for how many cycles before ``end`` at least an item was presented and not done."""
        if self.player.kind == "level" or len(self._next) == 0:
            return 0
        return max(0, end - self.since - int(self._next[0]))


class SentCheck:
    """Compares what was sent with what was recorded, block of cycles after block of cycles.

    ``ValueError`` when the block does not say of each player where it is recorded, or why not.
    """

    def __init__(self, block: Block) -> None:
        players = block.player_table
        echoes = {name: echoes_of(block, name, player) for name, player in players.items()}
        if missing := sorted(n for n, p in players.items() if not echoes[n] and not p.unrecorded):
            raise ValueError(
                f"block {block.name} does not say where {', '.join(missing)} is recorded "
                "(Player.records), or why it is not (Player.unrecorded)"
            )
        self._progress = {name: _Progress(name, player) for name, player in players.items()}
        self._echoes: dict[str, list[EventEcho | LevelEcho]] = {
            name: [_kind(player)(block, name, echo) for echo in echoes[name]]
            for name, player in players.items()
        }

    def sent(self, name: str, items: Items) -> None:
        """Player ``name`` is to play ``items``."""
        self._progress[name].sent(items)
        for echo in self._echoes[name]:
            echo.sent(items)

    def finished(self, name: str) -> None:
        """Player ``name`` gets no more items."""
        self._progress[name].finished = True

    def check(
        self, streams: Mapping[str, Records], states: Mapping[str, PlayerState], end: int
    ) -> None:
        """Compare one block; raises :class:`CheckError` for the first item that is not right."""
        errors: list[CheckError] = []
        for name, progress in self._progress.items():
            for check in self._echoes[name]:
                try:
                    check.check(streams, states[name].consumed, end)
                except CheckError as error:
                    errors.append(error)
            try:
                progress.advance(states[name], end)
            except CheckError as error:
                errors.append(error)
        if errors:
            raise min(errors, key=lambda error: end if error.cycle is None else error.cycle)

    def unplayed(self) -> list[str]:
        """Item players that have not come to their end, with a line on how far they have."""
        return [
            f"{name}: {progress.consumed} of {progress.written} items presented"
            for name, progress in self._progress.items()
            if progress.player.kind == "item" and not progress.exhausted
        ]

    def waits(self, block: Block) -> list[str]:
        """What each player's last item waits for, if it is not done: at first those at the DUT."""
        players = self._progress
        standing = {n: item for n, one in players.items() if (item := one.standing) is not None}
        done = {name: one.consumed - (name in standing) for name, one in players.items()}
        reasons = [
            (name, *_reason(block, name, item, players[name].player, done))
            for name, item in standing.items()
        ]
        return [
            f"{name}: item {players[name].consumed - 1} {text}"
            for name, _, text in sorted(reasons, key=lambda one: not one[1])
        ]

    def standing(self, end: int) -> list[tuple[str, int, str]]:
        """Players whose item stands, for how many cycles at least, with a line that says so."""
        return [
            (name, stands, f"{name}: item {one.consumed - 1} stands for {stands} cycles or more")
            for name, one in self._progress.items()
            if (stands := one.stands(end))
        ]


def _reason(
    block: Block, name: str, item: Items, player: Player, done: Mapping[str, int]
) -> tuple[bool, str]:
    """Whether an item is offered to the DUT; if not, what it waits for.

    ``done``: items of each player that are.
    """
    fields = {one.name: player.unpack(item)[one.name] for one in player.fields}
    values = {name: int(value[0]) for name, value in fields.items() if value.ndim == 1}
    unmet, open_ = [], []  # what is not so, and what nobody here knows
    if waits := player.waits:
        names: dict[int, tuple[str, ...]] = {n: (one,) for one, n in waits.sources.items()}
        names[waits.everyone] = tuple(waits.sources)
        if idle := values.pop("idle", 0):  # none where a player waits for players alone
            open_.append(f"busy & {idle:#x} is 0")
        for way in waits.ways.values():
            own = {group: values.pop(f"{way}_{group}") for group, _ in waits.condition.bits}
            source, count = own["source"], own["count"]
            if not source:
                continue
            if source in waits.more:
                open_.append(waits.more[source].format(**own))
                continue
            who = "all players" if source == waits.everyone else names[source][0]
            text = f"{count} items of {who} are done"
            if not done.keys() >= set(names[source]):  # of joined blocks one's may be no players
                open_.append(text)
            elif (have := sum(done[one] for one in names[source])) < count:
                unmet.append(f"{text}: {have} are")
    if unmet:
        return False, f"waits until {', and until '.join(unmet)}"
    said = [
        f"{field} {value}" + (f" ({text})" if (text := block.explain(name, field, value)) else "")
        for field, value in values.items()
        if value
    ]
    maybe = f"waits until {', and until '.join(open_)}, or " if open_ else ""
    return True, f"{maybe}is offered to the DUT: {', '.join(said) or 'all fields are 0'}"


def _kind(player: Player) -> type[EventEcho] | type[LevelEcho]:
    return LevelEcho if player.kind == "level" else EventEcho


def _fail(name: str, text: str, end: int) -> None:
    why = "The player's own count and what was sent do not agree: look at the player."
    raise of_stimulus(f"player {name} {text} (cycle {end})", [why], end)
