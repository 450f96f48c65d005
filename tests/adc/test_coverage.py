# SPDX-License-Identifier: Apache-2.0
"""The coverage model as a whole: by hand, in directed tests, with what cannot be."""

from __future__ import annotations

from collections import Counter

import pytest

from tilepath.engine.coverage.report import CoverageReport
from tilepath.engine.description.stimulus import Context, TestSpec
from tilepath.models.adc.untimed_commands import WordFault
from tilepath.models.adc.untimed_state import Command
from tilepath.sequences.adc import TESTS
from tilepath.tb.adc.block import BLOCK
from tilepath.tb.adc.coverage import AdcCoverage
from tilepath.tb.adc.coverage.labels import PACKED, reaches
from tilepath.tests.adc.worked import TABLES, covered, random_inputs
from tilepath.tests.coverage_runs import hits
from tilepath.tests.stimulus.helpers import offered

# -- by hand


def test_vector_v8_by_hand() -> None:
    """Z0 of unpacker 0 is set to 253, then incremented by 3: these bins and no others."""
    row = "set0*set0*unpacker0"
    assert hits(TABLES.covered(TABLES.cases()["v8_wrap"])) == {
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


def test_pairs_at_a_counter_by_hand() -> None:
    """Each command with the last one before its cycle; it is foreign if either of the two is."""
    own = "3,4,8,9,11 INCADCXY target=1 x0_inc=1"
    foreign = "6,8 t1 INCADCXY target=1 x0_inc=1 thread_override=1"
    found = hits(TABLES.covered({"given": [own, foreign], "names": {}}))
    assert found["order.first_x_second_x_by_x_distance"] == {
        "incadcxy*incadcxy*owner*next_cycle": 1,  # 3, 4
        "incadcxy*incadcxy*owner*later": 1,  # 9, 11
        "incadcxy*incadcxy*foreign*next_cycle": 1,  # 8, 9
        "incadcxy*incadcxy*foreign*later": 2,  # 4, 6 and 6, 8
    }
    assert found["conflict.first_x_second"] == {"incadcxy*incadcxy": 1}
    assert found["counter.first_write_after_reset"] == {"incadcxy": 1}


# -- the whole


def finite(test: TestSpec, profile: str) -> CoverageReport:
    context = Context("adc", test.name, 1, profile, 0)
    seen = offered(BLOCK, test.stimulus(context), 1 << 20)
    cycles = 2 + max(int(records["cycle"][-1]) for records in seen.values() if len(records))
    model = covered(seen, cycles, profile)
    assert model.contradicted() == []
    return model.report()


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
def test_no_bin_depends_on_luck(profile: str) -> None:
    """A test that is the same in each run reaches it, or random ones do many times in one seed."""
    sure, often = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for test in TESTS.values():
        seed, cycles = (*test.known, 5)[0], test.cycles or 50_000
        if test.endless:
            seen = random_inputs(seed, cycles, profile, test.name)
            found = covered(seen, cycles, profile).report()
        else:
            found = finite(test, profile)
        (often if test.endless and not test.known else sure).update(
            {(point, bin_): n for point, bins in found.points.items() for bin_, n in bins.items()}
        )
    assert [name for name in often | sure if not sure[name] and often[name] < 5] == []


def test_correct_software_meets_no_fault_and_no_conflict() -> None:
    found = hits(covered(random_inputs(5, 1500, test="random_default"), 1500))
    assert not [point for point in found if point.startswith(("fault", "unit_fault", "conflict"))]
    assert found["no_conflict.writers_x_differ_in"]


def test_pairs_are_excluded_only_where_no_counter_is_shared() -> None:
    excluded = {name for point, name, _ in AdcCoverage("baseline").exclusions()
                if point == "order.first_x_second_x_by_x_distance"}  # fmt: skip
    kinds = [command.name.lower() for command in Command]
    for first in kinds:
        for second in kinds:
            (d1, t1), (d2, t2) = reaches(first), reaches(second)
            assert (f"{first}*{second}*owner*later" in excluded) == (not (d1 & d2 and t1 & t2))
            if first in PACKED and second in PACKED and d1 & d2:
                assert f"{first}*{second}*foreign*later" not in excluded


def test_what_is_impossible_and_happens_is_reported() -> None:
    model, coverage = BLOCK.model("baseline"), AdcCoverage("baseline")
    coverage.follow(model)
    model.step(TABLES.inputs({"given": ["3 t1 issue 0x42000000"], "names": {}}), TABLES.start + 9)
    model.account[0]["word"]["faults"] = WordFault.ILLEGAL | WordFault.X_OVERRIDE
    coverage.sample({}, 0, TABLES.start + 9)
    (found,) = coverage.contradicted()
    assert found[:2] == ("fault.thread_x_flags", "t1*x_override+illegal")
