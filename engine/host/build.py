# SPDX-License-Identifier: Apache-2.0
"""Compiles a block's harness for a simulator, once for each content.

The compiler sees a copy of the sources with relative names, so that neither its messages nor its
product depend on where the checkout is.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Final

from cocotb_tools import config

from tilepath.engine.description.block import ROOT, Block
from tilepath.engine.description.hdl import generated_hdl, profile_hdl
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.taps import error_in_taps, taps_hdl
from tilepath.engine.host import children, files, start, store
from tilepath.engine.host.folders import build_folder
from tilepath.engine.host.verilator import (
    SimulatorMissing,
    for_verilator,
    installed_version,
    verilator_root,
    verilator_version,
)
from tilepath.engine.project import project

SIMULATORS = ("verilator", "icarus")

_PRODUCT: Final = {"verilator": "sim", "icarus": "sim.vvp"}

# Links beside the sources, to what is elsewhere in every Python environment: a build's name must
# not depend on where that is, and Verilator's make file takes no name with a space or an umlaut.
_VERILATOR, _COCOTB_LIBS, _COCOTB_SHARE = "tools/verilator", "tools/libs", "tools/share"

# verilated.mk puts OBJCACHE in front of the compiler; without the rest ccache refuses whatever has
# a precompiled header
_CCACHE: Final = {
    "OBJCACHE": "ccache",
    "CCACHE_SLOPPINESS": "pch_defines,time_macros,include_file_mtime,include_file_ctime",
}

# Of the compilation of a large block all but a little is C++ of unrolled loops: a third of the time
# with few of them unrolled, for two thirds of the speed.
_SMALL: Final = ("--unroll-count", "4")

# It looks for conditions that statements have in common, each against many: half of the time.
_GATES: Final = ("-fno-merge-cond",)

_COVERAGE: Final = ("--coverage-line", "--coverage-toggle", "-DTP_COVERAGE")

ANY_START: Final = ("--x-assign", "unique", "--x-initial", "unique")
"""Verilator's options by which registers and memories begin with anything (``host.start``)."""

# What Verilator draws the start of an array's elements from, and whose it is.
_ELEMENT: Final = re.compile(
    r"^[^\[\n]*((?:\[__Vi\d+\])+).*__VscopeHash, \d+ull(?=\);$)", re.MULTILINE
)

Sources = Mapping[str, bytes]
"""Name within the project, such as ``rtl/adc/adc.sv``, → contents, in the order of compilation."""


class BuildError(RuntimeError):
    """The design did not compile; the message names the log."""


@dataclass(frozen=True)
class BuildOptions:
    """What distinguishes one build of a block from another.

    ``waves``: empty, ``fst`` or ``vcd`` (Icarus writes FST by itself).
    ``record`` = False leaves the recorders out, for measuring what they cost.
    ``fast``: Verilator's product is to simulate fast, not to be there soon; the same traces.
    ``coverage``: Verilator counts what lines and bits of ``rtl/`` do, in ``coverage.dat``.
    ``source_root``: where ``rtl/`` is taken from (a copy with a planted bug, say), and the bench's
    HDL if it has a ``tb/``.
    ``netlist``: what is there in the DUT's place is its netlist.
    ``left_out``: as of :class:`Block`.
    ``build_root``: the store of builds, which is shared unless builds are for one use.
    """

    sim: str
    profile: str = "baseline"
    waves: str = ""
    record: bool = True
    source_root: Path = ROOT
    build_root: Path = field(default_factory=build_folder)
    fast: bool = False
    coverage: bool = False
    netlist: bool = False
    left_out: tuple[str, ...] = ()


def check_simulator(sim: str) -> None:
    """``ValueError`` for an unknown simulator, :class:`SimulatorMissing` for one not installed."""
    if sim not in SIMULATORS:
        raise ValueError(f"no simulator {sim!r}; there are: {', '.join(SIMULATORS)}")
    if sim == "icarus" and not (shutil.which("iverilog") and shutil.which("vvp")):
        raise SimulatorMissing(
            "SIM=icarus needs Icarus Verilog, which is not installed; "
            "install the system package iverilog (on Debian: apt-get install iverilog)"
        )


