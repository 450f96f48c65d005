# SPDX-License-Identifier: Apache-2.0
"""Checks a stored run again, without simulating: the traces on disk against the present model."""

from __future__ import annotations

import itertools
import json
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from tilepath.engine.checking.finding import CheckError
from tilepath.engine.checking.mismatch import Mismatch, MismatchError
from tilepath.engine.checking.run_check import RunCheck
from tilepath.engine.checking.sent import PlayerState
from tilepath.engine.checking.trace import TraceError, stored_blocks
from tilepath.engine.compiled.account import LeavesAccount
from tilepath.engine.compiled.cycle_exact import concatenated
from tilepath.engine.compiled.records import Records
from tilepath.engine.description.block import Block
from tilepath.engine.description.player import END, Items, Player
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.host.files import open_regular, read_bytes, read_text
from tilepath.engine.host.request import RunRequest
from tilepath.isa import IsaError, profiles


@dataclass(frozen=True)
class CheckResult:
    """``status``: ``pass`` or ``fail``; ``events``: output events compared; ``message``: why.

    Of one that passed ``message`` is its profile, if parameters are set by hand, or were others.
    """

    status: str
    events: int
    message: str


def stored_run(run_dir: Path) -> tuple[RunRequest, list[int]]:
    """What was run in ``run_dir``, and the ends of the blocks of cycles in its traces.

    ``ValueError`` when it is no run, kept no traces, or has FIFOs and the like in their place.
    """
    request = RunRequest.from_json(run_dir / "request.json")
    try:
        profiles.get(request.profile)
        outcome = json.loads(read_text(run_dir / "outcome.json"))
        ends = [int(end) for end in outcome["ends"]]
    except IsaError as error:
        raise ValueError(f"{run_dir}: {error}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{run_dir} holds no run that came to an end: {error}") from None
    if outcome.get("broken"):  # its stimulus is not what the test says
        raise ValueError(f"{run_dir} holds a run that was broken off: {outcome['message']}")
    if not request.check or not request.keeps_trace:
        raise ValueError(f"{run_dir} kept no traces: the run was too long, or not recorded")
    if not ends:
        raise ValueError(f"{run_dir} holds no cycle to check")
    for name in ("trace", "stimulus"):
        _refuse_others(run_dir / name)
    return request, ends


def stored_account(
    run_dir: Path,
) -> tuple[RunRequest, int, dict[str, Records], dict[str, Records]]:
    """What was run, for how many cycles; what the model tells of it, and what was recorded.

    Kind → rows of the account, by cycle; stream → records. Raises ``ValueError`` as
    :func:`stored_run` does, and for a model that leaves no account; :class:`TraceError` where
    traces are damaged.
    """
    request, ends = stored_run(run_dir)
    block = load_block(request.block)
    model = block.model(request.profile)
    if not isinstance(model, LeavesAccount):
        raise ValueError(f"the model of {block.name} leaves no account")
    model.keep_account()
    told, seen = defaultdict[str, list[Records]](list), defaultdict[str, list[Records]](list)
    for part in stored_blocks(run_dir / "trace", block.stream_table, ends):
        model.step({name: part.streams[name] for name in block.inputs}, part.end)
        for kind, rows in chain.from_iterable(one.items() for one in model.account):
            told[kind].append(rows.copy())
        for name, records in part.streams.items():
            seen[name].append(records)
    whole = {kind: concatenated(some) for kind, some in told.items()}
    account = {kind: rows[np.argsort(rows["cycle"], kind="stable")] for kind, rows in whole.items()}
    return request, ends[-1], account, {name: np.concatenate(some) for name, some in seen.items()}


def _refuse_others(folder: Path) -> None:
    """``ValueError`` if there is anything in ``folder`` that is no file: it may never end."""
    for path in sorted(folder.glob("*")):
        try:
            os.close(open_regular(path))
        except OSError as error:
            raise ValueError(f"{path} cannot be read: {error.strerror}") from None


def check_run(run_dir: Path) -> CheckResult:
    """Check the traces in ``run_dir``; ``ValueError`` when it is no run, or kept no traces."""
    check, error = _checked(run_dir)
    if error is None:
        profile = stored_run(run_dir)[0].profile
        return CheckResult("pass", check.events, f"profile {profile}" if "," in profile else "")
    report = error.report if isinstance(error, CheckError) else ""
    return CheckResult("fail", check.events, report or str(error))


def stored_mismatch(run_dir: Path) -> Mismatch | None:
    """Return where RTL and model first differ in ``run_dir``; it raises as :func:`check_run`."""
    error = _checked(run_dir)[1]
    return error.mismatch if isinstance(error, MismatchError) else None


def _checked(run_dir: Path) -> tuple[RunCheck, CheckError | TraceError | None]:
    """The check of a run's traces, and what it found."""
    request, ends = stored_run(run_dir)
    block = load_block(request.block)
    spec = tests_of(request.block).get(request.test)
    if spec is None:
        raise ValueError(f"{run_dir}: block {request.block} has no test {request.test} any more")
    spec = spec.drawn_as(request.context)
    check = RunCheck(block, request.profile, spec, request.endless_cycles, run_dir / "trace")
    try:
        states = _stimulus(run_dir / "stimulus", block, check, len(ends))
        parts = stored_blocks(run_dir / "trace", block.stream_table, ends)
        for part, players in zip(parts, states, strict=True):
            check.check(part, players)
        check.finish(not spec.endless, spec.stands(request.context))
    except (CheckError, TraceError) as error:
        return check, error
    return check, None


def _stimulus(
    folder: Path, block: Block, check: RunCheck, blocks: int
) -> list[dict[str, PlayerState]]:
    """Give ``check`` what was sent; how far each player was at the end of each block of cycles.

    Raises :class:`TraceError` where the files are damaged.
    """
    states: list[dict[str, PlayerState]] = [{} for _ in range(blocks)]
    for name, player in block.player_table.items():
        path = folder / f"{name}.state"
        data = read_bytes(path) if path.exists() else b""
        if len(data) != 8 * blocks:
            raise TraceError(f"{path} has not the states of {blocks} blocks of cycles")
        for state, pair in zip(states, np.frombuffer(data, "<u4").reshape(-1, 2), strict=True):
            state[name] = PlayerState(int(pair[0]), bool(pair[1]))
        for items in stored_items(folder, name, player):
            if (items[:, 0] == END).any():
                check.finished(name)
            else:
                check.sent(name, items)
    return states


def stored_items(folder: Path, name: str, player: Player) -> Iterator[Items]:
    """The chunks of a player, as the driver wrote them; raises :class:`TraceError`."""
    for number in itertools.count():
        path = folder / f"{name}.{number}.bin"
        if not path.exists():
            return
        data = read_bytes(path)
        if len(data) % (4 * player.words):
            raise TraceError(f"{path} is truncated: {len(data)} bytes")
        words = np.frombuffer(data, ">u4").reshape(-1, player.words)
        yield words[:, ::-1].astype(np.uint32)
