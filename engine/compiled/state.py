# SPDX-License-Identifier: Apache-2.0
"""Architectural state: what a program has left behind, however it was executed.

A cycle-exact model and an untimed one of the same block both have a method ``state()``: a
dictionary from name to NumPy array, with the same names, shapes and dtypes in both. It holds what
the decisions name (counters, registers, semaphores, …) and nothing of how a model does its work: no
queues, pipelines or cycles. The arrays are copies, so that a state can be kept.

- The cycle-exact model's is the state after the last modelled cycle, ``now - 1``: commands of that
  cycle have taken effect, though the outputs that show it may still be to come.
- The untimed model's is the state after the last executed instruction.

After a run in which nothing is left waiting they are equal, and equal to what the RTL holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

State = Mapping[str, npt.NDArray[Any]]


class Difference(NamedTuple):
    """An element of two states that is not the same in both: in array ``name`` at ``place``."""

    name: str
    place: tuple[int, ...]
    got: int
    want: int

    def __str__(self) -> str:
        """Say it as in ``live[0, 2, 1, 3]: 0x5, want 0x6``."""
        where = f"[{', '.join(map(str, self.place))}]" if self.place else ""
        return f"{self.name}{where}: {self.got:#x}, want {self.want:#x}"


def by_thread(states: Sequence[State]) -> dict[str, npt.NDArray[Any]]:
    """The states of several threads as one: each array gets a first dimension more."""
    return {name: np.stack([state[name] for state in states]) for name in states[0]}


def differences(got: State, want: State) -> list[Difference]:
    """The elements that differ, by the order of the names in ``want`` and of the indices.

    Raises ``ValueError`` when names, shapes or dtypes are not the same: then one of the two is not
    a state of that block.
    """
    if got.keys() != want.keys():
        raise ValueError(f"states of {', '.join(got)} and of {', '.join(want)}")
    unequal = []
    for name, wanted in want.items():
        found = got[name]
        if found.shape != wanted.shape or found.dtype != wanted.dtype:
            raise ValueError(f"{name}: {found.dtype}{found.shape} and {wanted.dtype}{wanted.shape}")
        for place in map(tuple, np.argwhere(found != wanted).tolist()):
            unequal.append(Difference(name, place, int(found[place]), int(wanted[place])))
    return unequal
