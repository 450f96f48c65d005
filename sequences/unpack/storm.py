# SPDX-License-Identifier: Apache-2.0
"""Storm: every player for itself, nothing waits for anything but readiness.

Configuration changes while instructions run, so that what a set-up means is mixed with the next.
Two things are kept, lest a run stands still or an instruction lasts for ever: the Matrix Unit
releases banks all the time, and nothing is compressed, with X counters below a few hundred.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import Any, Final

import numpy as np

from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import Context, Stimulus
from tilepath.engine.stimulus.tables import Table, chance, choice, column, mix, pauses, uniform
from tilepath.isa.constants import CFG_GLOBAL_BASE, CFG_THCON_BASE
from tilepath.sequences.adc.words import OPCODES, OPS, packed, setadc, setadcxx
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import ALU_WORD, DST_MAP_WORD, MISC, Setup
from tilepath.sequences.unpack.script import THREADS, UNPACKERS
from tilepath.sequences.unpack.setup_table import AREA, AREAS, area, setup_of
from tilepath.tb.unpack import items

_BLOCK: Final = 256
_POOL: Final = 6
"""Set-ups whose words are written in any order."""


STEPS: Final = {3: choice((0, 0, 1)), 1: uniform(0, 7)}
"""Increments of counters."""

CONFIG: Final = Table(
    "config",
    banks=uniform(0, 3),
    what=choice(
        ("setup", "alu", "any", "dst_map"), {"setup": 330, "alu": 1, "any": 1, "dst_map": 1}
    ),
    at=uniform(0, 0xFFFF),
    # of sections, 180 and above are nothing that the unit reads
    section=uniform(128, 255),
    bits=uniform(0, 3),
    low=uniform(0, 0xFFFF),
    index=column(lambda what, section: np.choose(what, [0, ALU_WORD, section, DST_MAP_WORD])),
    value=column(lambda what, bits, low: np.choose(what, [0, bits << 15, low, bits])),
    pause=pauses(25.0),
)
"""Configuration words of a storm, of set-ups (``at``: which, in 65536ths) or of others."""

FLOP: Final = Table(
    "flop",
    bank=uniform(0, 1),
    at=uniform(0, 0xFFFF),
    wide=chance(0.3),
    pause=pauses(25.0),
)
"""What REG2FLOP writes in a storm, of set-ups (``at`` as in ``config``)."""

_THREAD_WORD: Final[Mapping[str, Any]] = {
    "index": choice((0, 5, 5, 6, MISC, MISC, 42, 43)),
    "small": chance(0.5),
    "free": uniform(0, 0xFFFF),
    "value": column(
        lambda index, small, free: free & np.where((index == MISC) & small, 0x1111, 0xFFFF)
    ),
}
SETC16: Final = Table("setc16", **_THREAD_WORD, pause=pauses(60.0))
"""ThreadConfig words of a storm, those that the unit reads above all; offsets mostly ``small``."""

STORE: Final = Table("store", thread=uniform(0, 2), **_THREAD_WORD, pause=pauses(20.0))
"""The same words, which cores store."""

MATRIX: Final = Table(
    "matrix",
    read=mix({0.6: 0, 0.4: uniform(1, 7)}),
    banks=uniform(0, 3),
    row_a=uniform(0, 63),
    row_b=uniform(0, 63),
    row=mix({"low": (1, uniform(0, 79)), "any": (1, uniform(0, 1023))}),
    wide=chance(0.3),
    access=uniform(0, 3),
    release=mix({0.4: 0, 0.6: uniform(1, 3)}),
    clear=mix({0.96: 0, 0.04: uniform(1, 15)}),
    neg_inf=chance(0.5),
    zero=chance(0.05),
    zero_mode=uniform(0, 3),
    undo=chance(0.5),
    toggle=mix({0.8: 0, 0.2: uniform(1, 3)}),
    follow=chance(0.2),
    pause=pauses(3.0),
)
"""All commands of a storm, releases above all, of banks that are the Matrix Unit's or not.

