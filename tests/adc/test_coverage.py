# SPDX-License-Identifier: Apache-2.0
"""The coverage model as a whole: by hand, against a count by ordinary loops, with bad input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random

import pytest

from tilepath.isa import decode, encode
from tilepath.sequences.adc import TESTS
from tilepath.sequences.adc.directed.common import KINDS
from tilepath.tb.adc.coverage import AdcCoverage
from tilepath.tb.adc.coverage.layout import OPS, PACKED, reaches
from tilepath.tb.kernel.coverage.report import CoverageReport
from tilepath.tb.kernel.description.stimulus import Context, TestSpec
from tilepath.tb.kernel.description.stream import Records
from tilepath.tests.adc.helpers import INPUTS, TABLE, covered, offered, predicted
from tilepath.tests.coverage_runs import hits, streams

CYCLES = 1500


def random_streams(
    test: str, profile: str = "baseline", cycles: int = CYCLES
) -> dict[str, Records]:
    stimulus = TESTS[test].stimulus(Context("adc", test, 5, profile, cycles))
    return predicted(offered(stimulus, cycles), cycles, profile)


# -- by hand


def test_vector_v8_by_hand() -> None:
    """Z0 of unpacker 0 is set to 253, then incremented by 3: these bins and no others."""
    word = encode("setadc", target=1, channel=0, xyzw=2, value=253)
    seen = streams(TABLE,
        t0_issue=[(4, word)],
        unpack=[(5, 0, 0, 0, 0, 3, 0, 0)],
        t0_unpacker0=[(5, 0, 0, 0, 253 | 253 << 16, 0, 0, 0, 0, 0, 0),
                      (6, 0, 0, 0, 253 << 16, 0, 0, 0, 0, 0, 0)],
    )  # fmt: skip
    row = "set0*set0*unpacker0"
    assert hits(covered(seen, 12)) == {
        "instruction.op_x_target_x_override_x_thread": {"setadc*1*0*t0": 1},
        "setadc.counter_x_value": {"z0*other": 1},
        "setadc.counter_x_override": {"z0*0": 1},
        "unpack.thread_x_adc_x_unpacker_x_field_x_increment": {
            f"{row}*{name}*{value}": 1
            for name, value in (("y0", 0), ("z0", 3), ("y1", 0), ("z1", 0))
        },
        "counter.place_x_counter_x_part_x_new_value": {"set0.unpacker0*z0*live*0": 1},
        "counter.first_write_after_reset": {"setadc": 1},
        "order.first_x_second_x_by_x_distance": {"setadc*unpack*owner*next_cycle": 1},
        "sum.source_x_dimension_x_result": {"unpack*z*wraps_to_0": 1},
        "wrap.unpack_set_x_unpacker_x_counter": {"set0*unpacker0*z0": 1},
        "ports.writers_with_a_command": {"001000": 1, "000001": 1},
    }


def test_wider_counters_do_not_wrap() -> None:
    word = encode("setadc", target=1, channel=0, xyzw=2, value=253)
    seen = predicted(
        streams(TABLE, t0_issue=[(4, word)], unpack=[(5, 0, 0, 0, 0, 3, 0, 0)]), 9, "blackhole"
    )
    found = hits(covered(seen, 9, "blackhole"))
    assert found["sum.source_x_dimension_x_result"] == {"unpack*z*below_max": 1}
    assert "wrap.unpack_set_x_unpacker_x_counter" not in found


def test_a_conflict_counts_only_where_it_was_recorded() -> None:
    word = encode("incadcxy", target=1, x0_inc=1)
    over = encode("incadcxy", target=1, x0_inc=1, thread_override=1)
    seen = predicted(streams(TABLE, t0_issue=[(3, word)], t1_issue=[(3, over)]), 9)
    found = hits(covered(seen, 9))
    assert found["conflict.writers_x_target_x_set"] == {"t0+t1*unpacker0*set0": 1}
    assert found["conflict.first_x_second"] == {"incadcxy*incadcxy": 1}
    assert found["conflict.bits_set"] == {"1": 1}
    quiet = hits(covered({**seen, "conflict": TABLE["conflict"].empty()}, 9))
    assert not [point for point in quiet if point.startswith("conflict.")]


def test_a_fault_counts_only_where_it_was_recorded() -> None:
    seen = predicted(streams(TABLE, t2_issue=[(3, 0x42000000), (5, 0x50013579)]), 9)
    found = hits(covered(seen, 9))
    assert found["fault.illegal_opcode"] == {"42": 1}
    assert found["fault.thread_x_flags"] == {"t2*illegal": 1, "t2*empty+x_override": 1}
    quiet = hits(covered({**seen, "t2.fault": TABLE["t2.fault"].empty()}, 9))
    assert not [point for point in quiet if point.startswith("fault.")]


# -- against a count by ordinary loops


class Slow:
    """Pairs and meetings of a run, command by command."""

    def __init__(self) -> None:
        self.last: dict[tuple[int, int, int], tuple[str, int, bool]] = {}
        self.pairs: Counter[str] = Counter()
        self.meetings: Counter[str] = Counter()
        self.first: Counter[str] = Counter()

    def touch(self, cycle: int, kind: str, where: tuple[int, int, int], foreign: bool) -> None:
        before = self.last.get(where)
        if before is None:
            self.first[kind] += 1
        elif before[1] != cycle:
            by = "foreign" if foreign or before[2] else "owner"
            distance = "later" if cycle - before[1] > 1 else "next_cycle"
            self.pairs[f"{before[0]}*{kind}*{by}*{distance}"] += 1
        self.last[where] = (kind, cycle, foreign)


def instruction(word: int, thread: int) -> tuple[str, int, set[tuple[int, int, int]]]:
    """Mnemonic, set, and the counters touched (set, target, number), by the fields' names."""
    found = decode(word)
    name = found.mnemonic.lower()
    override = 0 if name == "setadcxx" else found["thread_override"]
    s = override - 1 if override else thread
    if name == "setadc":
        numbers = {4 * found["channel"] + found["xyzw"]}
    elif name == "setadcxx":
        numbers = {0, 4}
    else:
        letters = [name[-2] + "0", name[-1] + "0", name[-2] + "1", name[-1] + "1"]
        suffix = "val" if name.startswith("set") else "inc"
        numbers = set()
        for place, letter in enumerate(letters):
            given = (
                found[f"{letter}_{suffix}"]
                if name.startswith("inc")
                else (found["mask"] >> place & 1)
            )
            if given:
                numbers.add(4 * int(letter[1]) + "xyzw".index(letter[0]))
    targets = [k for k in range(3) if found["target"] >> k & 1]
    return name, s, {(s, k, c) for k in targets for c in numbers}


