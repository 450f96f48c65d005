# SPDX-License-Identifier: Apache-2.0
"""Kernels drawn from one plan: one to four stages, each of which makes tiles of the tiles before.

A row of ``PLAN`` says what is wanted; what of it the formats and sizes of numbers so far do not
allow is replaced by the next that they do. Numbers are whole and so small that each result is exact
before it is packed, so that NumPy can tell all bytes.

No kernel can deadlock: thread 2 lets the others begin a stage when all of the one before is in L1,
and in a stage each waits for what another one hands over without waiting for it. In the programs
(``programs/plan_*.kernel``) all of a stage is constants.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from tilepath.engine.stimulus.tables import Table, chance, choice, uniform
from tilepath.models import kernels
from tilepath.models.kernels import Kernel
from tilepath.sequences.datapath import formats
from tilepath.sequences.datapath.formats import E5, INTEGERS, PACKS, Way
from tilepath.sequences.datapath.kernels import FOLDER

STAGES: Final = 4
MOVES: Final = ("direct", "copy")
OPS: Final = (*MOVES, "add", "sub", "mul", "matmul", "transpose")
_SQUARE: Final = ("matmul", "transpose")  # of whole tiles
SHAPES: Final = ((16, 16), (16, 32), (32, 16), (32, 32))
LIMITS: Final = (1, 7, 15, 31, 127, 999, 30_000)
"""Of the numbers that there are at first."""
_EXACT: Final = {"BF16": 256, "FP16": 2048, "FP32": 8192, "INT32": 1 << 20, "INT16": 1 << 15}
_MOST_E4M3: Final = 240
_MOST_FACTOR: Final = 31  # that one phase has all bits of
_MOST_TERM: Final = 1023  # that a sum has all bits of
_BASE: Final = 0x10000
_ANY: Final = uniform(0, 9999, shape=STAGES)

PLAN: Final = Table(
    "plan",
    stages=choice((1, 2, 3, 4), weights={1: 2, 2: 3, 3: 2, 4: 1}),
    tiles=uniform(1, 3),
    faces=choice((0, 1, 2, 3, 3, 3)),  # which shape
    salt=uniform(0, 9999),  # of the names of tiles, by which their numbers are drawn
    limit=choice((0, 1, 1, 2, 3, 3, 4, 5, 6)),  # of ``LIMITS``
    first=uniform(0, 2),  # the tile that comes first, and
    backwards=chance(0.4),  # whether the one before it comes next
    op=choice(OPS, weights=dict(zip(OPS, (1, 3, 2, 2, 3, 5, 2), strict=True)), shape=STAGES),
    way=_ANY,  # of those that there are
    out=_ANY,
    other=_ANY,  # of the second operand
    halves=uniform(1, 2, shape=STAGES),
    contexts=uniform(1, 2, shape=STAGES),
    bank=uniform(0, 1, shape=STAGES),
    phases=uniform(1, 4, shape=STAGES),
    cast=choice((0, 0, 1, 2, 3), shape=STAGES),
    terms=uniform(1, 2, shape=STAGES),
    single=chance(0.4, shape=STAGES),  # a bank of SrcA for each face
    mop=chance(0.5, shape=STAGES),
    gap=choice((0, 0, 1, 3, 20), shape=3),  # NOPs in each round of a thread
    share=choice((0, 2, 10, 50)),  # of items of cores with a pause in front, in percent
    pause=uniform(1, 60),
)


@dataclass(frozen=True)
class Stage:
    """What makes tiles ``t1`` of tiles ``t0`` and, of an operation of two, ``b0``, and so on.

    Attributes:
        op: one of ``OPS``.
        way: of the tiles before to Dst; ``other``: of the second operand, if there is one.
        out: format of the tiles that it makes.
        limit: most that the second operand's numbers are.
        given: the constants of the programs that are numbers.
    """

    op: str
    way: Way
    other: Way | None
    out: str
    limit: int
    given: dict[str, int]

    def constants(self) -> dict[str, Any]:
        """All constants of the programs but places."""
        way, other = self.way, self.other or self.way
        names = {"DST": formats.read_as(way, self.out)}
        sources = (other, way) if self.op == "matmul" else (way, other)  # of SrcA and SrcB
        for unit, one in zip("AB", sources, strict=True):
            names |= {f"L1_{unit}": one.l1, f"SRC_{unit}": one.src}
            names[f"MATH_{unit}"] = formats.math(one)
        flags = formats.flags(way, self.out)
        added = self.op == "add" or (self.op == "copy" and way.how == "add")
        return {
            **{name: formats.code(form) for name, form in names.items()},
            "L1_OUT": formats.code(self.out),
            **dict(zip(_FLAGS, flags.values(), strict=True)),
            **{f"E4M3_{unit}": int(names[f"L1_{unit}"] == "E4M3") for unit in "AB"},
            "WIDE": int(way.wide),
            "STRIDE": formats.stride(way, self.out),
            "OPERAND": int(self.other is not None),
            "DIRECT": int(self.op == "direct"),
            "MOVE": int(self.op in ("copy", "transpose") and not added),
            "ADD": int(added),
            **{op.upper(): int(self.op == op) for op in OPS[3:]},
            **self.given,
        }


_FLAGS: Final = ("IN_E4M3", "OUT_E4M3", "UNSIGNED", "OUT_UNSIGNED", "INTEGERS", "ALL_BITS")


@dataclass(frozen=True)
class DrawnKernel:
    """A kernel before it is text.

    Attributes:
        tiles: how many of each name; ``shape``: rows and columns of each.
        limit: most that numbers of ``t0`` are.
        order: constants ``FIRST`` and ``STEP``: which tile comes when.
        gaps: NOPs in a round, of each thread.
    salt: a number in the names of its tiles.
    """

    tiles: int
    shape: tuple[int, int]
    limit: int
    order: tuple[int, int]
    gaps: tuple[int, int, int]
    salt: int
    stages: list[Stage] = field(default_factory=list)

    def tile(self, kind: str, stage: int) -> str:
        """The name of tiles: ``t`` in front of a stage, ``b`` its second operand."""
        return f"{kind}{stage}_{self.salt}"

    def text(self) -> str:
        """The text of the kernel; all of its tiles follow each other in L1."""
        rows, columns = self.shape
        lines = [
            f"const TILES={self.tiles}, FACES={rows * columns // 256}, COLUMNS={columns // 16}",
            f"const FIRST={self.order[0]}, STEP={self.order[1]}",
        ]
        at = f"{_BASE:#x}"

        def tile(name: str, form: str, limit: int) -> None:
            nonlocal at
            low = 0 if form == "UINT8" else f"0-{limit}"
            source = f" = random {low} {limit}" if limit else ""
            lines.append(f"tile {name}[{self.tiles}] {form} {rows}x{columns} at {at}{source}")
            at = f"{name}.at + {self.tiles}*{name}.size"

        tile(self.tile("t", 0), self.stages[0].way.l1, self.limit)
        for number, stage in enumerate(self.stages):
            if stage.other:
                tile(self.tile("b", number), stage.other.l1, stage.limit)
            tile(self.tile("t", number + 1), stage.out, 0)
        for thread, name in enumerate(("unpack", "math", "pack")):
            lines.append(f"thread {thread} {{")
            for number, stage in enumerate(self.stages):
                a, to = self.tile("t", number), self.tile("t", number + 1)
                b = self.tile("b", number) if stage.other else a
                places = {"FROM_A": f"{a}.line", "LINES_A": f"{a}.lines", "AT": f"{to}.line"}
                places |= {"FROM_B": f"{b}.line", "LINES_B": f"{b}.lines", "LINES": f"{to}.lines"}
                given = {**stage.constants(), **places, "STAGE": number, "GAP": self.gaps[thread]}
                lines.append("repeat 1 {")
                lines += [f"const {key}={value}" for key, value in given.items()]
                lines += [f'include "plan_{name}.kernel"', "}"]
            lines.append("}")
        return "\n".join(lines) + "\n"

    def kernel(self, profile: str) -> Kernel:
        """The kernel for a profile."""
        return kernels.parse(self.text(), str(FOLDER / "plan.kernel"), profile)

    def __str__(self) -> str:
        """A line: tiles, and each stage with its formats."""
        parts = [
            f"{one.op} {'-'.join(one.way)}{'*' + one.other.l1 if one.other else ''}-{one.out}"
            for one in self.stages
        ]
        rows, columns = self.shape
        return f"{self.tiles} of {rows}x{columns}: {', '.join(parts)}"


def _sums(op: str, most: int, cap: int, terms: int) -> tuple[int, int]:
    """The largest second operand for which an operation is exact, and the result's; 0: none is."""
    if op in ("add", "sub"):
        least = min(_MOST_TERM, cap - most) if most <= _MOST_TERM else 0
        return (least, most + least) if least > 0 else (0, 0)
    times = 32 * terms if op == "matmul" else 1
    least = min(_MOST_FACTOR, cap // (times * max(most, 1))) if most <= _MOST_FACTOR else 0
    return least, times * most * least


def _of_two(row: Any, k: int, form: str, most: int, op: str) -> Iterator[tuple[Stage, int]]:
    """Stages of an operation of two, with the most that comes out."""
    for way in formats.operand_ways():
        if way.l1 != form:
            continue
        terms = row.terms[k] if op == "matmul" else 1
        limit, result = _sums(op, most, _EXACT[way.dst], terms)
        if not limit:
            continue
        e5 = way.src in E5
        others = [w for w in formats.operand_ways() if w.dst == way.dst and (w.src in E5) == e5]
        other = others[row.other[k] % len(others)]
        limit = min(1 + row.other[k] % limit, _MOST_E4M3 if other.l1 == "E4M3" else limit)
        limit = (1 << limit.bit_length() - 1) - 1 or 1  # block floats may round it up
        cast = row.cast[k] if op != "matmul" else 0
        phases = 1 if op in ("add", "sub") else row.phases[k]
        single = op != "matmul" and (row.single[k] or cast > 0 or phases > 1)
        given = {"PHASES": phases, "TERMS": terms, "SINGLE": int(single), "BCAST": cast}
        yield Stage(op, way, other, "", limit, given), result


def _of_one(form: str, op: str) -> Iterator[Stage]:
    for way in formats.ways():
        if way.l1 == form and (way.how == "direct") == (op == "direct") and PACKS[way.dst]:
            yield Stage(op, way, None, "", 0, {"PHASES": 1, "TERMS": 1, "SINGLE": 0, "BCAST": 0})


def _stage(row: Any, k: int, form: str, most: int, last: bool) -> tuple[Stage, int]:
    """The ``k``-th stage on tiles of a format whose numbers are so large at most."""
    faces = SHAPES[row.faces][0] * SHAPES[row.faces][1] // 256
    wanted = [OPS[row.op[k] - n] for n in range(len(OPS))]
    for op in wanted:
        if op in MOVES:
            legal = [(one, most) for one in _of_one(form, op)]
        elif op in _SQUARE and faces < 4:
            continue
        elif op == "transpose":
            moved = [one for one in _of_one(form, op) if one.way.how == "move"]
            legal = [(one, most) for one in moved if form not in INTEGERS]
        else:
            legal = list(_of_two(row, k, form, most, op))
        if legal:
            break
    stage, result = legal[row.way[k] % len(legal)]
    outs = [out for out in PACKS[stage.way.dst] if out != "E4M3" or result <= _MOST_E4M3]
    if not last:  # what can be unpacked again by what there is
        outs = [out for out in outs if out != "UINT8" or stage.way.l1 == "UINT8"]
    out = outs[row.out[k] % len(outs)]
    given = {
        **stage.given,
        "HALVES": 1 if stage.op == "direct" else row.halves[k],
        "CONTEXTS": row.contexts[k],
        "BANK": row.bank[k],
        "MOP": int(row.mop[k] and faces > 1 and not stage.given["SINGLE"]),
        "ROW": stage.given["BCAST"] // 2,
        "COLUMN": stage.given["BCAST"] % 2,
    }
    return Stage(stage.op, stage.way, stage.other, out, stage.limit, given), result


def plan(row: Any) -> DrawnKernel:
    """The plan that a row of ``PLAN`` comes to."""
    shape, tiles = SHAPES[row.faces], row.tiles
    forms = [*dict.fromkeys(way.l1 for way in formats.ways() if PACKS[way.dst])]
    form = forms[row.way[0] // 7 % len(forms)]
    limit = LIMITS[row.limit]
    most = {"INT8": 127, "UINT8": 127, "E4M3": 127}.get(form, limit)
    limit = min(limit, most)
    order = row.first % tiles, (tiles - 1 if row.backwards else 1) % tiles
    made = DrawnKernel(tiles, shape, limit, order, tuple(row.gap), row.salt)
    most = limit if form in INTEGERS else limit + 1  # block floats may round it up
    for k in range(row.stages):
        stage, most = _stage(row, k, form, most, k == row.stages - 1)
        made.stages.append(stage)
        form = stage.out
    return made