``row``: ``low`` ones are where most set-ups write in Dst.
"""

WRITE: Final = Table(
    "write",
    target=uniform(0, 3),
    bank=uniform(0, 1),
    row=mix({"low": (1, uniform(0, 79)), "any": (1, uniform(0, 1023))}),
    wide=chance(0.5),
    access=uniform(0, 3),
    words=uniform(0, 0xFFFF_FFFF, shape=16),
    pause=pauses(8.0),
)
"""Rows that the Matrix Unit writes in a storm, whoever has the bank."""

MEMORY: Final = Table(
    "memory",
    chunk=uniform(0, AREA * (1 + 2 * AREAS) // 64 - 1),
    words=uniform(0, 0xFFFF_FFFF, shape=16),
    pause=pauses(6.0),
)
"""Any data of a storm, anywhere in the areas of the set-ups."""


def _instruction(
    word: Any, twist: Any, bits: Any, kept: Any, nop: Any, unpacker: Any, adc: Any, context: Any
) -> Any:
    unpacr = (word | unpacker << 23 | adc << 8 | context << 10) ^ twist
    return np.where(nop, w.NOP_OPCODE << 24 | bits & (kept | 1 << 23 | 0xFF), unpacr)


def _counter(
    op: Any, target: Any, override: Any, number: Any, small: Any, steps: Any, mask: Any, ends: Any,
    stray: Any,
) -> Any:  # fmt: skip
    """Sums of X stay small, but at the ``ends`` of counters; X1 comes there seldom."""
    few = small & np.where(number & 3, 15, 255)
    # from X0 to the greatest X1 there are so many datums that a run does little else
    high = ends & ((number != 4) | (small < 16))
    # a value is cut to the width of its counter
    value = np.where(high, np.where(number & 3, 0xFFFF, 0x3FFFF) - (small & 1), few)
    top = value | np.where(number & 3, override << 16, 0)
    counts = np.isin(op, (OPS.index("incadcxy"), OPS.index("incadczw")))
    still = (op == OPS.index("incadcxy")) & (ends == 0)
    still = still[:, None] & np.array([1, 0, 1, 0], bool)
    values = tuple(np.where(still, 0, steps).T)
    forms = [
        setadc(target, number, top),
        setadcxx(target, small & 63, (small & 63) + number * 18 + (small >> 6)),
        packed("setadcxy", target, values, mask * ~counts, override),
    ]
    form = np.where(op == OPS.index("setadc"), 0, np.where(op == OPS.index("setadcxx"), 1, 2))
    opcode = np.array([OPCODES[one] for one in OPS])[op] ^ stray
    return np.choose(form, forms) & 0xFF_FFFF | opcode << 24


WORD: Final = Table(
    "word",
    storm=chance(0.38, faulty=True),
    nop=chance(0.3),
    bits=uniform(0, (1 << 24) - 1),
    kept=mix({3: (1 << 24) - 1, 7: uniform(0, (1 << 24) - 1)}),
    unpacker=uniform(0, 1),
    context=uniform(0, 7),
    adc=uniform(0, 3),
    inc=uniform(0, 3, shape=4),
    multi=chance(0.5),
    flip=chance(0.3),
    zero=chance(0.1),
    counter=chance(0.5),
    search=chance(0.1),
    last=chance(0.9),
    word=column(w.of_columns),
    twist=mix({0.9: 0, 0.1: choice((1 << 1, 1 << 13, 1 << 5, 1 << 14, 3 << 13))}),
    instruction=column(_instruction),
    op=choice(OPS),
    target=uniform(1, 7, within=range(8)),
    override=mix({3: 0, 1: uniform(0, 3)}),
    number=uniform(0, 7),
    small=uniform(0, 255),
    steps=mix(STEPS, shape=4),
    mask=uniform(0, 15),
    ends=uniform(0, within=1),
    stray=uniform(0, within=range(256)),  # bits of the opcode that are not those of ``op``
    moved=column(_counter),
    gap=mix({4: 0, 1: 3}),
)
"""Instructions of a storm: UNPACRs and NOPs in ``storm`` of all, else words for counters; with
``ends`` 1 these set one near the greatest there is, and X is counted up, too.
"""

STORM: Final = (CONFIG, FLOP, SETC16, STORE, MATRIX, WRITE, MEMORY, WORD)
"""Tables of a storm's own."""


def _setups(ctx: Context, player: str = "") -> Iterator[tuple[int, Any]]:
    """Unpackers in turn, with a row of a set-up."""
    rngs = [ctx.rng(f"{player}setup{u}") for u in UNPACKERS]
    drawn = [ctx.table(f"setup{u}").drawn(rng, _BLOCK) for u, rng in enumerate(rngs)]
    return ((u, next(drawn[u])) for u in cycle(UNPACKERS))