def commands(
    seen: Mapping[str, Records],
) -> list[tuple[int, int, str, set[tuple[int, int, int]], bool]]:
    """(cycle, writer, kind, counters touched, foreign) of a run, in the order of application."""
    rows: list[tuple[int, int, str, set[tuple[int, int, int]], bool]] = []
    for r in seen["unpack"]:
        increments = {1: r["y0"], 2: r["z0"], 5: r["y1"], 6: r["z1"]}
        if max(r["thread"], r["adc"]) < 3:
            sets = {int(r["thread"]), int(r["adc"])}
            some = {c for c, n in increments.items() if n}
            found = {(s, int(r["unpacker"]), c) for s in sets for c in some}
            rows.append((int(r["cycle"]), 0, "unpack", found, False))
    for r in seen["pack"]:
        m = int(r["addr_mod"])
        some = {c for c, bits in ((1, 0x3F), (5, 0xFC0), (2, 0x3000), (6, 0xC000)) if m & bits}
        found = {(s, 2, c) for s in range(3) if int(r["sets"]) >> s & 1 for c in some}
        rows.append((int(r["cycle"]), 1, "pack", found, False))
    for r in seen["flop"]:
        if max(r["thread"], r["select"]) < 3:
            number = 4 * int(r["channel"]) + int(r["counter"])
            found = {(int(r["thread"]), int(r["select"]), number)}
            rows.append((int(r["cycle"]), 2, "flop", found, False))
    for thread in range(3):
        for r in seen[f"t{thread}.issue"]:
            if decode(int(r["word"])).mnemonic.lower() in OPS:
                name, s, found = instruction(int(r["word"]), thread)
                rows.append((int(r["cycle"]), 3 + thread, name, found, s != thread))
    return sorted(rows, key=lambda row: row[:2])


