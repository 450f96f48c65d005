# SPDX-License-Identifier: Apache-2.0
"""The models of all blocks, each on its own recorded inputs.

If every block does in every cycle what its model says of what it got, and got what its neighbours
gave, then the whole is right; no model of the whole is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.records import Records
from tilepath.engine.description.boundary import NOT_KNOWN, ORIGIN_STREAMS, Boundary
from tilepath.isa.boundary import frontend_control
from tilepath.isa.boundary.datapath import (
    BOUNDARY,
    L1_CHUNK,
    L1_CHUNKS,
    OPS,
    PARTS,
    STAND_FOR,
    joined_name,
)
from tilepath.isa.boundary.pack import BOUNDARY as PACK
from tilepath.isa.boundary.pack import SLOTS
from tilepath.models.adc import AdcModel
from tilepath.models.datapath.account import DatapathAccount, raised
from tilepath.models.datapath.connections import ISSUES, Connections
from tilepath.models.dst_rows import DST_CHANGE, LOW_HALF, Access, zeroed
from tilepath.models.frontend_control import JoinedModel
from tilepath.models.frontend_control.joined import named_account
from tilepath.models.pack import PackModel
from tilepath.models.pack.state import COLUMNS
from tilepath.models.standin import StandinModel
from tilepath.models.unpack import UnpackModel
from tilepath.models.unpack.cycle import L1_CHANGE

THREADS: Final = 3
_FRONT: Final = frontend_control.BOUNDARY
_RAISED: Final = BOUNDARY.stream("raised").expected_dtype
_SHOWN: Final = ("poll >=", "poll <", "poll =")


def l1_sums(words: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """Return the sum that the state has of each KiB of ``words`` (uint32, any shape, whole KiB)."""
    odd = 2 * np.arange(L1_CHUNK, dtype=np.uint32) + 1
    sums = np.zeros(L1_CHUNKS, np.uint32)
    found = (words.reshape(-1, L1_CHUNK) * odd).sum(axis=1, dtype=np.uint32)
    sums[: len(found)] = found
    return sums


def _numbers(boundary: Boundary, names: Mapping[str, str]) -> npt.NDArray[np.int64]:
    """Return, for each input of a block, the number of the input here that ``names`` calls it."""
    here = {name: number for number, name in enumerate(BOUNDARY.inputs)}
    return np.array([here.get(names.get(name, name), NOT_KNOWN) for name in boundary.inputs])


def _renumbered(records: Records, numbers: npt.NDArray[np.int64]) -> Records:
    """``records`` with origins of the joined block in the place of their own."""
    known = records["origin"] >= 0
    index, number = np.divmod(np.where(known, records["origin"], 0), ORIGIN_STREAMS)
    here = numbers[number]
    records["origin"] = np.where(known & (here >= 0), index * ORIGIN_STREAMS + here, NOT_KNOWN)
    return records


def _raised(found: Mapping[str, Records]) -> Records:
    """Cycles in which any block but the Matrix Unit has a fault, or a word goes to nobody."""
    cycles, _ = raised(found)
    made = np.zeros(len(cycles), _RAISED)
    made["cycle"], made["origin"] = cycles, NOT_KNOWN
    return made


def _stored(inputs: Mapping[str, Records]) -> Records:
    """Lines that L1 took from the packers, for the unpackers' model; a later port wins."""
    ports = [inputs[f"w{port}.stored"] for port in range(SLOTS)]
    made = np.zeros(sum(map(len, ports)), L1_CHANGE)
    for own, field in (("cycle", "cycle"), ("line", "line"), ("data_", "data")):
        made[own] = np.concatenate([records[field] for records in ports])
    return made[np.argsort(made["cycle"], kind="stable")]


def _given(got: Records, gave: Records) -> Records:
    """Return the words that a unit got and control gave: models refuse what is none of theirs.

    ``connection`` tells of the others, in the cycle in which they come.
    """
    keys = [
        r["cycle"].astype(np.int64) << 34 | r["thread"].astype(np.int64) << 32 | r["word"]
        for r in (got, gave)
    ]
    return got[np.isin(*keys)]


