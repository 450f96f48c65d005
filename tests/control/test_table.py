# SPDX-License-Identifier: Apache-2.0
"""The issue-distance and visibility tables of frontend-config §5.3, read off the RTL's own traces.

No model here: the tables are written out, and what the recorders saw must agree with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tilepath.isa.constants import OP_CFGSHIFTMASK, OP_RDCFG, OP_RMWCIB0, OP_STREAMWRCFG, OP_WRCFG
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.kernel.host.run import RunRequest
from tilepath.tests.cosim_runs import EACH_SIMULATOR, recorded, simulate

KINDS: Final = ("STREAMWRCFG", "WRCFG", "CFGSHIFTMASK", "RMWCIB", "RDCFG")
# behind a STREAMWRCFG: in the very next cycle (C16), or from the second number on
AHEAD: Final = {
    "STREAMWRCFG": (1, 1),
    "WRCFG": (1, 4),
    "CFGSHIFTMASK": (1, 5),
    "RMWCIB": (1, 5),
    "RDCFG": (1, 5),
}
LEAST: Final = {
    "WRCFG": {"STREAMWRCFG": 1, "WRCFG": 1, "CFGSHIFTMASK": 2, "RMWCIB": 2, "RDCFG": 2},
    "CFGSHIFTMASK": {"STREAMWRCFG": 1, "WRCFG": 1, "CFGSHIFTMASK": 2, "RMWCIB": 2, "RDCFG": 2},
    "RMWCIB": dict.fromkeys(KINDS, 1),
    "RDCFG": dict.fromkeys(KINDS, 1),
}
WRITTEN: Final = {"STREAMWRCFG": 5, "WRCFG": 2, "CFGSHIFTMASK": 2, "RMWCIB": 1}
QUIET: Final = 10  # cycles without a config instruction: the pipeline is empty
WATCHED: Final = 100  # the word that the test's third thread samples in every cycle
GLOBAL: Final = 180

Issued = tuple[int, int, int, str]  # issued, offered, thread, kind


def kind_of(word: int) -> str | None:
    opcode = word >> 24
    if OP_RMWCIB0 <= opcode < OP_RMWCIB0 + 4:
        return "RMWCIB"
    names = {
        OP_STREAMWRCFG: "STREAMWRCFG",
        OP_WRCFG: "WRCFG",
        OP_CFGSHIFTMASK: "CFGSHIFTMASK",
        OP_RDCFG: "RDCFG",
    }
    return names.get(opcode)


@pytest.fixture(scope="module", params=EACH_SIMULATOR)
def traces(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Records]:
    """Everything recorded of the test that has all pairs at all distances."""
    folder: Path = tmp_path_factory.mktemp("table")
    return recorded(
        simulate(
            RunRequest(
                block="control",
                test="config_distances",
                seed=1,
                sim=request.param,
                coverage=False,
                out_dir=folder,
            )
        )
    )


def issued(traces: Mapping[str, Records]) -> list[Issued]:
    found = []
    for thread in range(3):
        offers, issues = traces[f"t{thread}.offer"], traces[f"t{thread}.issue"]
        for offer, issue in zip(offers.tolist(), issues.tolist(), strict=True):
            kind = kind_of(issue[1])
            if kind is not None:
                found.append((issue[0], offer[0], thread, kind))
    return sorted(found)


def pairs(traces: Mapping[str, Records]) -> list[tuple[Issued, Issued]]:
    """Two in a row, of which the first meets an empty pipeline."""
    all_of_them = issued(traces)
    return [
        (first, second)
        for before, first, second in zip(
            all_of_them, all_of_them[1:], all_of_them[2:], strict=False
        )
        if first[0] - before[0] > QUIET and second[0] - first[0] <= QUIET
    ]


def expected(first: Issued, second: Issued) -> int:
    """The cycle in which the second may issue, by the table."""
    wanted = max(second[1] - first[0], 1)
    if first[3] == "STREAMWRCFG":
        ahead, later = AHEAD[second[3]]
        return first[0] + (wanted if wanted == ahead or wanted >= later else later)
    return first[0] + max(wanted, LEAST[first[3]][second[3]])


def test_every_pair_issues_when_the_table_says(traces: Mapping[str, Records]) -> None:
    seen = set()
    for first, second in pairs(traces):
        assert second[0] == expected(first, second), (first, second)
        distance = second[1] - first[0]
        seen.add((first[3], second[3], distance, first[2] == second[2]))
    wanted = {
        (a, b, d, same) for a in KINDS for b in KINDS for d in range(1, 7) for same in (True, False)
    }
    assert wanted <= seen


def test_every_write_comes_when_the_table_says(traces: Mapping[str, Records]) -> None:
    expected_writes = sorted(
        (at + WRITTEN[kind], thread) for at, _, thread, kind in issued(traces) if kind in WRITTEN
    )
    writes = traces["config_write"]
    found = sorted(zip(writes["cycle"].tolist(), writes["source"].tolist(), strict=True))
    assert found == expected_writes


def test_a_value_is_visible_in_the_cycle_after_its_write(traces: Mapping[str, Records]) -> None:
    """Every sample shows the last write before its cycle, and no later one."""
    writes = traces["config_write"]
    changes: list[tuple[int, int, int, int]] = []  # cycle, bank, index, value
    for row in writes:
        for place in range(4 if row["quad"] else 1):
            index = int(row["index"]) + place
            banks = 3 if index >= GLOBAL else int(row["banks"])
            value = int(row[f"data{place}"])
            changes += [(int(row["cycle"]), b, index, value) for b in (0, 1) if banks >> b & 1]
    memory: dict[tuple[int, int], int] = {}
    old_and_new = compared = 0
    for view in traces["view_unpack0"]:
        while changes and changes[0][0] < view["cycle"]:
            _, bank, index, value = changes.pop(0)
            memory[bank, index] = value
        if view["index"] == WATCHED:
            shown = int(view["data"])
            assert shown == memory.get((0, WATCHED), 0), int(view["cycle"])
            compared += 1
            pending = [c for c in changes[:1] if c[0] == view["cycle"] and c[1:3] == (0, WATCHED)]
            old_and_new += bool(pending and pending[0][3] != shown)
    assert compared > 1000
    assert old_and_new > 100  # samples in the very cycle of a write show the old value
