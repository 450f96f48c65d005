# SPDX-License-Identifier: Apache-2.0
"""``tilepath run --witness``: a timing in which the RTL shows that a wait is missing."""

from __future__ import annotations

import json
import re
import shlex
from itertools import islice
from pathlib import Path
from typing import Final

import pytest

from tilepath.cli.witness import points, timings
from tilepath.models.kernels import parse
from tilepath.tests.commands import passed, python, refused
from tilepath.tests.cosim_runs import FAST, needs_icarus
from tilepath.tests.datapath.kernel_files import edited

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