# --- what the Matrix Unit and unpacker 0 do to Dst, as changes of its rows of storage

_DST: Final = 2  # target of ``matrix_write``
_ALL: Final = (1 << COLUMNS) - 1
_KEEP: Final = -1


class _Change(NamedTuple):
    cycle: int
    order: int  # in the cycle: valid bits, then rows, which win
    row: int
    mask: int
    numbers: Any
    valid: int


def _rows(cycle: int, storage: int, wide: int, mask: int, data: Any) -> Iterator[_Change]:
    """A row, or its high and low halves."""
    values = np.asarray(data, np.uint32)
    high = values >> 16 if wide else values
    yield _Change(cycle, 1, storage, mask, high & 0xFFFF, 1)
    if wide:
        yield _Change(cycle, 1, storage + LOW_HALF, mask, values & 0xFFFF, _KEEP)


def _of_matrix(commands: Records, writes: Records) -> Iterator[_Change]:
    for record in commands[commands["zero"] == 1]:
        for row in zeroed(record):
            yield _Change(int(record["cycle"]), 0, row, 0, 0, int(record["undo"]))
    for record in writes[writes["target"] == _DST]:
        wide = int(record["wide"])
        storage = Access.of(record).row(wide, int(record["row"]))
        yield from _rows(int(record["cycle"]), storage, wide, _ALL, record["data"])


def reads(commands: Records) -> Records:
    """Rows of storage that the Matrix Unit reads, as the packers' ``dst_read``."""
    asked = commands[commands["read"] >> 2 == 1]
    made = np.zeros(len(asked), PACK.table["dst_read"].dtype)
    for place, record in enumerate(asked):
        row = Access.of(record).row(int(record["wide"]), int(record["row"]))
        made[place] = (record["cycle"], row, record["wide"])
    return made


def changes(inputs: Mapping[str, Records], unpacked: Records) -> Records:
    """Changes in the order in which they take effect (``DST_CHANGE``).

    ``inputs``: ``matrix`` and ``matrix_write``; ``unpacked``: those of unpacker 0, which writes in
    no cycle in which the Matrix Unit does.
    """
    found = sorted(_of_matrix(inputs["matrix"], inputs["matrix_write"]), key=lambda one: one[:2])
    made = np.zeros(len(found), DST_CHANGE)
    for place, one in enumerate(found):
        made[place] = (one.cycle, one.row, one.mask, one.numbers, one.valid)
    both = np.concatenate((made, unpacked))
    return both[np.argsort(both["cycle"], kind="stable")]


# --- the models


class _Part:
    """The model of a block, and its streams by their names here."""

    def __init__(self, name: str, model: Any) -> None:
        boundary = PARTS[name]
        self.model = model
        self.inputs = {
            own: STAND_FOR.get(name, {}).get(own, joined_name(name, own)) for own in boundary.inputs
        }
        self.inputs = {own: here for own, here in self.inputs.items() if here in BOUNDARY.table}
        self.outputs = {own: joined_name(name, own) for own in boundary.outputs}
        self._numbers = _numbers(boundary, self.inputs)

    def given(self, inputs: Mapping[str, Records]) -> dict[str, Records]:
        """Return those of the inputs here that are the block's, by its own names."""
        return {own: inputs[here] for own, here in self.inputs.items()}

    def step(
        self, inputs: Mapping[str, Records], until: int, **more: Records
    ) -> dict[str, Records]:
        """Outputs by the block's own names, with origins of the joined block.

        ``more``: inputs of the block that are none of the joined one.
        """
        found: Mapping[str, Records] = self.model.step({**self.given(inputs), **more}, until)
        return {name: _renumbered(records, self._numbers) for name, records in found.items()}