@pytest.mark.parametrize("test", ["random", "random_conflict", "updates"])
def test_order_and_meetings_are_those_of_a_slow_count(test: str) -> None:
    seen = random_streams(test)
    points = covered(seen, CYCLES, cuts=(500, 777)).report().points
    slow = Slow()
    rows = commands(seen)
    for cycle, _, kind, places, foreign in rows:
        for place in places:
            slow.touch(cycle, kind, place, foreign)
    for at, (cycle, _, kind, places, _) in enumerate(rows):
        for other_cycle, _, other, others, _ in rows[at + 1 : at + 6]:
            if other_cycle == cycle and places & others:
                slow.meetings[f"{kind}*{other}"] += 1
    for point, expected in (
        ("order.first_x_second_x_by_x_distance", slow.pairs),
        ("conflict.first_x_second", slow.meetings),
        ("counter.first_write_after_reset", slow.first),
    ):
        assert {b: n for b, n in points[point].items() if n} == dict(expected), point
        assert expected


# -- the whole


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
@pytest.mark.parametrize("test", ["random", "random_wrap", "random_conflict"])
def test_counts_do_not_depend_on_the_cuts(test: str, profile: str) -> None:
    cycles = 120
    seen = random_streams(test, profile, cycles)
    model = covered(seen, cycles, profile)
    assert model.contradicted() == []
    whole = model.report().points
    every = range(1, cycles)
    for cuts in ([60], sorted(Random(7).sample(every, 20)), every):
        assert covered(seen, cycles, profile, cuts).report().points == whole


def finite(test: TestSpec, profile: str) -> CoverageReport:
    context = Context("adc", test.name, 1, profile, 0)
    seen = offered(test.stimulus(context), 1 << 20)
    cycles = 2 + max(int(seen[name]["cycle"][-1]) for name in INPUTS if len(seen[name]))
    model = covered(predicted(seen, cycles, profile), cycles, profile)
    assert model.contradicted() == []
    return model.report()


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
def test_directed_tests_alone_reach_every_bin(profile: str) -> None:
    """So that no bin depends on luck."""
    total: CoverageReport | None = None
    for test in TESTS.values():
        if not test.endless:
            report = finite(test, profile)
            total = report if total is None else total.merged(report)
    assert total is not None and total.missing() == []


def test_correct_software_meets_no_fault_and_no_conflict() -> None:
    found = hits(covered(random_streams("random_default"), CYCLES))
    assert not [point for point in found if point.startswith(("fault", "unit_fault", "conflict"))]
    assert found["no_conflict.writers_x_differ_in"]


def test_bins_are_declared_before_the_first_sample() -> None:
    before = AdcCoverage("baseline").report().points
    after = covered(random_streams("random"), CYCLES).report().points
    assert {p: list(b) for p, b in before.items()} == {p: list(b) for p, b in after.items()}
    assert sum(map(len, before.values())) > 3000


def test_pairs_are_excluded_only_where_no_counter_is_shared() -> None:
    excluded = {name for point, name, _ in AdcCoverage("baseline").exclusions()
                if point == "order.first_x_second_x_by_x_distance"}  # fmt: skip
    for one, first in enumerate(KINDS):
        for other, second in enumerate(KINDS):
            (d1, t1), (d2, t2) = reaches(one), reaches(other)
            assert (f"{first}*{second}*owner*later" in excluded) == (not (d1 & d2 and t1 & t2))
            if one in PACKED and other in PACKED and d1 & d2:
                assert f"{first}*{second}*foreign*later" not in excluded


def test_what_is_impossible_and_happens_is_reported() -> None:
    seen = streams(TABLE, t1_fault=[(3, 1, 1, 0)], t1_issue=[(3, 0x42000000)])
    model = covered(seen, 9)
    (found,) = model.contradicted()
    assert found[:2] == ("fault.thread_x_flags", "t1*x_override+illegal")