def build(
    block_name: str, options: BuildOptions, begins: Callable[[], None] = lambda: None
) -> Path:
    """Compile block ``block_name`` and return the file to simulate.

    Nothing is done when the same was compiled before, whatever it was called then; else ``begins``
    is called before it. Two processes
    may ask for the same build at once. Raises :class:`BuildError`, or ``ValueError`` for a block,
    profile or simulator that does not exist.
    """
    block, steps, sources, folder = _described(block_name, options)
    with store.locked(folder):
        store.mark_used(folder)
        product = folder / _PRODUCT[options.sim]
        if product.exists():
            return product
        begins()
        _compile(block, options.sim, folder, steps, sources)
        store.mark_used(folder)  # now, not when a long compilation began
    store.prune(folder.parent)
    return product


def is_built(block_name: str, options: BuildOptions) -> bool:
    """Whether :func:`build` would have nothing to do; raises what that does."""
    *_, folder = _described(block_name, options)
    return (folder / _PRODUCT[options.sim]).exists()


def _described(
    block_name: str, options: BuildOptions
) -> tuple[Block, Sequence[Sequence[str]], Sources, Path]:
    """Block, commands, sources and folder of a build."""
    check_simulator(options.sim)
    block = replace(load_block(block_name), left_out=options.left_out)
    if project().profiles.base(options.profile) not in block.profiles:
        raise ValueError(f"no profile {options.profile!r}; there are: {', '.join(block.profiles)}")
    sources = sources_of(block, options)
    make_steps = _verilator if options.sim == "verilator" else _icarus
    own = block.design(options.source_root)
    listed = [name for name in sources if not name.endswith(".svh") and name not in own.headers]
    steps = make_steps(block, options, [*own.options, *listed])
    facts = [*(word for step in steps for word in step), *tools(options.sim)]
    facts += [start.REVISION] if options.sim == "verilator" else []
    folder = options.build_root / options.sim / f"{block.name}-{store.content_key(facts, sources)}"
    return block, steps, sources, folder


def sources_of(block: Block, options: BuildOptions) -> Sources:
    """All HDL of a build: the values of its parameters first, the other generated part last."""
    rtl = {p: options.source_root for p in block.rtl_sources(options.source_root)}
    # a copy has the bench's HDL as well, or it is as it is here
    root = options.source_root if (options.source_root / "tb").is_dir() else ROOT
    headers = block.design(options.source_root).headers
    rtl |= {options.source_root / name: options.source_root for name in headers}
    files = {**rtl, **dict.fromkeys(block.harness_sources(root), root)}
    named = {_place(path, root): path.read_bytes() for path, root in files.items()}
    generated = generated_hdl(block, scopes=bool(options.waves))
    profile = profile_hdl(block.harness_parameters(options.profile))
    if options.coverage:  # of the RTL alone; patterns, of which each * stands for any folders
        own = tuple(f"rtl/{folder}/" for folder in block.counted or block.rtl)
        others = [*(name for name in named if not name.startswith(own)), "*_streams.sv"]
        off = [f'coverage_off -file "{name}"' for name in (*others, "tp_profile_pkg.sv")]
        named = {"coverage.vlt": "\n".join(("`verilator_config", *off, "")).encode(), **named}
    return {
        "tp_profile_pkg.sv": profile.encode(),
        **named,
        f"{block.name}_streams.sv": generated.encode(),
        **({f"{block.harness}.sv": block.wiring.harness().encode()} if block.wiring else {}),
        **{name: text.encode() for name, text in taps_hdl(block, root).items()},
    }


def _place(path: Path, root: Path) -> str:
    """A file's name in the key of a build: the same in every checkout."""
    return str(path.relative_to(root)) if path.is_relative_to(root) else path.name


@functools.cache
def tools(sim: str) -> tuple[str, ...]:
    """Names and versions of all tools that a build goes through; of no simulator none."""
    if sim == "icarus":
        return (_first_line("iverilog", "-V"),)
    if sim != "verilator":  # the model alone
        return ()
    return (
        verilator_version(),
        f"cocotb {installed_version('cocotb')}",
        _first_line(os.environ.get("CXX", "c++"), "--version"),
    )


