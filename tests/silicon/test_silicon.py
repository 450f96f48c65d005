# SPDX-License-Identifier: Apache-2.0
"""What was measured on chips, or told from their RTL, on the machine and on the RTL.

Readings of a chip are one kernel: each fills SrcA, SrcB or Dst, does its words and packs rows.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

from tilepath.engine.checking.state import read_state
from tilepath.engine.description.registry import tests_of
from tilepath.engine.host.run import RunRequest, run
from tilepath.isa.boundary.datapath import BOUNDARY
from tilepath.models import kernels
from tilepath.models.kernels import Verdict
from tilepath.models.machine import Machine
from tilepath.sequences.datapath.kernels import own_tests
from tilepath.tb.datapath.streams import LINE_BYTES, OWN_KERNELS
from tilepath.tests.cosim_runs import FAST, recorded

Bytes = npt.NDArray[np.uint8]
FOLDER: Final = Path(__file__).parent

_COLUMNS: Final = 16
_GPRS: Final = 64
_HEADER: Final = 16  # bytes in front of a tile
_NUMBERS: Final = {"a": 1, "b": 101, "d": 201}  # of row 0, where a reading gives no datums
_BITS: Final = {0: 32, 8: 32, 1: 16, 5: 16, 9: 16, 6: 8, 10: 8, 7: 4, 15: 2}  # of a format's datum
_ROWS: Final = {"a": 32, "b": 32, "d": 64}  # then
_FRESH: Final = {  # words after which SrcA's banks are as good as new
    "baseline": "UNPACR_NOP_ZEROSRC 0,1,1,0",
    "blackhole": "UNPACR_NOP 0,0,0,0,0,1,1,0,1",
}
_IN: Final = "REG0_TileDescriptor_InDataFormat"
_FIELDS: Final = tomllib.loads((FOLDER / "scene.toml").read_text())
_USUAL: Final[Mapping[str, int]] = _FIELDS["usual"]  # what a reading may change
_ALWAYS: Final[Mapping[str, int]] = _FIELDS["always"]


@dataclass(frozen=True)
class Reading:
    """What was seen of a chip. ``given`` is its line in the table over those of its group."""

    name: str
    chips: tuple[str, ...]
    given: Mapping[str, Any]

    def __str__(self) -> str:
        return self.name

    @property
    def out(self) -> Bytes:
        """What the packer leaves in L1."""
        return _packed(self.rows("out"), _BITS[self.given.get("form", 0)])

    def rows(self, key: str) -> list[str]:
        """Rows of datums."""
        numbers = range(_ROWS.get(key, 0))
        own = self.given.get(key, [f"@{key}{row}" for row in numbers])
        if own == "grid":  # a number for each datum
            return [" ".join(f"{16 * row + c + 1}." for c in range(16)) for row in numbers]
        names = self.given.get("names", {})  # of rows; several of them may stand in a line
        lines = [text.split() if text.split()[0] in names else [text] for text in _times(own)]
        return [names.get(one, one) for line in lines for one in line]


def _times(lines: Iterable[str]) -> Iterator[str]:
    """Lines; of one that ends with ``x n`` there are n."""
    for line in lines:
        text, _, times = line.partition(" x ")
        yield from [text] * int(times or 1)


def _datum(text: str) -> int:
    """Bits: hexadecimal, of an FP32 number with a point, or of row n of ``@a``, ``@b``, ``@d``."""
    if text.startswith("@"):
        text = f"{_NUMBERS[text[1]] + int(text[2:])}."
    return int(np.float32(text).view(np.uint32)) if "." in text else int(text, 16)


def _packed(rows: Sequence[str], bits: int) -> Bytes:
    """Datums in the order of L1, of which a row has 16, the same again if it names less.

    An exponent that they share stands in front of ``|``; exponents come first.
    """
    parts = [row.rpartition("|") for row in rows]
    exponents = [int(first, 16) for first, bar, _ in parts if bar]
    exponents += [0] * (-len(exponents) % _HEADER)
    datums = [np.resize([_datum(one) for one in text.split()], _COLUMNS) for *_, text in parts]
    flat = np.concatenate(datums).astype(np.uint64)
    ones = (flat[:, None] >> np.arange(bits, dtype=np.uint64) & np.uint64(1)).astype(np.uint8)
    own = np.packbits(ones.reshape(-1), bitorder="little")
    return np.concatenate((np.array(exponents, np.uint8), own))


def readings(table: str) -> Iterator[Reading]:
    """All readings of a table."""
    for name, group in tomllib.loads((FOLDER / f"{table}.toml").read_text()).items():
        lines = group.pop("readings", [{}])
        for place, line in enumerate(lines):
            given = {**group, **line, "set": group.get("set", {}) | line.get("set", {})}
            chips = tuple(given.get("chips", ("blackhole",)))
            label = line.get("name", place if len(lines) > 1 else "")
            yield Reading(f"{name} {label}".strip(), chips, given)


@dataclass
class Scene:
    """A kernel of many readings, one behind the other, and where each leaves what it sees."""

    profile: str
    readings: list[Reading] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)
    _tiles: dict[bytes, int] = field(default_factory=dict)  # contents: address in L1
    _places: dict[str, int] = field(default_factory=dict)  # name: address in L1, or GPR
    _at: int = 0x10000
    _out: int = 0xC0000

    def add(self, reading: Reading) -> None:
        """Play a reading behind the others."""
        given = reading.given
        self._lines.append(f"# {reading}")
        self.readings.append(reading)
        words = [*given.get("first", ()), *given.get("words", ()), *given.get("last", ())]
        if "gpr" in given:
            gpr = sum("gpr" in one.given for one in self.readings)
            self._places[reading.name] = gpr = _GPRS - gpr
            self._do(word.replace("GPR", str(gpr)) for word in words)
            return
        changed = {name: now for name, now in given["set"].items() if _USUAL.get(name, 0) != now}
        self._set(changed)
        self._do(("ZEROACC 3,0,0,0,0", "SETRWC 0,0,0,0,0,15"))
        if "d" in given or "unpack" in given:
            self._to_dst(reading)
        if words:
            self._to_src(reading, 0, "a")
            self._to_src(reading, 1, "b")
            self._do((*words, "sync", "SETRWC 3,0,0,0,0,15"))
        self._pack(reading)
        self._set({name: _USUAL.get(name, 0) for name in changed})

    def _do(self, words: Iterable[str]) -> None:
        self._lines += [*_times(words), "sync"]

    def _set(self, fields: Mapping[str, int]) -> None:
        self._do(f"set {name}={value}" for name, value in fields.items())

    def _tile(self, reading: Reading, key: str, code: int) -> tuple[int, int]:
        """The line in L1 of a tile with a reading's rows, which equal ones share; their datums."""
        rows = reading.rows(key)
        data = _packed(rows, _BITS[code]).tobytes()
        if data not in self._tiles:
            self._tiles[data] = self._at
            self._at += _HEADER + len(data)
        return self._tiles[data] >> 4, _COLUMNS * len(rows)

    def _to_src(self, reading: Reading, unpacker: int, key: str) -> None:
        block, target = f"THCON_SEC{unpacker}_", 1 + unpacker
        code = reading.given["set"].get(f"{block}{_IN}", 0)
        line, count = self._tile(reading, key, code)
        flip = int(reading.given.get("hold") != key)
        self._set({f"{block}REG3_Base_address": line})
        self._do(
            (
                f"SETADCXX {target},{count - 1},0",
                f"SETADCXY {target},0,0,0,0,10",
                f"UNPACR {unpacker},0,0,0,0,1,{flip},0,0,0,0,0,1",
            )
        )

    def _to_dst(self, reading: Reading) -> None:
        code = reading.given.get("dform", 0)
        line, count = self._tile(reading, "d", code)
        ways = {f"THCON_SEC0_{_IN}": code, "THCON_SEC0_REG2_Out_data_format": code}
        ways |= {"THCON_SEC0_REG2_Unpack_if_sel_cntx0_3": 1, "SRCA_SET_SetOvrdWithAddr": 0}
        self._set({"THCON_SEC0_REG3_Base_address": line, **ways})
        first = reading.given.get("unpack", (f"SETADCXX 1,{count - 1},0", "SETADCXY 1,0,0,0,0,10"))
        self._do((*first, "UNPACR 0,0,0,0,0,1,0,0,0,0,0,0,1", "sync", _FRESH[self.profile]))
        self._do(("SETADCXY 1,0,0,0,0,15", "SETADCZW 1,0,0,0,0,15"))
        usual = _ALWAYS | _USUAL | reading.given["set"]
        self._set({name: usual.get(name, 0) for name in ways})

    def _pack(self, reading: Reading) -> None:
        given = reading.given
        rows = given.get("rows", len(reading.rows("out")))
        at = given.get("at", self._out)
        offset = given.get("offset", 0)
        self._out += 0 if "at" in given else _HEADER + offset + 4 * _COLUMNS * rows
        self._places[reading.name] = at + _HEADER + offset
        first = {"DEST_TARGET_REG_CFG_PACK_SEC0_Offset": given.get("see", 0)}
        self._set({"THCON_SEC0_REG1_L1_Dest_addr": at >> 4, **first})
        words = ["SETADCXY 4,0,0,0,0,10", *given.get("pack", ())]
        if self.profile == "blackhole":  # four rows at once
            words += ["SETADCXX 4,15,0", *["PACR 0,0,0,0,0,0,15,0,0,0,0,0"] * (rows // 4 - 1)]
            words.append("PACR 0,0,0,1,0,0,15,0,0,0,0,1")
        else:
            words += [f"SETADCXX 4,{_COLUMNS * rows - 1},0", "PACR 0,0,0,1,0,0,1,0,0,0,0,1"]
        self._do(words)

    def found(self, reading: Reading, l1: Bytes, gprs: npt.NDArray[np.uint32]) -> tuple[str, str]:
        """What a reading's place in L1, or its GPR, holds, and what the chip had there."""
        place = self._places[reading.name]
        if "gpr" in reading.given:
            return f"{int(gprs[place]):08X}", reading.given["gpr"]
        size = _BITS[reading.given.get("form", 0)]
        return _text(l1[place : place + reading.out.size], size), _text(reading.out, size)

    def save(self, folder: Path, name: str) -> Path:
        """Write the kernel and its files of numbers."""
        text = [f"config {field}={value}" for field, value in (_ALWAYS | _USUAL).items()]
        for data, at in self._tiles.items():
            np.save(folder / f"{at}.npy", np.frombuffer(data, np.uint8)[None].astype(np.float64))
            text.append(f'tile in{at} UINT8 1x{len(data)} at {at} flat = "{at}.npy"')
        path = folder / f"{name}.kernel"
        path.write_text("\n".join([*text, "thread 0 {", *self._lines, "}", ""]))
        return path


def _text(data: Bytes, bits: int) -> str:
    """Datums of so many bits, or bytes of less, a row a line."""
    size = max(bits // 8, 1)
    datums = [data[at : at + size][::-1].tobytes().hex() for at in range(0, data.size, size)]
    rows = [" ".join(datums[at : at + _COLUMNS]) for at in range(0, len(datums), _COLUMNS)]
    return "\n".join(rows).upper()


PROFILES = ("baseline", "blackhole")
TABLES = tuple(
    sorted((path.stem for path in FOLDER.glob("*.toml") if path.stem != "scene"), reverse=True)
)
AGAINST = "against"  # readings that a decision of ours does not follow
CASES = [
    pytest.param(table, profile, reading, id=f"{profile} {reading}")
    for table in TABLES
    for profile in PROFILES
    for reading in readings(table)
    if profile in reading.chips
]


@functools.cache
def _played(table: str, profile: str, folder: Path) -> tuple[Scene, Verdict]:
    scene = Scene(profile)
    for reading in readings(table):
        if profile in reading.chips:
            scene.add(reading)
    kernel = kernels.load(scene.save(folder, f"{table}_{profile}"), profile)
    return scene, kernels.play(kernel)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("silicon")


@pytest.mark.parametrize("table, profile, reading", CASES)
def test_machine(table: str, profile: str, reading: Reading, folder: Path) -> None:
    scene, verdict = _played(table, profile, folder)
    assert verdict.run.end == "done", verdict.run.waiting
    m = verdict.machine
    found, wanted = scene.found(reading, np.asarray(m.unpack.l1), m.gpr[0])
    if table == AGAINST:  # follows the decision; when it is mended, the line moves to another table
        assert found != wanted
    else:
        assert found == wanted


def _faults(some: Iterable[Reading]) -> set[str]:
    """What the readings say that they raise."""
    return {name for one in some for name in one.given.get("faults", ())}


@pytest.mark.parametrize("profile", PROFILES)
def test_faults(profile: str, folder: Path) -> None:
    for table in TABLES:
        named = _faults(readings(table))
        _, verdict = _played(table, profile, folder)
        assert {fault.name for fault in verdict.machine.faults} <= named


@pytest.mark.parametrize("profile", PROFILES)
def test_rtl(profile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One run with all of them: what the packers' ports brought to L1, and registers at the end."""
    scene = Scene(profile)
    for table in TABLES:
        for reading in readings(table):
            if table != AGAINST and profile in reading.chips:
                scene.add(reading)
    file = scene.save(tmp_path, "silicon")
    monkeypatch.setenv(OWN_KERNELS, str(file))
    monkeypatch.setitem(tests_of("datapath"), file.stem, own_tests()[file.stem])
    request = RunRequest("datapath", file.stem, 1, FAST, profile, out_dir=tmp_path, cold=True)
    result = run(request)
    report = result.report.read_text() if result.report else ""
    assert report or result.status == "pass", result.message
    # faults fail a kernel; in one program a reading's UNPACR also follows another's that is to Dst
    named = _faults(scene.readings) | {"spare_unpacr"}
    for line in report.split("\n\n")[1].splitlines() if report else ():
        fault = re.match(r"  without time: fault (\w+)", line)
        assert fault and fault[1] in named, report
    folder = result.run_dir
    l1 = np.zeros((Machine(profile).l1.size // LINE_BYTES, LINE_BYTES), np.uint8)
    for name, records in recorded(folder).items():
        if name.endswith(".stored"):
            l1[records["line"]] = records["data"].copy().view(np.uint8)
    arrays = [array for array in BOUNDARY.state if array.name == "gpr"]
    gprs = read_state(folder / "trace", arrays)["gpr"][0]
    seen = {str(one): scene.found(one, l1.reshape(-1), gprs) for one in scene.readings}
    assert {name: pair for name, pair in seen.items() if pair[0] != pair[1]} == {}


def test_tables() -> None:
    """Each reading has a source, its strength and a sentence; there are enough of them."""
    found = [reading for table in TABLES for reading in readings(table)]
    for reading in found:
        assert reading.given["source"] and reading.given["says"], reading
        assert reading.given["strength"] in ("A", "B", "C"), reading
        assert set(reading.chips) <= set(PROFILES), reading
    assert len({reading.name for reading in found}) == len(found) >= 60
