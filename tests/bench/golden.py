# SPDX-License-Identifier: Apache-2.0
"""Speed of the golden models alone, functional halves and cycle-exact ones, and of tables."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from tilepath import isa
from tilepath.engine.checking.trace import stored_blocks
from tilepath.engine.description.player import Items
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.description.seeds import derive
from tilepath.engine.description.stimulus import Context, Stimulus
from tilepath.engine.stimulus.tables import (
    Table,
    by,
    chance,
    choice,
    column,
    mix,
    pauses,
    require,
    uniform,
)
from tilepath.engine.stimulus.tables.table import BLOCK
from tilepath.models.frontend import FunctionalThread
from tilepath.models.machine import Machine
from tilepath.models.unpack.formats import address_shift
from tilepath.sequences.frontend.programs import PROGRAMS
from tilepath.sequences.pack import config, llk
from tilepath.sequences.pack.tile_image import KINDS, TILE
from tilepath.sequences.pack.words import pacr
from tilepath.sequences.unpack.config import Setup
from tilepath.tb.frontend.streams import CORE
from tilepath.tests.bench.measure import TESTS, BenchError

Program = tuple[np.ndarray, np.ndarray]  # words, MopCfg writes (position, index, data)
THREADS = 3
EXPANDED_WORDS = 20e6
INSTRUCTIONS = 1e6
DATUMS = 10e6
PACKED = 20e6
FACE = 256  # datums
_BEST_OF = 5


@dataclass(frozen=True)
class Speed:
    """How many ``units`` a model handled, and how many in a second of CPU time (best run)."""

    what: str
    units: str
    count: int
    rate: float
    bound: float | None = None


def functional(block: str, seed: int, repeats: int) -> list[Speed]:
    """Speed of ``block``'s model without time; ``repeats`` make it longer. Not all have one."""
    return _FUNCTIONAL[block](seed, repeats) if block in _FUNCTIONAL else []


def cycle_exact(block: str, run_dir: Path) -> list[Speed]:
    """The cycle-exact model alone, on the recorded inputs of a stored run."""
    described = load_block(block)
    ends = json.loads((run_dir / "outcome.json").read_text())["ends"]
    table = described.stream_table
    blocks = [
        ({n: r for n, r in block.streams.items() if table[n].direction == "input"}, block.end)
        for block in stored_blocks(run_dir / "trace", table, ends)
    ]

    def work() -> None:
        model = described.model("baseline")
        for inputs, end in blocks:
            model.step(inputs, end)

    cycles = measured(f"{block}, cycle-exact", "cycles", ends[-1], work)
    if block != "adc":
        return [cycles]
    count = sum(len(inputs[f"t{t}.issue"]) for inputs, _ in blocks for t in range(THREADS))
    rate = count * cycles.rate / cycles.count
    return [cycles, Speed(cycles.what, "instructions", count, rate, INSTRUCTIONS)]


