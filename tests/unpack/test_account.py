# SPDX-License-Identifier: Apache-2.0
"""The account of the unpackers: it changes nothing, and says what the streams show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilepath.isa.boundary.unpack import THREADS, UNPACKERS, WRITES
from tilepath.models.unpack import UnpackModel
from tilepath.models.unpack.account import KINDS, File, Form
from tilepath.models.unpack.timing_state import WRITE
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.unpack.streams import READ_FAULTS, UNIT_FAULTS, WRITE_FAULTS
from tilepath.tests.account_runs import Account, accounted, both_ways
from tilepath.tests.unpack.unpack_cover import PROFILES, random_run

Told = dict[str, list[tuple[int, ...]]]


@pytest.mark.parametrize("seed", range(len(PROFILES)))
def test_it_changes_no_record(seed: int) -> None:
    """Nor do cuts change the account."""
    seen, end, profile = random_run(seed)
    cuts = (1, 803, 804, 1700, end - 9, end)
    account, again = both_ways(lambda: UnpackModel(profile), seen, cuts)
    for kind, rows in account.items():
        assert np.array_equal(by_unpacker(rows), by_unpacker(again[kind])), kind
    assert set(KINDS) < set(account)


def by_unpacker(rows: Records) -> Records:
    """What shows of counters comes set after set in each step."""
    place = rows["set"] * 2 + rows["unpacker"] if rows.dtype == KINDS["shown"] else rows["cycle"]
    return rows[np.argsort(place, kind="stable")]


def rows_of(records: Records, *fields: str, late: int = 0) -> list[tuple[int, ...]]:
    columns: Any = [records[name].astype(int).tolist() for name in fields]
    return list(zip((records["cycle"].astype(int) + late).tolist(), *columns, strict=True))


def changes(level: Records, width: int, places: int) -> list[tuple[int, int, int, int]]:
    """Cycle, place, value before and value of each change in a level of several values."""
    found, before = [], 0
    for when, value in rows_of(level, "value"):
        for place in range(places):
            one, other = (v >> width * place & ((1 << width) - 1) for v in (before, value))
            if one != other:
                found.append((when, place, one, other))
        before = value
    return found


def at(level: Records, field: str, cycles: Any) -> NDArray[np.int64]:
    """A level's values in some cycles."""
    values = np.concatenate(([0], level[field].astype(np.int64)))
    found: NDArray[np.int64] = values[np.searchsorted(level["cycle"], cycles, side="right")]
    return found


def flags(records: Records, names: Sequence[str]) -> list[tuple[int, ...]]:
    return [
        (row[0], sum(bit << k for k, bit in enumerate(row[1:]))) for row in rows_of(records, *names)
    ]