def _first_line(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0]


def _compile(
    block: Block, sim: str, folder: Path, steps: Sequence[Sequence[str]], sources: Sources
) -> None:
    """Make the product in ``folder``, which appears at once when all steps have worked."""
    work = folder / store.WORK
    shutil.rmtree(work, ignore_errors=True)
    write_sources(sources, work)
    if sim == "verilator":
        link_tools(work)
    try:
        _execute_all(block, sim, folder, steps)
        (work / _PRODUCT[sim]).replace(folder / _PRODUCT[sim])
    finally:  # precompiled headers and objects are a hundred times the product
        shutil.rmtree(work, ignore_errors=True)


def write_sources(sources: Sources, work: Path) -> None:
    """Write all of it below ``work``."""
    for name, content in sources.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def link_tools(work: Path) -> None:
    """Put Verilator's root and cocotb's libraries and sources below ``work``, in ``tools/``."""
    (work / "tools").mkdir()
    (work / _VERILATOR).symlink_to(verilator_root())
    (work / _COCOTB_LIBS).symlink_to(config.libs_dir)
    (work / _COCOTB_SHARE).symlink_to(config.share_dir)


def _execute_all(block: Block, sim: str, folder: Path, steps: Sequence[Sequence[str]]) -> None:
    work, log = folder / store.WORK, folder / "build.log"
    with log.open("w") as out:
        for step in steps:
            try:
                if step[0] == "make":
                    start.draw_outputs(work / "obj")
                    _vary_arrays(work)
                    _hurry_slow(work)
                    _provide_runtime(step, work, out)
                    _provide_header(step, work, out)
                _execute(step, work, out)
            except subprocess.CalledProcessError:
                files.check_text(_tail(log), folder)
                files.check_room(folder)
                raise BuildError(
                    error_in_taps(log.read_text(errors="replace"))
                    or f"{sim} could not compile {block.name}; see {log}\n{_tail(log)}"
                ) from None


def _execute(command: Sequence[str], work: Path, out: IO[str]) -> None:
    subprocess.run(
        children.guarded(command, signal.SIGTERM),  # make hands it on to compilers
        cwd=work,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.STDOUT,
        env=_tool_environment(),
        check=True,
        pass_fds=children.inherited(),
    )


def _tool_environment() -> dict[str, str]:
    """What Verilator, make and compilers get; ccache, where it is installed, is theirs as well."""
    variables = for_verilator(os.environ, _VERILATOR)
    variables["TMPDIR"] = "."  # Icarus puts it into lines for the shell
    return {**_CCACHE, **variables} if shutil.which("ccache") else variables


def _vary_arrays(work: Path) -> None:
    """Let each element of an array begin with bits of its own: Verilator draws one for all.

    The start is exclusive-ored to what it is drawn from, so the index stays above its 31 bits.
    """

    def own(found: re.Match[str]) -> str:
        index = " * 65599ull + ".join(re.findall(r"__Vi\d+", found[1]))
        return f"{found[0]} + ((0ull + {index}) << 32)"

    for path in (work / "obj").glob("*__Slow.cpp"):
        path.write_text(_ELEMENT.sub(own, path.read_text()))


def _hurry_slow(work: Path) -> None:
    """Optimise nothing in the half that runs once: half of its compilation, of coverage minutes.

    In the file, not in the command: with equal options both halves take one precompiled header.
    """
    for path in (work / "obj").glob("*__Slow.cpp"):
        path.write_text(f'#pragma GCC optimize("O0")\n{path.read_text()}')


