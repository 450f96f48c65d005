# SPDX-License-Identifier: Apache-2.0
"""Architectural state: what the RTL holds after a run, against what both models say.

A harness writes each array of :class:`StateArray` to ``<trace>/<instance>.state`` at the end of
each block of cycles, over what was there: 32-bit words, little-endian, in C order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from tilepath.engine.checking.finding import CheckError
from tilepath.engine.checking.trace import TraceError
from tilepath.engine.compiled.state import Difference, State, differences
from tilepath.engine.description.block import Block
from tilepath.engine.description.boundary import StateArray
from tilepath.engine.description.stimulus import TestSpec
from tilepath.engine.description.stream import Records
from tilepath.engine.host.files import read_bytes

_SHOWN = 8
Explain = Callable[[Sequence[Difference]], Sequence[Difference | str]]


def read_state(folder: Path, arrays: Sequence[StateArray]) -> State:
    """What the RTL held at the end of the last block; :class:`TraceError` where it is not whole."""
    return {array.name: _read(folder, array) for array in arrays}


def _read(folder: Path, array: StateArray) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    parts = []
    for instance in array.instances:
        path = folder / f"{instance}.state"
        try:
            words = np.frombuffer(read_bytes(path), "<i4")
        except (OSError, ValueError) as error:
            raise TraceError(
                f"state {path} cannot be read ({getattr(error, 'strerror', None) or error}); "
                "does the harness write it?"
            ) from None
        if words.size != int(np.prod(array.shape)):
            raise TraceError(f"state {path} has {words.size} numbers instead of {array.shape}")
        parts.append(words.reshape(array.shape))
    whole = np.stack(parts).reshape(array.whole_shape)
    stored = whole.astype(array.dtype)
    if (stored.astype("<i8").astype("<i4") != whole).any():
        raise TraceError(f"state {array.name} has a number that does not fit in {array.dtype}")
    return stored


class StateCheck:
    """Holds the state of a run of ``spec`` against both models of its block.

    ``traces``: the folder in which the harness leaves it.
    """

    def __init__(self, block: Block, profile: str, spec: TestSpec, traces: Path) -> None:
        self._arrays = block.state
        self._traces = traces
        self._untimed = None
        if block.untimed and not block.state:
            raise ValueError(f"block {block.name} has an untimed model, but declares no state")
        if block.untimed and spec.untimed and (block.settles or not spec.endless):
            made = block.untimed if spec.untimed is True else spec.untimed
            self._untimed = made(profile)

    def follow(self, inputs: Mapping[str, Records], expected: Mapping[str, Records]) -> None:
        """Lead the model without time through one block of cycles, which was found right."""
        if self._untimed is not None:
            self._untimed.follow(inputs, expected)

    def check(self, model: State | None, cycle: int, at_rest: bool) -> None:
        """Compare at the end, after ``cycle`` cycles; :class:`CheckError` for a difference.

        ``model``: what the cycle-exact model says. ``at_rest``: nothing is left waiting, so that
        the model without time must say the same.
        """
        if not self._arrays:
            return
        if model is None:
            names = ", ".join(array.name for array in self._arrays)
            raise CheckError(f"the block declares state ({names}), its model has no state()")
        rtl = read_state(self._traces, self._arrays)
        compare(rtl, model, "cycle-exact", cycle)
        if self._untimed is not None and at_rest:
            explain = getattr(self._untimed, "explain", list)
            compare(rtl, self._untimed.state(), "untimed", cycle, explain)


def compare(rtl: State, model: State, whose: str, cycle: int, explain: Explain = list) -> None:
    """Raises :class:`CheckError` where ``rtl`` is not what the model says; ``whose`` model it is.

    ``cycle``: how many cycles there were. ``explain``: as of :class:`Untimed`.
    """
    try:
        found = differences(rtl, model)
    except ValueError as error:
        raise CheckError(
            f"state() of the {whose} model is not what the block declares: {error}"
        ) from None
    told = explain(found)
    if not (found or told):
        return
    other = f"that of the {whose} model" if found else "as expected"
    text = f"state at the end (cycle {cycle}) is not {other}: {told[0]}"
    lines = [f"STATE {text}", "", *(f"  {one}" for one in told[:_SHOWN])]
    if len(told) > _SHOWN:
        lines.append(f"  … {len(told)} in all")
    raise CheckError(text, "\n".join(lines) + "\n", cycle)
