# SPDX-License-Identifier: Apache-2.0
"""``--rtl``: a design of the user's in the place of a block's, held against its ports, and tried.

What is built from is a folder of the store, found by its content, with an ``rtl/`` and the list
``design.f``: packages of the project that the design does not have itself, what the block shares
with others, the user's files, and around a top with another name a module with the block's.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tilepath.engine.checking.stored import stored_run
from tilepath.engine.checking.trace import stored_blocks
from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.commands.jobs import check_profile
from tilepath.engine.commands.own_rtl import file_list
from tilepath.engine.commands.own_rtl.elaborated import (
    Elaborated,
    compare,
    contract,
    header,
    shown_path,
    with_dut,
)
from tilepath.engine.commands.own_rtl.file_list import FileList
from tilepath.engine.commands.report import ShowProgress, make_console
from tilepath.engine.commands.run_list import PlannedRun, RunList
from tilepath.engine.commands.simulation import EngineRunner, RunOptions
from tilepath.engine.description.block import DESIGN, OWN, ROOT, Block
from tilepath.engine.description.block import design as listed_design
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.errors import there_are
from tilepath.engine.host import store
from tilepath.engine.host.build import BuildError, BuildOptions, sources_of, write_sources
from tilepath.engine.host.folders import build_folder

_AROUND: Final = "rtl/own_top.sv"


@dataclass(frozen=True)
class OwnRtl:
    """A design in the place of ``block``'s.

    ``given``: what was typed behind ``--rtl``, each a folder, file or list; ``top``: its top module
    where that is not called as the block's. ``tree``: the folder to build from; ``files``: the
    user's, all that it has of them. ``left_out``: arrays of the state that the bench does not find
    in it.
    """

    block: str
    given: tuple[str, ...]
    top: str
    tree: Path
    files: tuple[Path, ...]
    left_out: tuple[str, ...]

    @property
    def common(self) -> Path:
        """The folder that all files are below."""
        return _common(self.files)

    @property
    def name(self) -> str:
        """Whose it is, and which: what was typed, and what stands for the content."""
        return f"{' '.join(self.given)} ({self.tree.name.rpartition('-')[2]})"

    def typed(self) -> list[str]:
        """The options that name it."""
        words = [word for path in self.given for word in ("--rtl", shlex.quote(path))]
        return [*words, *(("--top", self.top) if self.top else ())]

    def told(self) -> list[str]:
        """Lines about it, for above a regression."""
        less = ", ".join(self.left_out)
        more = [f"note: the bench cannot read its {less}: left out at the end"] if less else []
        return [f"RTL: {self.name}", *more]

    def of_request(self) -> dict[str, Any]:
        """What the requests of its runs have beside ``source_root``."""
        named = {"rtl": self.given, "top": self.top, "whose": self.name}
        return {**named, "left_out": self.left_out}


def own_rtl(
    blocks: Sequence[str], given: Sequence[str], top: str, profile: str = "baseline"
) -> OwnRtl | None:
    """The design that was typed, ``None`` if none was.

    Raises:
        UsageError: not one block; a file that is not there; a design that has errors, other ports
            than the block, or nothing of what the bench reads in it.
    """
    if not given:
        if top:
            raise UsageError("--top names a module of --rtl: give both")
        return None
    if len(blocks) != 1:
        raise UsageError("--rtl is in the place of one block's: give one --block")
    block = with_dut(blocks[0])
    own = file_list.read(given)
    mine = Elaborated((), own)
    name = top or block.dut
    if name not in mine.modules():
        known = there_are(mine.modules(), name)
        raise UsageError(f"there is no module {name} in {' '.join(given)}; {known} (--top)")
    theirs = {*mine.modules(), *mine.packages()}
    # the project's files that stay: packages, and modules of what the block shares with others
    folders = [ROOT / folder for folder in block.own_folders]
    around = [
        path
        for path in block.rtl_sources()
        if (path.stem.endswith("_pkg") or path.parent not in folders) and path.stem not in theirs
    ]
    read = Elaborated(around, own, name)
    if wrong := read.wrong():
        raise wrong[0].for_user(len(wrong) - 1)
    parameters = block.parameters(profile)
    values = {one: value for one, value in parameters.items() if one in read.parameters()}
    ports = Elaborated(around, own, name, values).ports(parameters)
    compare(block, contract(block, profile), ports, " ".join(given))
    tree = _staged(block, own, mine.files(), around, top)
    left_out = _left_out(block, tree, profile)
    return OwnRtl(block.name, tuple(given), top, tree, tuple(mine.files()), left_out)


def _staged(
    block: Block, own: FileList, files: Mapping[Path, bool], around: Sequence[Path], top: str
) -> Path:
    """The folder to build from, made now if nobody had this design before.

    ``files``: the user's, and whether others include them.
    """
    folders = {path.parent for path in files}
    common = _common(files)

    def place(path: Path) -> str:
        return f"{OWN}/{path.relative_to(common).as_posix()}".removesuffix("/.")

    contents = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in around}
    listed = [*contents, *(place(path) for path, included in files.items() if not included)]
    contents |= {place(path): path.read_bytes() for path in files}
    if top and top != block.dut:
        contents[_AROUND] = _wrapped(block, top).encode()
        listed.append(_AROUND)
    named = [path for path in own.folders if path.is_relative_to(common)]
    lines = [f"+incdir+{place(path)}" for path in dict.fromkeys((*named, *sorted(folders)))]
    lines += [f"+define+{one}" for one in own.defines]
    contents[DESIGN] = "".join(f"{line}\n" for line in (*lines, *listed)).encode()
    folder = build_folder() / "own" / f"{block.name}-{store.content_key((), contents)}"
    with store.locked(folder):
        store.mark_used(folder)
        if not (folder / DESIGN).exists():
            shutil.rmtree(folder / "rtl", ignore_errors=True)
            write_sources({**contents, DESIGN: contents.pop(DESIGN)}, folder)  # the list last
    store.prune(folder.parent)
    return folder


def _common(files: Iterable[Path]) -> Path:
    return Path(os.path.commonpath([path.parent for path in files]))


def _wrapped(block: Block, top: str) -> str:
    """A module with the block's name and ports around the user's."""
    text = header(block)
    ports = [one.name for one in contract(block, block.profiles[0])]
    names = block.parameters(block.profiles[0])
    values = ", ".join(f".{one}({one})" for one in ports if one in names)
    pins = ", ".join(f".{one}({one})" for one in ports if one not in names)
    instance = f"  {top} #({values}) u_own ({pins});" if values else f"  {top} u_own ({pins});"
    return f"`default_nettype none\n{text}{instance}\nendmodule\n`default_nettype wire\n"


def _left_out(block: Block, tree: Path, profile: str) -> tuple[str, ...]:
    """Arrays of the state that the bench does not find in a design; ``UsageError`` for a stream."""
    with for_user(ValueError):
        sources = sources_of(block, BuildOptions("verilator", profile, source_root=tree))
    _, headers, words = listed_design(tree)
    listed = [name for name in sources if not name.endswith(".svh") and name not in headers]
    found: dict[str, None] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_sources(sources, folder)
        options = [line[1:].split("+", 1) for line in words]
        own = FileList(folders={folder: None})
        own.folders |= {folder / value: None for option, value in options if option == "incdir"}
        own.defines |= {value: None for option, value in options if option == "define"}
        for one in Elaborated([folder / each for each in listed], own, block.harness).wrong():
            if not one.file.endswith(".taps"):
                place = f"{Path(one.file).name}:{one.line}"
                raise UsageError(f"the bench of {block.name} reads in its DUT: {place}: {one.text}")
            tap = (ROOT / one.file).read_text().splitlines()[one.line - 1]
            array = re.match(r"state: (\w+)", tap)
            if array is None:
                raise UsageError(f"the bench of {block.name} reads in its DUT: {tap.split()[0]}")
            found[array[1]] = None
    return tuple(found)


_CYCLES: Final = 2_000
_ERROR: Final = re.compile(
    rf"^(?:%Error(?:-\w+)?: )?{OWN}/(?P<file>[^:\n]+):(?P<line>\d+)(?::\d+)?: "
    r"(?!warning)(?:error: )?(?P<text>.+)$",
    re.MULTILINE,
)
_UNKNOWN: Final = re.compile(r"X or Z in stream .*")


def design(
    blocks: Sequence[str],
    given: Sequence[str] | None,
    top: str,
    sims: Sequence[str],
    profiles: Sequence[str],
) -> OwnRtl | None:
    """The design that was typed, tried with each simulator and profile; ``None`` if none was.

    Raises:
        UsageError: as :func:`own_rtl`; a simulator refuses it, an output is unknown, or none ever
            changes.
    """
    own = None
    for profile in profiles:
        check_profile(profile)
        own = own_rtl(blocks, given or (), top, profile)
        if own is None:
            return None
        for sim in sims:
            try_out(own, RunOptions(sim, profile, Path(), coverage=False, waves=False, rtl=own))
    return own


def try_out(own: OwnRtl, options: RunOptions) -> None:
    """Compile a design and run it for some cycles, elsewhere; ``UsageError``, as above."""
    tests = tests_of(own.block)
    random = (name for name in tests if name.startswith("random_default"))
    planned = PlannedRun(own.block, next(random, next(iter(tests))), 1, _CYCLES)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        runner = EngineRunner(replace(options, out=Path(folder)))
        runner.check(RunList(None, (planned,)))
        with ShowProgress(make_console(), ()) as progress:
            try:
                runner.build(own.block, progress)
            except BuildError as error:
                raise _refused(own, options.sim, str(error)) from None
        outcome = runner.run(planned)
        if unknown := _UNKNOWN.search(outcome.message):
            raise UsageError(
                f"{own.name}: {unknown[0]}: is every output driven, and every register that it "
                "comes from reset?"
            )
        if outcome.status == "fail" and not _moves(planned.folder(Path(folder)), own.block):
            raise UsageError(
                f"{own.name}: no output changes in {_CYCLES:,} cycles of {planned.test}: does it "
                "come out of reset? rst_ni is 0 in reset"
            )


def _moves(run_dir: Path, block: str) -> bool:
    """Whether the design of a run has done anything."""
    _, ends = stored_run(run_dir)
    streams = load_block(block).stream_table
    outputs = {name: one for name, one in streams.items() if one.direction == "output"}
    parts = stored_blocks(run_dir / "trace", outputs, ends)
    return any(len(records) for part in parts for records in part.streams.values())


def _refused(own: OwnRtl, sim: str, text: str) -> UsageError:
    """The first error of a simulator in one of the user's files, with the source line."""
    found = _ERROR.search(text)
    if found is None:
        return UsageError(f"{sim} cannot compile {own.name}: {text.splitlines()[-1]}")
    path, line = own.common / found["file"], int(found["line"])
    lines = path.read_text(errors="replace").splitlines()
    shown = f"{line:5} | {lines[line - 1]}" if line <= len(lines) else ""
    return UsageError(f"{shown_path(str(path))}:{line}: {sim}: {found['text']}", shown)