def _provide_runtime(make: Sequence[str], work: Path, out: IO[str]) -> None:
    """Put the compiled half of Verilator that all designs share where ``make`` looks for it.

    It is more than half of the compilation of a small design, and the same for all that are
    compiled with the same options. So it is kept in the shared store, wherever the build goes.
    """
    obj = work / "obj"
    classes = (obj / "Vtop_classes.mk").read_text()
    found = re.search(r"^VM_GLOBAL_FAST \+= \\\n((?:  \w+ \\\n)*)", classes, re.MULTILINE)
    names = re.findall(r"\w+", found[1]) if found else []
    objects = [f"{name}.o" for name in ("verilator", *names)]
    options = re.findall(r"^VM_\w+ = \w+$", classes, re.MULTILINE)
    shared = [word for word in make if not word.startswith(("OPT_FAST", "OPT_SLOW"))]
    key = store.content_key([*shared, *options, *objects, *tools("verilator")], {})
    folder = build_folder() / "verilator" / f"runtime-{key}"
    with store.locked(folder):
        store.mark_used(folder)
        if not (folder / "complete").exists():
            _execute([*make, *objects], work, out)
            for name in objects:
                shutil.copy(obj / name, folder / name)
            (folder / "complete").touch()
            return
        for name in objects:  # with the time of now: newer than what they are made of
            shutil.copyfile(folder / name, obj / name)


def _provide_header(make: Sequence[str], work: Path, out: IO[str]) -> None:
    """Compile the header of a design once for its fast and slow half, not twice."""
    obj = work / "obj"
    if "VM_PARALLEL_BUILDS = 1" in (obj / "Vtop_classes.mk").read_text():
        _execute([*make, "Vtop__pch.h.fast.gch"], work, out)
        shutil.copyfile(obj / "Vtop__pch.h.fast.gch", obj / "Vtop__pch.h.slow.gch")


def _verilator(
    block: Block, options: BuildOptions, sources: Sequence[str]
) -> tuple[list[str], list[str]]:
    translate = [
        *(f"{_VERILATOR}/bin/verilator", "--cc", "--exe", "--vpi", "--timing", "--assert"),
        *("-O3", *ANY_START, "--no-trace-top"),
        *("-Mdir", "obj", "--prefix", "Vtop", "-o", "../sim"),
        *("--top-module", block.harness, "--timescale", "1ns/1ps", "-Wno-fatal"),
        # found at run time by LD_LIBRARY_PATH: the product serves every environment
        *("-LDFLAGS", f"-L../{_COCOTB_LIBS} -lcocotbvpi_verilator"),
    ]
    translate += () if options.fast else _SMALL
    translate += _GATES if options.netlist else ()
    translate += [f"--trace-{options.waves}", "-DTP_WAVES"] if options.waves else []
    translate += [] if options.record else ["-DTP_NO_RECORD"]
    translate += _COVERAGE if options.coverage else ()
    translate.append(f"../{_COCOTB_SHARE}/lib/verilator/verilator.cpp")
    # Verilator's own default is -Os, which does not even inline what $fwrite does for each byte
    level = block.optimise if options.fast else "-O1"
    if options.waves or options.netlist:
        level = "-O0"  # they are for a few cycles, as copies with a bug are: built soon, not fast
    # OPT_GLOBAL is Verilator's runtime, which all builds share; the slow half as the fast one: with
    # equal options both take the same precompiled header
    optimise = [f"OPT_FAST={level}", f"OPT_SLOW={level}", "OPT_GLOBAL=-O2"]
    make = ["make", "-s", "-j2", "-C", "obj", "-f", "Vtop.mk", *optimise]
    # CURDIR: it is told of no space, because every name in here is relative
    make += [f"VERILATOR_ROOT=../{_VERILATOR}", "CURDIR=obj"]
    return [*translate, *sources], make


def _icarus(block: Block, options: BuildOptions, sources: Sequence[str]) -> tuple[list[str]]:
    command = ["iverilog", "-g2012", "-o", _PRODUCT["icarus"], "-s", block.harness]
    command += ["-DTP_WAVES"] if options.waves else []
    command += [] if options.record else ["-DTP_NO_RECORD"]
    # assertions of other people's designs are more than it knows
    command += ["-gsupported-assertions"] if block.wiring else []
    own = {"+incdir+": "-I", "+define+": "-D"}
    words = [re.sub(r"^\+\w+\+", lambda found: own[found[0]], word) for word in sources]
    return ([*command, *words],)


def _tail(log: Path, lines: int = 15) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
