# SPDX-License-Identifier: Apache-2.0
"""``tilepath asm``, ``disasm`` and ``import-kernel``: words there and back; logs become kernels."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tilepath import isa
from tilepath.engine.description.block import ROOT
from tilepath.isa import constants, profiles
from tilepath.isa.registers import Space, elsewhere
from tilepath.models import kernels
from tilepath.models.machine import items
from tilepath.models.machine.addresses import CONFIG, MOP_CFG, PUSH, SEMAPHORES, WORD
from tilepath.tests.cli.fakes import invoke, printed
from tilepath.tests.cli.files import CASES
from tilepath.tests.commands import refused
from tilepath.tests.tables import beside

_COMMAND = "import-kernel"
_PROGRAMS = ROOT / "sequences" / "datapath" / "programs"
Core = list[int | str]  # words, and what else a core does


@pytest.mark.parametrize(("command", "part"), CASES["words"])
def test_what_asm_and_disasm_print(command: str, part: str) -> None:
    assert part in printed(*shlex.split(command))


@pytest.mark.parametrize("profile", profiles.names())
def test_disasm_undoes_asm(profile: str) -> None:
    word = printed("asm", "--profile", profile, "REPLAY 3,7,1,0").split()[0]
    assert "REPLAY 3, 7, 1, 0" in printed("disasm", "--profile", profile, word)


def _refused(log: Path, *options: str) -> str:
    return refused(invoke(_COMMAND, str(log), *options))


def _cores(profile: str) -> list[Core]:
    """What the cores of add1 do."""
    cores: list[Core] = []
    for program in kernels.load(_PROGRAMS / "add1.kernel", profile).programs:
        cores.append([])
        for item in program:
            if isinstance(item, items.Push):
                cores[-1] += item.words
            elif isinstance(item, items.MopCfg):
                cores[-1].append(f"store {MOP_CFG + 4 * item.index} {item.value}")
            else:
                cores[-1].append(str(item))
    return cores


def _as_text(cores: list[Core], folder: Path) -> Path:
    lines = [f"{thread} {one}" for thread, core in enumerate(cores) for one in core]
    (folder / "add1.log").write_text("\n".join(lines))
    return folder / "add1.log"


def _as_json(cores: list[Core], folder: Path) -> Path:
    rows = [
        {"cycle": cycle, "thread": thread, **_row(one)}
        for thread, core in enumerate(cores)
        for cycle, one in enumerate(core)
    ]
    (folder / "add1.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder / "add1.jsonl"


def _row(one: int | str) -> dict[str, object]:
    if isinstance(one, int):
        return {"word": f"{one:#x}"}
    name, *values = one.split()
    return {"store": values} if name == "store" else {"does": one}


def _around(folder: Path) -> list[str]:
    """What stands around the threads of add1, in files; options that name them."""
    text = (_PROGRAMS / "add1.kernel").read_text()
    text = re.sub(r"^thread \d \{.*?^\}", "", text, flags=re.DOTALL | re.MULTILINE)
    before, after = text.split('include "setup.kernel"')
    parts = {"a": before, "b": (_PROGRAMS / "setup.kernel").read_text(), "c": after}
    for name, part in parts.items():
        (folder / name).write_text(part)
    return [f"--include={name}" for name in parts]


@pytest.mark.parametrize("profile", profiles.names())
@pytest.mark.parametrize("written", [_as_text, _as_json])
def test_a_log_of_a_kernel_is_that_kernel(
    written: Callable[[list[Core], Path], Path], profile: str, tmp_path: Path
) -> None:
    log, out = written(_cores(profile), tmp_path), tmp_path / "again.kernel"
    options = [f"--profile={profile}", "--registers-as-here", *_around(tmp_path)]
    printed(_COMMAND, str(log), "--out", str(out), *options)
    original = kernels.load(_PROGRAMS / "add1.kernel", profile)
    assert kernels.load(out, profile).programs == original.programs
    assert "are right" in printed("model", str(out), f"--profile={profile}")


def test_logs_of_the_page(tmp_path: Path) -> None:
    """The second log is the first without thread 1."""
    page = (ROOT / "docs" / "import-a-kernel.md").read_text()
    text, rows = re.findall(r"^```text\n((?:#|\{).*?)^```", page, re.DOTALL | re.MULTILINE)
    found = []
    for log in (re.sub(r"(?m)^\d+ 1 .*\n", "", text), rows):
        (tmp_path / "log").write_text(log)
        found.append(printed(_COMMAND, str(tmp_path / "log")))
    assert found[0] == found[1]
    assert found[0].count("\n    ") == 3


@pytest.mark.parametrize("rotated", [False, True])
def test_a_folder_of_words(rotated: bool, tmp_path: Path) -> None:
    words = [isa.assemble("NOP")] * 3 + [isa.assemble("SEMPOST 2")]
    given = [isa.to_ttinsn(word) if rotated else word for word in words]
    (tmp_path / "core2.bin").write_bytes(b"".join(w.to_bytes(4, "little") for w in given))
    text = printed(_COMMAND, str(tmp_path), *["--ttinsn"] * rotated)
    expected = "thread 2 {\n    repeat 3 {\n        NOP\n    }\n    SEMPOST 2\n}\n"
    assert text.endswith("\n\n" + expected)


_NOP = "0x02000000"


@pytest.mark.parametrize(("log", "says"), CASES["logs"])
def test_what_is_no_log(log: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(log)
    assert re.search(says, _refused(tmp_path / "log"))


def test_what_is_no_folder_of_words(tmp_path: Path) -> None:
    assert "no files like t0.bin" in _refused(tmp_path)
    (tmp_path / "t0.bin").write_bytes(b"\0" * 6)
    assert "6 bytes are no whole number of words" in _refused(tmp_path)
    (tmp_path / "u0.bin").write_bytes(b"")
    assert "thread 0 has t0.bin already" in _refused(tmp_path)
    (tmp_path / "a.bin").write_bytes(b"")
    assert "of which thread?" in _refused(tmp_path)
    assert "No such file" in _refused(tmp_path / "none")
    assert "it is no text" in _refused(_bytes(tmp_path / "b"))


def test_stores_are_what_they_do(tmp_path: Path) -> None:
    """On the RTL cores have an item for each."""
    places = {PUSH: 0x02000000, MOP_CFG + 8: 7, SEMAPHORES + 4: 0, SEMAPHORES + 8: 1}
    lines = [f"1 store {at:#x} {value:#x}" for at, value in places.items()]
    (tmp_path / "log").write_text("\n".join(lines))
    kernel = kernels.parse(printed(_COMMAND, str(tmp_path / "log")))
    nop, *others = kernel.programs[1]
    assert nop == items.Push((0x02000000,))
    assert others == [items.MopCfg(2, 7), items.Post(1), items.Get(2)]


def _bytes(path: Path) -> Path:
    path.write_bytes(b"\xff")
    return path


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(f"0 {_NOP}")
    out = tmp_path / "out.kernel"
    printed(_COMMAND, str(tmp_path / "log"), "--out", str(out))
    before = out.read_text()
    says = _refused(tmp_path / "log", "--out", str(out), "--profile=blackhole")
    assert "is there already" in says
    assert out.read_text() == before


# -- registers of the older chip

OLDER = beside(__file__, "older")
_OLDER = (_COMMAND, "--profile=wormhole")


def _there(one: int | str) -> int | str:
    """What a core of that chip does for what one does here."""
    registers = elsewhere("wormhole")
    assert registers is not None
    there = {(space, place.word): word for (space, word), place in registers.places.items()}
    if isinstance(one, str):
        name, *rest = one.split()
        if name != "store" or (address := int(rest[0], 0)) < CONFIG:
            return one
        bank, word = divmod((address - CONFIG) // WORD, constants.CFG_WORDS)
        return f"store {CONFIG + WORD * (bank * registers.banks + there['Config', word])} {rest[1]}"
    found = isa.decode(one, "wormhole")
    if "cfg_index" not in found.fields:
        return one
    space: Space = "Thread" if found.mnemonic == "SETC16" else "Config"
    index = {"cfg_index": there[space, found["cfg_index"]]}
    return isa.encode(found.mnemonic, "wormhole", **{**found.fields, **index})


def _log(lines: list[str], folder: Path) -> Path:
    """Of thread 0: words in assembly, and stores."""
    given: Core = [
        line if line.startswith("store") else isa.assemble(line, "wormhole") for line in lines
    ]
    return _as_text([given], folder)


def test_a_log_of_that_chip_is_the_kernel_here(tmp_path: Path) -> None:
    here = _cores("wormhole")
    there: list[Core] = [[_there(one) for one in core] for core in here]
    assert here != there
    out = tmp_path / "again.kernel"
    printed(*_OLDER, str(_as_text(there, tmp_path)), *_around(tmp_path), "--out", str(out))
    original = kernels.load(_PROGRAMS / "add1.kernel", "wormhole")
    assert kernels.load(out, "wormhole").programs == original.programs
    assert "are right" in printed("model", str(out), "--profile=wormhole")


@pytest.mark.parametrize("case", OLDER["moved"], ids=lambda case: case["there"][-1])
def test_registers_move(case: dict[str, list[str]], tmp_path: Path) -> None:
    text = printed(*_OLDER, str(_log(case["there"], tmp_path)))
    assert [line.strip() for line in text.splitlines() if line[:1] == " "] == case["here"]
    assert case.get("lost", "Nothing here") in text or "lost" not in case


@pytest.mark.parametrize("case", OLDER["refused"], ids=lambda case: case["says"])
def test_what_cannot_be_said_here(case: dict[str, list[str]], tmp_path: Path) -> None:
    log = _log(case["there"], tmp_path)
    says = refused(invoke(*_OLDER, str(log)))
    assert f"(thread 0, position {len(case['there']) - 1}): {case['says']}" in says
    assert printed(*_OLDER, "--registers-as-here", str(log))
