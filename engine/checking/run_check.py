# SPDX-License-Identifier: Apache-2.0
"""Everything that a run must stand up to, block of cycles after block of cycles and at its end.

The scoreboard uses it inside the simulator, ``tilepath check`` on what a run has stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tilepath.engine.checking.checker import Checker
from tilepath.engine.checking.faults import FaultCheck
from tilepath.engine.checking.finding import CheckError, parts
from tilepath.engine.checking.mismatch import MismatchError, cause_text
from tilepath.engine.checking.sent import PlayerState, SentCheck
from tilepath.engine.checking.state import StateCheck
from tilepath.engine.checking.trace import TraceBlock
from tilepath.engine.description.block import Block
from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import FLOOR_PART, TestSpec, scaled_floor
from tilepath.engine.description.stream import Records


class RunCheck:
    """The checks of one run of ``spec``; ``cycles`` is how long an endless one lasts.

    ``traces``: the folder in which the harness leaves the architectural state.
    """

    def __init__(
        self, block: Block, profile: str, spec: TestSpec, cycles: int, traces: Path
    ) -> None:
        self._block = block
        self._spec = spec
        self._floor = scaled_floor(spec, cycles)
        names = {*block.stream_table, *(stream.name for stream in block.streams)}
        if unknown := [name for name in spec.floor if name not in names]:
            raise ValueError(
                f"test {spec.name} has a floor of {', '.join(unknown)}, no stream of {block.name}"
            )
        self.checker = Checker(block, profile)
        self._faults = FaultCheck(block, spec.faults)
        self._sent = SentCheck(block)
        self._state = StateCheck(block, profile, spec, traces)
        self._levels: dict[str, Records] = {}
        self._events = [
            name
            for name, stream in block.stream_table.items()
            if stream.kind == "event" and stream.direction == "output" and stream.copies
        ]
        self._moved: dict[str, int] = {}  # thread → cycle of the last event that it caused

    @property
    def events(self) -> int:
        """Number of output events compared so far."""
        return self.checker.events

    @property
    def counts(self) -> dict[str, int]:
        """Stream → how many records it had so far, of those that had any."""
        seen = {**self.checker.recorded, **self.checker.compared}
        return {name: count for name, count in seen.items() if count}

    @property
    def faults(self) -> Mapping[str, int]:
        """``stream.fault`` → how many there were so far."""
        return dict(self._faults.counts)

    def sent(self, player: str, items: Items) -> None:
        """A driver gave ``items`` to the player of this name."""
        self._sent.sent(player, items)

    def finished(self, player: str) -> None:
        """A driver told the player of this name that no more items come."""
        self._sent.finished(player)

    def waits(self) -> list[str]:
        """What the items wait for that players stand at, a line each; and if they may be slow."""
        return [*self._sent.waits(self._block), *filter(None, [self._spec.slow])]

    def check(self, block: TraceBlock, players: Mapping[str, PlayerState]) -> None:
        """Check one block of cycles; raises :class:`CheckError`."""
        try:
            expected = self.checker.check(block)
        except MismatchError as error:
            self._explain(error, block, players)
            raise
        self._sent.check(block.streams, players, block.end)
        self._faults.check(block.streams, expected, self._cause)
        self._state.follow(block.streams, expected)
        for name in self._events:
            if len(block.streams[name]):
                thread = name.partition(".")[0]
                last = int(block.streams[name]["cycle"][-1])
                self._moved[thread] = max(self._moved.get(thread, 0), last)
        for stream, _, _ in self._block.balances.rest:
            for name in self._instances(stream):
                if len(block.streams[name]):
                    self._levels[name] = block.streams[name][-1:]

    def _explain(
        self, error: MismatchError, block: TraceBlock, players: Mapping[str, PlayerState]
    ) -> None:
        """Say so where the stimulus is not right either: a mismatch may only follow from that."""
        try:
            self._sent.check(block.streams, players, block.end)
        except CheckError as lost:
            raise MismatchError(
                error.mismatch, f"\n  the stimulus is not as it was sent either:\n  {lost}\n"
            ) from None

    def finish(self, at_end: bool, stands: Sequence[str] = ()) -> None:
        """The run is over; ``at_end``: because the test is, not because it was cut off.

        ``stands``: what is to be left, as ``TestSpec.stands`` says.

        Raises :class:`CheckError` where too little was compared, or something was left waiting.
        """
        cycle = self.checker.cycles
        if self.events == 0:
            raise CheckError(f"the scoreboard compared no event at all (cycle {cycle})")
        for stream, least in self._floor.items():
            self._check_floor(stream, least)
        unfinished = self._left()
        if stands:
            self._check_stands(unfinished + self._sent.unplayed(), stands, cycle)
            self._state.check(self.checker.state(), cycle, at_rest=True)
            return
        left = unfinished if at_end else self._standing(cycle)
        held = [line for line in left if not any(re.search(p, line) for p in self._spec.leaves)]
        if held:
            waiting = self.checker.waiting()
            lines = held + [line for line in waiting if line not in held]
            text = f"the test leaves something waiting in cycle {cycle}: {'; '.join(held)}"
            raise CheckError(text, parts(f"LEFT {text}", lines, self.waits()), cycle)
        self._state.check(self.checker.state(), cycle, at_rest=not unfinished)

    @staticmethod
    def _check_stands(left: Sequence[str], stands: Sequence[str], cycle: int) -> None:
        """What is left is what was predicted, and all of that."""
        odd = [line for line in left if not any(re.search(p, line) for p in stands)]
        odd += [f"nothing like {p}" for p in stands if not any(re.search(p, x) for x in left)]
        if odd:
            text = f"the test stands still in cycle {cycle}, not as predicted: {'; '.join(odd)}"
            report = parts(f"STANDS {text}", left, ("predicted:", *stands))
            raise CheckError(text, report, cycle)

    def _check_floor(self, stream: str, least: int) -> None:
        names = self._instances(stream)
        floors = {stream: (sum(map(self.checker.seen, names)), least)}
        if len(names) > 1:
            share = least // (FLOOR_PART * len(names))
            floors |= {name: (self.checker.seen(name), share) for name in names}
        for name, (seen, needed) in floors.items():
            if seen < needed:
                raise CheckError(
                    f"{name} had only {seen} events; this test needs {needed} "
                    f"(cycle {self.checker.cycles})"
                )

    def _standing(self, cycle: int) -> list[str]:
        """Items that stand at the DUT for too long, of threads that do nothing else either."""
        return [
            line
            for player, stands, line in self._sent.standing(cycle)
            if min(stands, cycle - self._moved.get(player.partition(".")[0], 0))
            >= self._block.longest_wait
        ]

    def _left(self) -> list[str]:
        """What is not finished: what the model says, unequal pairs of streams, busy levels."""
        balances = self._block.balances
        lines = self.checker.waiting()
        for one, other in balances.pairs:
            pairs = zip(self._instances(one), self._instances(other), strict=True)
            for name, partner in pairs:
                count, partners = self.checker.seen(name), self.checker.seen(partner)
                if count != partners:
                    lines.append(f"{name} had {count} events, {partner} {partners}")
        for stream, field, mask in balances.rest:
            for name in self._instances(stream):
                last = int(self._levels[name][field][0]) if name in self._levels else 0
                if last & mask:
                    text = self._block.explain(name, field, last & mask) or f"0x{last & mask:x}"
                    lines.append(f"{name} {field} is not at rest: {text}")
        return lines

    def _instances(self, stream: str) -> tuple[str, ...]:
        found = (s.instances for s in self._block.streams if s.name == stream)
        return next(found, (stream,))

    def _cause(self, event: Records) -> str:
        return cause_text(self._block, self.checker.causes.of(event))
