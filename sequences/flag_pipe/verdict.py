# SPDX-License-Identifier: Apache-2.0
"""What the model without time says of a program that may stand still (T27)."""

from __future__ import annotations

from collections.abc import Mapping

from tilepath.engine.description.packing import Items
from tilepath.models.flag_pipe import Command, FlagPipe
from tilepath.sequences.flag_pipe.script import cores
from tilepath.tb.flag_pipe.streams import CMD


def walked(profile: str, players: Mapping[str, Items]) -> tuple[str, tuple[str, ...]]:
    """The verdict on all items of the cores, and for ``TestSpec.stands`` what is left then.

    Only of items that wait for nothing but the flags.
    """
    lists, sent = [], []
    for number in cores():
        items = players.get(f"core{number}.cmd")
        fields = CMD.unpack(items) if items is not None else {}
        count = 0 if items is None else len(items)
        columns = [fields[name].tolist() for name in Command._fields] if count else []
        lists.append([Command(*row) for row in zip(*columns, strict=True)])
        sent.append(count)
    outcome = FlagPipe(profile).run(lists)
    left: list[str] = []
    for number in cores():
        taken = len(outcome.responses[number])
        if taken == sent[number]:
            continue
        name = f"core{number}"
        left += [rf"^{name}\.core state is not at rest: WAIT$"]
        left += [rf": {('AIC', 'AIV0', 'AIV1')[number]} blocked at "]
        if taken + 1 < sent[number]:
            left += [rf"^{name}\.cmd: {taken + 2} of {sent[number]} items presented$"]
            left += [rf": {('AIC', 'AIV0', 'AIV1')[number]} is offered a command$"]
    return outcome.verdict, tuple(left)
