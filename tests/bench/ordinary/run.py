# SPDX-License-Identifier: Apache-2.0
"""Builds and runs the ordinary bench with cocotb's own runner."""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import Runner, get_runner

from tilepath.engine.description.block import ROOT
from tilepath.engine.description.hdl import profile_hdl
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.build import check_simulator
from tilepath.engine.host.request import REQUEST_VARIABLE, RunRequest
from tilepath.engine.host.verilator import verilator_path

_TIMESCALE = ("1ns", "1ps")
# the kernel's options, so that nobody can say that this bench has a slower DUT
_BUILD_ARGS = {
    "verilator": [
        *("-O3", "--x-assign", "fast", "--x-initial", "fast", "-Wno-fatal", "--assert"),
    ],
    "icarus": [],
}
# what is compiled soon has few loops unrolled, as the kernel's; cocotb names the ports alone, not
# all that is below them, which is most of what there is to compile in a large design
_SMALL = {
    "verilator": ["--unroll-count", "4", "--no-public-flat-rw", "--public-depth", "1"],
    "icarus": [],
}
# cocotb's own defaults. With 1 under Icarus 11, what a driver writes right behind a rising edge is
# there before the flip-flops sample at that same edge.
_TRUST_INERTIAL_WRITES = {"verilator": "1", "icarus": "0"}


class OrdinaryError(RuntimeError):
    """The ordinary bench did not compile or did not pass; the message names the log."""


@dataclass(frozen=True)
class OrdinaryOutcome:
    """A run that passed: output events compared, records of each stream, and its blocks.

    ``cpu_ends``: CPU time (s) of the simulator process when the block that ends before that cycle
    of ``ends`` had been checked.
    """

    events: int
    streams: dict[str, int]
    ends: list[int]
    cpu_ends: list[float]


@dataclass(frozen=True)
class OrdinaryBuild:
    """A compiled DUT and cocotb's runner for it."""

    block: str
    sim: str
    runner: Runner
    top: str

    def run(
        self, folder: Path, test: str, seed: int, cycles: int, block_cycles: int
    ) -> OrdinaryOutcome:
        """Run once, with its files in ``folder``; :class:`OrdinaryError` unless it passed."""
        folder = folder.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        outcome = folder / "outcome.json"
        outcome.unlink(missing_ok=True)
        which = (self.block, test, seed, self.sim)
        request = RunRequest(*which, cycles=cycles, block_cycles=block_cycles)
        request.write_json(folder / "request.json")
        environment = {REQUEST_VARIABLE: str(folder / "request.json")}
        passed = self.simulate(folder, "tilepath.tests.bench.ordinary.bench", seed, environment)
        if not passed or not outcome.exists():
            log = folder / "sim.log"
            raise OrdinaryError(f"the ordinary bench failed: {_reason(log)}; see {log}")
        return OrdinaryOutcome(**json.loads(outcome.read_text()))

    def simulate(
        self, folder: Path, module: str, seed: int, environment: Mapping[str, str], *plusargs: str
    ) -> bool:
        """Run the one test of a module; whether it passed. ``sim.log`` in ``folder`` has more."""
        usual = {
            "COCOTB_TRUST_INERTIAL_WRITES": _TRUST_INERTIAL_WRITES[self.sim],
            "COCOTB_REWRITE_ASSERTION_FILES": "",
            "OPENBLAS_NUM_THREADS": "1",
        }
        try:
            with _own_programs_first():
                results = self.runner.test(
                    test_module=module,
                    hdl_toplevel=self.top,
                    hdl_toplevel_lang="verilog",
                    timescale=_TIMESCALE,
                    test_dir=folder,
                    results_xml=str(folder / "cocotb.xml"),
                    seed=seed & 0xFFFF_FFFF,
                    plusargs=plusargs,
                    extra_env={**usual, **environment},
                    log_file=folder / "sim.log",
                )
            tests, failures = get_results(results)
        except (RuntimeError, SystemExit):
            return False
        return bool((tests, failures) == (1, 0))


def build_ordinary(
    name: str,
    sim: str,
    build_dir: Path,
    parameters: Mapping[str, int] | None = None,
    fast: bool = True,
    source_root: Path = ROOT,
) -> OrdinaryBuild:
    """Compile the DUT of block ``name`` alone; ``parameters`` go before those of ``baseline``.

    A block whose DUT's ports are no plain signals has a module here that leads them out, the HDL
    file in its folder; what is joined with the DUT for that is ``<block>_units`` of its bench.
    ``fast``: as the kernel's build that simulates fast; else it is compiled sooner.
    ``source_root``: a folder with other RTL.

    Nothing is done when no source is newer; so each set of parameters needs a folder of its own.
    Raises :class:`OrdinaryError`, or ``ValueError`` for a simulator that is not there.
    """
    check_simulator(sim)
    if sim == "verilator" and " " in f"{sys.prefix}{build_dir}":
        text = f"cocotb's runner and Verilator's script split a path at its space: {build_dir}"
        raise OrdinaryError(f"the ordinary bench of {name} cannot be built: {text}")
    block = load_block(name)
    wrapper = sorted((Path(__file__).parent / name).glob("*.sv"))
    units = sorted((ROOT / "tb" / name / "hdl").glob("*_units.sv"))
    top = wrapper[0].stem if wrapper else block.dut
    given = {**block.harness_parameters("baseline"), **(parameters or {})}
    build_dir.mkdir(parents=True, exist_ok=True)
    values = build_dir / "tp_profile_pkg.sv"
    level = block.optimise if fast else "-O1"
    log = build_dir / "build.log"
    try:
        with (build_dir / "lock").open("w") as lock, _own_programs_first(level):
            fcntl.flock(lock, fcntl.LOCK_EX)
            _write(values, profile_hdl(given))
            runner = get_runner(sim)
            runner.build(
                sources=[values, *block.rtl_sources(source_root), *units, *wrapper],
                hdl_toplevel=top,
                parameters={} if wrapper else given,
                build_args=[*_BUILD_ARGS[sim], *([] if fast else _SMALL[sim])],
                timescale=_TIMESCALE,
                build_dir=build_dir,
                log_file=log,
            )
            _empty_headers(build_dir)
    except (RuntimeError, SystemExit) as error:
        raise OrdinaryError(f"{sim} could not compile {name}: {error}; see {log}") from None
    return OrdinaryBuild(name, sim, runner, top)


def _write(path: Path, text: str) -> None:
    """What is there already stays as old as it is."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def _reason(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    telling = [line.strip() for line in lines if "Error: " in line]
    return telling[-1] if telling else "no reason in its log"


def _empty_headers(build_dir: Path) -> None:
    """Precompiled headers are 150 MB, and of no more use; ``make`` looks at their times only."""
    for header in build_dir.glob("*.gch"):
        times = header.stat()
        header.write_bytes(b"")
        os.utime(header, ns=(times.st_atime_ns, times.st_mtime_ns))


@contextmanager
def _own_programs_first(level: str = "-O2") -> Iterator[None]:
    """Programs of this Python environment, Verilator among them, come first in PATH.

    ``level``: of optimisation, where something is compiled. What runs once is not optimised: naming
    every signal for cocotb takes minutes in a large design.
    """
    with pytest.MonkeyPatch.context() as patch:
        programs = f"{verilator_path().parent}{os.pathsep}{Path(sys.executable).parent}"
        patch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
        patch.setenv("MAKEFLAGS", f"-- OPT_FAST={level} OPT_GLOBAL={level}")
        yield
