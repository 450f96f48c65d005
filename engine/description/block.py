# SPDX-License-Identifier: Apache-2.0
"""The description of a block: all that the engine needs to build, drive, record and check it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, Protocol, runtime_checkable

from tilepath.engine.compiled.state import State
from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.description.balances import Balances
from tilepath.engine.description.boundary import StateArray
from tilepath.engine.description.player import Player
from tilepath.engine.description.stream import Records, Stream, stream_table
from tilepath.engine.description.wiring import Wiring
from tilepath.engine.project import ENGINE, project

ROOT = project().root

DESIGN: Final = "design.f"
"""A folder with somebody's own RTL of a block has it: files in order of compilation, and options.

Those of his that it does not name are there to be included; all of his are below ``OWN``.
"""

OWN: Final = "rtl/own"


class Design(NamedTuple):
    """Somebody's own RTL: what is compiled, what that includes, ``+incdir+`` and ``+define+``."""

    files: list[str]
    headers: list[str]
    options: list[str]


def design(root: Path, listed: str = DESIGN, below: str = OWN) -> Design:
    """The design below ``root``; an empty one where there is none."""
    path = root / listed
    if not path.is_file():
        return Design([], [], [])
    lines = path.read_text().splitlines()
    files = [line for line in lines if line[0] != "+"]
    found = (one.relative_to(root).as_posix() for one in sorted((root / below).rglob("*.*")))
    headers = [one for one in found if one not in (*files, listed) and (root / one).is_file()]
    return Design(files, headers, [line for line in lines if line[0] == "+"])


class BlockModel(Protocol):
    """The golden model as the scoreboard uses it."""

    def step(self, inputs: Mapping[str, Records], until: int) -> Mapping[str, Records]:
        """Expected output records with cycle < ``until``, from input records up to there."""


@runtime_checkable
class ExplainsWaits(Protocol):
    """A golden model that can also tell why nothing goes on."""

    def waiting(self) -> list[str]:
        """A line for each thread or port that waits: what for, and what holds it."""


@runtime_checkable
class HasState(Protocol):
    """A golden model that can also tell its architectural state, as ``compiled.state`` says."""

    def state(self) -> State:
        """The state after the last modelled cycle."""


class Untimed(Protocol):
    """The model without time, led through a run: it executes what the run recorded, in order.

    It may have ``explain(found)``: what is wrong, of differences from its state and beside them.
    """

    def follow(self, inputs: Mapping[str, Records], expected: Mapping[str, Records]) -> None:
        """More of the run: the input records of a block of cycles, and what the model expects."""

    def state(self) -> State:
        """The state after all of it; only asked for when nothing is left waiting."""


def of_profile(*names: str, prefix: str = "") -> Callable[[str], dict[str, int]]:
    """Parameters of the RTL by profile: ``FifoDepth`` is the profile's ``fifo_depth``.

    Where there is none of that name, it is the one with ``prefix`` before it.
    """

    def parameters(profile: str) -> dict[str, int]:
        values = project().profiles.get(profile).rtl_parameters()
        found = {}
        for name in names:
            key = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).upper()
            found[name] = values[key if key in values else prefix + key]
        return found

    return parameters


