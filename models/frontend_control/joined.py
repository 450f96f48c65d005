# SPDX-License-Identifier: Apache-2.0
"""The models of front end and control, tied together at the recorded interface between them.

Each of the two gets the interface as it was recorded, and what each predicts of it is compared: the
front end's model says in which cycle a word leaves R if the gate is ready as recorded, control's in
which cycle the gate takes it. If both are right in every cycle before, both are right in the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.description.boundary import NOT_KNOWN, ORIGIN_STREAMS
from tilepath.isa.boundary import control
from tilepath.isa.boundary.frontend_control import BOUNDARY, RENAMED
from tilepath.models.control import ControlModel
from tilepath.models.frontend import FrontendModel
from tilepath.models.frontend_control.account import GateAccount

Records = npt.NDArray[Any]
Cycles = npt.NDArray[np.int64]

THREADS: Final = 3
_OFFER: Final = np.dtype([("cycle", "<u4"), ("word", "<u4"), ("origin", "<i8")])


def joined_name(name: str) -> str:
    """Name in the joined block of control's stream ``name``, with or without its thread."""
    thread, dot, suffix = name.rpartition(".")
    return f"{thread}{dot}{RENAMED.get(suffix, suffix)}"


def named_account(
    part: str, account: Sequence[Mapping[str, Records]]
) -> list[Mapping[str, Records]]:
    """The account of the model of ``part``, with the part's name in front of each kind."""
    return [{f"{part}.{kind}": rows for kind, rows in one.items()} for one in account]


class _Offers:
    """It knows when the words of one thread are first offered to the gate.

    A legal word is offered from the later of two cycles on: the one after it was written to R, and
    the one after the word before it left. An illegal word is never offered.
    """

    def __init__(self) -> None:
        self._written = np.zeros(0, np.int64)  # cycles of writes to R whose word has not left
        self._words = np.zeros(0, np.int64)
        self._origins = np.zeros(0, np.int64)
        self._left = -1  # cycle in which the last word left
        self._offered = 0  # of the words above: how many were dealt with

    def step(self, rq: Records, issue: Records, illegal: npt.NDArray[np.bool_]) -> Records:
        """Offers that follow from the writes to R and the departures since the last call.

        ``illegal``: by opcode. The last word to be offered may be offered in the cycle after those
        that were stepped: the caller holds it back.
        """
        written = np.concatenate([self._written, rq["cycle"].astype(np.int64)])
        words = np.concatenate([self._words, rq["word"].astype(np.int64)])
        origins = np.concatenate([self._origins, rq["origin"]])
        departures = np.concatenate([[self._left], issue["cycle"].astype(np.int64)])
        # word k can be dealt with once word k - 1 has left
        ready = min(len(words), len(departures))
        part = slice(self._offered, ready)
        cycles = np.maximum(written[:ready], departures[:ready])[part] + 1
        legal = ~illegal[words[part] >> 24]
        offers = np.empty(int(legal.sum()), _OFFER)
        offers["cycle"] = cycles[legal]
        offers["word"] = words[part][legal]
        offers["origin"] = origins[part][legal]
        gone = len(departures) - 1
        self._left = int(departures[-1])
        self._written, self._words, self._origins = written[gone:], words[gone:], origins[gone:]
        self._offered = ready - gone
        return offers


class JoinedModel:
    """Expected outputs of the joined block; ``inputs`` are those of both, and ``ready``.

    ``seam``: leaves the account of what lies between the two, by itself where nothing else is asked
    for.
    """

    def __init__(self, profile: str) -> None:
        """Model after reset. Raises ``ValueError`` for an unknown profile."""
        from tilepath.isa.tables import must_not_issue

        self.seam = GateAccount()
        self._frontend = FrontendModel(profile)
        self._control = ControlModel(profile)
        self._illegal = np.array(must_not_issue(), np.bool_)
        self._offers = [_Offers() for _ in range(THREADS)]
        self._late = [np.zeros(0, _OFFER) for _ in range(THREADS)]

    def keep_account(self) -> None:
        """Leave an account (``compiled.account``); a kind is called ``control.gate``."""
        for model in (self._frontend, self._control, self.seam):
            model.keep_account()

    @property
    def account(self) -> Sequence[Mapping[str, Records]]:
        """Return the account of both models, and of the seam."""
        front = named_account("frontend", self._frontend.account)
        return [*front, *named_account("control", self._control.account), *self.seam.account]

    def step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        """Output records with cycle < ``until``, from the input records up to there."""
        outputs = dict(self._frontend.step(_part(inputs, self._frontend.inputs), until))
        for thread in range(THREADS):
            name = f"t{thread}.offer"
            new = self._offers[thread].step(
                outputs[f"t{thread}.rq"], outputs[f"t{thread}.issue"], self._illegal
            )
            offers = np.concatenate([self._late[thread], new])
            now = offers["cycle"] < until
            outputs[name], self._late[thread] = offers[now], offers[~now]
        given = {**inputs, **{n: outputs[n] for n in _offer_names()}}
        expected = self._control.step(_part(given, self._control.inputs), until)
        for name, records in expected.items():
            records["origin"] = _renumbered(records["origin"])
            outputs[joined_name(name)] = records
        self.seam.step({**outputs, **inputs}, until)
        return outputs

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """The state of both models, which have no names in common."""
        return {**self._frontend.state(), **self._control.state()}

    def waiting(self) -> list[str]:
        """Return what holds each thread, as control's model does."""
        return list(self._control.waiting())


def _numbers() -> npt.NDArray[np.int64]:
    """Number of each of control's inputs here; ``NOT_KNOWN`` for an offer, which is no input.

    The front end's ``issue`` before an event tells its word. The front end's inputs come first
    here, so that their numbers stay as they are.
    """
    here = BOUNDARY.inputs
    return np.array(
        [here.index(name) if name in here else NOT_KNOWN for name in control.BOUNDARY.inputs]
    )


_NUMBERS: Final = _numbers()


def _renumbered(origins: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Origins of control's model as those of the joined block."""
    known = origins >= 0
    index, number = np.divmod(np.where(known, origins, 0), ORIGIN_STREAMS)
    here = _NUMBERS[number]
    return np.where(known & (here >= 0), index * ORIGIN_STREAMS + here, NOT_KNOWN)


def _offer_names() -> tuple[str, ...]:
    return tuple(f"t{thread}.offer" for thread in range(THREADS))


def _part(inputs: Mapping[str, Records], names: tuple[str, ...]) -> dict[str, Records]:
    return {name: inputs[name] for name in names}
