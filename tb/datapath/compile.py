# SPDX-License-Identifier: Apache-2.0
"""Compiles the joined RTL with what plays a kernel on it, for either simulator."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from tilepath.tb.kernel.description.block import ROOT, Block
from tilepath.tb.kernel.description.hdl import profile_hdl
from tilepath.tb.kernel.description.registry import load_block
from tilepath.tb.kernel.host import store
from tilepath.tb.kernel.host.build import BuildError, check_simulator, tools
from tilepath.tb.kernel.host.folders import build_folder
from tilepath.tb.kernel.host.verilator import for_verilator, verilator_path

TOP: Final = "datapath_kernel"
_RTL: Final = (
    *("isa", "memory", "adc", "dst", "src", "unpack_config", "unpack", "pack", "frontend"),
    *("control", "datapath"),
)
_BLOCKS: Final = ("frontend", "adc", "unpack", "pack")  # whose parameters it has
_NOT_LENT: Final = ("standin_harness", "standin_memory", "standin_recorders")
_PRODUCT: Final = {"verilator": "sim", "icarus": "sim.vvp"}


def joined() -> Block:
    """The RTL of the joined design, as lint sees it: its sources, and the DUT's parameters."""
    return replace(load_block("pack"), name="datapath", dut="datapath", rtl=_RTL, parameters=_own)


def _own(profile: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in _BLOCKS:
        found |= load_block(name).parameters(profile)
    return found


def parameters(profile: str) -> dict[str, int]:
    """Parameters of the joined design and its bench, as ``profile`` has them."""
    return {**_own(profile), **load_block("standin").harness_parameters(profile)}


def _sources(root: Path) -> list[Path]:
    hdl = load_block("standin").harness_sources(root)
    lent = [path for path in hdl if path.parent.parent.name == "standin"]
    own = sorted((root / "tb" / "datapath" / "hdl").glob("*.sv"))
    return [*joined().rtl_sources(root), *(p for p in lent if p.stem not in _NOT_LENT), *own]


def compile_kernel_bench(profile: str, sim: str, root: Path = ROOT) -> Path:
    """The file to simulate, of the HDL below ``root``; it is compiled once.

    Raises:
        BuildError: the simulator does not take the HDL.
        ValueError: there is no such simulator or profile, or it is not installed.
    """
    check_simulator(sim)
    sources = {path.name: path.read_bytes() for path in _sources(root)}
    sources = {"tp_profile_pkg.sv": profile_hdl(parameters(profile)).encode(), **sources}
    command = _commands(sim)
    key = store.content_key([*command, *tools(sim)], sources)
    folder = build_folder() / sim / f"datapath-{key}"
    with store.locked(folder):
        store.mark_used(folder)
        product = folder / _PRODUCT[sim]
        if not product.exists():
            _compile(folder, [*command, *sources], sources)
    return product


def _commands(sim: str) -> list[str]:
    if sim == "icarus":
        return ["iverilog", "-g2012", "-o", _PRODUCT["icarus"], "-s", TOP]
    return [
        *("verilator", "--binary", "--timing", "--assert", "-O3", "--x-initial", "unique"),
        *("-Wno-fatal", "-Wno-lint", "--top-module", TOP, "--timescale", "1ns/1ps"),
        *("-Mdir", "obj", "-o", "../sim", "-j", "2", "-CFLAGS", "-O1"),
        *("-MAKEFLAGS", "OPT_FAST=-O1 OPT_SLOW=-O0"),
    ]


def _compile(folder: Path, command: list[str], sources: Mapping[str, bytes]) -> None:
    for name, content in sources.items():
        (folder / name).write_bytes(content)
    if command[0] == "verilator":
        command = [str(verilator_path()), *command[1:]]
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env=for_verilator(os.environ),
        check=False,
    )
    for name in sources:
        (folder / name).unlink()
    if done.returncode:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        raise BuildError(f"datapath could not be compiled\n{tail}")