class DatapathModel:
    """What every block of ``datapath`` does with what it got, and where a connection is not one.

    ``seam``: leaves the account of what blocks do to each other, by itself where nothing else is
    asked for.
    """

    def __init__(self, profile: str) -> None:
        """Begin after reset. Raises ``ValueError`` for an unknown profile."""
        self.seam = DatapathAccount()
        self._front = JoinedModel(profile)
        self._adc = _Part("adc", AdcModel(profile))
        self._unpack = _Part("unpack", UnpackModel(profile))
        self._standin = _Part("standin", StandinModel(profile))
        self._pack = _Part("pack", PackModel(profile))
        self._parts = {
            "adc": self._adc, "unpack": self._unpack, "standin": self._standin, "pack": self._pack
        }  # fmt: skip
        self._front_numbers = _numbers(_FRONT, {})
        self._connections = Connections(profile)
        self._items: list[np.void | None] = [None] * THREADS  # that are not done

    def keep_account(self) -> None:
        """Leave an account (``compiled.account``); a kind is called ``unpack.step``."""
        for model in (self._front, *(part.model for part in self._parts.values()), self.seam):
            model.keep_account()

    @property
    def account(self) -> Sequence[Mapping[str, Records]]:
        """Return the account of all models, and of the seams."""
        named = (named_account(name, part.model.account) for name, part in self._parts.items())
        return [*self._front.account, *chain.from_iterable(named), *self.seam.account]

    def step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        """Output records with cycle < ``until``, from the input records up to there."""
        front = self._front.step({name: inputs[name] for name in _FRONT.inputs}, until)
        for records in front.values():
            _renumbered(records, self._front_numbers)
        words = {to: _given(inputs[to], front[of]) for to, of in ISSUES.items()}
        known = {**inputs, **words}
        adc = self._adc.step(known, until)
        self._unpack.model.l1_changes = _stored(inputs)
        for part in (self._unpack, self._pack):
            part.model.counters.flops = inputs["adc_flop"]
        unpack = self._unpack.step(known, until)
        standin = self._standin.step(known, until)
        given = self._unpack.given(known)
        self._pack.model.dst_changes = changes(given, self._unpack.model.dst_changes)
        pack = self._pack.step(known, until, dst_read=reads(given["matrix"]))
        found = dict(front)
        for part, own in (
            (self._adc, adc), (self._unpack, unpack), (self._standin, standin), (self._pack, pack)
        ):  # fmt: skip
            found |= {part.outputs[name]: records for name, records in own.items()}
        updates = self._unpack.model.counters.commands, self._pack.model.counters.commands
        found["connection"] = self._connections.step(inputs, found, *updates, until)
        found["raised"] = _raised(found)
        self.seam.step({**found, **inputs}, until)
        self._follow_items(inputs)
        return {name: found[name] for name in BOUNDARY.outputs}

    def _follow_items(self, inputs: Mapping[str, Records]) -> None:
        for thread in range(THREADS):
            items, done = inputs[f"t{thread}.item"], inputs[f"t{thread}.item_done"]
            if len(items):
                self._items[thread] = items[-1]
            last = self._items[thread]
            if len(done) and last is not None and done["cycle"][-1] >= last["cycle"]:
                self._items[thread] = None

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """The state of all models, as the boundary describes it."""
        unpack, standin = self._unpack.model.state(), self._standin.model.state()
        its = {
            **self._front.state(),
            **self._adc.model.state(),
            **{name: unpack[name] for name in ("src_owner", "src_bank")},
            **{name: standin[name] for name in ("rwc", "matrix_bank")},
            "l1_sum": l1_sums(self._pack.model.l1),
        }
        return {array.name: its[array.name] for array in BOUNDARY.state}

    def waiting(self) -> list[str]:
        """What holds each thread, unit and core."""
        lines = list(self._front.waiting())
        for part in (self._unpack, self._standin, self._pack):
            lines += part.model.waiting()
        for thread, item in enumerate(self._items):
            if item is not None:
                op, index, value = OPS[item["op"]], int(item["index"]), int(item["value"])
                what = f"{op} {value} of semaphore {index}" if op in _SHOWN else op
                lines.append(f"core of thread {thread}: {what}, since cycle {int(item['cycle'])}")
        return lines