def from_account(account: Account, seen: Mapping[str, Records]) -> Told:
    """What the account says of each stream."""
    found: Told = {}
    for u in range(UNPACKERS):
        mine = {k: r[r["unpacker"] == u] for k, r in account.items() if "unpacker" in r.dtype.names}
        sampled, steps = mine["sampled"], mine["step"]
        found[f"words {u}"] = [row[1:] for row in rows_of(sampled, "thread", "word")]
        levels = rows_of(sampled, "bank", "owners", "matrix_bank")
        found[f"levels {u}"] = levels
        found[f"requests {u}"] = rows_of(mine["request"], "lines", "rsi_lines", "latency")
        for group, name in enumerate(WRITES):
            some = steps[steps["groups"] >> group & 1 == 1]
            rows = some[["cycle", "wide"]].copy()
            ends = zip(some["first_row"][:, group], some["last_row"][:, group], strict=True)
            wide = (rows["wide"] * (some["file"] == File.DST)).tolist()
            found[f"{name} {u}"] = [
                (row[0], *map(int, pair), w)
                for row, pair, w in zip(rows_of(rows, late=WRITE), ends, wide, strict=True)
            ]
        found[f"clears {u}"] = rows_of(mine["clear"], late=WRITE)
        setreg = mine["setreg"]
        setreg = setreg[(setreg["accumulate"] == 0) | (setreg["amount"] > 0)]
        found[f"setreg {u}"] = rows_of(setreg, "value")
        found[f"faults {u}"] = rows_of(mine["fault"], "flags_")
        found[f"read faults {u}"] = rows_of(mine["read_fault"], "flags_")
        found[f"write faults {u}"] = rows_of(mine["write_fault"], "flags_")
        plain = mine["regular"][mine["regular"]["compressed"] == 0]
        whole = int(plain["count"].sum())
        found[f"datums {u}"] = [(whole,), (int((sampled["form"] == Form.REGULAR).sum()),)]
    bank = 2 * account["handed"]["unpacker"].astype(int) + account["handed"]["bank"]
    found["handed"] = list(zip(account["handed"]["cycle"].tolist(), bank.tolist(), strict=True))
    form = account["format"]
    found["formats"] = [
        (c, 2 * u + b, f) for c, u, b, f in rows_of(form, "unpacker", "bank", "format")
    ]
    found["stale"] = rows_of(account["stale"], "bank")
    found["pauses"] = [(c, c - n) for c, n in rows_of(account["pause"], "cycles")]
    matrix = account["matrix"]
    found["reads"] = rows_of(matrix[matrix["read"] > 0], "read", "banks", "release", "clear")
    found["rows"] = rows_of(matrix[matrix["target"] < 4], "target", "bank", "write_wide")
    found["valid"] = rows_of(matrix[matrix["read"] >> 2 == 1], "valid", late=1)
    found["unit faults"] = rows_of(account["unit_fault"], "flags_")
    found["flops"], found["stores"] = (rows_of(account[k], f) for k, f in
                                       (("flop", "bank"), ("store", "thread")))  # fmt: skip
    for t in range(THREADS):
        words = account["counter_word"]
        found[f"counters {t}"] = rows_of(words[words["thread"] == t], "opcode")
    shown = account["shown"]
    found["shown"] = sorted(zip(shown["cycle"].tolist(), *shown["live"].T.tolist(), strict=True))
    return found


