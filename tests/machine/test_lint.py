# SPDX-License-Identifier: Apache-2.0
"""``tilepath lint-kernel``: each rule tells of its own example alone, and of no kernel of ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tilepath.isa import assemble
from tilepath.models import kernels, lint
from tilepath.models.kernels.program import Kernel
from tilepath.models.machine import items as I
from tilepath.tests.cli.fakes import invoke, printed
from tilepath.tests.commands import refused
from tilepath.tests.datapath.kernel_files import PROFILES, PROGRAMS
from tilepath.tests.datapath.test_plan import plans

_PACR = assemble("PACR 0,0,0,1,0,0,0,0,0,0,0,1")  # with mask 0
_MOP = assemble("MOP 1,0,0")


def _told(kernel: Kernel) -> list[tuple[str, str]]:
    return [(one.rule.number, str(one.where)) for one in lint.findings(kernel)]


def _of(*programs: list[I.Item | int]) -> list[tuple[str, str]]:
    return _told(Kernel("", "baseline", programs=programs))


@pytest.mark.parametrize("number", lint.table())
def test_examples(number: str) -> None:
    rule = lint.table()[number]
    for text, wanted in ((rule.wrong, [number]), (rule.right, [])):
        found = lint.findings(kernels.parse(text, "my.kernel", rule.profile))
        assert [one.rule.number for one in found] == wanted, (text, found)


@pytest.mark.parametrize("profile", PROFILES)
def test_our_kernels_are_clean(profile: str) -> None:
    files = [file for file in PROGRAMS.glob("*.kernel") if "\nthread" in file.read_text()]
    ours = [kernels.load(file, profile) for file in files]
    assert len(ours) > 20
    for kernel in (*ours, *(one.kernel(profile) for one in plans(8, 1))):
        assert _told(kernel) == [], kernel.file


def test_where_it_is() -> None:
    """A word of a MOP that is run twice, one of a recording; words of a stream."""
    text = """thread 2 {
    mop 1 {
        outer 2
        inner 1
        loop PACR 0,0,0,1,0,0,0,0,0,0,0,1
    }
    replay 0 {
        NOP
        .word 0xFF000000
    }
    MOP 1,0,0
    REPLAY 0,2,0,0
    REPLAY 0,2,0,0
}"""
    found = _told(kernels.parse(text, "my.kernel"))
    assert found == [("W23", "my.kernel:5:9"), ("W19", "my.kernel:9:9")]
    cfg = [
        I.MopCfg(k, v) for k, v in enumerate((1, 2, *[0x02000000] * 3, _PACR, *[0x02000000] * 2))
    ]
    assert _of([0x02000000, _PACR], [*cfg, I.Push((_MOP, _PACR))]) == [
        ("W23", "thread 0, word 2"),
        ("W23", "thread 1, MopCfg 5"),
        ("W23", "thread 1, word 2"),
    ]


def test_ends_of_semaphores() -> None:
    """The sixteenth post that nobody gets, and a wait for less than 0."""
    text = """thread 0 { SEMINIT 0, 0, 1<<MATH_PACK
repeat 16 as k {
    if k < 15 { SEMPOST 1<<MATH_PACK } else {
        SEMPOST 1<<MATH_PACK
    }
}
SEMWAIT 0x1FF, 1<<MATH_PACK, 1<<SEM_COND_MAX }
thread 1 { NOP }
thread 2 { NOP }"""
    found = _told(kernels.parse(text, "my.kernel"))
    assert found == [("W05", "my.kernel:4:9"), ("W06", "my.kernel:7:1")]
    assert _told(kernels.parse(text.replace("thread 2 { NOP }", ""), "my.kernel")) == []


def test_what_is_not_known_is_not_told() -> None:
    """What nobody has recorded or stored, what others write, or a core meanwhile."""
    pacr = f"{lint.table()['W15'].wrong}\n"
    for more in ("thread 0 { RMWCIB0 0, 0, 70 }", "thread 1 { store 0xFFEF0118 = 0 }"):
        assert _told(kernels.parse(pacr + more, "my.kernel")) == []
    assert _told(kernels.parse(pacr + "thread 1 { NOP }", "my.kernel"))[0][0] == "W15"
    wrcfg, reader = (
        assemble(line) for line in ("WRCFG 12,0,76", "UNPACR 0,0,0,0,0,0,1,0,0,0,0,0,1")
    )
    context = assemble("UNPACR 0,0,0,0,0,1,1,0,0,0,0,0,1")  # of which context?
    replay = assemble("REPLAY 0,1,0,0")
    assert [len(_of([wrcfg, *more])) for more in ([reader], [context], [_MOP, reader])] == [1, 0, 0]
    assert _of([wrcfg, replay, reader]) == _of([wrcfg, I.Sync(), reader]) == []
    get = assemble("SEMGET 2")
    assert _of([assemble("SEMINIT 1,0,2"), get], [get], [get]) == []  # without places: others may


def test_the_command(tmp_path: Path) -> None:
    file, wrong = tmp_path / "my.kernel", lint.table()["W01"].wrong
    file.write_text(wrong)
    text = printed("lint-kernel", file, status=1)
    told = "W01 a word reads configuration, or a register, that the word before it has not written"
    assert f"{file}:2:1: {told}" in text and "(UNPACR, THCON_SEC0_REG3_Base_address)" in text
    assert text.endswith(f"1 finding, {len(lint.table())} rules, profile baseline\n")
    (found,) = json.loads(invoke("lint-kernel", file, "--json").stdout)["findings"]
    assert (found["number"], found["where"]) == ("W01", f"{file}:2:1")
    for options in (("--ignore", "W01"), ("--select", "half-gate")):
        assert "0 findings" in printed("lint-kernel", file, *options)
    file.write_text(wrong.replace(" }", " # lint-ignore: W02, half-gate, W01; it is\n}"))
    assert "0 findings, " in printed("lint-kernel", file)
    assert printed("lint-kernel", "--list").count("\n") == len(lint.table())
    assert wrong.split("\n")[-1] in printed("lint-kernel", "--explain", "W01")


def test_what_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "my.kernel"
    file.write_text("thread 1 { REPLAY 0,3,0,1\nNOP }")
    meant, nothing = tmp_path / "meant.kernel", tmp_path / "nothing.kernel"
    meant.write_text("thread 1 {\nNOP # slow; lint-ignore: W01, W99; so it is\n}")
    nothing.write_text("thread 1 { # lint-ignore:\nNOP\n}")
    for arguments, told in (
        ((file,), "thread 1 ends inside of a recording, 2 words of its REPLAY are missing"),
        ((file, "--select", "half-gat"), "there is no rule 'half-gat'; did you mean half-gate?"),
        (("--explain", "W99"), "there is no rule 'W99'"),
        ((), "give a FILE, --list or --explain RULE"),
        ((file, "--profile", "none"), "baseline, blackhole"),
        ((file, "--set", "A=1"), "there is no constant 'A'"),
        ((tmp_path / "none",), "cannot be read"),
        ((meant,), f"{meant}:2:26: there is no rule 'W99'"),
        ((nothing,), f"{nothing}:1:26: there is no rule ''"),
    ):
        refused(invoke("lint-kernel", *arguments), told)
