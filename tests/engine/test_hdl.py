# SPDX-License-Identifier: Apache-2.0
"""Generated players and recorders, compiled and run without a DUT and without Python inside."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from tilepath.engine.checking.trace import TraceBlock, stored_blocks
from tilepath.engine.description.block import ROOT, Block
from tilepath.engine.description.hdl import generated_hdl
from tilepath.engine.description.player import WAIT_GO, ChunkWriter, Items, Player
from tilepath.engine.description.seeds import derive
from tilepath.engine.description.stream import BATCH, MARKER, Field, Records, Stream
from tilepath.engine.host import store
from tilepath.engine.host.build import _compile
from tilepath.engine.host.folders import build_folder
from tilepath.tests.commands import Done, call
from tilepath.tests.cosim_runs import EACH_SIMULATOR, needs_icarus
from tilepath.tests.engine.fakes import FakeCoverage, FakeModel

WIDTHS: Final = (1, 31, 32, 33, 64, 256)
ALL: Final = tuple(Field(f"w{width}", width) for width in WIDTHS)
BLOCK: Final = Block(
    name="loopback",
    dut="loopback",
    rtl=(),
    streams=(
        Stream("all", "output", fields=ALL),
        *(Stream(f"w{width}", "output", fields=(Field("x", width),)) for width in WIDTHS),
        Stream("bare", "output"),
        Stream("level", "output", "level", (Field("x", 33), Field("y"))),
        Stream("held", "output", fields=(Field("word", 32),), copies=2),
    ),
    players=(
        Player("wide", fields=ALL),
        Player("level", "level", (Field("x", 33), Field("y")), rest={"y": 1}),
        Player("held", fields=(Field("word", 32),), copies=2, go=True),
    ),
    model=lambda _profile: FakeModel(),
    coverage=FakeCoverage,
)
PLAYER: Final = {player.name: player for player in BLOCK.players}
BLOCK_CYCLES, BLOCKS = 300, 4
CYCLES: Final = BLOCK_CYCLES * BLOCKS
Run = Callable[..., Done]


def compile_loopback(sim: str) -> list[str]:
    """Compile for ``sim`` unless that was done before; the command that simulates."""
    files = [
        *sorted((ROOT / "engine" / "hdl").glob("*.sv")),
        Path(__file__).with_name("loopback.sv"),
    ]
    sources = {path.name: path.read_bytes() for path in files}
    sources["loopback_streams.sv"] = generated_hdl(BLOCK).encode()
    if sim == "icarus":
        product, run = "sim.vvp", ["vvp", "-n"]
        step = ["iverilog", "-g2012", "-s", "loopback", "-o", product, *sources]
    else:
        product, run = "sim", []
        step = ["tools/verilator/bin/verilator", "--binary", "--timing", "--top-module", "loopback"]
        step += ["--timescale", "1ns/1ps", "-Wno-fatal", "-O0", "-CFLAGS", "-O0", "-j", "2"]
        step += ["-Mdir", "obj", "-o", f"../{product}"]
        step += ["-MAKEFLAGS", "VERILATOR_ROOT=../tools/verilator CURDIR=obj"]  # as builds do it
        step += sources
    folder = build_folder() / sim / f"loopback-{store.content_key(step, sources)}"
    with store.locked(folder):
        store.mark_used(folder)
        if not (folder / product).exists():
            _compile(BLOCK, sim, folder, [step], sources)
    return [*run, str(folder / product)]


def simulate(command: list[str], folder: Path, *more: str) -> Done:
    """Run the compiled loopback on the stimulus in ``folder``, which gets the traces, too."""
    (folder / "block_cycles").write_text(str(BLOCK_CYCLES))
    arguments = [f"+blocks={BLOCKS}", f"+stim_dir={folder}"]
    arguments += [f"+trace_dir={folder / 'trace'}"]
    return call(*command, *arguments, *more, cwd=folder, timeout=120)


# -- stimulus, and what follows from it


def make_stimulus() -> dict[str, Items]:
    """Items of all players."""
    rng = derive(1, "loopback")
    wide = rng.integers(0, 1 << 32, (150, PLAYER["wide"].words), np.uint32)
    wide[:, 0] = rng.integers(0, 8, 150) * rng.integers(0, 2, 150)
    wide[10:14, 1:] = 0xFFFF_FFFF
    level = rng.integers(0, 1 << 32, (60, PLAYER["level"].words), np.uint32)
    level[:, 0] = rng.integers(0, 9, 60)
    level[20:25, 1:] = level[20, 1:]  # no change, no record
    made = {"wide": wide, "level": level}
    for name in ("t0.held", "t1.held"):
        made[name] = rng.integers(0, 1 << 32, (70, 2), np.uint32)
        made[name][:, 0] = rng.integers(0, 4, 70) | rng.integers(0, 2, 70) * WAIT_GO
    return made


def write_chunks(folder: Path) -> dict[str, Items]:
    """Write the stimulus into ``folder``."""
    (folder / "trace").mkdir()
    stimulus = make_stimulus()
    for name, items in stimulus.items():
        writer = ChunkWriter(BLOCK.player_table[name], name, folder, keep=True)
        for piece in np.array_split(items, [1, 2, 40, 41]):
            writer.write(piece)
        writer.finish()
    return stimulus


def wide_cycles(items: Items) -> list[int]:
    """Each item is shown for one cycle, behind its gap; the first in cycle 1 at the earliest."""
    return np.cumsum((items[:, 0] & 0xFFFF) + 1).tolist()


def held_cycles(items: Items, index: int) -> list[tuple[int, int]]:
    """(cycle, word) of each cycle in which an item is shown, by the rules of tp_player."""
    shown, edge = [], 0  # edge: the player may load with the edge that closes this cycle
    for first, word in items.tolist():
        edge += first & 0xFFFF
        while first & WAIT_GO and edge % 5 != index:
            edge += 1
        edge += 1
        while True:
            shown.append((edge, word))
            if edge % 3 == index:
                break
            edge += 1
    return shown


def level_records(items: Items) -> list[tuple[int, int, int]]:
    """(cycle, x, y) of each change; before and behind the stimulus y is 1."""
    found = PLAYER["level"].unpack(items)
    values = [
        (number(x) & (1 << 33) - 1, int(y)) for x, y in zip(found["x"], found["y"], strict=True)
    ]
    rows, cycle, last = [(0, 0, 1)], 1, (0, 1)
    for count, value in zip(found["cycles"].tolist(), values, strict=True):
        if value != last:
            rows.append((cycle, *value))
        last = value
        cycle += max(1, count)
    return rows if last == (0, 1) else [*rows, (cycle, 0, 1)]


def number(value: Any) -> int:
    """A field's words as one number."""
    return sum(int(word) << 32 * n for n, word in enumerate(np.atleast_1d(value)))