def config_items(ctx: Context) -> Iterator[Items]:
    """Set-ups of both unpackers in both banks; then words of others, in any order."""
    setups = _setups(ctx)
    words = [word for u, row in (next(setups), next(setups)) for word in _words(u, row, 0)]
    yield items.cfg(3, *zip(*words, strict=True))
    places = ctx.rng("places")
    for rows in ctx.table("config").blocks(ctx.rng("cfg"), _BLOCK):
        numbers = places.integers(0, AREAS, _POOL).tolist()
        pool = np.array([word for n in numbers for word in _words(*next(setups), n)])
        chosen = pool[rows["at"] * len(pool) >> 16]
        own = rows["what"] == 0
        index, value = np.where(own, chosen.T, (rows["index"], rows["value"]))
        yield items.cfg(rows["banks"], index, value, rows["pause"])


def flop_items(ctx: Context) -> Iterator[Items]:
    """Words of set-ups, one or four at a time, in any order."""
    setups, places = _setups(ctx, "flop "), ctx.rng("flop places")
    for rows in ctx.table("flop").blocks(ctx.rng("flop"), _BLOCK):
        numbers = places.integers(0, AREAS, _POOL).tolist()
        pool = np.array([four for n in numbers for four in _fours(*next(setups), n)])
        index, *fours = pool[rows["at"] * len(pool) >> 16].T
        first = np.choose(index & 3, fours)[:, None] * np.array([1, 0, 0, 0])
        data = np.where(rows["wide"][:, None], np.transpose(fours), first)
        yield items.flop(rows["bank"], index, rows["wide"], data, gaps=rows["pause"])


def _fours(unpacker: int, row: Any, number: int) -> Iterator[tuple[int, ...]]:
    """Of each word that REG2FLOP can write: index, the four words around it."""
    words = dict(_words(unpacker, row, number))
    for index in words:
        if CFG_THCON_BASE <= index < CFG_GLOBAL_BASE:
            yield (index, *(words.get(k, 0) for k in range(index & ~3, (index & ~3) + 4)))


def _words(unpacker: int, row: Any, number: int) -> list[tuple[int, int]]:
    """(index, value) of all words of a set-up in area ``number``."""
    return list(setup_of(row, area(unpacker, number)).words(unpacker).items())


def _setc16(rows: Any) -> Items:
    return items.setc16(rows["index"], rows["value"], rows["pause"])


def _store(rows: Any) -> Items:
    return items.store(rows["thread"], rows["index"], rows["value"], gaps=rows["pause"])


def _matrix(rows: Any) -> Items:
    fields = {name: rows[name] for name in items.COMMAND if name != "wait"}
    return items.matrix(fields, gaps=rows["pause"])


def _write(rows: Any) -> Items:
    names = ("target", "bank", "row", "words", "wide", "access")
    return items.matrix_write(*(rows[name] for name in names), gaps=rows["pause"])


def _memory(rows: Any) -> Items:
    return items.l1_write(rows["chunk"] * 4, rows["words"], rows["pause"])


def first_words() -> int:
    """How many items :func:`config_items` begins with."""
    return sum(len(Setup().words(u)) for u in UNPACKERS)


def _issue(rows: Any) -> Items:
    """UNPACRs, NOPs and counter words, once the first set-ups are there."""
    words = np.where(rows["storm"], rows["instruction"], rows["moved"])
    return items.issue(words, rows["gap"], after=int(items.after_cfg(first_words())))


def storm_stimulus(ctx: Context) -> Stimulus:
    """Stimulus of all item players."""
    return {
        "cfg": config_items(ctx),
        "flop": flop_items(ctx),
        "store": map(_store, _blocks(ctx, "store", "store")),
        "matrix": map(_matrix, _blocks(ctx, "matrix", "matrix")),
        "matrix_write": map(_write, _blocks(ctx, "write", "matrix_write")),
        "l1_write": map(_memory, _blocks(ctx, "memory", "l1_write")),
        **{f"t{t}.issue": map(_issue, _blocks(ctx, "word", f"t{t}.issue")) for t in THREADS},
        **{f"t{t}.setc16": map(_setc16, _blocks(ctx, "setc16", f"t{t}.setc16")) for t in THREADS},
    }


def _blocks(ctx: Context, table: str, player: str) -> Iterator[Any]:
    found: Iterator[Any] = ctx.table(table).blocks(ctx.rng(player), _BLOCK)
    return found
