# SPDX-License-Identifier: Apache-2.0
"""One simulation: what is asked for, and what came of it."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from tilepath.engine.description.readings import profile_of, readings_of
from tilepath.engine.description.registry import file_of
from tilepath.engine.description.stimulus import Context
from tilepath.engine.host.files import read_text, write_whole
from tilepath.engine.host.start import START_LIMIT, start_of

REQUEST_VARIABLE = "TILEPATH_REQUEST"  # path of the request that the simulator is to run
STARTED_BY_VARIABLE = "TILEPATH_STARTED_BY"  # ``make`` where make was typed and not ``tilepath``
PROGRAMS_VARIABLE = "TILEPATH_PROGRAMS"  # files, as in a PATH, that tests are called after
DEFAULT_CYCLES = {"verilator": 50_000, "icarus": 8_000}
_RESULT_FILES = ("coverage_file", "report", "waves")
# what a result has of its request, by the same name
_OF_REQUEST = (
    *("block", "test", "seed", "sim", "profile", "run_dir", "command"),
    *("knobs", "where", "netlist", "whose", "left_out"),
)
KEEP_CYCLES = 200_000  # longer runs drop traces and stimulus behind them


def _file_called(test: str) -> str:
    """The file that the user named as a test, or the test's own name."""
    files = os.environ.get(PROGRAMS_VARIABLE, "").split(os.pathsep)
    return next((name for name in files if name and Path(name).stem == test), test)


def started_by_make() -> bool:
    """Whether the user typed ``make``; the Makefile says so in the environment."""
    return os.environ.get(STARTED_BY_VARIABLE) == "make"


