# SPDX-License-Identifier: Apache-2.0
"""Kernel files on the joined RTL, as ``tilepath run --test my.kernel`` plays them."""

from __future__ import annotations

import json
import os
import re
import shlex
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final

import pytest

from tilepath.cli.kernels import own_kernels
from tilepath.cli.witness import points, timings
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.regress.store import Store
from tilepath.engine.compiled.state import Difference
from tilepath.models.kernels import parse
from tilepath.tb.datapath.streams import OWN_KERNELS
from tilepath.tb.datapath.untimed import UntimedDatapath
from tilepath.tests.commands import passed, python, refused
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


# --- tilepath run --witness: a timing in which the RTL shows that a wait is missing

_FEW: Final = ("TILES = 8", "TILES = 3")
# A half of Dst is filled while it is packed: for that the packers must be slow.
_MISSING: Final = ("        SEMWAIT 0x142, 1<<MATH_PACK, 1<<SEM_COND_MAX\n", "")


def _command(folder: Path, near: str, *edits: tuple[str, str], sim: str = FAST) -> list[str]:
    """The options of a search over ``add1``, edited."""
    file = folder / "own.kernel"
    file.write_text(edited("add1", *edits))
    out = ("--out", folder / "runs", "--no-waves")
    command = ("-m", "tilepath", "run", "--block", "datapath", "--test", file, "--sim", sim, *out)
    command = (*command, "--seed", "1")
    return [*map(str, command), "--witness", near]


@pytest.mark.parametrize(
    "sim", [FAST, pytest.param("icarus", marks=(needs_icarus, pytest.mark.long))]
)
def test_a_wait_that_a_plain_run_does_not_miss(tmp_path: Path, sim: str) -> None:
    """The third run finds it, or the second near a schedule; its command repeats it bit for bit.

    Of a schedule that is about something else two runs are not enough.
    """
    done = python(*_command(tmp_path, "any", _FEW, _MISSING, sim=sim), "--jobs", "1", "--json")
    assert done.returncode == 1, done
    *plain, result = json.loads(done.stdout)["results"]
    assert [one["status"] for one in plain] == ["pass", "pass"] and result["knobs"] == ["held=63"]
    again = shlex.split(result["command"])[1:]
    once_more = python("-m", "tilepath", *again, "--out", tmp_path, "--no-waves", "--json")
    (other,) = json.loads(once_more.stdout)["results"]
    assert once_more.returncode == 1 and other["digest"] == result["digest"]
    for near, failed in (("slow:P", 1), ("slow:K1", 0)):
        done = python(*_command(tmp_path, near, _FEW, _MISSING, sim=sim), "--budget", "2runs")
        assert done.returncode == failed and f"{2 - failed} passed, {failed} failed" in done.stdout


def test_nothing_is_found_of_a_kernel_that_is_right(tmp_path: Path) -> None:
    done = python(*_command(tmp_path, "any", _FEW), "--budget", "5s")
    assert re.search(r"\n10000 runs: [1-9]\d* passed, 0 failed, \d+ not begun\n", passed(done))


def test_what_no_search_can_be_about(tmp_path: Path) -> None:
    for near in ("slow:Q", "own.kernel:9999:1", "other.kernel:31:9"):
        done = python(*_command(tmp_path, near, _FEW))
        refused(done, f"--witness: no schedule '{near}': choose ", "such as own.kernel:31:9")
    command = [one for one in _command(tmp_path, "", _FEW) if one][:-1]
    refused(python(*command, "--knob", "latency=32"), "knob latency: 32 is not within 1 … 31")


def test_the_points_and_timings_of_a_search() -> None:
    """Named places come before what is slow all the time, and behind all that seeds draw."""
    text = "thread 1 {\n NOP\n post 1\n SEMGET 2\n}\nthread 2 {\n repeat 99 {\n post 2\n }\n}\n"
    kernel = parse(text, "some/own.kernel")
    found, named = points(kernel, [5, 7, 0], "any")
    assert not named and len(found) == 24 and found[0] == (1, 8)
    for place in ("own.kernel:2:2", "own.kernel:2:22", "my-own.kernel:2:2"):
        found, named = points(kernel, [5, 7, 0], f"race: {place} and x")
        assert named == (place == "own.kernel:2:2") == (found == [(1, 7)])
    some = list(islice(timings([(1, 7)], lambda knobs: "step=7" in knobs), 50))
    assert some[0] == () and some[1] == ("core=1", "step=7", "delay=60")
    assert some[5] == ("latency=31",)
    assert some[-1][-1].startswith("gap2=0..")