def _frontend(seed: int, repeats: int) -> list[Speed]:
    blocks = max(1, repeats // 20)
    return [
        _expander("matmul", matmul(repeats)),
        _expander("busy threads", busy(blocks, seed)),
    ]


def matmul(repeats: int) -> list[Program]:
    """What the three threads of the matrix multiplication push and write, ``repeats`` times."""
    players = PROGRAMS.load("matmul", "baseline").players
    return [_program([players[f"t{t}.core"]] * repeats) for t in range(THREADS)]


def busy(blocks: int, seed: int) -> list[Program]:
    """Measure the same of ``blocks`` blocks of the benchmark's stimulus."""
    stimulus = _stimulus("frontend", seed)
    return [_program(list(islice(stimulus[f"t{t}.core"], blocks))) for t in range(THREADS)]


def _program(parts: list[Items]) -> Program:
    items = np.concatenate(parts)
    found = CORE.unpack(items)
    pushes, writes = found["push"] != 0, found["mopcfg"] != 0
    before = np.cumsum(pushes) - pushes
    columns = (before, found["index"], found["data"])
    return found["word"][pushes], np.stack(columns, axis=1)[writes].astype(np.int64)


def _expander(name: str, programs: list[Program]) -> Speed:
    count = sum(len(FunctionalThread().feed(*program)) for program in programs)

    def work() -> None:
        for program in programs:
            FunctionalThread().feed(*program)

    return measured(f"frontend, expander, {name}", "issued words", count, work, EXPANDED_WORDS)


def _adc(seed: int, repeats: int) -> list[Speed]:
    """Instructions of the benchmark's stimulus, thread after thread."""
    stimulus = _stimulus("adc", seed)
    words = []
    for thread in range(THREADS):
        parts: list[Items] = []
        while sum(len(part) for part in parts) < 1000 * repeats:
            parts.append(next(iter(stimulus[f"t{thread}.issue"])))
        words.append(np.concatenate(parts)[:, 1].astype(np.uint32))
    machine = Machine()

    def work() -> None:
        machine.faults.clear()
        for thread, its in enumerate(words):
            machine.push(thread, its)

    count = sum(len(its) for its in words)
    return [measured("adc, functional", "instructions", count, work, INSTRUCTIONS)]


def _unpack(seed: int, repeats: int) -> list[Speed]:
    """Faces of 256 datums into SrcA, one UNPACR each."""
    rng = np.random.default_rng(seed)
    speeds = []
    for name, code in (("BF16", 5), ("BFP8", 6)):
        what = f"unpack, functional, {name} faces"
        speeds.append(_repeated(what, *unpacking(code, code, FACE, rng), repeats, FACE, DATUMS))
    return speeds


def unpacking(code: int, out: int, datums: int, rng: np.random.Generator) -> tuple[Machine, int]:
    """A machine, and an UNPACR of so many datums into SrcA."""
    machine = Machine()
    # row 4 of the unpacker's address space is row 0 of SrcA
    size = 1 << address_shift(out)
    setup = Setup(in_format=code, out_format=out, base=(256,) * 8, out_base=64 * size)
    for index, value in setup.words(0).items():
        machine.config[0, index] = value
    machine.l1[:] = rng.integers(0, 256, machine.l1.shape, np.uint8)
    machine.execute(0, isa.encode("SETADCXX", target=1, x1_val=datums - 1))
    return machine, isa.encode("UNPACR", unpacker=0, last=1)


def _repeated(
    what: str, machine: Machine, word: int, repeats: int, datums: int, bound: float
) -> Speed:
    """Repeat one instruction time and again; it handles so many ``datums``."""

    def work() -> None:
        for _ in range(repeats):
            machine.execute(0, word)

    speed = measured(what, "datums", repeats * datums, work, bound)
    if machine.faults:
        raise BenchError(f"{what}: {machine.faults[0]}")
    return speed


def _pack(seed: int, repeats: int) -> list[Speed]:
    """A tile of 1024 datums from Dst to L1, a PACR each time."""
    rng = np.random.default_rng(seed)
    speeds = []
    for name in ("bf16", "bf16_bfp8"):
        what = f"pack, functional, {name} tiles"
        speeds.append(_repeated(what, *packing(name, rng), repeats, TILE, PACKED))
    return speeds


def packing(kind: str, rng: np.random.Generator) -> tuple[Machine, int]:
    """A machine, and a PACR of all four packers, a face each."""
    machine = Machine()
    case = llk.Case(KINDS[kind], 0, 0, 0x4000, tame=True, dense=15, option="")
    setup = {**llk.formats(case), **llk.faces(case, "baseline")}
    for index, value in config.words(setup).items():
        machine.config[0, index] = value
    machine.pack.dst[:] = rng.integers(0, 1 << 16, machine.pack.dst.shape, np.uint16)
    machine.execute(0, isa.encode("SETADCXX", target=4, x1_val=FACE - 1))
    return machine, pacr(15, last=1)


_FUNCTIONAL: dict[str, Callable[[int, int], list[Speed]]] = {
    "frontend": _frontend,
    "adc": _adc,
    "unpack": _unpack,
    "pack": _pack,
}


def _stimulus(block: str, seed: int) -> Stimulus:
    test = TESTS[block]
    return tests_of(block)[test].stimulus(Context(block, test, seed, "baseline", 0))


def measured(
    what: str, units: str, count: int, work: Callable[[], object], bound: float | None = None
) -> Speed:
    """Measure ``work``, which handles so many ``units``, once its loops are compiled."""
    work()
    return Speed(what, units, count, count / best(work), bound)


def best(work: Callable[[], object]) -> float:
    times = []
    for _ in range(_BEST_OF):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


# -- rows of 30 columns and two constraints, in blocks and one by one


_NAMED: Final = {"plain": 4, "packed": 2, "tilize": 1}


def _some(number: int) -> dict[str, Any]:
    """Six columns, as those of a set-up or an instruction."""
    return {
        f"kind{number}": choice(tuple(_NAMED), _NAMED),
        f"wrap{number}": chance(0.35),
        f"begin{number}": uniform(0, 4095),
        f"span{number}": mix({0.6: choice((0, 1, 2, 4, 8, 16, 40)), 0.4: uniform(0, 64)}),
        f"code{number}": uniform(0, 15),
        f"count{number}": choice((1, 16, 64, 256)),
    }


TABLE: Final = Table(
    "bench",
    **{name: one for number in range(4) for name, one in _some(number).items()},
    rows=by("kind0", {"packed": uniform(0, 2), ("plain", "tilize"): 1}),
    limit=column(lambda wrap0, begin0, span0: np.where(wrap0, begin0 + span0, 0x1FFFF)),
    last=uniform(0, lambda count0: count0),
    gap=pauses(2.0),
    base1=uniform(0, 0xFFFF),
    flip=chance(lambda kind1: np.where(kind1 == 1, 0.5, 0.1)),
    fits=require(lambda kind0, code0: ~((kind0 == 2) & (code0 < 8))),
    near=require(lambda begin1, span1: begin1 + span1 < 4096),
)


def of_tables(rows: int) -> list[Speed]:
    """Rows a second: in blocks, and one by one, which includes drawing them."""
    rng = derive(1, "bench")
    blocks = -(-rows // BLOCK)
    _ = TABLE.refused, TABLE.dtype

    def in_blocks() -> None:
        for _ in itertools.islice(TABLE.blocks(rng), blocks):
            pass

    def one_by_one() -> None:
        for _ in itertools.islice(TABLE.drawn(rng), blocks * BLOCK):
            pass

    count = blocks * BLOCK
    title = f"table of {len(TABLE.columns)} columns"
    return [
        measured(f"{title}, blocks of {BLOCK:,}", "rows", count, in_blocks, 1e6),
        measured(f"{title}, one by one", "rows", count, one_by_one),
    ]
