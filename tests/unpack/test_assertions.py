# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the unpackers' HDL, SrcA's and SrcB's fires when what it watches is broken."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.assertion_cases import Broken, fires, ids, results_of, run_alone, stored_cases
from tilepath.tests.blocks.test_bugs_in_batches import ROWS
from tilepath.tests.planted import Edit, assertions, broken

COUNTS: Final = {
    "src.sv": 1,
    "src_spread.sv": 1,
    "unpack_fetch.sv": 5,
    "unpack_fetch_beat.sv": 2,
    "unpack_fetch_place.sv": 1,
    "unpack_front.sv": 1,
    "unpack_issue.sv": 5,
    "unpack_queue.sv": 3,
    "unpack_write_buffer.sv": 4,
    "unpack_write_go.sv": 1,
    "unpack_write_rows.sv": 1,
}
OF_DST: Final = {"dst.sv": 1, "dst_block.sv": 2, "dst_shared.sv": 1, "dst_spread.sv": 1}
"""Those of ``dst_block`` and ``dst_shared`` are ours; the others fire in ``tests/pack``."""

CASES: Final = stored_cases(Path(__file__).with_name("assertions.toml"))

_ISSUE: Final = (
    "  unpack_issue u_issue (\n"
    "    .clk_i, .rst_ni, .issue_valid_i, .issue_thread_i, .issue_word_i, .ready_o, .hold_o,"
)
_ROOM: Final = ("unpack_issue.sv", "ready_o = free ? room_i : 2'd0", "ready_o = room_i")


def _ports(before: str, old: str, new: str) -> Edit:
    """The ports of ``unpack_issue``: ``before`` the instance, and ``old`` → ``new`` in it."""
    assert _ISSUE.count(old) == 1
    return "unpack_front.sv", _ISSUE, before + _ISSUE.replace(old, new)


def _threads(value: int) -> Edit:
    """All words come from one thread."""
    both = "".join(f"  assign one_thread[{u}] = 2'd{value};\n" for u in range(2))
    declared = f"  wire logic [1:0] one_thread [2];\n{both}"
    return _ports(declared, ".issue_thread_i", ".issue_thread_i(one_thread)")


_SWAPPED: Final = (
    "  wire logic [31:0] swapped [2];\n"
    "  assign swapped[0] = issue_word_i[1];\n  assign swapped[1] = issue_word_i[0];\n"
)

ISSUE: Final = (
    Broken("is issued to without ready", "issue",
           (_ports("  assign ready_o = 2'd3;\n", ".ready_o", ".ready_o()"),)),
    Broken("is no word for unpacker", "issue",
           (_ports(_SWAPPED, ".issue_word_i", ".issue_word_i(swapped)"),)),
    Broken("there is no thread 3", "issue", (_threads(3),)),
    Broken("issues while it is held", "issue",
           (_ROOM, _ports("  assign hold_o = 3'd0;\n", ".hold_o", ".hold_o()"))),
    Broken("issues two words", "issue", (_threads(0),)),
)  # fmt: skip
"""What the unpackers ask of those that issue: these break connections, so each has a build."""


def test_all_assertions_are_known() -> None:
    """A ``$fatal`` more, and this file has to grow."""
    found = assertions("rtl/unpack", "rtl/src", "tb/unpack")
    assert found == COUNTS
    assert assertions("rtl/dst") == OF_DST
    cases = (*CASES, *ISSUE)
    wanted = sum(COUNTS.values()) + OF_DST["dst_block.sv"] + OF_DST["dst_shared.sv"]
    assert len({case.says for case in cases}) == len(cases) == wanted


results = results_of(ROWS["unpack"].bugs, CASES)
test_assertion_fires = fires(CASES)


@pytest.mark.parametrize("case", ISSUE, ids=ids(ISSUE))
def test_assertion_of_issue_fires(case: Broken, tmp_path: Path) -> None:
    broken(run_alone("unpack", case.test, case.edits, tmp_path), case.says, ".sv:")
