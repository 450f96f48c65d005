# SPDX-License-Identifier: Apache-2.0
"""Bugs of connections in joined blocks are caught, and the headline names the connection."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.planted import Catalogue

BUGS: Final = {
    "datapath": Catalogue("datapath", r"C9|C1[67]|contract [124]"),
    "frontend_control": Catalogue("frontend_control", r"F17|contract 10"),
}
"""``contract`` is docs/<block>.md with its sections."""

BROKEN: Final = {
    "datapath": ["C9", "C16", "C17", *(f"contract {n}" for n in (1, 2, 4))],
    "frontend_control": ["F17", "contract 10"],
}

SEEN_AT: Final = {
    "datapath": {
        "threads_swapped": "issue of standin, from control",
        "owner_not_returned": "matrix of unpack, from standin",
        "stale_configuration": "cfg of pack, from control",
        "banks_not_waited_for": "busy of control, from unpack, pack, standin",
        "busy_packers_of_another_thread": "busy of control, from unpack, pack, standin",
        "busy_unpackers_swapped": "busy of control, from unpack, pack, standin",
        "hold_ignored": "hold of control, from unpack",
        "packers_have_other_counters": "",
        "bases_of_registers_swapped": "",
        "bank_taken_twice": "unpack_bank of standin, from unpack",
        "configuration_of_another_thread": "setc16 of unpack, from control",
        "sums_of_the_packers_lost": "pack of adc, from pack",
        "rows_of_neighbours": "",
        "words_of_nobody": "",
        "second_write_lost": "flop of unpack, from control",
        "ready_swapped": "unit_ready of control, from unpack, pack, standin",
        "word_of_unpacker_0": "u1.issue of unpack, from control",
        "store_of_another_thread": "store of unpack, from control",
        "zeros_of_the_other_file": "unpack_zero of standin, from unpack",
        "lines_of_another_port": "stored of l1, from pack",
        "ports_of_the_other_unpacker": "requested of l1, from unpack",
        "rows_always_narrow": "pack_read of standin, from pack",
        "clears_of_srcb_unseen": "",
        "streams_busy_with_the_cores": "",
        "messages_of_another_thread": "",
        "wait_is_no_work": "",
    },
    "frontend_control": {
        "offered_late": ".offer event ",
        "illegal_is_offered": ".issue event ",
        "taken_without_grant": ".dispatch event ",
    },
}
"""Bug → the connection that the headline names; none where a block's own stream or L1 shows it."""


@pytest.mark.parametrize("block", BUGS)
def test_catalogue(block: str) -> None:
    BUGS[block].check(at_least=len(SEEN_AT[block]), decisions=BROKEN[block])
    assert SEEN_AT[block].keys() == BUGS[block].entries.keys()


@pytest.mark.parametrize(
    ("block", "name", "seen"),
    [(block, name, seen) for block, some in SEEN_AT.items() for name, seen in some.items()],
)
def test_bug_is_caught(block: str, name: str, seen: str, tmp_path: Path) -> None:
    assert seen in BUGS[block].caught(name, tmp_path).message
