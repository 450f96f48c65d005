# SPDX-License-Identifier: Apache-2.0
"""Units with queues: kernels leave the same behind under every schedule, unless a wait is gone."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from tilepath.cli.main import app
from tilepath.isa import assemble
from tilepath.models import Machine, tiles
from tilepath.models.kernels import load, parse, play
from tilepath.models.kernels.tries import mends, tries
from tilepath.models.machine.schedule import Schedule, schedules
from tilepath.models.machine.schedule_units import LINES_ROOM
from tilepath.tests.commands import refused
from tilepath.tests.datapath.kernel_files import CASES, PROFILES, PROGRAMS, edited
from tilepath.tests.tables import beside

MOST_TILES = 16
NAMES = sorted({name for name, _ in CASES} | {"faults"})


def _odd(name: str, edit: tuple[str, str], given: dict[str, int], letter: bool) -> dict[str, str]:
    """The first thing that differs, by the name of the schedule."""
    kernel = parse(edited(name, edit), "<kernel>", given=given)
    found = tries(kernel, schedules(40, letter))
    return {str(one.schedule): one.lines[0] for one in found if one.lines}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", NAMES)
def test_every_schedule_leaves_the_same_behind(name: str, profile: str) -> None:
    every = [given for one, given in CASES if one == name] or [{}]
    for given, letter in itertools.product(every, (True, False)):
        if given.get("TILES", 1) <= MOST_TILES:
            kernel = load(PROGRAMS / f"{name}.kernel", profile, given)
            for one in tries(kernel, [Schedule("earliest"), *schedules(8, letter)]):
                assert one.lines == (), (given, one)


MISSING = beside(__file__, "missing_waits")["row"]
EDITS = [(old, new) for old, new in (row["edit"] for row in MISSING)]


@pytest.mark.parametrize("row", MISSING, ids=lambda row: f"{row['kernel']}, {row['schedule']}")
def test_a_missing_wait_is_found(row: dict[str, Any]) -> None:
    found = _odd(row["kernel"], tuple(row["edit"]), {"TILES": 3}, letter=True)
    assert row["said"] in found[row["schedule"]]


def test_a_store_is_done_at_once_on_this_rtl() -> None:
    assert not _odd("add1", EDITS[0], {"TILES": 3}, letter=False)
    assert _odd("add1", EDITS[1], {"TILES": 3}, letter=False)


def test_a_deadlock_says_who_waits() -> None:
    kernel = parse(edited("add1", ("        end  SETRWC 3,0,0,0,0,3 ", "#")), given={"TILES": 3})
    verdict = play(kernel, Schedule("latest"))
    found = [(one.thread, one.reason) for one in verdict.run.waiting]
    assert verdict.run.end == "deadlock"
    assert (0, "bank 0 of SrcA is the Matrix Unit's") in found
    assert (0, "bank 0 of SrcB is the Matrix Unit's") in found
    assert verdict.failed[0].endswith(f"deadlock after {verdict.run.steps} steps")


_UNPACR = assemble("UNPACR 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1")  # SrcA, which it hands over


_UNPACKER = {  # a face of 16 numbers a row from L1 at 0x1010
    "THCON_SEC0_REG0_TileDescriptor_InDataFormat": 5,
    "THCON_SEC0_REG0_TileDescriptor_IsUncompressed": 1,
    "THCON_SEC0_REG0_TileDescriptor_XDim": 16,
    "THCON_SEC0_REG0_TileDescriptor_YDim": 1,
    "THCON_SEC0_REG2_Out_data_format": 5,
    "THCON_SEC0_REG3_Base_address": 0x100,
    "UNP0_ADDR_BASE_REG_1_Base": 128,
}
_PACKER = {  # to where that face is
    "ALU_FORMAT_SPEC_REG2_Dstacc": 5,
    "THCON_SEC0_REG1_In_data_format": 5,
    "THCON_SEC0_REG1_Out_data_format": 5,
    "THCON_SEC0_REG1_Disable_zero_compress": 1,
    "THCON_SEC0_REG1_L1_Dest_addr": 0x100,
    "PCK_EDGE_OFFSET_SEC0_mask": 0xFFFF,
    "PACK_COUNTERS_SEC0_pack_reads_per_xy_plane": 16,
}


def _machine() -> Machine:
    """A machine with unpacker 0 and packer 0 set up."""
    m = Machine()
    for name, value in {**_UNPACKER, **_PACKER}.items():
        m.write_field(name, value)
    for thread, word in ((0, "SETADCXX 1, 15, 0"), (2, "SETADCXX 4, 15, 0")):
        m.execute(thread, assemble(word))
    return m


def test_a_full_unit_holds_its_words() -> None:
    """Nobody takes the banks, so that the third UNPACR stays in the unit, and 15 behind it."""
    run = _machine().run([[_UNPACR] * 40], schedule="latest")
    assert (run.end, [one.reason for one in run.waiting]) == (
        "deadlock",
        ["its unit has no room", "bank 0 of SrcA is the Matrix Unit's"],
    )


@pytest.mark.parametrize("count, reads", [(1, 0x3F80), (LINES_ROOM // 2 + 1, 0)])
def test_l1_is_as_it_was_when_it_was_read(count: int, reads: int) -> None:
    """Packers write the face that an UNPACR has read before, which waits for its bank.

    Two lines each; of more lines than are kept it reads what is there last, as it may.
    """
    m = _machine()
    m.execute(2, assemble("SEMINIT 1, 0, 8"))
    m.write_l1(0x1010, np.full(16, 0x3F80, np.uint16))
    gives = ["SEMWAIT 0x1FF, 8, 1", "STALLWAIT 0x40, 0x90", "SETRWC 1, 0, 0, 0, 0, 0"]
    packs = [0x41000101] * count  # PACR of packer 0, Last
    waits = [assemble("STALLWAIT 2, 8"), assemble("SEMPOST 8")]
    run = m.run([[_UNPACR] * 3, [*map(assemble, gives)], [*packs, *waits]], schedule="slow:U0")
    assert (run.end, m.faults) == ("done", [])
    assert tiles.src_values(m.src_a[0, 0], "BF16").tolist() == [1.0 if reads else 0.0] * 16


def test_bad_input() -> None:
    kernel = str(PROGRAMS / "add1.kernel")
    for given, said in (
        ("0", "0 schedules: want one or more"),
        ("slow:U7", "no schedule 'slow:U7': choose from earliest, latest, a seed, slow: and some"),
        ("slow:", "no schedule 'slow:'"),
        ("seed:x", "no schedule 'seed:x'"),
    ):
        result = CliRunner().invoke(app, ["model", kernel, "--schedules", given])
        refused(result, said)
    machine = Machine()
    machine.on_issue = print
    with pytest.raises(ValueError, match="schedule latest: words issue without on_issue"):
        machine.run([[0x02000000]], schedule="latest")
    for odd in (True, -1, 1.5):
        with pytest.raises(ValueError, match=f"no schedule {odd}: choose from"):
            machine.run([[0x02000000]], schedule=odd)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["add1", "chain", "matmul"])
def test_a_wait_that_is_gone_is_named(name: str) -> None:
    """Each STALLWAIT for stores or packers is found again, in its thread, a few lines below."""
    given = {"R": 1, "C": 2, "K": 2} if name == "matmul" else {"TILES": 3}
    lines = edited(name).split("\n")
    named = re.compile(r" *STALLWAIT.*, 1<<STALL_COND_(TRISC_CFG|PACK)$")
    gone = [n for n, line in enumerate(lines) if named.match(line)]
    assert len(gone) >= 2
    for n in gone:
        kernel = parse("\n".join([*lines[:n], "", *lines[n + 1 :]]), given=given)
        odd = [one.schedule for one in tries(kernel, schedules(20)) if one.lines]
        (mend,) = mends(kernel, odd)
        wait, _, place = str(mend).partition(" in front of <kernel>:")
        assert wait.split(", ")[1] == lines[n].split(", ")[1]
        assert n + 1 < int(place.split(":")[0]) <= n + 4


def test_both_sides_of_a_bank_that_is_given_back_too_early_are_named() -> None:
    kernel = parse(edited("copy", EDITS[3]), given={"TILES": 3})
    odd = [one.schedule for one in tries(kernel, schedules(12)) if one.lines]
    assert [(mend.thread, str(mend).split(" in")[0]) for mend in mends(kernel, odd)] == [
        (0, "STALLWAIT 1<<CLS_UNPACK, 1<<STALL_COND_UNPACK1"),
        (1, "STALLWAIT 1<<CLS_MATH, 1<<STALL_COND_SRCB_MATH_BANK"),
    ]


@pytest.mark.parametrize(
    "name, gone, last",
    [
        (
            "add1",
            EDITS[0][0],
            "with STALLWAIT 1<<CLS_UNPACK, .*_CFG in front of .* none does",
        ),
        ("copy", "        poll UNPACK_SYNC < HALVES  ", "no STALLWAIT alone would do"),
    ],
)
def test_the_command_names_what_is_missing(name: str, gone: str, last: str, tmp_path: Path) -> None:
    file = tmp_path / "my.kernel"
    file.write_text(edited(name, (gone, "" if gone.endswith("\n") else "#")))
    done = CliRunner().invoke(app, ["model", str(file), "--set", "TILES=3", "--schedules", "8"])
    lines = done.stdout.splitlines()
    assert done.exit_code == 1 and re.match(last, lines[-1]), lines
    assert re.search(r"a wait is missing: \d of 8 schedules end otherwise", lines[-2])
    assert any(line.startswith("with schedule ") and "of out are wrong" in line for line in lines)
    file.write_text(edited("add1"))
    done = CliRunner().invoke(app, ["model", str(file), "--schedules", "latest", "--this-rtl"])
    assert done.exit_code == 0 and ", 1 schedule, profile baseline" in done.stdout