def from_streams(account: Account, seen: Mapping[str, Records]) -> Told:
    """The same of the streams."""
    found: Told = {}
    for u in range(UNPACKERS):
        sampled = account["sampled"][account["sampled"]["unpacker"] == u]
        cycles = sampled["cycle"]
        found[f"words {u}"] = [row[1:] for row in rows_of(seen[f"u{u}.issue"], "thread", "word")]
        levels = (at(seen[f"u{u}.pointers"], "bank", cycles),
                  at(seen["owner"], "value", cycles) >> 2 * u & 3,
                  at(seen["matrix_bank"], "value", cycles) >> u & 1)  # fmt: skip
        found[f"levels {u}"] = list(
            zip(cycles.tolist(), *(x.tolist() for x in levels), strict=True)
        )
        read = seen[f"u{u}.read"]
        latency = at(seen["l1_latency"], "cycles", read["cycle"]).tolist()
        found[f"requests {u}"] = [
            (*row, now)
            for row, now in zip(rows_of(read, "count", "rsi_count"), latency, strict=True)
        ]
        for group, name in enumerate(WRITES):
            found[f"{name} {u}"] = [
                (c, a + 32 * group + ((m & -m).bit_length() - 1) >> 4,
                 a + 32 * group + m.bit_length() - 1 >> 4, w)
                for c, a, m, w in rows_of(seen[f"u{u}.{name}"], "address", "mask", "wide")
            ]  # fmt: skip
        found[f"clears {u}"] = rows_of(seen[f"u{u}.clear"])
        found[f"setreg {u}"] = rows_of(seen[f"u{u}.setreg"], "data")
        found[f"faults {u}"] = rows_of(seen[f"u{u}.fault"], "flags")
        found[f"read faults {u}"] = flags(seen[f"u{u}.read_fault"], READ_FAULTS)
        found[f"write faults {u}"] = flags(seen[f"u{u}.write_fault"], WRITE_FAULTS)
        datums = account["datum"][account["datum"]["unpacker"] == u]
        regular = account["regular"][account["regular"]["unpacker"] == u]
        found[f"datums {u}"] = [(int((datums["compressed"] == 0).sum()),), (len(regular),)]
    found["handed"] = [(c, p) for c, p, _, now in changes(seen["owner"], 1, 4) if now]
    found["formats"] = [(c, p, now) for c, p, _, now in changes(seen["implied"], 4, 4)]
    found["stale"] = [(c, p) for c, p, _, now in changes(seen["stale"], 1, 2) if not now]
    pause = changes(seen["pause"], 1, 1)
    found["pauses"] = [(late[0], early[0]) for early, late in pairwise(pause) if not late[3]]
    matrix = seen["matrix"]
    found["reads"] = rows_of(matrix[matrix["read"] > 0], "read", "banks", "release", "clear")
    found["rows"] = rows_of(seen["matrix_write"], "target", "bank", "wide")
    found["valid"] = rows_of(seen["answer_d"], "row_valid")
    found["unit faults"] = flags(seen["unit_fault"], UNIT_FAULTS)
    found["flops"], found["stores"] = (
        rows_of(seen["flop"], "bank"),
        rows_of(seen["store"], "thread"),
    )
    for t in range(THREADS):
        found[f"counters {t}"] = [
            (c, word >> 24) for c, word in rows_of(seen[f"t{t}.counter"], "word")
        ]
    names = ("x0", "y0", "z0", "w0", "x1", "y1", "z1", "w1")
    rows = [seen[f"t{t}.unpacker{u}"] for t in range(THREADS) for u in range(UNPACKERS)]
    masks = tuple(0xFFFF if name[0] != "x" else 0x3FFFF for name in names)
    found["shown"] = sorted(
        (c, *(v & m for v, m in zip(values, masks, strict=True)))
        for records in rows for c, *values in rows_of(records, *names)
    )  # fmt: skip
    return found


def disagreements(account: Account, seen: Mapping[str, Records]) -> set[str]:
    said, shown = from_account(account, seen), from_streams(account, seen)
    assert set(said) == set(shown)
    return {name for name in said if said[name] != shown[name]}


@pytest.mark.parametrize("seed", (0, 1, 2, 4, 5, 9, 12, 13))
def test_it_says_what_the_streams_show(seed: int) -> None:
    seen, end, profile = random_run(seed)
    assert disagreements(accounted(UnpackModel(profile), seen, [end])[0], seen) == set()


def changed(kind: str, field: str) -> Callable[[Account], None]:
    """A bit of the last row is another."""

    def lie(account: Account) -> None:
        account[kind][field][-1] ^= 1

    return lie


def lost(kind: str) -> Callable[[Account], None]:
    """The last row is gone."""

    def lie(account: Account) -> None:
        account[kind] = account[kind][:-1]

    return lie


@pytest.mark.parametrize(
    ("lie", "caught"),
    [
        (changed("sampled", "bank"), "levels"),
        (changed("request", "lines"), "requests"),
        (changed("request", "latency"), "requests"),
        (changed("step", "first_row"), "write"),
        (changed("handed", "cycle"), "handed"),
        (changed("format", "format"), "formats"),
        (changed("fault", "flags_"), "faults"),
        (changed("shown", "live"), "shown"),
        (changed("datum", "compressed"), "datums"),
        (lost("regular"), "datums"),
    ],
)
def test_a_lie_is_caught(lie: Callable[[Account], None], caught: str) -> None:
    seen, end, profile = random_run(9)
    account, _ = accounted(UnpackModel(profile), seen, [end])
    lie(account)
    found = disagreements(account, seen)
    assert found and all(name.startswith(caught) for name in found)