def played(items: Items, width: int) -> list[int]:
    """What a field of ``width`` bits shows of the items."""
    values = PLAYER["wide"].unpack(items)[f"w{width}"]
    return [number(value) & ((1 << width) - 1) for value in values]


@pytest.mark.parametrize("sim", EACH_SIMULATOR)
def test_what_is_played_is_found_in_the_traces(sim: str, tmp_path: Path) -> None:
    """In a folder of any name; a long run writes its traces over."""
    folder, last = tmp_path / "a folder, isn't it", tmp_path / "last"
    for where, options in ((folder, ()), (last, ("+trace_rewind",))):
        where.mkdir()
        stimulus = write_chunks(where)
        done = simulate(compile_loopback(sim), where, *options)
        assert done.returncode == 0, done.stdout + done.stderr
    ends = [BLOCK_CYCLES * (n + 1) for n in range(BLOCKS)]
    blocks = list(stored_blocks(folder / "trace", BLOCK.stream_table, ends))
    assert_written_over(last / "trace", blocks)
    traces: dict[str, Records] = {
        name: np.concatenate([block.streams[name] for block in blocks])
        for name in BLOCK.stream_table
    }
    cycles = wide_cycles(stimulus["wide"])
    assert max(cycles) < CYCLES
    for name in ("all", "bare", *(f"w{width}" for width in WIDTHS)):
        assert traces[name]["cycle"].tolist() == cycles, name
    for width in WIDTHS:
        want = played(stimulus["wide"], width)
        assert [number(value) for value in traces[f"w{width}"]["x"]] == want
        assert [number(value) for value in traces["all"][f"w{width}"]] == want
    for index, name in enumerate(("t0.held", "t1.held")):
        got = traces[name][["cycle", "word"]].tolist()
        assert got == held_cycles(stimulus[name], index)
    got_levels = [(int(r["cycle"]), number(r["x"]), int(r["y"])) for r in traces["level"]]
    assert got_levels == level_records(stimulus["level"])
    # how far each player says it has come
    for name in ("wide", "t1.held"):
        state = np.frombuffer((folder / f"{name}.state").read_bytes(), "<u4").reshape(-1, 2)
        assert len(state) == BLOCKS
        assert state[-1].tolist() == [len(stimulus[name]), 1]
        assert state[0, 0] < len(stimulus[name]) and state[0, 1] == 0


def assert_written_over(folder: Path, blocks: Sequence[TraceBlock]) -> None:
    """The traces in ``folder`` are those of the last of the blocks, in the room of the longest."""
    for name, stream in BLOCK.stream_table.items():
        found = np.fromfile(folder / f"{name}.bin", stream.dtype)
        lengths = [len(block.streams[name]) for block in blocks]
        assert np.array_equal(found[: lengths[-1]], blocks[-1].streams[name])
        marker = found[lengths[-1] :].view("<u4")
        assert marker[:2].tolist() == [MARKER, sum(lengths)]
        assert len(found) == BATCH * max(n // BATCH + 1 for n in lengths)


# -- what ends a simulation. Icarus only: it knows X, and compiles in no time


@pytest.fixture
def loopback(tmp_path: Path) -> Run:
    write_chunks(tmp_path)
    command = compile_loopback("icarus")
    return lambda *more: simulate(command, tmp_path, *more)


@needs_icarus
@pytest.mark.parametrize(
    ("spoil", "options", "says"),
    [
        # an empty chunk is skipped
        (lambda folder: (folder / "wide.3.bin").write_bytes(b""), (), ""),
        (lambda folder: (folder / "t0.held.3.bin").unlink(), (),
         "tp_player: chunk 3 of {folder}/t0.held is missing"),
        (lambda folder: os.truncate(path := folder / "wide.2.bin", path.stat().st_size - 5), (),
         "tp_player: {folder}/wide is truncated in chunk 2"),
        (lambda folder: None, ("+poison",),
         "tp_recorder: X or Z in stream all (index -1) in cycle 0"),
        (lambda folder: (folder / "trace").rmdir(), (), "tp_recorder: cannot write the trace of"),
    ],
)  # fmt: skip
def test_what_ends_the_simulation(
    loopback: Run,
    tmp_path: Path,
    spoil: Callable[[Path], None],
    options: tuple[str, ...],
    says: str,
) -> None:
    spoil(tmp_path)
    done = loopback(*options)
    assert (done.returncode != 0) == bool(says)
    assert says.format(folder=tmp_path) in done.stdout + done.stderr
