# SPDX-License-Identifier: Apache-2.0
"""Programs of the checker's format (docs/pipe-programs.md) as tests, each of its file's name.

A program is played with its own addresses where it is of the platform and the parameters of the
profile; else its commands get places of the sequence's own. Either way the model without time
says whether it ends. Files that ``OWN_PROGRAMS`` names are tests, too.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import ANY, Context, TestSpec
from tilepath.models import pipe_program
from tilepath.sequences.flag_pipe.directed.timing import config
from tilepath.sequences.flag_pipe.script import GM_LOW, GM_TOP, INIT, TFREE, TPUSH, Script
from tilepath.sequences.flag_pipe.verdict import walked
from tilepath.tb.flag_pipe.streams import OWN_PROGRAMS

FOLDER: Final = Path(__file__).parent / "programs"
Link = tuple[int, int]  # peer and pipe
Commands = Mapping[pipe_program.Core, Iterable[pipe_program.Command]]


def add(script: Script, program: pipe_program.Program, commands: Commands) -> None:
    """The commands of a program; each tile that is pushed has a stamp of its own.

    What is freed is looked at where its place is known: the slot on ``a5``, else where it was
    copied to.
    """
    s = script.setup
    own = (program.platform == pipe_program.A2A3) == s.a2a3 and program.beat_bytes == s.beat
    own = own and program.nflags == s.nflags
    for number, core in enumerate(pipe_program.CORES):
        sizes, rings = dict[Link, int](), dict[Link, tuple[int, int, int]]()
        tiles, popped, gap = defaultdict[Link, list[tuple[int, int]]](list), Counter[Link](), 0
        for command in commands.get(core, ()):
            link, op = (command.peer, command.pipe), int(command.op)
            fields = {name: getattr(command, name) for name in (
                "dir_mask", "slot_size", "gm_base", "c2v_buf", "v2c_buf", "tile_addr", "period",
                "peer", "pipe", "split", "row")}  # fmt: skip
            if op == INIT:
                pair = command.peer if number == 0 else number - 1
                place = 2 * command.pipe + pair * (not command.split)
                mask = command.dir_mask
                if not own and 1 <= mask <= 3:
                    piece = s.beat << (command.split > 0)
                    if command.row:
                        piece = max(piece, 1 << command.row)
                        fields["row"] = piece.bit_length() - 1
                    slot = max(1, command.slot_size // piece) * piece
                    c = config(script, mask, slot // s.beat, place)
                    fields["period"] = min(command.period, s.slots(mask).bit_length() - 1)
                    fields |= {"gm_base": c.gm, "c2v_buf": c.c2v, "v2c_buf": c.v2c,
                               "slot_size": c.slot}  # fmt: skip
                size = fields["slot_size"]
                rings[link] = (_ring(number, fields), size, s.slots(mask))
                sizes[link] = size // 2 if number and command.split else size
            elif op == TPUSH:
                script.stamp += 1
                fields |= {"fill_beats": sizes.get(link, 0) // s.beat, "stamp": script.stamp}
            if not own and op != INIT:
                fields["tile_addr"] = script.room[number][0 if op == TPUSH else 1]
            if op == TFREE and tiles[link]:
                at, size = tiles[link].pop(0)
                fields |= {"look_addr": at, "look_beats": size // s.beat}
            elif op not in (INIT, TPUSH, TFREE):
                base, size, slots = rings.get(link, (0, 0, 1))
                place = fields["tile_addr"] if s.a2a3 else base + popped[link] % slots * size
                tiles[link].append((place, sizes.get(link, 0)))
                popped[link] += 1
            gap = min(command.gap, 0xFFFF)
            script.raw(number, op, gap=gap, **fields)


def _ring(core: int, fields: Mapping[str, int]) -> int:
    """Where the ring is that a core pops from."""
    return fields["v2c_buf"] if core == 0 else fields["c2v_buf"]


def loaded(path: Path) -> pipe_program.Program:
    """The program in a file, completed where it has no ``tfree``."""
    program = pipe_program.load(path)
    if any(isinstance(node, pipe_program.Free) for f in program.funcs for node in f.nodes()):
        return program
    return pipe_program.expand(program).program or program


def _in_memory(program: pipe_program.Program, commands: Commands) -> Commands:
    """The commands, with rings one behind the other where the bench has no memory for theirs."""
    inits = [one for given in commands.values() for one in given if int(one.op) == INIT]
    rings = {one.gm_base: program.nflags * one.slot_size for one in inits}
    high = (1 << 32) - GM_TOP
    if all(base + size <= GM_LOW or base >= high for base, size in rings.items()):
        return commands
    ends = np.cumsum([program.beat_bytes, *rings.values()]).tolist()
    if ends[-1] > GM_LOW:
        message = f"rings of {ends[-1]} B in global memory, of which the bench has {GM_LOW}"
        raise inits[0].where.error(message)
    moved = dict(zip(rings, ends[:-1], strict=True))
    return {
        core: [replace(one, gm_base=moved.get(one.gm_base, 0)) for one in given]
        for core, given in commands.items()
    }


def played(path: Path, profile: str) -> tuple[str, tuple[str, ...], dict[str, Items]]:
    """Verdict of the model without time, what is left then, and the items of a program."""
    program = loaded(path)
    report = pipe_program.check(program)
    script = Script(profile)
    commands: Commands = pipe_program.lower(program, report)
    if not {"C04", "C16", "C18"} & {one.code for one in report.errors}:
        commands = _in_memory(program, commands)
    add(script, program, commands)
    items = script.take()
    verdict, left = walked(profile, items)
    return verdict, left, items


def _test(path: Path) -> TestSpec:
    def stimulus(ctx: Context) -> Mapping[str, Iterable[Items]]:
        return {name: [made] for name, made in played(path, ctx.profile)[2].items()}

    return TestSpec(
        path.stem,
        f"the program {path.name}",
        "program",
        stimulus,
        floor={"rsp": 2},
        faults=ANY,
        stands=lambda ctx: played(path, ctx.profile)[1],
    )


def own_tests() -> dict[str, TestSpec]:
    """Name → test, of the files that ``OWN_PROGRAMS`` names."""
    named = filter(None, os.environ.get(OWN_PROGRAMS, "").split(os.pathsep))
    return {test.name: test for test in map(_test, map(Path, named))}


TESTS: Final = {test.name: test for test in map(_test, sorted(FOLDER.glob("*.pipe")))}
