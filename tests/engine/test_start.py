# SPDX-License-Identifier: Apache-2.0
"""What registers and memories begin with: drawn from a number that belongs to the seed."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tilepath.engine.host import build
from tilepath.engine.host.launch import _command
from tilepath.engine.host.request import STARTED_BY_VARIABLE, RunRequest
from tilepath.engine.host.start import ONES, ZEROS, draw_outputs, plusargs, start_of
from tilepath.tests.commands import call

REQUEST = RunRequest("fake", "walk", 7, "verilator")

STARTS = Path(__file__).with_name("starts.sv").read_text()


def test_a_start_belongs_to_its_seed_and_number() -> None:
    starts = [start_of(seed, index) for seed in (0, 1, (1 << 64) - 1) for index in range(100)]
    assert len(set(starts)) == len(starts)
    assert all(0 < start < ONES for start in starts)
    assert start_of(1) == start_of(1, 0) == 1_341_121_670  # on any machine, in any version


def test_verilator_draws_from_the_start() -> None:
    assert plusargs(5) == ["+verilator+rand+reset+2", "+verilator+seed+5"]
    assert plusargs(ONES)[0] == "+verilator+rand+reset+1"


def test_runs_whose_bits_are_counted_begin_with_zeros() -> None:
    program = Path("sim")
    assert _command(REQUEST, program)[-2:] == plusargs(start_of(7))
    assert _command(replace(REQUEST, rtl_coverage=True), program)[-1] == ZEROS


def test_a_request_has_the_start_of_its_seed_or_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert REQUEST.begins_with == start_of(7)
    assert "start" not in REQUEST.command
    own = replace(REQUEST, start=99)
    assert own.begins_with == 99
    assert own.command == f"{REQUEST.command} --start 99"
    monkeypatch.setenv(STARTED_BY_VARIABLE, "make")
    assert own.command.endswith(" SEED=7 START=99")


def test_each_element_of_an_array_begins_with_its_own(tmp_path: Path) -> None:
    """What Verilator writes, of which each number is drawn for one variable."""
    narrow = "    vlSelf->a__DOT__b[__Vi0] = VL_SCOPED_RAND_RESET_I(1, __VscopeHash, 12ull"
    wide = "    VL_SCOPED_RAND_RESET_W(64, vlSelf->a[__Vi0][__Vi1], __VscopeHash, 3ull"
    alone = "    vlSelf->a__DOT__c = VL_SCOPED_RAND_RESET_I(1, __VscopeHash, 12ull"
    path = tmp_path / "obj" / "Vtop___024root__0__Slow.cpp"
    path.parent.mkdir()
    path.write_text("".join(f"{line});\n" for line in (narrow, wide, alone)))
    build._vary_arrays(tmp_path)
    assert path.read_text().splitlines() == [
        f"{narrow} + ((0ull + __Vi0) << 32));",
        f"{wide} + ((0ull + __Vi0 * 65599ull + __Vi1) << 32));",
        f"{alone});",
    ]


def test_registers_and_all_words_of_memories_begin_with_anything(tmp_path: Path) -> None:
    (tmp_path / "starts.sv").write_text(STARTS)
    flags = ["--cc", "--exe", "--main", *build.ANY_START, "-Mdir", "obj", "--prefix", "Vtop"]
    flags += ["--top-module", "starts"]
    make = ["make", "-s", "-C", "obj", "-f", "Vtop.mk", "OPT_FAST=-O0", "OPT_GLOBAL=-O0"]
    make += [f"VERILATOR_ROOT=../{build._VERILATOR}", "CURDIR=obj"]  # no name with a space
    build.link_tools(tmp_path)
    verilator, variables = f"{build._VERILATOR}/bin/verilator", build._tool_environment()
    subprocess.run([verilator, *flags, "starts.sv"], cwd=tmp_path, env=variables, check=True)
    draw_outputs(tmp_path / "obj")
    build._vary_arrays(tmp_path)
    subprocess.run(make, cwd=tmp_path, check=True, capture_output=True)

    def shown(start: int) -> str:
        command = [tmp_path / "obj" / "Vtop", *plusargs(start)]
        done = call(*command)
        assert done.returncode == 0, done.stderr
        # without what Verilator says, such as how long it took
        return "".join(x for x in done.stdout.splitlines(True) if not x.startswith("- "))

    one, other = shown(1), shown(2)
    assert one == shown(1)
    for text in (one, other):
        drawn = re.findall(r"\b[0-9a-f]{8}\b|\b[0-9a-f]{20}\b", text)
        assert len(drawn) == len(set(drawn)) == 70
        assert "given 5\n" in text
    assert {*shown(ONES).split()} == {"f" * 8, "f" * 20, "given", "5"}
    assert not {*one.split()} & {*other.split()} - {"given", "5"}
