# SPDX-License-Identifier: Apache-2.0
"""Kernel files on the joined RTL, as ``tilepath run --test my.kernel`` plays them."""

from __future__ import annotations

import json
import os
import re
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from tilepath.cli.kernels import own_kernels
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.regress.store import Store
from tilepath.engine.compiled.state import Difference
from tilepath.tb.datapath.streams import OWN_KERNELS
from tilepath.tb.datapath.untimed import UntimedDatapath
from tilepath.tests.commands import python, refused
from tilepath.tests.cosim_runs import FAST, needs_icarus
from tilepath.tests.datapath.kernel_files import edited


def _played(text: str, tmp_path: Path) -> tuple[int, str]:
    """Exit status of the command, and what it printed."""
    path = tmp_path / "own.kernel"
    path.write_text(text)
    options = ("--sim", FAST, "--no-coverage", "--out", tmp_path / "runs")
    done = python("-m", "tilepath", "run", "--block", "datapath", "--test", path, *options)
    return int(done.returncode), str(done.stdout)


@pytest.mark.long
@pytest.mark.parametrize(
    "name, old, new, cycles",
    [
        ("add1", "TILES = 8", "TILES = 64", 64 * 400),
        ("matmul", "R = 1, C = 1, K = 2", "R = 8, C = 8, K = 8", 8 * 8 * 8 * 440),
    ],
)
def test_many_tiles(name: str, old: str, new: str, cycles: int, tmp_path: Path) -> None:
    status, told = _played(edited(name, (old, new)), tmp_path)
    assert status == 0, told
    (result,) = tmp_path.glob("runs/datapath/own-*/result.json")
    assert json.loads(result.read_text())["cycles"] < cycles + 10_000


_FIRST: Final = r"of out are wrong; the first is .*: 0, want -43 within 0; address 0x90010: "
_PACR: Final = r"by thread 2: PACR 0, .* \(41008F01\), number 1 of its packer words"
_LAST: Final = rf"written last in cycle \d+ {_PACR}"
# Kernel: what of add1 becomes what, what is said of it
WRONG: Final = {
    "early": ("        STALLWAIT 1<<CLS_MATH, 1<<STALL_COND_PACK\n", "", rf"{_FIRST}{_LAST}\n"),
    "missing": ("        NOP\n", "",  # PACR comes before the address that WRCFG writes
        rf"{_FIRST}never written; should be {_PACR}\n +elsewhere in L1, 0x10 to 0x7ff: 2c .*, want "
        rf"00 .*: {_LAST}; should never be\n +without time: fault config_race"),
    "expected": ("expect out = a + b", "expect out = a", "as expected: without time: .* of out ar"),
    "right": ("expect", "expect", ""),
}  # fmt: skip


@pytest.mark.parametrize(
    "sim", [FAST, pytest.param("icarus", marks=(needs_icarus, pytest.mark.long))]
)
def test_a_wrong_kernel_is_a_job_that_fails_with_its_reason(sim: str, tmp_path: Path) -> None:
    """Some are wrong without time, too, which keeps no other from running."""
    store = tmp_path / "r.sqlite"
    command = ["-m", "tilepath", "regress", store, "--sim", sim]
    for name, (right, wrong, _) in WRONG.items():
        file = tmp_path / f"{name}.kernel"
        file.write_text(edited("add1", ("TILES = 8", "TILES = 1"), (right, wrong)))
        command += ["--test", file]
    refused(python(*command[:6], *command[-2:], "--seeds", "3"), "is of random tests: none of")
    done = python(*command)
    assert done.returncode == 1 and "4 jobs: 1 passed, 3 failed" in done.stdout, done
    assert "expected.kernel without time: " in done.stdout
    with closing(Store(store)) as opened:
        for row in opened.rows("SELECT test, report FROM jobs WHERE verdict = 'fail'"):
            assert re.search(WRONG[row["test"]][2], row["report"]), row["report"]


def test_what_is_wrong_without_time_is_no_json(tmp_path: Path) -> None:
    file = tmp_path / "wrong.kernel"
    file.write_text(edited("add1", ("TILES = 8", "TILES = 1"), WRONG["expected"][:2]))
    done = python("-m", "tilepath", "run", "--list", "--json", "--test", file)
    assert json.loads(done.stdout)["tests"][0]["test"] == "wrong"
    assert "wrong.kernel without time: " in done.stderr


def test_sums_that_no_write_explains_stay_sums() -> None:
    untimed = UntimedDatapath("baseline")
    assert untimed.explain([Difference("l1_sum", (3,), 5, 6)]) == ["l1_sum[3]: 0x5, want 0x6"]


def test_no_thread_begins_before_the_configuration_is_there(tmp_path: Path) -> None:
    text = "config THCON_SEC1_REG3_Base_address=5\nconfig THCON_SEC0_REG3_Base_address=6\n"
    status, told = _played(text + "thread 1 {\n    RDCFG 4, 76\n}\n", tmp_path)
    assert status == 0, told


@pytest.mark.long
def test_a_deadlock_says_who_waits_for_what(tmp_path: Path) -> None:
    text = "thread 0 {\n    SEMWAIT 8, 2, 1\n    UNPACR 0,0,0,0,0,0,0,0,0,0,0,0,1\n}\n"
    text += "thread 2 {\n    poll UNPACK_SYNC >= 1\n}\nthread 1 {\n    post 4\n}\n"
    status, told = _played(text.replace("poll UNPACK_SYNC >= 1", "poll 4 >= 2"), tmp_path)
    assert status == 1
    assert "core of thread 2: poll >= 2 of semaphore 4" in told
    assert "thread 0" in told and "SEMWAIT" in told


def test_bad_kernels_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.kernel"
    path.write_text("thread 0 {\n    FROBNICATE\n}\n")
    with pytest.raises(UsageError, match=r"bad\.kernel:2:5: "):
        own_kernels([str(path)], "baseline")
    assert OWN_KERNELS not in os.environ