@dataclass(frozen=True)
class Block:
    """One block under test.

    ``rtl`` are folders under ``rtl/`` in the order of compilation; ``explain`` turns
    ``(instance, field, value)`` into text for a mismatch report (a disassembly, a state name);
    ``balances`` are what must add up in a run;
    ``state`` is the architectural state, which the harness reads out of the RTL, and which both the
    cycle-exact model and ``untimed`` must have at the end; ``settles``: every command has taken
    effect at the end of its cycle, so that the end may be anywhere; ``longest_wait``: cycles for
    which an item of an endless test may stand at the DUT when the run is cut off, with nothing
    that its thread does;
    ``also`` lets what ``untimed`` needs be compiled, beyond what a run without events reaches;
    ``dut`` is empty where blocks are joined that each have their own;
    ``borrows`` are blocks whose bench HDL, but for the harness, this block's harness uses; what
    they keep to themselves, because it asks for players of theirs, is in ``keeps``;
    ``bench`` are parameters of what is beside the DUT, which has ``parameters``; harness and bench
    find both in the package ``tp_profile_pkg``;
    ``counted`` are the folders of ``rtl`` whose code ``COVERAGE=rtl`` counts here, where others are
    counted in blocks of their own; empty: all;
    ``optimise`` is what the C++ compiler is told of Verilator's output: -O1 where -O2 takes longer
    to compile than all runs of a regression gain by it;
    ``packages``: files of packages that are in folders of others below ``rtl``;
    ``wiring``: what becomes of each port of ``dut``; the harness is made of it, and none is written
    by hand;
    ``macros`` are modules that synthesis leaves as black boxes, because they are memories that in
    silicon come from a memory compiler, and as gates would be millions; each has one in it;
    ``left_out`` are arrays of ``state`` that are not read: somebody's own RTL has not what the
    harness reads there;
    ``max_gates`` and ``max_levels``: how long the longest path may be that ``make synth`` finds, in
    gates, or else in levels after ABC, of the block and of each module; 0: not judged.
    """

    name: str
    dut: str
    rtl: tuple[str, ...]
    streams: tuple[Stream, ...]
    players: tuple[Player, ...]
    model: Callable[[str], BlockModel]
    coverage: Callable[[str], CoverageModel]
    parameters: Callable[[str], Mapping[str, int]] = lambda _profile: {}
    explain: Callable[[str, str, int], str] = lambda _stream, _field, _value: ""
    balances: Balances = field(default_factory=Balances)
    state: tuple[StateArray, ...] = ()
    untimed: Callable[[str], Untimed] | None = None
    also: Callable[[str], None] = lambda _profile: None
    settles: bool = False
    longest_wait: int = 4096
    profiles: tuple[str, ...] = field(default_factory=lambda: project().profiles.names())
    borrows: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    bench: Callable[[str], Mapping[str, int]] = lambda _profile: {}
    counted: tuple[str, ...] = ()
    optimise: str = "-O2"
    packages: tuple[str, ...] = ()
    wiring: Wiring | None = None
    macros: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    max_gates: int = 0
    max_levels: int = 0
    _tables: dict[str, dict[str, Stream]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def harness(self) -> str:
        """Name of the HDL top that joins DUT, players and recorders."""
        return f"{self.name}_harness"

    def harness_parameters(self, profile: str) -> dict[str, int]:
        """What ``tp_profile_pkg`` has: parameters of the DUT, and of what is beside it."""
        return {**self.parameters(profile), **self.bench(profile)}

    @property
    def stream_table(self) -> dict[str, Stream]:
        """Instance name → stream description."""
        if "all" not in self._tables:
            self._tables["all"] = stream_table(self.streams)
        return self._tables["all"]

    @property
    def inputs(self) -> tuple[str, ...]:
        """Instances of input streams; their places are the streams' numbers in an origin."""
        return tuple(name for name, s in self.stream_table.items() if s.direction == "input")

    @property
    def player_table(self) -> dict[str, Player]:
        """Instance name → player description."""
        return {name: player for player in self.players for name in player.instances}

    @property
    def is_bench(self) -> bool:
        """Whether it is part of the bench; of the RTL that it names it calls functions only."""
        return not (self.dut or self.borrows)

    @property
    def own_folders(self) -> list[str]:
        """Folders of the project with the HDL that its tests judge, and no other block's."""
        if self.is_bench:
            return [f"tb/{self.name}/hdl"]
        return [f"rtl/{name}" for name in self.counted or self.rtl]

    def design(self, root: Path = ROOT) -> Design:
        """Somebody's own RTL: in the place of this block's, or as ``rtl/<block>`` lists it."""
        own = design(root)
        folder = f"rtl/{self.name}"
        return own if own.files else design(root, f"{folder}/{DESIGN}", folder)

    def rtl_sources(self, root: Path = ROOT) -> list[Path]:
        """RTL files in order of compilation.

        Packages first, folder by folder and a folder's own before its others; then the modules. Or
        those that somebody's design has.
        """
        packages = [root / "rtl" / name for name in self.packages]
        if listed := self.design(root).files:
            others = [] if design(root).files else packages
            return [*others, *(root / name for name in listed)]
        modules: list[Path] = []
        for folder in self.rtl:
            found = sorted((root / "rtl" / folder).glob("*.sv"))
            own = root / "rtl" / folder / f"{folder}_pkg.sv"
            packages += [own] if own in found else []
            packages += [path for path in found if path.stem.endswith("_pkg") and path != own]
            modules += [path for path in found if not path.stem.endswith("_pkg")]
        return packages + modules

    def harness_sources(self, root: Path = ROOT) -> list[Path]:
        """The hand-written HDL half: packages, then the engine's modules and the block's."""
        own = root / "engine" / "hdl"  # that of a copy which was changed
        files = sorted((own if own.is_dir() else ENGINE / "hdl").glob("*.sv"))
        for lender in self.borrows:
            found = sorted((root / "tb" / lender / "hdl").glob("*.sv"))
            kept = {f"{lender}_harness", *self.keeps}
            files += [path for path in found if path.stem not in kept]
        files += sorted((root / "tb" / self.name / "hdl").glob("*.sv"))
        return sorted(files, key=lambda path: not path.stem.endswith("_pkg"))

    def taps(self, root: Path = ROOT) -> dict[str, Path]:
        """Tables of what benches call what is recorded, by bench; of the lenders' all."""
        folders = (root / "tb" / name / "hdl" for name in (*self.borrows, self.name))
        return {path.stem: path for folder in folders for path in sorted(folder.glob("*.taps"))}