@dataclass(frozen=True)
class RunRequest:
    """One run of one test.

    ``cycles``: length of an endless test, ``None`` for the simulator's default; finite tests end
    by themselves. ``seed``: 64 bits, unsigned. ``waves``: dump the whole run. ``check`` = False
    leaves recorders and scoreboard out (for measuring only; such a run never passes as checked).
    ``block_cycles``: cycles per block, ``None`` for a suitable one. ``source_root``: where
    ``rtl/`` is taken from when it is not this checkout. ``wave_window``: first and last cycle
    of the waves of a re-run. ``cold``: a process of its own instead of a fork of a warm one, which
    changes nothing. ``fast``: a build that simulates fast and takes long to compile; ``None``: for
    long runs only. ``prepare``: warm runs of this test with this seed share the stimulus of the
    first cycles; for tests of the project, whose stimulus leaves nothing behind. ``provided``: text
    files, by name, that are put into the run's folder for HDL that reads them.
    ``start``: what registers begin with under Verilator, ``None``: as belongs to the seed
    (``host.start``). ``knobs``, ``where``: what is asked of the test's tables. ``keep``: traces and
    stimulus stay however long the run is. ``replay``: the folder of a run that kept its stimulus;
    only the simulator plays it again, without recording, for measuring as where ``check`` = False.
    ``netlist``: what ``source_root`` has in place of the DUT is its netlist (``tilepath gate``).
    ``rtl_coverage``: Verilator counts lines and bits of the RTL, in ``coverage.dat`` of the folder.
    ``rtl``: what was typed for somebody's own RTL, which ``source_root`` has in place of the
    block's; ``top``: its top module, if that is not called as the block's; ``left_out``: as of
    :class:`Block`; ``whose``: what is said of it, with what stands for its content.
    ``memory``: MiB that the simulator's process may have resident at once; ``None``: no limit.
    """

    block: str
    test: str
    seed: int
    sim: str
    profile: str = "baseline"
    cycles: int | None = None
    waves: bool = False
    out_dir: Path = Path("runs")
    check: bool = True
    coverage: bool = True
    block_cycles: int | None = None
    source_root: Path | None = None
    build_root: Path | None = None
    wave_window: tuple[int, int] | None = None
    timeout: float = 3600.0
    cold: bool = False
    fast: bool | None = None
    prepare: bool = False
    provided: Mapping[str, str] = field(default_factory=dict)
    start: int | None = None
    knobs: tuple[str, ...] = ()
    where: str = ""
    keep: bool = False
    replay: Path | None = None
    rtl_coverage: bool = False
    netlist: bool = False
    memory: int | None = None
    rtl: tuple[str, ...] = ()
    top: str = ""
    left_out: tuple[str, ...] = ()
    whose: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 1 << 64:
            raise ValueError(f"seed {self.seed} is not an unsigned number of 64 bits")
        if self.cycles is not None and self.cycles < 1:
            raise ValueError(f"cycles {self.cycles} is not a positive number")
        if self.start is not None and not 0 < self.start < START_LIMIT:
            raise ValueError(f"start {self.start} is not a positive number of 31 bits")
        if self.rtl_coverage and self.sim != "verilator":
            raise ValueError("coverage of the RTL is Verilator's: choose that simulator")
        if self.replay is not None and self.check:
            raise ValueError("a replay records nothing, so it cannot be checked")

    @property
    def run_dir(self) -> Path:
        """Folder of this run's files."""
        return self.out_dir / self.block / f"{self.test}-{self.seed}"

    @property
    def context(self) -> Context:
        """What the test's stimulus is made from."""
        run = (self.block, self.test, self.seed, self.profile, self.endless_cycles)
        return Context(*run, self.knobs, self.where)

    @property
    def begins_with(self) -> int:
        """The start of this run, given or derived."""
        return self.start or start_of(self.seed)

    @property
    def trace_dir(self) -> Path:
        """Folder of the traces."""
        return self.run_dir / "trace"

    @property
    def stimulus_dir(self) -> Path:
        """Folder of the players' chunk files."""
        return self.run_dir / "stimulus"

    @property
    def endless_cycles(self) -> int:
        """Cycles that an endless test runs."""
        return self.cycles or DEFAULT_CYCLES[self.sim]

    @property
    def keeps_trace(self) -> bool:
        """Whether traces and stimulus stay on disk."""
        return self.keep or self.endless_cycles <= KEEP_CYCLES

    @property
    def build(self) -> str:
        """Return which of Verilator's two builds the run has: ``fast`` if long, else ``small``."""
        long = self.endless_cycles > KEEP_CYCLES or not self.check
        return "fast" if (long if self.fast is None else self.fast) else "small"

    def cycles_per_block(self, endless: bool) -> int:
        """Cycles between two checks: few for a short run, many for a long one."""
        if self.block_cycles is not None:
            return self.block_cycles
        return min(65_536, max(1_024, self.endless_cycles // 8)) if endless else 4_096

    @property
    def command(self) -> str:
        """The command that runs this again, of the kind that was used: ``make`` or ``tilepath``."""
        made = started_by_make()
        once: dict[str, Any] = {
            "sim": self.sim,
            "block": self.block,
            "test": _file_called(self.test),
            "seed": self.seed,
            "profile": None if self.profile == "baseline" else self.profile,
            "cycles": self.cycles,
            "start": self.start,
            "tests": file_of(self.block, self.test),
        }
        more = {"knobs" if made else "knob": self.knobs, "rtl": self.rtl}
        every = [(name, str(value)) for name, value in once.items() if value is not None]
        for name, some in more.items():
            every += [
                (name, shlex.quote(one)) for one in ([" ".join(some)] if made else some) if one
            ]
        every += [("top", self.top)] * bool(self.top)
        every += [("where", shlex.quote(self.where))] * bool(self.where)
        if made:
            words = ["make gate" if self.netlist else "make"]
            return " ".join([*words, *(f"{key.upper()}={value}" for key, value in every)])
        words = ["tilepath gate" if self.netlist else "tilepath run"]
        return " ".join([*words, *(f"--{key} {value}" for key, value in every)])

    def result(self, **found: Any) -> RunResult:
        """What came of it: ``found``, and what the request says."""
        same = {name: getattr(self, name) for name in _OF_REQUEST}
        return RunResult(**same, start=self.begins_with, **found)

    def write_json(self, path: Path) -> None:
        """Store the request as a file of its run folder, but for where that is."""
        data = asdict(self) | readings_of(self.profile)
        del data["out_dir"], data["cold"]
        write_json(path, data)

    @classmethod
    def from_json(cls, path: Path) -> RunRequest:
        """Read a stored request; ``ValueError`` naming the file when it is not one.

        Its results are where ``path`` is, also when the folder of results has been moved or copied.
        Its profile is called as what it was is called now, and so is a result's.
        """
        try:
            data = json.loads(read_text(path))
            data["out_dir"] = path.absolute().parents[2]
            data.pop("rerun_for_waves", None)  # of older versions
            for key in ("source_root", "build_root", "replay"):
                data[key] = Path(data[key]) if data.get(key) is not None else None
            if data["wave_window"] is not None:
                data["wave_window"] = tuple(data["wave_window"])
            for key in ("knobs", "rtl", "left_out"):
                data[key] = tuple(data.get(key, ()))
            data["profile"] = profile_of(data)
            data.pop("readings", None)
            return cls(**data)
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is not a stored run request: {error}") from None


@dataclass(frozen=True)
class RunResult:
    """What came of a run. ``status``: ``pass``, ``fail`` (RTL, model or check) or ``error``.

    ``faults``: how many faults the block reported. ``start``: what registers began with under
    Verilator, given or derived; 0 in results of versions that had no such thing.
    ``coverage_file``, ``report`` and ``waves`` are below ``run_dir``, and stored relative to it.
    ``build``: ``small`` or ``fast``, as :attr:`RunRequest.build`.
    ``knobs``, ``where``: what was asked of the test's tables.
    ``spent``: CPU seconds of the simulator's process by part, as ``host.spent`` has them.
    ``netlist``: whether it was the netlist that ran, as :attr:`RunRequest.netlist`.
    ``whose``: somebody's own RTL that ran, and what stands for its content; empty: the project's.
    ``left_out``: arrays of the state that were not read of it.
    ``digest``: SHA-256 of the trace files, hexadecimal; of a run that does not keep them of what
    the last block of cycles left, of one that ended with an error empty. ``signature``: what
    failures that are alike have in common; empty when it passed. ``counts``: stream → records.
    ``compiled``: loops of the model that the run had to compile itself, ``module.function``.
    ``began``: ISO 8601; ``origin``: revision, versions, host, as ``host.origin`` has them.
    """

    block: str
    test: str
    seed: int
    sim: str
    profile: str
    status: str
    cycles: int
    events: int
    seconds: float
    message: str
    run_dir: Path
    command: str
    faults: int = 0
    coverage_file: Path | None = None
    report: Path | None = None
    waves: Path | None = None
    build: str = ""
    start: int = 0
    knobs: tuple[str, ...] = ()
    where: str = ""
    spent: dict[str, float] = field(default_factory=dict)
    netlist: bool = False
    began: str = ""
    origin: dict[str, Any] = field(default_factory=dict)
    digest: str = ""
    signature: str = ""
    compiled: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    whose: str = ""
    left_out: tuple[str, ...] = ()

    def write_json(self) -> None:
        """Store the result in its run folder, all or nothing."""
        data = asdict(self) | readings_of(self.profile)
        del data["run_dir"]
        for key in _RESULT_FILES:
            data[key] = data[key].relative_to(self.run_dir) if data[key] is not None else None
        write_json(self.run_dir / "result.json", data)

    @classmethod
    def from_json(cls, path: Path) -> RunResult:
        """Read a stored result; ``ValueError`` naming the file when it is not one.

        Its files are those beside ``path``, also when the folder has been moved or copied.
        """
        try:
            data = json.loads(read_text(path))
            for key in _RESULT_FILES:
                data[key] = _inside(path.parent, data[key]) if data[key] is not None else None
            data["run_dir"] = path.parent
            data["profile"] = profile_of(data)
            for key in ("knobs", "compiled", "left_out"):
                data[key] = tuple(data.get(key, ()))
            # older versions had not all of what there is now
            return cls(**{f.name: data[f.name] for f in fields(cls) if f.name in data})
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is not a stored result: {error}") from None


def _inside(folder: Path, name: str) -> Path:
    """``folder / name``; ``ValueError`` when that is outside."""
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise ValueError(f"{name} is not a file below its folder")
    return folder / name


def write_json(path: Path, data: dict[str, Any]) -> None:
    """Write JSON to ``path`` so that it is either there as a whole or not at all."""
    write_whole(path, (json.dumps(data, indent=1, default=str) + "\n").encode())
